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

// TestSameNames compares the exported names of both packages with their types, fields and methods.
func TestSameNames(t *testing.T) {
	want, got := names(t, oklogPath), names(t, modulePath)
	if len(want) < 60 {
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

// names lists the exported names of a package, each with its type.
func names(t *testing.T, path string) (all []string) {
	t.Helper()
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	pkg, err := imported(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range pkg.Scope().Names() {
		object := pkg.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		constant, isConst := object.(*types.Const)
		if isConst {
			add("const %s = %v", name, constant.Val())
		}
		typeName, isType := object.(*types.TypeName)
		if !isType {
			add("%T %s %s", object, name, typeString(object.Type()))
			continue
		}
		add("type %s alias %t comparable %t", name, typeName.IsAlias(), types.Comparable(typeName.Type()))
		structure, isStruct := typeName.Type().Underlying().(*types.Struct)
		if !isStruct {
			add("type %s %s", name, typeString(typeName.Type().Underlying()))
		} else {
			for field := range structure.Fields() {
				if field.Exported() {
					add("type %s has %s %s embedded %t", name, field.Name(), typeString(field.Type()), field.Embedded())
				}
			}
		}
		for _, receiver := range []types.Type{typeName.Type(), types.NewPointer(typeName.Type())} {
			for method := range types.NewMethodSet(receiver).Methods() {
				if method.Obj().Exported() {
					add("%s.%s %s", typeString(receiver), method.Obj().Name(), typeString(method.Type()))
				}
			}
		}
	}
	return all
}

// typeString is types.TypeString without the names of parameters and of the package.
func typeString(t types.Type) string {
	signature, isFunc := t.(*types.Signature)
	if !isFunc {
		return strings.ReplaceAll(types.TypeString(t, (*types.Package).Name), "interface{}", "any")
	}
	var all []string
	for _, tuple := range []*types.Tuple{signature.Params(), signature.Results()} {
		var some []string
		for v := range tuple.Variables() {
			some = append(some, typeString(v.Type()))
		}
		all = append(all, "("+strings.Join(some, ", ")+")")
	}
	return "func" + strings.Join(all, " ")
}
