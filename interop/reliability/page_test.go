package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// docs/dev/reliability.md names tests of each section of docs/guarantees.md, and they exist. The program waits as docs/recipes.md says.
func TestPage(t *testing.T) {
	page.Contains(t, "docs/recipes.md", "`"+sessions+"`")
	text := page.Text(t, "docs/dev/reliability.md")
	var code string
	files, err := filepath.Glob("../../*_test.go")
	db.Check(t, err)
	for _, file := range files {
		code += page.Text(t, filepath.Base(file))
	}
	names := func(pattern, text string) (names []string) {
		for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			names = append(names, match[1])
		}
		return names
	}
	got := names(`(?m)^\| (\S+) \| .*`+"`Test", text)
	if want := names(`(?m)^## (\S+)$`, page.Text(t, "docs/guarantees.md")); !slices.Equal(got, want) {
		t.Errorf("the page has tests of %q, want %q", got, want)
	}
	for _, name := range names(`\b((?:Test|Fuzz|Example)[A-Z]\w*)`, text) {
		if !strings.Contains(code, "\nfunc "+name+"(") {
			t.Errorf("the page names %s, which is in no test file of the library", name)
		}
	}
}
