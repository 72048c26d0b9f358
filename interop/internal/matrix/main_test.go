package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestMap finds every folder of this module in the page's map, and everything that the map names in a folder.
func TestMap(t *testing.T) {
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !strings.Contains(head, "`"+e.Name()+"/`") {
			t.Errorf("matrix/head.md does not say what %s/ holds", e.Name())
		}
	}
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*`) \\|").FindAllStringSubmatch(head, -1) {
		for name := range strings.SplitSeq(row[1], ", ") {
			if _, err := os.Stat("../" + strings.Trim(name, "`")); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestPage compares the beginning of the page with head.md. Only the command sees the tables.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../" + file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(page), head) {
		t.Errorf("%s does not begin with matrix/head.md; run  go run -C interop ./matrix", file)
	}
}

// TestRender has two packages whose output is interleaved, and parallel tests in one.
func TestRender(t *testing.T) {
	const lines = `
{"Action":"run","Package":"b","Test":"TestB"}
{"Action":"run","Package":"a","Test":"TestA1"}
{"Action":"run","Package":"a","Test":"TestA2"}
{"Action":"attr","Package":"b","Test":"TestB","Key":"ulid.cell","Value":"[\"one\",\"row 3\",\"column\",\"x|y\"]"}
{"Action":"attr","Package":"a","Test":"TestA2","Key":"ulid.cell","Value":"[\"one\",\"row 2\",\"column\",\"works\"]"}
{"Action":"attr","Package":"a","Test":"TestA2","Key":"other","Value":"no cell"}
{"Action":"attr","Package":"a","Test":"TestA1","Key":"ulid.cell","Value":"[\"one\",\"row 1\",\"late\",\"works\"]"}
{"Action":"attr","Package":"a","Test":"TestA1","Key":"ulid.cell","Value":"[\"a first\",\"r\",\"c\",\"works\"]"}
{"Action":"skip","Package":"without tests"}
`
	const want = `
## a first

|  | c |
| --- | --- |
| r | works |

## one

|  | late | column |
| --- | --- | --- |
| row 1 | works |  |
| row 2 |  | works |
| row 3 |  | x\|y |
`
	page, err := render(strings.NewReader(lines))
	if err != nil || string(page) != head+want {
		t.Errorf("render = %v\n%s", err, page)
	}
	const cell = `{"Action":"run","Package":"a","Test":"T"}
{"Action":"attr","Package":"a","Test":"T","Key":"ulid.cell","Value":%q}
`
	works := fmt.Sprintf(cell, `["t","r","c","works"]`)
	for bad, message := range map[string]string{
		works + fmt.Sprintf(cell, `["t","r","c","fails"]`): `is both "works" and "fails"`,
		fmt.Sprintf(cell, `no JSON`):                       "a T: invalid character",
		`{"Action":"output","Package":"a","Test":"T","Output":"why\n"}{"Action":"skip","Package":"a","Test":"T"}`: "a T: skip\nwhy",
		`{"Action":"output","Package":"a","Test":"T","Output":"why\n"}{"Action":"fail","Package":"a","Test":"T"}`: "a T: fail\nwhy",
		`{"Action":"build-output","ImportPath":"a","Output":"undefined: x\n"}`:                                    "undefined: x",
		`{`: "unexpected EOF",
	} {
		if _, err := render(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s\nrender = %v, want %s", bad, err, message)
		}
	}
}
