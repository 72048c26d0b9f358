package main

import (
	"path/filepath"
	"slices"
)

// One change can take hundreds of places off the list. A line for each of them would hide the others.

// grouped returns one finding for those that belong together, in their order: the uses of a module's
// types, and the places in the generated code of a package.
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
	if f.kind == foreign {
		f.text = plural(f.uses, "use") + f.text
	} else if f.uses > 1 {
		f.text += ", and " + plural(f.uses-1, "more place") + " in the generated code of this package"
	}
	return f
}

// generatedGroup returns the group of a finding in a generated file.
func generatedGroup(file string) string { return "generated " + filepath.Dir(file) }
