// Package golden keeps results of tests in tables, in the file RESULTS.md of their folder:
//
//	table := golden.New(t, "Order of text", db.Version(), golden.Module(t, "github.com/jackc/pgx/v5"))
//	table.Cell("COLLATE \"C\"", "order", "right")
//
// When the test ends, its table is compared with the one in the file: every cell, and the versions
// above them, so that no table can claim versions that it was not made with. To renew the tables of
// a test, for which you need only its server, run
//
//	go test -C interop ./storage -run TestDatabases/MySQL -write
//
// and look at the cells that change in the diff. A table that no test makes any more is removed by
// hand; a test of this package asks for it.
package golden

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/seed-961d0905/ulid/interop/page"
)

const (
	file  = "RESULTS.md"
	Works = "works" // the best result
)

// A Table belongs to one test.
type Table struct {
	t             testing.TB
	name          string
	versions      string
	rows, columns []string
	cells         map[cell]string
}

type cell struct{ row, column string }

// New begins a table. The versions are those of all that its results may depend on, such as the
// server and the driver.
func New(t testing.TB, name string, versions ...string) *Table {
	table := &Table{t: t, name: name, versions: strings.Join(versions, ", "), cells: map[cell]string{}}
	t.Cleanup(table.end)
	return table
}

// Module returns the name of a module and the version that this test was built with, such as
// "jackc/pgx v5.12.0". In a workspace that may be a later one than go.mod names.
func Module(t testing.TB, name string) string {
	t.Helper()
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", name).Output()
	if err != nil {
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			t.Fatalf("go list -m %s: %v: %s", name, err, failed.Stderr)
		}
		t.Fatalf("go list -m %s: %v", name, err)
	}
	short := strings.TrimPrefix(name, "github.com/")
	if major := path.Base(short); regexp.MustCompile(`^v\d+$`).MatchString(major) {
		short = path.Dir(short)
	}
	return short + " " + strings.TrimSpace(string(version))
}

// Go returns the minor release of Go, such as "Go 1.27", for a table of something that belongs to
// Go.
func Go() string {
	minor := regexp.MustCompile(`^go(\d+\.\d+)`).FindStringSubmatch(runtime.Version())
	if minor == nil {
		return runtime.Version() // of a Go that is not released
	}
	return "Go " + minor[1]
}

// Cell notes the result of a row in a column.
func (table *Table) Cell(row, column, result string) {
	table.t.Helper()
	if !slices.Contains(table.rows, row) {
		table.rows = append(table.rows, row)
	}
	if !slices.Contains(table.columns, column) {
		table.columns = append(table.columns, column)
	}
	at := cell{row, column}
	if old, ok := table.cells[at]; ok && old != result {
		table.t.Errorf("%s: %s, %s is both %q and %q", table.name, row, column, old, result)
	}
	table.cells[at] = result
}

// oneAtATime guards the file, because tests of a folder may end in parallel.
var oneAtATime sync.Mutex

// end compares the table with the file, or writes it there, unless the test was skipped or failed
// and so lacks results.
func (table *Table) end() {
	table.t.Helper()
	if table.t.Skipped() || table.t.Failed() {
		return
	}
	oneAtATime.Lock()
	defer oneAtATime.Unlock()
	if page.Writes() {
		table.write()
	} else {
		table.check()
	}
}

func (table *Table) write() {
	table.t.Helper()
	if table.isPart() {
		table.t.Fatal("-write needs the whole test: leave out -skip, and what picks a part of " + table.t.Name())
	}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		table.t.Fatal(err)
	}
	renewed := replace(string(text), table.name, table.versions+"\n\n"+table.markdown())
	if err := os.WriteFile(file, []byte(renewed), 0o644); err != nil {
		table.t.Fatal(err)
	}
}

func (table *Table) check() {
	table.t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		table.t.Fatal(err)
	}
	versions, want := parse(section(string(text), table.name))
	compare(table.t.Errorf, want, table.cells, table.isPart())
	if versions != table.versions {
		table.t.Errorf("the table was made with %q, and this is %q", versions, table.versions)
	}
	if table.t.Failed() {
		module, folder := page.Module()
		test := strings.ReplaceAll(table.t.Name(), "/", "$/^")
		table.t.Errorf("%q in %s is not what this test shows. If the test is right, run  go test -C %s %s -run '^%s$' -write",
			table.name, file, module, folder, test)
	}
}

// isPart reports whether -run or -skip leaves out subtests of the test, which then shows only a
// part of the table.
func (table *Table) isPart() bool {
	run, skip := flag.Lookup("test.run").Value.String(), flag.Lookup("test.skip").Value.String()
	return strings.Count(run, "/") > strings.Count(table.t.Name(), "/") || skip != ""
}

// compare reports cells that differ, and cells that are missing unless got is a part.
func compare(report func(string, ...any), want, got map[cell]string, isPart bool) {
	for at, result := range got {
		if old := want[at]; old != result {
			report("%s, %s: %q, want %q", at.row, at.column, result, old)
		}
	}
	for at, old := range want {
		_, ok := got[at]
		if !ok && !isPart && old != "" { // "" where not all rows have all columns
			report("%s, %s: no test shows it, want %q", at.row, at.column, old)
		}
	}
}

func (table *Table) markdown() string {
	lines := [][]string{append([]string{""}, table.columns...)}
	for _, row := range table.rows {
		line := []string{row}
		for _, column := range table.columns {
			line = append(line, table.cells[cell{row, column}])
		}
		lines = append(lines, line)
	}
	return page.Table("l", lines...)
}

const head = "\n## "

// section returns the text below the heading, or "".
func section(text, name string) string {
	_, after, _ := strings.Cut(text, head+name+"\n\n")
	body, _, _ := strings.Cut(after, head)
	return body
}

// replace returns the text with another body below the heading, or a new section at the end.
func replace(text, name, body string) string {
	old := section(text, name)
	if old == "" {
		return strings.TrimSuffix(text, "\n") + "\n" + head + name + "\n\n" + body
	}
	return strings.Replace(text, head+name+"\n\n"+old, head+name+"\n\n"+body, 1)
}

// cellText finds each cell and the | behind it. A | in a cell is \\|.
var cellText = regexp.MustCompile(`((?:\\\||[^|])*) \| ?`)

// parse returns the versions above a table and its cells.
func parse(body string) (versions string, cells map[cell]string) {
	versions, table, _ := strings.Cut(body, "\n")
	lines := strings.Split(strings.TrimSpace(table), "\n")
	cells = map[cell]string{}
	columns := parseRow(lines[0])
	for _, line := range lines[min(2, len(lines)):] { // the second has the alignment
		row := parseRow(line)
		for i, result := range row[1:] {
			cells[cell{row[0], columns[i+1]}] = result
		}
	}
	return versions, cells
}

func parseRow(line string) (row []string) {
	for _, m := range cellText.FindAllStringSubmatch(strings.TrimPrefix(line+" ", "| "), -1) {
		row = append(row, strings.ReplaceAll(m[1], `\|`, "|"))
	}
	return row
}
