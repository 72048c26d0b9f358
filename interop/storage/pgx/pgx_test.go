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
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	gofrs "github.com/gofrs/uuid/v5"
	google "github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/internal/record"
	"github.com/seed-961d0905/ulid/interop/internal/servers"
	"github.com/seed-961d0905/ulid/interop/storage"
	"github.com/seed-961d0905/ulid/pgxulid"
)

type (
	bareID struct{ ulid.ULID }
	uuidID struct{ ulid.AsUUID }
	// typedID has a prefix in text, and that of AsUUID in SQL.
	typedID[K any] struct{ ulid.AsUUID }
	userID         = typedID[struct{ user int }]
)

func (id typedID[K]) String() string               { return "user_" + id.AsUUID.String() }
func (id typedID[K]) MarshalText() ([]byte, error) { return []byte(id.String()), nil }
func (id *typedID[K]) UnmarshalText(text []byte) error {
	return id.AsUUID.UnmarshalText(bytes.TrimPrefix(text, []byte("user_")))
}

// The Value of each of these says something else than their promoted methods.
type (
	prefixedID struct{ ulid.ULID } // has its prefix in SQL too
	optionalID struct{ ulid.AsUUID }
	hiddenID   struct{ ulid.AsUUID }
	validID    struct { // is NULL by a field
		ulid.AsUUID
		Valid bool
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

func (id validID) Value() (driver.Value, error) {
	if !id.Valid {
		return nil, nil
	}
	return id.AsUUID.Value()
}

// A mode is a way to set up a connection.
type mode struct {
	pgx.QueryExecMode
	register bool // by pgxulid
}

var modes = []mode{
	{pgx.QueryExecModeCacheStatement, false},
	{pgx.QueryExecModeExec, false},
	{pgx.QueryExecModeSimpleProtocol, false},
	{pgx.QueryExecModeCacheStatement, true},
	{pgx.QueryExecModeCacheDescribe, true},
	{pgx.QueryExecModeDescribeExec, true},
	{pgx.QueryExecModeExec, true},
	{pgx.QueryExecModeSimpleProtocol, true},
}

// describes says whether pgx asks the server for the types of parameters.
func (m mode) describes() bool {
	return m.QueryExecMode != pgx.QueryExecModeExec && m.QueryExecMode != pgx.QueryExecModeSimpleProtocol
}

const works = "works"

// operations are what perform does.
var operations = []string{"insert, select", "ANY", "CopyFrom", "RowToStruct", "NULL"}

const text, char = `text COLLATE "C"`, `char(26) COLLATE "C"`

// pairs are those of column and type.
var pairs = []struct {
	column, goType string
	documented     bool                   // also without Register
	perform        func(*idTable) []error // by operation
}{
	{"uuid", "ULID", false, perform[ulid.ULID]},
	{"uuid", "AsBinary", false, perform[ulid.AsBinary]},
	{"uuid", "AsUUID", true, perform[ulid.AsUUID]},
	{"uuid", "struct{ ULID }", false, perform[bareID]},
	{"uuid", "struct{ AsUUID }", true, perform[uuidID]},
	{"uuid", "ID[K] struct{ AsUUID }", true, perform[userID]},
	{text, "ULID", true, perform[ulid.ULID]},
	{text, "AsBinary", false, perform[ulid.AsBinary]},
	{text, "AsUUID", false, perform[ulid.AsUUID]},
	{text, "struct{ ULID }", true, perform[bareID]},
	{char, "ULID", true, perform[ulid.ULID]},
	{char, "AsBinary", false, perform[ulid.AsBinary]},
	{char, "AsUUID", false, perform[ulid.AsUUID]},
	{"bytea", "ULID", false, perform[ulid.ULID]},
	{"bytea", "AsBinary", true, perform[ulid.AsBinary]},
	{"bytea", "AsUUID", false, perform[ulid.AsUUID]},
}

// mustWork says what the documentation promises. The other cells may change.
func (m mode) mustWork(documented bool, column, operation string) bool {
	switch {
	case documented:
		// A slice of what pgx does not know is no parameter where it does not ask for types.
		return operation != "ANY" || m.describes() || m.register
	case m.register && column == "uuid":
		return operation == "CopyFrom" || m.describes() // COPY always asks
	}
	return false
}

func TestPgx(t *testing.T) {
	for _, m := range modes {
		for _, p := range pairs {
			name := m.String()
			if m.register {
				name += ", `Register`"
			}
			t.Run(name+"/"+p.column+"/"+p.goType, func(t *testing.T) {
				row := "`" + p.column + "` ← " + p.goType
				if p.documented {
					row = "**" + row + "**"
				}
				var failed []string
				for i, err := range p.perform(newTable(t, m, p.column)) {
					operation := operations[i]
					if err != nil {
						failed = append(failed, operation)
					}
					if errors.As(err, new(storage.Silent)) || err != nil && m.mustWork(p.documented, p.column, operation) {
						t.Errorf("%s: %v, want no error", operation, err)
					}
				}
				cell := works
				switch len(failed) {
				case 0:
				case len(operations):
					cell = "error"
				default:
					cell += ", but an error for " + strings.Join(failed, ", ")
				}
				record.Cell(t, "pgx without database/sql", row, name, cell)
			})
		}
	}
}

// idTable is a table with a column of IDs, and the connection on which it is known.
type idTable struct {
	*pgx.Conn
}

var ctx = context.Background()

func connect(t testing.TB, dsn string, m mode) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	config.DefaultQueryExecMode = m.QueryExecMode
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(ctx) })
	if m.register {
		pgxulid.Register(conn.TypeMap())
	}
	return conn
}

func newTable(t testing.TB, m mode, column string) *idTable {
	t.Helper()
	// A temporary table is seen by this connection only and goes away with it.
	s := &idTable{connect(t, servers.DSN(t, "ULID_POSTGRES"), m)}
	if err := s.exec(`CREATE TEMPORARY TABLE t (id ` + column + ` UNIQUE, n integer NOT NULL)`); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *idTable) exec(statement string, args ...any) error {
	_, err := s.Exec(ctx, statement, args...)
	return err
}

// wantIDs checks that a query returns these IDs in this order.
func wantIDs[T comparable](s *idTable, want []T, query string, args ...any) error {
	rows, err := s.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err == nil && !slices.Equal(got, want) {
		err = storage.Silent(fmt.Sprintf("%d rows, or wrong ones, for %d", len(got), len(want)))
	}
	return err
}

// start is the time of the first ID, and a millisecond that between two of which there are.
var start = time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)

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

// perform does all of the operations, each on an empty table.
func perform[T comparable](s *idTable) (errs []error) {
	now := start
	g := ulid.Generator{
		Entropy: strings.NewReader(strings.Repeat("entropy \xff\x00", 100)),
		Clock:   func() time.Time { return now },
	}
	var ids []T
	for range 100 {
		id, err := g.Make()
		if err != nil {
			panic(err)
		}
		ids = append(ids, as[T](id))
		now = now.Add(time.Millisecond)
	}
	for _, operation := range []func(*idTable, []T) error{selects[T], arrays[T], copyFrom[T], collect[T], null[T]} {
		errs = append(errs, errors.Join(operation(s, ids), s.exec(`TRUNCATE t`)))
	}
	return errs
}

func insert[T comparable](s *idTable, ids []T) error {
	var batch pgx.Batch
	for n, id := range ids {
		batch.Queue(`INSERT INTO t (id, n) VALUES ($1, $2)`, id, n)
	}
	return s.SendBatch(ctx, &batch).Close()
}

func selects[T comparable](s *idTable, ids []T) error {
	if err := insert(s, ids); err != nil {
		return err
	}
	for n, id := range ids {
		var got T
		var gotN int
		err := s.QueryRow(ctx, `SELECT id, n FROM t WHERE id = $1`, id).Scan(&got, &gotN)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return storage.Silent("not found by its key")
		case err != nil:
			return err
		case got != id || gotN != n:
			return storage.Silent("another ID is read")
		}
	}
	first := func(n time.Duration) T { return as[T](ulid.FirstAt(start.Add(n * time.Millisecond))) }
	return wantIDs(s, ids[20:30], `SELECT id FROM t WHERE id >= @from AND id < @to ORDER BY id`,
		pgx.NamedArgs{"from": first(20), "to": first(30)})
}

func arrays[T comparable](s *idTable, ids []T) error {
	if err := insert(s, ids); err != nil {
		return err
	}
	two := ids[40:42]
	pointers := []*T{nil, &two[0], &two[1]}
	nulls := []sql.Null[T]{{}, {V: two[0], Valid: true}, {V: two[1], Valid: true}}
	for _, arg := range []any{two, pointers, nulls} {
		if err := wantIDs(s, two, `SELECT id FROM t WHERE id = ANY($1) ORDER BY id`, arg); err != nil {
			return err
		}
	}
	var got []T
	var gotPointers []*T
	var gotNulls []sql.Null[T]
	err := s.QueryRow(ctx, `SELECT array_agg(id ORDER BY n), array_agg(CASE WHEN n > 39 THEN id END ORDER BY n),
		array_agg(CASE WHEN n > 39 THEN id END ORDER BY n) FROM t WHERE n BETWEEN 39 AND 41`).Scan(&got, &gotPointers, &gotNulls)
	if err == nil && !(slices.Equal(got, ids[39:42]) && reflect.DeepEqual(gotPointers, pointers) && slices.Equal(gotNulls, nulls)) {
		err = storage.Silent("another array is read")
	}
	return err
}

func copyFrom[T comparable](s *idTable, ids []T) error {
	rows := pgx.CopyFromSlice(len(ids), func(i int) ([]any, error) { return []any{ids[i], i}, nil })
	n, err := s.CopyFrom(ctx, pgx.Identifier{"t"}, []string{"id", "n"}, rows)
	if err != nil {
		return err
	}
	if int(n) != len(ids) {
		return storage.Silent("rows are missing")
	}
	return wantIDs(s, ids, `SELECT id FROM t ORDER BY n`)
}

func collect[T comparable](s *idTable, ids []T) error {
	if err := insert(s, ids); err != nil {
		return err
	}
	rows, err := s.Query(ctx, `SELECT n, id, id AS pointer, id AS nullable, NULLIF(id, id) AS nothing FROM t ORDER BY n`)
	if err != nil {
		return err
	}
	type row struct {
		N        int
		ID       T
		Pointer  *T
		Nullable sql.Null[T]
		Nothing  *T
	}
	got, err := pgx.CollectRows(rows, pgx.RowToStructByName[row])
	if err != nil {
		return err
	}
	for n, id := range ids {
		if !reflect.DeepEqual(got[n], row{n, id, &id, sql.Null[T]{V: id, Valid: true}, nil}) {
			return storage.Silent("another row is read")
		}
	}
	return nil
}

func null[T comparable](s *idTable, ids []T) error {
	valid := sql.Null[T]{V: ids[0], Valid: true}
	for arg, want := range map[any]sql.Null[T]{
		&ids[0]: valid, valid: valid, &valid: valid, *new(T): {Valid: true}, (*T)(nil): {}, sql.Null[T]{}: {},
	} {
		if err := s.exec(`TRUNCATE t`); err != nil {
			return err
		}
		if err := s.exec(`INSERT INTO t (id, n) VALUES ($1, 0)`, arg); err != nil {
			return err
		}
		var pointer *T
		var nullable sql.Null[T]
		plain := ids[1] // what the last row left behind
		if err := s.QueryRow(ctx, `SELECT id, id, id FROM t`).Scan(&pointer, &nullable, &plain); err != nil {
			return err
		}
		if (pointer != nil) != want.Valid || pointer != nil && *pointer != want.V || nullable != want || plain != want.V {
			return storage.Silent(fmt.Sprintf("%T: NULL and an ID are mixed up", arg))
		}
	}
	return nil
}

// TestTypes uses IDs in types that a user creates. pgx can take them as parameters where it asks for their types only.
func TestTypes(t *testing.T) {
	for _, m := range modes {
		if !m.register || !m.describes() {
			continue
		}
		t.Run(m.String(), func(t *testing.T) {
			conn := connect(t, servers.Own(t, "ULID_POSTGRES", ""), m)
			for _, statement := range []string{"CREATE TYPE pair AS (id uuid, ref uuid)", "CREATE TYPE uuidrange AS RANGE (SUBTYPE = uuid)"} {
				if _, err := conn.Exec(ctx, statement); err != nil {
					t.Fatal(err)
				}
			}
			types, err := conn.LoadTypes(ctx, []string{"pair", "uuidrange", "_uuidrange"})
			if err != nil {
				t.Fatal(err)
			}
			conn.TypeMap().RegisterTypes(types)
			inTypes[ulid.ULID](t, conn)
			inTypes[bareID](t, conn)
			inTypes[userID](t, conn)
		})
	}
}

func inTypes[T comparable](t *testing.T, conn *pgx.Conn) {
	t.Helper()
	low, high := as[T](ulid.FirstAt(start)), as[T](ulid.LastAt(start))
	type pair struct {
		ID  T
		Ref *T
	}
	between := pgtype.Range[T]{Lower: low, Upper: high, LowerType: pgtype.Inclusive, UpperType: pgtype.Exclusive, Valid: true}
	roundTrip(t, conn, "$1::pair", pair{low, &high})
	roundTrip(t, conn, "$1::pair", pair{low, nil})
	roundTrip(t, conn, "$1::uuidrange", between)
	roundTrip(t, conn, "$1::uuidrange[]", []pgtype.Range[T]{between, between})
	roundTrip(t, conn, "$1::uuid[]", pgtype.Array[*T]{
		Elements: []*T{&low, nil}, Dims: []pgtype.ArrayDimension{{Length: 1, LowerBound: 1}, {Length: 2, LowerBound: 1}}, Valid: true,
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

// TestUntouched compares what pgx makes of a value with and without Register, for all that Register must leave alone.
func TestUntouched(t *testing.T) {
	id := ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")
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
	others := []uint32{pgtype.TextOID, pgtype.VarcharOID, pgtype.BPCharOID, pgtype.ByteaOID, pgtype.TextArrayOID, pgtype.ByteaArrayOID, pgtype.Int4OID, 0}
	for _, value := range []any{
		[16]byte(id), google.UUID(id), gofrs.UUID(id), pgtype.UUID{Bytes: id, Valid: true}, pgtype.UUID{}, id.UUIDString(), id[:],
		id.String(), new(google.UUID), sql.Null[google.UUID]{V: google.UUID(id), Valid: true}, []google.UUID{google.UUID(id)}, nil, 7,
		prefixedID{id}, &prefixedID{id}, []prefixedID{{id}}, optionalID{}, optionalID{ulid.AsUUID(id)}, &optionalID{},
		hiddenID{ulid.AsUUID(id)}, validID{ulid.AsUUID(id), false}, validID{ulid.AsUUID(id), true},
	} {
		compare(value, append(others, pgtype.UUIDOID, pgtype.UUIDArrayOID)...)
	}
	for _, value := range []any{
		id, &id, ulid.AsUUID(id), ulid.AsBinary(id), bareID{id}, userID{ulid.AsUUID(id)}, sql.Null[ulid.ULID]{}, (*ulid.ULID)(nil),
	} {
		compare(value, others...)
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
			for _, got := range []any{&id, &userID{ulid.AsUUID(id)}, &sql.Null[ulid.ULID]{V: id}, &hiddenID{ulid.AsUUID(id)}} {
				want := fmt.Sprintf("%#v", got)
				if err := m.Scan(pgtype.UUIDOID, format, []byte(src), got); err == nil || fmt.Sprintf("%#v", got) != want {
					t.Errorf("%q in format %d: %#v, %v, want an error and %s", src, format, got, err, want)
				}
			}
		}
	}
}
