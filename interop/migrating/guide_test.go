// Package migrating tries what docs/migrating.md, docs/migrating-columns.md, docs/uuid.md, docs/other-databases.md
// and oklog/README.md say. A block of code has its name in a comment above it, by which a test finds it
// and runs it unchanged. The command ulid-migrate has its own tests.
package migrating

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

//go:generate go test -run ^TestPage$ . -write

const (
	oklogPath = "github.com/oklog/ulid/v2"
	version1  = "github.com/oklog/ulid"
	ulidPath  = "github.com/seed-961d0905/ulid"
)

var check = db.Check

// The guide is these pages.
var pages = []string{
	"docs/migrating.md",
	"docs/migrating-columns.md",
	"docs/uuid.md",
	"docs/other-databases.md",
	"oklog/README.md",
}

// guideText returns the text of all its pages.
func guideText(t *testing.T) (text string) {
	t.Helper()
	for _, name := range pages {
		text += page.Text(t, name)
	}
	return text
}

// guideBlock returns the code of the guide's block that has the name.
func guideBlock(t *testing.T, name string) string {
	t.Helper()
	found := slices.DeleteFunc(page.Blocks(guideText(t)), func(b page.Block) bool { return b.Name != name })
	if len(found) != 1 {
		t.Fatalf("the guide has %d blocks <!-- %s -->, want 1", len(found), name)
	}
	return found[0].Code
}

// guideSpan returns the one `code span` of the guide that matches all of the expression.
func guideSpan(t *testing.T, expression string) string {
	t.Helper()
	spans := regexp.MustCompile("`[^`\n]+`").FindAllString(guideText(t), -1)
	whole := regexp.MustCompile("^`" + expression + "`$")
	found := slices.DeleteFunc(spans, func(span string) bool { return !whole.MatchString(span) })
	if len(found) != 1 {
		t.Fatalf("the guide has %d times `%s`, want once", len(found), expression)
	}
	return strings.Trim(found[0], "`")
}

// TestPage shows that a test takes each block of the guide, and that the guide has the Go code as it is
// here.
func TestPage(t *testing.T) {
	const here = "interop/migrating/"
	files, err := filepath.Glob("*_test.go")
	check(t, err)
	var tests string
	for _, file := range files {
		tests += read(t, file)
	}
	for _, b := range page.Blocks(guideText(t)) {
		if strings.HasPrefix(b.Name, here) {
			continue
		}
		isElsewhere := strings.Contains(b.Code, "/cmd/ulid-migrate@latest") || b.Language == "go"
		if b.Name == "" && isElsewhere {
			continue // the command has its own tests, and so have the conversions of docs/uuid.md
		}
		_, part, _ := strings.Cut(b.Name, ": ") // the block of a database, or one for bash
		named := strings.Contains(tests, `"`+b.Name+`"`) || strings.Contains(tests, `"`+part+`"`)
		if b.Name == "" || !named {
			t.Errorf("no test takes the block %q", b.Name)
		}
	}
	for _, name := range pages {
		text, err := page.Sources(page.Text(t, name), here)
		check(t, err)
		page.Check(t, name, text)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	check(t, err)
	return string(text)
}

// text returns a cell of SQL as text.
func text(cell any) string {
	b, isBytes := cell.([]byte)
	if isBytes {
		return string(b)
	}
	return fmt.Sprint(cell)
}
