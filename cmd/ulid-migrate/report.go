package main

import (
	"cmp"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// A kind says what a finding means for rows that are stored.
type kind int

const (
	other      kind = iota // nothing
	argument               // of a SQL function outside the module
	conversion             // to an interface, anywhere else
	assertion              // that an interface is an ID, which matters if it becomes an AsBinary
	field                  // of a struct that is stored
	foreign                // of a type that a dependency has from oklog/ulid
	unseen                 // a Go file
	named                  // oklog/ulid in a file of another sort
)

// stores reports whether a finding of the kind may change rows.
func (k kind) stores() bool { return k == argument || k == conversion || k == field }

// A finding is a place that the change of the library concerns.
type finding struct {
	token.Position
	kind     kind
	text     string
	wrapping wrapping // of an argument
	group    string   // of findings that are one line, or nothing
	uses     int      // how many they are
}

// String returns a finding as compilers write one, with the path of the file from here.
func (f finding) String() string { return relative(f.Position).String() + ": " + f.text }

// relative returns a position with the path of the file from here.
func relative(p token.Position) token.Position {
	wd, _ := os.Getwd()
	if rel, err := filepath.Rel(wd, p.Filename); err == nil {
		p.Filename = rel
	}
	return p
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

func (f finding) changesSchema() bool { return f.wrapping.isOfSchema && len(f.wrapping.edits) > 0 }

// mayBecomeWrapped reports whether somebody may wrap what the finding names. What a literal of a test has
// reaches nothing but tests.
func (f finding) mayBecomeWrapped() bool {
	return f.kind == unseen || f.kind.stores() && f.group != literalGroup(f.Filename)
}

func (f finding) isSame(g finding) bool { return f.compare(g) == 0 }

// A form is a way of the program on which an ID is not seen.
type form struct {
	text string
	at   token.Position // the first place that has it
}

func (f form) String() string { return f.text + " (" + relative(f.at).String() + ")" }

// print lists what was found, and says what to do. It may be what is left after -write.
func (p *program) print(isWritten bool) {
	for _, f := range p.findings {
		fmt.Println(f)
	}
	fmt.Println(p.advice(isWritten))
	if lines := p.count(named); lines > 0 {
		fmt.Println(plural(lines, "line") + " of other files: change by hand what generates or builds code, " +
			"such as x-go-type-import in OpenAPI, and generate it again")
	}
	if uses := p.foreignUses(); uses > 0 {
		fmt.Println(plural(uses, "use") + " of types that dependencies have from oklog/ulid: " +
			"before -write read " + adapterPage)
	}
	if len(p.forms) > 0 {
		fmt.Println("not followed in these packages: " + p.formList())
	}
	if p.importsOklog || p.importsULID || p.count(unseen) > 0 {
		fmt.Println("never seen: " + strings.Join(neverSeen, ", "))
	}
	if p.importsOklog || isWritten {
		fmt.Println("Scan rejects some strings in text columns that oklog/ulid reads: " +
			stringsPage + " has a query for them")
	}
}

// The pages that the output names, on GitHub.
const (
	site        = "https://" + ulidPath + "/blob/main/"
	guidePage   = site + "docs/migrating.md"
	stringsPage = site + "docs/migrating-columns.md#find-strings-that-scan-rejects"
	adapterPage = site + "oklog/README.md"
)

// neverSeen are the ways on which an ID gets to a statement without a line in any program.
var neverSeen = []string{
	"what is any in a slice that a function returns",
	"what modules that are in no list do with structs and generic code",
	"reflection",
	"statements in templates",
	"files that -tags and GOOS leave out",
}

// formList names the ways that the packages have.
func (p *program) formList() string {
	var list []string
	for _, f := range p.forms {
		list = append(list, f.String())
	}
	return strings.Join(list, ", ")
}

// count returns the number of findings of a kind.
func (p *program) count(k kind) (n int) {
	for _, f := range p.findings {
		if f.kind == k {
			n++
		}
	}
	return n
}

func (p *program) foreignUses() (n int) {
	for _, f := range p.findings {
		if f.kind == foreign {
			n += f.uses
		}
	}
	return n
}

// advice returns the line after the list.
func (p *program) advice(isWritten bool) string {
	arguments := p.count(argument) + p.count(conversion)
	fields := p.count(field)
	switch {
	case arguments+fields > 0:
		return plural(arguments, "argument") + " and " + plural(fields, "field") + ": " + p.guide(isWritten)
	case p.count(unseen) > 0:
		return "not all files were looked at: each line says what reaches its file"
	case len(p.forms) > 0 && isWritten:
		return noneLeft + ", but not everything was seen: count the formats in your columns, and run your tests"
	case len(p.forms) > 0:
		return "no line stores bytes, but not everything was seen: count the formats in your columns" + p.next()
	case isWritten:
		return noneLeft + ": run your tests"
	case p.importsOklog:
		return "nothing seen stores bytes: count the formats in your columns" + p.next()
	case p.importsULID:
		return "nothing imports " + oklogPath + " any more, and " + noneLeft
	default:
		return "nothing imports " + oklogPath
	}
}

// noneLeft is true whether arguments were wrapped, or none was there.
const noneLeft = "no argument or field is left"

func (p *program) next() string {
	if p.importsOklog {
		return ", then -write"
	}
	return ""
}

// guide says where to read on.
func (p *program) guide(isWritten bool) string {
	switch {
	case isWritten:
		return "do not start the program while they may write strings, and read " + guidePage + ", step 3"
	case p.importsOklog:
		return "read " + guidePage + ", step 1"
	default:
		return "they store strings, so wrap those for columns of bytes, and mark the others //ulid:checked: " +
			"read " + guidePage + ", step 3"
	}
}

// plural returns a number of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
