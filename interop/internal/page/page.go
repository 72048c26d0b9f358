// Package page lets a test state a line of docs/recipes.md that it has shown.
package page

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// Path is where the page is.
func Path() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "../../../../docs/recipes.md")
}

// Line fails the test unless the page has a line that is line.
func Line(t testing.TB, line string) {
	t.Helper()
	text, err := os.ReadFile(Path())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(bytes.Split(text, []byte("\n")), func(b []byte) bool { return string(b) == line }) {
		t.Errorf("docs/recipes.md lacks the line\n%s", line)
	}
}

// Contains fails the test unless the page has the words.
func Contains(t testing.TB, words string) {
	t.Helper()
	text, err := os.ReadFile(Path())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(words)) {
		t.Errorf("docs/recipes.md lacks\n%s", words)
	}
}
