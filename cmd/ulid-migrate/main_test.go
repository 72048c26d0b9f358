package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ulid-migrate": main})
}

// TestScripts runs the tool on the modules in testdata, with the dependencies that they have in the
// world. Each replaces this library by its code here, which is in $ROOT. The go command takes that
// only if no proxy knows the library, so the scripts set GOPROXY to CACHE, where it is not, before
// they write.
func TestScripts(t *testing.T) {
	names := []string{"GOMODCACHE", "GOCACHE", "GOPROXY", "GOSUMDB"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Split(string(out), "\n")
	library := copyLibrary(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Vars = slices.Concat(os.Environ(), env.Vars) // for what the network needs
			for i, name := range names {
				env.Setenv(name, values[i])
			}
			env.Setenv("CACHE", "file://"+filepath.ToSlash(values[0])+"/cache/download")
			env.Setenv("GOWORK", "off")
			env.Setenv("ROOT", library)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"edit":   edit,
			"marked": marked,
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// copyLibrary copies the package of the root. In a worktree of Git the root has a file .git, which go
// mod vendor would copy too, and Git would then take the folder below vendor for a module of its own.
func copyLibrary(t *testing.T) string {
	dir := t.TempDir()
	files, err := filepath.Glob("../../*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, "../../go.mod") {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// edit FILE OLD NEW replaces a text that the file has once.
func edit(ts *testscript.TestScript, neg bool, args []string) {
	name, old, replacement := args[0], args[1], args[2]
	before := ts.ReadFile(name)
	if n := strings.Count(before, old); n != 1 {
		ts.Fatalf("%s has %q %d times, want once", name, old, n)
	}
	after := strings.Replace(before, old, replacement, 1)
	ts.Check(os.WriteFile(ts.MkAbs(name), []byte(after), 0o666))
}

// marked FILE... requires that standard output lists, of these files, the lines that end in a
// comment that begins with "want", and no others. The rest of the comment is what it must say.
func marked(ts *testscript.TestScript, neg bool, args []string) {
	listed := listedLines(ts.ReadFile("stdout"))
	for _, file := range args {
		for i, line := range strings.Split(ts.ReadFile(file), "\n") {
			_, want, _ := strings.Cut(line, "// want ")
			place := file + ":" + strconv.Itoa(i+1)
			if got := strings.Join(listed[place], "; "); got != want {
				ts.Fatalf("%s: listed %q, want %q: %s", place, got, want, line)
			}
		}
	}
}

// listedLines returns what a list says of each line, by "file:line".
func listedLines(list string) map[string][]string {
	lines := map[string][]string{}
	for finding := range strings.Lines(list) {
		parts := strings.SplitN(strings.TrimSpace(finding), ":", 4) // file, line, column, text
		isOfFile := strings.HasPrefix(parts[len(parts)-1], " gofmt would change this file")
		if len(parts) == 4 && !isOfFile {
			place := parts[0] + ":" + parts[1]
			lines[place] = append(lines[place], strings.TrimPrefix(parts[3], " "))
		}
	}
	return lines
}
