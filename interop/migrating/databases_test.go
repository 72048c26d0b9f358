package migrating

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/lib/pq"
	_ "modernc.org/sqlite"

	"github.com/seed-961d0905/ulid/interop/internal/servers"
)

// A database is one in which nothing is yet, and that is removed after the test. Its name is that of the blocks on the page.
type database struct {
	name   string
	driver string
	dsn    string // of another connection, by the driver
	db     *sql.DB
}

var made atomic.Int64

// open makes a database. The parameters are added to the DSN.
func open(t *testing.T, name, driver, parameters string) database {
	t.Helper()
	own := fmt.Sprintf("migrating_%d_%d", os.Getpid(), made.Add(1))
	d := database{name: name, driver: driver}
	switch name {
	case "postgres":
		admin := servers.Open(t, "pgx", "ULID_POSTGRES")
		exec1(t, admin, "CREATE SCHEMA "+own)
		t.Cleanup(func() { exec1(t, admin, "DROP SCHEMA "+own+" CASCADE") })
		d.dsn = servers.DSN(t, "ULID_POSTGRES") + "&search_path=" + own + parameters
	case "mariadb":
		admin := servers.Open(t, "mysql", "ULID_MARIADB")
		exec1(t, admin, "CREATE DATABASE "+own)
		t.Cleanup(func() { exec1(t, admin, "DROP DATABASE "+own) })
		config := must[*mysql.Config](t)(mysql.ParseDSN(servers.DSN(t, "ULID_MARIADB")))
		config.DBName = own
		d.dsn = config.FormatDSN() + "?multiStatements=true&clientFoundRows=true" + parameters
	case "sqlite":
		d.dsn = filepath.Join(t.TempDir(), own+".db")
	}
	d.db = d.connect(t, driver, "")
	return d
}

// connect opens a connection of its own.
func (d database) connect(t *testing.T, driver, parameters string) *sql.DB {
	t.Helper()
	dsn := d.dsn + parameters
	if d.name == "sqlite" {
		dsn += "?_pragma=foreign_keys(1)"
	}
	db := must[*sql.DB](t)(sql.Open(driver, dsn))
	db.SetMaxOpenConns(1) // PRAGMA and SET hold for its other statements
	t.Cleanup(func() { db.Close() })
	return db
}

// bytesType is the column type in which oklog's IDs are.
var bytesType = map[string]string{"postgres": "bytea", "mariadb": "BINARY(16)", "sqlite": "BLOB"}

// tables makes the tables of the page.
func (d database) tables(t *testing.T, bytesType string) {
	t.Helper()
	exec1(t, d.db, "CREATE TABLE events (id "+bytesType+" PRIMARY KEY NOT NULL, note VARCHAR(100))")
	exec1(t, d.db, "CREATE TABLE items (event_id "+bytesType+" NOT NULL, n INT, FOREIGN KEY (event_id) REFERENCES events (id))")
}

// functions installs those of docs/sql.md.
func (d database) functions(t *testing.T) {
	t.Helper()
	if d.name != "sqlite" {
		code := read(t, "../sql/"+d.name+".sql")
		exec1(t, d.db, strings.NewReplacer("DELIMITER //\n", "", "DELIMITER ;\n", "", " //\n", ";\n").Replace(code))
	}
}

// run runs a block of the page.
func (d database) run(t *testing.T, part string) error {
	t.Helper()
	_, err := d.db.Exec(block(t, d.name+": "+part))
	return err
}

func (d database) mustRun(t *testing.T, part string) {
	t.Helper()
	if err := d.run(t, part); err != nil {
		t.Fatalf("%s: %s: %v", d.name, part, err)
	}
}

// forms returns what the query of the page says of events.
func (d database) forms(t *testing.T) string {
	t.Helper()
	return d.query(t, block(t, d.name+": forms"))
}

// query returns the rows of a query as one line.
func (d database) query(t *testing.T, query string) string {
	t.Helper()
	rows := must[*sql.Rows](t)(d.db.Query(query))
	defer rows.Close()
	columns := must[[]string](t)(rows.Columns())
	var list []string
	for rows.Next() {
		cells := make([]sql.NullString, len(columns))
		pointers := make([]any, len(columns))
		for i := range cells {
			pointers[i] = &cells[i]
		}
		if err := rows.Scan(pointers...); err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, cell := range cells {
			texts = append(texts, cell.String)
		}
		list = append(list, strings.Join(texts, " "))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(list, ", ")
}

// exec1 runs SQL that must succeed.
func exec1(t *testing.T, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatalf("%v in\n%s", err, query)
	}
}

// placeholders writes ? as the driver does.
func placeholders(driver, query string) string {
	if driver != "pgx" && driver != "postgres" {
		return query
	}
	for n := 1; strings.Contains(query, "?"); n++ {
		query = strings.Replace(query, "?", fmt.Sprintf("$%d", n), 1)
	}
	return query
}
