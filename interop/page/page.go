// Package page keeps the pages of this repository in step with the files that they show. A file is
// named by its path in the repository.
//
// A block of code on a page follows a comment with the name of its source, which is a file or a part
// of one:
//
//	<!-- interop/guides/order.go: Resume -->
//	```go
//	…
//	```
//
// In the file, a part begins below a line such as "// page: Resume", and ends before the next such
// line. Both lines may stand in a function. TestBlocks compares the blocks of all pages, and go generate renews them.
package page

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var write = flag.Bool("write", false, "write the pages instead of checking them")

// Root returns the root of the repository.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "../..")
}

// read returns the text of a file.
func read(name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(Root(), name))
	return string(text), err
}

// Text returns the text of a file, or fails the test.
func Text(t testing.TB, name string) string {
	t.Helper()
	text, err := read(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Check fails the test unless the file is the text. With -write, as under go generate, it writes
// the text.
func Check(t testing.TB, name, want string) {
	t.Helper()
	got := Text(t, name)
	switch {
	case got == want:
	case *write:
		if err := os.WriteFile(filepath.Join(Root(), name), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not up to date; run  go generate -C interop ./page", name)
	}
}

// Contains fails the test unless the file has the words.
func Contains(t testing.TB, name, words string) {
	t.Helper()
	if !strings.Contains(Text(t, name), words) {
		t.Errorf("%s lacks\n%s", name, words)
	}
}

// A Block is a fenced block of code. It has no name if no comment stands above it.
type Block struct{ Name, Language, Code string }

var block = regexp.MustCompile("(?m)^(?:<!-- (.+) -->\n)?```(\\w*)\n((?s:.*?))^```$")

// Blocks returns the blocks of a page.
func Blocks(text string) []Block {
	var list []Block
	for _, m := range block.FindAllStringSubmatch(text, -1) {
		list = append(list, Block{m[1], m[2], m[3]})
	}
	return list
}

// Code returns the code of the one block of a page that has the name.
func Code(t testing.TB, file, name string) string {
	t.Helper()
	var found []string
	for _, b := range Blocks(Text(t, file)) {
		if b.Name == name {
			found = append(found, b.Code)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s has %d blocks <!-- %s -->, want 1", file, len(found), name)
	}
	return found[0]
}

// isSource matches the name of a block that is a file, with its folder, or a part of one.
var isSource = regexp.MustCompile(`^[\w.-]+/[\w./-]*\.\w+(: .+)?$`)

// Renew returns the page, with each block whose name is a source replaced by its code.
func Renew(text string) (string, error) {
	var failed error
	text = block.ReplaceAllStringFunc(text, func(old string) string {
		m := block.FindStringSubmatch(old)
		if !isSource.MatchString(m[1]) {
			return old
		}
		code, err := Source(m[1])
		if err != nil {
			failed = err
			return old
		}
		return fmt.Sprintf("<!-- %s -->\n```%s\n%s```", m[1], m[2], code)
	})
	return text, failed
}

var (
	packageClause = regexp.MustCompile(`(?m)^package \w+\n`)
	part          = regexp.MustCompile(`(?m)^\t?(?:--|//|#) page: (.+)\n`)
)

// Source returns what a page shows of a file, or of the part in "file: part". A whole Go file
// begins below its package clause.
func Source(name string) (string, error) {
	file, want, isPart := strings.Cut(name, ": ")
	text, err := read(file)
	if err != nil {
		return "", err
	}
	if isPart {
		found := part.FindAllStringSubmatchIndex(text, -1)
		at := slices.IndexFunc(found, func(m []int) bool { return text[m[2]:m[3]] == want })
		if at < 0 {
			return "", fmt.Errorf("%s has no part %q", file, want)
		}
		end := len(text)
		if at+1 < len(found) {
			end = found[at+1][0]
		}
		text = text[found[at][1]:end]
	} else if m := packageClause.FindStringIndex(text); m != nil && filepath.Ext(file) == ".go" {
		text = text[m[1]:]
	}
	return outdented(strings.Trim(text, "\n") + "\n"), nil
}

// outdented returns the body of a function without its tabs, and other code as it is.
func outdented(code string) string {
	body := strings.ReplaceAll("\n"+code, "\n\t", "\n")[1:]
	if tabs := len(code) - len(body); tabs < strings.Count(code, "\n")-strings.Count(code, "\n\n") {
		return code
	}
	return body
}
