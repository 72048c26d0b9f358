package golden

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

const (
	results = "# Results\n"
	wrong   = "SILENT: wrong order"
)

func made(t testing.TB, cells ...[3]string) *Table {
	table := &Table{t: t, cells: map[cell]string{}}
	for _, c := range cells {
		table.Cell(c[0], c[1], c[2])
	}
	return table
}

// A report keeps how a test ends.
type report struct {
	testing.TB
	skipped  bool
	failures int
	messages string
}

func (r *report) Skipped() bool { return r.skipped }
func (r *report) Failed() bool  { return r.failures > 0 }

func (r *report) Errorf(format string, args ...any) {
	r.failures++
	r.messages += fmt.Sprintf(format, args...) + "\n"
}

func (r *report) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(r)
}

func (r *report) Fatal(args ...any) { r.Fatalf("%s", fmt.Sprint(args...)) }

// ended ends a table, and reports whether its test has failed through that.
func (r *report) ended(table *Table) (failed bool) {
	before := r.failures
	defer func() {
		if at := recover(); at != nil && at != r {
			panic(at)
		}
		failed = r.failures > before
	}()
	table.end()
	return
}

// setFlag sets a flag of the test command for this test.
func setFlag(t *testing.T, name, value string) {
	t.Helper()
	f := flag.Lookup(name).Value
	old := f.String()
	t.Cleanup(func() { f.Set(old) })
	db.Check(t, f.Set(value))
}

// TestReplace writes tables, one of them anew, and reads them back.
func TestReplace(t *testing.T) {
	first := made(t,
		[3]string{"`a` ← ULID", "pgx", "works"},
		[3]string{"b", "pgx", "x|y"},
		[3]string{"b", "lib/pq", wrong},
	)
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
| b | x\|y | SILENT: wrong order |

## Second

2.0

|  | order |
|---|---|
| a | right |
`
	if text != want {
		t.Fatalf("the file is\n%s\nwant\n%s", text, want)
	}
	for name, table := range map[string]*Table{"First": first, "Second": second} {
		_, cells := parse(section(text, name))
		compare(t.Errorf, cells, table.cells, false)
	}
	if versions, _ := parse(section(text, "First")); versions != "1.1" {
		t.Errorf("the versions are %q", versions)
	}
}

func TestCompare(t *testing.T) {
	for _, test := range []struct {
		old, now string
		isPart   bool
		want     int // reports
	}{
		{old: "works", now: "works", want: 0},
		{old: "works", now: "error on insert", want: 1},
		{old: "works", now: wrong, want: 1},
		{old: wrong, now: "works", want: 1}, // the test may be the weaker one
		{old: "", now: wrong, want: 1},      // a new row
		{old: "works", now: "", want: 1},    // a row that no test shows
		{old: "works", now: "", isPart: true, want: 0},
		{old: "works", now: wrong, isPart: true, want: 1},
	} {
		cells := func(result string) map[cell]string {
			if result == "" {
				return nil
			}
			return map[cell]string{{"row", "column"}: result}
		}
		r := &report{TB: t}
		compare(r.Errorf, cells(test.old), cells(test.now), test.isPart)
		if r.failures != test.want {
			t.Errorf("%+v: %d reports: %s", test, r.failures, r.messages)
		}
	}
}

// TestEnd compares tables with a file, and writes them there.
func TestEnd(t *testing.T) {
	t.Chdir(t.TempDir())
	inFile := func(versions, result string) string {
		return replace(results, "Order", versions+"\n\n"+made(t, [3]string{"a", "order", result}).markdown())
	}
	for _, test := range []struct {
		before        report // of the test before its table ends
		now, versions string
		write, fails  bool
		left          string // in the file
	}{
		{now: wrong, versions: "1.0", left: inFile("1.0", wrong)},
		{now: wrong, versions: "1.1", fails: true, left: inFile("1.0", wrong)},
		{now: "right", versions: "1.0", fails: true, left: inFile("1.0", wrong)},
		{now: "right", versions: "1.1", fails: true, left: inFile("1.0", wrong)},
		{before: report{skipped: true}, now: "right", versions: "1.0", left: inFile("1.0", wrong)},
		{now: "right", versions: "1.1", write: true, left: inFile("1.1", "right")},
		{before: report{failures: 1}, now: "right", versions: "1.0", write: true, left: inFile("1.0", wrong)},
		{before: report{skipped: true}, now: "right", versions: "1.0", write: true, left: inFile("1.0", wrong)},
	} {
		setFlag(t, "write", fmt.Sprint(test.write))
		db.Check(t, os.WriteFile(file, []byte(inFile("1.0", wrong)), 0o644))
		r := test.before
		r.TB = t
		table := made(&r, [3]string{"a", "order", test.now})
		table.name, table.versions = "Order", test.versions
		fails := r.ended(table)
		text, err := os.ReadFile(file)
		db.Check(t, err)
		if fails != test.fails || string(text) != test.left {
			t.Errorf("%+v: fails: %t; the file is %s", test, fails, text)
		}
		if fails && !strings.Contains(r.messages, "-run '^TestEnd$' -write") {
			t.Errorf("%+v: no command renews the table: %s", test, r.messages)
		}
	}
	r := &report{TB: t}
	if made(r, [3]string{"a", "order", "right"}, [3]string{"a", "order", wrong}); r.failures != 1 {
		t.Error("a cell may have two results")
	}
}

// TestEndWithoutTable ends tables for which there is nothing to compare, or not all of it.
func TestEndWithoutTable(t *testing.T) {
	t.Chdir(t.TempDir())
	ended := func() bool {
		r := &report{TB: t}
		table := made(r, [3]string{"a", "order", "right"})
		table.name, table.versions = "Order", "1.0"
		return r.ended(table)
	}
	if !ended() {
		t.Error("a test without a file passes")
	}
	two := made(t, [3]string{"a", "order", "right"}, [3]string{"b", "order", "right"})
	whole := replace(results, "Order", "1.0\n\n"+two.markdown())
	db.Check(t, os.WriteFile(file, []byte(whole), 0o644))
	if !ended() {
		t.Error("a row that no test shows is not missed")
	}
	setFlag(t, "test.run", "TestEndWithoutTable/part")
	setFlag(t, "write", "true")
	if !ended() {
		t.Error("-write takes a part of a test")
	}
	text, err := os.ReadFile(file)
	db.Check(t, err)
	if string(text) != whole {
		t.Errorf("a part of a test has written\n%s", text)
	}
}

func TestModule(t *testing.T) {
	if got := Module(t, "github.com/jackc/pgx/v5"); !regexp.MustCompile(`^jackc/pgx v5\.\d+\.\d+$`).MatchString(got) {
		t.Errorf("Module = %q", got)
	}
	r := &report{TB: t}
	defer func() {
		if recover() != r {
			t.Error("the version of no module is known")
		}
	}()
	Module(r, "example.com/none")
}

func TestGo(t *testing.T) {
	release := regexp.MustCompile(`^go\d+\.\d+`).FindString(runtime.Version())
	if got, want := Go(), strings.Replace(release, "go", "Go ", 1); got != want {
		t.Errorf("Go = %q, want %q", got, want)
	}
}

// TestNoTableIsLeft looks for tables that no test makes any more: the tests of the folder have the
// name of a table, up to the name of a database.
func TestNoTableIsLeft(t *testing.T) {
	heading := regexp.MustCompile(`(?m)^## (.+?)(?:: (.+))?$`)
	found := 0
	for _, path := range glob(t, filepath.Join(page.Root(), "*/*/", file), filepath.Join(page.Root(), "*/*/*/", file)) {
		var tests string
		for _, name := range glob(t, filepath.Join(filepath.Dir(path), "*_test.go")) {
			text, err := os.ReadFile(name)
			db.Check(t, err)
			tests += string(text)
		}
		text, err := os.ReadFile(path)
		db.Check(t, err)
		for _, m := range heading.FindAllStringSubmatch(string(text), -1) {
			name, database := m[1], m[2]
			isKnown := database == "" || slices.ContainsFunc(db.All, func(d *db.Database) bool { return d.Name == database })
			if !strings.Contains(tests, `"`+name) || !isKnown {
				t.Errorf("no test makes the table %q of %s", m[0], path)
			}
			found++
		}
	}
	if found == 0 {
		t.Error("no table is found")
	}
}

func glob(t *testing.T, patterns ...string) (files []string) {
	t.Helper()
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		db.Check(t, err)
		files = append(files, found...)
	}
	return files
}

func TestIsPart(t *testing.T) {
	run, skip := flag.Lookup("test.run").Value, flag.Lookup("test.skip").Value
	defer run.Set(run.String())
	defer skip.Set(skip.String())
	t.Run("MySQL", func(t *testing.T) {
		for _, test := range []struct {
			run, skip string
			want      bool
		}{
			{want: false},
			{run: "^TestIsPart$", want: false},
			{run: "TestIsPart/MySQL", want: false},
			{run: "TestIsPart/MySQL/uuid", want: true},
			{skip: "MySQL/uuid", want: true},
		} {
			db.Check(t, errors.Join(run.Set(test.run), skip.Set(test.skip)))
			if got := (&Table{t: t}).isPart(); got != test.want {
				t.Errorf("%+v: %t", test, got)
			}
		}
	})
}
