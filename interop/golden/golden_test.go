package golden

import (
	"slices"
	"strings"
	"testing"
)

const results = "# Results\n"

func made(t *testing.T, cells ...[3]string) *Table {
	g := &Table{t: t, cells: map[[2]string]string{}}
	for _, c := range cells {
		g.Cell(c[0], c[1], c[2])
	}
	return g
}

// TestReplace writes tables, one of them anew, and reads them back.
func TestReplace(t *testing.T) {
	first := made(t, [3]string{"`a` ← ULID", "pgx", "works"}, [3]string{"b", "pgx", "x|y"}, [3]string{"b", "lib/pq", "SILENT: wrong"})
	second := made(t, [3]string{"a", "order", "right"})
	text := replace(results, "First", "1.0\n\n"+second.markdown())
	text = replace(text, "Second", "2.0\n\n"+second.markdown())
	text = replace(text, "First", "1.1\n\n"+first.markdown())
	want := `# Results

## First

1.1

|  | pgx | lib/pq |
|---|---|---|
| ` + "`a`" + ` ← ULID | works |  |
| b | x\|y | SILENT: wrong |

## Second

2.0

|  | order |
|---|---|
| a | right |
`
	if text != want {
		t.Fatalf("the file is\n%s\nwant\n%s", text, want)
	}
	for name, g := range map[string]*Table{"First": first, "Second": second} {
		_, cells := parse(section(text, name))
		compare(t.Errorf, t.Errorf, cells, g.cells, false)
	}
	if versions, _ := parse(section(text, "First")); versions != "1.1" {
		t.Errorf("the versions are %q", versions)
	}
}

func TestCompare(t *testing.T) {
	for _, test := range []struct{ old, now, want string }{
		{"works", "works", ""},
		{"works", "error on insert", "worse"},
		{"works", "SILENT: wrong order", "worse"},
		{"error", "SILENT: wrong order", "worse"},
		{"error", "works", "better"},
		{"SILENT: wrong order", "error", "better"},
		{"SILENT: wrong order", "works", "better"},
		{"SILENT: wrong order", "SILENT: not found", "worse"},
		{"refused", "taken", "worse"},
		{"", "SILENT: wrong order", "worse"}, // a new row
		{"works", "", "worse"},               // a row that no test shows
	} {
		var got []string
		note := func(what string) func(string, ...any) {
			return func(string, ...any) { got = append(got, what) }
		}
		cells := func(result string) map[[2]string]string {
			if result == "" {
				return nil
			}
			return map[[2]string]string{{"row", "column"}: result}
		}
		compare(note("better"), note("worse"), cells(test.old), cells(test.now), false)
		if !slices.Equal(got, strings.Fields(test.want)) {
			t.Errorf("%q after %q is %v, want %s", test.now, test.old, got, test.want)
		}
	}
	compare(t.Errorf, t.Errorf, map[[2]string]string{{"row", "column"}: "works"}, nil, true)
}

func TestModule(t *testing.T) {
	if got := Module("github.com/jackc/pgx/v5"); !strings.HasPrefix(got, "jackc/pgx v5.") {
		t.Errorf("Module = %q", got)
	}
}
