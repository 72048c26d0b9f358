// Package gorm tries what docs/migrating.md says of gorm. gorm's SQLite has the same driver name as
// that of the other tests, so it has a package of its own.
package gorm

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/glebarez/sqlite"
	oklog "github.com/oklog/ulid/v2"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/internal/servers"
)

type theirs struct {
	ID  oklog.ULID `gorm:"primaryKey;size:16"`
	Ref oklog.ULID `gorm:"size:16"`
}

type plain struct {
	ID  ulid.ULID `gorm:"primaryKey;size:16"`
	Ref ulid.ULID `gorm:"size:16"`
}

type binary struct {
	ID  ulid.AsBinary `gorm:"primaryKey;size:16"`
	Ref ulid.AsBinary `gorm:"size:16"`
}

// TestAutoMigrate shows that gorm changes the type of a column that is no primary key, unless the field is AsBinary.
func TestAutoMigrate(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) gorm.Dialector{
		"sqlite":   func(t *testing.T) gorm.Dialector { return sqlite.Open(":memory:") },
		"postgres": func(t *testing.T) gorm.Dialector { return postgres.Open(servers.DSN(t, "ULID_POSTGRES")) },
		"mariadb":  func(t *testing.T) gorm.Dialector { return mysql.Open(servers.DSN(t, "ULID_MARIADB")) },
		"mariadb, not strict": func(t *testing.T) gorm.Dialector {
			return mysql.Open(servers.DSN(t, "ULID_MARIADB") + "?sql_mode=''")
		},
	} {
		t.Run(name, func(t *testing.T) {
			db, err := gorm.Open(open(t), &gorm.Config{Logger: logger.Discard})
			if err != nil {
				t.Fatal(err)
			}
			connection, err := db.DB()
			if err != nil {
				t.Fatal(err)
			}
			connection.SetMaxOpenConns(1)
			if name == "mariadb, not strict" {
				db = db.Set("gorm:table_options", "CHARSET=utf8mb4").Session(&gorm.Session{})
			}
			table := fmt.Sprintf("migrating_%d", os.Getpid())
			t.Cleanup(func() {
				db.Migrator().DropTable(table)
				connection.Close()
			})
			// migrated returns the types of both columns after AutoMigrate with a model, and what the second has.
			migrated := func(model any) (types, value string) {
				t.Helper()
				if err := db.Table(table).AutoMigrate(model); err != nil {
					t.Fatal(err)
				}
				columns, err := db.Migrator().ColumnTypes(table)
				if err != nil {
					t.Fatal(err)
				}
				for _, column := range columns {
					full, _ := column.ColumnType()
					types += full + " "
				}
				var cell []byte
				ref := "ref"
				if strings.HasPrefix(name, "mariadb") {
					ref = "BINARY ref" // in the character set of the column, not of the connection
				}
				// The comment makes it another statement, as PostgreSQL does not run one again whose types have changed.
				if err := db.Raw("SELECT " + ref + " FROM " + table + " /* " + types + "*/").Row().Scan(&cell); err != nil && !errors.Is(err, sql.ErrNoRows) {
					t.Fatal(err)
				}
				return types, string(cell)
			}
			before, _ := migrated(&theirs{})
			// No byte is 0. MariaDB compares such a byte with the column as a number, which every row equals.
			row := theirs{oklog.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV"), oklog.ULID([]byte("\x01" + strings.Repeat("\xff", 15)))}
			if err := db.Table(table).Create(&row).Error; err != nil {
				t.Fatal(err)
			}
			var old theirs
			if err := db.Table(table).First(&old, row.ID).Error; err == nil {
				t.Error("First(&x, id) finds an ID of oklog/ulid")
			}
			var found binary
			if err := db.Table(table).First(&found, ulid.AsBinary(row.ID)).Error; err == nil {
				t.Error("First(&x, id) finds an AsBinary")
			}
			var other theirs
			zero := row.ID
			zero[15] = 0
			if err := db.Table(table).First(&other, zero).Error; (err == nil) != strings.HasPrefix(name, "mariadb") {
				t.Errorf("First(&x, id) of an ID with a zero byte gives %v, %v", other.ID, err)
			}
			if err := db.Table(table).First(&found, "id = ?", ulid.AsBinary(row.ID)).Error; err != nil || oklog.ULID(found.Ref) != row.Ref {
				t.Errorf("the row is %v, %v", found, err)
			}
			for _, model := range []any{&theirs{}, &binary{}} {
				if types, value := migrated(model); types != before || value != string(row.Ref[:]) {
					t.Errorf("%T makes %s of %s, and %q of %q", model, types, before, value, row.Ref[:])
				}
			}
			if name == "postgres" {
				// The CHECK of the page stops what follows.
				check(t, db, table, checks(t)["postgres"])
				if err := db.Table(table).AutoMigrate(&plain{}); err == nil {
					t.Error("a plain ULID changes the type of a column with the CHECK of the page")
				}
				if types, value := migrated(&binary{}); types != before || value != string(row.Ref[:]) {
					t.Errorf("after the error there are %s and %q", types, value)
				}
				if err := db.Exec("ALTER TABLE " + table + " DROP CONSTRAINT ref_16").Error; err != nil {
					t.Fatal(err)
				}
				// The length alone does not.
				check(t, db, table, "octet_length(ref) = 16")
			} else if name != "sqlite" {
				check(t, db, table, checks(t)["mariadb"])
			}
			types, value := migrated(&plain{})
			want := map[string][2]string{
				"sqlite":   {"blob text ", string(row.Ref[:])},
				"postgres": {"bytea character varying(16) ", fmt.Sprintf(`\x%x`, row.Ref[:7])},
				"mariadb":  {"varbinary(16) varchar(16) ", string(row.Ref[:])},
				// Each byte that is no UTF-8 is lost.
				"mariadb, not strict": {"varbinary(16) varchar(16) ", string(row.Ref[0]) + strings.Repeat("?", 15)},
			}[name]
			if types != want[0] || value != want[1] {
				t.Errorf("a plain ULID makes %s of %s, and %q of %q", types, before, value, row.Ref[:])
			}
		})
	}
}

// checks returns the CHECK of the page for each database, for the column ref.
func checks(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile("../../../docs/migrating.md")
	if err != nil {
		t.Fatal(err)
	}
	conditions := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^ALTER TABLE events ADD CONSTRAINT \w+ CHECK \((.*)\)( NOT VALID)?;$`).FindAllStringSubmatch(string(page), -1) {
		name := map[bool]string{true: "postgres", false: "mariadb"}[m[2] != ""]
		conditions[name] = regexp.MustCompile(`\bid\b`).ReplaceAllString(m[1], "ref")
	}
	if len(conditions) != 2 {
		t.Fatalf("docs/migrating.md has the CHECKs %q", conditions)
	}
	return conditions
}

func check(t *testing.T, db *gorm.DB, table, condition string) {
	t.Helper()
	if err := db.Exec("ALTER TABLE " + table + " ADD CONSTRAINT ref_16 CHECK (" + condition + ")").Error; err != nil {
		t.Fatal(err)
	}
}
