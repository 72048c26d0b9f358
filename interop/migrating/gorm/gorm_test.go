// Package gorm tries what docs/migrating.md and docs/migrating-columns.md say of gorm. It is a separate package because its
// SQLite driver registers the same name as that of the other tests.
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

// A dialect is a database, with the types of both columns before and after AutoMigrate with a plain ULID, and what Ref has
// afterwards. AutoMigrate gives these errors with the CHECK of step 1, and with one that looks at the length only.
type dialect struct {
	name                                string
	database                            *db.Database
	parameters                          string
	open                                func(dsn string) gorm.Dialector
	before, after, ref, refused, length string
}

const bytes16, text16, e1366 = "varbinary(16) varbinary(16)", "varbinary(16) varchar(16)", "Error 1366 "

var dialects = []dialect{
	{"sqlite", db.SQLite, "", sqlite.Open, "blob blob", "blob text", old, "", ""},
	{"postgres", db.PostgreSQL, "", postgres.Open, "bytea bytea", "bytea character varying(16)", `\x01ffffffffffff`, "42883", ""},
	{"mariadb in latin1", db.MariaDB, "", mysql.Open, bytes16, text16, old, "", ""},
	{"mariadb in utf8mb4", db.MariaDB, "", mysql.Open, bytes16, text16, "", e1366, e1366},
	{"mariadb, not strict, in utf8mb4", db.MariaDB, "sql_mode=''", mysql.Open, bytes16, text16, "\x01???????????????", "", ""},
	{"mysql in latin1", db.MySQL, "", mysql.Open, bytes16, text16, old, "", ""},
	{"mysql in utf8mb4", db.MySQL, "", mysql.Open, bytes16, text16, "", e1366, e1366},
	{"mysql, not strict, in utf8mb4", db.MySQL, "sql_mode=''", mysql.Open, bytes16, text16, "\x01", "Error 3819 ", ""},
}

var check = db.Check

// each runs a test on each dialect, with a table that has the row.
func each(t *testing.T, test func(t *testing.T, db *gorm.DB, d dialect)) {
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			db, err := gorm.Open(d.open(d.database.Own(t, d.parameters)), &gorm.Config{Logger: logger.Discard})
			check(t, err)
			pool, err := db.DB()
			check(t, err)
			pool.SetMaxOpenConns(1)
			t.Cleanup(func() { pool.Close() })
			db = db.Table("events").Session(&gorm.Session{})
			if _, charset, ok := strings.Cut(d.name, " in "); ok {
				db = db.Set("gorm:table_options", "CHARSET="+charset).Session(&gorm.Session{})
			}
			check(t, db.AutoMigrate(&theirs{}))
			check(t, db.Create(&row).Error)
			test(t, db, d)
		})
	}
}

// TestAutoMigrate shows that gorm changes the type of a column that is no primary key, unless the field is AsBinary, and that
// step 1 stops it in PostgreSQL and MySQL.
func TestAutoMigrate(t *testing.T) {
	each(t, func(t *testing.T, db *gorm.DB, d dialect) {
		for _, model := range []any{&theirs{}, &binary{}} {
			check(t, db.AutoMigrate(model))
			wantColumns(t, db, d.before, old)
		}
		var guard []string
		check(t, db.Raw(strings.TrimSpace(page.Text(t, "sql/guard_"+d.database.Family+".sql"))).Scan(&guard).Error)
		for _, statement := range strings.SplitAfter(strings.Join(guard, "\n"), ";\n") {
			check(t, db.Exec(statement).Error)
		}

		sqlite := db.Name() == "sqlite"
		for i, refused := range []string{d.refused, d.length} {
			if i == 1 && !sqlite {
				check(t, db.Exec("ALTER TABLE events DROP CONSTRAINT events__ref_16, ADD CONSTRAINT ref_16 CHECK (octet_length(ref) <= 16)").Error)
			}
			types, ref := d.after, d.ref
			if refused != "" {
				types, ref = d.before, old
			}
			if err := db.AutoMigrate(&plain{}); (err != nil) != (refused != "") || err != nil && !strings.Contains(err.Error(), refused) {
				t.Errorf("AutoMigrate gives %v, want an error: %q", err, refused)
			}
			wantColumns(t, db, types, ref)
		}
		if sqlite { // the page says so, of a start that was too early
			check(t, db.AutoMigrate(&binary{}))
			wantColumns(t, db, d.before, old)
			var triggers int
			check(t, db.Raw("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'").Row().Scan(&triggers))
			if len(guard) != 4 || triggers != 0 {
				t.Errorf("of %d triggers SQLite has %d after AutoMigrate, want 4 and 0, as the guide warns", len(guard), triggers)
			}
		}
	})
}

// wantColumns fails the test unless the columns have the types, and Ref the bytes.
func wantColumns(t *testing.T, db *gorm.DB, types, ref string) {
	t.Helper()
	columns, err := db.Migrator().ColumnTypes("events")
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
	if db.Name() == "mysql" {
		query = "SELECT BINARY ref FROM events" // in the column's character set, not the connection's
	}
	var cell []byte
	check(t, db.Raw(query).Row().Scan(&cell))
	if string(cell) != ref {
		t.Errorf("of %s, Ref is %q, want %q", types, cell, ref)
	}
}
