package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	oklog "github.com/oklog/ulid/v2"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed-961d0905/ulid"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ulid-migrate": main})
}

// TestScripts runs the tool on the modules in testdata, with the real oklog/ulid. They replace this library by its
// code here: $ROOT, and $ROOT/oklog for the module that takes the place of oklog/ulid.
func TestScripts(t *testing.T) {
	names := []string{"GOMODCACHE", "GOCACHE", "GOPROXY", "GOSUMDB"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Split(string(out), "\n")
	tool, err := exec.LookPath("ulid-migrate") // which testscript.Main has put there
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Vars = slices.Concat(os.Environ(), env.Vars) // for what the network needs
			for i, name := range names {
				env.Setenv(name, values[i])
			}
			env.Setenv("GOFLAGS", "-mod=mod")
			env.Setenv("GOPRIVATE", "")
			env.Setenv("GOWORK", "off")
			env.Setenv("ROOT", root)
			env.Setenv("TOOL", tool)
			return nil
		},
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"marked": marked},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// marked FILE... requires that standard error lists, of these files, the lines that end in a comment that begins
// with "want", and no others. The rest of the comment is what it must say. It requires at least one such line.
func marked(ts *testscript.TestScript, neg bool, args []string) {
	listed := listedLines(ts.ReadFile("stderr"), ts.MkAbs("."))
	if len(listed) == 0 {
		ts.Fatalf("nothing is listed")
	}
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

var finding = regexp.MustCompile(`(?m)^(.+:\d+):\d+: (.*)$`)

// listedLines returns what a list says of each line, by "file:line". The tool prints absolute paths, and go vet
// relative ones.
func listedLines(list, dir string) map[string][]string {
	lines := map[string][]string{}
	for _, match := range finding.FindAllStringSubmatch(list, -1) {
		place := strings.TrimPrefix(strings.TrimPrefix(match[1], dir+string(filepath.Separator)), "./")
		place = filepath.ToSlash(place)
		lines[place] = append(lines[place], match[2])
	}
	return lines
}

// ParseStrict needs no line: oklog/ulid's reads what this library's Parse reads. Every byte in every place says so,
// and strings of other lengths.
func TestParseStrict(t *testing.T) {
	texts := []string{"", "0", strings.Repeat("0", 25), strings.Repeat("0", 27), strings.Repeat("0", 36)}
	for i := range ulid.EncodedSize {
		for c := range 256 {
			text := []byte("01ARZ3NDEKTSV4RRFFQ69G5FAV")
			text[i] = byte(c)
			texts = append(texts, string(text))
		}
	}
	for _, text := range texts {
		id, err := ulid.Parse(text)
		theirs, theirErr := oklog.ParseStrict(text)
		if id != ulid.ULID(theirs) || (err == nil) != (theirErr == nil) {
			t.Errorf("Parse(%q) = %v, %v, and ParseStrict of oklog/ulid %v, %v", text, id, err, theirs, theirErr)
		}
	}
}

// The constants that need no line are those of the module oklog.
func TestAccepted(t *testing.T) {
	content, err := os.ReadFile("../../oklog/ulid.go")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(content), "var constants = map[string]string{\n")
	list, _, _ = strings.Cut(list, "\n}\n")
	want := map[string]bool{}
	for line := range strings.Lines(list) {
		want[strings.Split(line, `"`)[1]] = true
	}
	if len(want) != len(accepted) {
		t.Errorf("the module has %d constants, and the tool %d", len(want), len(accepted))
	}
	for text := range want {
		if !accepted[text] {
			t.Errorf("the tool lacks %q", text)
		}
	}
}

// The page that the help names is there.
func TestGuide(t *testing.T) {
	file := strings.TrimPrefix(guide, "https://github.com/seed-961d0905/ulid/blob/main/")
	if _, err := os.Stat("../../" + file); err != nil {
		t.Error(err)
	}
}
