package main

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	oklog "github.com/oklog/ulid/v2"
	"github.com/seed-961d0905/ulid"
)

// Two versions of a module that stand for a project with oklog/ulid and with this library.
var modules = [2]map[string]string{
	{
		"go.mod": "module a.example\n\ngo 1.25\n",
		"same/same_test.go": `package same

import "testing"

func TestPass(t *testing.T) {
	t.Run("sub", func(t *testing.T) {})
	t.Run("01ARZ3NDEKTSV4RRFFQ69G5FAV", func(t *testing.T) { t.Run("sub", func(t *testing.T) {}) })
	t.Run("01BX5ZZKBKACTAV9WEVGEMMVRY", func(t *testing.T) {})
}
func TestFail(t *testing.T) { t.Fatal("with both") }
func TestSkip(t *testing.T) { t.Skip("with both") }
`,
		"other/other_test.go": `package other

import "testing"

func TestFails(t *testing.T) {
	t.Run("one", func(t *testing.T) {})
	t.Run("two", func(t *testing.T) {})
}
func TestGone(t *testing.T)   {}
func TestSkips(t *testing.T)  {}
func TestPasses(t *testing.T) { t.Fatal("with oklog only") }
`,
		"build/build_test.go": `package build

import "testing"

func TestBuild(t *testing.T) {}
`,
		"panics/panics_test.go": `package panics

import "testing"

func TestPanics(t *testing.T) {}
`,
		"goes/goes_test.go": `package goes

import "testing"

func TestGoes(t *testing.T) {}
`,
	},
	{
		// Only the ULIDs differ.
		"same/same_test.go": `package same

import "testing"

func TestPass(t *testing.T) {
	t.Run("sub", func(t *testing.T) {})
	t.Run("01BX5ZZKBKACTAV9WEVGEMMVRZ", func(t *testing.T) { t.Run("sub", func(t *testing.T) {}) })
	t.Run("01BX5ZZKBKACTAV9WEVGEMMVS0", func(t *testing.T) {})
}
func TestFail(t *testing.T) { t.Fatal("with both") }
func TestSkip(t *testing.T) { t.Skip("with both") }
`,
		"other/other_test.go": `package other

import "testing"

func TestFails(t *testing.T) {
	t.Run("one", func(t *testing.T) {})
	t.Run("two", func(t *testing.T) { t.Fatal("two of them") })
}
func TestNew(t *testing.T)    {}
func TestSkips(t *testing.T)  { t.Skip() }
func TestPasses(t *testing.T) {}
`,
		"build/build_test.go": `package build

import "testing"

func TestBuild(t *testing.T) { undefined() }
`,
		"panics/panics_test.go": `package panics

import "testing"

func init() { panic("at start") }

func TestPanics(t *testing.T) {}
`,
		"goes/goes_test.go": `package goes

import "testing"

func TestGoes(t *testing.T) {
	go panic("beside the test")
	select {}
}
`,
	},
}

func TestDifferences(t *testing.T) {
	theirs, ours := t.TempDir(), t.TempDir()
	write(t, theirs, modules[0])
	write(t, ours, modules[0])
	write(t, ours, modules[1])
	runIn := func(dir string) func([]string) (results, error) {
		return func(packages []string) (results, error) { return test(dir, nil, packages) }
	}
	v, err := compare([]string{"./..."}, runIn(theirs), runIn(ours))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"a.example/build TestBuild",
		"a.example/goes TestGoes",
		"a.example/other TestFails/two",
		"a.example/other TestGone",
		"a.example/other TestNew",
		"a.example/other TestPasses",
		"a.example/other TestSkips",
		"a.example/panics TestPanics",
	}
	if !slices.Equal(v.differ, want) {
		t.Errorf("different are\n%s\nwant\n%s", strings.Join(v.differ, "\n"), strings.Join(want, "\n"))
	}
	if v.unsteady != nil {
		t.Errorf("unsteady are %q", v.unsteady)
	}
	// TestPass, its four subtests, TestFails, its two, TestGone, TestSkips, TestBuild, TestPanics, TestGoes.
	if pass, skip, fail := count(v.theirs, "pass"), count(v.theirs, "skip"), count(v.theirs, "fail"); pass != 13 || skip != 1 || fail != 2 {
		t.Errorf("%d tests pass, %d are skipped, %d fail, want 13, 1 and 2", pass, skip, fail)
	}

	err = judge(project{}, v)
	if err == nil {
		t.Fatal("differences without an explanation are no error")
	}
	outputs := []string{"undefined: undefined", "panic: at start", "panic: beside the test", "two of them", "with oklog only"}
	for _, text := range append(want, outputs...) {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("the error lacks %s:\n%v", text, err)
		}
	}
	if strings.Contains(err.Error(), "with both") {
		t.Errorf("the error has the output of a test that fails with both:\n%v", err)
	}
}

func TestJudge(t *testing.T) {
	pass := result{outcome: "pass"}
	v := verdict{
		theirs: results{"p": pass, "p TestA": pass, "p TestA/sub": pass, "p TestAB": pass, "p/q": pass, "p/q TestA": pass},
		differ: []string{"p TestA/sub"},
	}
	explain := func(tests ...string) (d []difference) {
		for _, test := range tests {
			d = append(d, difference{test: test})
		}
		return d
	}
	for _, c := range []struct {
		name    string
		project project
		want    string // in the error
	}{
		{"explained", project{least: 4, differs: explain("p TestA/sub")}, ""},
		{"explained by its test", project{differs: explain("p TestA")}, ""},
		{"explained by its package", project{differs: explain("p")}, ""},
		{"not explained", project{}, "p TestA/sub"},
		{"not explained by another test", project{differs: explain("p TestAB")}, "p TestA/sub:"},
		{"not explained by another package", project{differs: explain("p/q")}, "p TestA/sub:"},
		{"explained in vain", project{differs: explain("p TestA", "p TestAB")}, "p TestAB does not differ"},
		{"too few", project{least: 5, differs: explain("p")}, "only 4 tests pass"},
	} {
		err := judge(c.project, v)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if err := judge(project{least: 1}, verdict{theirs: results{"p": {outcome: "fail"}}}); err == nil {
		t.Error("a run without tests is no error")
	}
}

func TestCovers(t *testing.T) {
	for _, c := range []struct {
		whole, name string
		want        bool
	}{
		{"p", "p", true},
		{"p", "p TestA", true},
		{"p", "p TestA/sub", true},
		{"p", "p/q", false},
		{"p", "p/q TestA", false},
		{"p", "pp TestA", false},
		{"p TestA", "p", false},
		{"p TestA", "p TestA", true},
		{"p TestA", "p TestA/sub", true},
		{"p TestA", "p TestA/sub/sub", true},
		{"p TestA", "p TestAB", false},
		{"p TestA", "p TestAB/sub", false},
		{"p TestA/sub", "p TestA", false},
		{"p TestA/sub", "p TestA/sub2", false},
	} {
		if got := covers(c.whole, c.name); got != c.want {
			t.Errorf("covers(%q, %q) is %t", c.whole, c.name, got)
		}
	}
}

// A test that fails in one run and passes in another is no difference. Only its package runs again.
func TestUnsteady(t *testing.T) {
	var asked [][]string
	run := func(outcomes ...string) func([]string) (results, error) {
		n := 0
		return func(packages []string) (results, error) {
			asked = append(asked, packages)
			n++
			r := results{"p": {outcome: outcomes[n-1]}, "p TestA": {outcome: outcomes[n-1]}}
			if n == 1 {
				r["q"], r["q TestB"] = result{outcome: "pass"}, result{outcome: "pass"}
			}
			return r, nil
		}
	}
	lines := func(theirs, ours string) []string {
		text := ": " + theirs + " with oklog/ulid, " + ours + " with this library"
		return []string{"p" + text, "p TestA" + text}
	}
	for _, c := range []struct {
		theirs, ours     []string
		differ, unsteady []string
		passed, runs     int
	}{
		{[]string{"pass"}, []string{"pass"}, nil, nil, 2, 2},
		{[]string{"pass", "pass"}, []string{"fail", "pass"}, nil, lines("[pass]", "[fail pass]"), 2, 4},
		{[]string{"fail", "pass"}, []string{"pass", "pass"}, nil, lines("[fail pass]", "[pass]"), 2, 4},
		{[]string{"pass", "pass", "pass"}, []string{"fail", "fail", "pass"}, nil, lines("[pass]", "[fail pass]"), 2, 6},
		{[]string{"pass", "pass", "pass"}, []string{"fail", "fail", "fail"}, []string{"p TestA"}, nil, 2, 6},
		{[]string{"fail", "fail", "fail"}, []string{"pass", "skip", "pass"}, []string{"p TestA"}, nil, 1, 6},
	} {
		asked = nil
		v, err := compare([]string{"./..."}, run(c.theirs...), run(c.ours...))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(v.differ, c.differ) || !slices.Equal(v.unsteady, c.unsteady) || count(v.theirs, "pass") != c.passed {
			t.Errorf("%q and %q: %q differ, %q are unsteady, %d passed", c.theirs, c.ours, v.differ, v.unsteady, count(v.theirs, "pass"))
		}
		if len(asked) != c.runs {
			t.Errorf("%q and %q: %d runs, want %d", c.theirs, c.ours, len(asked), c.runs)
		}
		for _, packages := range asked[2:] {
			if !slices.Equal(packages, []string{"p"}) {
				t.Errorf("%q and %q: ran %q again", c.theirs, c.ours, packages)
			}
		}
	}
}

// An edit is needed, and changes no value.
func TestEdits(t *testing.T) {
	for _, p := range projects {
		for _, e := range p.edits {
			old, err := strconv.Unquote(e.old)
			if err != nil {
				t.Fatal(err)
			}
			text, err := strconv.Unquote(e.new)
			if err != nil {
				t.Fatal(err)
			}
			if id, err := ulid.Parse(old); err == nil {
				t.Errorf("%s: %s is %s without the edit", p.name, old, id)
			}
			if theirs, ours := oklog.MustParse(old), ulid.MustParse(text); ulid.ULID(theirs) != ours {
				t.Errorf("%s: %s is %s to oklog, and not %s", p.name, old, theirs, ours)
			}
		}
	}
}

// The page has a row for every project, and the row says what the table of projects says.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../" + file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), begin)
	rows, _, _ := strings.Cut(rest, end)
	rows, ok := strings.CutPrefix(rows, head)
	if !ok {
		t.Fatalf("the table of %s begins otherwise", file)
	}
	lines := strings.Split(strings.TrimSuffix(rows, "\n"), "\n")
	if len(lines) != len(projects) {
		t.Fatalf("%s has %d rows for %d projects", file, len(lines), len(projects))
	}
	for i, p := range projects {
		got := strings.Split(lines[i], " | ")
		want := strings.Split(tableRow(p, verdict{}, "", time.Time{}), " | ")
		if len(got) != len(want) {
			t.Errorf("the row of %s has %d columns", p.name, len(got))
			continue
		}
		for _, column := range []int{0, 1, 2, 7} {
			if got[column] != want[column] {
				t.Errorf("%s: the page has %q, the table of projects %q; run  go run -C interop ./consumers %s",
					p.name, got[column], want[column], p.name)
			}
		}
	}
}

// A run of one project leaves the other rows and the text around the table as they are.
func TestReplaceRow(t *testing.T) {
	first, second := rowStart(projects[0].name), rowStart(projects[1].name)
	path := filepath.Join(t.TempDir(), "page.md")
	for _, c := range []struct{ name, row, old, want string }{
		{projects[0].name, first + "new |", first + "old |\n" + second + "old |\n", first + "new |\n" + second + "old |\n"},
		{projects[1].name, second + "new |", first + "old |\n", first + "old |\n" + second + "new |\n"},
		{projects[0].name, first + "new |", "", first + "new |\n"},
		{projects[0].name, first + "new |", "| no project | old |\n", first + "new |\n"},
	} {
		if err := os.WriteFile(path, []byte("Before.\n"+begin+head+c.old+end+"After.\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := replaceRow(path, c.name, c.row); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if want := "Before.\n" + begin + head + c.want + end + "After.\n"; string(got) != want {
			t.Errorf("the page is\n%s\nwant\n%s", got, want)
		}
	}
	if err := os.WriteFile(path, []byte("No table.\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := replaceRow(path, projects[0].name, first); err == nil {
		t.Error("a page without a table is no error")
	}
}

func TestChoose(t *testing.T) {
	if all, err := choose(nil); err != nil || len(all) != len(projects) {
		t.Errorf("%d projects, %v", len(all), err)
	}
	if one, err := choose([]string{projects[1].name}); err != nil || len(one) != 1 || one[0].name != projects[1].name {
		t.Errorf("%v, %v", one, err)
	}
	if _, err := choose([]string{"no such project"}); err == nil {
		t.Error("a project that is not there is no error")
	}
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
