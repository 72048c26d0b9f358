package migrating

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/seed-961d0905/ulid/interop/page"
)

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
	p.write(t, "go.mod", fmt.Sprintf(`module a.example/app

go 1.26

require %s %s

replace %[1]s => %[3]s
`, ulidPath, version(t), page.Root()))
	return p
}

// withAdapter is withLibrary, where the module oklog of this checkout takes the place of oklog/ulid.
func withAdapter(t *testing.T, files map[string]string) project {
	t.Helper()
	p := withLibrary(t, files)
	p.run(t, "go", "mod", "edit", "-require="+oklogPath+"@v2.1.2", "-replace="+oklogPath+"="+page.Root()+"/oklog")
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
	out, err := p.try(program, args...)
	check(t, err)
	return out
}

// runGuide runs the guide's commands that have the name. They must succeed.
func (p project) runGuide(t *testing.T, name string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the guide's commands need GNU cp: run  go test -C interop ./migrating  on Linux")
	}
	p.run(t, "bash", "-euo", "pipefail", "-c", guideBlock(t, "sh: "+name))
}
