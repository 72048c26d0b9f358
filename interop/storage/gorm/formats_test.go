package gorm

import (
	"strings"
	"testing"

	"github.com/glebarez/sqlite"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/interop/recipes"
	"github.com/seed-961d0905/ulid/typed"
)

// storagePage says what becomes of rows whose IDs get another Go type.
const storagePage = "docs/storage.md"

// A stored row has IDs in columns of bytes, until a program gives its fields another type.
type stored[ID any] struct {
	ID  ID `gorm:"primaryKey;size:16"`
	Ref ID `gorm:"size:16"`
	N   int
}

type (
	asBytes = stored[ulid.AsBinary]
	asText  = stored[ulid.ULID]
)

// No byte of the ID is 0. Those of Ref are no UTF-8.
var row = asBytes{
	ID:  ulid.AsBinary(ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")),
	Ref: ulid.AsBinary([]byte("\x01" + strings.Repeat("\xff", 15))),
}

// A bytesCase is a database, and what happens in it to a column of bytes whose field becomes a ulid.ULID.
type bytesCase struct {
	name       string
	database   *db.Database
	parameters string
	open       func(dsn string) gorm.Dialector
	refuses    bool // the strings of Save and the change of AutoMigrate
	cuts       bool // Ref, by AutoMigrate
}

var bytesCases = []bytesCase{
	{name: "SQLite", database: db.SQLite, open: sqlite.Open},
	{name: "PostgreSQL", database: db.PostgreSQL, open: postgres.Open, cuts: true},
	{name: "MariaDB", database: db.MariaDB, open: mysql.Open, refuses: true},
	{name: "MariaDB, not strict", database: db.MariaDB, parameters: "sql_mode=''", open: mysql.Open, cuts: true},
	{name: "MySQL", database: db.MySQL, open: mysql.Open, refuses: true},
	{name: "MySQL, not strict", database: db.MySQL, parameters: "sql_mode=''", open: mysql.Open, cuts: true},
}

// table opens a database, on one connection, for statements of the table events.
func table(t *testing.T, dialector gorm.Dialector) *gorm.DB {
	t.Helper()
	g, err := gorm.Open(dialector, &gorm.Config{Logger: logger.Discard})
	db.Check(t, err)
	pool, err := g.DB()
	db.Check(t, err)
	pool.SetMaxOpenConns(1)
	t.Cleanup(func() { pool.Close() })
	return g.Table("events").Session(&gorm.Session{})
}

// TestBytesBecomeText gives the fields of a row of bytes the type ulid.ULID.
func TestBytesBecomeText(t *testing.T) {
	for _, c := range bytesCases {
		t.Run(c.name, func(t *testing.T) {
			events := table(t, c.open(c.database.Own(t, c.parameters)))
			if c.database.IsMySQL() {
				events = events.Set("gorm:table_options", "CHARSET=utf8mb4").Session(&gorm.Session{})
			}
			db.Check(t, events.AutoMigrate(&asBytes{}))
			bytes := row
			db.Check(t, events.Create(&bytes).Error)
			text := asText{ID: ulid.ULID(row.ID)}

			page.Fact(t, storagePage, "updates-nothing")
			set := map[string]any{"n": 1}
			wantRows(t, 0, events.Model(&text).Updates(set))
			wantRows(t, 1, events.Model(&bytes).Updates(set))

			page.Fact(t, storagePage, "automigrate-cuts")
			db.Check(t, events.AutoMigrate(&asBytes{}))
			if !keepsRef(t, events) {
				t.Error("AutoMigrate with the type of the rows changes Ref")
			}
			err := events.AutoMigrate(&asText{})
			if c.refuses != (err != nil) {
				t.Errorf("AutoMigrate gives %v", err)
			}
			if c.cuts == keepsRef(t, events) {
				t.Errorf("AutoMigrate cuts Ref: %v, want %v", !c.cuts, c.cuts)
			}

			page.Fact(t, storagePage, "save-duplicates")
			err = events.Omit("Ref").Save(&text).Error
			if c.refuses != (err != nil) {
				t.Errorf("Save gives %v", err)
			}
			if !c.refuses {
				wantRows(t, 2, events.Omit("Ref").Find(&[]asBytes{}))
			}
		})
	}
}

// keepsRef reports whether the row has the bytes of Ref. PostgreSQL does not run a statement again whose types have
// changed, so each is another one.
func keepsRef(t *testing.T, events *gorm.DB) bool {
	t.Helper()
	var ref []byte
	db.Check(t, events.Raw("SELECT ref FROM events /* "+ulid.Make().String()+" */").Row().Scan(&ref))
	return string(ref) == string(row.Ref[:])
}

func wantRows(t *testing.T, want int64, result *gorm.DB) {
	t.Helper()
	if result.Error != nil || result.RowsAffected != want {
		t.Errorf("%d rows, %v; want %d", result.RowsAffected, result.Error, want)
	}
}

// Kinds of each column, as the page has them.
type (
	inText struct{ typed.TextColumn }
	inUUID struct{ typed.UUIDColumn }
)

// of is a model with the ID.
type of[ID any] struct {
	ID ID `gorm:"primaryKey;not null"`
	N  int
}

// TestTextBecomesTyped shows what becomes of the rows of a ulid.ULID in SQLite when the field becomes a typed ID.
// AutoMigrate keeps the 26 characters. A TextColumn finds them. A UUIDColumn finds none, but they are all NOT IN.
func TestTextBecomesTyped(t *testing.T) {
	page.Fact(t, storagePage, "other-format-loses-rows")
	events := table(t, sqlite.Open(db.SQLite.Own(t, "")))
	db.Check(t, events.Exec("CREATE TABLE events (id char(26) PRIMARY KEY NOT NULL, n int)").Error)
	plain := of[ulid.ULID]{ID: ulid.Make()}
	db.Check(t, events.Create([]of[ulid.ULID]{plain, {ID: ulid.Make()}, {ID: ulid.Make()}}).Error)

	type text = of[typed.ID[inText]]
	id := typed.ID[inText](plain.ID)
	db.Check(t, events.AutoMigrate(&text{}))
	wantRows(t, 1, events.First(&text{}, "id = ?", id))
	wantRows(t, 1, events.Save(&text{ID: id, N: 1}))
	wantRows(t, 3, events.Find(&[]text{}))

	type uuid = of[typed.ID[inUUID]]
	other := typed.ID[inUUID](plain.ID)
	db.Check(t, events.AutoMigrate(&uuid{}))
	wantRows(t, 3, events.Find(&[]uuid{}, "length(id) = 26"))
	wantRows(t, 0, events.Find(&[]uuid{}, "id = ?", other))
	db.Check(t, events.Save(&uuid{ID: other, N: 2}).Error)
	wantRows(t, 4, events.Find(&[]uuid{})) // in place of 3
	wantRows(t, 3, events.Delete(&uuid{}, "id NOT IN ?", []typed.ID[inUUID]{other}))
}

// A request has an ID of the type that docs/json.md hands out.
type request struct {
	ID    recipes.UUID `gorm:"type:char(36);primaryKey"`
	Owner int
}

// TestUUIDOfJSON deletes by a list of zero IDs, as a request without them decodes to. gorm would take a list of structs
// for models, and delete every row of the owner.
func TestUUIDOfJSON(t *testing.T) {
	page.Fact(t, "docs/json.md", "uuid-type-is-no-struct")
	db.Each(t, func(t *testing.T, d *db.Database) {
		g := open(t, d.Open(t, ""))
		db.Check(t, g.AutoMigrate(&request{}))
		ids := []recipes.UUID{recipes.UUID(ulid.MakeUUIDv7()), recipes.UUID(ulid.MakeUUIDv7())}
		db.Check(t, g.Create([]request{{ids[0], 1}, {ids[1], 1}}).Error)
		for _, step := range []struct {
			list []recipes.UUID
			want int64
		}{{[]recipes.UUID{{}, {}}, 0}, {ids[:1], 1}} {
			deleted := g.Where("owner = ?", 1).Delete(&request{}, step.list)
			if deleted.Error != nil || deleted.RowsAffected != step.want {
				t.Errorf("by %v: %d rows deleted, %v; want %d", step.list, deleted.RowsAffected, deleted.Error, step.want)
			}
		}
	})
}
