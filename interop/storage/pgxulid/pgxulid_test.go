// These tests show what becomes of a ULID through pgx without database/sql, and what Register adds to that.
package pgxulid_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/internal/record"
	"github.com/seed-961d0905/ulid/interop/internal/servers"
	"github.com/seed-961d0905/ulid/interop/storage"
	"github.com/seed-961d0905/ulid/interop/storage/pgxulid"
)

// A mode is a way to set up a connection.
type mode struct {
	name     string
	mode     pgx.QueryExecMode
	register bool // by pgxulid
}

var modes = []mode{
	{"default", pgx.QueryExecModeCacheStatement, false},
	{"exec", pgx.QueryExecModeExec, false},
	{"simple_protocol", pgx.QueryExecModeSimpleProtocol, false},
	{"default, after pgxulid.Register", pgx.QueryExecModeCacheStatement, true},
	{"cache_describe, after pgxulid.Register", pgx.QueryExecModeCacheDescribe, true},
	{"describe_exec, after pgxulid.Register", pgx.QueryExecModeDescribeExec, true},
	{"exec, after pgxulid.Register", pgx.QueryExecModeExec, true},
	{"simple_protocol, after pgxulid.Register", pgx.QueryExecModeSimpleProtocol, true},
}

// describes says whether pgx asks the server for the types of parameters.
func (m mode) describes() bool {
	return m.mode != pgx.QueryExecModeExec && m.mode != pgx.QueryExecModeSimpleProtocol
}

const works = "works"

// operations are the columns of the matrix.
var operations = []struct{ name, kind string }{
	{"insert, select", ""}, {"= ANY($1), array_agg", "array"}, {"CopyFrom", "copy"}, {"CollectRows", ""}, {"NULL", ""},
}

// pairs are those of column and type.
var pairs = []struct {
	column, goType string
	documented     bool
	perform        func(*idTable) []error // by operation
}{
	{"uuid", "ULID", false, perform[ulid.ULID]},
	{"uuid", "AsBinary", false, perform[ulid.AsBinary]},
	{"uuid", "AsUUID", true, perform[ulid.AsUUID]},
	{`text COLLATE "C"`, "ULID", true, perform[ulid.ULID]},
	{`text COLLATE "C"`, "AsBinary", false, perform[ulid.AsBinary]},
	{`text COLLATE "C"`, "AsUUID", false, perform[ulid.AsUUID]},
	{`char(26) COLLATE "C"`, "ULID", true, perform[ulid.ULID]},
	{`char(26) COLLATE "C"`, "AsBinary", false, perform[ulid.AsBinary]},
	{`char(26) COLLATE "C"`, "AsUUID", false, perform[ulid.AsUUID]},
	{"bytea", "ULID", false, perform[ulid.ULID]},
	{"bytea", "AsBinary", true, perform[ulid.AsBinary]},
	{"bytea", "AsUUID", false, perform[ulid.AsUUID]},
}

// mustWork says what the documentation promises. The other cells may change.
func (m mode) mustWork(documented bool, column, goType, operation string) bool {
	switch {
	case documented:
		// A slice of what pgx does not know is no parameter where it does not ask for types.
		return operation != "array" || m.describes() || m.register
	case m.register && column == "uuid" && goType == "ULID":
		return operation == "copy" || m.describes() // COPY always asks
	}
	return false
}

func TestPgx(t *testing.T) {
	for _, m := range modes {
		for _, p := range pairs {
			t.Run(m.name+"/"+p.column+"/"+p.goType, func(t *testing.T) {
				row := "`" + p.column + "` ← " + p.goType
				if p.documented {
					row = "**" + row + "**"
				}
				for i, err := range p.perform(newTable(t, m, p.column)) {
					operation := operations[i]
					got := outcome(err)
					if got != works && m.mustWork(p.documented, p.column, p.goType, operation.kind) {
						t.Errorf("%s: %s, want %s: %v", operation.name, got, works, err)
					} else if err != nil {
						t.Logf("%s: %v", operation.name, err)
					}
					record.Cell(t, "pgx: "+m.name, row, operation.name, got)
				}
			})
		}
	}
}

func outcome(err error) string {
	var wrong storage.Silent
	switch {
	case err == nil:
		return works
	case errors.As(err, &wrong):
		return wrong.Error()
	}
	return "error"
}

// idTable is a table with a column of IDs, and the connection on which it is known.
type idTable struct {
	*pgx.Conn
}

var ctx = context.Background()

func newTable(t *testing.T, m mode, column string) *idTable {
	t.Helper()
	config, err := pgx.ParseConfig(servers.DSN(t, "ULID_POSTGRES"))
	if err != nil {
		t.Fatal(err)
	}
	config.DefaultQueryExecMode = m.mode
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(ctx) })
	if m.register {
		pgxulid.Register(conn.TypeMap())
	}
	// A temporary table is seen by this connection only and goes away with it.
	s := &idTable{conn}
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
func wantIDs[T storage.ID](s *idTable, want []T, query string, args ...any) error {
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

// perform does all of the operations, each on an empty table.
func perform[T storage.ID](s *idTable) (errs []error) {
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
		ids = append(ids, T(id))
		now = now.Add(time.Millisecond)
	}
	for _, operation := range []func(*idTable, []T) error{selects[T], arrays[T], copyFrom[T], collect[T], null[T]} {
		errs = append(errs, errors.Join(operation(s, ids), s.exec(`TRUNCATE t`)))
	}
	return errs
}

func insert[T storage.ID](s *idTable, ids []T) error {
	for n, id := range ids {
		if err := s.exec(`INSERT INTO t (id, n) VALUES ($1, $2)`, id, n); err != nil {
			return err
		}
	}
	return nil
}

func selects[T storage.ID](s *idTable, ids []T) error {
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
	from, to := T(ulid.FirstAt(start.Add(20*time.Millisecond))), T(ulid.FirstAt(start.Add(30*time.Millisecond)))
	return wantIDs(s, ids[20:30], `SELECT id FROM t WHERE id >= $1 AND id < $2 ORDER BY id`, from, to)
}

func arrays[T storage.ID](s *idTable, ids []T) error {
	if err := insert(s, ids); err != nil {
		return err
	}
	if err := wantIDs(s, ids[40:50], `SELECT id FROM t WHERE id = ANY($1) ORDER BY id`, ids[40:50]); err != nil {
		return err
	}
	var got []T
	err := s.QueryRow(ctx, `SELECT array_agg(id ORDER BY id) FROM t`).Scan(&got)
	if err == nil && !slices.Equal(got, ids) {
		err = storage.Silent("another array is read")
	}
	return err
}

func copyFrom[T storage.ID](s *idTable, ids []T) error {
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

func collect[T storage.ID](s *idTable, ids []T) error {
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
	for n, r := range got {
		id := ids[n]
		if r.N != n || r.ID != id || r.Pointer == nil || *r.Pointer != id ||
			r.Nullable != (sql.Null[T]{V: id, Valid: true}) || r.Nothing != nil {
			return storage.Silent("another row is read")
		}
	}
	return nil
}

func null[T storage.ID](s *idTable, ids []T) error {
	id := ids[0]
	for n, arg := range []any{&id, sql.Null[T]{V: id, Valid: true}, (*T)(nil), sql.Null[T]{}} {
		if err := s.exec(`TRUNCATE t`); err != nil {
			return err
		}
		if err := s.exec(`INSERT INTO t (id, n) VALUES ($1, $2)`, arg, n); err != nil {
			return err
		}
		var pointer *T
		var nullable sql.Null[T]
		plain := ids[1] // what the last row left behind
		if err := s.QueryRow(ctx, `SELECT id, id, id FROM t`).Scan(&pointer, &nullable, &plain); err != nil {
			return err
		}
		valid, want := n < 2, sql.Null[T]{}
		if valid {
			want = sql.Null[T]{V: id, Valid: true}
		}
		if (pointer != nil) != valid || valid && *pointer != id || nullable != want || plain != want.V {
			return storage.Silent("NULL and an ID are mixed up")
		}
	}
	return nil
}
