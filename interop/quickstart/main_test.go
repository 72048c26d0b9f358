package main

import (
	"regexp"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	want := []string{
		`[0-9A-Z]{26} was made at \w{3} [ 0-9]\d \d\d:\d\d:\d\d\.\d{3}`,
		`   1 rows: SELECT .* WHERE id < \?, [0-9A-Z]{10}0{16}`,
		`1000 rows: SELECT .* WHERE id >= \?, [0-9A-Z]{10}0{16}`,
		`[0-9A-Z]{26} is the last one: event 999`,
		`[0-9A-Z]{26}: first`,
		`[0-9a-z]{26}: first`,
		`[0-9A-Z]{25}U: ulid: invalid character 'U' at offset 25`,
	}
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(want), &out)
	}
	for i, pattern := range want {
		if !regexp.MustCompile("^" + pattern + "$").MatchString(lines[i]) {
			t.Errorf("line %d is\n%s\nwant\n%s", i+1, lines[i], pattern)
		}
	}
}
