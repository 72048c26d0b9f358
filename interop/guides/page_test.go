package guides

import (
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

//go:generate go test -run ^TestPage$ . -write

// Every block of Go on these pages is code of this folder.
func TestPage(t *testing.T) {
	const folder = "interop/guides/"
	for _, doc := range []string{guarantees, recipes, "docs/order.md", "docs/uuid.md"} {
		text, err := page.Sources(page.Text(t, doc), folder)
		db.Check(t, err)
		page.Check(t, doc, text)
		for _, b := range page.Blocks(text) {
			if b.Language == "go" && !strings.HasPrefix(b.Name, folder) {
				t.Errorf("a block of %s names no file of %s:\n%s", doc, folder, b.Code)
			}
		}
	}
}
