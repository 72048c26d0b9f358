package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// source has one of everything that the library exports, and a little more.
const source = `package p

import "io"

const Size = 26

var Zero ID

type ID [16]byte

func (id ID) String() string         { return "" }
func (id *ID) Scan(src any) error    { return nil }
func (id ID) hidden()                {}

type Source struct {
	Reader io.Reader
	Step   uint32
	last   ID
}

func (s *Source) New(ms uint64) (id ID, err error) { return }

type Reader interface {
	io.Reader
	Next(ms uint64, p []byte) error
}

type Locked struct{ Reader }

type Func func(ID) bool

type Name = string

func Make() ID                       { return ID{} }
func Fill(ids ...ID)                 {}
func unexported()                    {}
`

var want = []string{
	"func Fill(...ID)",
	"type Func func(ID) bool",
	"type ID [16]byte",
	"method (*ID) Scan(any) error",
	"method (ID) String() string",
	"type Locked struct",
	"field Locked.Reader embedded Reader",
	"method (Locked) Next(uint64, []byte) error",
	"method (Locked) Read([]byte) (int, error)",
	"func Make() ID",
	"type Name = string",
	"type Reader interface { Next(uint64, []byte) error; Read([]byte) (int, error) }",
	"const Size untyped int = 26",
	"type Source struct, unexported fields",
	"field Source.Reader io.Reader",
	"field Source.Step uint32",
	"method (*Source) New(uint64) (ID, error)",
	"var Zero ID",
}

func describeSource(t *testing.T, source string) []string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	pkg, err := load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return describe(pkg)
}

func TestDescribe(t *testing.T) {
	if got := describeSource(t, source); !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestChange changes the source in one place, and looks for the line that must differ.
func TestChange(t *testing.T) {
	for _, change := range []struct{ name, old, new, gone, come string }{
		{"method removed", "func (id ID) String() string ", "func (id ID) text() string ",
			"method (ID) String() string", ""},
		{"parameter's type", "func Fill(ids ...ID)", "func Fill(ids []ID)",
			"func Fill(...ID)", "func Fill([]ID)"},
		{"result", "func Make() ID  ", "func Make() any ",
			"func Make() ID", "func Make() any"},
		{"function added", "func unexported()", "func Exported()",
			"", "func Exported()"},
		{"value of a constant", "Size = 26", "Size = 27",
			"const Size untyped int = 26", "const Size untyped int = 27"},
		{"type of a constant", "Size = 26", "Size int = 26",
			"const Size untyped int = 26", "const Size int = 26"},
		{"type of a variable", "Zero ID", "Zero *ID",
			"var Zero ID", "var Zero *ID"},
		{"field's type", "Step   uint32", "Step   uint64",
			"field Source.Step uint32", "field Source.Step uint64"},
		{"first unexported field", "{ Reader }", "{ Reader; mu int }",
			"type Locked struct", "type Locked struct, unexported fields"},
		{"no longer comparable", "last   ID", "last   []ID",
			"type Source struct, unexported fields", "type Source struct, not comparable, unexported fields"},
		{"pointer receiver", "func (id ID) String()", "func (id *ID) String()",
			"method (ID) String() string", "method (*ID) String() string"},
		{"method of an interface added", "Next(ms uint64, p []byte) error", "Next(ms uint64, p []byte) error; sealed()",
			"type Reader interface { Next(uint64, []byte) error; Read([]byte) (int, error) }",
			"type Reader interface { Next(uint64, []byte) error; Read([]byte) (int, error); unexported methods }"},
		{"alias", "Name = string", "Name string",
			"type Name = string", "type Name string"},
		{"parameter's name", "New(ms uint64)", "New(milliseconds uint64)",
			"", ""},
	} {
		t.Run(change.name, func(t *testing.T) {
			changed := strings.Replace(source, change.old, change.new, 1)
			if changed == source {
				t.Fatalf("the source has no %q", change.old)
			}
			got := describeSource(t, changed)
			if gone := missing(want, got); strings.Join(gone, "\n") != change.gone {
				t.Errorf("gone: %q, want %q", gone, change.gone)
			}
			if come := missing(got, want); strings.Join(come, "\n") != change.come {
				t.Errorf("come: %q, want %q", come, change.come)
			}
		})
	}
}

// missing returns the lines of a that are not in b.
func missing(a, b []string) (lines []string) {
	for _, line := range a {
		if !slices.Contains(b, line) {
			lines = append(lines, line)
		}
	}
	return lines
}
