package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ulid-migrate": main})
}

// TestScripts runs the tool on the modules in testdata, with the dependencies that they have in the
// world. Each replaces this library by this checkout. The go command takes that only if no proxy
// knows the library, so the scripts set GOPROXY to CACHE, where it is not, before they write.
func TestScripts(t *testing.T) {
	names := []string{"GOMODCACHE", "GOCACHE", "GOPROXY", "GOSUMDB"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Split(string(out), "\n")
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Vars = append(os.Environ(), env.Vars...) // for what the network needs
			for i, name := range names {
				env.Setenv(name, values[i])
			}
			env.Setenv("CACHE", "file://"+filepath.ToSlash(values[0])+"/cache/download")
			env.Setenv("GOWORK", "off")
			root, err := filepath.Abs("../..")
			env.Setenv("ROOT", root)
			return err
		},
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"edit": edit, "marked": marked},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// edit FILE OLD NEW replaces a text that the file has once.
func edit(ts *testscript.TestScript, neg bool, args []string) {
	before := ts.ReadFile(args[0])
	if n := strings.Count(before, args[1]); n != 1 {
		ts.Fatalf("%s has %q %d times, want once", args[0], args[1], n)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(before, args[1], args[2], 1)), 0o666))
}

// marked FILE... requires that standard output lists, of these files, the lines that end in a
// comment that begins with "want", and no others. The rest of the comment is what it must say.
func marked(ts *testscript.TestScript, neg bool, args []string) {
	listed := map[string]string{} // by file and line
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if parts := strings.SplitN(strings.TrimSpace(line), ":", 4); len(parts) == 4 {
			listed[parts[0]+":"+parts[1]] += parts[3][1:] + "; "
		}
	}
	for _, file := range args {
		for i, line := range strings.Split(ts.ReadFile(file), "\n") {
			_, want, _ := strings.Cut(line, "// want ")
			if got := strings.TrimSuffix(listed[file+":"+strconv.Itoa(i+1)], "; "); got != want {
				ts.Fatalf("%s:%d: listed %q, want %q: %s", file, i+1, got, want, line)
			}
		}
	}
}
