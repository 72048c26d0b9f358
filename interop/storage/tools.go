// Package storage proves docs/storage.md and the pages of the databases: what becomes of a ULID in a database, through
// database/sql and through the tools that use it. The folder pgx covers pgx without database/sql. The folder gorm proves
// docs/gorm.md; its SQLite driver registers the same name as another one.
//
// This file has what these packages share.
package storage

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/internal/record"
	"github.com/seed-961d0905/ulid/interop/page"
)

// dialects are the databases of the tools, as most of them name it. Each has a page, which the tests prove beside
// docs/storage.md and docs/other-databases.md.
var dialects = map[string]struct{ driver, server, page string }{
	"sqlite":   {"sqlite", "", "docs/sqlite.md"},
	"postgres": {"pgx", "ULID_POSTGRES", "docs/postgresql.md"},
	"mysql":    {"mysql", "ULID_MYSQL", "docs/mysql.md"},
	"mariadb":  {"mysql", "ULID_MARIADB", "docs/mysql.md"},
}

// ID is one of the types in which a program may hold a ULID for its database.
type ID interface {
	ulid.ULID | ulid.AsBinary | ulid.AsUUID
}

// Silent is the error for a wrong answer that came without one.
type Silent string

func (s Silent) Error() string { return "SILENT: " + string(s) }

// TypeName returns the name of a type, such as ulid.AsUUID.
func TypeName[T any]() string { return reflect.TypeFor[T]().String() }

// Open makes an empty database for a dialect, and the one connection to it.
func Open(t testing.TB, dialect string) *sqlx.DB {
	t.Helper()
	d := dialects[dialect]
	return sqlx.NewDb(db.Connect(t, d.driver, db.Own(t, d.server, "")), d.driver)
}

// Each runs the test of a tool with a column, as the tool writes it, in each of the dialects.
func Each(t *testing.T, dialects, column string, test func(t *testing.T, dialect, column string)) {
	for _, dialect := range strings.Fields(dialects) {
		t.Run(dialect+"/"+column, func(t *testing.T) { test(t, dialect, column) })
	}
}

// OnPage fails the test unless the row of a tool, on the page of the dialect, has the code.
func OnPage(t testing.TB, dialect, tool, code string) {
	t.Helper()
	_, row, _ := strings.Cut(page.Text(t, dialects[dialect].page), "\n| "+tool+" | ")
	row, _, _ = strings.Cut(row, "\n")
	if !strings.Contains(row, code) {
		t.Errorf("the row of %s in %s lacks %s", tool, dialects[dialect].page, code)
	}
}

// A Row of the matrix says what a tool does with a Go type.
type Row struct{ Field, Create, Find, Delete, Relation, Null string }

// Record puts the row into the matrix. The tests of the tools are not parallel, so that the rows keep their order.
func (r Row) Record(t testing.TB, tool, dialect, goType string) {
	t.Helper()
	for _, c := range [][2]string{
		{"Field type and tag", r.Field}, {"create", r.Create}, {"find by id", r.Find}, {"delete by id", r.Delete},
		{"relation", r.Relation}, {"NULL", r.Null},
	} {
		record.Cell(t, "ORMs and builders", tool+", "+dialect+", `"+goType+"`", c[0], c[1])
	}
}

// WantCollation fails the test unless these columns of text, which a tool made, sort by their bytes. In a
// UTF-8 database ucs_basic is "C" without the quotes. SQLite's text does so anyway.
func WantCollation(t testing.TB, db *sqlx.DB, dialect, table string, columns ...string) {
	t.Helper()
	want := map[string][]string{
		"postgres": {"C", "ucs_basic"},
		"mysql":    {"ascii_bin", "utf8mb4_bin"},
		"mariadb":  {"ascii_bin", "utf8mb4_bin"},
	}[dialect]
	if want == nil {
		return
	}
	here := map[string]string{"postgres": "current_schema()", "mysql": "database()", "mariadb": "database()"}[dialect]
	for _, column := range columns {
		var got string // empty for the default of the database
		err := db.Get(&got, db.Rebind(`SELECT coalesce(collation_name, '') FROM information_schema.columns
			WHERE table_schema = `+here+` AND table_name = ? AND column_name = ?`), table, column)
		if err != nil || !slices.Contains(want, got) {
			t.Errorf("the collation of %s in %s is %q, %v; want one of %q", column, table, got, err, want)
		}
	}
}
