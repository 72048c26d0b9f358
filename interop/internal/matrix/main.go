// Command matrix makes README.md from what the tests of this module record:
//
//	go run -C interop ./matrix           # write interop/README.md
//	go run -C interop ./matrix -check    # fail if that would change it
//
// It fails, with the output of the test, if a test fails or is skipped.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/seed-961d0905/ulid/interop/internal/record"
)

//go:embed head.md
var head string

const file = "README.md"

func main() {
	check := flag.Bool("check", false, "only fail if "+file+" is not up to date")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "matrix:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	// -count=1, because the cache knows nothing of what a database answers. TestToolRecipes and TestPage
	// read the page that is being made.
	tests := exec.Command("go", "test", "-json", "-count=1", "-skip", "^(TestToolRecipes|TestPage)$", "./...")
	tests.Stderr = os.Stderr
	out, err := tests.StdoutPipe()
	if err != nil {
		return err
	}
	if err := tests.Start(); err != nil {
		return err
	}
	page, err := render(out)
	io.Copy(io.Discard, out)
	if err := errors.Join(err, tests.Wait()); err != nil {
		return err
	}
	if !check {
		return os.WriteFile(file, page, 0o644)
	}
	if committed, err := os.ReadFile(file); err != nil {
		return err
	} else if !bytes.Equal(committed, page) {
		return errors.New(file + " is not what the tests show; run  go run -C interop ./matrix")
	}
	return nil
}

// event is a line of go test -json; go doc test2json explains it.
type event struct {
	Action, Package, Test, Output, Key, Value string
}

// render makes the page from the output of go test -json.
func render(r io.Reader) ([]byte, error) {
	// Packages run side by side, and so do parallel tests; within one test the lines are in
	// order, and a test's run event comes in the order of the source.
	order := map[string][]string{} // package → tests in the order they started
	lines := map[[2]string][]event{}
	output := map[[2]string]string{}
	var failed []error
	dec := json.NewDecoder(r)
	for {
		var e event
		if err := dec.Decode(&e); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		at := [2]string{e.Package, e.Test}
		switch e.Action {
		case "run":
			order[e.Package] = append(order[e.Package], e.Test)
		case "attr":
			if e.Key == record.Key {
				lines[at] = append(lines[at], e)
			}
		case "output":
			output[at] += e.Output
		case "build-output":
			failed = append(failed, errors.New(strings.TrimSuffix(e.Output, "\n")))
		case "skip":
			// A package without tests is skipped too.
			if e.Test == "" {
				continue
			}
			fallthrough
		case "fail":
			failed = append(failed, fmt.Errorf("%s %s: %s\n%s", e.Package, e.Test, e.Action, output[at]))
		}
	}
	if failed != nil {
		return nil, errors.Join(failed...)
	}

	var m matrix
	for _, p := range sorted(order) {
		for _, test := range order[p] {
			for _, e := range lines[[2]string{p, test}] {
				table, row, column, result, err := record.Decode(e.Value)
				if err == nil {
					err = m.set(table, row, column, result)
				}
				if err != nil {
					return nil, fmt.Errorf("%s %s: %w", p, test, err)
				}
			}
		}
	}
	return m.markdown(), nil
}

type matrix map[string]*table

// table holds its rows and columns in the order in which they first appeared.
type table struct {
	rows, columns []string
	cells         map[[2]string]string
}

// set puts a result into its cell. Two tests may show the same, but not different things.
func (m *matrix) set(name, row, column, result string) error {
	if *m == nil {
		*m = matrix{}
	}
	t := (*m)[name]
	if t == nil {
		t = &table{cells: map[[2]string]string{}}
		(*m)[name] = t
	}
	if !slices.Contains(t.rows, row) {
		t.rows = append(t.rows, row)
	}
	if !slices.Contains(t.columns, column) {
		t.columns = append(t.columns, column)
	}
	at := [2]string{row, column}
	if old, ok := t.cells[at]; ok && old != result {
		return fmt.Errorf("%s: %s, %s is both %q and %q", name, row, column, old, result)
	}
	t.cells[at] = result
	return nil
}

func (m matrix) markdown() []byte {
	var b bytes.Buffer
	b.WriteString(head)
	for _, name := range sorted(m) {
		t := m[name]
		fmt.Fprintf(&b, "\n## %s\n\n", name)
		writeRow(&b, append([]string{""}, t.columns...))
		writeRow(&b, slices.Repeat([]string{"---"}, 1+len(t.columns)))
		for _, row := range t.rows {
			line := []string{row}
			for _, column := range t.columns {
				line = append(line, t.cells[[2]string{row, column}])
			}
			writeRow(&b, line)
		}
	}
	return b.Bytes()
}

func writeRow(b *bytes.Buffer, cells []string) {
	for _, c := range cells {
		c = strings.NewReplacer("|", `\|`, "\r", "", "\n", " ").Replace(c)
		fmt.Fprintf(b, "| %s ", c)
	}
	b.WriteString("|\n")
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
