// Package gorm proves ULIDs as the keys of gorm's models.
package gorm

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"testing"

	"github.com/glebarez/sqlite"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/schema"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/storage/internal/collation"
	"github.com/seed-961d0905/ulid/interop/internal/record"
	"github.com/seed-961d0905/ulid/interop/internal/servers"
)

// User has text keys. SQLite sorts text by its bytes.
type User struct {
	ID        ulid.ULID  `gorm:"type:char(26)"`
	ManagerID *ulid.ULID `gorm:"type:char(26)"`
	Manager   *User
	Reports   []User `gorm:"foreignKey:ManagerID"`
}

func (u *User) BeforeCreate(*gorm.DB) error { return setID(&u.ID) }
func (u *User) fields() fields[User] {
	return fields[User]{&u.ID, &u.ManagerID, &u.Manager, &u.Reports}
}

// PostgresUser is User for PostgreSQL.
type PostgresUser struct {
	ID        ulid.ULID  `gorm:"type:char(26) collate ucs_basic"`
	ManagerID *ulid.ULID `gorm:"type:char(26) collate ucs_basic"`
	Manager   *PostgresUser
	Reports   []PostgresUser `gorm:"foreignKey:ManagerID"`
}

func (u *PostgresUser) BeforeCreate(*gorm.DB) error { return setID(&u.ID) }
func (u *PostgresUser) fields() fields[PostgresUser] {
	return fields[PostgresUser]{&u.ID, &u.ManagerID, &u.Manager, &u.Reports}
}

// MySQLUser is User for MySQL and MariaDB.
type MySQLUser struct {
	ID        ulid.ULID  `gorm:"type:char(26) character set ascii collate ascii_bin"`
	ManagerID *ulid.ULID `gorm:"type:char(26) character set ascii collate ascii_bin"`
	Manager   *MySQLUser
	Reports   []MySQLUser `gorm:"foreignKey:ManagerID"`
}

func (u *MySQLUser) BeforeCreate(*gorm.DB) error { return setID(&u.ID) }
func (u *MySQLUser) fields() fields[MySQLUser] {
	return fields[MySQLUser]{&u.ID, &u.ManagerID, &u.Manager, &u.Reports}
}

func setID(id *ulid.ULID) error {
	if id.IsZero() {
		*id = ulid.Make()
	}
	return nil
}

// fields points to the fields of a model with text keys.
type fields[M any] struct {
	id      *ulid.ULID
	manager **ulid.ULID
	loaded  **M
	reports *[]M
}

// textModel is a pointer to one.
type textModel[M any] interface {
	*M
	fields() fields[M]
}

// BinaryUser has keys of 16 bytes. Without the size MySQL would get a longblob, which can
// be no key.
type BinaryUser struct {
	ID        ulid.AsBinary  `gorm:"size:16"`
	ManagerID *ulid.AsBinary `gorm:"size:16"`
	Manager   *BinaryUser
}

// UUIDUser has keys of PostgreSQL's type uuid.
type UUIDUser struct {
	ID        ulid.AsUUID  `gorm:"type:uuid"`
	ManagerID *ulid.AsUUID `gorm:"type:uuid"`
	Manager   *UUIDUser
}

var dialects = []struct {
	name string
	open func(t *testing.T) gorm.Dialector
}{
	{"sqlite", func(t *testing.T) gorm.Dialector { return sqlite.Open(":memory:") }},
	{"postgres", func(t *testing.T) gorm.Dialector { return postgres.Open(servers.DSN(t, "ULID_POSTGRES")) }},
	{"mysql", func(t *testing.T) gorm.Dialector { return mysql.Open(servers.DSN(t, "ULID_MARIADB")) }},
}

// TestGorm runs each model on each dialect that has its type.
func TestGorm(t *testing.T) {
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			db := open(t, d.open(t))
			t.Run("ULID", func(t *testing.T) {
				switch d.name {
				case "sqlite":
					testText[User](t, db)
				case "postgres":
					testText[PostgresUser](t, db)
				case "mysql":
					testText[MySQLUser](t, db)
				}
			})
			t.Run("AsBinary", func(t *testing.T) { testBinary(t, db) })
			if d.name == "postgres" {
				t.Run("AsUUID", func(t *testing.T) { testUUID(t, db) })
			}
		})
	}
}

func open(t *testing.T, d gorm.Dialector) *gorm.DB {
	prefix := fmt.Sprintf("gorm_%d_", os.Getpid())
	db, err := gorm.Open(d, &gorm.Config{
		Logger:         logger.Discard,
		NamingStrategy: schema.NamingStrategy{TablePrefix: prefix},
	})
	if err != nil {
		t.Fatal(err)
	}
	sqlDB, err := db.DB()
	if err != nil {
		t.Fatal(err)
	}
	sqlDB.SetMaxOpenConns(1) // a second connection would open a second :memory:
	t.Cleanup(func() { sqlDB.Close() })
	return db
}

// migrate makes the table, twice, since a program does that each time it starts.
func migrate(t *testing.T, db *gorm.DB, model any) {
	t.Helper()
	for range 2 {
		if err := db.AutoMigrate(model); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { db.Migrator().DropTable(model) })
}

// rows fails the test unless a statement went well and concerned so many rows.
func rows(t *testing.T, want int64, db *gorm.DB) {
	t.Helper()
	if errors.Is(db.Error, gorm.ErrRecordNotFound) {
		db.Error = nil
	}
	if db.Error != nil || db.RowsAffected != want {
		t.Fatalf("%s: %d rows, %v; want %d", db.Statement.SQL.String(), db.RowsAffected, db.Error, want)
	}
}

func cells(t *testing.T, db *gorm.DB, as, tag, find, del string) {
	t.Helper()
	row := "gorm, " + db.Name() + ", `" + as + "`"
	for _, c := range [][2]string{
		{"Field type and tag", tag}, {"create", "yes"}, {"find by id", find}, {"delete by id", del},
		{"relation", "yes, with `Preload`"}, {"NULL", "`*" + as + "`, read into a fresh model; SILENT: in one used before the old ID stays"},
	} {
		record.Cell(t, "ORMs and builders", row, c[0], c[1])
	}
}

func testText[M any, P textModel[M]](t *testing.T, db *gorm.DB) {
	migrate(t, db, new(M))
	of := func(m *M) fields[M] { return P(m).fields() }
	statement := &gorm.Statement{DB: db}
	if err := statement.Parse(new(M)); err != nil {
		t.Fatal(err)
	}
	sqlDB, err := db.DB()
	if err != nil {
		t.Fatal(err)
	}
	collation.Want(t, sqlDB, db.Name(), statement.Table, "id", "manager_id")

	var boss M
	rows(t, 1, db.Create(&boss))
	bossID := *of(&boss).id
	if bossID.IsZero() {
		t.Fatal("BeforeCreate made no ID")
	}
	batch := make([]M, 2)
	*of(&batch[0]).manager, *of(&batch[1]).manager = &bossID, &bossID
	rows(t, 2, db.Create(&batch))
	user, id := batch[0], *of(&batch[0]).id
	if id.IsZero() || id == *of(&batch[1]).id {
		t.Fatalf("BeforeCreate made %v and %v", id, *of(&batch[1]).id)
	}

	var read M
	rows(t, 1, db.Preload("Manager").First(&read, id))
	got := of(&read)
	if *got.id != id || *got.manager == nil || **got.manager != bossID || *got.loaded == nil || *of(*got.loaded).id != bossID {
		t.Errorf("%v was read as %+v", id, read)
	}
	var all []M
	rows(t, 2, db.Find(&all, []ulid.ULID{id, bossID}))
	rows(t, 2, db.Where("id IN ?", []ulid.ULID{id, bossID}).Find(&all))
	rows(t, 1, db.First(new(M), "id = ?", id))
	var byKey M
	*of(&byKey).id = id
	rows(t, 1, db.First(&byKey))
	rows(t, 1, db.Preload("Reports").Joins("Manager").First(&all, bossID))
	if len(all) != 1 || len(*of(&all[0]).reports) != 2 || *of(&all[0]).manager != nil || *of(&all[0]).loaded != nil {
		t.Errorf("the manager was read as %+v", all)
	}
	rows(t, 0, db.First(new(M), ulid.Make()))

	rows(t, 1, db.Model(&user).Update("ManagerID", nil))
	var fresh M
	rows(t, 1, db.First(&fresh, id))
	rows(t, 1, db.First(&read, id))
	testNull(t, *of(&fresh).manager == nil, *got.manager != nil)

	rows(t, 1, db.Delete(new(M), id))
	rows(t, 0, db.First(new(M), id))
	rows(t, 1, db.Delete(&batch[1]))
	rows(t, 1, db.Find(&all)) // the manager is still there
	field, _ := reflect.TypeFor[M]().FieldByName("ID")
	cells(t, db, "ulid.ULID", "`"+string(field.Tag)+"`, and a `BeforeCreate` with `IsZero`", "`First(&x, id)`", "`Delete(&X{}, id)`")
}

// testNull is told what a NULL left in a fresh model and in one that had an ID there. gorm
// never hands a NULL to a Scanner, whatever its type.
func testNull(t *testing.T, isNil, stays bool) {
	t.Helper()
	if !isNil {
		t.Error("NULL was read as an ID")
	}
	if !stays {
		t.Error("NULL replaced what the model had before: is it mended?")
	}
}

// gorm spreads what Value gives as bytes into 16 numbers when it is the argument of First,
// Find or Delete: WHERE id IN (1,86,61,…).
func testBinary(t *testing.T, db *gorm.DB) {
	migrate(t, db, &BinaryUser{})
	newID := func(entropy string) ulid.AsBinary { return ulid.AsBinary(ulid.MustParse("01ARYZ6S41" + entropy)) }
	boss := BinaryUser{ID: newID("TSV4RRFFQ69G5FAV")}
	user := BinaryUser{ID: newID("TSV4RRFFQ69G5FAW"), ManagerID: &boss.ID}
	zero := BinaryUser{ID: newID("TSV4RR0000000000")} // has bytes that are zero
	rows(t, 1, db.Create(&boss))
	rows(t, 1, db.Create(&user))
	rows(t, 1, db.Create(&zero))

	var got BinaryUser
	rows(t, 1, db.Preload("Manager").First(&got, "id = ?", user.ID))
	if got.ID != user.ID || got.ManagerID == nil || *got.ManagerID != boss.ID || got.Manager == nil || got.Manager.ID != boss.ID {
		t.Errorf("%v was read as %+v", user.ID, got)
	}
	rows(t, 1, db.First(&BinaryUser{ID: user.ID}))
	fresh := BinaryUser{ID: boss.ID}
	got.ID = boss.ID
	rows(t, 1, db.First(&fresh))
	rows(t, 1, db.First(&got))
	testNull(t, fresh.ManagerID == nil, got.ManagerID != nil)
	rows(t, 1, db.Delete(&user))
	rows(t, 0, db.First(&BinaryUser{ID: user.ID}))

	find, del := "SILENT: `First(&x, id)` finds nothing", "SILENT: `Delete(&X{}, id)` deletes nothing"
	switch db.Name() {
	case "postgres":
		find, del = "`First(&x, id)` is an error", "`Delete(&X{}, id)` is an error"
		for _, db := range []*gorm.DB{db.First(&BinaryUser{}, boss.ID), db.Delete(&BinaryUser{}, boss.ID)} {
			if db.Error == nil || errors.Is(db.Error, gorm.ErrRecordNotFound) {
				t.Errorf("%s: %d rows, %v", db.Statement.SQL.String(), db.RowsAffected, db.Error)
			}
		}
	case "mysql":
		// Bytes that are no number count as 0 beside numbers.
		find = "SILENT: `First(&x, id)` finds nothing, or on MariaDB any row if a byte of id is 0"
		del = "SILENT: `Delete(&X{}, id)` deletes nothing, or on MariaDB ALL ROWS if a byte of id is 0"
		rows(t, 0, db.First(&BinaryUser{}, boss.ID))
		rows(t, 0, db.Delete(&BinaryUser{}, boss.ID))
		rows(t, 2, db.Find(&[]BinaryUser{}, zero.ID))
		rows(t, 2, db.Delete(&BinaryUser{}, zero.ID))
	default:
		rows(t, 0, db.First(&BinaryUser{}, boss.ID))
		rows(t, 0, db.Delete(&BinaryUser{}, boss.ID))
	}
	cells(t, db, "ulid.AsBinary", "`gorm:\"size:16\"`",
		find+"; use `First(&x, \"id = ?\", id)`", del+"; use `Delete(&X{ID: id})`")
}

func testUUID(t *testing.T, db *gorm.DB) {
	migrate(t, db, &UUIDUser{})
	boss := UUIDUser{ID: ulid.AsUUID(ulid.Make())}
	user := UUIDUser{ID: ulid.AsUUID(ulid.Make()), ManagerID: &boss.ID}
	rows(t, 1, db.Create(&boss))
	rows(t, 1, db.Create(&user))

	var got UUIDUser
	rows(t, 1, db.Preload("Manager").First(&got, user.ID))
	if got.ID != user.ID || got.ManagerID == nil || *got.ManagerID != boss.ID || got.Manager == nil || got.Manager.ID != boss.ID {
		t.Errorf("%v was read as %+v", user.ID, got)
	}
	fresh := UUIDUser{ID: boss.ID}
	got.ID = boss.ID
	rows(t, 1, db.First(&fresh))
	rows(t, 1, db.First(&got))
	testNull(t, fresh.ManagerID == nil, got.ManagerID != nil)
	rows(t, 1, db.Delete(&UUIDUser{}, user.ID))
	rows(t, 0, db.First(&UUIDUser{}, user.ID))
	cells(t, db, "ulid.AsUUID", "`gorm:\"type:uuid\"`", "`First(&x, id)`", "`Delete(&X{}, id)`")
}
