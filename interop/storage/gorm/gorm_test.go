// Package gorm proves docs/gorm.md.
package gorm

import (
	"errors"
	"reflect"
	"strings"
	"testing"

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
		u.ID = K(ulid.Make())
	}
	return nil
}

func TestGorm(t *testing.T) {
	db.Each(t, func(t *testing.T, d *db.Database) {
		_, module := dialector(d, nil)
		table := golden.New(t, "gorm: "+d.Name, d.Open(t, "").Version(), golden.Module("gorm.io/gorm"), golden.Module(module))
		for _, c := range d.Columns {
			switch {
			case c.Tag == "":
			case c.GoType == "ULID":
				test[ulid.ULID](t, d, table, "type:"+c.Tag)
			case c.GoType == "AsUUID":
				test[ulid.AsUUID](t, d, table, "type:"+c.Tag)
			case d.IsMySQL():
				test[ulid.AsBinary](t, d, table, "type:"+c.Tag)
			default:
				test[ulid.AsBinary](t, d, table, "size:16")
			}
		}
	})
}

// dialector returns what gorm needs for a database, and the module that has it.
func dialector(d *db.Database, conn gorm.ConnPool) (gorm.Dialector, string) {
	switch d.Family {
	case "sqlite":
		return sqlite.Dialector{Conn: conn}, "github.com/glebarez/sqlite"
	case "postgres":
		return postgres.New(postgres.Config{Conn: conn}), "gorm.io/driver/postgres"
	}
	return mysql.New(mysql.Config{Conn: conn}), "gorm.io/driver/mysql"
}

// migrate makes an empty database and the tables of models, whose IDs have the tag. It does so twice, as a program does that
// starts again.
func migrate(t *testing.T, d *db.Database, tag string, models ...any) *gorm.DB {
	t.Helper()
	sqlDB := d.Open(t, "")
	connector, _ := dialector(d, sqlDB.DB.DB)
	db, err := gorm.Open(connector, &gorm.Config{Logger: logger.Discard})
	texts := map[string][]string{} // the columns of each table
	for _, m := range models {
		statement := &gorm.Statement{DB: db}
		err = errors.Join(err, statement.Parse(m))
		for _, f := range statement.Schema.Fields {
			if _, isID := reflect.Zero(f.IndirectFieldType).Interface().(interface{ UUIDString() string }); !isID || f.DBName == "" {
				continue
			}
			if column, ok := strings.CutPrefix(tag, "type:"); ok {
				f.DataType = schema.DataType(column)
			} else if tag == "size:16" {
				f.Size = 16
			}
			if tag == "" || strings.Contains(tag, "char") {
				texts[statement.Table] = append(texts[statement.Table], f.DBName)
			}
		}
	}
	if err := errors.Join(err, db.AutoMigrate(models...), db.AutoMigrate(models...)); err != nil {
		t.Fatal(err)
	}
	for table, columns := range texts {
		storage.WantCollation(t, sqlDB, table, columns...)
	}
	return db
}

func test[K storage.ID](t *testing.T, d *db.Database, table *golden.Table, tag string) {
	type user = User[K]
	db := migrate(t, d, tag, &user{})

	// rows fails the test unless a statement went well and concerned so many rows.
	rows := func(want int64, db *gorm.DB) {
		t.Helper()
		if db.RowsAffected != want || db.Error != nil && !errors.Is(db.Error, gorm.ErrRecordNotFound) {
			t.Fatalf("%s: %d rows, %v; want %d", db.Statement.SQL.String(), db.RowsAffected, db.Error, want)
		}
	}
	var boss user
	rows(1, db.Create(&boss))
	batch := []user{{ManagerID: &boss.ID}, {ManagerID: &boss.ID}}
	rows(2, db.Create(&batch))
	clerk, other := batch[0], batch[1]
	if ulid.ULID(boss.ID).IsZero() || clerk.ID == other.ID {
		t.Fatalf("BeforeCreate made %v, %v and %v", boss.ID, clerk.ID, other.ID)
	}

	var read user
	rows(1, db.Preload("Manager").First(&read, "id = ?", clerk.ID))
	if want := (user{ID: clerk.ID, ManagerID: &boss.ID, Manager: &boss}); !reflect.DeepEqual(read, want) {
		t.Errorf("%+v was read as %+v", want, read)
	}
	var all []user
	rows(2, db.Where("id IN ?", []K{clerk.ID, boss.ID}).Find(&all))

	null := "`*" + storage.TypeName[K]() + "`, read into a fresh model"
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
	find, del := "`First(&x, id)`", "`Delete(&X{}, id)`"
	if storage.TypeName[K]() == "ulid.AsBinary" {
		find, del = arguments(t, db)
	} else {
		storage.OnPage(t, d, "gorm", cell)
		page.Contains(t, "docs/gorm.md", "| `"+strings.TrimPrefix(tag, "type:")+"` | `"+storage.TypeName[K]()+"`")
		rows(1, db.First(&user{}, other.ID))
		rows(2, db.Find(&all, []K{other.ID, boss.ID}))
		rows(1, db.Delete(&user{}, other.ID))
		rows(1, db.Find(&all)) // the boss is still there
	}
	if storage.TypeName[K]() == "ulid.ULID" {
		storage.OnPage(t, d, "gorm", "a `BeforeCreate` hook that calls `ulid.Make` if `IsZero`")
		cell += ", and a `BeforeCreate` with `IsZero`"
	}
	storage.Tool(table, "`"+storage.TypeName[K]()+"`", cell, "yes", find, del, "yes, with `Preload`", null)
}

// arguments returns what becomes of an AsBinary that is an argument of First or Delete. gorm spreads
// what Value gives as bytes into 16 numbers: WHERE id IN (1,86,61,…). Beside numbers, bytes that are none
// count as 0 in MariaDB and MySQL. MySQL refuses to delete by them, unless the session is not strict.
func arguments(t *testing.T, db *gorm.DB) (find, del string) {
	t.Helper()
	type user = User[ulid.AsBinary]
	ordinary := user{ID: ulid.AsBinary(ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV"))}
	zeros := user{ID: ulid.AsBinary(ulid.MustParse("01ARYZ6S41TSV4RR0000000000"))} // with bytes that are zero
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
	find = outcome("`First(&x, id)`", "finds nothing", "any row",
		db.Find(&[]user{}, ordinary.ID), db.Find(&[]user{}, zeros.ID))
	del = outcome("`Delete(&X{}, id)`", "deletes nothing", "ALL ROWS", db.Delete(&user{}, ordinary.ID), db.Delete(&user{}, zeros.ID))
	if db.Name() == "mysql" {
		page.Contains(t, "docs/gorm.md", "Only a strict MySQL session refuses the `Delete` (error 1292).")
		if err := db.Delete(&user{}, zeros.ID).Error; err != nil && !strings.HasPrefix(err.Error(), "Error 1292 ") {
			t.Errorf("the error is %v, want Error 1292", err)
		}
		db.Exec("SET sql_mode = ''")
		db.Delete(&user{}, zeros.ID)
		if all := db.Find(&[]user{}); all.Error != nil || all.RowsAffected > 0 {
			t.Errorf("Delete(&X{}, id) in a session that is not strict left %d rows, %v", all.RowsAffected, all.Error)
		}
	}
	return find, del
}
