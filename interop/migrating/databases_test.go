package migrating

import (
	"database/sql"
	"strings"
	"testing"

	oklog "github.com/oklog/ulid/v2"
	_ "modernc.org/sqlite"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// A connection is a way to a database, in which the IDs of oklog/ulid have a type.
type connection struct {
	database     *db.Database
	driver       string
	parameters   string
	bytesType    string
	refusesTexts bool // a text is an error
}

var (
	sqlite    = connection{database: db.SQLite, driver: "sqlite", bytesType: "BLOB"}
	inText    = connection{database: db.SQLite, driver: "sqlite", bytesType: "TEXT"} // as by ent
	postgres  = connection{database: db.PostgreSQL, driver: "pgx", bytesType: "bytea"}
	pq        = connection{database: db.PostgreSQL, driver: "postgres", bytesType: "bytea"}
	pgxExec   = withParameters(postgres, "default_query_exec_mode=exec")
	pgxSimple = withParameters(postgres, "default_query_exec_mode=simple_protocol")

	mariadb      = connection{database: db.MariaDB, driver: "mysql", bytesType: "BINARY(16)", refusesTexts: true}
	interpolated = withParameters(mariadb, "&interpolateParams=true")
	notStrict    = connection{
		database: db.MariaDB, driver: "mysql", parameters: "&sql_mode=''", bytesType: "BINARY(16)",
	}
	varbinary = connection{database: db.MariaDB, driver: "mysql", bytesType: "VARBINARY(255)"}
)

var (
	// connections are all that the guide speaks of.
	connections = withMySQL(
		sqlite, inText, postgres, pq, pgxExec, pgxSimple, mariadb, interpolated, notStrict, varbinary,
	)
	// A column of these can hold texts and bytes.
	mixable = withMySQL(sqlite, inText, postgres, varbinary)
)

// withParameters returns the connection with other parameters.
func withParameters(c connection, parameters string) connection {
	c.parameters = parameters
	return c
}

// withMySQL adds the same connection to MySQL for each to MariaDB.
func withMySQL(list ...connection) []connection {
	for _, c := range list {
		if c.database == db.MariaDB {
			c.database = db.MySQL
			list = append(list, c)
		}
	}
	return list
}

func (c connection) String() string {
	return strings.Join([]string{c.database.Name, c.driver, c.parameters, c.bytesType}, " ")
}

// A guideDB is an empty database of a test, which runs the guide's SQL in it.
type guideDB struct {
	*db.DB
	via connection
}

// each runs a test on a database of each connection.
func each(t *testing.T, list []connection, test func(t *testing.T, d guideDB)) {
	t.Helper()
	for _, c := range list {
		t.Run(c.String(), func(t *testing.T) { test(t, open(t, c)) })
	}
}

func open(t *testing.T, c connection) guideDB {
	t.Helper()
	parameters := c.parameters
	if c.database.IsMySQL() {
		parameters = "multiStatements=true&clientFoundRows=true" + parameters
	}
	return guideDB{c.database.OpenWith(t, db.Driver{Driver: c.driver, Parameters: parameters}), c}
}

// row scans the one row of a query.
func (d guideDB) row(query string, args ...any) *sql.Row {
	return d.QueryRow(d.Rebind(query), args...)
}

// lines returns the rows of a query as one text.
func (d guideDB) lines(query string) string {
	var lines []string
	for _, row := range d.Rows(query) {
		var cells []string
		for _, cell := range row {
			cells = append(cells, text(cell))
		}
		lines = append(lines, strings.Join(cells, " "))
	}
	return strings.Join(lines, ", ")
}

// --- the guide

// guideBlock returns the guide's block for the database, which MySQL and MariaDB share.
func (d guideDB) guideBlock(t *testing.T, part string) string {
	t.Helper()
	names := d.Family
	if d.IsMySQL() {
		names = "mysql, mariadb"
	}
	return guideBlock(t, names+": "+part)
}

// makeTables makes the guide's tables.
func (d guideDB) makeTables() {
	d.Run("CREATE TABLE events (id " + d.via.bytesType + " PRIMARY KEY NOT NULL, note VARCHAR(100))")
	d.Run("CREATE TABLE items (event_id " + d.via.bytesType + " NOT NULL, n INT, " +
		"FOREIGN KEY (event_id) REFERENCES events (id))")
}

// installFunctions installs the functions of docs/postgresql.md and docs/mysql.md. SQLite has none.
func (d guideDB) installFunctions() {
	if d.SQL != "" {
		d.Script(d.SQL)
	}
}

// --- rows

// insert is a statement that many tests share.
const insert = "INSERT INTO events (id) VALUES (?)"

// addEvent writes an event with an item.
func (d guideDB) addEvent(id any) {
	d.Run(insert, id)
	d.Run("INSERT INTO items (event_id, n) VALUES (?, 1)", id)
}

// addOldEvents adds n events as a program with oklog/ulid does.
func (d guideDB) addOldEvents(n int) (ids []ulid.ULID) {
	for range n {
		id := oklog.Make()
		d.addEvent(id)
		ids = append(ids, ulid.ULID(id))
	}
	return ids
}

// wantForms fails the test unless the guide's query says this of events.
func (d guideDB) wantForms(t *testing.T, want string) {
	t.Helper()
	got := d.lines(d.guideBlock(t, "forms"))
	if got != want {
		t.Errorf("the forms are %q, want %q", got, want)
	}
}

// wantFound fails the test unless each ID is found in both tables by its bytes.
func (d guideDB) wantFound(t *testing.T, ids []ulid.ULID) {
	t.Helper()
	for _, id := range ids {
		d.wantCount(t, 1, "events JOIN items ON id = event_id WHERE id = ?", ulid.AsBinary(id))
	}
}

// wantCount fails the test unless so many rows are in what stands after FROM.
func (d guideDB) wantCount(t *testing.T, want int, from string, args ...any) {
	t.Helper()
	got := d.Count("SELECT COUNT(*) FROM "+from, args...)
	if got != want {
		t.Errorf("%d rows, want %d, of %s %v", got, want, from, args)
	}
}

// wantRefused fails the test unless SQL gives an error that has the words.
func (d guideDB) wantRefused(t *testing.T, words, query string, args ...any) {
	t.Helper()
	err := d.Try(query, args...)
	if err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("error %v, want %q, of %s", err, words, query)
	}
}
