// Package servers leads tests to the database servers that servers.sh starts.
package servers

import (
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/seed-961d0905/ulid"
)

// DSN returns the data source name in the environment variable of a server: ULID_POSTGRES,
// ULID_MARIADB, ULID_MYSQL or ULID_REDIS. If the variable is not set, the test is skipped, or fails if
// ULID_REQUIRE_SERVERS is 1, so that CI cannot pass by skipping. "none" is what servers.sh sets where a
// server cannot be had.
func DSN(t testing.TB, server string) string {
	t.Helper()
	dsn := os.Getenv(server)
	if dsn != "" && dsn != "none" {
		return dsn
	}
	end := t.Skipf
	if dsn == "" && os.Getenv("ULID_REQUIRE_SERVERS") == "1" {
		end = t.Fatalf
	}
	end(`%s is not set: run  eval "$(interop/internal/servers/servers.sh start)"  or name a server of yours`, server)
	return ""
}

// Own returns the data source name of an empty schema in PostgreSQL, database in MariaDB or
// MySQL, or file for SQLite if server is empty. No other test has it, and it is removed when the test ends.
// Parameters are more settings of the driver, such as "a=b&c=d".
func Own(t testing.TB, server, parameters string) string {
	t.Helper()
	name := "ulid_" + strings.ToLower(ulid.Make().String())
	var dsn string
	switch server {
	case "ULID_POSTGRES":
		address, err := url.Parse(DSN(t, server))
		if err != nil {
			t.Fatal(err)
		}
		query := address.Query()
		query.Set("search_path", name)
		address.RawQuery = query.Encode()
		while(t, Open(t, "pgx", server), "CREATE SCHEMA "+name, "DROP SCHEMA "+name+" CASCADE")
		dsn = address.String()
	case "ULID_MARIADB", "ULID_MYSQL":
		config, err := mysql.ParseDSN(DSN(t, server))
		if err != nil {
			t.Fatal(err)
		}
		config.DBName = name
		while(t, Open(t, "mysql", server), "CREATE DATABASE "+name, "DROP DATABASE "+name)
		dsn = config.FormatDSN()
	default:
		dsn = "file:" + filepath.Join(t.TempDir(), name) + "?_pragma=foreign_keys(1)&_pragma=synchronous(off)"
	}
	switch {
	case parameters == "":
		return dsn
	case strings.Contains(dsn, "?"):
		return dsn + "&" + parameters
	}
	return dsn + "?" + parameters
}

// while runs one statement now and the other when the test ends.
func while(t testing.TB, db *sql.DB, now, atEnd string) {
	t.Helper()
	if _, err := db.Exec(now); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := db.Exec(atEnd); err != nil {
			t.Error(err)
		}
	})
}

// Open opens a connection to a server, or to a SQLite database in memory if server is empty. There
// is only one connection, so that a temporary table stays.
func Open(t testing.TB, driver, server string) *sql.DB {
	t.Helper()
	dsn := ":memory:"
	if server != "" {
		dsn = DSN(t, server)
	}
	return Connect(t, driver, dsn)
}

// Connect opens one connection, as Open does, by its data source name.
func Connect(t testing.TB, driver, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}
