package main

import (
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// readGuide returns the page that the tool names.
func readGuide(t *testing.T) string {
	content, err := os.ReadFile("../../docs/migrating.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// The commands of the guide are those that the scripts run.
func TestGuideCommands(t *testing.T) {
	known := []string{"./...", "-check ./...", "-write ./...", "-write -bytes ./..."}
	var got []string
	for _, match := range regexp.MustCompile(`/cmd/ulid-migrate@latest (.*)`).FindAllStringSubmatch(readGuide(t), -1) {
		got = append(got, match[1])
	}
	slices.Sort(got)
	slices.Sort(known)
	got = slices.Compact(got)
	if !slices.Equal(got, known) {
		t.Errorf("the guide has the flags %q, want %q", got, known)
	}
}

// The guide has the words by which a reader finds the way.
func TestGuideWords(t *testing.T) {
	nothing := &program{importsOklog: true}
	several := &program{importsOklog: true, findings: slices.Concat(
		slices.Repeat([]finding{{kind: argument}}, 5),
		slices.Repeat([]finding{{kind: conversion}}, 7),
		slices.Repeat([]finding{{kind: field}}, 3),
		[]finding{{kind: other}},
	)}
	for _, tt := range []struct {
		found *program
		words string
	}{
		{nothing, "nothing seen stores bytes"},
		{several, "12 arguments and 3 fields"},
	} {
		if advice := tt.found.advice(false); !strings.HasPrefix(advice, tt.words+": ") {
			t.Errorf("the tool says %q, want %q", advice, tt.words)
		}
		if !strings.Contains(readGuide(t), "`"+tt.words+"`") {
			t.Errorf("the guide lacks `%s`", tt.words)
		}
	}
}

// The pages that the tool names are there, with the section.
func TestPages(t *testing.T) {
	content, err := os.ReadFile("../../docs/migrating-columns.md")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.ReplaceAll(stringsPage[strings.IndexByte(stringsPage, '#')+1:], "-", " ")
	headings := strings.ToLower(strings.ReplaceAll(string(content), "`", ""))
	if !strings.Contains(headings, "\n## "+words+"\n") {
		t.Errorf("the page has no section %q", words)
	}
	for _, page := range []string{guidePage, adapterPage} {
		if _, err := os.Stat("../../" + strings.TrimPrefix(page, site)); err != nil {
			t.Error(err)
		}
	}
}

// The guide has the steps that the tool sends to.
func TestGuideSteps(t *testing.T) {
	for _, isWritten := range []bool{false, true} {
		advice := (&program{importsOklog: true}).guide(isWritten)
		step := advice[strings.LastIndexByte(advice, ' ')+1:]
		if !strings.Contains(readGuide(t), "\n### "+step+". ") {
			t.Errorf("the guide has no step %s: %s", step, advice)
		}
	}
}

func TestAdviceNumber(t *testing.T) {
	one := &program{findings: []finding{{kind: argument}, {kind: field}}}
	if advice := one.advice(false); !strings.HasPrefix(advice, "1 argument and 1 field: ") {
		t.Errorf("got %q", advice)
	}
}

// The help of -bytes and one paragraph of the guide name all packages whose arguments it wraps.
func TestGuideNamesWrappedPackages(t *testing.T) {
	names := map[string]bool{"database/sql": true}
	for _, importPath := range takesIDs {
		if importPath != "database/sql" {
			names[strings.TrimPrefix(path.Base(importPath), "go-")] = true
		}
	}
	want := slices.Sorted(maps.Keys(names))

	_, list, _ := strings.Cut(bytesHelp, "wrap arguments of ")
	list, _, _ = strings.Cut(list, " in ulid.AsBinary")
	got := strings.Fields(strings.NewReplacer(",", " ", " and ", " ").Replace(list))
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the help names %q, and takesIDs has %q", got, want)
	}

	words := append(want, "`-bytes`", "`ulid.AsBinary", "`-uuid`", "`ulid.AsUUID")
	paragraphs := strings.Split(readGuide(t), "\n\n")
	if !slices.ContainsFunc(paragraphs, func(paragraph string) bool { return containsAll(paragraph, words) }) {
		t.Errorf("no paragraph of the guide has all of %q", words)
	}
}

func containsAll(s string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(s, word) {
			return false
		}
	}
	return true
}
