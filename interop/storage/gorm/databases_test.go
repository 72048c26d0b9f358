package gorm

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glebarez/sqlite"
	"gorm.io/driver/mysql"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/schema"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/typed"
)

// TestEvent creates a row of the model without typed.
func TestEvent(t *testing.T) {
	fact(t, "plain-ids-need-a-hook")
	for _, d := range []*db.Database{db.SQLite, db.PostgreSQL} {
		t.Run(d.Name, func(t *testing.T) {
			g := open(t, d.Open(t, ""))
			db.Check(t, g.AutoMigrate(&Event{}))
			e := Event{Name: "first"}
			db.Check(t, g.Create(&e).Error)
			var found Event
			db.Check(t, g.First(&found, "id = ?", e.ID).Error)
			if found != e || ulid.ULID(e.ID).IsZero() {
				t.Errorf("found %v, want %v", found, e)
			}
			forgotten := Event{Name: "without a hook"}
			db.Check(t, g.Session(&gorm.Session{SkipHooks: true}).Create(&forgotten).Error)
			db.Check(t, g.First(&Event{}, "id = ?", ulid.AsUUID{}).Error)
		})
	}
}

// A Plain row has IDs with the tag that the page's table has for a database.
type Plain struct {
	ID       ulid.ULID
	ParentID *ulid.ULID
	Parent   *Plain
}

// TestPlain stores and finds IDs by the page's tags without typed.
func TestPlain(t *testing.T) {
	for _, d := range []*db.Database{db.SQLite, db.MariaDB, db.MySQL} {
		t.Run(d.Name, func(t *testing.T) {
			g := open(t, d.Open(t, ""))
			row := regexp.MustCompile("(?m)^\\| (?:\\w+, )?" + d.Name + "\\b.* \\| `ulid.ULID` \\| `gorm:\"type:(.*?)\"`")
			tag := row.FindStringSubmatch(page.Text(t, gormPage))
			if tag == nil {
				t.Fatalf("%s has no tag for %s", gormPage, d.Name)
			}
			statement := gorm.Statement{DB: g}
			db.Check(t, statement.Parse(&Plain{}))
			for _, name := range []string{"ID", "ParentID"} {
				statement.Schema.LookUpField(name).DataType = schema.DataType(tag[1])
			}
			db.Check(t, g.AutoMigrate(&Plain{}))

			parent := Plain{ID: ulid.MustParseUUID("12345678-1234-7123-8123-123456789012")} // digits, and not a number
			child := Plain{ID: ulid.Make(), ParentID: &parent.ID}
			db.Check(t, g.Create([]*Plain{&parent, &child}).Error)
			var found Plain
			db.Check(t, g.Preload("Parent").First(&found, "id = ?", child.ID).Error)
			if found.Parent == nil || *found.Parent != parent {
				t.Errorf("found %+v, want the parent %v", found, parent)
			}
			deleted := g.Delete(&Plain{}, "id = ?", child.ID)
			if deleted.Error != nil || deleted.RowsAffected != 1 {
				t.Errorf("deleted %d, %v; want 1", deleted.RowsAffected, deleted.Error)
			}
		})
	}
}

// IDs as bytes, which the page forbids.
type (
	binaryKind   struct{ typed.BinaryColumn }
	blob[ID any] struct {
		ID ID `gorm:"size:16"`
	}
)

// TestBytes deletes by an ID as bytes that is given alone. gorm spreads the bytes into 16 numbers, WHERE id IN
// (1,86,61,…). Beside numbers MariaDB and MySQL take the bytes of other IDs for the number 0. MySQL refuses unless the
// session is not strict.
func TestBytes(t *testing.T) {
	fact(t, "bytes-match-every-row")
	for _, d := range []*db.Database{db.MariaDB, db.MySQL} {
		t.Run(d.Name, func(t *testing.T) {
			g := open(t, d.Open(t, ""))
			testBytes[ulid.AsBinary](t, g, d)
			testBytes[typed.ID[binaryKind]](t, g, d)
		})
	}
}

func testBytes[ID ~[16]byte](t *testing.T, g *gorm.DB, d *db.Database) {
	id := ID(ulid.MustParse("01ARYZ6S41TSV4RR0000000000")) // some of its bytes are zero
	rows := []blob[ID]{{id}, {ID(ulid.Make())}, {ID(ulid.Make())}}
	table := g.Table("blobs").Session(&gorm.Session{})
	db.Check(t, table.AutoMigrate(&blob[ID]{}))
	db.Check(t, table.Create(&rows).Error)
	if d == db.MySQL {
		if table.Delete(&blob[ID]{}, id).Error == nil {
			t.Error("a strict session does not refuse")
		}
		db.Check(t, g.Exec("SET sql_mode = ''").Error)
		defer g.Exec("SET sql_mode = DEFAULT")
	}
	deleted := table.Delete(&blob[ID]{}, id)
	if deleted.Error != nil || deleted.RowsAffected != 3 {
		t.Errorf("%T: deleted %d, %v; want 3", id, deleted.RowsAffected, deleted.Error)
	}
}

// TestParseTime shows why the page has parseTime in MySQL's DSN.
func TestParseTime(t *testing.T) {
	fact(t, "parse-time")
	page.Contains(t, gormPage, "?parseTime=true&clientFoundRows=true")
	for _, d := range []*db.Database{db.MySQL, db.MariaDB} {
		t.Run(d.Name, func(t *testing.T) {
			for parameters, ok := range map[string]bool{"": false, "parseTime=true&clientFoundRows=true": true} {
				g := open(t, d.Open(t, parameters))
				db.Check(t, g.Exec("CREATE TABLE events (created_at datetime(3))").Error)
				type event struct{ CreatedAt time.Time }
				db.Check(t, g.Create(&event{}).Error)
				if err := g.Take(&event{}).Error; ok != (err == nil) {
					t.Errorf("%q: %v", parameters, err)
				}
			}
		})
	}
}

// TestUpsertInTransaction gives upsertUser a row that is newer than its transaction. Without the lock, MySQL and
// MariaDB do not find it.
func TestUpsertInTransaction(t *testing.T) {
	for _, d := range []*db.Database{db.PostgreSQL, db.MySQL, db.MariaDB} {
		t.Run(d.Name, func(t *testing.T) {
			conn := d.Open(t, "")
			g := open(t, conn)
			db.Check(t, g.Exec("CREATE TABLE users (id char(36) PRIMARY KEY, email varchar(320) UNIQUE)").Error)
			tx := g.Begin()
			defer tx.Rollback()
			db.Check(t, tx.Find(&[]User{}).Error)
			other := db.Connect(t, d.Drivers[0].Driver, conn.DSN)
			_, err := other.Exec("INSERT INTO users (id, email) VALUES ('" + nobody.UUIDString() + "', 'late')")
			db.Check(t, err)

			u, err := upsertUser(tx, "late")
			if err != nil || u.ID != nobody {
				t.Errorf("upsertUser = %v, %v; want %v", u, err, nobody)
			}
			if d.IsMySQL() { // or the test does not show why the function locks
				if err := tx.First(&User{}, "email = ?", "late").Error; err == nil {
					t.Error("the transaction finds the row without a lock")
				}
			}
		})
	}
}

// TestSharedConfig shows why two databases must not share a gorm.Config.
func TestSharedConfig(t *testing.T) {
	fact(t, "shared-config-loses-locks")
	conn := db.MySQL.Open(t, "")
	locks := func(config *gorm.Config, others ...gorm.Dialector) bool {
		for _, o := range others {
			_, err := gorm.Open(o, config)
			db.Check(t, err)
		}
		g, err := gorm.Open(mysql.New(mysql.Config{Conn: conn.DB.DB}), config)
		db.Check(t, err)
		lock := clause.Locking{Strength: clause.LockingStrengthUpdate}
		query := g.Session(&gorm.Session{DryRun: true}).Clauses(lock).First(&User{})
		return strings.Contains(query.Statement.SQL.String(), "FOR UPDATE")
	}
	if !locks(&gorm.Config{Logger: logger.Discard}) {
		t.Error("MySQL does not lock with its own Config")
	}
	if locks(&gorm.Config{Logger: logger.Discard}, sqlite.Open("file::memory:")) {
		t.Error("MySQL locks with the Config of SQLite")
	}
}

// TestSQLitePragma shows why the page opens SQLite with the pragma.
func TestSQLitePragma(t *testing.T) {
	fact(t, "sqlite-needs-pragma")
	g, err := gorm.Open(sqlite.Open(filepath.Join(t.TempDir(), "test.db")), &gorm.Config{Logger: logger.Discard})
	db.Check(t, err)
	db.Check(t, g.AutoMigrate(&User{}, &Doc{}))
	if err := g.Create(&Doc{OwnerID: nobody}).Error; err != nil {
		t.Errorf("without the pragma a document of nobody is refused: %v", err)
	}
}

// TestCollations sorts all pairs of characters of an ID. The column of a TextColumn has the collation of the database.
func TestCollations(t *testing.T) {
	fact(t, "collation-of-text-column")
	var pairs []string
	for _, a := range ulid.Encoding {
		for _, b := range ulid.Encoding {
			pairs = append(pairs, string(a)+string(b))
		}
	}
	type text struct{ typed.TextColumn }
	type pair struct {
		ID typed.ID[text]
		S  string `gorm:"size:2"`
	}
	for d, defaults := range map[*db.Database][]string{
		db.MySQL:   {"utf8mb4_0900_ai_ci"},
		db.MariaDB: {"utf8mb4_general_ci", "utf8mb4_uca1400_ai_ci"},
	} {
		t.Run(d.Name, func(t *testing.T) {
			g := open(t, d.Open(t, ""))
			db.Check(t, g.AutoMigrate(&pair{}))
			var database, column string
			db.Check(t, g.Raw("SELECT @@collation_database").Scan(&database).Error)
			db.Check(t, g.Raw("SELECT collation_name FROM information_schema.columns "+
				"WHERE table_schema = database() AND table_name = 'pairs' AND column_name = 'id'").Scan(&column).Error)
			if column != database {
				t.Errorf("the column has %s, the database %s", column, database)
			}

			var rows []pair
			for _, s := range pairs {
				rows = append(rows, pair{typed.Make[text](), s})
			}
			db.Check(t, g.Create(&rows).Error)
			sorts := func(order string) bool {
				var got []string
				db.Check(t, g.Raw("SELECT s FROM pairs ORDER BY "+order).Scan(&got).Error)
				return slices.Equal(got, pairs)
			}
			if !sorts("s") {
				t.Errorf("%s sorts IDs wrongly", database)
			}
			const with = "CONVERT(s USING utf8mb4) COLLATE "
			for _, collation := range defaults {
				if !sorts(with + collation) {
					t.Errorf("%s sorts IDs wrongly", collation)
				}
			}
			if sorts(with + "utf8mb4_estonian_ci") {
				t.Error("utf8mb4_estonian_ci sorts IDs rightly, and the page warns of it")
			}
		})
	}
}
