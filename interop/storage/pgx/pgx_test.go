// Package pgx shows what becomes of a ULID through pgx without database/sql, and what pgxulid.Register adds to that.
package pgx

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	gofrs "github.com/gofrs/uuid/v5"
	google "github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/internal/record"
	"github.com/seed-961d0905/ulid/interop/recipes/prefixed"
	"github.com/seed-961d0905/ulid/interop/storage"
	"github.com/seed-961d0905/ulid/pgxulid"
)

type (
	bareID struct{ ulid.ULID }
	uuidID struct{ ulid.AsUUID }
	userID = prefixed.UserID
)

// What each of these stores or reads is not what the promoted methods say.
type (
	prefixedID struct{ ulid.ULID } // has its prefix in SQL too
	optionalID struct{ ulid.AsUUID }
	hiddenID   struct{ ulid.AsUUID }
	goneID     struct { // is NULL because of a field
		ulid.AsUUID
		Gone bool
	}
	lastID    struct{ ulid.AsUUID } // is NULL if it is the last ID
	cipherID  struct{ ulid.AsUUID } // is encrypted with key
	panicID   struct{ ulid.AsUUID } // panics if it is zero
	digitsID  struct{ ulid.AsUUID } // has no hyphens
	bytesID   struct{ ulid.AsUUID }
	failingID struct{ ulid.AsUUID }
	checkedID struct{ ulid.AsUUID } // cannot be read if it is zero or NULL
	pgxID     struct{ ulid.AsUUID } // has methods for pgx, which store NULL and read nothing
	linkedID  struct {              // has a pointer for the ID
		*ulid.AsUUID
		next *int
	}
	likeNull struct { // has the first field of sql.Null
		V ulid.ULID
		driver.Valuer
	}
)

func (id prefixedID) Value() (driver.Value, error) { return "user_" + id.String(), nil }

func (id optionalID) Value() (driver.Value, error) {
	if id.IsZero() {
		return nil, nil
	}
	return id.AsUUID.Value()
}

func (id hiddenID) Value() (driver.Value, error) {
	slices.Reverse(id.AsUUID[:])
	return id.AsUUID.Value()
}

func (id lastID) Value() (driver.Value, error) {
	if _, more := ulid.ULID(id.AsUUID).Next(); !more {
		return nil, nil
	}
	return id.AsUUID.Value()
}

var key byte

func (id cipherID) Value() (driver.Value, error) {
	for i := range id.AsUUID {
		id.AsUUID[i] ^= key
	}
	return id.AsUUID.Value()
}

func (id panicID) Value() (driver.Value, error) {
	if id.IsZero() {
		panic("a zero panicID")
	}
	return id.AsUUID.Value()
}

func (id digitsID) Value() (driver.Value, error)  { return fmt.Sprintf("%x", id.Bytes()), nil }
func (id bytesID) Value() (driver.Value, error)   { return id.Bytes(), nil }
func (id failingID) Value() (driver.Value, error) { return nil, errors.New("a failingID has no value") }

func (id *checkedID) Scan(src any) error {
	if src == nil || src == ulid.AsUUID.UUIDString(ulid.AsUUID{}) {
		return errors.New("a checkedID cannot be zero or NULL")
	}
	return id.AsUUID.Scan(src)
}

func (id pgxID) UUIDValue() (pgtype.UUID, error) { return pgtype.UUID{}, nil }
func (id *pgxID) ScanUUID(pgtype.UUID) error     { return nil }

func (id goneID) Value() (driver.Value, error) {
	if id.Gone {
		return nil, nil
	}
	return id.AsUUID.Value()
}

// types are those of the IDs, with the columns that the documentation names for them.
var types = []struct {
	name, columns string
	perform       func(*pgx.Conn) []error // by operation
}{
	{"ULID", "text char", perform[ulid.ULID]},
	{"AsUUID", "uuid", perform[ulid.AsUUID]},
	{"AsBinary", "bytea", perform[ulid.AsBinary]},
	{"struct{ ULID }", "text char", perform[bareID]},
	{"struct{ AsUUID }", "uuid", perform[uuidID]},
	{"ID[K] struct{ AsUUID }", "uuid", perform[userID]},
}

// operations are what perform does.
var operations = []string{"insert, select", "ANY", "CopyFrom", "NULL"}

// modes begin with those in which pgx asks the server for the types of parameters.
var modes = []pgx.QueryExecMode{
	pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
	pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
}

func TestPgx(t *testing.T) {
	for _, column := range []string{"uuid", `text COLLATE "C"`, `char(26) COLLATE "C"`, "bytea"} {
		for _, p := range types {
			row := "`" + column + "` ← " + p.name
			name, _, _ := strings.Cut(strings.ReplaceAll(column, "(", " "), " ")
			documented := strings.Contains(p.columns, name)
			if documented {
				row = "**" + row + "**"
			}
			for _, register := range []bool{false, true} {
				table := map[bool]string{false: "pgx", true: "pgx, after pgxulid.Register"}[register]
				for n, mode := range modes {
					asks := n < 3
					mustWork := func(operation string) bool { // as the documentation says; the other cells may change
						if documented {
							return asks || register || operation != "ANY"
						}
						return register && column == "uuid" && (asks || operation == "CopyFrom")
					}
					modeName := strings.ReplaceAll(mode.String(), " ", "_")
					t.Run(table+"/"+row+"/"+modeName, func(t *testing.T) {
						var failed []string
						for i, err := range p.perform(newTable(t, mode, register, column+" UNIQUE")) {
							if err != nil {
								failed = append(failed, operations[i])
							}
							if errors.As(err, new(storage.Silent)) || err != nil && mustWork(operations[i]) {
								t.Errorf("%s: %v, want no error", operations[i], err)
							}
						}
						if typed := strings.Contains(p.name, "["); typed && documented && !asks && !register && !slices.Contains(failed, "ANY") {
							t.Error("a slice of typed IDs is no error, and docs/types.md says that it is one")
						}
						record.Cell(t, table, row, modeName, cell(failed))
					})
				}
			}
		}
	}
}

// cell says what stands in the matrix when these operations failed.
func cell(failed []string) string {
	switch len(failed) {
	case 0:
		return "works"
	case len(operations):
		return "error"
	}
	return "error: " + strings.Join(failed, ", ")
}

var ctx = context.Background()

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
func newTable(t testing.TB, mode pgx.QueryExecMode, register bool, column string) *pgx.Conn {
	t.Helper()
	conn := connect(t, db.DSN(t, "ULID_POSTGRES"), mode, register)
	check(t, exec(conn, `CREATE TEMPORARY TABLE t (id `+column+`, n integer)`))
	return conn
}

func exec(conn *pgx.Conn, statement string, args ...any) error {
	_, err := conn.Exec(ctx, statement, args...)
	return err
}

// wantIDs checks that a query returns these IDs in this order.
func wantIDs[T comparable](conn *pgx.Conn, want []T, query string, args ...any) error {
	rows, err := conn.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err == nil && !slices.Equal(got, want) {
		err = storage.Silent(fmt.Sprintf("%d rows, or wrong ones, for %d", len(got), len(want)))
	}
	return err
}

// as returns the ID in a type that a program may have for it.
func as[T any](id ulid.ULID) (to T) {
	switch to := any(&to).(type) {
	case *[16]byte:
		*to = id
	case encoding.BinaryUnmarshaler:
		if err := to.UnmarshalBinary(id[:]); err != nil {
			panic(err)
		}
	}
	return to
}

// firstAt returns the first ID of a millisecond.
func firstAt[T any](ms int) T { return as[T](ulid.FirstAt(time.UnixMilli(1709208000000 + int64(ms)))) }

// perform does all of the operations, each on an empty table, with IDs of consecutive milliseconds.
func perform[T comparable](conn *pgx.Conn) (errs []error) {
	var ids []T
	for ms := range 100 {
		id := firstAt[ulid.ULID](ms)
		copy(id[6:], "entropy \xff\x00")
		ids = append(ids, as[T](id))
	}
	for _, operation := range []func(*pgx.Conn, []T) error{selects[T], arrays[T], copyFrom[T], nulls[T]} {
		errs = append(errs, errors.Join(operation(conn, ids), exec(conn, `DELETE FROM t`)))
	}
	return errs
}

func insert[T comparable](conn *pgx.Conn, ids []T) error {
	var batch pgx.Batch
	for n, id := range ids {
		batch.Queue(`INSERT INTO t (id, n) VALUES ($1, $2)`, id, n)
	}
	return conn.SendBatch(ctx, &batch).Close()
}

func selects[T comparable](conn *pgx.Conn, ids []T) error {
	if err := insert(conn, ids); err != nil {
		return err
	}
	for n := 0; n < len(ids); n += 10 {
		id := ids[n]
		var got T
		var gotN int
		err := conn.QueryRow(ctx, `SELECT id, n FROM t WHERE id = $1`, id).Scan(&got, &gotN)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && (got != id || gotN != n) {
			return storage.Silent("not found by its key, or another ID is read")
		} else if err != nil {
			return err
		}
	}
	return wantIDs(conn, ids[20:30], `SELECT id FROM t WHERE id >= @from AND id < @to ORDER BY id`,
		pgx.NamedArgs{"from": firstAt[T](20), "to": firstAt[T](30)})
}

func arrays[T comparable](conn *pgx.Conn, ids []T) error {
	if err := insert(conn, ids); err != nil {
		return err
	}
	two := ids[40:42]
	pointers := []*T{nil, &two[0], &two[1]}
	nulls := []sql.Null[T]{{}, {V: two[0], Valid: true}, {V: two[1], Valid: true}}
	for _, arg := range []any{two, pointers, nulls} {
		if err := wantIDs(conn, two, `SELECT id FROM t WHERE id = ANY($1) ORDER BY id`, arg); err != nil {
			return err
		}
	}
	var got []T
	var gotPointers []*T
	var gotNulls []sql.Null[T]
	err := conn.QueryRow(ctx, `SELECT array_agg(id), array_agg(nullif(id, $1)), array_agg(nullif(id, $1))
		FROM (SELECT id FROM t WHERE n BETWEEN 39 AND 41 ORDER BY n) AS three`, ids[39]).Scan(&got, &gotPointers, &gotNulls)
	if err == nil && !(slices.Equal(got, ids[39:42]) && reflect.DeepEqual(gotPointers, pointers) &&
		slices.Equal(gotNulls, nulls)) {
		err = storage.Silent("another array is read")
	}
	return err
}

func copyFrom[T comparable](conn *pgx.Conn, ids []T) error {
	rows := pgx.CopyFromSlice(len(ids), func(i int) ([]any, error) { return []any{ids[i], i}, nil })
	if _, err := conn.CopyFrom(ctx, pgx.Identifier{"t"}, []string{"id", "n"}, rows); err != nil {
		return err
	}
	return wantIDs(conn, ids, `SELECT id FROM t ORDER BY n`)
}

// nulls stores what may be NULL and reads it in every form.
func nulls[T comparable](conn *pgx.Conn, ids []T) error {
	type row struct {
		N        int
		Plain    T
		Pointer  *T
		Nullable sql.Null[T]
	}
	pointer, null, zero := &ids[2], sql.Null[T]{V: ids[4], Valid: true}, *new(T)
	args := []any{ids[0], &ids[1], &pointer, sql.Null[T]{V: ids[3], Valid: true}, &null, zero, (*T)(nil), sql.Null[T]{}}
	var want []row
	for n, arg := range args {
		if err := exec(conn, `INSERT INTO t (id, n) VALUES ($1, $2)`, arg, n); err != nil {
			return err
		}
		want = append(want, row{n, ids[n], &ids[n], sql.Null[T]{V: ids[n], Valid: true}})
	}
	want[5] = row{5, zero, &zero, sql.Null[T]{Valid: true}}
	want[6], want[7] = row{N: 6}, row{N: 7}
	rows, err := conn.Query(ctx, `SELECT n, id AS plain, id AS pointer, id AS nullable FROM t ORDER BY n`)
	if err != nil {
		return err
	}
	got, err := pgx.CollectRows(rows, pgx.RowToStructByName[row])
	if err == nil && !reflect.DeepEqual(got, want) {
		err = storage.Silent("other rows are read")
	}
	old := ids[0]
	if err := conn.QueryRow(ctx, `SELECT id FROM t WHERE n = 6`).Scan(&old); err == nil && old != zero {
		return storage.Silent("NULL leaves the old ID")
	}
	return err
}

// TestTypes uses IDs in types that a user creates. pgx can take them as parameters where it asks for their types only.
func TestTypes(t *testing.T) {
	for _, mode := range modes[:3] {
		t.Run(mode.String(), func(t *testing.T) {
			conn := connect(t, db.Own(t, "ULID_POSTGRES", ""), mode, true)
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
	for _, mode := range modes[3:] {
		conn := connect(t, db.DSN(t, "ULID_POSTGRES"), mode, true)
		for _, arg := range []any{pgtype.Range[ulid.AsUUID]{}, struct{ ID ulid.AsUUID }{}} {
			if err := exec(conn, "SELECT $1::text", arg); err == nil {
				t.Errorf("%s takes a %T", mode, arg)
			}
		}
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
	config, err := pgx.ParseConfig(db.DSN(t, "ULID_POSTGRES"))
	check(t, err)
	db := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(func(_ context.Context, conn *pgx.Conn) error {
		pgxulid.Register(conn.TypeMap())
		return nil
	}))
	defer db.Close()
	want := firstAt[ulid.ULID](0)
	var got ulid.ULID
	if err := db.QueryRow("SELECT $1::uuid", want).Scan(&got); err != nil || got != want {
		t.Errorf("%s comes back as %s, %v", want, got, err)
	}
}

// TestUntouched compares what pgx makes of a value with and without Register, for all that Register must leave alone.
func TestUntouched(t *testing.T) {
	id := ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")
	last := ulid.AsUUID(ulid.LastAt(ulid.Time(ulid.MaxTime())))
	registered, plain := pgtype.NewMap(), pgtype.NewMap()
	pgxulid.Register(registered)
	compare := func(value any, oids ...uint32) {
		for _, oid := range oids {
			for _, format := range []int16{pgtype.TextFormatCode, pgtype.BinaryFormatCode} {
				want, wantErr := plain.Encode(oid, format, value, []byte{})
				got, err := registered.Encode(oid, format, value, []byte{})
				if !bytes.Equal(got, want) || (got == nil) != (want == nil) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Errorf("%T as OID %d, format %d: %q, %v, want %q, %v", value, oid, format, got, err, want, wantErr)
				}
			}
		}
	}
	others := []uint32{pgtype.TextOID, pgtype.VarcharOID, pgtype.BPCharOID, pgtype.ByteaOID,
		pgtype.TextArrayOID, pgtype.ByteaArrayOID, pgtype.Int4OID, 0}
	for _, value := range []any{
		[16]byte(id), id[:], id.String(), id.UUIDString(), nil, 7, pgtype.UUID{Bytes: id, Valid: true}, pgtype.UUID{},
		google.UUID(id), new(google.UUID), []google.UUID{{}}, sql.Null[google.UUID]{Valid: true}, gofrs.UUID(id),
		sql.Null[string]{V: id.String(), Valid: true}, []sql.IsolationLevel{0}, likeNull{id, id},
		prefixedID{id}, &prefixedID{id}, optionalID{}, optionalID{ulid.AsUUID(id)}, &optionalID{}, hiddenID{ulid.AsUUID(id)},
		goneID{ulid.AsUUID(id), true}, goneID{ulid.AsUUID(id), false}, pgxID{ulid.AsUUID(id)},
		linkedID{(*ulid.AsUUID)(&id), nil}, lastID{ulid.AsUUID(id)}, lastID{last}, &lastID{last}, sql.Null[lastID]{},
		sql.Null[lastID]{V: lastID{last}, Valid: true}, sql.Null[hiddenID]{V: hiddenID{last}, Valid: true},
		digitsID{ulid.AsUUID(id)}, failingID{}, panicID{ulid.AsUUID(id)}, cipherID{ulid.AsUUID(id)},
	} {
		compare(value, append(others, pgtype.UUIDOID, pgtype.UUIDArrayOID)...)
	}
	for _, value := range []any{
		id, &id, ulid.AsUUID(id), ulid.AsBinary(id), bareID{id}, userID{AsUUID: ulid.AsUUID(id)}, sql.Null[ulid.ULID]{V: id, Valid: true},
		sql.Null[ulid.ULID]{}, (*ulid.ULID)(nil),
	} {
		compare(value, others...)
	}
	compare(bytesID{ulid.AsUUID(id)}, others...)
	compare([]prefixedID{{id}}, append(others[:len(others)-1], pgtype.UUIDOID, pgtype.UUIDArrayOID)...)
	key = 0x55 // after the first cipherID
	compare(cipherID{ulid.AsUUID(id)}, pgtype.UUIDOID, pgtype.UUIDArrayOID)
}

// TestOwnValue encodes IDs whose Value returns something else than the text of a UUID.
func TestOwnValue(t *testing.T) {
	id := ulid.Make()
	m := pgtype.NewMap()
	pgxulid.Register(m)
	null := (*ulid.ULID)(nil)
	for _, value := range []any{
		bytesID{ulid.AsUUID(id)}, &bytesID{ulid.AsUUID(id)}, bareID{id}, struct{ ulid.AsBinary }{ulid.AsBinary(id)}, &null,
	} {
		for format, want := range map[int16][]byte{
			pgtype.TextFormatCode: []byte(id.UUIDString()), pgtype.BinaryFormatCode: id.Bytes(),
		} {
			if value == &null {
				want = nil
			}
			got, err := m.Encode(pgtype.UUIDOID, format, value, []byte{})
			if err != nil || !bytes.Equal(got, want) || (got == nil) != (want == nil) {
				t.Errorf("%T in format %d: %q, %v, want %q", value, format, got, err, want)
			}
		}
	}
	// The OID is 0 in the modes exec and simple_protocol.
	p := (*ulid.AsUUID)(&id)
	got, err := m.Encode(0, pgtype.TextFormatCode, []**ulid.AsUUID{&p}, []byte{})
	if want := "{" + id.UUIDString() + "}"; err != nil || string(got) != want {
		t.Errorf("a slice of pointers to pointers: %q, %v, want %q", got, err, want)
	}
}

// TestOwnScan reads IDs that a type refuses, or that another codec of uuid makes, with and without Register.
func TestOwnScan(t *testing.T) {
	registered, plain := pgtype.NewMap(), pgtype.NewMap()
	for _, m := range []*pgtype.Map{registered, plain} {
		m.RegisterType(&pgtype.Type{Name: "uuid", OID: pgtype.UUIDOID, Codec: googleCodec{}})
	}
	pgxulid.Register(registered)
	for _, id := range []ulid.ULID{{}, ulid.Make()} {
		for _, src := range [][]byte{[]byte(id.UUIDString()), id.Bytes(), nil} {
			format := int16(pgtype.BinaryFormatCode)
			if len(src) == 36 {
				format = pgtype.TextFormatCode
			}
			for _, target := range []reflect.Type{
				reflect.TypeFor[checkedID](), reflect.TypeFor[*checkedID](), reflect.TypeFor[sql.Null[checkedID]](),
				reflect.TypeFor[userID](), reflect.TypeFor[pgxID](), reflect.TypeFor[any](), // the other codec's type
			} {
				scan := func(m *pgtype.Map) (any, error) {
					got := reflect.New(target)
					err := m.Scan(pgtype.UUIDOID, format, src, got.Interface())
					return got.Elem().Interface(), err
				}
				got, err := scan(registered)
				want, wantErr := scan(plain)
				if !reflect.DeepEqual(got, want) || (err == nil) != (wantErr == nil) {
					t.Errorf("%v from %q: %#v, %v, want %#v, %v", target, src, got, err, want, wantErr)
				}
			}
		}
	}
}

// googleCodec makes UUIDs of another package, as such packages do for pgx.
type googleCodec struct{ pgtype.UUIDCodec }

func (c googleCodec) DecodeValue(m *pgtype.Map, oid uint32, format int16, src []byte) (any, error) {
	value, err := c.UUIDCodec.DecodeValue(m, oid, format, src)
	if bytes, ok := value.([16]byte); ok {
		return google.UUID(bytes), err
	}
	return value, err
}

// TestDomain stores IDs in a domain over uuid. pgx takes it for a uuid in CopyFrom, and for a text in INSERT.
func TestDomain(t *testing.T) {
	conn := connect(t, db.Own(t, "ULID_POSTGRES", ""), pgx.QueryExecModeCacheStatement, true)
	if err := exec(conn, "CREATE DOMAIN doc_id AS uuid"); err != nil {
		t.Fatal(err)
	}
	if err := exec(conn, "CREATE TABLE t (id doc_id, n integer)"); err != nil {
		t.Fatal(err)
	}
	ids := []ulid.ULID{firstAt[ulid.ULID](0), firstAt[ulid.ULID](1), firstAt[ulid.ULID](2)}
	if err := copyFrom(conn, ids[:1]); err != nil {
		t.Error(err)
	}
	err := exec(conn, "INSERT INTO t VALUES ($1, 1)", ids[1])
	if e := new(pgconn.PgError); !errors.As(err, &e) || e.Code != "22P02" {
		t.Errorf("an INSERT without the domain's type: %v, want SQLSTATE 22P02, as the documentation says", err)
	}
	if err := exec(conn, "INSERT INTO t VALUES ($1::uuid, 1)", ids[1]); err != nil {
		t.Error(err)
	}
	domain, err := conn.LoadType(ctx, "doc_id")
	if err != nil {
		t.Fatal(err)
	}
	conn.TypeMap().RegisterType(domain)
	if err := exec(conn, "INSERT INTO t VALUES ($1, 2)", ids[2]); err != nil {
		t.Error(err)
	}
	if err := wantIDs(conn, ids, "SELECT id FROM t ORDER BY n"); err != nil {
		t.Error(err)
	}
}

// TestBadValue scans what a server should not send. The destination stays as it was.
func TestBadValue(t *testing.T) {
	m := pgtype.NewMap()
	pgxulid.Register(m)
	for format, bad := range map[int16][]string{
		pgtype.BinaryFormatCode: {"", "0123456789abcde", "0123456789abcdefg", "01563df3-6481-d676-4c61-efb99302bd5b"},
		pgtype.TextFormatCode:   {"", "0123456789abcdef", "01ARYZ6S41TSV4RRFFQ69G5FAV", "01563df3-6481-d676-4c61-efb99302bd5g"},
	} {
		for _, src := range bad {
			id := ulid.Make()
			for _, got := range []any{&id, &userID{AsUUID: ulid.AsUUID(id)}, &sql.Null[ulid.ULID]{V: id}, &hiddenID{ulid.AsUUID(id)}} {
				want := fmt.Sprintf("%#v", got)
				if err := m.Scan(pgtype.UUIDOID, format, []byte(src), got); err == nil || fmt.Sprintf("%#v", got) != want {
					t.Errorf("%q in format %d: %#v, %v, want an error and %s", src, format, got, err, want)
				}
			}
		}
	}
}

// BenchmarkBulk copies 200,000 rows into a table and reads them, with each type in a random order. It reports the best
// time of a type as a multiple of that of a [16]byte. Use -benchtime 20x.
func BenchmarkBulk(b *testing.B) {
	plain := newTable(b, pgx.QueryExecModeCacheStatement, false, "uuid")
	registered := newTable(b, pgx.QueryExecModeCacheStatement, true, "uuid")
	ids := make([]ulid.ULID, 200_000)
	ulid.Fill(ids)
	forms := []struct {
		name string
		conn *pgx.Conn
		run  func(*testing.B, *pgx.Conn, []ulid.ULID) (copied, read time.Duration)
	}{
		{"[16]byte", registered, bulk[[16]byte]},
		{"AsUUID-unregistered", plain, bulk[ulid.AsUUID]},
		{"AsUUID", registered, bulk[ulid.AsUUID]},
		{"ULID", registered, bulk[ulid.ULID]},
		{"ID[K]", registered, bulk[userID]},
	}
	copied, read := make([]time.Duration, len(forms)), make([]time.Duration, len(forms))
	for i := range forms {
		copied[i], read[i] = time.Hour, time.Hour
	}
	for b.Loop() {
		for _, i := range rand.Perm(len(forms)) {
			c, r := forms[i].run(b, forms[i].conn, ids)
			copied[i], read[i] = min(copied[i], c), min(read[i], r)
		}
	}
	for i, form := range forms {
		b.Logf("%s: copied in %d ms, read in %d ms", form.name, copied[i].Milliseconds(), read[i].Milliseconds())
		b.ReportMetric(copied[i].Seconds()/copied[0].Seconds(), form.name+"-copy")
		b.ReportMetric(read[i].Seconds()/read[0].Seconds(), form.name+"-read")
	}
}

func bulk[T any](b *testing.B, conn *pgx.Conn, from []ulid.ULID) (copied, read time.Duration) {
	ids := make([]T, len(from))
	for i, id := range from {
		ids[i] = as[T](id)
	}
	runtime.GC()
	begin := time.Now()
	rows := pgx.CopyFromSlice(len(ids), func(i int) ([]any, error) { return []any{ids[i]}, nil })
	if _, err := conn.CopyFrom(ctx, pgx.Identifier{"t"}, []string{"id"}, rows); err != nil {
		b.Fatal(err)
	}
	copied = time.Since(begin)
	runtime.GC()
	begin = time.Now()
	all, _ := conn.Query(ctx, "SELECT id FROM t")
	var id T
	if _, err := pgx.ForEachRow(all, []any{&id}, func() error { return nil }); err != nil {
		b.Fatal(err)
	}
	read = time.Since(begin)
	if err := exec(conn, "TRUNCATE t"); err != nil {
		b.Fatal(err)
	}
	return copied, read
}

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
