// Package gorm proves docs/gorm.md.
package gorm

import (
	"errors"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glebarez/sqlite"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/schema"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/golden"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/interop/storage"
)

// User is the model of a table with IDs in columns of any type.
type User[K storage.ID] struct {
	ID        K
	ManagerID *K
	Manager   *User[K] `gorm:"constraint:-"`
}

func (User[K]) TableName() string { return "users" }

func (u *User[K]) BeforeCreate(*gorm.DB) error {
	if ulid.ULID(u.ID).IsZero() {
		u.ID = K(ulid.MakeUUIDv7()) // because MariaDB's uuid refuses others
	}
	return nil
}

func TestGorm(t *testing.T) {
	db.Each(t, func(t *testing.T, d *db.Database) {
		_, module := open(t, d.Open(t, ""))
		table := golden.New(t, "gorm: "+d.Name, d.Open(t, "").Version(), golden.Module("gorm.io/gorm"), golden.Module(module))
		test[storage.TextID](t, d, table, "`typed.ID` of a `TextColumn`", "")
		test[storage.UUIDID](t, d, table, "`typed.ID` of a `UUIDColumn`", map[string]string{"MySQL": "type:char(36)"}[d.Name])
		test[storage.BinaryID](t, d, table, "`typed.ID` of a `BinaryColumn`", map[bool]string{true: "size:16"}[d.IsMySQL()])
		for _, c := range d.Columns {
			switch {
			case c.Tag == "":
			case c.GoType == "ULID":
				test[ulid.ULID](t, d, table, "`ulid.ULID`", "type:"+c.Tag)
			case c.GoType == "AsUUID":
				test[ulid.AsUUID](t, d, table, "`ulid.AsUUID`", "type:"+c.Tag)
			case d.IsMySQL():
				test[ulid.AsBinary](t, d, table, "`ulid.AsBinary`", "type:"+c.Tag)
			default:
				test[ulid.AsBinary](t, d, table, "`ulid.AsBinary`", "size:16")
			}
		}
	})
}

// open leads gorm to a database, and names the module that it needs. SQLite is opened as the page does it.
func open(t *testing.T, conn *db.DB) (g *gorm.DB, module string) {
	t.Helper()
	dialector, module := mysql.New(mysql.Config{Conn: conn.DB.DB}), "gorm.io/driver/mysql"
	switch conn.Family {
	case "sqlite":
		page.Contains(t, "docs/gorm.md", "`sqlite.Open(filepath.Join(t.TempDir(), \"test.db\") + \"?_pragma=foreign_keys(1)\")`")
		dialector = sqlite.Open(filepath.Join(t.TempDir(), "test.db") + "?_pragma=foreign_keys(1)")
		module = "github.com/glebarez/sqlite"
	case "postgres":
		dialector, module = postgres.New(postgres.Config{Conn: conn.DB.DB}), "gorm.io/driver/postgres"
	}
	g, err := gorm.Open(dialector, &gorm.Config{Logger: logger.Discard})
	db.Check(t, err)
	return g, module
}

// migrate makes the table of User, whose IDs have the tag. It does so twice, as a program does that starts again.
func migrate[K storage.ID](db *gorm.DB, tag string) error {
	statement := &gorm.Statement{DB: db}
	err := statement.Parse(&User[K]{})
	for _, name := range []string{"ID", "ManagerID"} {
		if column, ok := strings.CutPrefix(tag, "type:"); ok {
			statement.Schema.LookUpField(name).DataType = schema.DataType(column)
		} else if tag == "size:16" {
			statement.Schema.LookUpField(name).Size = 16
		}
	}
	return errors.Join(err, db.AutoMigrate(&User[K]{}), db.AutoMigrate(&User[K]{}))
}

func test[K storage.ID](t *testing.T, d *db.Database, table *golden.Table, name, tag string) {
	type user = User[K]
	conn := d.Open(t, "")
	db, _ := open(t, conn)
	if err := migrate[K](db, tag); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(tag, "collate") {
		storage.WantCollation(t, conn, "users", "id", "manager_id")
	}

	// rows fails the test unless a statement went well and concerned so many rows.
	rows := func(want int64, db *gorm.DB) {
		t.Helper()
		if db.RowsAffected != want || db.Error != nil && !errors.Is(db.Error, gorm.ErrRecordNotFound) {
			t.Fatalf("%s: %d rows, %v; want %d", db.Statement.SQL.String(), db.RowsAffected, db.Error, want)
		}
	}
	boss := user{ID: K(ulid.MustParseUUID("12345678-1234-7123-8123-123456789012"))} // digits, and not a number
	rows(1, db.Create(&boss))
	from := time.Now()
	batch := []user{{ManagerID: &boss.ID}, {ManagerID: &boss.ID}}
	rows(2, db.Create(&batch))
	clerk, other := batch[0], batch[1]
	if ulid.ULID(clerk.ID).IsZero() || clerk.ID == other.ID {
		t.Fatalf("BeforeCreate made %v and %v", clerk.ID, other.ID)
	}

	var read user
	rows(1, db.Preload("Manager").First(&read, "id = ?", clerk.ID))
	if want := (user{ID: clerk.ID, ManagerID: &boss.ID, Manager: &boss}); !reflect.DeepEqual(read, want) {
		t.Errorf("%+v was read as %+v", want, read)
	}
	var all []user
	rows(2, db.Where("id IN ?", []K{clerk.ID, boss.ID}).Find(&all))
	first, end := K(ulid.FirstAt(from)), K(ulid.FirstAt(from.Add(time.Hour)))
	rows(2, db.Find(&all, "id >= ? AND id < ?", first, end))

	goType, kind, isTyped := strings.Cut(name, " of a ")
	null := "`*" + goType[1:] + ", read into a fresh model"
	rows(1, db.Model(&clerk).Update("ManagerID", nil))
	fresh := user{ID: clerk.ID}
	rows(1, db.First(&fresh))
	if fresh.ManagerID != nil {
		t.Errorf("NULL was read as %v", fresh.ManagerID)
	}
	rows(1, db.First(&read)) // over what it was
	if read.ManagerID != nil {
		null += "; SILENT: in one used before the old ID stays" // gorm hands no NULL to a Scanner
	}
	rows(1, db.Delete(&user{}, "id = ?", clerk.ID))
	rows(0, db.First(&user{ID: clerk.ID}))

	cell := "`gorm:\"" + tag + "\"`"
	switch {
	case isTyped: // the page has the column and the tag of its kind
		columns, _ := db.Migrator().ColumnTypes(&user{})
		column, _ := columns[0].ColumnType()
		column = "`" + strings.Replace(column, "character(", "char(", 1) + "`"
		_, row, _ := strings.Cut(page.Text(t, "docs/gorm.md"), "\n| "+kind+" | ")
		if row, _, _ = strings.Cut(row, "\n"); !strings.Contains(row, column) || tag != "" && !strings.Contains(row, cell) {
			t.Errorf("docs/gorm.md lacks %s or %s of %s", column, cell, kind)
		}
		if tag == "" {
			cell = "no tag"
		} else if untagged, _ := open(t, d.Open(t, "")); migrate[K](untagged, "") == nil {
			t.Errorf("%s needs no tag", kind)
		}
	default:
		row := regexp.MustCompile(`(?m)^\| (\w+, )?` + d.Name + `\b.* \|$`).FindString(page.Text(t, "docs/gorm.md"))
		column := slices.Index([]string{"`ulid.ULID`", "`ulid.AsUUID`", "`ulid.AsBinary`"}, goType) + 2
		if cells := strings.Split(row, " | "); len(cells) != 4 || strings.Trim(cells[column-1], " |") != cell {
			t.Errorf("docs/gorm.md lacks %s for %s of %s", cell, goType, d.Name)
		}
	}
	find, del := "`First(&x, id)`", "`Delete(&X{}, id)`"
	if strings.Contains(name, "Binary") {
		find, del = arguments[K](t, db)
	} else {
		rows(1, db.First(&user{}, other.ID))
		rows(2, db.Find(&all, []K{other.ID, boss.ID}))
		rows(1, db.Delete(&user{}, other.ID))
		rows(1, db.Find(&all)) // the boss is still there
	}
	if name == "`ulid.ULID`" {
		page.Contains(t, "docs/gorm.md", "a `BeforeCreate` hook that calls `ulid.Make` if `IsZero`")
		cell += ", and a `BeforeCreate` with `IsZero`"
	}
	storage.Tool(table, name, cell, "yes", find, del, "yes, with `Preload`", null)
}

// arguments returns what becomes of an AsBinary, or its like, that is an argument of First or Delete. gorm spreads
// what Value gives as bytes into 16 numbers: WHERE id IN (1,86,61,…). Beside numbers, bytes that are none
// count as 0 in MariaDB and MySQL. MySQL refuses to delete by them, unless the session is not strict.
func arguments[K storage.ID](t *testing.T, db *gorm.DB) (find, del string) {
	t.Helper()
	type user = User[K]
	ordinary := user{ID: K(ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV"))}
	zeros := user{ID: K(ulid.MustParse("01ARYZ6S41TSV4RR0000000000"))} // with bytes that are zero
	if err := db.Create([]user{ordinary, zeros}).Error; err != nil {
		t.Fatal(err)
	}
	outcome := func(call, nothing, every string, ordinary, zeros *gorm.DB) string {
		instead := strings.Replace(call, "id)", `"id = ?", id)`, 1)
		page.Contains(t, "docs/gorm.md", instead)
		switch {
		case ordinary.Error != nil || zeros.Error != nil:
			return call + " is an error; use " + instead
		case zeros.RowsAffected > 1:
			return "SILENT: " + call + " " + nothing + ", or " + every + " if a byte of id is 0; use " + instead
		case ordinary.RowsAffected == 0:
			return "SILENT: " + call + " " + nothing + "; use " + instead
		}
		return call
	}
	find = outcome("`First(&x, id)`", "finds nothing", "any row", db.Find(&[]user{}, ordinary.ID), db.Find(&[]user{}, zeros.ID))
	del = outcome("`Delete(&X{}, id)`", "deletes nothing", "ALL ROWS", db.Delete(&user{}, ordinary.ID), db.Delete(&user{}, zeros.ID))
	if db.Name() == "mysql" {
		page.Contains(t, "docs/gorm.md", "only a strict MySQL session refuses the `Delete`")
		db.Exec("SET sql_mode = ''")
		db.Delete(&user{}, zeros.ID)
		if all := db.Find(&[]user{}); all.Error != nil || all.RowsAffected > 0 {
			t.Errorf("Delete(&X{}, id) in a session that is not strict left %d rows, %v", all.RowsAffected, all.Error)
		}
	}
	return find, del
}
