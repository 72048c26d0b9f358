package record

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// attrs keeps the attribute that a test would emit.
type attrs struct {
	testing.TB
	key, value string
}

func (a *attrs) Attr(key, value string) { a.key, a.value = key, value }

func TestCell(t *testing.T) {
	want := Statement{"a table", "row\n\"1\"", "č | `x`", "<SILENT>\r\n"}
	a := &attrs{TB: t}
	Cell(a, want.Table, want.Row, want.Column, want.Result)
	if strings.ContainsAny(a.value, "\r\n") {
		t.Errorf("the attribute has a line break: %q", a.value)
	}
	line := fmt.Sprintf(`{"Action":"attr","Package":"p","Test":"T","Key":%q,"Value":%q}`, a.key, a.value)
	for result, err := range Results(strings.NewReader(line)) {
		if got := result.Cells; err != nil || !slices.Equal(got, []Statement{want}) {
			t.Errorf("Cell came back as %q, %v, want %q", got, err, want)
		}
	}
}

// TestResults has two packages whose output is interleaved, one that does not compile, and a test that does not end.
func TestResults(t *testing.T) {
	const lines = `{"Action":"start","Package":"a"}
{"Action":"build-output","ImportPath":"b [b.test]","Output":"undefined: x\n"}
{"Action":"run","Package":"a","Test":"TestOne"}
{"Action":"start","Package":"b"}
{"Action":"run","Package":"a","Test":"TestTwo"}
{"Action":"output","Package":"a","Test":"TestTwo","Output":"why\n"}
{"Action":"skip","Package":"a","Test":"TestTwo"}
{"Action":"attr","Package":"a","Test":"TestOne","Key":"other","Value":"not a cell"}
{"Action":"output","Package":"a","Test":"TestOne","Output":"panic: here\n"}
{"Action":"fail","Package":"b","FailedBuild":"b [b.test]"}
{"Action":"fail","Package":"a"}
`
	want := []string{
		`a "TestTwo" 4 skip "why\n"`,
		`b "" 3 fail "undefined: x\n"`,
		`a "" 1 fail ""`,
		`a "TestOne" 2  "panic: here\n"`,
	}
	var got []string
	for r, err := range Results(strings.NewReader(lines)) {
		if err != nil || r.Cells != nil {
			t.Errorf("%+v, %v", r, err)
		}
		got = append(got, fmt.Sprintf("%s %q %d %s %q", r.Package, r.Test, r.Began, r.Outcome, r.Output))
	}
	if !slices.Equal(got, want) {
		t.Errorf("Results are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for text, want := range map[string]string{
		`{`: io.ErrUnexpectedEOF.Error(),
		`{"Action":"attr","Package":"a","Test":"T","Key":"ulid.cell","Value":"x"}`: "invalid character",
	} {
		for _, err := range Results(strings.NewReader(text)) {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("Results of %s: %v, want %s", text, err, want)
			}
		}
	}
}
