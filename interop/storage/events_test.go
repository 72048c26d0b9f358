package storage

//go:generate go test -run ^TestPage$ . -write

import (
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

const storagePage = "docs/storage.md"

// TestPage puts the code onto the page, and finds every column of the tests in its table, and the first of each
// database in the README.
func TestPage(t *testing.T) {
	text, err := page.Sources(page.Text(t, storagePage), "interop/storage/events.go")
	check(t, err)
	page.Check(t, storagePage, text)
	for _, d := range db.All {
		for _, c := range d.Columns {
			if c.GoType == "PrefixColumn" || strings.HasPrefix(c.SQL, "char") {
				continue // what the page says of these is that they are columns of text, with a length
			}
			key := "`id " + c.SQL + " PRIMARY KEY`"
			if d == db.SQLite {
				key = "`id " + c.SQL + " PRIMARY KEY NOT NULL`"
			}
			page.Contains(t, storagePage, "| "+key+" | `ulid."+c.GoType+"` |")
		}
	}
}

// TestEvents inserts events by the code of the page, and finds each by its ID.
func TestEvents(t *testing.T) {
	db.SkipWithout(t, db.PostgreSQL)
	for _, driver := range db.PostgreSQL.Drivers {
		t.Run(driver.Name, func(t *testing.T) {
			ctx := t.Context()
			conn := db.PostgreSQL.OpenWith(t, driver)
			conn.Run(`CREATE TABLE events (id uuid PRIMARY KEY, name text NOT NULL)`)
			for _, name := range []string{"signup", "login", "logout"} {
				id, err := insertEvent(ctx, conn.DB.DB, name)
				check(t, err)
				got, err := getEvent(ctx, conn.DB.DB, id)
				check(t, err)
				if got.Name != name || got.ID.String() != id.String() {
					t.Errorf("the event %s with the ID %v is read as %v", name, id, got)
				}
			}
		})
	}
}
