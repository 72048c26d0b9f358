package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	oklog "github.com/oklog/ulid/v2"
	"github.com/seed-961d0905/ulid"
)

const (
	oklogPath = "github.com/oklog/ulid/v2"
	ulidPath  = "github.com/seed-961d0905/ulid"
)

// The program compiles with either import path and prints the same.
func TestSameOutput(t *testing.T) {
	theirs, ours := output(t, oklogPath), output(t, ulidPath)
	for i := range max(len(theirs), len(ours)) {
		if i >= len(theirs) || i >= len(ours) {
			t.Fatalf("oklog printed %d lines, ulid %d", len(theirs), len(ours))
		}
		if theirs[i] != ours[i] {
			t.Errorf("oklog printed %s\n ulid printed %s", theirs[i], ours[i])
		}
	}
}

// output returns the lines that the program prints with the given import path.
func output(t *testing.T, path string) []string {
	// -e shows all errors, not only ten.
	text, err := run(".", "go", "run", "-gcflags=-e", rewrite(t, "main.go", path))
	if err != nil {
		t.Fatal(err)
	}
	used, text, _ := strings.Cut(text, "\n")
	if used != path {
		t.Fatalf("the program used %s instead of %s", used, path)
	}
	return strings.Split(text, "\n")
}

// rewrite copies a Go file that imports oklog, with the given import path in its place.
func rewrite(t *testing.T, file, path string) string {
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	source = bytes.ReplaceAll(source, []byte(`"`+oklogPath+`"`), []byte(`"`+path+`"`))
	file = filepath.Join(t.TempDir(), filepath.Base(file))
	if err := os.WriteFile(file, source, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// run runs a program and returns its standard output. The error has all output.
func run(dir, program string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	stdout, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok {
		err = fmt.Errorf("%v: %w\n%s%s", cmd, err, stdout, exit.Stderr)
	}
	return string(stdout), err
}

// The program uses every name that oklog exports.
func TestEveryName(t *testing.T) {
	pkg, used := check(t)
	for _, name := range exported(pkg) {
		if !used[name] {
			t.Errorf("main.go does not use %s", name)
		}
	}
}

// check returns oklog's package, and those of its names that the program uses.
func check(t *testing.T) (*types.Package, map[string]bool) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "main.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	config := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	program, err := config.Check("main", fset, []*ast.File{file}, &info)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(program.Imports(), func(p *types.Package) bool { return p.Path() == oklogPath })
	pkg, used := program.Imports()[i], map[string]bool{}
	for _, object := range info.Uses {
		if object.Parent() == pkg.Scope() {
			used[object.Name()] = true
		}
	}
	for _, selection := range info.Selections {
		receiver := selection.Recv()
		if p, ok := receiver.(*types.Pointer); ok {
			receiver = p.Elem()
		}
		if n, ok := receiver.(*types.Named); ok && n.Obj().Pkg() == pkg {
			used[n.Obj().Name()+"."+selection.Obj().Name()] = true
		}
	}
	return pkg, used
}

// exported returns the names of what a package exports, and as T.Name those of the methods and
// fields of each type T, including what it embeds.
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

// Programs compare the texts of errors.
func TestErrorTexts(t *testing.T) {
	texts := map[string]struct{ theirs, ours error }{
		"ErrBigTime":           {oklog.ErrBigTime, ulid.ErrBigTime},
		"ErrBufferSize":        {oklog.ErrBufferSize, ulid.ErrBufferSize},
		"ErrDataSize":          {oklog.ErrDataSize, ulid.ErrDataSize},
		"ErrInvalidCharacters": {oklog.ErrInvalidCharacters, ulid.ErrInvalidCharacters},
		"ErrMonotonicOverflow": {oklog.ErrMonotonicOverflow, ulid.ErrMonotonicOverflow},
		"ErrOverflow":          {oklog.ErrOverflow, ulid.ErrOverflow},
		"ErrScanValue":         {oklog.ErrScanValue, ulid.ErrScanValue},
	}
	pkg, _ := check(t)
	for _, name := range exported(pkg) {
		object := pkg.Scope().Lookup(name)
		if object == nil || object.Type() != types.Universe.Lookup("error").Type() {
			continue
		}
		if text, ok := texts[name]; !ok {
			t.Errorf("%s is not compared", name)
		} else if text.theirs.Error() != text.ours.Error() {
			t.Errorf("%s is %q, oklog's %q", name, text.ours, text.theirs)
		}
	}
}

// The tests of oklog pass here, except those that demand what differs.
func TestOfOklog(t *testing.T) {
	differ := []string{
		"TestParseRobustness",              // Parse is strict.
		"TestParseStrictInvalidCharacters", // The error says which character, and matches the sentinel.
		"TestScan/other",                   // The error names the type, and matches the sentinel.
		"TestMustParse",                    // The panic quotes the text, and matches the sentinel.
	}
	dir, err := run(".", "go", "list", "-m", "-f", "{{.Dir}}", oklogPath)
	if err != nil {
		t.Fatal(err)
	}
	file := rewrite(t, filepath.Join(strings.TrimSpace(dir), "ulid_test.go"), ulidPath)
	tests := file + ".exe"
	if _, err := run(".", "go", "test", "-c", "-o", tests, file); err != nil {
		t.Fatal(err)
	}
	if _, err := run(".", tests, "-test.skip", strings.Join(differ, "$|")+"$"); err != nil {
		t.Error(err)
	}
	for _, name := range differ {
		if _, err := run(".", tests, "-test.run", name+"$"); err == nil {
			t.Errorf("%s passes too", name)
		}
	}
}

// go fix replaces the calls of ParseStrict and MustParseStrict.
func TestFix(t *testing.T) {
	callers := map[string]string{
		"plain.go": `package caller

import "github.com/seed-961d0905/ulid"

func plain(s string) (ulid.ULID, error) { return ulid.ParseStrict(s) }

var plainID = ulid.MustParseStrict("01ARZ3NDEKTSV4RRFFQ69G5FAV")
`,
		"renamed.go": `package caller

import oklog "github.com/seed-961d0905/ulid"

func renamed(s string) (oklog.ULID, error) { return oklog.ParseStrict(s) }

var renamedID = oklog.MustParseStrict("01ARZ3NDEKTSV4RRFFQ69G5FAV")
`,
	}
	dir := module(t, callers)
	if _, err := run(dir, "go", "fix", "-inline", "."); err != nil {
		t.Fatal(err)
	}
	for name, text := range callers {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.ReplaceAll(text, "ParseStrict", "Parse"); string(got) != want {
			t.Errorf("go fix left %s as\n%s", name, got)
		}
	}
}

// A package that is initialized before ulid may have put a value into crypto/rand.Reader that
// cannot be compared.
func TestUncomparableReader(t *testing.T) {
	dir := module(t, map[string]string{
		// The import path comes before that of ulid, and so does the initialization.
		"early/early.go": `package early

import (
	"crypto/rand"
	"io"
)

type reader struct {
	io.Reader
	_ []byte
}

func init() { rand.Reader = reader{Reader: rand.Reader} }
`,
		"main.go": `package main

import (
	"crypto/rand"
	"fmt"

	_ "a.example/caller/early"
	"github.com/seed-961d0905/ulid"
)

func main() {
	g := ulid.Generator{Entropy: rand.Reader}
	for range 3 {
		id, err := g.Make()
		fmt.Println(!id.IsZero(), err)
		id, err = ulid.New(1, rand.Reader)
		fmt.Println(!id.IsZero(), err)
		id, err = ulid.New(1, ulid.Monotonic(rand.Reader, 0))
		fmt.Println(!id.IsZero(), err)
		fmt.Println(!ulid.Make().IsZero())
	}
}
`,
	})
	got, err := run(dir, "go", "run", ".")
	if want := strings.Repeat(strings.Repeat("true <nil>\n", 3)+"true\n", 3); err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
}

// module writes a module that requires ulid, and returns its directory.
func module(t *testing.T, files map[string]string) string {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module a.example/caller\n\ngo 1.26\n\nrequire "+ulidPath+" v0.0.0\n\nreplace "+ulidPath+" => "+root+"\n")
	for name, text := range files {
		write(name, text)
	}
	return dir
}
