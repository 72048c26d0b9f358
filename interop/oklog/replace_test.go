package oklog

import (
	"archive/zip"
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
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

// replace puts the module of this checkout in the place of oklog/ulid in a go.mod.
func replace(t *testing.T, gomod string) {
	t.Helper()
	root := page.Root()
	run(t, ".", "go", "mod", "edit", "-replace", oklogPath+"="+root+"/oklog", "-replace", ulidPath+"="+root, gomod)
}

// version returns the version of a module that go.mod requires here.
func version(t *testing.T, path string) string {
	t.Helper()
	gomod := page.Text(t, "interop/go.mod")
	found := regexp.MustCompile(`(?m)^\t` + path + ` (v\S+)`).FindStringSubmatch(gomod)
	if found == nil {
		t.Fatalf("go.mod does not require %s", path)
	}
	return found[1]
}

// serveCheckout lets go download the library and the module of this checkout, as if they were released. The module
// cache is temporary, so that these versions do not get into another one. All else comes from the usual one.
func serveCheckout(t *testing.T) {
	t.Helper()
	proxy := t.TempDir()
	serve(t, proxy, ulidPath, page.Root())
	serve(t, proxy, modulePath, filepath.Join(page.Root(), "oklog"))
	cache := filepath.Join(run(t, ".", "go", "env", "GOMODCACHE"), "cache", "download")
	t.Setenv("GOPROXY", fileURL(proxy)+","+fileURL(cache)+","+run(t, ".", "go", "env", "GOPROXY"))
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOFLAGS", "-modcacherw") // so that it can be removed
	t.Setenv("GOSUMDB", "off")
	t.Setenv("GOWORK", "off")
	t.Setenv("GOTOOLCHAIN", "local")
}

func fileURL(path string) string { return "file:///" + strings.TrimPrefix(filepath.ToSlash(path), "/") }

// serve writes a version of a module for a file proxy: what is known of it, its go.mod and a zip.
func serve(t *testing.T, proxy, path, dir string) {
	t.Helper()
	version := version(t, path)
	files, err := filepath.Glob(dir + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, file := range append(files, dir+"/go.mod") {
		f, err := w.Create(path + "@" + version + "/" + filepath.Base(file))
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, read(t, file))
	}
	err = w.Close()
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(proxy, path, "@v")
	err = os.MkdirAll(to, 0o777)
	if err != nil {
		t.Fatal(err)
	}
	write(t, `{"Version":"`+version+`"}`, to, version+".info")
	write(t, read(t, dir, "go.mod"), to, version+".mod")
	write(t, archive.String(), to, version+".zip")
}

// TestLine runs the commands of README.md in a program.
func TestLine(t *testing.T) {
	commands := strings.Split(strings.TrimSpace(page.Blocks(page.Text(t, readme))[0].Code), "\n")
	for _, command := range commands {
		page.Contains(t, "oklog/ulid.go", "\n//\t"+command+"\n")
	}
	serveCheckout(t)
	dir := t.TempDir()
	write(t, "module a.example/app\n\ngo 1.21\n\nrequire "+oklogPath+" v2.1.2\n", dir, "go.mod")
	write(t, "package app\n\nimport \""+oklogPath+"\"\n\nvar ID = ulid.Make()\n", dir, "app.go")
	for _, command := range commands {
		words := strings.Fields(command)
		run(t, dir, words[0], words[1:]...)
	}
	run(t, dir, "go", "build")
	got := run(t, dir, "go", "list", "-m", "-f", "{{.Path}} {{.GoVersion}} {{.Replace}}", "all")
	version := version(t, modulePath)
	want := "a.example/app 1.25 <nil>\n" +
		oklogPath + " 1.25 " + modulePath + " " + version + "\n" +
		ulidPath + " 1.25 <nil>"
	if got != want {
		t.Errorf("then the modules are\n%s\nwant\n%s", got, want)
	}
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
