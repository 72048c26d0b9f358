package ulid

import (
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// TestForwarding shows that this package has every name of the library, which stands for the same name there. Its
// switch has the exceptions. The tests of what the names do are in interop/migrating.
func TestForwarding(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "ulid.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	library, err := importer.ForCompiler(fset, "source", nil).Import("github.com/seed-961d0905/ulid")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	compare := func(name *ast.Ident, code any, want string) {
		var got strings.Builder
		err := format.Node(&got, fset, code)
		if !name.IsExported() {
			return
		}
		names = append(names, name.Name)
		if err != nil || got.String() != want {
			t.Errorf("%s has the code\n\t%s, %v\nwant\n\t%s", name, &got, err, want)
		}
	}
	for node := range ast.Preorder(file) {
		switch node := node.(type) {
		case *ast.TypeSpec:
			compare(node.Name, node, node.Name.Name+" = ulid."+node.Name.Name)
		case *ast.ValueSpec:
			compare(node.Names[0], node, node.Names[0].Name+" = ulid."+node.Names[0].Name)
		case *ast.FuncDecl:
			body, callee := node.Body.List, node.Name.Name
			switch callee {
			case "MustParse": // first looks for the constants, which TestReplace there tests
				body = body[1:]
			case "ParseStrict", "MustParseStrict": // are deprecated names of these in this library too
				callee = strings.TrimSuffix(callee, "Strict")
			}
			var params []string
			for _, field := range node.Type.Params.List {
				for _, name := range field.Names {
					params = append(params, name.Name)
				}
			}
			call := "ulid." + callee + "(" + strings.Join(params, ", ") + ")"
			if node.Type.Results != nil {
				call = "return " + call
			}
			compare(node.Name, body, call)
		}
	}
	slices.Sort(names)
	hidden := func(name string) bool { return !ast.IsExported(name) }
	want := slices.DeleteFunc(library.Scope().Names(), hidden)
	if !slices.Equal(names, want) {
		t.Errorf("the names are %v, want %v", names, want)
	}
}
