// Package gorm tries what docs/migrating.md says of gorm. gorm's SQLite has the same driver name as
// that of the other tests, so it has a package of its own.
package gorm

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/glebarez/sqlite"
	oklog "github.com/oklog/ulid/v2"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/servers"
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
				// The comment makes it another statement, as PostgreSQL does not run one again whose types have changed.
				if err := db.Raw("SELECT ref FROM " + table + " /* " + types + "*/").Row().Scan(&cell); err != nil && !errors.Is(err, sql.ErrNoRows) {
					t.Fatal(err)
				}
				return types, string(cell)
			}
			before, _ := migrated(&theirs{})
			// No byte is 0. MariaDB compares such a byte with the column as a number, which every row equals.
			row := theirs{oklog.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV"), oklog.Make()}
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
			if err := db.Table(table).First(&other, zero).Error; (err == nil) != (name == "mariadb") {
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
			// The CHECK of the page does not stop what follows.
			check := map[string]string{"postgres": "octet_length(ref) = 16", "mariadb": "OCTET_LENGTH(ref) = 16 AND ref < X'30'"}[name]
			if check != "" {
				if err := db.Exec("ALTER TABLE " + table + " ADD CONSTRAINT ref_16 CHECK (" + check + ")").Error; err != nil {
					t.Fatal(err)
				}
			}
			types, value := migrated(&plain{})
			want := map[string][2]string{
				"sqlite":   {"blob text ", string(row.Ref[:])},
				"postgres": {"bytea character varying(16) ", fmt.Sprintf(`\x%x`, row.Ref[:7])},
				"mariadb":  {"varbinary(16) varchar(16) ", value},
			}[name]
			if types != want[0] || value != want[1] {
				t.Errorf("a plain ULID makes %s of %s, and %q of %q", types, before, value, row.Ref[:])
			}
		})
	}
}
