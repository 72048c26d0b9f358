package storage

import (
	"fmt"
	"slices"
	"testing"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
	_ "github.com/lib/pq"
	_ "modernc.org/sqlite"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/internal/record"
)

// A server is a kind of database, with the drivers that reach it, in the modes that matter, and the columns to try.
type server struct {
	name    string
	env     string // variable with the DSN; SQLite has none
	drivers []driver
	columns []column
}

type driver struct{ name, driver, parameters string }

// A column may have a Go type that the documentation names for it. That type must work with every
// driver. What becomes of the others is a cell of the matrix, and may change.
type column struct{ sql, documented string }

const works = "works"

var goTypes = []string{"ULID", "AsBinary", "AsUUID"}

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
	columns: []column{
		{`uuid`, "AsUUID"},
		{`text COLLATE "C"`, "ULID"},
		{`char(26) COLLATE "C"`, "ULID"},
		{`bytea`, "AsBinary"},
	},
}

var mariadb = server{
	name: "MariaDB",
	env:  "ULID_MARIADB",
	drivers: []driver{
		{"go-sql-driver/mysql", "mysql", ""},
		{"go-sql-driver/mysql interpolateParams", "mysql", "interpolateParams=true"},
	},
	columns: []column{
		{`CHAR(26) CHARACTER SET ascii COLLATE ascii_bin`, "ULID"},
		{`BINARY(16)`, "AsBinary"},
		{`UUID`, ""},
		{`VARCHAR(36) CHARACTER SET utf8mb4`, ""},
	},
}

var mysql = server{
	name:    "MySQL",
	env:     "ULID_MYSQL",
	drivers: mariadb.drivers,
	columns: slices.DeleteFunc(slices.Clone(mariadb.columns), func(c column) bool { return c.sql == "UUID" }),
}

var sqlite = server{
	name:    "SQLite",
	drivers: []driver{{"modernc.org/sqlite", "sqlite", ""}},
	columns: []column{
		{`TEXT`, "ULID"},
		{`BLOB`, "AsBinary"},
		{`ULID`, ""},
		{`UUID`, ""},
	},
}

func TestPostgreSQL(t *testing.T) { postgres.test(t) }
func TestMariaDB(t *testing.T)    { mariadb.test(t) }
func TestMySQL(t *testing.T)      { mysql.test(t) }
func TestSQLite(t *testing.T)     { sqlite.test(t) }

// test tries each Go type in each column, and looks for IDs by another type than they are stored by.
func (s server) test(t *testing.T) {
	t.Parallel()
	if s.env != "" {
		db.DSN(t, s.env) // skips the test once, not for each try
	}
	table := "database/sql: " + s.name
	for _, c := range s.columns {
		for _, goType := range goTypes {
			row := "`" + c.sql + "` ← " + goType
			if goType == c.documented {
				row = "**" + row + "**"
			}
			s.row(t, table, row, c, goType == c.documented, func(db *tables) (string, error) {
				switch goType {
				case "ULID":
					return exercise[ulid.ULID](db)
				case "AsBinary":
					return exercise[ulid.AsBinary](db)
				default:
					return exercise[ulid.AsUUID](db)
				}
			})
		}
	}
	for _, c := range s.columns {
		for _, by := range goTypes {
			if c.documented == "" || c.documented == by {
				continue
			}
			row := fmt.Sprintf("`%s` ← %s, by %s", c.sql, c.documented, by)
			s.row(t, table+", looked up by another type", row, c, false, func(db *tables) (string, error) {
				return lookup(db, c.documented, by)
			})
		}
	}
}

// row fills a row of the matrix: it runs try with each driver, on direct and on prepared statements.
// Prepared ones have a row of their own if they make a difference.
func (s server) row(t *testing.T, table, row string, c column, mustWork bool, try func(*tables) (string, error)) {
	t.Run(row, func(t *testing.T) {
		direct, prepared := make([]string, len(s.drivers)), make([]string, len(s.drivers))
		for i, d := range s.drivers {
			t.Run(d.name, func(t *testing.T) {
				direct[i] = s.try(t, d, c, mustWork, try)
			})
			t.Run(d.name+"/prepared", func(t *testing.T) {
				prepared[i] = s.try(t, d, c, mustWork, func(db *tables) (string, error) { db.prepare(); return try(db) })
			})
		}
		for i, d := range s.drivers {
			record.Cell(t, table, row, d.name, direct[i])
		}
		for i, d := range s.drivers {
			if !slices.Equal(direct, prepared) {
				record.Cell(t, table, row+", prepared", d.name, prepared[i])
			}
		}
	})
}

func (s server) try(t *testing.T, d driver, c column, mustWork bool, try func(*tables) (string, error)) string {
	outcome, err := try(newTables(t, s.open(t, d), c.sql))
	if mustWork && outcome != works {
		t.Errorf("%s, want %s: %v", outcome, works, err)
	} else if err != nil {
		t.Logf("%s: %v", outcome, err)
	}
	return outcome
}

// open makes an empty database and the one connection to it. A driver remembers what it has learned about
// a table, so each try needs new ones.
func (s server) open(t *testing.T, d driver) *sqlx.DB {
	t.Helper()
	return sqlx.NewDb(db.Connect(t, d.driver, db.Own(t, s.env, d.parameters)), d.driver)
}

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
