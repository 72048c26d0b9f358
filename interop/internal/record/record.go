// Package record lets a test state what it has shown, so that the tables of
// interop/README.md are made from the results of the tests and cannot go stale.
package record

import (
	"encoding/json"
	"testing"
)

// Key is the key of the test attribute that holds a cell, as `go test -json` prints it.
const Key = "ulid.cell"

type cell [4]string // table, row, column, result

// Cell records result as what stands in a table where row and column meet. It is to be
// called once the result is known to be the expected one: the matrix has no red cells, a
// test fails instead. The texts are Markdown.
func Cell(t testing.TB, table, row, column, result string) {
	t.Helper()
	// JSON, because an attribute cannot hold a line break.
	value, err := json.Marshal(cell{table, row, column, result})
	if err != nil {
		t.Fatal(err)
	}
	t.Attr(Key, string(value))
}

// Decode reads the value of an attribute that Cell wrote.
func Decode(value string) (table, row, column, result string, err error) {
	var c cell
	err = json.Unmarshal([]byte(value), &c)
	return c[0], c[1], c[2], c[3], err
}
