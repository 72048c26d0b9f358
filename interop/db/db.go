// Package db describes the databases that the tests use, and connects to them. No other package
// does: a folder adds only what it alone needs.
//
// A package that opens SQLite imports a driver itself, because modernc.org/sqlite and glebarez's
// driver register the same name.
package db

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
	_ "github.com/lib/pq"

	"github.com/seed-961d0905/ulid"
)

// Each runs a test on each of the databases, which name its subtests. If all of them are skipped, so is
// the test, which would pass otherwise.
func Each(t *testing.T, list []*Database, test func(*testing.T, *Database)) {
	t.Helper()
	ran := false
	for _, d := range list {
		t.Run(d.Name, func(t *testing.T) {
			d.Server(t) // so that this test is skipped too, and not only those below it
			ran = true
			test(t, d)
		})
	}
	if !ran {
		t.Skip("none of its subtests ran")
	}
}

// Server returns the data source name of the server, from ULID_POSTGRES, ULID_MARIADB or
// ULID_MYSQL, and "" for SQLite. A test without a server is skipped or fails, and if the variable
// is "none", it is always skipped.
func (d *Database) Server(t testing.TB) string {
	t.Helper()
	if d.env == "" {
		return ""
	}
	dsn := os.Getenv(d.env)
	switch dsn {
	case "":
		skipOrFail(t, "%s names no server: set it, or run this beside one by interop/db/with-servers.sh", d.env)
	case "none":
		t.Skipf("%s is none", d.env)
	}
	return dsn
}

// skipOrFail ends a test that lacks a server or program. It skips the test, or fails it if
// ULID_REQUIRE_SERVERS is 1, so that CI cannot pass by skipping.
func skipOrFail(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("ULID_REQUIRE_SERVERS") == "1" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// A DB is the one connection of a test to its own empty database. Its methods end the test where
// there is an error. Parameters of a statement are written as ? for every database.
type DB struct {
	*sqlx.DB
	*Database
	DSN string // for other connections
	t   testing.TB
}

// Open connects to an empty database by the first of the drivers. Parameters are further settings
// of the driver, such as "a=b&c=d".
func (d *Database) Open(t testing.TB, parameters string) *DB {
	t.Helper()
	driver := d.Drivers[0]
	driver.Parameters = parameters
	return d.OpenWith(t, driver)
}

// OpenWith connects to an empty database by a driver. Drivers remember what they have learned about
// a table, so a test that makes the same table again with another type needs another database.
func (d *Database) OpenWith(t testing.TB, driver Driver) *DB {
	t.Helper()
	dsn := d.create(t)
	switch {
	case driver.Parameters == "":
	case strings.Contains(dsn, "?"):
		dsn += "&" + driver.Parameters
	default:
		dsn += "?" + driver.Parameters
	}
	return connect(t, d, driver.Driver, dsn)
}

// create creates an empty database, which is removed when the test ends, and returns its data
// source name.
func (d *Database) create(t testing.TB) string {
	t.Helper()
	name := ownName()
	switch d.Family {
	case "sqlite":
		file := url.PathEscape(filepath.Join(t.TempDir(), name))
		return "file:" + file + "?_pragma=synchronous(off)"
	case "postgres":
		d.while(t, "CREATE DATABASE "+name, "DROP DATABASE "+name+" WITH (FORCE)")
		address, err := url.Parse(d.Server(t))
		Check(t, err)
		address.Path = name
		return address.String()
	case "mysql":
		d.while(t, "CREATE DATABASE "+name, "DROP DATABASE "+name)
		config, err := mysql.ParseDSN(d.Server(t))
		Check(t, err)
		config.DBName = name
		return config.FormatDSN()
	}
	t.Fatalf("create does not know %s", d.Name) // not the database that all tests share
	return ""
}

func ownName() string { return "ulid_" + strings.ToLower(ulid.Make().String()) }

// while runs one statement on the server now and the other when the test ends.
func (d *Database) while(t testing.TB, now, atEnd string) {
	t.Helper()
	server := connect(t, d, d.Drivers[0].Driver, d.Server(t))
	server.Run(now)
	t.Cleanup(func() { server.Run(atEnd) })
}

// connect opens one connection, so that what a session sets or makes, such as a temporary table,
// stays.
func connect(t testing.TB, d *Database, driver, dsn string) *DB {
	t.Helper()
	db, err := sqlx.Open(driver, dsn)
	Check(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return &DB{db, d, dsn, t}
}

// Again opens another connection to the same database.
func (db *DB) Again(t testing.TB) *DB {
	t.Helper()
	return connect(t, db.Database, db.DriverName(), db.DSN)
}

// Role creates a role of PostgreSQL without rights, and returns its name. Call it before Open, because a role cannot be
// removed before the databases in which it has rights.
func Role(t testing.TB) string {
	t.Helper()
	name := ownName()
	PostgreSQL.while(t, "CREATE ROLE "+name, "DROP ROLE "+name)
	return name
}

// LookPath returns the path of a program. If it is not installed, the test ends as it does without a server.
func LookPath(t testing.TB, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		skipOrFail(t, "the test needs a program: %v", err)
	}
	return path
}

// Try runs a statement, or several without parameters.
func (db *DB) Try(statement string, args ...any) error {
	if len(args) > 0 {
		statement = db.Rebind(statement)
	}
	_, err := db.Exec(statement, args...)
	return err
}

// Run is Try for what must succeed.
func (db *DB) Run(statement string, args ...any) {
	db.t.Helper()
	if err := db.Try(statement, args...); err != nil {
		db.t.Fatalf("%v in\n%s", err, statement)
	}
}

// Rows returns the rows of a query.
func (db *DB) Rows(query string, args ...any) (list [][]any) {
	db.t.Helper()
	rows, err := db.Queryx(db.Rebind(query), args...)
	if err != nil {
		db.t.Fatalf("%v in\n%s", err, query)
	}
	defer rows.Close()
	for rows.Next() {
		row, err := rows.SliceScan()
		if err != nil {
			db.t.Fatal(err)
		}
		list = append(list, row)
	}
	if err := rows.Err(); err != nil {
		db.t.Fatalf("%v in\n%s", err, query)
	}
	return list
}

// Count returns the one number of a query.
func (db *DB) Count(query string, args ...any) (n int) {
	db.t.Helper()
	db.scan(&n, query, args...)
	return n
}

// Text returns the one text of a query.
func (db *DB) Text(query string, args ...any) (s string) {
	db.t.Helper()
	db.scan(&s, query, args...)
	return s
}

func (db *DB) scan(to any, query string, args ...any) {
	db.t.Helper()
	if err := db.QueryRow(db.Rebind(query), args...).Scan(to); err != nil {
		db.t.Fatalf("%v in\n%s", err, query)
	}
}

// Check ends the test if there is an error.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
