package pgx

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/pgxulid"
	"github.com/seed-961d0905/ulid/typed"
)

const pgxPage = "pgxulid/README.md"

// Typed IDs, one for each format.
type (
	PrefixID = typed.ID[PrefixKind]
	TextID   = typed.ID[TextKind]
	UUIDID   = typed.ID[UUIDKind]
	BinaryID = typed.ID[BinaryKind]

	PrefixKind struct{ typed.PrefixColumn }
	TextKind   struct{ typed.TextColumn }
	UUIDKind   struct{ typed.UUIDColumn }
	BinaryKind struct{ typed.BinaryColumn }
)

func (PrefixKind) Prefix() string { return "order" }
func (TextKind) Prefix() string   { return "text" }
func (UUIDKind) Prefix() string   { return "user" }

// A setting is how a connection is set up.
type setting struct {
	mode     pgx.QueryExecMode
	register bool
}

// asks reports whether pgx asks the server for the types of parameters.
func (s setting) asks() bool {
	return s.mode != pgx.QueryExecModeExec && s.mode != pgx.QueryExecModeSimpleProtocol
}

var modes = []pgx.QueryExecMode{
	pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
	pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
}

// eachMode runs a test in each mode, without Register and with it.
func eachMode(t *testing.T, test func(*testing.T, setting)) {
	for _, register := range []bool{false, true} {
		for _, mode := range modes {
			name := fmt.Sprintf("%v, Register %t", mode, register)
			t.Run(name, func(t *testing.T) { test(t, setting{mode, register}) })
		}
	}
}

// TestColumns stores each Go type in the column that it is for.
func TestColumns(t *testing.T) {
	eachMode(t, func(t *testing.T, s setting) {
		inColumn[ulid.AsUUID](t, s, "uuid")
		inColumn[UUIDID](t, s, "uuid")
		for _, text := range []string{`text COLLATE "C"`, `char(26) COLLATE "C"`} {
			inColumn[ulid.ULID](t, s, text)
			inColumn[TextID](t, s, text)
		}
		inColumn[PrefixID](t, s, `text COLLATE "C"`)
		inColumn[PrefixID](t, s, `char(32) COLLATE "C"`)
		inColumn[ulid.AsBinary](t, s, "bytea")
		inColumn[BinaryID](t, s, "bytea")
	})
}

// TestOthersInUUID stores in a uuid what is for columns of text and of bytes. With Register it is an error, and stores
// nothing. pgx alone stores the bytes where it knows the column, but what it stored cannot be read.
func TestOthersInUUID(t *testing.T) {
	eachMode(t, func(t *testing.T, s setting) {
		notInUUID[ulid.ULID](t, s)
		notInUUID[TextID](t, s)
		notInUUID[PrefixID](t, s)
		if s.register {
			notInUUID[ulid.AsBinary](t, s)
			notInUUID[BinaryID](t, s)
		} else {
			unreadable[ulid.AsBinary](t, s)
			unreadable[BinaryID](t, s)
		}
	})
}

func notInUUID[T ~[16]byte](t *testing.T, s setting) {
	t.Helper()
	conn := newTable(t, s, "uuid")
	ids := someIDs[T]()
	id, list := ids[0], ids[:1]
	for _, arg := range []any{id, &id, sql.Null[T]{V: id, Valid: true}} {
		if exec(conn, "INSERT INTO t VALUES ($1, 1)", arg) == nil {
			t.Errorf("a %T is taken as a parameter", arg)
		}
	}
	if copyIDs(conn, ids) == nil {
		t.Errorf("CopyFrom takes a %T", id)
	}
	if exec(conn, "DELETE FROM t WHERE id <> ALL($1)", list) == nil {
		t.Errorf("a %T is taken as a parameter", list)
	}
	find(t, conn, []ulid.AsUUID(nil), "true")
}

// unreadable stores IDs that their own type cannot read, and AsUUID can.
func unreadable[T ~[16]byte](t *testing.T, s setting) {
	t.Helper()
	conn := newTable(t, s, "uuid")
	ids := someIDs[T]()
	if err := insert(conn, ids); (err == nil) != s.asks() {
		t.Errorf("a %T as a parameter: %v", ids[0], err)
	}
	check(t, exec(conn, "DELETE FROM t"))
	check(t, copyIDs(conn, ids))
	holds(t, conn, someIDs[ulid.AsUUID]())
	var id T
	err := conn.QueryRow(ctx, "SELECT id FROM t").Scan(&id)
	if !errors.Is(err, ulid.ErrDataSize) || id != (T{}) {
		t.Errorf("a %T is read as %v, %v, want an error", id, id, err)
	}
}

func inColumn[T ~[16]byte](t *testing.T, s setting, column string) {
	t.Helper()
	conn := newTable(t, s, column)
	ids := someIDs[T]()

	check(t, insert(conn, ids))
	holds(t, conn, ids)
	reads[ulid.ULID](t, conn, ids[0])
	reads[ulid.AsUUID](t, conn, ids[0])
	reads[ulid.AsBinary](t, conn, ids[0])
	reads[PrefixID](t, conn, ids[0])
	reads[TextID](t, conn, ids[0])
	reads[UUIDID](t, conn, ids[0])
	reads[BinaryID](t, conn, ids[0])
	for i, id := range ids {
		find(t, conn, ids[i:i+1], "id = $1", id)
	}
	find(t, conn, ids[2:4], "id >= @from AND id < @to", pgx.NamedArgs{"from": ids[2], "to": ids[4]})
	lists(t, conn, s, ids)
	check(t, exec(conn, "DELETE FROM t"))

	check(t, copyIDs(conn, ids))
	holds(t, conn, ids)
	check(t, exec(conn, "DELETE FROM t"))

	nulls(t, conn, ids[0], ids[1])
}

// reads reads the first ID as another type U. Unless U has the format of T it is an error, and keeps the ID of before.
func reads[U, T ~[16]byte](t *testing.T, conn *pgx.Conn, first T) {
	t.Helper()
	before := someIDs[U]()[4]
	id := before
	err := conn.QueryRow(ctx, "SELECT id FROM t ORDER BY n").Scan(&id)
	if reflect.DeepEqual(value(U(first)), value(first)) {
		if err != nil || id != U(first) {
			t.Errorf("a %T reads a %T as %v, %v", id, first, id, err)
		}
	} else if !errors.Is(err, ulid.ErrDataSize) || id != before {
		t.Errorf("a %T reads a %T as %v, %v, want an error", id, first, id, err)
	}
}

// value returns what SQL stores.
func value[T any](id T) driver.Value {
	stored, _ := any(id).(driver.Valuer).Value()
	return stored
}

// lists passes slices, where pgx asks for the type of the column, and reads arrays.
func lists[T ~[16]byte](t *testing.T, conn *pgx.Conn, s setting, ids []T) {
	t.Helper()
	two := ids[1:3]
	if s.asks() {
		find(t, conn, two, "id = ANY($1)", two)
		find(t, conn, two, "id = ANY($1)", []*T{nil, &two[0], &two[1]})
		find(t, conn, two, "id = ANY($1)", []sql.Null[T]{{}, {V: two[0], Valid: true}, {V: two[1], Valid: true}})
	}
	var all []T
	check(t, conn.QueryRow(ctx, "SELECT array_agg(id ORDER BY n) FROM t").Scan(&all))
	if !slices.Equal(all, ids) {
		t.Errorf("the array of %v is read as %v", ids, all)
	}
}

// nulls stores NULL in each form, and reads it over an old ID.
func nulls[T ~[16]byte](t *testing.T, conn *pgx.Conn, id, old T) {
	t.Helper()
	for n, arg := range []any{(*T)(nil), sql.Null[T]{}, &id, sql.Null[T]{V: id, Valid: true}} {
		check(t, exec(conn, "INSERT INTO t VALUES ($1, $2)", arg, n))
		plain, pointer, null := old, &old, sql.Null[T]{V: old, Valid: true}
		const query = "SELECT id, id, id FROM t WHERE n = $1"
		check(t, conn.QueryRow(ctx, query, n).Scan(&plain, &pointer, &null))
		if isNull := n < 2; isNull {
			if plain != (T{}) || pointer != nil || null != (sql.Null[T]{}) {
				t.Errorf("NULL is read as %v, %v and %v", plain, pointer, null)
			}
		} else if plain != id || *pointer != id || null != (sql.Null[T]{V: id, Valid: true}) {
			t.Errorf("%v is read as %v, %v and %v", id, plain, *pointer, null)
		}
		check(t, exec(conn, "DELETE FROM t"))
	}
}

// TestBytes stores an ID's string as bytes, as a queue brings them. Without Register it becomes another ID.
func TestBytes(t *testing.T) {
	page.Fact(t, pgxPage, "text-bytes-become-another-uuid")
	eachMode(t, func(t *testing.T, s setting) {
		id := someIDs[ulid.AsUUID]()[0]
		for _, text := range [][]byte{[]byte(id.String()), []byte(id.UUIDString())} {
			conn := newTable(t, s, "uuid")
			if err := exec(conn, "INSERT INTO t VALUES ($1, 1)", text); (err == nil) != s.asks() {
				t.Errorf("%s as bytes: %v", text, err)
			}
			check(t, exec(conn, "DELETE FROM t"))
			check(t, copyIDs(conn, [][]byte{text}))
			var stored ulid.AsUUID
			check(t, conn.QueryRow(ctx, "SELECT id FROM t").Scan(&stored))
			if (stored == id) != s.register {
				t.Errorf("CopyFrom of %s as bytes stores %v", text, stored.UUIDString())
			}
		}
	})
}

// TestEvents runs the code of the page, in each mode that a URL can name.
func TestEvents(t *testing.T) {
	for _, mode := range []string{"cache_statement", "cache_describe", "describe_exec", "exec", "simple_protocol"} {
		t.Run(mode, func(t *testing.T) {
			pool, err := NewPool(ctx, db.PostgreSQL.Own(t, "default_query_exec_mode="+mode))
			check(t, err)
			defer pool.Close()
			_, err = pool.Exec(ctx, "CREATE TABLE events (id uuid PRIMARY KEY, name text NOT NULL)")
			check(t, err)
			ids := someIDs[ulid.AsUUID]()
			events := []Event{{ids[0], "signup"}, {ids[1], "login"}, {ids[2], "logout"}}
			check(t, copyEvents(ctx, pool, events))
			got, err := getEvents(ctx, pool, ids[:2])
			if knowsTypes := mode != "exec" && mode != "simple_protocol"; !knowsTypes {
				if err == nil {
					t.Errorf("a list finds %v, want an error", got)
				}
			} else if err != nil || !reflect.DeepEqual(got, events[:2]) {
				t.Errorf("a list finds %v, %v, want %v", got, err, events[:2])
			}
		})
	}
}

// TestDatabaseSQL stores IDs in a uuid through database/sql, which hands them to pgx as they are. It reads what native
// pgx reads, and stores nothing else.
func TestDatabaseSQL(t *testing.T) {
	config, err := pgx.ParseConfig(db.PostgreSQL.Server(t))
	check(t, err)
	pool := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(func(_ context.Context, conn *pgx.Conn) error {
		pgxulid.Register(conn.TypeMap())
		return nil
	}))
	defer pool.Close()
	pool.SetMaxOpenConns(1)
	_, err = pool.Exec("CREATE TEMPORARY TABLE t (id uuid)")
	check(t, err)
	const insert = "INSERT INTO t VALUES ($1) RETURNING id"
	for _, other := range []any{ulid.Make(), TextID(ulid.Make()), PrefixID(ulid.Make()), ulid.AsBinary(ulid.Make())} {
		if _, err := pool.Exec(insert, other); err == nil {
			t.Errorf("a %T is stored in a uuid", other)
		}
	}
	want := ulid.AsUUID(ulid.Make())
	var got ulid.AsUUID
	err = pool.QueryRow(insert, want).Scan(&got)
	if err != nil || got != want {
		t.Errorf("%s comes back as %s, %v", want, got, err)
	}
	var typed UUIDID
	err = pool.QueryRow("SELECT id FROM t").Scan(&typed) // the only row
	if err != nil || ulid.AsUUID(typed) != want {
		t.Errorf("%s comes back as %s, %v", want, typed, err)
	}
	var other ulid.ULID
	if err := pool.QueryRow("SELECT id FROM t").Scan(&other); !errors.Is(err, ulid.ErrDataSize) || !other.IsZero() {
		t.Errorf("a ULID reads a uuid as %s, %v, want an error", other, err)
	}
	var n int
	check(t, pool.QueryRow("SELECT count(*) FROM t").Scan(&n))
	if n != 1 {
		t.Errorf("%d rows are stored, want 1", n)
	}
}

// TestTypes stores IDs in types over uuid, as the documentation of Register says.
func TestTypes(t *testing.T) {
	conn := connect(t, db.PostgreSQL.Own(t, ""), setting{pgx.QueryExecModeCacheStatement, true})
	check(t, exec(conn, "CREATE TYPE pair AS (id uuid, ref uuid)"))
	check(t, exec(conn, "CREATE TYPE uuidrange AS RANGE (SUBTYPE = uuid)"))
	check(t, exec(conn, "CREATE DOMAIN doc_id AS uuid"))
	check(t, exec(conn, "CREATE TABLE t (id doc_id, n integer)"))
	created, err := conn.LoadTypes(ctx, []string{"pair", "uuidrange"})
	check(t, err)
	conn.TypeMap().RegisterTypes(created)

	ids := someIDs[ulid.AsUUID]()
	type pair struct {
		ID  ulid.AsUUID
		Ref *ulid.AsUUID
	}
	roundTrip(t, conn, "$1::pair", pair{ids[0], &ids[1]})
	roundTrip(t, conn, "$1::pair", pair{ids[0], nil})
	roundTrip(t, conn, "$1::uuidrange", pgtype.Range[ulid.AsUUID]{
		Lower: ids[0], Upper: ids[1], LowerType: pgtype.Inclusive, UpperType: pgtype.Exclusive, Valid: true,
	})

	check(t, copyIDs(conn, ids[:1]))
	check(t, exec(conn, "INSERT INTO t VALUES ($1, 1)", ids[1])) // as text, because pgx does not know the domain
	if exec(conn, "INSERT INTO t VALUES ($1, 1)", ulid.ULID(ids[1])) == nil {
		t.Error("a ULID is stored in a domain over uuid")
	}
	domain, err := conn.LoadType(ctx, "doc_id")
	check(t, err)
	conn.TypeMap().RegisterType(domain)
	check(t, exec(conn, "INSERT INTO t VALUES ($1, 2)", ids[2]))
	find(t, conn, ids[:3], "true")
}

func roundTrip[T any](t *testing.T, conn *pgx.Conn, expression string, want T) {
	t.Helper()
	var got T
	err := conn.QueryRow(ctx, "SELECT "+expression, want).Scan(&got)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %+v comes back as %+v, %v", expression, want, got, err)
	}
}

var (
	ctx   = context.Background()
	check = db.Check
)

func connect(t testing.TB, dsn string, s setting) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(dsn)
	check(t, err)
	config.DefaultQueryExecMode = s.mode
	conn, err := pgx.ConnectConfig(ctx, config)
	check(t, err)
	t.Cleanup(func() { conn.Close(ctx) })
	if s.register {
		pgxulid.Register(conn.TypeMap())
	}
	return conn
}

// newTable returns a connection with a temporary table, which goes away with it.
func newTable(t testing.TB, s setting, column string) *pgx.Conn {
	t.Helper()
	conn := connect(t, db.PostgreSQL.Server(t), s)
	check(t, exec(conn, "CREATE TEMPORARY TABLE t (id "+column+" UNIQUE, n integer)"))
	return conn
}

func exec(conn *pgx.Conn, statement string, args ...any) error {
	_, err := conn.Exec(ctx, statement, args...)
	return err
}

func insert[T any](conn *pgx.Conn, ids []T) error {
	var batch pgx.Batch
	for n, id := range ids {
		batch.Queue("INSERT INTO t (id, n) VALUES ($1, $2)", id, n)
	}
	return conn.SendBatch(ctx, &batch).Close()
}

func copyIDs[T any](conn *pgx.Conn, ids []T) error {
	rows := pgx.CopyFromSlice(len(ids), func(i int) ([]any, error) { return []any{ids[i], i}, nil })
	_, err := conn.CopyFrom(ctx, pgx.Identifier{"t"}, []string{"id", "n"}, rows)
	return err
}

// find reads IDs, which must be these.
func find[T comparable](t *testing.T, conn *pgx.Conn, want []T, condition string, args ...any) {
	t.Helper()
	rows, err := conn.Query(ctx, "SELECT id FROM t WHERE "+condition+" ORDER BY n", args...)
	check(t, err)
	got, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%s finds %v, %v, want %v", condition, got, err, want)
	}
}

// holds compares what the table holds with the format of its column, and the order with that of the IDs.
func holds[T ~[16]byte](t *testing.T, conn *pgx.Conn, ids []T) {
	t.Helper()
	var column string
	check(t, conn.QueryRow(ctx, "SELECT pg_typeof(id)::text FROM t LIMIT 1").Scan(&column))
	var want []string
	for _, id := range ids {
		switch column {
		case "uuid":
			want = append(want, ulid.ULID(id).UUIDString())
		case "bytea":
			want = append(want, fmt.Sprintf(`\x%x`, id[:]))
		default:
			want = append(want, textOf(id))
		}
	}
	rows, err := conn.Query(ctx, "SELECT id::text FROM t ORDER BY id")
	check(t, err)
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("the column holds %q, %v, want %q", got, err, want)
	}
}

// textOf returns what columns of text hold.
func textOf[T ~[16]byte](id T) string {
	if id, ok := any(id).(PrefixID); ok {
		return id.String()
	}
	return ulid.ULID(id).String()
}

// someIDs returns IDs in order: of one millisecond, and of others, with bytes that are no UTF-8 and zeros.
func someIDs[T ~[16]byte]() (ids []T) {
	for i := range 5 {
		id := ulid.FirstAt(time.UnixMilli(1709208000000 + int64(i/2)))
		copy(id[6:], bytes.Repeat([]byte{0xff, '"', '\\', ',', 0}, 2))
		id[14] = byte(i)
		ids = append(ids, T(id))
	}
	return ids
}
