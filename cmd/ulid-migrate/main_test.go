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
	out, err := exec.Command("go", "env", "GOMODCACHE", "GOCACHE", "GOPROXY", "GOSUMDB").Output()
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Split(string(out), "\n")
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			for i, name := range []string{"GOMODCACHE", "GOCACHE", "GOPROXY", "GOSUMDB"} {
				env.Setenv(name, values[i])
			}
			env.Setenv("CACHE", "file://"+filepath.ToSlash(values[0])+"/cache/download")
			env.Setenv("ROOT", root)
			env.Setenv("GOWORK", "off")
			for _, name := range []string{"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"} {
				env.Setenv(name, "test")
			}
			return nil
		},
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"edit": edit, "marked": marked},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// edit FILE OLD NEW replaces a text that the file has once.
func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	before := ts.ReadFile(args[0])
	if n := strings.Count(before, args[1]); n != 1 {
		ts.Fatalf("%s has %q %d times, want once", args[0], args[1], n)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(before, args[1], args[2], 1)), 0o666))
}

// marked FILE... requires that standard output lists, of these files, the lines that end in a
// comment that begins with "want", and no others. The rest of the comment is what it must say.
func marked(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: marked FILE...")
	}
	listed := map[string]map[string]string{}
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if parts := strings.SplitN(strings.TrimSpace(line), ":", 4); len(parts) == 4 {
			if listed[parts[0]] == nil {
				listed[parts[0]] = map[string]string{}
			}
			listed[parts[0]][parts[1]] += parts[3][1:] + "; "
		}
	}
	for _, file := range args {
		for i, line := range strings.Split(ts.ReadFile(file), "\n") {
			_, want, _ := strings.Cut(line, "// want ")
			if got := strings.TrimSuffix(listed[file][strconv.Itoa(i+1)], "; "); got != want {
				ts.Fatalf("%s:%d: listed %q, want %q: %s", file, i+1, got, want, line)
			}
		}
	}
}
