// Package pgx shows what becomes of a ULID through pgx without database/sql, and what pgxulid.Register adds to that.
package pgx

import (
	"context"
	"database/sql"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/interop/storage"
	"github.com/seed-961d0905/ulid/pgxulid"
)

// Typed IDs, one for each format, and structs that embed an ID.
type (
	textID   = storage.TextID
	userID   = storage.UUIDID
	binaryID = storage.BinaryID

	bareID struct{ ulid.ULID }
	uuidID struct{ ulid.AsUUID }
)

// modes begin with those in which pgx asks the server for the types of parameters.
var modes = []pgx.QueryExecMode{
	pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
	pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
}

// asks reports whether pgx asks the server for the types of parameters.
func asks(mode pgx.QueryExecMode) bool { return slices.Contains(modes[:3], mode) }

// eachMode runs a test in each mode, without Register and with it.
func eachMode(t *testing.T, test func(*testing.T, setting)) {
	for _, register := range []bool{false, true} {
		for _, mode := range modes {
			name := fmt.Sprintf("%v, Register %t", mode, register)
			t.Run(name, func(t *testing.T) { test(t, setting{mode, register}) })
		}
	}
}

// A setting is how a connection is set up.
type setting struct {
	mode     pgx.QueryExecMode
	register bool
}

// TestColumns uses the columns that the page recommends, with the types that it names. Slices as parameters need
// Register where pgx does not ask for types.
func TestColumns(t *testing.T) {
	eachMode(t, func(t *testing.T, s setting) {
		inColumn[ulid.AsUUID](t, s, "uuid")
		inColumn[userID](t, s, "uuid")
		inColumn[uuidID](t, s, "uuid")
		for _, text := range []string{`text COLLATE "C"`, `char(26) COLLATE "C"`} {
			inColumn[ulid.ULID](t, s, text)
			inColumn[textID](t, s, text)
			inColumn[bareID](t, s, text)
		}
		inColumn[ulid.AsBinary](t, s, "bytea")
		inColumn[binaryID](t, s, "bytea")
	})
}

func inColumn[T comparable](t *testing.T, s setting, column string) {
	t.Helper()
	conn := newTable(t, s, column)
	ids := consecutive[T]()
	selects(t, conn, ids)
	nulls(t, conn, ids)
	copies(t, conn, ids)
	if asks(s.mode) || s.register {
		passesSlices(t, conn, ids)
	}
}

// TestWithoutRegister stores a ULID in a uuid, which is an error and not another ID.
func TestWithoutRegister(t *testing.T) {
	page.Contains(t, "pgxulid/README.md", "Without `Register`, a `ulid.ULID` is an error in a `uuid` column")
	for _, mode := range modes {
		conn := newTable(t, setting{mode, false}, "uuid")
		if insert(conn, consecutive[ulid.ULID]()) == nil {
			t.Errorf("in %v a ULID is taken", mode)
		}
	}
}

// TestRegister stores IDs in a uuid that are for columns of text and of bytes. Where pgx does not ask for types, they
// are an error as parameters, but CopyFrom and reading work.
func TestRegister(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			inUUID[ulid.ULID](t, mode)
			inUUID[textID](t, mode)
			inUUID[bareID](t, mode)
			inUUID[ulid.AsBinary](t, mode)
			inUUID[binaryID](t, mode)
		})
	}
}

func inUUID[T comparable](t *testing.T, mode pgx.QueryExecMode) {
	t.Helper()
	registered := setting{mode, true}
	if asks(mode) {
		inColumn[T](t, registered, "uuid")
		return
	}
	conn := newTable(t, registered, "uuid")
	ids := consecutive[T]()
	if insert(conn, ids) == nil {
		t.Errorf("a %T is taken as a parameter, want an error, as the documentation says", ids[0])
	}
	copies(t, conn, ids)
}

var (
	ctx   = context.Background()
	check = db.Check
)

func connect(t testing.TB, dsn string, mode pgx.QueryExecMode, register bool) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(dsn)
	check(t, err)
	config.DefaultQueryExecMode = mode
	conn, err := pgx.ConnectConfig(ctx, config)
	check(t, err)
	t.Cleanup(func() { conn.Close(ctx) })
	if register {
		pgxulid.Register(conn.TypeMap())
	}
	return conn
}

// newTable returns a connection with a temporary table, which goes away with it.
func newTable(t testing.TB, s setting, column string) *pgx.Conn {
	t.Helper()
	conn := connect(t, db.PostgreSQL.Server(t), s.mode, s.register)
	check(t, exec(conn, `CREATE TEMPORARY TABLE t (id `+column+` UNIQUE, n integer)`))
	return conn
}

func exec(conn *pgx.Conn, statement string, args ...any) error {
	_, err := conn.Exec(ctx, statement, args...)
	return err
}

// wantIDs fails the test unless a query returns these IDs in this order.
func wantIDs[T comparable](t *testing.T, conn *pgx.Conn, want []T, query string, args ...any) {
	t.Helper()
	rows, err := conn.Query(ctx, query, args...)
	if err != nil {
		t.Errorf("%s: %v", query, err)
		return
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%s returns %v, %v, want %v", query, got, err, want)
	}
}

// to returns the ID in a type that a program may have for it.
func to[T any](id ulid.ULID) (converted T) {
	if err := any(&converted).(encoding.BinaryUnmarshaler).UnmarshalBinary(id[:]); err != nil {
		panic(err)
	}
	return converted
}

func as[T any](id ulid.ULID) any { return to[T](id) }

// firstAt returns the first ID of a millisecond.
func firstAt[T any](ms int) T { return to[T](ulid.FirstAt(time.UnixMilli(1709208000000 + int64(ms)))) }

// consecutive returns an ID of each of 100 milliseconds.
func consecutive[T any]() (ids []T) {
	for ms := range 100 {
		id := firstAt[ulid.ULID](ms)
		copy(id[6:], "entropy \xff\x00")
		ids = append(ids, to[T](id))
	}
	return ids
}

func insert[T any](conn *pgx.Conn, ids []T) error {
	var batch pgx.Batch
	for n, id := range ids {
		batch.Queue(`INSERT INTO t (id, n) VALUES ($1, $2)`, id, n)
	}
	return conn.SendBatch(ctx, &batch).Close()
}

// holdsFormat compares what the column holds with the table of formats on docs/storage.md, because rows of another
// format are not found through database/sql.
func holdsFormat[T any](t *testing.T, conn *pgx.Conn, ids []T) {
	t.Helper()
	var column string
	check(t, conn.QueryRow(ctx, `SELECT pg_typeof(id)::text FROM t LIMIT 1`).Scan(&column))
	var want []string
	for _, id := range ids {
		bare := ulid.MustParseUUID(any(id).(interface{ UUIDString() string }).UUIDString())
		switch column {
		case "uuid":
			want = append(want, bare.UUIDString())
		case "bytea":
			want = append(want, fmt.Sprintf(`\x%x`, bare.Bytes()))
		default:
			want = append(want, bare.String())
		}
	}
	wantIDs(t, conn, want, `SELECT id::text FROM t ORDER BY n`)
}

func selects[T comparable](t *testing.T, conn *pgx.Conn, ids []T) {
	t.Helper()
	check(t, insert(conn, ids))
	holdsFormat(t, conn, ids)
	for n := 0; n < len(ids); n += 10 {
		var id T
		var gotN int
		err := conn.QueryRow(ctx, `SELECT id, n FROM t WHERE id = $1`, ids[n]).Scan(&id, &gotN)
		if err != nil || id != ids[n] || gotN != n {
			t.Errorf("row %d of %v is read as row %d of %v, %v", n, ids[n], gotN, id, err)
		}
	}
	wantIDs(t, conn, ids[20:30], `SELECT id FROM t WHERE id >= @from AND id < @to ORDER BY id`,
		pgx.NamedArgs{"from": firstAt[T](20), "to": firstAt[T](30)})
	check(t, exec(conn, `DELETE FROM t`))
}

// copies stores IDs by CopyFrom, and reads them, one by one and as arrays.
func copies[T comparable](t *testing.T, conn *pgx.Conn, ids []T) {
	t.Helper()
	rows := pgx.CopyFromSlice(len(ids), func(i int) ([]any, error) { return []any{ids[i], i}, nil })
	_, err := conn.CopyFrom(ctx, pgx.Identifier{"t"}, []string{"id", "n"}, rows)
	check(t, err)
	holdsFormat(t, conn, ids)
	wantIDs(t, conn, ids, `SELECT id FROM t ORDER BY id`)

	var got []T
	var pointers []*T
	var nullable []sql.Null[T]
	const query = `SELECT array_agg(id), array_agg(or_null), array_agg(or_null)
		FROM (SELECT id, CASE WHEN n > 39 THEN id END AS or_null FROM t WHERE n IN (39, 40) ORDER BY n) AS two`
	check(t, conn.QueryRow(ctx, query).Scan(&got, &pointers, &nullable))
	if !slices.Equal(got, ids[39:41]) ||
		!reflect.DeepEqual(pointers, []*T{nil, &ids[40]}) ||
		!slices.Equal(nullable, []sql.Null[T]{{}, {V: ids[40], Valid: true}}) {
		t.Errorf("arrays of %v, and with NULL, are read as %v, %v, %v", ids[39:41], got, pointers, nullable)
	}
	check(t, exec(conn, `DELETE FROM t`))
}

func passesSlices[T comparable](t *testing.T, conn *pgx.Conn, ids []T) {
	t.Helper()
	check(t, insert(conn, ids))
	two := ids[40:42]
	for _, slice := range []any{
		two,
		[]*T{nil, &two[0], &two[1]},
		[]sql.Null[T]{{}, {V: two[0], Valid: true}, {V: two[1], Valid: true}},
	} {
		wantIDs(t, conn, two, `SELECT id FROM t WHERE id = ANY($1) ORDER BY id`, slice)
	}
	check(t, exec(conn, `DELETE FROM t`))
}

// nulls stores what may be NULL and reads it in every form.
func nulls[T comparable](t *testing.T, conn *pgx.Conn, ids []T) {
	t.Helper()
	type row struct {
		N        int
		Plain    T
		Pointer  *T
		Nullable sql.Null[T]
	}
	holds := func(n int) row { return row{n, ids[n], &ids[n], sql.Null[T]{V: ids[n], Valid: true}} }
	pointer, null := &ids[2], sql.Null[T]{V: ids[4], Valid: true}
	var zero T
	var want []row
	for n, test := range []struct {
		arg  any
		want row
	}{
		{ids[0], holds(0)},
		{&ids[1], holds(1)},
		{&pointer, holds(2)},
		{sql.Null[T]{V: ids[3], Valid: true}, holds(3)},
		{&null, holds(4)},
		{zero, row{N: 5, Pointer: &zero, Nullable: sql.Null[T]{Valid: true}}},
		{(*T)(nil), row{N: 6}},
		{sql.Null[T]{}, row{N: 7}},
	} {
		check(t, exec(conn, `INSERT INTO t (id, n) VALUES ($1, $2)`, test.arg, n))
		want = append(want, test.want)
	}
	rows, err := conn.Query(ctx, `SELECT n, id AS plain, id AS pointer, id AS nullable FROM t ORDER BY n`)
	check(t, err)
	got, err := pgx.CollectRows(rows, pgx.RowToStructByName[row])
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("IDs and NULL are read as %+v, %v, want %+v", got, err, want)
	}
	old := ids[0]
	err = conn.QueryRow(ctx, `SELECT id FROM t WHERE n = 6`).Scan(&old)
	if err != nil || old != zero {
		t.Errorf("NULL is read over an old ID as %v, %v, want the zero ID", old, err)
	}
	check(t, exec(conn, `DELETE FROM t`))
}

// TestTypes uses IDs in types that a user creates. pgx takes them as parameters only where it asks for their types.
func TestTypes(t *testing.T) {
	for _, mode := range modes[:3] {
		t.Run(mode.String(), func(t *testing.T) {
			conn := connect(t, db.PostgreSQL.Own(t, ""), mode, true)
			_, err := conn.Exec(ctx, "CREATE TYPE pair AS (id uuid, ref uuid); CREATE TYPE uuidrange AS RANGE (SUBTYPE = uuid)",
				pgx.QueryExecModeSimpleProtocol)
			check(t, err)
			created, err := conn.LoadTypes(ctx, []string{"pair", "uuidrange", "_uuidrange"})
			check(t, err)
			conn.TypeMap().RegisterTypes(created)
			inTypes[ulid.ULID](t, conn)
			inTypes[bareID](t, conn)
			inTypes[userID](t, conn)
		})
	}
}

func inTypes[T comparable](t *testing.T, conn *pgx.Conn) {
	t.Helper()
	low, high := firstAt[T](0), firstAt[T](1)
	type pair struct {
		ID  T
		Ref *T
	}
	between := pgtype.Range[T]{
		Lower: low, Upper: high, LowerType: pgtype.Inclusive, UpperType: pgtype.Exclusive, Valid: true,
	}
	roundTrip(t, conn, "$1::pair", pair{low, &high})
	roundTrip(t, conn, "$1::pair", pair{low, nil})
	roundTrip(t, conn, "$1::uuidrange", between)
	roundTrip(t, conn, "$1::uuidrange[]", []pgtype.Range[T]{between, between})
	roundTrip(t, conn, "$1::uuid[]", pgtype.Array[*T]{
		Elements: []*T{&low, nil}, Valid: true,
		Dims: []pgtype.ArrayDimension{{Length: 1, LowerBound: 1}, {Length: 2, LowerBound: 1}},
	})
	roundTrip(t, conn, "$1::uuid[]", pgtype.FlatArray[T]{low, high})
}

func roundTrip[T any](t *testing.T, conn *pgx.Conn, expression string, want T) {
	t.Helper()
	var got T
	err := conn.QueryRow(ctx, "SELECT "+expression, want).Scan(&got)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %+v comes back as %+v, %v", expression, want, got, err)
	}
}

// TestDatabaseSQL stores a ULID in a uuid through database/sql, which hands it to pgx as it is.
func TestDatabaseSQL(t *testing.T) {
	config, err := pgx.ParseConfig(db.PostgreSQL.Server(t))
	check(t, err)
	pool := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(func(_ context.Context, conn *pgx.Conn) error {
		pgxulid.Register(conn.TypeMap())
		return nil
	}))
	defer pool.Close()
	want := firstAt[ulid.ULID](0)
	var got ulid.ULID
	if err := pool.QueryRow("SELECT $1::uuid", want).Scan(&got); err != nil || got != want {
		t.Errorf("%s comes back as %s, %v", want, got, err)
	}
}

// TestDomain stores IDs in a domain over uuid. pgx takes it for a uuid in CopyFrom, and for a text in INSERT.
func TestDomain(t *testing.T) {
	conn := connect(t, db.PostgreSQL.Own(t, ""), pgx.QueryExecModeCacheStatement, true)
	check(t, exec(conn, "CREATE DOMAIN doc_id AS uuid"))
	check(t, exec(conn, "CREATE TABLE t (id doc_id, n integer)"))
	ids := []ulid.ULID{firstAt[ulid.ULID](0), firstAt[ulid.ULID](1), firstAt[ulid.ULID](2)}
	_, err := conn.CopyFrom(ctx, pgx.Identifier{"t"}, []string{"id", "n"}, pgx.CopyFromRows([][]any{{ids[0], 0}}))
	check(t, err)
	err = exec(conn, "INSERT INTO t VALUES ($1, 1)", ids[1])
	if e := new(pgconn.PgError); !errors.As(err, &e) || e.Code != "22P02" {
		t.Errorf("an INSERT without the domain's type: %v, want SQLSTATE 22P02, as the documentation says", err)
	}
	check(t, exec(conn, "INSERT INTO t VALUES ($1::uuid, 1)", ids[1]))
	domain, err := conn.LoadType(ctx, "doc_id")
	check(t, err)
	conn.TypeMap().RegisterType(domain)
	check(t, exec(conn, "INSERT INTO t VALUES ($1, 2)", ids[2]))
	wantIDs(t, conn, ids, "SELECT id FROM t ORDER BY n")
}
