package storage

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/golden"
)

var check = db.Check

// goTypes are what the columns of the databases are tried with.
var goTypes = []struct {
	name     string
	exercise func(*tables) (string, error)
}{
	{"ULID", exercise[ulid.ULID]}, {"AsBinary", exercise[ulid.AsBinary]}, {"AsUUID", exercise[ulid.AsUUID]},
}

func value(goType string, id ulid.ULID) any {
	return map[string]any{"ULID": id, "AsBinary": ulid.AsBinary(id), "AsUUID": ulid.AsUUID(id)}[goType]
}

const ascii = "char(26) character set ascii collate ascii_bin"

func TestSQLite(t *testing.T) {
	test(t, db.SQLite, tools[ulid.ULID]("char(26)", "text"), tools[ulid.AsBinary]("varbinary(16)", "blob"), trySqlc)
}

func TestPostgreSQL(t *testing.T) {
	// RESULTS.md says when this was tried. Without the pointer, a missing row would be the zero ID.
	OnPage(t, db.PostgreSQL, "sqlc", "`db_type: uuid`, `go_type: \"github.com/seed-961d0905/ulid.AsUUID\"`; once more with "+
		"`nullable: true` and `pointer: true`")
	test(t, db.PostgreSQL, tools[ulid.ULID]("char(26) collate ucs_basic", `char(26) collate "C"`),
		tools[ulid.AsBinary]("bytea", "bytea"), tools[ulid.AsUUID]("uuid", "uuid"))
}

func TestMariaDB(t *testing.T) {
	test(t, db.MariaDB, tools[ulid.ULID](ascii, ascii), tools[ulid.AsBinary]("binary(16)", "binary(16)"), trySqlc)
}

func TestMySQL(t *testing.T) {
	test(t, db.MySQL, tools[ulid.ULID](ascii, ascii), tools[ulid.AsBinary]("binary(16)", "binary(16)"), trySqlc)
}

// test tries each Go type in each column, looks for IDs by another type than they are stored by, and tries the tools.
func test(t *testing.T, d *db.Database) {
	t.Parallel()
	table := newTable(t, d, "database/sql", d.Modules()...)
	for _, c := range d.Columns {
		for _, goType := range goTypes {
			name := "`" + c.SQL + "` ← " + goType.name
			if goType.name == c.GoType {
				name = "**" + name + "**"
			}
			row(t, d, table, name, c, goType.name == c.GoType, goType.exercise)
		}
		if strings.EqualFold(c.SQL, "uuid") {
			uuids(t, d, table, c)
		}
	}
	for _, c := range d.Columns {
		for _, by := range goTypes {
			if c.GoType == "" || c.GoType == by.name {
				continue
			}
			name := fmt.Sprintf("`%s` ← %s, by %s", c.SQL, c.GoType, by.name)
			row(t, d, table, name, c, false, func(s *tables) (string, error) { return lookup(s, c.GoType, by.name) })
		}
	}
	modules := []string{d.Modules()[0], "github.com/uptrace/bun", "github.com/jmoiron/sqlx"}
	sqlc := d.Family != "postgres" // for which it generates other code
	if sqlc {
		modules = append(modules, "sqlc v1.31.1")
	}
	table = newTable(t, d, "Tools", modules...)
	for _, c := range d.Columns {
		switch {
		case c.Tag == "":
		case c.GoType == "ULID":
			tools[ulid.ULID](t, d, table, c)
		case c.GoType == "AsBinary":
			tools[ulid.AsBinary](t, d, table, c)
		default:
			tools[ulid.AsUUID](t, d, table, c)
		}
	}
	if sqlc {
		trySqlc(t, d, table)
	}
}

// newTable begins a table about a database.
func newTable(t *testing.T, d *db.Database, name string, modules ...string) *golden.Table {
	t.Helper()
	versions := []string{d.Open(t, "").Version()}
	for _, module := range modules {
		versions = append(versions, golden.Module(module))
	}
	return golden.New(t, name+": "+d.Name, slices.Compact(versions)...)
}

// row fills a row: it runs try with each driver, on direct and on prepared statements. What must work must do so with every
// driver, because the documentation names it. What becomes of the others may change.
func row(t *testing.T, d *db.Database, table *golden.Table, name string, c db.Column, mustWork bool, try func(*tables) (string, error)) {
	t.Run(name, func(t *testing.T) {
		for _, driver := range d.Drivers {
			attempt := func(s *tables) string {
				outcome, err := try(s)
				if mustWork && outcome != golden.Works {
					t.Errorf("%s: %s, %v", driver.Name, outcome, err)
				} else if err != nil {
					t.Logf("%s: %s, %v", driver.Name, outcome, err)
				}
				return outcome
			}
			cell := attempt(newTables(t, d, driver, c.SQL))
			if prepared := attempt(newTables(t, d, driver, c.SQL).prepare()); prepared != cell {
				cell += "; prepared: " + prepared
			}
			table.Cell(name, driver.Name, cell)
		}
	})
}
