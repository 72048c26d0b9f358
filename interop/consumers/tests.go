package main

import (
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

// results holds how tests came out, under the package's path or, for a test, the path, a space and
// the test's name.
type results map[string]result

type result struct {
	outcome string // pass, fail, skip, or "" for a test that did not run, or not to its end
	output  string // what a test that failed has printed, or why a package does not compile
}

func (r result) String() string {
	if r.outcome == "" {
		return "no result"
	}
	return r.outcome
}

// test runs the tests of packages in dir.
func test(dir string, args, packages []string) (results, error) {
	args = slices.Concat([]string{"test", "-json", "-vet=off", "-count=1"}, args, packages)
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = environment()
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r, err := parse(out)
	io.Copy(io.Discard, out)
	// A test that fails may do so with both libraries.
	if wait := cmd.Wait(); wait != nil && !errors.As(wait, new(*exec.ExitError)) {
		err = errors.Join(err, wait)
	}
	return r, err
}

// freshID is a ULID in the name of a subtest, which may be another in every run.
var freshID = regexp.MustCompile(`[0-7][0-9A-HJKMNP-TV-Z]{25}`)

// parse reads the output of go test -json.
func parse(r io.Reader) (results, error) {
	all, output := results{}, map[string]string{}
	ids := map[string][]string{} // of each package, in their order
	dec := json.NewDecoder(r)
	for {
		// go doc test2json and go help buildjson explain it.
		var e struct{ Action, ImportPath, Package, Test, Output, FailedBuild string }
		if err := dec.Decode(&e); err == io.EOF {
			// A panic in a goroutine of its own ends the program, but not the test.
			for name, text := range output {
				if _, ok := all[name]; !ok {
					all[name] = result{output: text}
				}
			}
			return all, nil
		} else if err != nil {
			return nil, err
		}
		test := freshID.ReplaceAllStringFunc(e.Test, func(id string) string {
			if !slices.Contains(ids[e.Package], id) {
				ids[e.Package] = append(ids[e.Package], id)
			}
			return fmt.Sprint("ULID", slices.Index(ids[e.Package], id))
		})
		name := strings.TrimSpace(e.Package + " " + test)
		switch e.Action {
		case "build-output":
			output[e.ImportPath] += e.Output
		case "output":
			output[name] += e.Output
		case "fail":
			if e.FailedBuild != "" {
				output[name] = output[e.FailedBuild] + output[name]
			}
			all[name] = result{e.Action, output[name]}
		case "pass", "skip":
			all[name] = result{outcome: e.Action}
		}
	}
}

// verdict is what two libraries did to the same tests.
type verdict struct {
	theirs   results  // with oklog/ulid; the best of several runs
	ours     results  // with this library, in the last run
	differ   []string // tests that came out otherwise with this library, in every run
	unsteady []string // tests that came out differently from run to run with one library, and how
}

// rounds is how often packages with differences run.
const rounds = 3

// compare runs packages with both libraries, and those with a difference again, because a test may
// fail by chance. A test differs if no run with one library came out as any run with the other.
func compare(packages []string, theirs, ours func([]string) (results, error)) (verdict, error) {
	var t, o []results
	var v verdict
	for range rounds {
		their, err := theirs(packages)
		if err != nil {
			return v, err
		}
		our, err := ours(packages)
		if err != nil {
			return v, err
		}
		if t != nil {
			their, our = addOthers(their, t[0], packages), addOthers(our, o[0], packages)
		}
		t, o = append(t, their), append(o, our)
		v.differ, v.unsteady = differences(t, o)
		if v.differ == nil {
			break
		}
		packages = packagesOf(v.differ)
	}
	v.differ, v.theirs, v.ours = leaves(v.differ), best(t), o[len(o)-1]
	return v, nil
}

// best returns pass for a test that passed in any run, and else the outcome of the first run.
func best(runs []results) results {
	all := results{}
	for _, r := range runs {
		for name, result := range r {
			if _, ok := all[name]; !ok || result.outcome == "pass" {
				all[name] = result
			}
		}
	}
	return all
}

// addOthers adds what first says about packages that did not run again.
func addOthers(r, first results, packages []string) results {
	for name, result := range first {
		if path, _, _ := strings.Cut(name, " "); !slices.Contains(packages, path) {
			r[name] = result
		}
	}
	return r
}

// differences compares runs with both libraries.
func differences(theirs, ours []results) (differ, unsteady []string) {
	names := map[string]bool{}
	for _, r := range slices.Concat(theirs, ours) {
		for name := range r {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		t, o := outcomes(theirs, name), outcomes(ours, name)
		if !slices.ContainsFunc(t, func(outcome string) bool { return slices.Contains(o, outcome) }) {
			differ = append(differ, name)
		} else if len(t) > 1 || len(o) > 1 {
			unsteady = append(unsteady, fmt.Sprintf("%s: %s with oklog/ulid, %s with this library", name, t, o))
		}
	}
	return differ, unsteady
}

// outcomes returns how a test came out over several runs, each outcome once.
func outcomes(runs []results, name string) (all []string) {
	for _, r := range runs {
		if outcome := r[name].String(); !slices.Contains(all, outcome) {
			all = append(all, outcome)
		}
	}
	return all
}

func packagesOf(names []string) (packages []string) {
	for _, name := range names {
		path, _, _ := strings.Cut(name, " ")
		if !slices.Contains(packages, path) {
			packages = append(packages, path)
		}
	}
	return packages
}

// leaves leaves out tests that differ because a subtest does, and packages because a test does.
func leaves(names []string) (left []string) {
	for _, name := range names {
		if !slices.ContainsFunc(names, func(other string) bool { return other != name && covers(name, other) }) {
			left = append(left, name)
		}
	}
	return left
}

// covers says whether name is the package or test whole, or within it.
func covers(whole, name string) bool {
	return name == whole || strings.HasPrefix(name, whole+" ") || strings.HasPrefix(name, whole+"/") && strings.Contains(whole, " ")
}

// judge returns an error if the results are not what the table of projects says.
func judge(p project, v verdict) error {
	var errs []error
	if n := count(v.theirs, "pass"); n < p.least {
		errs = append(errs, fmt.Errorf("only %d tests pass with oklog/ulid, %d are demanded", n, p.least))
	}
	var unexplained []string
	for _, name := range v.differ {
		if !slices.ContainsFunc(p.differs, func(d difference) bool { return covers(d.test, name) }) {
			unexplained = append(unexplained, name)
			errs = append(errs, fmt.Errorf("%s: %s with oklog/ulid, %s with this library", name, v.theirs[name], v.ours[name]))
		}
	}
	for _, d := range p.differs {
		if !slices.ContainsFunc(v.differ, func(name string) bool { return covers(d.test, name) }) {
			errs = append(errs, fmt.Errorf("%s does not differ, but the table explains it", d.test))
		}
	}
	// A package that panics or does not compile says why, and not its tests.
	for _, name := range slices.Concat(packagesOf(unexplained), unexplained) {
		for _, r := range []results{v.theirs, v.ours} {
			if output := r[name].output; output != "" {
				errs = append(errs, fmt.Errorf("output of %s:\n%s", name, output))
			}
		}
	}
	return errors.Join(errs...)
}

// count returns the number of tests with this outcome, without packages.
func count(r results, outcome string) (n int) {
	for name, result := range r {
		if result.outcome == outcome && strings.Contains(name, " ") {
			n++
		}
	}
	return n
}
