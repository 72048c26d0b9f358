// Package storage proves docs/storage.md and the pages of the databases: what becomes of a ULID in a database, through
// database/sql and through the tools that use it. The folder pgx covers pgx without database/sql. The folder gorm
// proves docs/gorm.md; its SQLite driver registers the same name as another one.
//
// This file has what these packages share.
package storage

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/golden"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/typed"
)

// ID is one of the types in which a program may hold a ULID for its database.
type ID interface {
	ulid.ULID | ulid.AsBinary | ulid.AsUUID | TextID | BinaryID | UUIDID
}

// Typed IDs have the forms of the other three types in SQL. Whatever a test shows of a type must be true of its typed
// ID too.
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

// Silent is the error for a wrong answer that came without one.
type Silent string

func (s Silent) Error() string { return "SILENT: " + string(s) }

// A Tool is the row of a tool and a Go type in a table: what the tool needs, and what works.
type Tool struct {
	Name     string // and the Go type
	Field    string // type and tag
	Create   string
	Find     string
	Delete   string
	Relation string
	Null     string
}

// Fill fills the row.
func (tool Tool) Fill(table *golden.Table) {
	table.Cell(tool.Name, "Field type and tag", tool.Field)
	table.Cell(tool.Name, "create", tool.Create)
	table.Cell(tool.Name, "find by id", tool.Find)
	table.Cell(tool.Name, "delete by id", tool.Delete)
	table.Cell(tool.Name, "relation", tool.Relation)
	table.Cell(tool.Name, "NULL", tool.Null)
}

// OnPage fails the test unless the page of the database has the code among what the query tools need.
func OnPage(t testing.TB, d *db.Database, code string) {
	t.Helper()
	_, tools, _ := strings.Cut(page.Text(t, d.Page), "\n## Query tools\n")
	tools, _, _ = strings.Cut(tools, "\n## ")
	if !strings.Contains(tools, code) {
		t.Errorf("the query tools of %s lack %s", d.Page, code)
	}
}

// WantCollation fails the test unless these columns of text, which a tool made, sort by their bytes. In a
// UTF-8 database ucs_basic is "C" without the quotes. SQLite's text does so anyway.
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
