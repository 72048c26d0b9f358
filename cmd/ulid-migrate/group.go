package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
)

// One change can take hundreds of places off the list. A line for each of them would hide the others.

// grouped returns one finding for those that belong together, in their order: the uses of a module's
// types, the places in the generated code of a package, and the literals of a test, whose tables have
// hundreds.
func grouped(list []finding) []finding {
	places := map[string][]finding{}
	for _, f := range list {
		places[f.group] = append(places[f.group], f)
	}
	alone := places[""]
	delete(places, "")
	for _, group := range places {
		alone = append(alone, one(group))
	}
	slices.SortFunc(alone, finding.compare)
	return alone
}

// one returns the first finding of a group that means something for rows, and says how many there are.
func one(group []finding) finding {
	at := max(0, slices.IndexFunc(group, func(f finding) bool { return f.kind.stores() }))
	f := group[at]
	f.uses = len(group)
	switch {
	case f.kind == foreign:
		f.text = plural(f.uses, "use") + f.text
	case f.uses == 1:
	case f.group == literalGroup(f.Filename):
		f.text += fmt.Sprintf(", and %d more in literals of this file", f.uses-1)
	default:
		f.text += ", and " + plural(f.uses-1, "more place") + " in the generated code of this package"
	}
	return f
}

// literalGroup returns the group of the findings in the literals of a test's file.
func literalGroup(file string) string { return "literals " + file }

// groupLiterals puts the findings from the given one on, which are in a literal of a test, into the group
// of its file.
func (f *finder) groupLiterals(first int) {
	for i := range f.findings[first:] {
		found := &f.findings[first+i]
		found.group = cmp.Or(found.group, literalGroup(found.Filename))
	}
}

// generatedGroup returns the group of a finding in a generated file.
func generatedGroup(file string) string { return "generated " + filepath.Dir(file) }
