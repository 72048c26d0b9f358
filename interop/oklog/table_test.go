package oklog

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/page"
)

// TestTable compiles the README's table for those who move to the library: its left column with oklog/ulid, and its
// right one with the library. Every name of oklog/ulid must be in it, or have no counterpart.
func TestTable(t *testing.T) {
	left := newScope(t, oklogPath, "MonotonicEntropy")
	right := newScope(t, ulidPath, "Monotonic")
	_, table, _ := strings.Cut(page.Text(t, readme), "\n| oklog/ulid | this library |\n|---|---|\n")
	var used []string
	for line := range strings.Lines(table) {
		if none, ok := strings.CutPrefix(line, "No counterpart: "); ok {
			used = append(used, left.names(t, none)...)
		}
		cells := strings.Split(line, " | ")
		if len(cells) != 2 {
			continue
		}
		used = append(used, left.names(t, cells[0])...)
		if strings.HasPrefix(cells[1], "the same ") {
			cells[1] = cells[0]
		}
		if len(right.names(t, cells[1])) == 0 && !strings.Contains(cells[1], "`time.") {
			t.Errorf("this row has no name of the library: %s", line)
		}
	}
	for _, object := range exported(t, oklogPath) {
		// The Read of an embedded io.Reader is not oklog/ulid's.
		if object.Pkg() == left.imported && !slices.Contains(used, nameOf(object)) {
			t.Errorf("the table lacks %s", nameOf(object))
		}
	}
}

// A scope is a function in which the names of a package need no qualifier, with the variables of the README's table.
type scope struct {
	fset     *token.FileSet
	pkg      *types.Package
	body     token.Pos
	imported *types.Package
}

func newScope(t *testing.T, path, monotonic string) scope {
	t.Helper()
	code := `package p; import ("errors"; "io"; "time"; . "` + path + `")
func _(id ULID, m *` + monotonic + `, t time.Time, r io.Reader, ms, inc uint64, s string, b []byte, v any, err error) {
	_ = errors.Is
}`
	s := scope{fset: token.NewFileSet()}
	file, err := parser.ParseFile(s.fset, "p.go", code, 0)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{Importer: importerFunc(imported)}
	s.pkg, err = config.Check("p", s.fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.imported, err = imported(path)
	if err != nil {
		t.Fatal(err)
	}
	s.body = file.End() - 1
	return s
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

// names compiles the code in a text, and returns the names of the imported package that it has.
func (s scope) names(t *testing.T, text string) (list []string) {
	t.Helper()
	for _, span := range codeSpan.FindAllStringSubmatch(text, -1) {
		expr, err := parser.ParseExpr(span[1])
		if err != nil {
			t.Fatal(err)
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		err = types.CheckExpr(s.fset, s.pkg, s.body, expr, info)
		if err != nil {
			t.Errorf("%s with %s: %v", span[1], s.imported.Path(), err)
		}
		for _, object := range info.Uses {
			if object.Pkg() == s.imported {
				list = append(list, nameOf(object))
			}
		}
	}
	return list
}

// nameOf returns the name of an object, which begins with a period if it is a method.
func nameOf(object types.Object) string {
	f, isFunc := object.(*types.Func)
	if isFunc && f.Signature().Recv() != nil {
		return "." + f.Name()
	}
	return object.Name()
}
