package record

import (
	"strings"
	"testing"
)

// attrs keeps the attributes that a test would emit.
type attrs struct {
	testing.TB
	key, value string
}

func (a *attrs) Attr(key, value string) { a.key, a.value = key, value }

func TestCell(t *testing.T) {
	want := [4]string{"a table", "row\n\"1\"", "č | `x`", "<SILENT>\r\n"}
	a := &attrs{TB: t}
	Cell(a, want[0], want[1], want[2], want[3])
	if a.key != Key || strings.ContainsAny(a.value, "\r\n") {
		t.Errorf("the attribute is %q = %q", a.key, a.value)
	}
	var got [4]string
	var err error
	got[0], got[1], got[2], got[3], err = Decode(a.value)
	if err != nil || got != want {
		t.Errorf("Decode(%s) = %q, %v; want %q", a.value, got, err, want)
	}
	if _, _, _, _, err := Decode("no JSON"); err == nil {
		t.Error("Decode took what is no cell")
	}
}
