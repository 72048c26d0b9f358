package page

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestComments finds exported names without a doc comment, such as one that a blank line parts from its function.
func TestComments(t *testing.T) {
	for _, dir := range []string{".", "typed", "pgxulid", "oklog"} {
		fset := token.NewFileSet()
		names, err := filepath.Glob(filepath.Join(Root(), dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		var files []*ast.File
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		pkg, err := doc.NewFromFiles(fset, files, dir)
		if err != nil {
			t.Fatal(err)
		}
		want := func(name, comment string) {
			if comment == "" {
				t.Errorf("in %s, %s has no doc comment", dir, name)
			}
		}
		functions := pkg.Funcs
		for _, typ := range pkg.Types {
			want(typ.Name, typ.Doc)
			functions = append(append(functions, typ.Funcs...), typ.Methods...)
		}
		for _, f := range functions {
			want(f.Recv+"."+f.Name, f.Doc)
		}
	}
}
