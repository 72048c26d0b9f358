// Package migrating tries what docs/migrating.md, docs/migrating-columns.md, docs/migrating-others.md and oklog/README.md say. A
// block of code has its name in a comment above it, by which a test finds it and runs it unchanged. The command ulid-migrate
// has its own tests.
package migrating

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

//go:generate go test -run ^TestPage$ . -write

const (
	oklogPath = "github.com/oklog/ulid/v2"
	version1  = "github.com/oklog/ulid"
	ulidPath  = "github.com/seed-961d0905/ulid"
)

// The guide is these pages.
var pages = []string{"docs/migrating.md", "docs/migrating-columns.md", "docs/migrating-others.md", "oklog/README.md"}

// guide returns the text of all its pages.
func guide(t *testing.T) (text string) {
	t.Helper()
	for _, name := range pages {
		text += page.Text(t, name)
	}
	return text
}

// block returns the code of the guide that has the name.
func block(t *testing.T, name string) string {
	t.Helper()
	found := slices.DeleteFunc(page.Blocks(guide(t)), func(b page.Block) bool { return b.Name != name })
	if len(found) != 1 {
		t.Fatalf("the guide has %d blocks <!-- %s -->, want 1", len(found), name)
	}
	return found[0].Code
}

// inline returns the one code span of the guide that matches all of the expression.
func inline(t *testing.T, expression string) string {
	t.Helper()
	spans := regexp.MustCompile("`[^`\n]+`").FindAllString(guide(t), -1)
	whole := regexp.MustCompile("^`" + expression + "`$")
	found := slices.DeleteFunc(spans, func(span string) bool { return !whole.MatchString(span) })
	if len(found) != 1 {
		t.Fatalf("the guide has %d times `%s`, want once", len(found), expression)
	}
	return strings.Trim(found[0], "`")
}

// says fails the test unless the guide has the sentence, on however many lines.
func says(t *testing.T, sentence string) {
	t.Helper()
	if !strings.Contains(regexp.MustCompile(`\s+(> +)?`).ReplaceAllString(guide(t), " "), sentence) {
		t.Errorf("the guide no longer says: %s", sentence)
	}
}

// TestPage shows that a test takes each block of the guide, and that the guide has the Go code as it is here.
func TestPage(t *testing.T) {
	var tests strings.Builder
	for _, file := range must(filepath.Glob("*_test.go"))(t) {
		tests.WriteString(read(t, file))
	}
	const here = "interop/migrating/"
	for _, b := range page.Blocks(guide(t)) {
		_, part, _ := strings.Cut(b.Name, ": ") // the block of a database, or one for bash
		switch {
		case strings.HasPrefix(b.Name, here), b.Name == "" && strings.Contains(b.Code, "/cmd/ulid-migrate@latest"):
		case b.Name == "", !strings.Contains(tests.String(), `"`+b.Name+`"`) && !strings.Contains(tests.String(), `"`+part+`"`):
			t.Errorf("no test takes the block %q", b.Name)
		}
	}
	for _, name := range pages {
		page.Check(t, name, must(page.Sources(page.Text(t, name), here))(t))
	}
}

// --- files and commands

func read(t *testing.T, file string) string {
	t.Helper()
	return string(must(os.ReadFile(file))(t))
}

var check = db.Check

// must returns the value, and ends the test if there is an error:  value := must(f())(t)
func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		check(t, err)
		return value
	}
}

// A project is a folder in which commands run, with this in their environment.
type project struct {
	dir string
	env []string
}

// interop is this module.
var interop = project{dir: filepath.Join(page.Root(), "interop")}

// newProject makes a folder that has the files.
func newProject(t *testing.T, env []string, files map[string]string) project {
	t.Helper()
	p := project{t.TempDir(), env}
	for name, text := range files {
		p.write(t, name, text)
	}
	return p
}

// withLibrary makes a module that requires this checkout of the library.
func withLibrary(t *testing.T, files map[string]string) project {
	t.Helper()
	p := newProject(t, nil, files)
	p.write(t, "go.mod", "module a.example/app\n\ngo 1.26\n\nrequire "+ulidPath+" "+version(t)+"\n\nreplace "+ulidPath+" => "+page.Root()+"\n")
	return p
}

func (p project) path(name string) string { return filepath.Join(p.dir, name) }

func (p project) write(t *testing.T, name, text string) {
	t.Helper()
	check(t, os.MkdirAll(filepath.Dir(p.path(name)), 0o777))
	check(t, os.WriteFile(p.path(name), []byte(text), 0o666))
}

// try runs a program and returns all that it prints. The error has it too.
func (p project) try(program string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), p.env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%v: %w\n%s", cmd, err, out)
	}
	return string(out), err
}

// run runs a program that must succeed.
func (p project) run(t *testing.T, program string, args ...string) string {
	t.Helper()
	return must(p.try(program, args...))(t)
}

// page runs the guide's commands that have the name. They must succeed.
func (p project) page(t *testing.T, name string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the guide's commands need GNU cp: run  go test -C interop ./migrating  on Linux")
	}
	p.run(t, "bash", "-euo", "pipefail", "-c", block(t, "sh: "+name))
}
