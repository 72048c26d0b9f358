package main

import (
	"cmp"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
)

// A kind says what a finding means for rows that are stored.
type kind int

const (
	other      kind = iota // nothing
	argument               // of a SQL function outside the module
	conversion             // to an interface, anywhere else
	field                  // of a struct that is stored
	unseen                 // a Go file
)

// A finding is a place that the change of the library concerns.
type finding struct {
	token.Position
	kind     kind
	text     string
	wrapping wrapping // of an argument
}

// String returns a finding as compilers write one, with the path of the file from here.
func (f finding) String() string {
	wd, _ := os.Getwd()
	if rel, err := filepath.Rel(wd, f.Filename); err == nil {
		f.Filename = rel
	}
	return f.Position.String() + ": " + f.text
}

// compare orders findings by their place.
func (f finding) compare(g finding) int {
	return cmp.Or(
		cmp.Compare(f.Filename, g.Filename),
		cmp.Compare(f.Line, g.Line),
		cmp.Compare(f.Column, g.Column),
		cmp.Compare(f.text, g.text),
	)
}

// print lists what was found, and says what to do. It may be what is left after -write.
func (p *program) print(isWritten bool) {
	for _, f := range p.findings {
		fmt.Println(f)
	}
	fmt.Println(p.advice(isWritten))
	fmt.Println("not seen: values that are already any, other modules' generic code, statements in templates, " +
		"files that -tags leaves out")
}

// advice returns the line after the list.
func (p *program) advice(isWritten bool) string {
	count := map[kind]int{}
	for _, f := range p.findings {
		count[f.kind]++
	}
	arguments := count[argument] + count[conversion]
	fields := count[field]
	switch {
	case arguments+fields > 0:
		return plural(arguments, "argument") + " and " + plural(fields, "field") + ": " + guide(isWritten)
	case count[unseen] > 0:
		return "not all files were looked at: name their packages, or add their -tags"
	case isWritten:
		return "nothing seen stores bytes: run your tests"
	case p.importsOklog:
		return "nothing seen stores bytes: -write is all"
	default:
		return "nothing imports " + oklogPath
	}
}

// guide says where to read on.
func guide(isWritten bool) string {
	const page = "https://" + ulidPath + "/blob/main/docs/migrating.md"
	if isWritten {
		return "do not start the program while they may write text, and read " + page + ", step 3"
	}
	return "read " + page + ", step 1"
}

// plural returns a number of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
