package migrating

import (
	"archive/zip"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	oklogPath = "github.com/oklog/ulid/v2"
	ulidPath  = "github.com/seed-961d0905/ulid"
)

// proxy writes a module proxy that has this library as v1.0.0 and what the module cache has, and returns the environment for
// it, with a module cache of its own.
func proxy(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	versions := filepath.Join(dir, "proxy", ulidPath, "@v")
	write(t, filepath.Join(versions, "list"), "v1.0.0\n")
	write(t, filepath.Join(versions, "v1.0.0.info"), `{"Version":"v1.0.0"}`)
	write(t, filepath.Join(versions, "v1.0.0.mod"), read(t, "../../go.mod"))
	file := must[*os.File](t)(os.Create(filepath.Join(versions, "v1.0.0.zip")))
	archive := zip.NewWriter(file)
	for _, pattern := range []string{"*.go", "go.mod", "LICENSE"} {
		for _, name := range must[[]string](t)(filepath.Glob(filepath.Join("../..", pattern))) {
			w, err := archive.Create(ulidPath + "@v1.0.0/" + filepath.Base(name))
			if err != nil {
				t.Fatal(err)
			}
			w.Write([]byte(read(t, name)))
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	cache, proxy, _ := strings.Cut(must[string](t)(command(".", nil, "go", "env", "GOMODCACHE", "GOPROXY")), "\n")
	return []string{
		"GOPROXY=file://" + filepath.Join(dir, "proxy") + ",file://" + filepath.Join(cache, "cache", "download") + "," + strings.TrimSpace(proxy),
		"GONOSUMDB=github.com/*", "GOMODCACHE=" + filepath.Join(dir, "modules"), "GOFLAGS=-modcacherw", "GOWORK=off",
	}
}

// app makes a module whose main package and whose dependency have IDs. The dependency imports oklog/ulid, the main package
// the path.
func app(t *testing.T, path string) string {
	t.Helper()
	dir, dep := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dep, "go.mod"), "module b.example/dep\n\ngo 1.24\n\nrequire "+oklogPath+" v2.1.2\n")
	write(t, filepath.Join(dep, "dep.go"), `package dep

import "github.com/oklog/ulid/v2"

// Last is in the dependency's API.
var Last = ulid.Make()
`)
	write(t, filepath.Join(dir, "main.go"), `package main

import (
	"fmt"
	"reflect"

	"b.example/dep"
	"`+path+`"
)

func main() {
	// The conversion compiles whether they are one type or two.
	id := ulid.ULID(dep.Last)
	fmt.Println(reflect.TypeOf(id).PkgPath(), reflect.TypeOf(dep.Last).PkgPath(), reflect.TypeOf(id) == reflect.TypeOf(dep.Last), id == ulid.ULID(dep.Last))
	// oklog takes this.
	_, err := ulid.Parse("0!!!!!!!!!!!!!!!!!!!!!!!!!")
	fmt.Println(err)
}
`)
	write(t, filepath.Join(dir, "go.sum"), read(t, "../go.sum"))
	write(t, filepath.Join(dir, "go.mod"), "module a.example/app\n\ngo 1.24\n\nrequire (\n\tb.example/dep v0.0.0\n\t"+
		oklogPath+" v2.1.2\n)\n\nreplace b.example/dep => "+dep+"\n")
	return dir
}

func setEnv(t *testing.T, env []string) {
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
}

const refused = "\nulid: invalid character '!' at offset 1\n"

// TestPath rewrites the import path of the main package only, with and without a vendor folder.
func TestPath(t *testing.T) {
	setEnv(t, proxy(t))
	for _, vendor := range []bool{false, true} {
		t.Run(fmt.Sprint("vendor ", vendor), func(t *testing.T) {
			dir := app(t, oklogPath)
			must[string](t)(command(dir, nil, "go", "mod", "tidy"))
			if vendor {
				must[string](t)(command(dir, nil, "go", "mod", "vendor"))
			}
			if got := must[string](t)(command(dir, nil, "go", "run", ".")); got != oklogPath+" "+oklogPath+" true true\n<nil>\n" {
				t.Fatalf("before: %s", got)
			}
			if !vendor {
				write(t, filepath.Join(dir, "version 1.go"), "package main\n\nimport _ \"github.com/oklog/ulid\"\n")
				write(t, filepath.Join(dir, "folder/vendor/b.go"), "package b\n\nimport _ \""+oklogPath+"\"\n")
			}
			write(t, filepath.Join(dir, "sqlc.yaml"), "import: github.com/oklog/ulid/v2\n")
			must[string](t)(shell(t, dir, "sh: path"))
			if !vendor {
				for file, want := range map[string]string{"version 1.go": ulidPath, "folder/vendor/b.go": oklogPath} {
					if got := read(t, filepath.Join(dir, file)); !strings.Contains(got, `"`+want+`"`) {
						t.Errorf("%s is\n%s", file, got)
					}
				}
				if err := os.RemoveAll(filepath.Join(dir, "folder")); err != nil {
					t.Fatal(err)
				}
			}
			two := ulidPath + " " + oklogPath + " false true" + refused
			if got := must[string](t)(command(dir, nil, "go", "run", ".")); got != two {
				t.Errorf("with both paths: %s", got)
			}
			must[string](t)(command(dir, nil, "go", "mod", "tidy"))
			if vendor {
				must[string](t)(command(dir, nil, "go", "mod", "vendor"))
			}
			if got := read(t, filepath.Join(dir, "go.mod")); !strings.Contains(got, oklogPath+" v2.1.2 // indirect") || !strings.Contains(got, "\ngo 1.25\n") {
				t.Errorf("tidy leaves\n%s", got)
			}
			if got := must[string](t)(shell(t, dir, "sh: other files")); !strings.Contains(got, "./sqlc.yaml:1:") || strings.Contains(got, "./vendor/") || strings.Contains(got, "./main.go:") {
				t.Errorf("the path is in\n%s", got)
			}

			write(t, filepath.Join(dir, "main_test.go"), valueTest)
			if out, err := shell(t, dir, "sh: loud on"); err == nil || !strings.Contains(out, "plain ULID") {
				t.Errorf("with the loud copy: %v", err)
			}
			must[string](t)(shell(t, dir, "sh: loud off"))
			must[string](t)(command(dir, nil, "go", "test", "."))
			if got := must[string](t)(command(dir, nil, "go", "run", ".")); got != two {
				t.Errorf("after the loud copy: %s", got)
			}
		})
	}
}

// valueTest is a test of a program that stores texts.
const valueTest = `package main

import (
	"testing"

	"github.com/seed-961d0905/ulid"
)

func TestValue(t *testing.T) {
	if _, err := ulid.Make().Value(); err != nil {
		t.Fatal(err)
	}
}
`

// published makes a repository of this checkout's adapter, and lets git clone it by the library's address.
func published(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "interop/migrating/oklog"), os.DirFS("oklog")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@a.example", "commit", "-qm", "a"},
	} {
		must[string](t)(command(dir, nil, "git", args...))
	}
	setEnv(t, []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://" + dir + ".insteadOf", "GIT_CONFIG_VALUE_0=https://" + ulidPath})
}

// TestAdapter puts the adapter of interop/migrating/oklog under both paths.
func TestAdapter(t *testing.T) {
	setEnv(t, proxy(t))
	published(t)
	for _, path := range []string{oklogPath, ulidPath} {
		dir := app(t, path)
		must[string](t)(shell(t, dir, "sh: adapter"))
		want := ulidPath + " " + ulidPath + " true true" + refused
		if got := must[string](t)(command(dir, nil, "go", "run", ".")); got != want {
			t.Errorf("%s: %s", path, got)
		}
		must[string](t)(command(dir, nil, "go", "mod", "vendor"))
		if got := must[string](t)(command(dir, nil, "go", "run", ".")); got != want {
			t.Errorf("%s, vendored: %s", path, got)
		}
		if _, err := os.Stat(filepath.Join(dir, "ulid.tmp")); err == nil {
			t.Error("the clone stays")
		}
	}
}

// TestAdapterVersion1 puts a second copy of the adapter under the path of oklog/ulid's version 1 too.
func TestAdapterVersion1(t *testing.T) {
	setEnv(t, proxy(t))
	published(t)
	dir := app(t, "github.com/oklog/ulid")
	must[string](t)(shell(t, dir, "sh: adapter"))
	if err := os.CopyFS(filepath.Join(dir, "oklog1"), os.DirFS("oklog")); err != nil {
		t.Fatal(err)
	}
	replace := regexp.MustCompile("`(go mod edit -replace .*/oklog1)`").FindStringSubmatch(read(t, page))
	if len(replace) == 0 {
		t.Fatal("docs/migrating.md does not replace version 1")
	}
	must[string](t)(command(dir, nil, "bash", "-c", replace[1]+" && go mod tidy"))
	if got := must[string](t)(command(dir, nil, "go", "run", ".")); got != ulidPath+" "+ulidPath+" true true"+refused {
		t.Errorf("it prints %s", got)
	}
}

// TestAdapterIsWhole shows that the adapter has each name of the library.
func TestAdapterIsWhole(t *testing.T) {
	ours, adapter := exported(t, "../.."), exported(t, "oklog")
	if !slices.Equal(ours, adapter) {
		t.Errorf("the library has %v, the adapter %v", ours, adapter)
	}
}

// TestAdapterNames runs the program of interop/compat, which uses every name of oklog/ulid, on the adapter.
func TestAdapterNames(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "oklog"), os.DirFS("oklog")); err != nil {
		t.Fatal(err)
	}
	program := read(t, "../compat/main.go")
	write(t, filepath.Join(dir, "theirs/main.go"), program)
	write(t, filepath.Join(dir, "ours/main.go"), strings.ReplaceAll(program, `"`+oklogPath+`"`, `"`+ulidPath+`"`))
	write(t, filepath.Join(dir, "go.mod"), "module a.example/app\n\ngo 1.26\n\nrequire (\n\t"+oklogPath+" v2.1.2\n\t"+ulidPath+" v1.0.0\n)\n\nreplace (\n\t"+
		oklogPath+" => ./oklog\n\t"+ulidPath+" => "+root(t)+"\n)\n")
	write(t, filepath.Join(dir, "constants/main.go"), read(t, "testdata/constants/main.go"))
	output := block(t, "constants: output")
	args := []string{"run", "./constants"}
	for line := range strings.Lines(output) {
		args = append(args, strings.Fields(line)[0])
	}
	if got := must[string](t)(command(dir, nil, "go", args...)); got != output {
		t.Errorf("the adapter reads the constants as\n%s", got)
	}
	theirs := must[string](t)(command(dir, nil, "go", "run", "./theirs"))
	ours := must[string](t)(command(dir, nil, "go", "run", "./ours"))
	if theirs != ours {
		t.Errorf("with the adapter it prints\n%s\nwithout\n%s", theirs, ours)
	}
}

// exported returns the names of a package that other packages see, without those of methods and fields.
func exported(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	for _, file := range must[[]string](t)(filepath.Glob(filepath.Join(dir, "*.go"))) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		code := must[*ast.File](t)(parser.ParseFile(token.NewFileSet(), file, nil, 0))
		for _, declaration := range code.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					names = append(names, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						names = append(names, s.Name.Name)
					case *ast.ValueSpec:
						for _, name := range s.Names {
							names = append(names, name.Name)
						}
					}
				}
			}
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !ast.IsExported(name) })
	slices.Sort(names)
	return names
}
