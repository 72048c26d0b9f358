// Package gorm tries what docs/migrating.md and docs/migrating-columns.md say of gorm. It is a
// separate package because its SQLite driver registers the same name as that of the other tests.
package gorm

import (
	"strings"
	"testing"

	"github.com/glebarez/sqlite"
	oklog "github.com/oklog/ulid/v2"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

type event[ID any] struct {
	ID  ID `gorm:"primaryKey;size:16"`
	Ref ID `gorm:"size:16"`
}

type (
	theirs = event[oklog.ULID]
	plain  = event[ulid.ULID]
	binary = event[ulid.AsBinary]
)

// row is in each database. No byte of its ID is 0. Those of Ref are no UTF-8.
var row = theirs{oklog.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV"), oklog.ULID([]byte("\x01" + strings.Repeat("\xff", 15)))}
var old = string(row.Ref[:])

// A dialect is a database, and what becomes of the two columns by AutoMigrate with a plain ULID.
type dialect struct {
	name       string
	database   *db.Database
	parameters string
	open       func(dsn string) gorm.Dialector

	before string // the types of both columns
	after  string // their types after AutoMigrate
	ref    string // what Ref has then

	// The errors of AutoMigrate, if there is one, with the CHECK of step 1, and with one that looks at the
	// length only.
	refused, refusedByLength string
}

const (
	bytes16   = "varbinary(16) varbinary(16)"
	text16    = "varbinary(16) varchar(16)"
	wrongText = "Error 1366 "
)

var dialects = []dialect{
	{
		name: "sqlite", database: db.SQLite, open: sqlite.Open,
		before: "blob blob", after: "blob text", ref: old,
	},
	{
		name: "postgres", database: db.PostgreSQL, open: postgres.Open,
		before: "bytea bytea", after: "bytea character varying(16)", ref: `\x01ffffffffffff`,
		refused: "42883",
	},
	{
		name: "mariadb in latin1", database: db.MariaDB, open: mysql.Open,
		before: bytes16, after: text16, ref: old,
	},
	{
		name: "mariadb in utf8mb4", database: db.MariaDB, open: mysql.Open,
		before: bytes16, after: text16,
		refused: wrongText, refusedByLength: wrongText,
	},
	{
		name: "mariadb, not strict, in utf8mb4", database: db.MariaDB, parameters: "sql_mode=''", open: mysql.Open,
		before: bytes16, after: text16, ref: "\x01???????????????",
	},
	{
		name: "mysql in latin1", database: db.MySQL, open: mysql.Open,
		before: bytes16, after: text16, ref: old,
	},
	{
		name: "mysql in utf8mb4", database: db.MySQL, open: mysql.Open,
		before: bytes16, after: text16,
		refused: wrongText, refusedByLength: wrongText,
	},
	{
		name: "mysql, not strict, in utf8mb4", database: db.MySQL, parameters: "sql_mode=''", open: mysql.Open,
		before: bytes16, after: text16, ref: "\x01",
		refused: "Error 3819 ",
	},
}

var check = db.Check

// each runs a test on each dialect, with a table that has the row.
func each(t *testing.T, test func(t *testing.T, conn *gorm.DB, d dialect)) {
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			conn, err := gorm.Open(d.open(d.database.Own(t, d.parameters)), &gorm.Config{Logger: logger.Discard})
			check(t, err)
			pool, err := conn.DB()
			check(t, err)
			pool.SetMaxOpenConns(1)
			t.Cleanup(func() { pool.Close() })
			conn = conn.Table("events").Session(&gorm.Session{})
			_, charset, named := strings.Cut(d.name, " in ")
			if named {
				conn = conn.Set("gorm:table_options", "CHARSET="+charset).Session(&gorm.Session{})
			}
			check(t, conn.AutoMigrate(&theirs{}))
			check(t, conn.Create(&row).Error)
			test(t, conn, d)
		})
	}
}

// TestSave shows that gorm's Save stores a second row if the field is a plain ULID, unless step 1 or a
// strict session refuses the text. With AsBinary it writes the same row.
func TestSave(t *testing.T) {
	page.Fact(t, "docs/migrating.md", "save-duplicates")
	each(t, func(t *testing.T, conn *gorm.DB, d dialect) {
		asBinary := binary{ulid.AsBinary(row.ID), ulid.AsBinary(row.ID)}
		asText := plain{ulid.ULID(row.ID), ulid.ULID(row.ID)}
		check(t, conn.Save(&asBinary).Error)
		wantRows(t, conn, 1)
		err := conn.Save(&asText).Error
		if d.database.IsMySQL() && d.parameters == "" {
			if err == nil || !strings.Contains(err.Error(), "too long") {
				t.Errorf("Save gives %v, want an error, because a text is too long", err)
			}
			return
		}
		check(t, err)
		wantRows(t, conn, 2)

		check(t, conn.Exec("DELETE FROM events").Error)
		check(t, conn.Create(&row).Error)
		refuseTexts(t, conn, d)
		if conn.Save(&asText).Error == nil {
			t.Error("step 1 does not refuse what Save writes")
		}
		check(t, conn.Save(&asBinary).Error)
		wantRows(t, conn, 1)
	})
}

// TestUpdates shows that Updates adds the primary key of a model as a condition, which with a plain ULID is a
// string, so that it changes no row and returns no error. With AsBinary it changes the row.
func TestUpdates(t *testing.T) {
	page.Fact(t, "docs/migrating.md", "updates-nothing")
	each(t, func(t *testing.T, conn *gorm.DB, d dialect) {
		set := map[string]any{"ref": row.ID}
		wantUpdated(t, conn.Model(&plain{ID: ulid.ULID(row.ID)}).Updates(set), 0)
		wantUpdated(t, conn.Model(&binary{ID: ulid.AsBinary(row.ID)}).Updates(set), 1)
	})
}

func wantUpdated(t *testing.T, done *gorm.DB, want int64) {
	t.Helper()
	check(t, done.Error)
	if done.RowsAffected != want {
		t.Errorf("%d rows are changed, want %d", done.RowsAffected, want)
	}
}

// wantRows fails the test unless the table has so many rows.
func wantRows(t *testing.T, conn *gorm.DB, want int64) {
	t.Helper()
	var got int64
	check(t, conn.Count(&got).Error)
	if got != want {
		t.Errorf("%d rows, want %d", got, want)
	}
}

// TestAutoMigrate shows that gorm changes the type of a column that is no primary key, unless the field
// is AsBinary, and that step 1 stops it in PostgreSQL and MySQL.
func TestAutoMigrate(t *testing.T) {
	page.Fact(t, "docs/migrating.md", "automigrate-cuts")
	page.Fact(t, "docs/migrating.md", "automigrate-drops-triggers")
	each(t, func(t *testing.T, conn *gorm.DB, d dialect) {
		for _, model := range []any{&theirs{}, &binary{}} {
			check(t, conn.AutoMigrate(model))
			wantColumns(t, conn, d.before, old)
		}
		refuseTexts(t, conn, d)
		wantMigrated(t, conn, d, d.refused)
		if d.database == db.SQLite { // the page says so, of a start that was too early
			wantNoTriggers(t, conn)
			check(t, conn.AutoMigrate(&binary{}))
			wantColumns(t, conn, d.before, old)
			return
		}
		check(t, conn.Exec("ALTER TABLE events DROP CONSTRAINT events__ref_16, "+
			"ADD CONSTRAINT ref_16 CHECK (octet_length(ref) <= 16)").Error)
		wantMigrated(t, conn, d, d.refusedByLength)
	})
}

// refuseTexts has the columns refuse texts, as step 1 does. SQLite gets two triggers for each.
func refuseTexts(t *testing.T, conn *gorm.DB, d dialect) {
	t.Helper()
	written := rows(t, conn, strings.TrimSpace(page.Text(t, "sql/guard_"+d.database.Family+".sql")))
	if d.database == db.SQLite { // whose query writes queries
		var triggers []string
		for _, query := range written {
			triggers = append(triggers, rows(t, conn, query)...)
		}
		written = triggers
	}
	for _, statement := range strings.SplitAfter(strings.Join(written, "\n"), ";\n") {
		check(t, conn.Exec(statement).Error)
	}
	if d.database == db.SQLite && len(written) != 4 {
		t.Errorf("%d triggers are written, want 4", len(written))
	}
}

// rows returns the texts of a query.
func rows(t *testing.T, conn *gorm.DB, query string) (list []string) {
	t.Helper()
	check(t, conn.Raw(query).Scan(&list).Error)
	return list
}

// wantMigrated fails the test unless AutoMigrate with a plain ULID changes the columns, or is refused
// with the words of an error and changes nothing.
func wantMigrated(t *testing.T, conn *gorm.DB, d dialect, refused string) {
	t.Helper()
	err := conn.AutoMigrate(&plain{})
	if refused == "" {
		check(t, err)
		wantColumns(t, conn, d.after, d.ref)
		return
	}
	if err == nil || !strings.Contains(err.Error(), refused) {
		t.Errorf("AutoMigrate gives %v, want an error: %q", err, refused)
	}
	wantColumns(t, conn, d.before, old)
}

// wantNoTriggers fails the test unless AutoMigrate has dropped the triggers of SQLite.
func wantNoTriggers(t *testing.T, conn *gorm.DB) {
	t.Helper()
	var triggers int
	check(t, conn.Raw("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'").Row().Scan(&triggers))
	if triggers != 0 {
		t.Errorf("SQLite has %d triggers after AutoMigrate, want none, as the guide warns", triggers)
	}
}

// wantColumns fails the test unless the columns have the types, and Ref the bytes.
func wantColumns(t *testing.T, conn *gorm.DB, types, ref string) {
	t.Helper()
	columns, err := conn.Migrator().ColumnTypes("events")
	check(t, err)
	var got []string
	for _, column := range columns {
		kind, _ := column.ColumnType()
		got = append(got, kind)
	}
	if strings.Join(got, " ") != types {
		t.Errorf("the columns are %q, want %q", got, types)
	}
	// The comment makes it another statement: PostgreSQL does not run one again whose types have changed.
	query := "SELECT ref FROM events /* " + types + " */"
	if conn.Name() == "mysql" {
		query = "SELECT BINARY ref FROM events" // in the column's character set, not the connection's
	}
	var cell []byte
	check(t, conn.Raw(query).Row().Scan(&cell))
	if string(cell) != ref {
		t.Errorf("of %s, Ref is %q, want %q", types, cell, ref)
	}
}
