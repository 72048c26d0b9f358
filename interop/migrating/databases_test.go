package migrating

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	oklog "github.com/oklog/ulid/v2"
	_ "modernc.org/sqlite"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// A connection is a way to a database, in which the IDs of oklog/ulid have a type. A guarded column refuses a text even before
// step 1.
type connection struct {
	base                          *db.Database
	driver, parameters, bytesType string
	guarded                       bool
}

var (
	sqlite    = connection{db.SQLite, "sqlite", "", "BLOB", false}
	postgres  = connection{db.PostgreSQL, "pgx", "", "bytea", false}
	pq        = connection{db.PostgreSQL, "postgres", "", "bytea", false}
	mariadb   = connection{db.MariaDB, "mysql", "", "BINARY(16)", true}
	varbinary = connection{db.MariaDB, "mysql", "", "VARBINARY(255)", false}
	notStrict = connection{db.MariaDB, "mysql", "&sql_mode=''", "BINARY(16)", false}
)

// connections are all that the guide speaks of. In mixable ones a column can hold both forms.
var (
	connections = withMySQL(
		sqlite, postgres, pq, mariadb, varbinary, notStrict,
		connection{db.PostgreSQL, "pgx", "default_query_exec_mode=exec", "bytea", false},
		connection{db.PostgreSQL, "pgx", "default_query_exec_mode=simple_protocol", "bytea", false},
		connection{db.MariaDB, "mysql", "&interpolateParams=true", "BINARY(16)", true},
	)
	mixable = withMySQL(sqlite, postgres, varbinary)
)

// withMySQL adds the same connection to MySQL for each to MariaDB.
func withMySQL(list ...connection) []connection {
	for _, c := range list {
		if c.base == db.MariaDB {
			c.base = db.MySQL
			list = append(list, c)
		}
	}
	return list
}

// name returns the name of the guide's SQL, which is the same for MySQL and MariaDB.
func (c connection) name() string { return c.base.Family }

func (c connection) String() string {
	return strings.Join([]string{c.base.Name, c.driver, c.parameters, c.bytesType}, " ")
}

// A database is one in which nothing is yet, and that is removed after the test.
type database struct {
	connection
	*db.DB
}

// each runs a test on a database of each connection.
func each(t *testing.T, list []connection, test func(t *testing.T, d database)) {
	t.Helper()
	for _, c := range list {
		t.Run(c.String(), func(t *testing.T) { test(t, open(t, c)) })
	}
}

func open(t *testing.T, c connection) database {
	t.Helper()
	parameters := c.parameters
	if c.base.IsMySQL() {
		parameters = "multiStatements=true&clientFoundRows=true" + parameters
	}
	return database{c, c.base.OpenWith(t, db.Driver{Driver: c.driver, Parameters: parameters})}
}

// row scans the one row of a query.
func (d database) row(query string, args ...any) *sql.Row {
	return d.QueryRow(d.Rebind(query), args...)
}

// line returns the rows of a query.
func (d database) line(query string) string {
	var list []string
	for _, row := range d.Rows(query) {
		var line []string
		for _, cell := range row {
			if b, ok := cell.([]byte); ok {
				cell = string(b)
			}
			line = append(line, fmt.Sprint(cell))
		}
		list = append(list, strings.Join(line, " "))
	}
	return strings.Join(list, ", ")
}

// --- the guide

// block returns the guide's block for the database.
func (d database) block(t *testing.T, part string) string {
	t.Helper()
	return block(t, strings.Replace(d.name(), "mysql", "mysql, mariadb", 1)+": "+part)
}

// tables makes the guide's tables.
func (d database) tables() {
	d.Run("CREATE TABLE events (id " + d.bytesType + " PRIMARY KEY NOT NULL, note VARCHAR(100))")
	d.Run("CREATE TABLE items (event_id " + d.bytesType + " NOT NULL, n INT, FOREIGN KEY (event_id) REFERENCES events (id))")
}

// guard runs what the query of sql/ writes that makes columns loud, up to the first error.
func (d database) guard(t *testing.T) error {
	t.Helper()
	for _, row := range d.Rows(page.Text(t, "sql/guard_"+d.name()+".sql")) {
		for _, statement := range strings.SplitAfter(fmt.Sprintf("%s", row[0]), ";\n") {
			if err := d.Try(statement); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d database) loud(t *testing.T) {
	t.Helper()
	check(t, d.guard(t))
}

// functions installs the functions of docs/postgresql.md and docs/mysql.md. SQLite has none.
func (d database) functions() {
	if d.SQL != "" {
		d.Script(d.SQL)
	}
}

// add writes an event with an item.
func (d database) add(id any) {
	d.Run(insert, id)
	d.Run("INSERT INTO items (event_id, n) VALUES (?, 1)", id)
}

// fill adds n events as a program with oklog/ulid does.
func (d database) fill(n int) (ids []ulid.ULID) {
	for range n {
		id := oklog.Make()
		d.add(id)
		ids = append(ids, ulid.ULID(id))
	}
	return ids
}

// wantForms fails the test unless the guide's query says this of events.
func (d database) wantForms(t *testing.T, want string) {
	t.Helper()
	if got := d.line(d.block(t, "forms")); got != want {
		t.Errorf("the forms are %q, want %q", got, want)
	}
}

// wantAll fails the test unless each ID is found in both tables by its bytes.
func (d database) wantAll(t *testing.T, ids []ulid.ULID) {
	t.Helper()
	for _, id := range ids {
		d.wantCount(t, 1, "events JOIN items ON id = event_id WHERE id = ?", ulid.AsBinary(id))
	}
}

// wantCount fails the test unless so many rows are in what stands after FROM.
func (d database) wantCount(t *testing.T, want int, from string, args ...any) {
	t.Helper()
	if got := d.Count("SELECT COUNT(*) FROM "+from, args...); got != want {
		t.Errorf("%d rows, want %d, of %s %v", got, want, from, args)
	}
}

// wantRefused fails the test unless SQL gives an error that has the words.
func (d database) wantRefused(t *testing.T, words, query string, args ...any) {
	t.Helper()
	if err := d.Try(query, args...); err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("error %v, want %q, of %s", err, words, query)
	}
}
