// Package storage proves what docs/storage.md says of the columns in interop/db/databases.go, through database/sql.
package storage

import (
	"regexp"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

const storagePage = "docs/storage.md"

// TestPage finds every column of the tests in a table of the page, beside its Go type.
func TestPage(t *testing.T) {
	text := page.Text(t, storagePage)
	for _, d := range db.All {
		for _, c := range d.Columns {
			if c.GoType == "PrefixColumn" || strings.HasPrefix(c.SQL, "char") {
				continue // what the page says of these is that they are columns of text, with a length
			}
			column := c.SQL
			if d == db.SQLite {
				column += " NOT NULL"
			}
			row := regexp.MustCompile("(?m)^\\|.*`" + c.GoType + "`.* \\| `" + regexp.QuoteMeta(column) + "` \\|")
			if !row.MatchString(text) {
				t.Errorf("%s has no %s for a ulid.%s", storagePage, column, c.GoType)
			}
		}
	}
}
