package page

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// Every example that names its output runs. The go command runs it only if "Output:" begins the last comment: with a
// line of another comment directly above, it compiles the example and compares nothing.
func TestExamplesRun(t *testing.T) {
	found := 0
	err := filepath.WalkDir(Root(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, example := range doc.Examples(file) {
			names := namesOutput(file, example.Name)
			if names && example.Output == "" && !example.EmptyOutput {
				t.Errorf("%s: Example%s has an output that is never compared", path, example.Name)
			}
			if names {
				found++
			}
		}
		return nil
	})
	if err != nil || found < 30 {
		t.Errorf("found %d examples with an output, %v", found, err)
	}
}

// namesOutput reports whether a line of a comment in the example begins with Output:.
func namesOutput(file *ast.File, example string) bool {
	f := file.Scope.Lookup("Example" + example).Decl.(*ast.FuncDecl)
	for _, group := range file.Comments {
		inside := f.Body.Lbrace < group.Pos() && group.End() < f.Body.Rbrace
		if inside && strings.Contains("\n"+group.Text(), "\nOutput:") {
			return true
		}
	}
	return false
}
