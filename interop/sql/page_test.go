package sql

import (
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/page"
)

//go:generate go test -run ^TestPage$ . -write

// TestPage finds the statements of the pages in the files that the other tests run, and the Go code
// as it is here or in storage/start, which has a TestPage of its own.
func TestPage(t *testing.T) {
	const here, start = "interop/sql/", "interop/storage/start/"
	for _, d := range databases {
		for _, b := range page.Blocks(page.Text(t, d.Page)) {
			switch b.Language {
			case "sql":
				wantExamples(t, d, b.Code)
			case "yaml": // TestSqlc
			default:
				if !strings.HasPrefix(b.Name, here) && !strings.HasPrefix(b.Name, start) {
					t.Errorf("no test runs this block of %s:\n%s", d.Page, b.Code)
				}
			}
		}
		text, err := page.Sources(page.Text(t, d.Page), here)
		check(t, err)
		page.Check(t, d.Page, text)
	}
}

// wantExamples fails the test unless each of the statements is in the file of examples.
func wantExamples(t *testing.T, d *database, statements string) {
	t.Helper()
	examples := d.file(t, "examples")
	for statement := range strings.SplitAfterSeq(statements, ";\n") {
		if !strings.Contains(examples, statement) {
			t.Errorf("no test runs this statement of %s:\n%s", d.Page, statement)
		}
	}
}

// TestInOrder runs the examples in their order, as somebody who pastes them.
func TestInOrder(t *testing.T) {
	onEach(t, databases, func(t *testing.T, d *database) {
		conn := d.open(t, defaultMode)
		for _, e := range d.examples(t) {
			conn.Run(e.code)
		}
	})
}
