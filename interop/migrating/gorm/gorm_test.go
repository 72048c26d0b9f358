// Package gorm tries what docs/storage.md says of gorm and of an ID's Go type that changes over rows that exist. It is
// a separate package because its SQLite driver registers the same name as that of the other tests.
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
	"github.com/seed-961d0905/ulid/typed"
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

	refused string // words of the error of AutoMigrate, if there is one
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
	},
	{
		name: "mariadb in latin1", database: db.MariaDB, open: mysql.Open,
		before: bytes16, after: text16, ref: old,
	},
	{
		name: "mariadb in utf8mb4", database: db.MariaDB, open: mysql.Open,
		before: bytes16, after: text16,
		refused: wrongText,
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
		refused: wrongText,
	},
	{
		name: "mysql, not strict, in utf8mb4", database: db.MySQL, parameters: "sql_mode=''", open: mysql.Open,
		before: bytes16, after: text16, ref: "\x01",
	},
}

var check = db.Check

// events opens a database, on one connection, for statements of the table events.
func events(t *testing.T, dialector gorm.Dialector) *gorm.DB {
	t.Helper()
	conn, err := gorm.Open(dialector, &gorm.Config{Logger: logger.Discard})
	check(t, err)
	pool, err := conn.DB()
	check(t, err)
	pool.SetMaxOpenConns(1)
	t.Cleanup(func() { pool.Close() })
	return conn.Table("events").Session(&gorm.Session{})
}

// each runs a test on each dialect, with a table that has the row.
func each(t *testing.T, test func(t *testing.T, conn *gorm.DB, d dialect)) {
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			conn := events(t, d.open(d.database.Own(t, d.parameters)))
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

// TestSave shows that gorm's Save stores a second row if the field is a plain ULID, unless a strict session refuses the
// text. With AsBinary it writes the same row.
func TestSave(t *testing.T) {
	page.Fact(t, "docs/storage.md", "save-duplicates")
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
	})
}

// TestUpdates shows that Updates adds the primary key of a model as a condition, which with a plain ULID is a
// string, so that it changes no row and returns no error. With AsBinary it changes the row.
func TestUpdates(t *testing.T) {
	page.Fact(t, "docs/storage.md", "updates-nothing")
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

// TestAutoMigrate shows that gorm changes the type of a column that is no primary key, unless the field is AsBinary.
func TestAutoMigrate(t *testing.T) {
	page.Fact(t, "docs/storage.md", "automigrate-cuts")
	each(t, func(t *testing.T, conn *gorm.DB, d dialect) {
		for _, model := range []any{&theirs{}, &binary{}} {
			check(t, conn.AutoMigrate(model))
			wantColumns(t, conn, d.before, old)
		}
		wantMigrated(t, conn, d, d.refused)
	})
}

// kinds with each column, as docs/storage.md has them.
type (
	inText struct{ typed.TextColumn }
	inUUID struct{ typed.UUIDColumn }
)

// of is a model with the ID.
type of[ID any] struct {
	ID ID `gorm:"primaryKey;not null"`
	N  int
}

// TestTyped shows what becomes of the rows of a plain ULID in SQLite when the field becomes a typed ID. AutoMigrate
// keeps the 26 characters. A TextColumn finds them, and a UUIDColumn finds none of them, but they are all NOT IN.
func TestTyped(t *testing.T) {
	page.Fact(t, "docs/storage.md", "other-format-loses-rows")
	conn := events(t, sqlite.Open(db.SQLite.Own(t, "")))
	check(t, conn.Exec("CREATE TABLE events (id char(26) PRIMARY KEY NOT NULL, n int)").Error)
	plain := of[ulid.ULID]{ID: ulid.Make()}
	check(t, conn.Create([]of[ulid.ULID]{plain, {ID: ulid.Make()}, {ID: ulid.Make()}}).Error)

	id := typed.ID[inText](plain.ID)
	check(t, conn.AutoMigrate(&of[typed.ID[inText]]{}))
	check(t, conn.First(&of[typed.ID[inText]]{}, "id = ?", id).Error)
	check(t, conn.Save(&of[typed.ID[inText]]{ID: id, N: 1}).Error)
	wantRows(t, conn, 3)

	other := typed.ID[inUUID](plain.ID)
	check(t, conn.AutoMigrate(&of[typed.ID[inUUID]]{}))
	wantRows(t, conn.Where("length(id) = 26"), 3)
	wantRows(t, conn.Where("id = ?", other), 0)
	wantRows(t, conn.Where("id IN ?", []any{other}), 0)
	check(t, conn.Save(&of[typed.ID[inUUID]]{ID: other, N: 2}).Error)
	wantRows(t, conn, 4) // in place of 3
	check(t, conn.Delete(&of[typed.ID[inUUID]]{}, "id NOT IN ?", []typed.ID[inUUID]{other}).Error)
	wantRows(t, conn, 1)
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
