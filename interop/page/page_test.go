package page

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// report keeps the message of a test that fails.
type report struct {
	testing.TB
	message string
}

func (r *report) Helper()                      {}
func (r *report) Errorf(f string, args ...any) { r.message = fmt.Sprintf(f, args...) }
func (r *report) Fatalf(f string, args ...any) { r.message = fmt.Sprintf(f, args...) }

func TestCheck(t *testing.T) {
	const name = "interop/page/testdata/page.md"
	text := Text(t, name)
	r := &report{TB: t}
	Check(r, name, text)
	if r.message != "" {
		t.Errorf("the text of the file: %s", r.message)
	}
	for _, test := range []struct{ text, want string }{
		{"Another.\n" + text, "line 1 is\n\tA page. <!-- fact: of-a-page -->\nwant\n\tAnother."},
		{text + "more", "run  go generate -C interop ./page\n"},
		{text + "\n", "it has 12 lines, want 13"},
	} {
		r := &report{TB: t}
		if Check(r, name, test.text); !strings.Contains(r.message, test.want) {
			t.Errorf("the message is\n%s\nwant\n%s", r.message, test.want)
		}
	}
}

func TestContains(t *testing.T) {
	const name = "interop/page/testdata/page.md"
	Contains(t, name, "A page.")
	Contains(t, name, "SELECT 2;\n```\n") // at its end
	for _, lacks := range []string{"Another.", "A page. <!-- fact: of another"} {
		r := &report{TB: t}
		if Contains(r, name, lacks); !strings.HasPrefix(r.message, name+" lacks") {
			t.Errorf("the page lacks %q, and Contains says %q", lacks, r.message)
		}
	}
}

func TestFact(t *testing.T) {
	const name = "interop/page/testdata/page.md"
	Fact(t, name, "of-a-page")
	for _, bad := range []string{"of-no-page", "of-a-page -->\nA page", "of-a"} {
		r := &report{TB: t}
		if Fact(r, name, bad); !strings.HasPrefix(r.message, name+" has <!-- fact: ") {
			t.Errorf("the fact %q gives %q", bad, r.message)
		}
	}
}

// TestFactsAreProved finds a test for each marker on a page.
func TestFactsAreProved(t *testing.T) {
	var tests []string
	err := filepath.WalkDir(Root(), func(path string, e fs.DirEntry, err error) error {
		if strings.HasSuffix(path, "_test.go") {
			tests = append(tests, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, path := range tests {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(text)
	}
	for _, name := range Pages(t) {
		for _, m := range regexp.MustCompile(`<!-- fact: ([a-z0-9-]+) -->`).FindAllStringSubmatch(Text(t, name), -1) {
			if !strings.Contains(code.String(), `"`+m[1]+`"`) {
				t.Errorf("%s: no test names the fact %q", name, m[1])
			}
		}
	}
}

func TestSources(t *testing.T) {
	const name = "interop/page/testdata/page.md"
	const prefix = "interop/page/testdata/"
	text := Text(t, name)
	got, err := Sources(strings.ReplaceAll(text, "SELECT", "DELETE"), prefix)
	if err != nil {
		t.Fatal(err)
	}
	if got != text {
		t.Errorf("Sources returns\n%s\nwant\n%s", got, text)
	}
	if got, want := Code(t, name, prefix+"page.sql: one"), "SELECT 1;\n"; got != want {
		t.Errorf("the first part is %q, want %q", got, want)
	}
	r := &report{TB: t}
	if Code(r, "README.md", ""); !strings.Contains(r.message, "want 1") {
		t.Errorf("several blocks without a name give %q", r.message)
	}
	for _, bad := range []string{"page.sql: three", "none.sql"} {
		if _, err := Sources(strings.Replace(text, "page.sql: one", bad, 1), prefix); err == nil {
			t.Errorf("a block of %s is no error", bad)
		}
	}
	elsewhere := text + "\n<!-- elsewhere/none.go -->\n```go\nx\n```\n"
	if got, err := Sources(elsewhere, prefix); err != nil || got != elsewhere {
		t.Errorf("a block of another prefix is renewed: %v\n%s", err, got)
	}
	if _, err := Source(prefix + "page.sql: on"); err == nil {
		t.Error("the beginning of the name of a part is enough")
	}
	const source = "interop/page/page.go"
	if got, err := Source(source); err != nil || !strings.HasPrefix(got, "import (\n") {
		t.Errorf("Source(%q) = %.20q, %v", source, got, err)
	}
}

func TestFill(t *testing.T) {
	const old = "a\n<!-- x -->\nold\n<!-- end -->\nb\n<!-- y -->\n<!-- end -->\n"
	const want = "a\n<!-- x -->\n\nnew\n\n<!-- end -->\nb\n<!-- y -->\n\ntoo\n\n<!-- end -->\n"
	parts := map[string]string{"x": "new\n", "y": "too"}
	if got, err := Fill(old, parts); err != nil || got != want {
		t.Errorf("Fill = %q, %v, want %q", got, err, want)
	}
	for _, bad := range []string{
		"",
		old + old,
		old + "<!-- y -->\n",
		old + "<!-- z -->\n<!-- end -->\n",
		strings.Replace(old, "<!-- end -->", "", 1),
		strings.Replace(old, "<!-- y -->", "", 1),
		strings.TrimSuffix(old, "<!-- end -->\n"),
	} {
		if got, err := Fill(bad, parts); err == nil {
			t.Errorf("Fill of %q = %q, want an error", bad, got)
		}
	}
}

func TestTested(t *testing.T) {
	const page = "on <!-- tested -->%s 15<!-- /tested --> and <!-- tested -->%s 10.11<!-- /tested -->, not %[1]s 15"
	was := fmt.Sprintf(page, "PostgreSQL", "MariaDB")
	got, places := Tested(was, "PostgreSQL", "PostgreSQL 16")
	if want := strings.Replace(was, "15", "16", 1); got != want || places != 1 {
		t.Errorf("%q with another version is %q, %d places, want %q", was, got, places, want)
	}
	got, places = Tested(was, "MySQL", "MySQL 9.7")
	if got != was || places != 0 {
		t.Errorf("%q with the version of another database is %q, %d places", was, got, places)
	}
}

func TestPages(t *testing.T) {
	pages := Pages(t)
	for _, want := range []string{"README.md", "docs/mysql.md", "interop/page/testdata/page.md"} {
		if !slices.Contains(pages, want) {
			t.Errorf("Pages lacks %s", want)
		}
	}
}

// TestMap finds every folder of this module in README.md. The pages of a folder name it, and the
// folder its pages.
func TestMap(t *testing.T) {
	row := regexp.MustCompile("(?m)^\\| `([^`]*)/` \\| .* \\|(.*)\\|$")
	rows := row.FindAllStringSubmatch(Text(t, "interop/README.md"), -1)
	var folders []string
	for _, row := range rows {
		folders = append(folders, row[1])
		files, err := filepath.Glob("../" + row[1] + "/*.go")
		if err != nil || files == nil {
			t.Fatalf("no files in %s, %v", row[1], err)
		}
		for _, link := range regexp.MustCompile(`\]\(\.\./(.*?)\)`).FindAllStringSubmatch(row[2], -1) {
			if !regexp.MustCompile(`interop(/| .*\./)` + row[1] + `\b`).MatchString(Text(t, link[1])) {
				t.Errorf("%s does not name interop/%s", link[1], row[1])
			}
			if !slices.ContainsFunc(files, func(file string) bool {
				return strings.Contains(Text(t, filepath.Join("interop/page", file)), link[1])
			}) {
				t.Errorf("no file in interop/%s names %s", row[1], link[1])
			}
		}
	}
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !slices.Contains(folders, e.Name()) {
			t.Errorf("interop/README.md does not say what %s/ holds", e.Name())
		}
	}
}

// A line that begins with a comment is HTML to its end, so the rest of it would not be rendered as Markdown.
func TestCommentsStandAlone(t *testing.T) {
	line := regexp.MustCompile(`(?m)^ {0,3}<!--.*?--> *\S.*$`)
	for _, name := range Pages(t) {
		for _, found := range line.FindAllString(Text(t, name), -1) {
			t.Errorf("%s has words after a comment at the start of a line:\n%s", name, found)
		}
	}
}
