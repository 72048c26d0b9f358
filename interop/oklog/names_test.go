package oklog

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// imported returns a package from its source.
var imported = importer.ForCompiler(token.NewFileSet(), "source", nil).Import

// TestSameNames compares the exported names of both packages with their types and methods.
func TestSameNames(t *testing.T) {
	want, got := names(t, oklogPath), names(t, modulePath)
	if len(want) < 45 {
		t.Errorf("oklog/ulid has %d names", len(want))
	}
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("the module lacks %s", name)
		}
	}
	for _, name := range got {
		if !slices.Contains(want, name) {
			t.Errorf("oklog/ulid lacks %s", name)
		}
	}
}

// names describes the exported names of a package and its methods.
func names(t *testing.T, path string) (list []string) {
	t.Helper()
	for _, object := range exported(t, path) {
		text := fmt.Sprintf("%T %s", object, object.Name())
		switch object := object.(type) {
		case *types.Const:
			text += fmt.Sprintf(" = %v %s", object.Type(), object.Val())
		case *types.Var:
			text += typeString(object)
		case *types.TypeName:
			text += fmt.Sprintf(" alias %t comparable %t", object.IsAlias(), types.Comparable(object.Type()))
		case *types.Func: // without the names of parameters
			if receiver := object.Signature().Recv(); receiver != nil {
				text += " of" + typeString(receiver)
			}
			for parameter := range object.Signature().Params().Variables() {
				text += typeString(parameter)
			}
			text += " returns"
			for result := range object.Signature().Results().Variables() {
				text += typeString(result)
			}
		}
		list = append(list, text)
	}
	return list
}

func typeString(v *types.Var) string {
	return " " + strings.ReplaceAll(types.TypeString(v.Type(), (*types.Package).Name), "interface{}", "any")
}

// exported returns the exported names of a package, and the methods of its types.
func exported(t *testing.T, path string) (list []types.Object) {
	t.Helper()
	pkg, err := imported(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range pkg.Scope().Names() {
		object := pkg.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		list = append(list, object)
		if _, isType := object.(*types.TypeName); isType {
			for method := range types.NewMethodSet(types.NewPointer(object.Type())).Methods() {
				list = append(list, method.Obj())
			}
		}
	}
	return slices.DeleteFunc(list, func(object types.Object) bool { return !object.Exported() })
}
