// Package storage proves docs/storage.md and the pages of the databases: what becomes of a ULID in a database, through
// database/sql and through the tools that use it.
//
// The tests in columns_test.go use the columns that the pages recommend, which are in interop/db/databases.go. What
// goes wrong without an error is in mistakes_test.go, and bun and sqlx are in tools_test.go. The folder pgx has pgx
// without database/sql, the folder gorm proves docs/gorm.md, and the folder start has the programs with which pages
// begin.
package storage

import (
	"slices"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/typed"
)

// ID is one of the types in which a program may hold a ULID for its database.
type ID interface {
	ulid.ULID | ulid.AsBinary | ulid.AsUUID | TextID | BinaryID | UUIDID
}

// Typed IDs have the formats of the other three types in SQL.
type (
	TextID   = typed.ID[text]
	BinaryID = typed.ID[binary]
	UUIDID   = typed.ID[uuid]

	text   struct{ typed.TextColumn }
	binary struct{ typed.BinaryColumn }
	uuid   struct{ typed.UUIDColumn }
)

func (text) Prefix() string   { return "ninechars" } // which makes 36 characters, as in a UUID
func (binary) Prefix() string { return "bin" }
func (uuid) Prefix() string   { return "user" }

// WantCollation fails the test unless these columns of text, which a tool made, sort by their bytes. In a UTF-8
// database ucs_basic is "C" without the quotes. SQLite's text does so anyway.
func WantCollation(t testing.TB, conn *db.DB, table string, columns ...string) {
	t.Helper()
	if conn.Schema == "" {
		return
	}
	query := `SELECT coalesce(collation_name, 'the default') FROM information_schema.columns
		WHERE table_schema = ` + conn.Schema + ` AND table_name = ? AND column_name = ?`
	want := []string{"C", "ucs_basic", "ascii_bin", "utf8mb4_bin"}
	for _, column := range columns {
		if got := conn.Text(query, table, column); !slices.Contains(want, got) {
			t.Errorf("the collation of %s in %s is %q; want one of %q", column, table, got, want)
		}
	}
}
