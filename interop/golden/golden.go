// Package golden keeps results of tests in tables, in the file RESULTS.md of their folder:
//
//	table := golden.New(t, "Order of text", db.Version(), golden.Module("github.com/jackc/pgx/v5"))
//	table.Cell("COLLATE \"C\"", "order", "right")
//
// When the test ends, its table is compared with the one in the file. To renew the tables of a test, for which you need only its
// server, run
//
//	go test -C interop ./storage -run TestDatabases/MySQL -write
//
// A result that is better than the one in the file is a failure only if the versions are those of the file, because then it is
// the test that has changed, and it may find less. Under other versions it is logged. A table that no test makes any more is
// removed by hand; a test of this package asks for it.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
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

// A Table belongs to one test. Several goroutines may use it.
type Table struct {
	t        testing.TB
	name     string
	versions string

	mu            sync.Mutex
	rows, columns []string
	cells         map[[2]string]string
}

// New begins a table. The versions, of the server and the driver, are for the reader only.
func New(t testing.TB, name string, versions ...string) *Table {
	table := &Table{t: t, name: name, versions: strings.Join(versions, ", "), cells: map[[2]string]string{}}
	t.Cleanup(table.end)
	return table
}

// Module returns the name of a module and the version in go.mod, such as "jackc/pgx v5.12.0".
func Module(path string) string {
	module, _ := page.Module()
	text, err := os.ReadFile(filepath.Join(page.Root(), module, "go.mod"))
	m := regexp.MustCompile(`\b` + regexp.QuoteMeta(path) + ` (v\S+)`).FindSubmatch(text)
	if err != nil || m == nil {
		return path
	}
	return regexp.MustCompile(`^github\.com/|/v\d+$`).ReplaceAllString(path, "") + " " + string(m[1])
}

// Cell notes the result of a row in a column.
func (g *Table) Cell(row, column, result string) {
	g.t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	if !slices.Contains(g.rows, row) {
		g.rows = append(g.rows, row)
	}
	if !slices.Contains(g.columns, column) {
		g.columns = append(g.columns, column)
	}
	at := [2]string{row, column}
	if old, ok := g.cells[at]; ok && old != result {
		g.t.Errorf("%s: %s, %s is both %q and %q", g.name, row, column, old, result)
	}
	g.cells[at] = result
}

// writing lets one test at a time change the file.
var writing sync.Mutex

// end compares the table with the file, or writes it there, unless the test was skipped or failed and so lacks results.
func (g *Table) end() {
	g.t.Helper()
	if g.t.Skipped() || g.t.Failed() {
		return
	}
	writing.Lock()
	defer writing.Unlock()
	bytes, err := os.ReadFile(file)
	if err != nil && !page.Writes() {
		g.t.Fatal(err)
	}
	text := string(bytes)
	if page.Writes() {
		if g.filtered() {
			g.t.Fatal("-write needs the whole test: leave out -skip, and what picks a part of " + g.t.Name())
		}
		if err := os.WriteFile(file, []byte(replace(text, g.name, g.versions+"\n\n"+g.markdown())), 0o644); err != nil {
			g.t.Fatal(err)
		}
		return
	}
	versions, want := parse(section(text, g.name))
	better := g.t.Logf
	if versions == g.versions {
		better = g.t.Errorf
	}
	compare(better, g.t.Errorf, want, g.cells, g.filtered())
	if g.t.Failed() {
		module, folder := page.Module()
		g.t.Errorf("%q in %s was made with %s, and this is %s. If the results are right, run  go test -C %s %s -run '^%s$' -write",
			g.name, file, versions, g.versions, module, folder, strings.ReplaceAll(g.t.Name(), "/", "$/^"))
	}
}

// filtered reports whether -run or -skip leaves out subtests of the test, which then shows only a part of the table.
func (g *Table) filtered() bool {
	run, skip := flag.Lookup("test.run").Value.String(), flag.Lookup("test.skip").Value.String()
	return strings.Count(run, "/") > strings.Count(g.t.Name(), "/") || skip != ""
}

// compare reports results that differ, better ones apart, and results that are missing. In a part of a test some may be missing.
func compare(better, worse func(string, ...any), want, got map[[2]string]string, part bool) {
	for at, result := range got {
		switch old, ok := want[at]; {
		case ok && old == result:
		case ok && (result == Works || strings.Contains(old, "SILENT") && !strings.Contains(result, "SILENT")):
			better("%s, %s is better than it was: %q, and was %q; -write renews it", at[0], at[1], result, old)
		default:
			worse("%s, %s: %q, want %q", at[0], at[1], result, old)
		}
	}
	for at, old := range want {
		if _, ok := got[at]; !ok && old != "" && !part {
			worse("%s, %s: no test shows it, want %q", at[0], at[1], old)
		}
	}
}

func (g *Table) markdown() string {
	lines := [][]string{append([]string{""}, g.columns...)}
	for _, row := range g.rows {
		line := []string{row}
		for _, column := range g.columns {
			line = append(line, g.cells[[2]string{row, column}])
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

var cell = regexp.MustCompile(`((?:\\\||[^|])*) \| ?`)

// parse returns the versions above a table and its cells.
func parse(body string) (versions string, cells map[[2]string]string) {
	versions, table, _ := strings.Cut(body, "\n")
	cells = map[[2]string]string{}
	var columns []string
	for line := range strings.Lines(strings.TrimSpace(table)) {
		var row []string
		for _, m := range cell.FindAllStringSubmatch(strings.TrimPrefix(strings.TrimSpace(line)+" ", "| "), -1) {
			row = append(row, strings.ReplaceAll(m[1], `\|`, "|"))
		}
		switch {
		case columns == nil:
			columns = row
		case len(row) > 0:
			for i, result := range row[1:] {
				cells[[2]string{row[0], columns[i+1]}] = result
			}
		}
	}
	return versions, cells
}
