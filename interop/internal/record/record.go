// Package record lets a test state what it has shown, so that the tables of interop/README.md are made from the results of
// the tests. It also reads the results.
package record

import (
	"encoding/json"
	"io"
	"iter"
	"testing"
)

// key is the key of the test attribute that holds a cell, as go test -json prints it.
const key = "ulid.cell"

// A Statement says what stands in a table where a row and a column meet. The texts are Markdown.
type Statement struct{ Table, Row, Column, Result string }

// Cell records a Statement. A test calls it once the result is known to be true: the tables have no red cells, a test
// fails instead.
func Cell(t testing.TB, table, row, column, result string) {
	t.Helper()
	// JSON, because an attribute cannot hold a line break.
	value, err := json.Marshal(Statement{table, row, column, result})
	if err != nil {
		t.Fatal(err)
	}
	t.Attr(key, string(value))
}

// A Result is what became of a test, or of a package if Test is empty.
type Result struct {
	Package, Test string
	Began         int    // what began earlier has a smaller number
	Outcome       string // pass, fail, skip, or empty for a test that did not end
	Output        string // of the test, and why a package does not compile
	Cells         []Statement
}

// Results returns the results in the output of go test -json as they come. An error is the last one.
func Results(r io.Reader) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		running := map[[2]string]*Result{}
		builds := map[string]string{} // the output of each
		began := 0
		dec := json.NewDecoder(r)
		for {
			// go doc test2json and go help buildjson explain it.
			var e struct{ Action, ImportPath, Package, Test, Output, FailedBuild, Key, Value string }
			if err := dec.Decode(&e); err == io.EOF {
				break
			} else if err != nil {
				yield(Result{}, err)
				return
			}
			if e.Action == "build-output" {
				builds[e.ImportPath] += e.Output
			}
			if e.Package == "" {
				continue
			}
			name := [2]string{e.Package, e.Test}
			result := running[name]
			if result == nil {
				began++
				result = &Result{Package: e.Package, Test: e.Test, Began: began}
				running[name] = result
			}
			switch e.Action {
			case "output":
				result.Output += e.Output
			case "attr":
				if e.Key == key {
					var s Statement
					if err := json.Unmarshal([]byte(e.Value), &s); err != nil {
						yield(*result, err)
						return
					}
					result.Cells = append(result.Cells, s)
				}
			case "pass", "fail", "skip":
				delete(running, name)
				result.Outcome = e.Action
				result.Output = builds[e.FailedBuild] + result.Output
				if !yield(*result, nil) {
					return
				}
			}
		}
		// The tests of a package whose program ended before them.
		for _, result := range running {
			if !yield(*result, nil) {
				return
			}
		}
	}
}
