package page

import (
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

var pageName = regexp.MustCompile(`^((CHANGELOG|CONTRIBUTING|SECURITY)|docs/.+|(.+/)?README)\.md$`)

// pages returns the pages of the repository. Their names tell them from other people's where git cannot, as in an
// archive.
func pages(t *testing.T) []string {
	return slices.DeleteFunc(files(t, ".md"), func(name string) bool { return !pageName.MatchString(name) })
}

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

// TestBlocks compares each block of code that names its source with it, as every block of Go does.
func TestBlocks(t *testing.T) {
	for _, name := range pages(t) {
		text, err := Renew(Text(t, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		Check(t, name, text)
		for _, b := range Blocks(text) {
			if b.Language == "go" && !isSource.MatchString(b.Name) {
				t.Errorf("%s: no comment above names the source of\n%s", name, b.Code)
			}
		}
	}
	if _, err := Renew("<!-- interop/guides/order.go: none -->\n```go\n```\n"); err == nil {
		t.Error("a source that is not there is no error")
	}
}
