package oklog

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	theirs "github.com/oklog/ulid/v2"

	"github.com/seed-961d0905/ulid/interop/page"
	ours "github.com/seed-961d0905/ulid/oklog"
)

// These tests list all that a program can see of oklog/ulid: packages, names, types and what go vet says. So the lists
// of what is different, in oklog/README.md and in the doc comment of the package, are complete.

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

// exported returns what a package exports.
func exported(t *testing.T, path string) (all []types.Object) {
	t.Helper()
	pkg, err := imported(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range pkg.Scope().Names() {
		if token.IsExported(name) {
			all = append(all, pkg.Scope().Lookup(name))
		}
	}
	return all
}

// names lists the exported names of a package, each with its type.
func names(t *testing.T, path string) (all []string) {
	t.Helper()
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for _, object := range exported(t, path) {
		name := object.Name()
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

// TestSamePackages lists the folders with Go files.
func TestSamePackages(t *testing.T) {
	packages := func(root string) (folders []string) {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if filepath.Ext(path) == ".go" {
				folder, _ := filepath.Rel(root, filepath.Dir(path))
				folders = append(folders, filepath.ToSlash(folder))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(folders)
		return slices.Compact(folders)
	}
	want, got := packages(oklogDir(t)), packages(filepath.Join(page.Root(), "oklog"))
	const missing = "cmd/ulid"
	if !slices.Equal(want, append(got, missing)) {
		t.Errorf("oklog/ulid has the packages %s, the module %s, which may lack only %s", want, got, missing)
	}
	page.Contains(t, readme, "The package `"+missing+"` is missing")
}

// TestSameDynamicTypes looks into what has the type of an interface.
func TestSameDynamicTypes(t *testing.T) {
	want := []any{theirs.DefaultEntropy(), theirs.Monotonic(nil, 0).Reader}
	got := []any{ours.DefaultEntropy(), ours.Monotonic(nil, 0).Reader}
	for i := range oklogULID.errors {
		want, got = append(want, oklogULID.errors[i]), append(got, module.errors[i])
	}
	for i := range want {
		if want, got := fmt.Sprintf("%T", want[i]), fmt.Sprintf("%T", got[i]); got != want {
			t.Errorf("the type is %s, want %s", got, want)
		}
	}
}

// TestVet runs go vet on a use of each exported name and a copy of a value of each type.
func TestVet(t *testing.T) {
	vet := func(path string) []string {
		code := "package a\n\nimport ulid \"" + path + "\"\n"
		for _, object := range exported(t, path) {
			format := "\nvar _ = ulid.%s\n"
			if _, isType := object.(*types.TypeName); isType {
				format = "\nfunc _(a *ulid.%s) { _ = *a }\n"
			}
			code += fmt.Sprintf(format, object.Name())
		}
		dir := t.TempDir()
		write(t, code, dir, "a.go")
		out, _ := exec.Command("go", "vet", dir+"/a.go").CombinedOutput() // its status is 1 if it says something
		var all []string
		for _, m := range regexp.MustCompile(`(?m)a\.go:\d+:\d+: (.*)$`).FindAllStringSubmatch(string(out), -1) {
			all = append(all, strings.ReplaceAll(m[1], path, "ulid"))
		}
		if len(all) == 0 {
			t.Errorf("go vet says nothing of copies: %s", out)
		}
		return all
	}
	const more = "assignment copies lock value to _: ulid.MonotonicEntropy contains sync.Mutex"
	want, got := append(vet(oklogPath), more), vet(modulePath)
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		t.Errorf("go vet says %q, want %q", got, want)
	}
	page.Contains(t, readme, "`go vet` reports")
}

// TestAllCompared looks in same_test.go for every function, variable and method. What is not there must be different
// on purpose, and then the doc comment of the package names it.
func TestAllCompared(t *testing.T) {
	source, doc := read(t, "same_test.go"), page.Text(t, "oklog/ulid.go")
	check := func(name, use string) {
		if !regexp.MustCompile(use).MatchString(source) && !strings.Contains(doc, "\n//   - ["+name+"] ") {
			t.Errorf("%s is neither compared with oklog/ulid nor named as different", name)
		}
	}
	for _, object := range exported(t, oklogPath) {
		typeName, isType := object.(*types.TypeName)
		_, isConst := object.(*types.Const)
		if !isType && !isConst { // names has both
			check(object.Name(), `\bours\.`+object.Name()+`\b`)
		}
		if isType {
			for method := range types.NewMethodSet(types.NewPointer(typeName.Type())).Methods() {
				if name := method.Obj().Name(); token.IsExported(name) {
					check(name, `(?m)^\t`+name+`\(|\bours\.ULID\(id\)\.`+name+`\(`)
				}
			}
		}
	}
}
