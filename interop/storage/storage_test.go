// Package storage shows how a ULID fares in databases through database/sql.
package storage

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/lib/pq"
	_ "modernc.org/sqlite"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/internal/record"
	"github.com/seed-961d0905/ulid/interop/internal/servers"
)

// A server is a kind of database, with the drivers, in the modes that matter, that reach it
// and what is to be expected of them.
type server struct {
	name    string
	env     string // variable with the DSN; SQLite has none
	drivers []driver
	cells   []cells
	// lookups are what becomes of looking for an ID by another type than it is stored by.
	lookups []cells
}

type driver struct{ name, driver, options string }

// cells say what becomes of a type in a column.
type cells struct {
	column, goType string
	outcomes
}

// outcomes hold one for each driver of the server, or one for all.
type outcomes struct {
	ofDirect   []string
	ofPrepared []string // nil if it makes no difference that a statement is prepared
}

const (
	works = "works"
	// What becomes of 16 bytes where text belongs: few IDs are valid text.
	someUTF8     = "error on insert of some; error on select"
	someASCII    = "error on insert of some; error on 10 000 rows"
	someNotFound = "SILENT of some: not found; error of some"
)

// documented is expected of the pairs that the documentation names: they work everywhere.
var documented outcomes

func gives(outcome ...string) outcomes { return outcomes{ofDirect: outcome} }

// prepared adds what becomes of prepared statements.
func (o outcomes) prepared(outcome ...string) outcomes {
	o.ofPrepared = outcome
	return o
}

// by returns the expectation for a driver of the server.
func (c cells) by(driver int, prepared bool) string {
	expect := c.ofDirect
	switch {
	case c.documented():
		return works
	case prepared && c.ofPrepared != nil:
		expect = c.ofPrepared
	}
	return expect[min(driver, len(expect)-1)]
}

func (c cells) documented() bool { return c.ofDirect == nil }

func (c cells) String() string {
	row := "`" + c.column + "` ← " + c.goType
	if c.documented() {
		row = "**" + row + "**"
	}
	return row
}

var postgres = server{
	name: "PostgreSQL",
	env:  "ULID_POSTGRES",
	drivers: []driver{
		{"pgx", "pgx", ""},
		{"pgx exec", "pgx", "default_query_exec_mode=exec"},
		{"pgx simple_protocol", "pgx", "default_query_exec_mode=simple_protocol"},
		{"lib/pq", "postgres", ""},
		{"lib/pq binary_parameters", "postgres", "binary_parameters=yes"},
	},
	cells: []cells{
		{`uuid`, "ULID", gives("error on insert")},
		{`uuid`, "AsBinary", gives(works, "error on insert", "error on insert", "error on insert", works).
			prepared(works, works, works, "error on insert", works)},
		{`uuid`, "AsUUID", documented},
		{`text COLLATE "C"`, "ULID", documented},
		{`text COLLATE "C"`, "AsBinary", gives(someUTF8, "error on select", "error on select", someUTF8, someUTF8).
			prepared(someUTF8)},
		{`text COLLATE "C"`, "AsUUID", gives(works)},
		{`char(26) COLLATE "C"`, "ULID", documented},
		{`char(26) COLLATE "C"`, "AsBinary", gives(someUTF8, "error on insert", "error on insert", someUTF8, someUTF8).
			prepared(someUTF8)},
		{`char(26) COLLATE "C"`, "AsUUID", gives("error on insert")},
		{`bytea`, "ULID", gives(works)},
		{`bytea`, "AsBinary", documented},
		{`bytea`, "AsUUID", gives(works)},
	},
	lookups: []cells{
		{`uuid`, "ULID", gives("error")},
		{`uuid`, "AsBinary", gives(works, "error", "error", "error", works).
			prepared(works, works, works, "error", works)},
		{`text COLLATE "C"`, "AsBinary", gives(someNotFound, "SILENT: not found", "SILENT: not found", someNotFound, someNotFound).
			prepared(someNotFound)},
		{`text COLLATE "C"`, "AsUUID", gives("SILENT: not found")},
		{`char(26) COLLATE "C"`, "AsBinary", gives(someNotFound, "SILENT: not found", "SILENT: not found", someNotFound, someNotFound).
			prepared(someNotFound)},
		{`char(26) COLLATE "C"`, "AsUUID", gives("SILENT: not found")},
		{`bytea`, "ULID", gives("SILENT: not found")},
		{`bytea`, "AsUUID", gives("SILENT: not found")},
	},
}

var mariadb = server{
	name: "MariaDB",
	env:  "ULID_MARIADB",
	drivers: []driver{
		{"go-sql-driver/mysql", "mysql", ""},
		{"go-sql-driver/mysql interpolateParams", "mysql", "interpolateParams=true"},
	},
	cells: []cells{
		{`CHAR(26) CHARACTER SET ascii COLLATE ascii_bin`, "ULID", documented},
		{`CHAR(26) CHARACTER SET ascii COLLATE ascii_bin`, "AsBinary", gives(someASCII, "SILENT of some: another ID is read; error on select of some").
			prepared(someASCII)},
		{`CHAR(26) CHARACTER SET ascii COLLATE ascii_bin`, "AsUUID", gives("error on insert")},
		{`BINARY(16)`, "ULID", gives("error on insert")},
		{`BINARY(16)`, "AsBinary", documented},
		{`BINARY(16)`, "AsUUID", gives("error on insert")},
		{`UUID`, "ULID", gives("error on insert")},
		{`UUID`, "AsBinary", gives("error on insert", "SILENT of some: not found by its key").
			prepared("error on insert")},
		{`UUID`, "AsUUID", gives("SILENT: wrong order; error on insert of some")},
		{`VARCHAR(36) CHARACTER SET utf8mb4`, "ULID", gives(works)},
		{`VARCHAR(36) CHARACTER SET utf8mb4`, "AsBinary", gives(someASCII)},
		{`VARCHAR(36) CHARACTER SET utf8mb4`, "AsUUID", gives(works)},
	},
	lookups: []cells{
		{`CHAR(26) CHARACTER SET ascii COLLATE ascii_bin`, "AsBinary", gives(someNotFound, "SILENT: not found").
			prepared(someNotFound)},
		{`CHAR(26) CHARACTER SET ascii COLLATE ascii_bin`, "AsUUID", gives("SILENT: not found")},
		{`BINARY(16)`, "ULID", gives("SILENT: not found")},
		{`BINARY(16)`, "AsUUID", gives("SILENT: not found")},
	},
}

var sqlite = server{
	name:    "SQLite",
	drivers: []driver{{"modernc.org/sqlite", "sqlite", ""}},
	cells: []cells{
		{`TEXT`, "ULID", documented},
		{`TEXT`, "AsBinary", gives(works)},
		{`TEXT`, "AsUUID", gives(works)},
		{`BLOB`, "ULID", gives(works)},
		{`BLOB`, "AsBinary", documented},
		{`BLOB`, "AsUUID", gives(works)},
		{`ULID`, "ULID", gives("error on select of some")},
		{`ULID`, "AsBinary", gives(works)},
		{`ULID`, "AsUUID", gives(works)},
		{`UUID`, "ULID", gives("error on select of some")},
		{`UUID`, "AsBinary", gives(works)},
		{`UUID`, "AsUUID", gives(works)},
	},
	lookups: []cells{
		{`TEXT`, "AsBinary", gives("SILENT: not found")},
		{`TEXT`, "AsUUID", gives("SILENT: not found")},
		{`BLOB`, "ULID", gives("SILENT: not found")},
		{`BLOB`, "AsUUID", gives("SILENT: not found")},
	},
}

func TestPostgreSQL(t *testing.T) { postgres.test(t) }
func TestMariaDB(t *testing.T)    { mariadb.test(t) }
func TestSQLite(t *testing.T)     { sqlite.test(t) }

func (s server) test(t *testing.T) {
	if s.env != "" {
		servers.DSN(t, s.env) // to skip once and not for every cell
	}
	for _, c := range s.cells {
		s.each(t, "", c.String(), c, func(db *tables) (string, error) {
			switch c.goType {
			case "ULID":
				return exercise[ulid.ULID](db)
			case "AsBinary":
				return exercise[ulid.AsBinary](db)
			default:
				return exercise[ulid.AsUUID](db)
			}
		})
	}
	for _, c := range s.lookups {
		stored := s.documentedType(c.column)
		row := fmt.Sprintf("`%s` ← %s, by %s", c.column, stored, c.goType)
		s.each(t, ", looked up by another type", row, c, func(db *tables) (string, error) {
			return lookup(db, stored, c.goType)
		})
	}
}

// each runs a test for a cell in a new table through each driver of the server, with direct and with
// prepared statements. Prepared ones have a row of their own where they make a difference.
func (s server) each(t *testing.T, what, row string, c cells, run func(*tables) (string, error)) {
	for _, prepared := range []bool{false, true} {
		name := c.column + "/" + c.goType + what
		if prepared {
			name += "/prepared"
		}
		for i, d := range s.drivers {
			t.Run(name+"/"+d.name, func(t *testing.T) {
				db := newTables(t, s.open(t, d), c.column, s.name == "PostgreSQL")
				if prepared {
					db.prepare()
				}
				got, err := run(db)
				if want := c.by(i, prepared); got != want {
					t.Fatalf("%s, expected %s: %v", got, want, err)
				}
				if err != nil {
					t.Log(err)
				}
				switch {
				case !prepared:
					record.Cell(t, "database/sql: "+s.name+what, row, d.name, got)
				case c.ofPrepared != nil:
					record.Cell(t, "database/sql: "+s.name+what, row+", prepared", d.name, got)
				}
			})
		}
	}
}

// documentedType returns the type that is to be used with a column.
func (s server) documentedType(column string) string {
	for _, c := range s.cells {
		if c.column == column && c.documented() {
			return c.goType
		}
	}
	panic("nothing is documented for " + column)
}

// open makes a new connection, because drivers remember what they have learned about a
// table. There is only this one, so that every statement can rely on those before it.
func (s server) open(t *testing.T, d driver) *sql.DB {
	t.Helper()
	var dsn string
	if s.env == "" {
		dsn = "file:" + filepath.Join(t.TempDir(), "ulid.db") + "?_pragma=foreign_keys(1)&_pragma=synchronous(off)"
	} else {
		dsn = servers.DSN(t, s.env)
	}
	if d.options != "" {
		separator := "?"
		if strings.Contains(dsn, "?") {
			separator = "&"
		}
		dsn += separator + d.options
	}
	db, err := sql.Open(d.driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}
