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

// docs/dev/reliability.md names tests of each section of docs/guarantees.md, and they exist. The program waits as
// docs/order.md says.
func TestPage(t *testing.T) {
	if got := page.Code(t, "docs/order.md", "sessions: PostgreSQL"); got != sessions+"\n" {
		t.Errorf("docs/order.md has the query\n%s", got)
	}
	text := page.Text(t, "docs/dev/reliability.md")
	got := matches(`(?m)^\| ([^|]+) \| .*`+"`Test", text)
	want := matches(`(?m)^## (.+)$`, page.Text(t, "docs/guarantees.md"))
	want = slices.DeleteFunc(want, func(section string) bool {
		return section == "How an ID is generated" // it is why the others hold
	})
	if !slices.Equal(got, want) {
		t.Errorf("the page has tests of %q, want %q", got, want)
	}
	var code string
	for _, folder := range []string{"", "interop/reliability/"} {
		files, err := filepath.Glob("../../" + folder + "*_test.go")
		db.Check(t, err)
		for _, file := range files {
			code += page.Text(t, folder+filepath.Base(file))
		}
	}
	for _, name := range matches(`\b((?:Test|Fuzz|Example)[A-Z]\w*)`, text) {
		if !strings.Contains(code, "\nfunc "+name+"(") {
			t.Errorf("the page names %s, which is in no test file of the library or of this folder", name)
		}
	}
}

// matches returns what a pattern has in parentheses, of each place where it matches.
func matches(pattern, text string) (list []string) {
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		list = append(list, match[1])
	}
	return list
}
