package migrating

import (
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/page"
)

// withPath returns a Go file that imports oklog/ulid, with the import path of this library in its place.
func withPath(t *testing.T, file string) string {
	t.Helper()
	return strings.ReplaceAll(read(t, file), `"`+oklogPath+`"`, `"`+ulidPath+`"`)
}

// TestSameOutput runs the program in compat, which uses every name of oklog/ulid, with oklog/ulid, with this library, and with
// the adapter. It must print the same, but for its first line, which is the path of the library. The adapter also reads the
// constants that it holds.
func TestSameOutput(t *testing.T) {
	t.Parallel()
	const all = "-gcflags=-e" // all errors, not only ten
	p := withLibrary(t, map[string]string{
		"ours/main.go":      withPath(t, "compat/main.go"),
		"adapter/main.go":   read(t, "compat/main.go"),
		"constants/main.go": read(t, "testdata/constants.go"),
	})
	p.run(t, "go", "mod", "edit", "-require="+oklogPath+"@v2.1.2", "-replace="+oklogPath+"="+page.Root()+"/oklog")

	used, want, _ := strings.Cut(interop.run(t, "go", "run", all, "./migrating/compat"), "\n")
	if used != oklogPath {
		t.Fatalf("the program used %s, want %s", used, oklogPath)
	}
	wanted := strings.Split(want, "\n")
	for _, name := range []string{"ours", "adapter"} {
		used, got, _ := strings.Cut(p.run(t, "go", "run", all, "./"+name), "\n")
		if used != ulidPath {
			t.Fatalf("%s: the program used %s, want %s", name, used, ulidPath)
		}
		lines := strings.Split(got, "\n")
		if len(lines) != len(wanted) {
			t.Fatalf("%s printed %d lines, oklog %d", name, len(lines), len(wanted))
		}
		for i := range lines {
			if lines[i] != wanted[i] {
				t.Errorf("%s printed %s\noklog printed %s", name, lines[i], wanted[i])
			}
		}
	}

	output := block(t, "constants: output")
	args := []string{"run", "./constants"}
	for line := range strings.Lines(output) {
		args = append(args, strings.Fields(line)[0])
	}
	if got := p.run(t, "go", args...); got != output {
		t.Errorf("the adapter reads the constants as\n%s\nwant\n%s", got, output)
	}
}

// --- names

// exports returns an importer of the packages, and of what they import.
func exports(t *testing.T, paths ...string) types.Importer {
	t.Helper()
	files := map[string]string{}
	list := append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, paths...)
	for line := range strings.Lines(interop.run(t, "go", list...)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
}

// exported returns the names that a package exports. Those of the methods and fields of a type T, and of what it embeds, are
// T.Name.
func exported(pkg *types.Package) (names []string) {
	add := func(prefix string, object types.Object) {
		if object.Exported() {
			names = append(names, prefix+object.Name())
		}
	}
	for _, name := range pkg.Scope().Names() {
		object := pkg.Scope().Lookup(name)
		add("", object)
		if _, ok := object.(*types.TypeName); !ok || !object.Exported() {
			continue
		}
		receiver := object.Type()
		if s, ok := receiver.Underlying().(*types.Struct); ok {
			for field := range s.Fields() {
				add(name+".", field)
			}
		}
		if !types.IsInterface(receiver) {
			receiver = types.NewPointer(receiver)
		}
		for method := range types.NewMethodSet(receiver).Methods() {
			add(name+".", method.Obj())
		}
	}
	return names
}

// typeCheck returns the package that a file is, and what it uses.
func typeCheck(t *testing.T, file string, from types.Importer) (*types.Package, types.Info) {
	t.Helper()
	fset := token.NewFileSet()
	code := must(parser.ParseFile(fset, file, nil, 0))(t)
	info := types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	config := types.Config{Importer: from}
	return must(config.Check(file, fset, []*ast.File{code}, &info))(t), info
}

// TestEveryName shows that the program in compat uses every name of oklog/ulid, and that the adapter has every name of this
// library.
func TestEveryName(t *testing.T) {
	from := exports(t, "./migrating/compat", ulidPath)
	theirs := must(from.Import(oklogPath))(t)
	_, info := typeCheck(t, "compat/main.go", from)
	used := map[string]bool{}
	for _, object := range info.Uses {
		if object.Parent() == theirs.Scope() {
			used[object.Name()] = true
		}
	}
	for _, selection := range info.Selections {
		receiver := selection.Recv()
		if p, ok := receiver.(*types.Pointer); ok {
			receiver = p.Elem()
		}
		if n, ok := receiver.(*types.Named); ok && n.Obj().Pkg() == theirs {
			used[n.Obj().Name()+"."+selection.Obj().Name()] = true
		}
	}
	for _, name := range exported(theirs) {
		if !used[name] {
			t.Errorf("compat/main.go does not use %s", name)
		}
	}

	adapter, _ := typeCheck(t, page.Root()+"/oklog/ulid.go", from)
	if got, want := exported(adapter), exported(must(from.Import(ulidPath))(t)); !slices.Equal(got, want) {
		t.Errorf("the adapter has %v, want %v", got, want)
	}
}

// TestForwarding shows that each name of the adapter stands for the same name of this library. Its switch has the exceptions.
func TestForwarding(t *testing.T) {
	fset := token.NewFileSet()
	compare := func(name *ast.Ident, code any, want string) {
		var got strings.Builder
		check(t, format.Node(&got, fset, code))
		if name.IsExported() && got.String() != want {
			t.Errorf("the adapter's %s has the code\n\t%s\nwant\n\t%s", name, &got, want)
		}
	}
	for node := range ast.Preorder(must(parser.ParseFile(fset, page.Root()+"/oklog/ulid.go", nil, 0))(t)) {
		switch node := node.(type) {
		case *ast.TypeSpec:
			compare(node.Name, node, node.Name.Name+" = ulid."+node.Name.Name)
		case *ast.ValueSpec:
			compare(node.Names[0], node, node.Names[0].Name+" = ulid."+node.Names[0].Name)
		case *ast.FuncDecl:
			body, callee := node.Body.List, node.Name.Name
			switch callee {
			case "MustParse": // first looks for the constants, which TestSameOutput tests
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
}

// --- their tests

// TestOfOklog runs the tests of oklog/ulid with this library. They pass, except those that demand what differs.
func TestOfOklog(t *testing.T) {
	t.Parallel()
	want := []string{
		"TestMustParse",                    // The panic quotes the text, and matches the sentinel.
		"TestParseRobustness",              // Parse is strict.
		"TestParseStrictInvalidCharacters", // The error says which character, and matches the sentinel.
		"TestScan",                         // The error of "other" names the type, and matches the sentinel.
		"TestScan/other",
	}
	dir := strings.TrimSpace(interop.run(t, "go", "list", "-m", "-f", "{{.Dir}}", oklogPath))
	tests := withPath(t, filepath.Join(dir, "ulid_test.go"))
	// A million random pairs take four seconds.
	tests = strings.ReplaceAll(tests, "1e6", "1e4")
	p := withLibrary(t, map[string]string{"ulid_test.go": tests})
	out, err := p.try("go", "test", "-v", "-vet=off")
	if err == nil {
		t.Fatal("they all pass")
	}
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^ *--- FAIL: (\w+|TestScan/\w+) `).FindAllStringSubmatch(out, -1) {
		got = append(got, m[1])
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("these fail: %q, want %q\n%s", got, want, out)
	}
}

// TestUncomparableReader puts a value into crypto/rand.Reader that cannot be compared, in a package that is initialized before
// the library.
func TestUncomparableReader(t *testing.T) {
	t.Parallel()
	p := withLibrary(t, map[string]string{
		// Its import path comes before the library's, and so does its initialization.
		"early/early.go": `package early

import (
	"crypto/rand"
	"io"
)

func init() {
	rand.Reader = struct {
		io.Reader
		_ []byte
	}{Reader: rand.Reader}
}
`,
		"main.go": `package main

import (
	"crypto/rand"
	"fmt"

	_ "a.example/app/early"
	"github.com/seed-961d0905/ulid"
)

func main() {
	fmt.Println((&ulid.Generator{Entropy: rand.Reader}).Make())
	fmt.Println(ulid.New(1, rand.Reader))
	fmt.Println(ulid.New(1, ulid.Monotonic(rand.Reader, 0)))
}
`})
	out := p.run(t, "go", "run", ".")
	if !regexp.MustCompile(`^([0-9A-Z]{26} <nil>\n){3}$`).MatchString(out) || strings.Contains(out, ulid.ULID{}.String()) {
		t.Errorf("it prints\n%s\nwant three IDs without an error", out)
	}
}
