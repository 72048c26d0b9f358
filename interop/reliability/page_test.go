package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/page"
)

// docs/dev/reliability.md names tests of each section of docs/guarantees.md, and they exist.
func TestPage(t *testing.T) {
	text := page.Text(t, "docs/dev/reliability.md")
	var code strings.Builder
	files, err := filepath.Glob("../../*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(content)
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
		if !strings.Contains(code.String(), "\nfunc "+name+"(") {
			t.Errorf("the page names %s, which is in no test file of the library", name)
		}
	}
}
