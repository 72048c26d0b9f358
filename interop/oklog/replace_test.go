package oklog

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/page"
)

const (
	oklogPath  = "github.com/oklog/ulid/v2"
	modulePath = "github.com/seed-961d0905/ulid/oklog"
	ulidPath   = "github.com/seed-961d0905/ulid"
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
	pkg, err := imported(path)
	if err != nil {
		t.Fatal(err)
	}
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
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
			add("%s %s", name, typeString(object.Type()))
			continue
		}
		add("type %s alias %t", name, typeName.IsAlias())
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

// run runs a program in a folder, in its module alone.
func run(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return strings.TrimSpace(string(out))
}

func read(t *testing.T, elem ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, text string, elem ...string) {
	t.Helper()
	err := os.WriteFile(filepath.Join(elem...), []byte(text), 0o666)
	if err != nil {
		t.Fatal(err)
	}
}

// oklogDir returns the folder with the source of oklog/ulid.
func oklogDir(t *testing.T) string {
	t.Helper()
	return run(t, ".", "go", "list", "-m", "-f", "{{.Dir}}", oklogPath)
}

// replace puts the module of this checkout in the place of oklog/ulid in a go.mod.
func replace(t *testing.T, gomod string) {
	t.Helper()
	root := page.Root()
	run(t, ".", "go", "mod", "edit", "-replace", oklogPath+"="+root+"/oklog", "-replace", ulidPath+"="+root, gomod)
}

// TestLine looks for the line of go.mod where users copy it.
func TestLine(t *testing.T) {
	line := "\tgo mod edit -replace " + oklogPath + "=" + modulePath + "@v"
	page.Contains(t, "oklog/README.md", strings.TrimSpace(line))
	page.Contains(t, "oklog/ulid.go", "\n//"+line)
}

// TestTheirTests runs the tests of oklog/ulid with the module.
func TestTheirTests(t *testing.T) {
	dir := t.TempDir()
	write(t, "module a.example/app\n\ngo 1.25\n\nrequire "+oklogPath+" v2.1.2\n", dir, "go.mod")
	replace(t, dir+"/go.mod")
	// A million random pairs take seconds.
	write(t, strings.ReplaceAll(read(t, oklogDir(t), "ulid_test.go"), "1e6", "1e4"), dir, "ulid_test.go")
	out := run(t, dir, "go", "test", "-mod=mod", "-v", "-vet=off", ".")
	if passed := strings.Count(out, "--- PASS: "); passed < 100 {
		t.Errorf("only %d tests pass:\n%s", passed, out)
	}
}

// TestReplace runs one program with oklog/ulid and with the module, on the same rows.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	write(t, read(t, "../go.mod"), dir, "go.mod")
	write(t, read(t, "../go.sum"), dir, "go.sum")
	replace(t, dir+"/go.mod")
	run(t, ".", "go", "build", "-o", dir+"/theirs", "./rows")
	run(t, ".", "go", "build", "-o", dir+"/ours", "-modfile="+dir+"/go.mod", "./rows")

	for name, isReplaced := range map[string]bool{"theirs": false, "ours": true} {
		modules := run(t, dir, "go", "version", "-m", name)
		if strings.Contains(modules, page.Root()+"/oklog") != isReplaced {
			t.Fatalf("%s has the modules %s", name, modules)
		}
	}
	const head = "0000000000XX000FZMPACTHEAD" // the ULID of the same bytes
	var before []string
	for i, program := range []string{"theirs", "ours", "theirs", "ours"} {
		lines := strings.Split(run(t, dir, dir+"/"+program, dir+"/events.db"), "\n")
		last := len(lines) - 1
		if last != 2*i+2 || lines[last] != oklogPath+" 1 true" {
			t.Fatalf("%s prints %q", program, lines)
		}
		causes := 0
		for j, line := range lines[:last] {
			if j < len(before) && line != before[j] {
				t.Errorf("%s reads %s, want %s", program, line, before[j])
			}
			if !strings.HasSuffix(line, " blob 16") {
				t.Errorf("%s has the row %s, want 16 bytes", program, line)
			}
			if strings.Contains(line, " "+head+" ") {
				causes++
			}
		}
		if causes != i+1 {
			t.Errorf("%s reads %d causes, want %d, in %q", program, causes, i+1, lines)
		}
		before = lines[:last]
	}
}

// TestOtherImport changes the import in the example of oklog/ulid's README to this library. It must not compile: the
// program would store strings beside its bytes.
func TestOtherImport(t *testing.T) {
	var example string
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```")
	for _, block := range blocks.FindAllStringSubmatch(read(t, oklogDir(t), "README.md"), -1) {
		example += block[1]
	}
	for path, want := range map[string]string{oklogPath: "", modulePath: "", ulidPath: "undefined: ulid."} {
		code := `package main; import ("fmt"; "math/rand"; "time"; "` + path + `"); func main() {` + "\n" + example + "}"
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "main.go", code, 0)
		if err != nil {
			t.Fatal(err)
		}
		config := types.Config{Importer: importerFunc(imported)}
		_, err = config.Check("main", fset, []*ast.File{file}, nil)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("with %s the error is %v, want %q", path, err, want)
		}
	}
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }
