package storage

//go:generate go test . -write

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/golden"
	"github.com/seed-961d0905/ulid/interop/page"
)

var check = db.Check

// goTypes are what the columns of the databases are tried with: each type, and the typed ID of the same form, with
// which everything must end alike.
var goTypes = []goType{
	{name: "ULID", plain: formOf[ulid.ULID](), typed: formOf[TextID]()},
	{name: "AsBinary", plain: formOf[ulid.AsBinary](), typed: formOf[BinaryID]()},
	{name: "AsUUID", plain: formOf[ulid.AsUUID](), typed: formOf[UUIDID]()},
}

type goType struct {
	name         string
	plain, typed form
}

// A form has the three functions that a type of Go is tried with.
type form struct {
	exercise func(*tables) (string, error)
	value    func(ulid.ULID) any
	tools    func(*testing.T, *db.Database, *golden.Table, db.Column)
}

func formOf[T ID]() form { return form{exercise[T], value[T], tools[T]} }

func value[T ID](id ulid.ULID) any { return T(id) }

// TestDatabases fills the tables of each database: what becomes of IDs in its columns, and in tools.
func TestDatabases(t *testing.T) {
	t.Parallel()
	db.Each(t, func(t *testing.T, d *db.Database) {
		t.Parallel()
		table := newTable(t, d, "database/sql", d.Modules()...)
		storeAll(t, d, table)
		lookUpAll(t, d, table)
		tryTools(t, d)
	})
}

// storeAll stores each Go type in each column.
func storeAll(t *testing.T, d *db.Database, table *golden.Table) {
	for _, c := range d.Columns {
		for _, typ := range goTypes {
			r := row{
				name:   "`" + c.SQL + "` ← " + typ.name,
				column: c.SQL,
				plain:  typ.plain.exercise,
				typed:  typ.typed.exercise,
			}
			if typ.name == c.GoType {
				r.name = "**" + r.name + "**"
				r.mustWork = true
			}
			r.fill(t, d, table)
		}
		if strings.EqualFold(c.SQL, "uuid") {
			storeUUIDs[ulid.AsUUID](t, d, table, c)
			storeUUIDs[UUIDID](t, d, table, c)
		}
	}
}

// lookUpAll looks for IDs by another type than the documented one, by which they are stored.
func lookUpAll(t *testing.T, d *db.Database, table *golden.Table) {
	for _, c := range d.Columns {
		i := slices.IndexFunc(goTypes, func(t goType) bool { return t.name == c.GoType })
		if i < 0 {
			continue // the page names no type for this column
		}
		stored := goTypes[i]
		for _, by := range goTypes {
			if by.name != stored.name {
				lookUp(t, d, table, c, stored, by)
			}
		}
	}
}

func lookUp(t *testing.T, d *db.Database, table *golden.Table, c db.Column, stored, by goType) {
	row{
		name:   fmt.Sprintf("`%s` ← %s, by %s", c.SQL, stored.name, by.name),
		column: c.SQL,
		plain:  func(s *tables) (string, error) { return lookup(s, stored.plain.value, by.plain.value) },
		typed:  func(s *tables) (string, error) { return lookup(s, stored.typed.value, by.typed.value) },
	}.fill(t, d, table)
}

// tryTools fills the table of the tools, each of which uses the documented types.
func tryTools(t *testing.T, d *db.Database) {
	table := newTable(t, d, "Tools", d.Modules()[0], "github.com/uptrace/bun", "github.com/jmoiron/sqlx")
	for _, c := range d.Columns {
		for _, typ := range goTypes {
			if c.Tag != "" && c.GoType == typ.name {
				typ.plain.tools(t, d, table, c)
				typ.typed.tools(t, d, table, c)
			}
		}
	}
}

// newTable begins a table about a database.
func newTable(t *testing.T, d *db.Database, name string, modules ...string) *golden.Table {
	t.Helper()
	versions := []string{d.Open(t, "").Version()}
	for _, module := range modules {
		versions = append(versions, golden.Module(t, module))
	}
	return golden.New(t, name+": "+d.Name, slices.Compact(versions)...)
}

// A row is one of a table with a column for each driver. Its cells say what becomes of a Go type, and of the typed ID
// of the same form, in a column of the database. What must work must do so with every driver, because the documentation
// names it. What becomes of the others may change.
type row struct {
	name         string
	column       string
	mustWork     bool
	plain, typed attempt
}

// An attempt does something with two tables, and returns what stands in a cell, and the errors.
type attempt func(*tables) (string, error)

// fill tries the row with each driver.
func (r row) fill(t *testing.T, d *db.Database, table *golden.Table) {
	t.Run(r.name, func(t *testing.T) {
		for _, driver := range d.Drivers {
			table.Cell(r.name, driver.Name, r.cell(t, d, driver, r.plain))
			table.Cell(r.name, driver.Name, r.cell(t, d, driver, r.typed)) // Cell fails if the typed ID gives another result
		}
	})
}

// cell returns what an attempt gives by direct and by prepared statements.
func (r row) cell(t *testing.T, d *db.Database, driver db.Driver, try attempt) string {
	t.Helper()
	result := r.try(t, driver, try, newTables(t, d, driver, r.column))
	prepared := r.try(t, driver, try, newTables(t, d, driver, r.column).prepare())
	if prepared != result {
		return result + "; prepared: " + prepared
	}
	return result
}

func (r row) try(t *testing.T, driver db.Driver, try attempt, s *tables) string {
	t.Helper()
	outcome, err := try(s)
	if r.mustWork && outcome != golden.Works {
		t.Errorf("%s: %s, %v", driver.Name, outcome, err)
	} else if err != nil {
		t.Logf("%s: %s, %v", driver.Name, outcome, err)
	}
	return outcome
}

// The settings of sqlc that were tried once: RESULTS.md says when. Without the pointer, NULL would be the zero ID.
const (
	sqlcPostgreSQL = `version: "2"
sql:
- engine: postgresql
  schema: schema.sql
  queries: query.sql
  gen:
    go:
      package: store
      out: store
      sql_package: pgx/v5
      overrides:
      - db_type: uuid
        go_type: github.com/seed-961d0905/ulid.AsUUID
      - db_type: uuid
        nullable: true
        go_type: { import: github.com/seed-961d0905/ulid, type: AsUUID, pointer: true }
`
	sqlcMySQL = `version: "2"
sql:
- engine: mysql
  schema: schema.sql
  queries: query.sql
  gen:
    go:
      package: store
      out: store
      overrides:
      - column: "*.manager_id"
        go_type: { import: github.com/seed-961d0905/ulid, type: ULID, pointer: true }
      - column: "*.id"
        go_type: github.com/seed-961d0905/ulid.ULID
      - column: "*.*_id"
        go_type: github.com/seed-961d0905/ulid.ULID
`
)

// TestSqlc keeps the pages from showing other settings than were tried.
func TestSqlc(t *testing.T) {
	for d, settings := range map[*db.Database]string{db.PostgreSQL: sqlcPostgreSQL, db.MySQL: sqlcMySQL} {
		want := page.Block{Language: "yaml", Code: settings}
		if !slices.Contains(page.Blocks(page.Text(t, d.Page)), want) {
			t.Errorf("%s lacks the block\n%s", d.Page, settings)
		}
	}
}
