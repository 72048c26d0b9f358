package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/page"
)

// TestMap finds every folder of this module in the page's map. The pages of a folder name it, and the folder its pages.
func TestMap(t *testing.T) {
	pages := map[string][]string{}
	row := regexp.MustCompile("(?m)^\\| `([^`]*)/` \\| .* \\|(.*)\\|$")
	link := regexp.MustCompile(`\]\(\.\./(.*?)\)`)
	for _, m := range row.FindAllStringSubmatch(head, -1) {
		pages[m[1]] = nil
		for _, l := range link.FindAllStringSubmatch(m[2], -1) {
			pages[m[1]] = append(pages[m[1]], l[1])
		}
	}
	entries, err := os.ReadDir("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, ok := pages[e.Name()]; e.IsDir() && !ok {
			t.Errorf("internal/matrix/head.md does not say what %s/ holds", e.Name())
		}
	}
	for folder, names := range pages {
		for _, name := range names {
			named(t, folder, name)
		}
	}
}

// named fails the test unless the page names the folder, and the folder the page.
func named(t *testing.T, folder, name string) {
	if !regexp.MustCompile(`interop(/| .*\./)` + folder + `\b`).MatchString(page.Text(t, name)) {
		t.Errorf("%s does not name interop/%s", name, folder)
	}
	if files, err := filepath.Glob("../../" + folder + "/*.go"); !slices.ContainsFunc(files, func(file string) bool {
		text, _ := os.ReadFile(file)
		return strings.Contains(string(text), name)
	}) {
		t.Errorf("no file in interop/%s names %s, %v", folder, name, err)
	}
}

// TestHead compares the beginning of the page with head.md. Only the command sees the tables.
func TestHead(t *testing.T) {
	if !strings.HasPrefix(page.Text(t, file), head) {
		t.Errorf("%s does not begin with internal/matrix/head.md; run  go run -C interop ./internal/matrix", file)
	}
}

const cell = `{"Action":"run","Package":%q,"Test":%q}
{"Action":"attr","Package":%[1]q,"Test":%[2]q,"Key":"ulid.cell","Value":%[3]q}
{"Action":"pass","Package":%[1]q,"Test":%[2]q}
`

// TestRender has cells of two packages, and the results of parallel tests in the order in which they end.
func TestRender(t *testing.T) {
	statement := func(values ...string) string {
		return fmt.Sprintf(`{"Table":%q,"Row":%q,"Column":%q,"Result":%q}`, values[0], values[1], values[2], values[3])
	}
	began := `{"Action":"run","Package":"a","Test":"TestA1"}` + "\n"
	lines := fmt.Sprintf(cell, "b", "TestB", statement("one", "row 3", "column", "x|y")) + began +
		fmt.Sprintf(cell, "a", "TestA2", statement("one", "row 2", "column", "works")) +
		fmt.Sprintf(cell, "a", "TestA1", statement("one", "row 1", "late", "works")) +
		fmt.Sprintf(cell, "a", "TestA1", statement("a first", "r", "c", "works")) +
		`{"Action":"skip","Package":"without tests"}
{"Action":"skip","Package":"another/module","Test":"T"}
`
	want := head + `
## a first

|  | c |
|---|---|
| r | works |

## one

|  | late | column |
|---|---|---|
| row 1 | works |  |
| row 2 |  | works |
| row 3 |  | x\|y |
`
	if got, err := render(strings.NewReader(lines), io.Discard); got != want {
		t.Errorf("render = %v\n%s\nwant\n%s", err, got, want)
	}

	works := fmt.Sprintf(cell, "a", "T", statement("t", "r", "c", "works"))
	for bad, want := range map[string][2]string{
		works + fmt.Sprintf(cell, "a", "T2", statement("t", "r", "c", "fails")):             {`is both "works" and "fails"`, ""},
		`{"Action":"skip","Package":"` + module + `/a","Test":"T"}`:                         {"were skipped", ""},
		`{"Action":"output","Package":"a","Output":"why\n"}{"Action":"fail","Package":"a"}`: {"failed", "why"},
		`{"Action":"output","Package":"a","Test":"T","Output":"panic\n"}`:                   {"failed", "panic"},
	} {
		var log strings.Builder
		_, err := render(strings.NewReader(bad), &log)
		if err == nil || !strings.Contains(err.Error(), want[0]) {
			t.Errorf("render of %s: %v, want %s", bad, err, want[0])
		}
		if !strings.Contains(log.String(), want[1]) {
			t.Errorf("render of %s prints %q, want %q", bad, log.String(), want[1])
		}
	}
}
