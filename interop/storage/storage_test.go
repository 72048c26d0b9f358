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

// goTypes are what the columns of the databases are tried with: each type, and the typed ID of the same form.
var goTypes = []struct {
	name     string
	exercise [2]func(*tables) (string, error)
	value    [2]func(ulid.ULID) any
	tools    [2]func(*testing.T, *db.Database, *golden.Table, db.Column)
}{
	{"ULID", both(exercise[ulid.ULID], exercise[TextID]), both(value[ulid.ULID], value[TextID]), both(tools[ulid.ULID], tools[TextID])},
	{"AsBinary", both(exercise[ulid.AsBinary], exercise[BinaryID]), both(value[ulid.AsBinary], value[BinaryID]),
		both(tools[ulid.AsBinary], tools[BinaryID])},
	{"AsUUID", both(exercise[ulid.AsUUID], exercise[UUIDID]), both(value[ulid.AsUUID], value[UUIDID]), both(tools[ulid.AsUUID], tools[UUIDID])},
}

func both[F any](f, typed F) [2]F { return [2]F{f, typed} }

func value[T ID](id ulid.ULID) any { return T(id) }

func TestDatabases(t *testing.T) {
	t.Parallel()
	db.Each(t, test)
}

// TestSqlc reads the settings that were tried once: RESULTS.md says when. Without the pointer, NULL would be the zero ID.
func TestSqlc(t *testing.T) {
	OnPage(t, db.PostgreSQL, "```yaml\noverrides:\n"+
		"- { db_type: uuid, go_type: github.com/seed-961d0905/ulid.AsUUID }\n"+
		"- { db_type: uuid, nullable: true, go_type: { import: github.com/seed-961d0905/ulid, type: AsUUID, pointer: true } }\n```\n")
	OnPage(t, db.MySQL, "```yaml\noverrides:\n"+
		"- { column: \"*.manager_id\", go_type: { import: github.com/seed-961d0905/ulid, type: ULID, pointer: true } }\n"+
		"- { column: \"*.id\", go_type: github.com/seed-961d0905/ulid.ULID }\n"+
		"- { column: \"*.*_id\", go_type: github.com/seed-961d0905/ulid.ULID }\n```\n")
	OnPage(t, db.SQLite, "`overrides` on the [MySQL page](mysql.md#sqlc)")
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
			row(t, d, table, name, c, goType.name == c.GoType, func(s *tables, i int) (string, error) { return goType.exercise[i](s) })
		}
		if strings.EqualFold(c.SQL, "uuid") {
			uuids[ulid.AsUUID](t, d, table, c)
			uuids[UUIDID](t, d, table, c)
		}
	}
	for _, c := range d.Columns {
		for _, stored := range goTypes {
			for _, by := range goTypes {
				if stored.name != c.GoType || stored.name == by.name {
					continue
				}
				name := fmt.Sprintf("`%s` ← %s, by %s", c.SQL, stored.name, by.name)
				row(t, d, table, name, c, false, func(s *tables, i int) (string, error) { return lookup(s, stored.value[i], by.value[i]) })
			}
		}
	}
	table = newTable(t, d, "Tools", d.Modules()[0], "github.com/uptrace/bun", "github.com/jmoiron/sqlx")
	for _, c := range d.Columns {
		for _, goType := range goTypes {
			if c.Tag != "" && c.GoType == goType.name {
				goType.tools[0](t, d, table, c)
				goType.tools[1](t, d, table, c)
			}
		}
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

// row fills a row: with each driver, on direct and on prepared statements, it tries a Go type and then its typed ID, which must end
// alike. What must work must do so with every driver, because the documentation names it. What becomes of the others may change.
func row(t *testing.T, d *db.Database, table *golden.Table, name string, c db.Column, mustWork bool,
	try func(s *tables, i int) (string, error)) {
	t.Run(name, func(t *testing.T) {
		for _, driver := range d.Drivers {
			for i := range 2 {
				attempt := func(s *tables) string {
					outcome, err := try(s, i)
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
		}
	})
}
