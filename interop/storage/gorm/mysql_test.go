package gorm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/glebarez/sqlite"
	"gorm.io/driver/mysql"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// TestParseTime shows why the page has parseTime in MySQL's DSN.
func TestParseTime(t *testing.T) {
	fact(t, "parse-time")
	page.Contains(t, gormPage, "?parseTime=true&clientFoundRows=true")
	for _, d := range []*db.Database{db.MySQL, db.MariaDB} {
		t.Run(d.Name, func(t *testing.T) {
			for parameters, ok := range map[string]bool{"": false, "parseTime=true&clientFoundRows=true": true} {
				g := openModel(t, d, parameters)
				db.Check(t, g.Create(&Note{Name: "n"}).Error)
				if err := g.First(&Note{}, "name = ?", "n").Error; ok != (err == nil) {
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
			g := migrate(t, d, open(t, conn))
			other := db.Connect(t, d.Drivers[0].Driver, conn.DSN)

			tx := g.Begin()
			defer tx.Rollback()
			db.Check(t, tx.Find(&[]User{}).Error)
			late := User{Email: "late"}
			late.ID = nobody
			id, err := nobody.Value()
			db.Check(t, err)
			_, err = other.Exec(fmt.Sprintf("INSERT INTO users (id, email) VALUES ('%s', 'late')", id))
			db.Check(t, err)

			u, err := upsertUser(tx, "late")
			if err != nil || u != late {
				t.Errorf("upsertUser = %v, %v; want %v", u, err, late)
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
	sql := func(config *gorm.Config, others ...gorm.Dialector) string {
		for _, o := range others {
			_, err := gorm.Open(o, config)
			db.Check(t, err)
		}
		g, err := gorm.Open(mysql.New(mysql.Config{Conn: conn.DB.DB}), config)
		db.Check(t, err)
		lock := clause.Locking{Strength: clause.LockingStrengthUpdate}
		return g.Session(&gorm.Session{DryRun: true}).Clauses(lock).First(&User{}).Statement.SQL.String()
	}
	file := sqlite.Open("file::memory:")
	if got := sql(&gorm.Config{Logger: logger.Discard}); !strings.Contains(got, "FOR UPDATE") {
		t.Errorf("its own: %s", got)
	}
	if got := sql(&gorm.Config{Logger: logger.Discard}, file); strings.Contains(got, "FOR UPDATE") {
		t.Errorf("shared: %s", got)
	}
}

// TestCollations sorts all pairs of characters of an ID by collations of MySQL and MariaDB, and compares them. The
// column of a TextColumn has the collation of the database, which is the server's.
func TestCollations(t *testing.T) {
	fact(t, "collation-of-text-column")
	const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	var pairs []string
	for _, a := range alphabet {
		for _, b := range alphabet {
			pairs = append(pairs, string(a)+string(b))
		}
	}
	for d, some := range map[*db.Database][]string{
		db.MySQL:   {"utf8mb4_0900_ai_ci", "utf8mb4_general_ci", "utf8mb4_unicode_ci"},
		db.MariaDB: {"utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_uca1400_ai_ci"},
	} {
		t.Run(d.Name, func(t *testing.T) {
			conn := d.Open(t, "")
			g := open(t, conn)
			db.Check(t, g.AutoMigrate(&Text{}))
			var database, column string
			db.Check(t, g.Raw("SELECT @@collation_database").Scan(&database).Error)
			db.Check(t, g.Raw("SELECT collation_name FROM information_schema.columns "+
				"WHERE table_schema = database() AND table_name = 'texts' AND column_name = 'id'").Scan(&column).Error)
			if column != database {
				t.Errorf("the column has %s, the database %s", column, database)
			}
			if d == db.MySQL && column != "utf8mb4_0900_ai_ci" {
				t.Errorf("the default of MySQL is %s", column)
			}

			db.Check(t, g.Exec("CREATE TABLE pairs (s char(2))").Error)
			db.Check(t, g.Exec("INSERT INTO pairs VALUES ('"+strings.Join(pairs, "'), ('")+"')").Error)
			sorts := func(column string) bool {
				var got []string
				db.Check(t, g.Raw("SELECT s FROM pairs ORDER BY "+column).Scan(&got).Error)
				var n int
				db.Check(t, g.Raw("SELECT count(DISTINCT "+column+") FROM pairs").Scan(&n).Error)
				if n != len(pairs) {
					t.Errorf("%s takes some of the pairs for equal: %d of %d differ", column, n, len(pairs))
				}
				return slices.Equal(got, pairs)
			}
			if !sorts("s") {
				t.Errorf("%s sorts IDs wrongly", database)
			}
			with := "CONVERT(s USING utf8mb4) COLLATE "
			for _, collation := range some {
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
