// Package servers leads tests to the database servers that interop/servers.sh started.
package servers

import (
	"database/sql"
	"os"
	"testing"
)

// DSN returns the data source name in the environment variable of a server: ULID_POSTGRES,
// ULID_MARIADB or ULID_REDIS. Where it is not set the test is skipped, or fails if
// ULID_REQUIRE_SERVERS is 1, so that CI cannot pass by skipping.
func DSN(t testing.TB, name string) string {
	t.Helper()
	dsn := os.Getenv(name)
	if dsn != "" {
		return dsn
	}
	end := t.Skipf
	if os.Getenv("ULID_REQUIRE_SERVERS") == "1" {
		end = t.Fatalf
	}
	end(`%s is not set: run  eval "$(interop/servers.sh start)"`, name)
	return ""
}

// Open opens a connection to the server in the environment variable, or to a SQLite database in
// memory if server is empty. There is only this one, so that a temporary table stays.
func Open(t testing.TB, driver, server string) *sql.DB {
	t.Helper()
	dsn := ":memory:"
	if server != "" {
		dsn = DSN(t, server)
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}
