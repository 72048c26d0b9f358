package sql

import (
	"regexp"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// A database has what the tests ask of it. What one test asks is a group of fields, whose type
// stands above that test. Each database is in a file of its own: postgres_test.go, mariadb_test.go,
// mysql_test.go and sqlite_test.go.
type database struct {
	*db.Database
	parameters string   // of its sessions, whose time zone is not UTC
	modes      []string // of sessions that read the functions and call them; the first is defaultMode
	loose      string   // a statement that lets a session store more; PostgreSQL has none
	tables     []table  // which the example "columns" makes
	items      string   // a statement that makes items_text, which refers to events_text

	queries   []query   // TestQueries
	refuses   refuses   // TestRefuses
	defaults  defaults  // TestDefault
	ranges    ranges    // TestRange
	bounds    bounds    // TestBounds
	misfits   []misfit  // TestFind
	converts  converts  // TestConvert
	installed installed // TestHeads
}

// A table has a column id.
type table struct {
	name          string
	kind          kind
	time, convert []form // in which the examples with these names return its IDs
}

// A kind of column: value converts an ID to an argument, and form is how the column returns it.
type kind struct {
	value func(ulid.ULID) any
	form  form
}

var (
	textColumn  = kind{func(id ulid.ULID) any { return id }, asText}
	uuidColumn  = kind{func(id ulid.ULID) any { return ulid.AsUUID(id) }, asUUID}
	bytesColumn = kind{func(id ulid.ULID) any { return ulid.AsBinary(id) }, asBytes}
)

var (
	databases = []*database{postgresDB, mariaDB, mysqlDB, sqliteDB}
	servers   = []*database{postgresDB, mariaDB, mysqlDB} // in which sql/ installs functions
	mysqls    = []*database{mariaDB, mysqlDB}
)

// Modes of a session. Any other is a sql_mode of MySQL or MariaDB.
const (
	defaultMode = "default"
	looseMode   = "loose"
)

// onEach runs a test on each of the databases.
func onEach(t *testing.T, list []*database, test func(t *testing.T, d *database)) {
	for _, d := range list {
		t.Run(d.Dialect, func(t *testing.T) { test(t, d) })
	}
}

// inEachMode runs a test on each of the databases, in each mode of its sessions.
func inEachMode(t *testing.T, list []*database, test func(t *testing.T, d *database, mode string)) {
	for _, d := range list {
		for _, mode := range d.modes {
			t.Run(d.Dialect+" "+mode, func(t *testing.T) { test(t, d, mode) })
		}
	}
}

// open connects to an empty database in which the functions are, by a session in the mode.
func (d *database) open(t *testing.T, mode string) *db.DB {
	t.Helper()
	conn := d.Open(t, d.parameters)
	switch mode {
	case defaultMode:
	case looseMode:
		conn.Run(d.loose)
	default:
		conn.Run(`SET sql_mode = '` + mode + `'`)
	}
	if d.SQL != "" {
		conn.Script(d.SQL)
	}
	return conn
}

// openWith is open, and then makes the tables of the examples, each with the IDs.
func (d *database) openWith(t *testing.T, mode string, ids []ulid.ULID) *db.DB {
	t.Helper()
	conn := d.open(t, mode)
	conn.Run(d.example(t, "columns"))
	d.fill(t, conn, ids)
	return conn
}

// fill inserts the IDs into each table.
func (d *database) fill(t *testing.T, conn *db.DB, ids []ulid.ULID) {
	t.Helper()
	for _, table := range d.tables {
		values := make([]any, len(ids))
		for i, id := range ids {
			values[i] = table.kind.value(id)
		}
		insert(t, conn, table.name, "id", values)
	}
}

// --- the files in sql/

// file returns one of the files that each family of databases has, such as sql/convert_mysql.sql.
func (d *database) file(t *testing.T, name string) string {
	t.Helper()
	return page.Text(t, "sql/"+name+"_"+d.Family+".sql")
}

var (
	exampleHead = regexp.MustCompile(`^-- ([a-z ]+?)(?: in (MariaDB|MySQL))?: `)
	comment     = regexp.MustCompile(`(?m)^--.*\n`)
)

// An example is a paragraph of a file of examples whose comment begins with a name and a colon.
type example struct{ name, code string }

// examples returns those that are for this database, in their order.
func (d *database) examples(t *testing.T) (list []example) {
	t.Helper()
	if d.Family == "sqlite" { // which has its tables in another file
		list = append(list, example{"columns", page.Text(t, "sql/sqlite.sql")})
	}
	for paragraph := range strings.SplitSeq(strings.TrimSuffix(d.file(t, "examples"), "\n"), "\n\n") {
		head := exampleHead.FindStringSubmatch(paragraph)
		if head == nil {
			continue
		}
		name, only := head[1], head[2]
		if only == "" || only == d.Name {
			list = append(list, example{name, comment.ReplaceAllString(paragraph+"\n", "")})
		}
	}
	return list
}

// example returns the code of the example that has the name.
func (d *database) example(t *testing.T, name string) string {
	t.Helper()
	for _, e := range d.examples(t) {
		if e.name == name {
			return e.code
		}
	}
	t.Fatalf("the examples of %s lack %s", d.Name, name)
	return ""
}

// statements returns the statements of an example.
func (d *database) statements(t *testing.T, name string) []string {
	t.Helper()
	return strings.Split(strings.TrimSuffix(d.example(t, name), ";\n"), ";\n")
}

// perTable returns the statements of an example that has one for each table.
func (d *database) perTable(t *testing.T, name string) []string {
	t.Helper()
	list := d.statements(t, name)
	if len(list) != len(d.tables) {
		t.Fatalf("%s of %s has %d statements, want %d", name, d.Dialect, len(list), len(d.tables))
	}
	return list
}

// conversion returns the statements of the file that converts a column.
func (d *database) conversion(t *testing.T) string {
	t.Helper()
	return db.WithoutDelimiter(comment.ReplaceAllString(d.file(t, "convert"), ""))
}
