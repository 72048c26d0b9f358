package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid/interop/page"
)

// TestPage finds a row of every project on the page, and compares it with the table of projects.
func TestPage(t *testing.T) {
	text := page.Text(t, file)
	for _, p := range projects {
		got, want := rowOf(text, p.name), row(p, nil, "", time.Time{})
		if len(got) != len(want) || !slices.Equal(got[:2], want[:2]) {
			t.Errorf("the page has\n%q\nwant\n%q\nrun  go run -C lab ./consumers %s", got, want, p.name)
		}
	}
}

// TestSelected has no names, as flag.Args returns them, which stands for all projects.
func TestSelected(t *testing.T) {
	all, err := selected([]string{})
	if err != nil || len(all) != len(projects) {
		t.Errorf("%d projects and %v without names, want %d", len(all), err, len(projects))
	}
	one, err := selected([]string{"thanos"})
	if err != nil || len(one) != 1 || one[0].name != "thanos" {
		t.Errorf("the project thanos is %v, %v", one, err)
	}
	if _, err := selected([]string{"thanos", "none"}); err == nil {
		t.Error("there is no error for a project that does not exist")
	}
}

// outcomes are those of TestA in each run with both libraries, and what they must show.
type outcomes struct {
	theirs, ours []string
	differs      bool
	unsteady     int
	fresh        bool // there is a subtest that has another name in every run
}

// TestCompare has outcomes of a test in each run. What differs runs three times, but other packages
// only once.
func TestCompare(t *testing.T) {
	const p, f = "pass", "fail"
	for _, test := range []outcomes{
		{theirs: []string{p}, ours: []string{p}},
		{theirs: []string{f}, ours: []string{f}},
		{theirs: []string{p, p}, ours: []string{f, p}, unsteady: 1},
		{theirs: []string{f, p}, ours: []string{p, p}, unsteady: 1},
		{theirs: []string{p, p, p}, ours: []string{f, f, f}, differs: true},
		{theirs: []string{f, f, f}, ours: []string{p, "skip", p}, differs: true},
		{theirs: []string{p, p, p}, ours: []string{"", "", ""}, differs: true},
		{theirs: []string{p, p}, ours: []string{p, p}, unsteady: 4, fresh: true},
	} {
		runs := 0
		all, err := compare([]string{"./..."}, test.tester(t, test.theirs, &runs), test.tester(t, test.ours, &runs))
		if err != nil {
			t.Fatal(err)
		}
		c := all["p TestA"]
		if got, want := runs, len(test.theirs)+len(test.ours); got != want {
			t.Errorf("%v: %d runs, want %d", c, got, want)
		}
		if got := c.differs(); got != test.differs {
			t.Errorf("%v: differs = %t", c, got)
		}
		if got := len(all.unsteady()); got != test.unsteady {
			t.Errorf("%v: %d are unsteady, want %d", c, got, test.unsteady)
		}
		if err := all.judge(1); (err != nil) != test.differs {
			t.Errorf("%v: judge = %v", c, err)
		}
		if err := all.judge(9); err == nil || !strings.Contains(err.Error(), "9 are demanded") {
			t.Errorf("%v: judge of too few tests = %v", c, err)
		}
	}
}

// tester returns the results of package p, in whose runs TestA has these outcomes, and of package q,
// which must run only once. It counts the runs of both libraries.
func (o outcomes) tester(t *testing.T, ofTestA []string, runs *int) tester {
	n := 0
	return func(packages []string) (results, error) {
		if n > 0 && !slices.Equal(packages, []string{"p"}) {
			t.Errorf("ran %q again, want p", packages)
		}
		found := []result{{path: "p"}, {path: "p", test: "TestA", outcome: ofTestA[n]}}
		if n == 0 {
			found = append(found, result{path: "q"}, result{path: "q", test: "TestB", outcome: "pass"})
		}
		if o.fresh {
			name := fmt.Sprint("TestA/", *runs)
			found = append(found, result{path: "p", test: name, outcome: "pass"})
		}
		n++
		*runs++
		return named(found), nil
	}
}

// TestRead has two packages whose output is interleaved, one that does not compile, a test that
// does not end, and ULIDs in the names of subtests, which get numbers in the order in which the
// tests began.
func TestRead(t *testing.T) {
	const lines = `{"Action":"start","Package":"a"}
{"Action":"build-output","ImportPath":"b [b.test]","Output":"undefined: x\n"}
{"Action":"run","Package":"a","Test":"TestA/01BX5ZZKBKACTAV9WEVGEMMVRY"}
{"Action":"start","Package":"b"}
{"Action":"run","Package":"a","Test":"TestA/01ARZ3NDEKTSV4RRFFQ69G5FAV/sub"}
{"Action":"output","Package":"a","Test":"TestA/01ARZ3NDEKTSV4RRFFQ69G5FAV/sub","Output":"why\n"}
{"Action":"skip","Package":"a","Test":"TestA/01ARZ3NDEKTSV4RRFFQ69G5FAV/sub"}
{"Action":"output","Package":"a","Test":"TestA/01BX5ZZKBKACTAV9WEVGEMMVRY","Output":"panic: here\n"}
{"Action":"fail","Package":"b","FailedBuild":"b [b.test]"}
{"Action":"fail","Package":"a"}
`
	found, err := read([]byte(lines))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for name, r := range named(found) {
		got[name] = r.outcome + ": " + r.output
	}
	want := map[string]string{
		"a":                 "fail: ",
		"a TestA/ULID0":     ": panic: here\n",
		"a TestA/ULID1/sub": "skip: why\n",
		"b":                 "fail: undefined: x\n",
	}
	if !maps.Equal(got, want) {
		t.Errorf("the results are %q, want %q", got, want)
	}
	if _, err := read([]byte(lines[:99])); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("of a line that is cut off: %v", err)
	}
}
