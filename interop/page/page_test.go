package page

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

//go:generate go test -run ^TestBlocks$ . -write

// pages returns the pages of the repository.
func pages(t *testing.T) []string { return files(t, ".md") }

// files returns the files whose names have one of these endings.
func files(t *testing.T, endings ...string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(Root(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == ".git" {
			return fs.SkipDir
		}
		for _, ending := range endings {
			if strings.HasSuffix(path, ending) {
				name, err := filepath.Rel(Root(), path)
				names = append(names, filepath.ToSlash(name))
				return err
			}
		}
		return nil
	})
	if err != nil || len(names) == 0 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	return names
}

// TestBlocks compares each block of code that names its source with it.
func TestBlocks(t *testing.T) {
	for _, name := range pages(t) {
		text, err := Sources(Text(t, name), "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		Check(t, name, text)
	}
}

// TestParts finds parts of files that no page shows.
func TestParts(t *testing.T) {
	var shown strings.Builder
	for _, name := range pages(t) {
		shown.WriteString(Text(t, name))
	}
	for _, name := range files(t, ".go", ".sql", ".yaml") {
		for _, m := range part.FindAllStringSubmatch(Text(t, name), -1) {
			if block := fmt.Sprintf("<!-- %s: %s -->", name, m[1]); m[1] != "end" && !strings.Contains(shown.String(), block) {
				t.Errorf("%s has the part %q, and no page shows it", name, m[1])
			}
		}
	}
}

// TestFactsAreProved finds a test for each marker on a page.
func TestFactsAreProved(t *testing.T) {
	var tests strings.Builder
	for _, name := range files(t, "_test.go") {
		tests.WriteString(Text(t, name))
	}
	for _, name := range pages(t) {
		for _, m := range regexp.MustCompile(`<!-- fact: (.*?) -->`).FindAllStringSubmatch(Text(t, name), -1) {
			if !strings.Contains(tests.String(), `"`+m[1]+`"`) {
				t.Errorf("%s: no test names the fact %q", name, m[1])
			}
		}
	}
}

// A line that begins with a comment is HTML to its end, so the rest of it would not be rendered as Markdown.
func TestCommentsStandAlone(t *testing.T) {
	line := regexp.MustCompile(`(?m)^ {0,3}<!--.*?--> *\S.*$`)
	for _, name := range pages(t) {
		for _, found := range line.FindAllString(Text(t, name), -1) {
			t.Errorf("%s has words after a comment at the start of a line:\n%s", name, found)
		}
	}
}

// TestVersions compares the versions of the libraries beside ours with go.mod. What was measured or tried on a date
// keeps the version of that day.
func TestVersions(t *testing.T) {
	required := map[string]string{}
	requirement := regexp.MustCompile(`(?m)^\tgithub\.com/(\S+?)(?:/v2)? v(\S+)`)
	for _, m := range requirement.FindAllStringSubmatch(Text(t, "interop/go.mod"), -1) {
		required[m[1]] = m[2]
	}
	named := regexp.MustCompile(`(oklog/ulid|google/uuid) v?(\d+\.\d+\.\d+)`)
	for _, name := range []string{"README.md", "oklog/README.md", "oklog/ulid.go"} {
		found := named.FindAllStringSubmatch(Text(t, name), -1)
		if len(found) == 0 {
			t.Errorf("%s names no version", name)
		}
		for _, m := range found {
			if want := required[m[1]]; m[2] != want {
				t.Errorf("%s names %s %s, and go.mod requires %s", name, m[1], m[2], want)
			}
		}
	}
}

// What follows tests this package itself, on testPage.

const testPage = "interop/page/testdata/page.md"

// report keeps the message of a test that fails.
type report struct {
	testing.TB
	message string
}

func (r *report) Helper()                      {}
func (r *report) Errorf(f string, args ...any) { r.message = fmt.Sprintf(f, args...) }
func (r *report) Fatalf(f string, args ...any) { r.message = fmt.Sprintf(f, args...) }

func TestChecks(t *testing.T) {
	text := Text(t, testPage)
	for name, tt := range map[string]struct {
		check func(t testing.TB)
		want  string // the beginning of the message, after the name of the page, or empty
	}{
		"Check":                {func(t testing.TB) { Check(t, testPage, text) }, ""},
		"Check, another line":  {func(t testing.TB) { Check(t, testPage, "x\n"+text) }, " is not up to date"},
		"Check, one line more": {func(t testing.TB) { Check(t, testPage, text+"\n") }, " is not up to date"},
		"Contains":             {func(t testing.TB) { Contains(t, testPage, "SELECT 2;\n```\n") }, ""},
		"Contains, not":        {func(t testing.TB) { Contains(t, testPage, "A page. <!-- fact: of-another") }, " lacks"},
		"Fact":                 {func(t testing.TB) { Fact(t, testPage, "of-a-page") }, ""},
		"Fact, not":            {func(t testing.TB) { Fact(t, testPage, "of-a") }, " has <!-- fact: of-a --> 0 times"},
	} {
		r := &report{TB: t}
		tt.check(r)
		if !strings.HasPrefix(strings.TrimPrefix(r.message, testPage), tt.want) || (tt.want == "") != (r.message == "") {
			t.Errorf("%s reports %q, want %q", name, r.message, tt.want)
		}
	}
}

func TestSources(t *testing.T) {
	text := Text(t, testPage)
	old := strings.ReplaceAll(text, "SELECT", "DELETE") + "\n<!-- not a file -->\n```go\nx\n```\n"
	renewed := strings.ReplaceAll(old, "DELETE", "SELECT")
	for prefix, want := range map[string]string{"": renewed, "interop/page/": renewed, "elsewhere/": old} {
		if got, err := Sources(old, prefix); got != want || err != nil {
			t.Errorf("with the prefix %q, Sources returns %v\n%s\nwant\n%s", prefix, err, got, want)
		}
	}
	for _, bad := range []string{"page.sql: three", "page.sql: on", "none.sql"} {
		if _, err := Sources(strings.Replace(text, "page.sql: one", bad, 1), ""); err == nil {
			t.Errorf("a block of %s is no error", bad)
		}
	}
	if got := Code(t, testPage, "interop/page/testdata/page.sql: one"); got != "SELECT 1;\n" {
		t.Errorf("the first part is %q", got)
	}
	for code, want := range map[string]string{
		"\ta\n\n\t\tb\n": "a\n\n\tb\n",
		"a\n\tb\n":       "a\n\tb\n",
		"\ta\nb\n":       "\ta\nb\n",
	} {
		if got := outdented(code); got != want {
			t.Errorf("outdented(%q) = %q, want %q", code, got, want)
		}
	}
	if got, err := Source("interop/page/page.go"); err != nil || !strings.HasPrefix(got, "import (\n") {
		t.Errorf("the file is %.20q, %v", got, err)
	}
}
