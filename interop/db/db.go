// Package db describes the databases that the tests use, and connects to them. No other package
// does: a folder adds only what it alone needs.
//
// A package that opens SQLite imports a driver itself, because modernc.org/sqlite and glebarez's
// driver register the same name.
package db

import (
	"database/sql"
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

// Each runs a test on each of the databases, which name its subtests.
func Each(t *testing.T, list []*Database, test func(*testing.T, *Database)) {
	t.Helper()
	SkipWithout(t, list...)
	for _, d := range list {
		t.Run(d.Name, func(t *testing.T) {
			d.Server(t) // so that this test is skipped too, and not only those below it
			test(t, d)
		})
	}
}

// SkipWithout skips the test if none of the databases is there. A test whose subtests need one calls it before the
// first of them, because it would pass if all of them were skipped.
func SkipWithout(t testing.TB, list ...*Database) {
	t.Helper()
	for _, d := range list {
		dsn := os.Getenv(d.env)
		if d.env == "" || dsn != "" && dsn != "none" {
			return
		}
	}
	list[0].Server(t)
}

// Server returns the data source name of the server, from ULID_POSTGRES, ULID_MARIADB or
// ULID_MYSQL, and "" for SQLite. If the variable is not set, the test is skipped, or fails if
// ULID_REQUIRE_SERVERS is 1, so that CI cannot pass by skipping. If it is "none", the test is
// always skipped.
func (d *Database) Server(t testing.TB) string {
	t.Helper()
	if d.env == "" {
		return ""
	}
	dsn := os.Getenv(d.env)
	switch dsn {
	case "":
		missing(t)("%s names no server: set it, or run this beside one by interop/db/with-servers.sh", d.env)
	case "none":
		t.Skipf("%s is none", d.env)
	}
	return dsn
}

// missing returns how a test ends that lacks a server or program.
func missing(t testing.TB) func(string, ...any) {
	if os.Getenv("ULID_REQUIRE_SERVERS") == "1" {
		return t.Fatalf
	}
	return t.Skipf
}

// Own returns the data source name of an empty schema in PostgreSQL, database in MariaDB or MySQL,
// or file for SQLite. It is for this test alone, and is removed when the test ends. Parameters are
// further settings of the driver, such as "a=b&c=d".
func (d *Database) Own(t testing.TB, parameters string) string {
	t.Helper()
	name := ownName()
	dsn := d.Server(t)
	switch d.Family {
	case "sqlite":
		dsn = "file:" + url.PathEscape(filepath.Join(t.TempDir(), name)) + "?_pragma=foreign_keys(1)&_pragma=synchronous(off)"
	case "postgres":
		while(t, Connect(t, "pgx", dsn), "CREATE SCHEMA "+name, "DROP SCHEMA "+name+" CASCADE")
		address, err := url.Parse(dsn)
		if err != nil {
			t.Fatal(err)
		}
		query := address.Query()
		query.Set("search_path", name)
		address.RawQuery = query.Encode()
		dsn = address.String()
	case "mysql":
		while(t, Connect(t, "mysql", dsn), "CREATE DATABASE "+name, "DROP DATABASE "+name)
		config, err := mysql.ParseDSN(dsn)
		if err != nil {
			t.Fatal(err)
		}
		config.DBName = name
		dsn = config.FormatDSN()
	default:
		t.Fatalf("Own does not know %s", d.Name) // not the schema that all tests share
	}
	switch {
	case parameters == "":
		return dsn
	case strings.Contains(dsn, "?"):
		return dsn + "&" + parameters
	}
	return dsn + "?" + parameters
}

func ownName() string { return "ulid_" + strings.ToLower(ulid.Make().String()) }

// while runs one statement now and the other when the test ends.
func while(t testing.TB, db *sql.DB, now, atEnd string) {
	t.Helper()
	if _, err := db.Exec(now); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := db.Exec(atEnd); err != nil {
			t.Error(err)
		}
	})
}

// Connect opens one connection, so that what a session sets or makes, such as a temporary table,
// stays.
func Connect(t testing.TB, driver, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

// A DB is the one connection of a test to its own empty database. Its methods end the test where
// there is an error. Parameters of a statement are written as ? for every database.
type DB struct {
	*sqlx.DB
	*Database
	DSN string // for other connections
	t   testing.TB
}

// Open connects to an empty database by the first of the drivers.
func (d *Database) Open(t testing.TB, parameters string) *DB {
	t.Helper()
	driver := d.Drivers[0]
	driver.Parameters = parameters
	return d.OpenWith(t, driver)
}

// OpenApart connects to an empty database of PostgreSQL, for a test that makes schemas itself. Open
// has only one schema.
func OpenApart(t testing.TB, parameters string) *DB {
	t.Helper()
	name := ownName()
	server := PostgreSQL.Server(t)
	while(t, Connect(t, "pgx", server), "CREATE DATABASE "+name, "DROP DATABASE "+name+" WITH (FORCE)")
	address, err := url.Parse(server)
	Check(t, err)
	address.Path = name
	address.RawQuery += "&" + parameters
	return connect(t, PostgreSQL, PostgreSQL.Drivers[0].Driver, address.String())
}

// Role creates a role of PostgreSQL without rights, and returns its name. The role goes after the
// databases that are opened later.
func Role(t testing.TB) string {
	t.Helper()
	name := ownName()
	while(t, Connect(t, "pgx", PostgreSQL.Server(t)), "CREATE ROLE "+name, "DROP ROLE "+name)
	return name
}

// Again opens another connection to the same database.
func (db *DB) Again(t testing.TB) *DB {
	t.Helper()
	return connect(t, db.Database, db.DriverName(), db.DSN)
}

func connect(t testing.TB, d *Database, driver, dsn string) *DB {
	t.Helper()
	return &DB{sqlx.NewDb(Connect(t, driver, dsn), driver), d, dsn, t}
}

// OpenWith connects to an empty database by a driver. Drivers remember what they have learned about
// a table, so a test that makes the same table again with another type needs another database.
func (d *Database) OpenWith(t testing.TB, driver Driver) *DB {
	t.Helper()
	return connect(t, d, driver.Driver, d.Own(t, driver.Parameters))
}

// LookPath returns the path of a program. If it is not installed, the test ends as it does without a server.
func LookPath(t testing.TB, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		missing(t)("the test needs a program: %v", err)
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
