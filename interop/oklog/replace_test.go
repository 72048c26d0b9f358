package oklog

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/page"
)

const (
	oklogPath  = "github.com/oklog/ulid/v2"
	modulePath = "github.com/seed-961d0905/ulid/oklog"
	ulidPath   = "github.com/seed-961d0905/ulid"

	readme = "oklog/README.md"
)

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

// TestTheirTests runs the tests of oklog/ulid with the module.
func TestTheirTests(t *testing.T) {
	dir := t.TempDir()
	write(t, "module a.example/app\n\ngo 1.25\n\nrequire "+oklogPath+" v2.1.2\n", dir, "go.mod")
	root := page.Root()
	run(t, dir, "go", "mod", "edit", "-replace", oklogPath+"="+root+"/oklog", "-replace", ulidPath+"="+root)
	// A million random pairs take seconds.
	write(t, strings.ReplaceAll(read(t, oklogDir(t), "ulid_test.go"), "1e6", "1e4"), dir, "ulid_test.go")
	out := run(t, dir, "go", "test", "-mod=mod", "-v", "-vet=off", ".")
	if passed := strings.Count(out, "--- PASS: "); passed < 100 {
		t.Errorf("only %d tests pass:\n%s", passed, out)
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
