package page

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

//go:generate go test -run ^TestBlocks$ . -write

// pages returns the pages of the repository.
func pages(t *testing.T) []string { return files(t, ".md") }

// files returns the files whose names have one of these endings: those that git tracks, or all files if git does not
// say which these are.
func files(t *testing.T, endings ...string) (names []string) {
	t.Helper()
	isTracked := func(string) bool { return true }
	if _, err := os.Stat(filepath.Join(Root(), ".git")); err == nil {
		out, err := exec.Command("git", "-C", Root(), "ls-files", "-z").Output()
		if err == nil {
			tracked := strings.Split(string(out), "\x00")
			isTracked = func(name string) bool { return slices.Contains(tracked, name) }
		}
	}
	err := filepath.WalkDir(Root(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		hasEnding := func(ending string) bool { return strings.HasSuffix(path, ending) }
		name, err := filepath.Rel(Root(), path)
		name = filepath.ToSlash(name)
		if slices.ContainsFunc(endings, hasEnding) && isTracked(name) {
			names = append(names, name)
		}
		return err
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
	for _, name := range files(t, ".go", ".sql") {
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

// TestVectors compares the count of malformed strings in the README with the vectors.
func TestVectors(t *testing.T) {
	var file struct{ Invalid []struct{ Source string } }
	err := json.Unmarshal([]byte(Text(t, "testdata/vectors.json")), &file)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, c := range file.Invalid {
		if c.Source != "library" {
			n++
		}
	}
	Contains(t, "README.md", fmt.Sprintf("| %d of %[1]d |", n))
}
