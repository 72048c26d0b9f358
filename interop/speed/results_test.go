package speed

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchproc"
)

// A key names what was measured. BenchmarkMake/lib=oklog-2 in ns/op is {"Make", "", "oklog", "2", "sec/op"}, because
// benchfmt turns nanoseconds into seconds.
type key struct{ operation, goroutines, lib, procs, unit string }

// results are the measurements of a text.
type results struct {
	config map[string]string // of the lines such as "cpu: …"
	values map[key][]float64 // in nanoseconds
	used   map[key]bool
	errs   []error
}

func read(text string) (*results, error) {
	var parser benchproc.ProjectionParser
	projection, unit, err := parser.ParseWithUnit(".name,/goroutines,/lib,/gomaxprocs", nil)
	if err != nil {
		return nil, err
	}
	fields := projection.Fields()
	r := &results{map[string]string{}, map[key][]float64{}, map[key]bool{}, nil}
	lines := benchfmt.NewReader(strings.NewReader(text), "speed.txt")
	for lines.Scan() {
		line, ok := lines.Result().(*benchfmt.Result)
		if !ok {
			if err, ok := lines.Result().(*benchfmt.SyntaxError); ok {
				return nil, err
			}
			continue
		}
		for i, k := range projection.ProjectValues(line) {
			r.add(key{k.Get(fields[0]), k.Get(fields[1]), k.Get(fields[2]), k.Get(fields[3]), k.Get(unit)}, line.Values[i].Value*1e9)
		}
		for _, c := range line.Config {
			if old := r.config[c.Key]; old != "" && old != string(c.Value) && c.Key != "pkg" {
				r.errs = append(r.errs, fmt.Errorf("the text has the lines %q and %q", c.Key+": "+old, c.Key+": "+string(c.Value)))
			}
			r.config[c.Key] = string(c.Value)
		}
	}
	for _, name := range []string{"date", "go", "goos", "goarch", "cpu"} {
		if r.config[name] == "" {
			r.errs = append(r.errs, fmt.Errorf("the text has no line %q", name+":"))
		}
	}
	return r, lines.Err()
}

// add leaves out what no table shows: bytes and allocations, and the mean beside percentiles, which holds the time of
// the clock.
func (r *results) add(k key, value float64) {
	if k.unit == "B/op" || k.unit == "allocs/op" || k.unit == "sec/op" && k.operation == "Latency" {
		return
	}
	if k.lib == "" { // in the library's own benchmarks
		k.lib = "ulid"
	}
	if k.procs == "" {
		k.procs = "1"
	}
	// The strict parser of oklog does what the others do.
	switch {
	case k.operation == "Parse" && k.lib == "oklog":
		k.operation = "ParseUnchecked"
	case k.lib == "oklog-strict":
		k.lib = "oklog"
	}
	r.values[k] = append(r.values[k], value)
}

// figure returns the median of what was measured, but the largest of the maxima.
func (r *results) figure(k key) float64 {
	values := r.values[k]
	if len(values) == 0 {
		r.errs = append(r.errs, fmt.Errorf("the text has no %s", k))
		return 0
	}
	r.used[k] = true
	if k.unit == "max-sec" {
		return slices.Max(values)
	}
	return benchmath.AssumeNothing.Summary(benchmath.NewSample(values, &benchmath.DefaultThresholds), 0.95).Center
}

// perOp returns the time of an operation on as many cores as there are.
func (r *results) perOp(operation, lib string) float64 {
	return r.figure(key{operation: operation, lib: lib, procs: r.cores(), unit: "sec/op"})
}

// cores returns the GOMAXPROCS of the machine.
func (r *results) cores() string {
	for k := range r.values {
		if k.operation == "Make" {
			return k.procs
		}
	}
	return "1"
}

// count returns how many times each operation was measured.
func (r *results) count() int {
	return len(r.values[key{operation: "Make", lib: "ulid", procs: r.cores(), unit: "sec/op"}])
}

// check reports what the text lacks, and what it has that was shown nowhere.
func (r *results) check() error {
	for k := range r.values {
		if !r.used[k] {
			r.errs = append(r.errs, fmt.Errorf("no table shows %s", k))
		}
	}
	return errors.Join(r.errs...)
}
