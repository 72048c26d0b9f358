// Package migrating tries what docs/migrating.md says. Each block of code on the page follows a line that names it:
//
//	<!-- postgres: forms -->
//
// A test takes it by that name and runs it as it stands on the page.
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
)

const page = "../../docs/migrating.md"

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var blocks = regexp.MustCompile("(?ms)^(?:<!-- (.+?) -->\n)?```(\\w*)\n(.*?)^```$")

// block returns the code of the page that has the name.
func block(t *testing.T, name string) string {
	t.Helper()
	for _, m := range blocks.FindAllStringSubmatch(read(t, page), -1) {
		if m[1] == name {
			return m[3]
		}
	}
	t.Fatalf("docs/migrating.md has no block %q", name)
	return ""
}

// TestPage shows that a test takes each block of the page, and that the page has each Go file as it is. The one block
// without a name starts these tests.
func TestPage(t *testing.T) {
	sources, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, file := range sources {
		tests.WriteString(read(t, file))
	}
	var names []string
	for _, m := range blocks.FindAllStringSubmatch(read(t, page), -1) {
		name, code := m[1], m[3]
		if file, ok := strings.CutPrefix(name, "interop/migrating/"); ok {
			if !strings.HasSuffix(read(t, file), code) {
				t.Errorf("docs/migrating.md differs from %s", name)
			}
			continue
		}
		if name == "" && !strings.Contains(code, "go test -C interop ./migrating/...\n") {
			t.Errorf("a block without a name:\n%s", code)
		}
		if slices.Contains(names, name) {
			t.Errorf("two blocks have the name %q", name)
		}
		names = append(names, name)
		// A test that is for every database gives the name without that of the database.
		_, part, _ := strings.Cut(name, ": ")
		if name != "" && !strings.Contains(tests.String(), `"`+name+`"`) && !strings.Contains(tests.String(), `"`+part+`"`) &&
			!strings.Contains(tests.String(), `": `+part+`"`) {
			t.Errorf("no test takes the block %q", name)
		}
	}
}

// --- commands

// shell runs a block of the page in a folder, and returns what it prints.
func shell(t *testing.T, dir, name string) (string, error) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the page's commands need GNU sed, grep and cp: run  go test -C interop ./migrating  on Linux")
	}
	return command(dir, nil, "bash", "-euo", "pipefail", "-c", block(t, name))
}

// command runs a program and returns all that it prints. The error has it too.
func command(dir string, env []string, program string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%v: %w\n%s", cmd, err, out)
	}
	return string(out), err
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func root(t *testing.T) string {
	t.Helper()
	return must[string](t)(filepath.Abs("../.."))
}
