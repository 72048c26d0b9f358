// Package databases opens the databases that the tests of the ORMs share.
package databases

import (
	"database/sql"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/seed-961d0905/ulid/interop/internal/servers"
)

// Each runs a test on SQLite, PostgreSQL and MariaDB.
func Each(t *testing.T, test func(t *testing.T, dialect string, db *sql.DB)) {
	for _, d := range []struct{ dialect, driver, server string }{
		{"sqlite", "sqlite", ""},
		{"postgres", "pgx", "ULID_POSTGRES"},
		{"mysql", "mysql", "ULID_MARIADB"},
	} {
		t.Run(d.dialect, func(t *testing.T) {
			dsn := "file::memory:?_pragma=foreign_keys(1)"
			if d.server != "" {
				dsn = servers.DSN(t, d.server)
			}
			db, err := sql.Open(d.driver, dsn)
			if err != nil {
				t.Fatal(err)
			}
			db.SetMaxOpenConns(1) // a second connection would open a second :memory:
			t.Cleanup(func() { db.Close() })
			test(t, d.dialect, db)
		})
	}
}

var tables atomic.Int64

// Table returns a name that nobody else has for a table, and drops the table at the end of
// the test.
func Table(t *testing.T, db *sql.DB, name string) string {
	table := fmt.Sprintf("%s_%d_%d", name, os.Getpid(), tables.Add(1))
	t.Cleanup(func() {
		if _, err := db.Exec("DROP TABLE IF EXISTS " + table); err != nil {
			t.Error(err)
		}
	})
	return table
}
