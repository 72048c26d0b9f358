package start

import (
	"testing"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

//go:generate go test -run ^TestPage$ . -write

// TestPage puts the code onto the pages.
func TestPage(t *testing.T) {
	for _, name := range []string{
		"pgxulid/README.md", db.PostgreSQL.Page, db.MySQL.Page, db.SQLite.Page,
	} {
		text, err := page.Sources(page.Text(t, name), "interop/storage/start/")
		db.Check(t, err)
		page.Check(t, name, text)
	}
}
