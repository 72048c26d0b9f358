package main

import (
	"slices"
	"testing"
)

// Whoever adds a line finds its place, and sees whether it is there.
func TestListsAreSorted(t *testing.T) {
	for name, list := range map[string][]string{
		"takesIDs":      takesIDs,
		"takesStructs":  takesStructs,
		"takesModels":   takesModels,
		"scanners":      scanners,
		"schemas":       schemas,
		"makesAny":      makesAny,
		"drivers":       drivers,
		"values":        values,
		"quiet":         quiet,
		"keepers":       keepers,
		"keeperFuncs":   keeperFuncs,
		"storageTags":   storageTags,
		"scanTags":      scanTags,
		"storageModels": storageModels,
		"zeroTags":      zeroTags,
		"destinations":  destinations,
	} {
		if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) < len(list) {
			t.Errorf("%s is not sorted, or has a line twice", name)
		}
	}
}
