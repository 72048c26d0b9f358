package sql

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// A dependent is what depends on the column e of the table third, which refers to an event.
type dependent struct {
	fact          string
	databases     []*db.Database
	idType        string // "" for that of the page
	create        []string
	listed        string    // what begins a line of the page's query in MySQL and MariaDB
	before, after [2]string // a statement and its result
}

const (
	zeroText = "'00000000000000000000000000'"
	zeroUUID = "'00000000-0000-0000-0000-000000000000'"
	zeroBlob = "X'00000000000000000000000000000000'"
)

var silent = []dependent{
	{
		fact: "reference-without-key", databases: all[1:],
		create: []string{`CREATE TABLE third (e ID)`, `CREATE TABLE loose AS SELECT id FROM events`},
		listed: "column loose id",
		before: [2]string{`SELECT count(*) FROM loose JOIN events ON loose.id = events.id`, "3"},
		after:  [2]string{`SELECT count(*) FROM loose JOIN events ON loose.id = events.id`, "0"},
	},
	{
		fact: "reference-without-key", databases: all[:1],
		create: []string{`CREATE TABLE third (e ID)`, `CREATE TABLE loose AS SELECT id FROM events`},
		before: [2]string{`SELECT count(*) FROM loose JOIN events ON loose.id = events.id`, "3"},
		after:  [2]string{`SELECT count(*) FROM loose JOIN events ON loose.id = events.id`, "error"},
	},
	{
		fact: "varchar-check-stays", databases: all[:1], idType: "varchar(26)",
		create: []string{`CREATE TABLE third (e ID, CHECK (e <> ` + zeroText + `))`},
		before: [2]string{`INSERT INTO third VALUES (` + zeroText + `)`, "error"},
		after:  [2]string{`INSERT INTO third VALUES (` + zeroUUID + `)`, "done"},
	},
	{
		fact: "varchar-index-stays", databases: all[:1], idType: "varchar(26)",
		create: []string{`CREATE TABLE third (e ID)`, `CREATE INDEX upper_e ON third (upper(e))`},
		before: [2]string{`SELECT pg_get_indexdef('upper_e'::regclass, 1, true)`, "upper(e::text)"},
		after:  [2]string{`SELECT pg_get_indexdef('upper_e'::regclass, 1, true)`, "upper(e::text)"},
	},
	{
		fact: "varchar-index-stays", databases: all[:1], idType: "char(26)",
		create: []string{`CREATE TABLE third (e ID)`, `CREATE INDEX upper_e ON third (upper(e))`},
		before: [2]string{`SELECT pg_get_indexdef('upper_e'::regclass, 1, true)`, "upper(e::text)"},
		after:  [2]string{`SELECT pg_get_indexdef('upper_e'::regclass, 1, true)`, "upper(e::text)"},
	},
	{
		fact: "function-returns-the-new-format", databases: all[:1],
		create: []string{
			`CREATE TABLE third (e ID)`,
			`CREATE FUNCTION ids() RETURNS SETOF text LANGUAGE sql AS 'SELECT id FROM events'`,
		},
		before: [2]string{`SELECT max(length(ids)) FROM ids()`, "26"},
		after:  [2]string{`SELECT max(length(ids)) FROM ids()`, "36"},
	},
	{
		fact: "comment-is-gone", databases: all[:1],
		create: []string{`CREATE TABLE third (e ID)`, `COMMENT ON CONSTRAINT items_event_id_fkey ON items IS 'why'`},
		before: [2]string{`SELECT obj_description(oid, 'pg_constraint') FROM pg_constraint
			WHERE conrelid = 'items'::regclass AND contype = 'f'`, "why"},
		after: [2]string{`SELECT obj_description(oid, 'pg_constraint') FROM pg_constraint
			WHERE conrelid = 'items'::regclass AND contype = 'f'`, "NULL"},
	},
	{
		fact: "triggers-do-not-run", databases: all[:1],
		create: []string{
			`CREATE TABLE third (e ID)`,
			`CREATE TABLE log (n int)`,
			`CREATE FUNCTION add() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO log VALUES (1); RETURN NEW; END'`,
			`CREATE TRIGGER third_log AFTER UPDATE ON third FOR EACH ROW EXECUTE FUNCTION add()`,
		},
		before: [2]string{`SELECT count(*) FROM log`, "0"},
		after:  [2]string{`SELECT count(*) FROM log`, "0"},
	},
	{
		fact: "check-stays", databases: all[1:],
		create: []string{`CREATE TABLE third (e ID, CHECK (e <> ` + zeroText + `))`},
		listed: "check third ",
		before: [2]string{`INSERT INTO third VALUES (` + zeroText + `)`, "error"},
		after:  [2]string{`INSERT INTO third VALUES (` + zeroBlob + `)`, "done"},
	},
	{
		fact: "check-stays", databases: []*db.Database{db.MariaDB},
		create: []string{`CREATE TABLE third (e ID CHECK (e <> ` + zeroText + `))`},
		listed: "check third ",
		before: [2]string{`INSERT INTO third VALUES (` + zeroText + `)`, "error"},
		after:  [2]string{`INSERT INTO third VALUES (` + zeroBlob + `)`, "done"},
	},
	{
		fact: "view-stays", databases: all[1:],
		create: []string{
			`CREATE TABLE third (e ID)`,
			`CREATE VIEW recent AS SELECT e FROM third WHERE e BETWEEN '01' AND '02'`,
		},
		listed: "view recent ",
		before: [2]string{`SELECT count(*) FROM recent`, "3"},
		after:  [2]string{`SELECT count(*) FROM recent`, "0"},
	},
	{
		fact: "trigger-runs", databases: mysqls,
		create: []string{
			`CREATE TABLE third (e ID)`,
			`CREATE TABLE log (n INT)`,
			`CREATE TRIGGER third_log AFTER UPDATE ON third FOR EACH ROW INSERT INTO log VALUES (1)`,
		},
		listed: "trigger third third_log",
		before: [2]string{`SELECT count(*) FROM log`, "0"},
		after:  [2]string{`SELECT count(*) FROM log`, "3"},
	},
	{
		fact: "partitions-stay", databases: mysqls,
		create: []string{`CREATE TABLE third (e ID) PARTITION BY RANGE COLUMNS (e) (
			PARTITION early VALUES LESS THAN ('01'), PARTITION late VALUES LESS THAN (MAXVALUE))`},
		before: [2]string{`SELECT count(*) FROM third PARTITION (early)`, "0"},
		after:  [2]string{`SELECT count(*) FROM third PARTITION (early)`, "3"},
	},
	{
		fact: "index-is-renamed", databases: mysqls,
		create: []string{`CREATE TABLE third (e ID, FOREIGN KEY (e) REFERENCES events (id))`},
		listed: "foreign key third third_ibfk_1",
		before: [2]string{`SELECT INDEX_NAME FROM information_schema.STATISTICS
			WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'third'`, "e"},
		after: [2]string{`SELECT INDEX_NAME FROM information_schema.STATISTICS
			WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'third'`, "third_ibfk_1"},
	},
}

// loud are what PostgreSQL and SQLite do not let change.
var loud = []dependent{
	{databases: all[:1], create: []string{`CREATE TABLE third (e ID, CHECK (e <> ` + zeroText + `))`}},
	{databases: all[:1], idType: "char(26)", create: []string{`CREATE TABLE third (e ID, CHECK (e <> ` + zeroText + `))`}},
	{databases: all[:1], create: []string{`CREATE TABLE third (e ID DEFAULT 'x')`}},
	{databases: all[:1], create: []string{`CREATE TABLE third (e ID)`, `CREATE VIEW recent AS SELECT e FROM third`}},
	{databases: all[:1], create: []string{
		`CREATE TABLE third (e ID)`,
		`CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`,
		`CREATE TRIGGER third_e BEFORE UPDATE OF e ON third FOR EACH ROW EXECUTE FUNCTION nothing()`,
	}},
	{databases: all[3:], create: []string{
		`CREATE TABLE third (e ID, n INT)`, `CREATE TRIGGER third_e AFTER UPDATE ON third BEGIN UPDATE third SET n = 1; END`,
	}},
	{databases: all[3:], create: []string{`CREATE TABLE third (e ID PRIMARY KEY NOT NULL) WITHOUT ROWID`}},
	{databases: all[3:], create: []string{`CREATE TABLE third (e ID, rowid INT DEFAULT 1)`}},
	{databases: all[3:], create: []string{`CREATE TABLE third (e ID CHECK (typeof(e) = 'text'))`}},
}

// fixture returns the tables of the page, and the third one with three rows.
func (d dependent) fixture(t *testing.T, conn *db.DB) *fixture {
	t.Helper()
	idType := textType[conn.Family]
	if d.idType != "" {
		idType = d.idType
	}
	x := example(t, conn, idType, asText)
	for i, statement := range d.create {
		conn.Run(strings.ReplaceAll(statement, " ID", " "+idType))
		if i == 0 {
			conn.Run(`INSERT INTO third (e) SELECT id FROM events`)
		}
	}
	x.tables = append(x.tables, "third")
	x.columns = append(x.columns, [2]string{"third", "e"})
	x.holds = look(t, conn, x.schema, x.format)
	return x
}

// change makes the first change of the page.
func (x *fixture) change() error {
	x.t.Helper()
	c, _ := firstChange(x.t, x.Family)
	if x.Family == "sqlite" {
		return c.convert(db.Connect(x.t, "sqlite", x.DSN), x.columns)
	}
	return try(x.t, x.DB, write(x.t, x.DB, x.schema, c)...)
}

// result is the rows of a query, "done" for another statement, or "error".
func result(conn *db.DB, statement string) string {
	if conn.Try(statement) != nil {
		return "error"
	}
	if strings.HasPrefix(statement, "SELECT") {
		return strings.Join(lines(conn, statement), ", ")
	}
	return "done"
}

// TestSilent changes a column on which depends what changes its meaning without an error.
func TestSilent(t *testing.T) {
	for _, d := range silent {
		page.Fact(t, convertPage, d.fact)
		for _, database := range d.databases {
			t.Run(d.fact+" "+database.Dialect, func(t *testing.T) {
				conn := openWithFunctions(t, database)
				x := d.fixture(t, conn)
				if got := result(conn, d.before[0]); got != d.before[1] {
					t.Errorf("before the change, %s is %s, want %s", d.before[0], got, d.before[1])
				}
				if conn.IsMySQL() {
					d.wantListed(t, conn)
				}
				db.Check(t, x.change())
				if got := result(conn, d.after[0]); got != d.after[1] {
					t.Errorf("after the change, %s is %s, want %s", d.after[0], got, d.after[1])
				}
			})
		}
	}
}

// wantListed fails the test unless the query of the page prints what depends on the column.
func (d dependent) wantListed(t *testing.T, conn *db.DB) {
	t.Helper()
	printed := lines(conn, convertBlock(t, conn, "uses"))
	if !slices.ContainsFunc(printed, func(line string) bool { return strings.HasPrefix(line, d.listed) }) {
		t.Errorf("the query of the page prints %q, and not %q", printed, d.listed)
	}
}

// TestLoud tries to change a column on which depends what makes it an error. Nothing has changed then.
func TestLoud(t *testing.T) {
	for _, d := range loud {
		t.Run(d.databases[0].Dialect, func(t *testing.T) {
			x := d.fixture(t, openWithFunctions(t, d.databases[0]))
			if err := x.change(); err == nil {
				t.Errorf("changed without an error: %s", d.create)
			}
			x.want(x.format, "the error")
		})
	}
}
