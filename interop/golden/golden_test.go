package golden

import (
	"errors"
	"flag"
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

const results = "# Results\n"

func made(t testing.TB, cells ...[3]string) *Table {
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

// A report keeps how a test ends.
type report struct {
	testing.TB
	skipped  bool
	failures int
}

func (r *report) Skipped() bool         { return r.skipped }
func (r *report) Failed() bool          { return r.failures > 0 }
func (r *report) Logf(string, ...any)   {}
func (r *report) Errorf(string, ...any) { r.failures++ }

// TestEnd compares tables with a file, and writes them there.
func TestEnd(t *testing.T) {
	t.Chdir(t.TempDir())
	write := flag.Lookup("write").Value
	defer write.Set(write.String())
	const wrong = "SILENT: wrong order"
	inFile := func(result string) string {
		return replace(results, "Order", "1.0\n\n"+made(t, [3]string{"a", "order", result}).markdown())
	}
	for _, test := range []struct {
		report        // of the test before
		now, versions string
		write, fails  bool
		left          string // in the file
	}{
		{report{}, wrong, "1.0", false, false, wrong},
		{report{}, "right", "1.1", false, false, wrong},
		{report{}, "right", "1.0", false, true, wrong}, // a weaker test?
		{report{}, "SILENT: not found", "1.1", false, true, wrong},
		{report{skipped: true}, "works", "1.0", false, false, wrong},
		{report{}, "right", "1.0", true, false, "right"},
		{report{failures: 1}, "right", "1.0", true, false, wrong},
		{report{skipped: true}, "right", "1.0", true, false, wrong},
	} {
		write.Set(fmt.Sprint(test.write))
		if err := os.WriteFile(file, []byte(inFile(wrong)), 0o644); err != nil {
			t.Fatal(err)
		}
		r := test.report
		r.TB = t
		g := made(&r, [3]string{"a", "order", test.now})
		g.name, g.versions = "Order", test.versions
		g.end()
		text, err := os.ReadFile(file)
		if fails := r.failures > test.failures; fails != test.fails || err != nil || string(text) != inFile(test.left) {
			t.Errorf("%+v: fails: %t; the file is %s, %v", test, fails, text, err)
		}
	}
	r := &report{TB: t}
	if made(r, [3]string{"a", "order", "right"}, [3]string{"a", "order", wrong}); r.failures != 1 {
		t.Error("a cell may have two results")
	}
}

func TestModule(t *testing.T) {
	if got := Module("github.com/jackc/pgx/v5"); !strings.HasPrefix(got, "jackc/pgx v5.") {
		t.Errorf("Module = %q", got)
	}
}

// TestNoTableIsLeft looks for tables that no test makes any more: the tests of the folder have the name of a table, up to the
// name of a database.
func TestNoTableIsLeft(t *testing.T) {
	var found int
	for _, pattern := range []string{"*/*/", "*/*/*/"} {
		paths, err := filepath.Glob(filepath.Join(page.Root(), pattern, file))
		db.Check(t, err)
		for _, path := range paths {
			var tests string
			names, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*_test.go"))
			db.Check(t, err)
			for _, name := range names {
				text, err := os.ReadFile(name)
				db.Check(t, err)
				tests += string(text)
			}
			text, err := os.ReadFile(path)
			db.Check(t, err)
			for _, m := range regexp.MustCompile(`(?m)^## (.+?)(?:: (.+))?$`).FindAllStringSubmatch(string(text), -1) {
				is := func(d *db.Database) bool { return d.Name == m[2] }
				if !strings.Contains(tests, `"`+m[1]) || m[2] != "" && !slices.ContainsFunc(db.All, is) {
					t.Errorf("no test makes the table %q of %s", m[0], path)
				}
				found++
			}
		}
	}
	if found == 0 {
		t.Error("no table is found")
	}
}

func TestFiltered(t *testing.T) {
	run, skip := flag.Lookup("test.run").Value, flag.Lookup("test.skip").Value
	defer run.Set(run.String())
	defer skip.Set(skip.String())
	t.Run("MySQL", func(t *testing.T) {
		for _, test := range []struct {
			run, skip string
			want      bool
		}{
			{"", "", false}, {"^TestFiltered$", "", false}, {"TestFiltered/MySQL", "", false},
			{"TestFiltered/MySQL/uuid", "", true}, {"", "MySQL/uuid", true},
		} {
			db.Check(t, errors.Join(run.Set(test.run), skip.Set(test.skip)))
			if got := (&Table{t: t}).filtered(); got != test.want {
				t.Errorf("%+v: %t", test, got)
			}
		}
	})
}
