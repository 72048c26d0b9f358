// Package page keeps the pages of this repository in step with the files of interop and lab that
// they show. A file is named by its path in the repository.
//
// A block of code on a page follows a comment with its name. A name that is a file, or a part of
// one, lets [Sources] renew the block:
//
//	<!-- interop/migrating/libraries_test.go: ObjectID -->
//	```go
//	…
//	```
//
// In the file, a part begins below a line such as "// page: ObjectID", and ends before the next
// such line. What a program writes into a page is between two comments, which [Fill] looks for:
//
//	<!-- machine -->
//
//	…
//
//	<!-- end -->
//
// A sentence that a test proves has a marker beside it, which the test names to [Fact]:
//
//	With < it may match every row. <!-- fact: less-than-matches-all -->
//
// The version of a database that the tests run on stands between two comments, for [Tested] to
// renew:
//
//	The tests run on <!-- tested -->PostgreSQL 15<!-- /tested -->.
//
// A test computes what the page should be and calls [Check]. Such a test has this line beside it,
// so that go generate writes the page:
//
//	//go:generate go test -run ^TestPage$ . -write
package page

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var write = new(bool)

func init() {
	if testing.Testing() { // a command has flags of its own
		flag.BoolVar(write, "write", false, "write the pages instead of checking them")
	}
}

// Writes reports whether tests write the pages and tables instead of comparing them.
func Writes() bool { return *write }

// Root returns the root of the repository.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "../..")
}

// Read returns the text of a file.
func Read(name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(Root(), name))
	return string(text), err
}

// Write writes the text of a file.
func Write(name, text string) error {
	return os.WriteFile(filepath.Join(Root(), name), []byte(text), 0o644)
}

// Text is Read for a test, which fails if there is an error.
func Text(t testing.TB, name string) string {
	t.Helper()
	text, err := Read(name)
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
		if err := Write(name, want); err != nil {
			t.Fatal(err)
		}
	default:
		module, folder := Module()
		t.Errorf("%s is not up to date; run  go generate -C %s %s\n%s", name, module, folder, difference(got, want))
	}
}

// Module returns the module whose tests run, interop or lab, and the folder in it, such as
// "./storage".
func Module() (module, folder string) {
	dir, _ := os.Getwd()
	dir, _ = filepath.Rel(Root(), dir)
	module, folder, _ = strings.Cut(filepath.ToSlash(dir), "/")
	return module, "./" + folder
}

// difference returns the first line in which two texts differ.
func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d is\n\t%s\nwant\n\t%s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("it has %d lines, want %d", len(g), len(w))
}

// Contains fails the test unless the file has the words.
func Contains(t testing.TB, name, words string) {
	t.Helper()
	if !strings.Contains(Text(t, name), words) {
		t.Errorf("%s lacks\n%s", name, words)
	}
}

// Fact fails the test unless the file has the marker <!-- fact: name --> once. It stands beside a
// sentence that warns of lost rows or that a test proves, and the test that proves it calls Fact:
// the words may change, but the fact may not go unnoticed.
func Fact(t testing.TB, file, name string) {
	t.Helper()
	marker := "<!-- fact: " + name + " -->"
	if n := strings.Count(Text(t, file), marker); n != 1 {
		t.Errorf("%s has %s %d times, want once, beside the sentence that this test proves", file, marker, n)
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

// Sources returns the page, with each block whose name begins with prefix replaced by the code in
// its file.
func Sources(text, prefix string) (string, error) {
	var failed error
	text = block.ReplaceAllStringFunc(text, func(old string) string {
		m := block.FindStringSubmatch(old)
		if !strings.HasPrefix(m[1], prefix) {
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
	part          = regexp.MustCompile(`(?m)^(?:--|//|#) page: (.+)\n`)
)

// Source returns what a page shows of a file, or of the part in "file: part". A whole Go file
// begins below its package clause.
func Source(name string) (string, error) {
	file, want, isPart := strings.Cut(name, ": ")
	text, err := Read(file)
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
	return strings.Trim(text, "\n") + "\n", nil
}

const end = "<!-- end -->\n"

// Fill returns the page with these parts, by name, between <!-- name --> and <!-- end -->. The page
// must have each of them once, and no others.
func Fill(text string, parts map[string]string) (string, error) {
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		begin := fmt.Sprintf("<!-- %s -->\n", name)
		before, rest, _ := strings.Cut(text, begin)
		_, after, ok := strings.Cut(rest, end)
		if !ok || strings.Contains(after, begin) {
			return "", fmt.Errorf("the page must have <!-- %s --> and <!-- end --> once", name)
		}
		text = before + begin + "\n" + strings.Trim(parts[name], "\n") + "\n\n" + end + after
	}
	if n := strings.Count(text, end); n != len(parts) {
		return "", fmt.Errorf("the page has <!-- end --> %d times, want %d", n, len(parts))
	}
	return text, nil
}

// Pages returns the pages of the repository, sorted.
func Pages(t testing.TB) (names []string) {
	t.Helper()
	for _, pattern := range []string{"*.md", "*/*.md", "*/*/*.md", "*/*/*/*.md"} {
		files, err := filepath.Glob(filepath.Join(Root(), pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			name, err := filepath.Rel(Root(), file)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, filepath.ToSlash(name))
		}
	}
	slices.Sort(names)
	return names
}

// Tested returns the page with the version of a database, such as "PostgreSQL 15", in each place
// that names the database and a version between <!-- tested --> and <!-- /tested -->, and the
// number of these places.
func Tested(text, database, version string) (renewed string, places int) {
	place := regexp.MustCompile(`<!-- tested -->` + database + ` [\d.]+<!-- /tested -->`)
	places = len(place.FindAllString(text, -1))
	return place.ReplaceAllLiteralString(text, "<!-- tested -->"+version+"<!-- /tested -->"), places
}
