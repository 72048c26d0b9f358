// Command matrix makes interop/README.md from what the tests of this module have shown:
//
//	go run -C interop ./internal/matrix                                            # run the tests and write the page
//	go test -C interop -json ./... | go run -C interop ./internal/matrix -check    # fail if their results would change it
//
// It prints the results as they come, and fails if a test does.
package main

import (
	"cmp"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/seed-961d0905/ulid/interop/internal/record"
	"github.com/seed-961d0905/ulid/interop/page"
)

//go:embed head.md
var head string

const (
	file   = "interop/README.md"
	module = "github.com/seed-961d0905/ulid/interop"
	goOf   = "go1.26" // whose results the page shows; later versions have more to test
)

func main() {
	check := flag.Bool("check", false, "read the output of go test -json, and fail if it would change the page")
	flag.Parse()
	run := write
	if *check {
		run = compare
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "matrix:", err)
		os.Exit(1)
	}
}

// write runs the tests and writes the page.
func write() error {
	// TestHead compares the page that is being made. -count=1, because the cache does not know what a database answers.
	tests := exec.Command("go", "test", "-json", "-count=1", "-skip", "^TestHead$", "./...")
	tests.Dir = filepath.Join(page.Root(), "interop")
	tests.Stderr = os.Stderr
	out, err := tests.StdoutPipe()
	if err != nil {
		return err
	}
	if err := tests.Start(); err != nil {
		return err
	}
	text, err := render(out, os.Stdout)
	io.Copy(io.Discard, out)
	if err := cmp.Or(err, tests.Wait()); err != nil {
		return err
	}
	if !strings.HasPrefix(runtime.Version(), goOf) {
		return fmt.Errorf("the page shows the results of %s, and this is %s", goOf, runtime.Version())
	}
	return page.Write(file, text)
}

// compare reads the results of the tests and compares the page with them.
func compare() error {
	want, err := render(os.Stdin, os.Stdout)
	switch required := os.Getenv("ULID_REQUIRE_SERVERS") == "1"; {
	case errors.Is(err, errSkipped) && !required:
		fmt.Println(file, "is not compared:", err)
		return nil
	case err != nil:
		return err
	case !strings.HasPrefix(runtime.Version(), goOf) && required:
		return fmt.Errorf("%s shows the results of %s, and this is %s", file, goOf, runtime.Version())
	case !strings.HasPrefix(runtime.Version(), goOf):
		fmt.Printf("%s is not compared: it shows the results of %s\n", file, goOf)
		return nil
	}
	text, err := page.Read(file)
	if err != nil {
		return err
	}
	if text != want {
		printMissing("-", text, want)
		printMissing("+", want, text)
		return fmt.Errorf("%s is not what the tests show; run  go run -C interop ./internal/matrix", file)
	}
	return nil
}

// printMissing prints the lines that another text lacks.
func printMissing(sign, text, other string) {
	for line := range strings.Lines(text) {
		if !strings.Contains(other, line) {
			fmt.Print(sign, line)
		}
	}
}

var errSkipped = errors.New("tests of interop were skipped")

// render makes the page from the output of go test -json, and prints the results to log. The results of other modules
// count only if they are failures.
func render(in io.Reader, log io.Writer) (string, error) {
	var shown []record.Result
	var failed, skipped bool
	for r, err := range record.Results(in) {
		if err != nil {
			return "", err
		}
		ours := r.Package == module || strings.HasPrefix(r.Package, module+"/")
		switch {
		case r.Outcome == "fail" || r.Outcome == "":
			failed = true
			fmt.Fprint(log, r.Output)
		case r.Test == "":
			fmt.Fprintln(log, lastLine(r.Output))
		case r.Outcome == "skip" && ours:
			skipped = true
		}
		if r.Cells != nil {
			shown = append(shown, r)
		}
	}
	if failed {
		return "", errors.New("a test failed")
	}
	if skipped {
		return "", errSkipped
	}
	// Packages run side by side, and so do parallel tests.
	slices.SortFunc(shown, func(a, b record.Result) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Began, b.Began))
	})
	m := matrix{}
	for _, r := range shown {
		for _, s := range r.Cells {
			if err := m.set(s); err != nil {
				return "", fmt.Errorf("%s %s: %w", r.Package, r.Test, err)
			}
		}
	}
	return m.markdown(), nil
}

func lastLine(text string) string {
	text = strings.TrimSuffix(text, "\n")
	return text[strings.LastIndex(text, "\n")+1:]
}

type matrix map[string]*table

// table holds its rows and columns in the order in which they first appeared.
type table struct {
	rows, columns []string
	cells         map[[2]string]string
}

// set puts a result into its cell. Two tests may show the same, but not different things.
func (m matrix) set(s record.Statement) error {
	t := m[s.Table]
	if t == nil {
		t = &table{cells: map[[2]string]string{}}
		m[s.Table] = t
	}
	if !slices.Contains(t.rows, s.Row) {
		t.rows = append(t.rows, s.Row)
	}
	if !slices.Contains(t.columns, s.Column) {
		t.columns = append(t.columns, s.Column)
	}
	at := [2]string{s.Row, s.Column}
	if old, ok := t.cells[at]; ok && old != s.Result {
		return fmt.Errorf("%s: %s, %s is both %q and %q", s.Table, s.Row, s.Column, old, s.Result)
	}
	t.cells[at] = s.Result
	return nil
}

func (m matrix) markdown() string {
	text := head
	for _, name := range slices.Sorted(maps.Keys(m)) {
		t := m[name]
		rows := [][]string{append([]string{""}, t.columns...)}
		for _, row := range t.rows {
			line := []string{row}
			for _, column := range t.columns {
				line = append(line, t.cells[[2]string{row, column}])
			}
			rows = append(rows, line)
		}
		text += "\n## " + name + "\n\n" + page.Table("l", rows...)
	}
	return text
}
