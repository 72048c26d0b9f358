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

// TestPage finds every column of the tests in a table of the page, beside its Go type, and the first of each database
// in README.md too.
func TestPage(t *testing.T) {
	text, readme := page.Text(t, storagePage), page.Text(t, "README.md")
	for _, d := range db.All {
		for i, c := range d.Columns {
			if c.GoType == "PrefixColumn" || strings.HasPrefix(c.SQL, "char") {
				continue // what the page says of these is that they are columns of text, with a length
			}
			column := c.SQL
			if d == db.SQLite {
				column += " NOT NULL"
			}
			row := regexp.MustCompile("(?m)^\\|.*`(ulid\\.)?" + c.GoType + "`.* \\| `" + regexp.QuoteMeta(column) + "` \\|")
			if !row.MatchString(text) || i == 0 && !row.MatchString(readme) {
				t.Errorf("%s or README.md has no %s for a ulid.%s", storagePage, column, c.GoType)
			}
		}
	}
}
