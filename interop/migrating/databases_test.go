package migrating

import (
	"database/sql"
	"fmt"
	"regexp"
	"strings"
	"testing"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
	_ "github.com/lib/pq"
	oklog "github.com/oklog/ulid/v2"
	_ "modernc.org/sqlite"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// A connection is a way to a database, in which the IDs of oklog/ulid have a type. The name is that of the guide's SQL, which is
// the same for MySQL and MariaDB. A guarded column refuses a text even before the guide's statements.
type connection struct {
	name, server, driver, parameters, bytesType string
	guarded                                     bool
}

var (
	sqlite    = connection{"sqlite", "", "sqlite", "", "BLOB", false}
	postgres  = connection{"postgres", "ULID_POSTGRES", "pgx", "", "bytea", false}
	pq        = connection{"postgres", "ULID_POSTGRES", "postgres", "", "bytea", false}
	mariadb   = connection{"mysql", "ULID_MARIADB", "mysql", "", "BINARY(16)", true}
	varbinary = connection{"mysql", "ULID_MARIADB", "mysql", "", "VARBINARY(255)", false}
	notStrict = connection{"mysql", "ULID_MARIADB", "mysql", "&sql_mode=''", "BINARY(16)", false}
)

// connections are all that the guide speaks of. In mixable ones a column can hold both forms.
var (
	connections = withMySQL(
		sqlite, postgres, pq, mariadb, varbinary, notStrict,
		connection{"postgres", "ULID_POSTGRES", "pgx", "default_query_exec_mode=exec", "bytea", false},
		connection{"postgres", "ULID_POSTGRES", "pgx", "default_query_exec_mode=simple_protocol", "bytea", false},
		connection{"mysql", "ULID_MARIADB", "mysql", "&interpolateParams=true", "BINARY(16)", true},
	)
	mixable = withMySQL(sqlite, postgres, varbinary)
)

// withMySQL adds the same connection to MySQL for each to MariaDB.
func withMySQL(list ...connection) []connection {
	for _, c := range list {
		if c.server == "ULID_MARIADB" {
			c.server = "ULID_MYSQL"
			list = append(list, c)
		}
	}
	return list
}

func (c connection) String() string {
	return strings.Join([]string{c.name, c.server, c.driver, c.parameters, c.bytesType}, " ")
}

// A database is one in which nothing is yet, and that is removed after the test.
type database struct {
	connection
	dsn string // for other programs
	db  *sqlx.DB
}

func open(t *testing.T, c connection) database {
	t.Helper()
	parameters := c.parameters
	if c.name == "mysql" {
		parameters = "multiStatements=true&clientFoundRows=true" + parameters
	}
	dsn := db.Own(t, c.server, parameters)
	return database{c, dsn, sqlx.NewDb(db.Connect(t, c.driver, dsn), c.driver)}
}

// try runs SQL whose parameters are written as ?.
func (d database) try(query string, args ...any) error {
	if len(args) > 0 {
		query = d.db.Rebind(query)
	}
	_, err := d.db.Exec(query, args...)
	return err
}

// exec runs SQL that must succeed.
func (d database) exec(t *testing.T, query string, args ...any) {
	t.Helper()
	if err := d.try(query, args...); err != nil {
		t.Fatalf("%v in\n%s", err, query)
	}
}

// row scans the one row of a query.
func (d database) row(query string, args ...any) *sql.Row {
	return d.db.QueryRow(d.db.Rebind(query), args...)
}

// count returns the one number of a query.
func (d database) count(t *testing.T, query string, args ...any) (n int) {
	t.Helper()
	check(t, d.row(query, args...).Scan(&n))
	return n
}

// query returns the rows of a query as one line.
func (d database) query(t *testing.T, query string) string {
	t.Helper()
	rows := must(d.db.Queryx(query))(t)
	defer rows.Close()
	var list []string
	for rows.Next() {
		var line []string
		for _, cell := range must(rows.SliceScan())(t) {
			if b, ok := cell.([]byte); ok {
				cell = string(b)
			}
			line = append(line, fmt.Sprint(cell))
		}
		list = append(list, strings.Join(line, " "))
	}
	check(t, rows.Err())
	return strings.Join(list, ", ")
}

// --- the guide

// block returns the guide's block for the database.
func (d database) block(t *testing.T, part string) string {
	t.Helper()
	return block(t, strings.Replace(d.name, "mysql", "mysql, mariadb", 1)+": "+part)
}

// tables makes the guide's tables.
func (d database) tables(t *testing.T) {
	t.Helper()
	d.exec(t, "CREATE TABLE events (id "+d.bytesType+" PRIMARY KEY NOT NULL, note VARCHAR(100))")
	d.exec(t, "CREATE TABLE items (event_id "+d.bytesType+" NOT NULL, n INT, FOREIGN KEY (event_id) REFERENCES events (id))")
}

// loud runs the guide's statements, in SQLite for items too, as the guide says.
func (d database) loud(t *testing.T) {
	t.Helper()
	code := d.block(t, "loud")
	d.exec(t, code)
	if d.name == "sqlite" {
		d.exec(t, regexp.MustCompile(`\bid\b`).ReplaceAllString(strings.ReplaceAll(code, "events", "items"), "event_id"))
	}
}

// functions installs the functions of docs/postgresql.md and docs/mysql.md. SQLite has none.
func (d database) functions(t *testing.T) {
	t.Helper()
	if d.name != "sqlite" {
		code := read(t, "../sql/"+d.name+".sql")
		d.exec(t, strings.NewReplacer("DELIMITER //\n", "", "DELIMITER ;\n", "", " //\n", ";\n").Replace(code))
	}
}

// add writes an event with an item.
func (d database) add(t *testing.T, id any) {
	t.Helper()
	d.exec(t, "INSERT INTO events (id) VALUES (?)", id)
	d.exec(t, "INSERT INTO items (event_id, n) VALUES (?, 1)", id)
}

// fill adds n events as a program with oklog/ulid does.
func (d database) fill(t *testing.T, n int) (ids []ulid.ULID) {
	t.Helper()
	for range n {
		id := oklog.Make()
		d.add(t, id)
		ids = append(ids, ulid.ULID(id))
	}
	return ids
}

// wantForms fails the test unless the guide's query says this of events.
func (d database) wantForms(t *testing.T, want string) {
	t.Helper()
	if got := d.query(t, d.block(t, "forms")); got != want {
		t.Errorf("the forms are %q, want %q", got, want)
	}
}

// wantAll fails the test unless each ID is found in both tables by its bytes.
func (d database) wantAll(t *testing.T, ids []ulid.ULID) {
	t.Helper()
	for _, id := range ids {
		if n := d.count(t, "SELECT COUNT(*) FROM events JOIN items ON id = event_id WHERE id = ?", ulid.AsBinary(id)); n != 1 {
			t.Errorf("%v is found %d times, want 1", id, n)
		}
	}
}

// wantRefused fails the test unless SQL gives an error that has the words.
func (d database) wantRefused(t *testing.T, words, query string, args ...any) {
	t.Helper()
	if err := d.try(query, args...); err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("error %v, want %q, of %s", err, words, query)
	}
}
