package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// A result is how a test came out, or a package, whose test is "".
type result struct {
	path, test string
	outcome    string // pass, fail, skip, or "" for a test that did not end
	output     string // of the test, or why a package does not compile
}

// results are under the package's path or, for a test, the path, a space and the test's name.
type results map[string]result

// freshID is a ULID in the name of a subtest, which may be another in every run.
var freshID = regexp.MustCompile(`[0-7][0-9A-HJKMNP-TV-Z]{25}`)

// test runs the tests of packages in dir.
func test(dir string, args, packages []string) (results, error) {
	cmd := exec.Command("go", slices.Concat([]string{"test", "-json", "-vet=off", "-count=1"}, args, packages)...)
	cmd.Dir = dir
	cmd.Env = environment()
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	// A test that fails may do so with both libraries.
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		return nil, err
	}
	found, err := read(out)
	return named(found), err
}

// read reads what go test -json prints. The results are in the order in which the tests began.
func read(out []byte) (found []result, err error) {
	builds := map[string]string{} // the output of each
	indices := map[string]int{}   // in found
	decoder := json.NewDecoder(bytes.NewReader(out))
	for {
		// go doc test2json and go help buildjson explain it.
		var e struct{ Action, ImportPath, Package, Test, Output, FailedBuild string }
		err := decoder.Decode(&e)
		if err == io.EOF {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		if e.Action == "build-output" {
			builds[e.ImportPath] += e.Output
		}
		if e.Package == "" {
			continue
		}
		name := e.Package + " " + e.Test
		i, ok := indices[name]
		if !ok {
			i = len(found)
			indices[name] = i
			found = append(found, result{path: e.Package, test: e.Test})
		}
		switch e.Action {
		case "output":
			found[i].output += e.Output
		case "pass", "fail", "skip":
			found[i].outcome = e.Action
			found[i].output = builds[e.FailedBuild] + found[i].output
		}
	}
}

// named returns the results by their names, in which a fresh ULID is a number.
func named(found []result) results {
	all := results{}
	ids := map[string][]string{} // of each package, in their order
	for _, r := range found {
		test := freshID.ReplaceAllStringFunc(r.test, func(id string) string {
			if !slices.Contains(ids[r.path], id) {
				ids[r.path] = append(ids[r.path], id)
			}
			return fmt.Sprint("ULID", slices.Index(ids[r.path], id))
		})
		all[strings.TrimSpace(r.path+" "+test)] = r
	}
	return all
}

// A comparison holds how a test came out in each run.
type comparison struct{ theirs, ours []result }

// differs reports whether no run with one library came out as any run with the other.
func (c comparison) differs() bool {
	return !slices.ContainsFunc(c.theirs, func(t result) bool {
		return slices.ContainsFunc(c.ours, func(o result) bool { return o.outcome == t.outcome })
	})
}

// unsteady reports whether some runs came out alike, and others not.
func (c comparison) unsteady() bool {
	return !c.differs() && slices.ContainsFunc(slices.Concat(c.theirs, c.ours), func(r result) bool {
		return r.outcome != c.theirs[0].outcome
	})
}

// outcome is pass if any run with oklog/ulid passed, and else the outcome of the first.
func (c comparison) outcome() string {
	for _, r := range c.theirs {
		if r.outcome == "pass" {
			return r.outcome
		}
	}
	return c.theirs[0].outcome
}

func (c comparison) String() string {
	outcomes := func(runs []result) (all []string) {
		for _, r := range runs {
			all = append(all, r.outcome)
		}
		return all
	}
	return fmt.Sprintf("%q with oklog/ulid, %q with this library", outcomes(c.theirs), outcomes(c.ours))
}

// comparisons holds what is known of packages and tests, under their names.
type comparisons map[string]comparison

// An attempt is a run with both libraries.
type attempt struct{ theirs, ours results }

// A tester runs the tests of packages with one library.
type tester func(packages []string) (results, error)

// compare runs packages with both libraries, and those with a difference again, because a test may
// fail by chance.
func compare(packages []string, theirs, ours tester) (comparisons, error) {
	var runs []attempt
	var all comparisons
	for range 3 {
		var r attempt
		var err error
		r.theirs, err = theirs(packages)
		if err != nil {
			return nil, err
		}
		r.ours, err = ours(packages)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
		all = collect(runs)
		packages = all.differing()
		if len(packages) == 0 {
			break
		}
	}
	return all, nil
}

// differing returns the packages in which something differs.
func (all comparisons) differing() []string {
	var packages []string
	for name, c := range all {
		path := packageOf(name)
		if c.differs() && !slices.Contains(packages, path) {
			packages = append(packages, path)
		}
	}
	return packages
}

// collect compares each test over all runs of its package, also those that it was not part of. All
// packages are in the first.
func collect(runs []attempt) comparisons {
	names := results{}
	for _, r := range runs {
		maps.Copy(names, r.theirs)
		maps.Copy(names, r.ours)
	}
	all := comparisons{}
	for name := range names {
		var c comparison
		for i, r := range runs {
			_, again := r.theirs[packageOf(name)]
			if i == 0 || again {
				c.theirs = append(c.theirs, r.theirs[name])
				c.ours = append(c.ours, r.ours[name])
			}
		}
		all[name] = c
	}
	return all
}

func packageOf(name string) string {
	path, _, _ := strings.Cut(name, " ")
	return path
}

// unsteady returns the names of what is.
func (all comparisons) unsteady() (names []string) {
	for name, c := range all {
		if c.unsteady() {
			names = append(names, name)
		}
	}
	return names
}

// count returns the number of tests with an outcome, without packages.
func (all comparisons) count(outcome string) (n int) {
	for name, c := range all {
		if c.outcome() == outcome && strings.Contains(name, " ") {
			n++
		}
	}
	return n
}

// judge returns an error that has the output of what came out otherwise, or says that too few tests
// passed.
func (all comparisons) judge(least int) error {
	var errs []error
	if n := all.count("pass"); n < least {
		errs = append(errs, fmt.Errorf("only %d tests pass with oklog/ulid, %d are demanded", n, least))
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c := all[name]
		if !c.differs() {
			continue
		}
		errs = append(errs, fmt.Errorf("%s: %v", name, c))
		for _, r := range []result{c.theirs[0], c.ours[0]} {
			if r.outcome == "fail" || r.outcome == "" {
				errs = append(errs, errors.New(r.output))
			}
		}
	}
	return errors.Join(errs...)
}
