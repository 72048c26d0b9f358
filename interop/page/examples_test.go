package page

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// Every example that names its output runs. The go command runs it only if "Output:" begins the last comment: with a
// line of another comment directly above, it compiles the example and compares nothing.
func TestExamplesRun(t *testing.T) {
	for _, name := range files(t, "_test.go") {
		file, err := parser.ParseFile(token.NewFileSet(), name, Text(t, name), parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, example := range doc.Examples(file) {
			if namesOutput(file, example.Name) && example.Output == "" && !example.EmptyOutput {
				t.Errorf("%s: Example%s has an output that is never compared", name, example.Name)
			}
		}
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
