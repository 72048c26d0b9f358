package db

import (
	"database/sql"
	"testing"
)

// What follows stays until every folder uses a Database.

func named(server string) *Database {
	for _, d := range All {
		if d.env == server {
			return d
		}
	}
	return &Database{env: server} // Redis
}

func DSN(t testing.TB, server string) string { t.Helper(); return named(server).Server(t) }

func Own(t testing.TB, server, parameters string) string {
	t.Helper()
	return named(server).Own(t, parameters)
}

func Open(t testing.TB, driver, server string) *sql.DB {
	t.Helper()
	dsn := ":memory:"
	if server != "" {
		dsn = DSN(t, server)
	}
	return Connect(t, driver, dsn)
}
