package speed

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A key names what was measured. BenchmarkMake/lib=oklog-2 in ns/op is {"Make", "", "oklog", "2", "ns/op"}.
type key struct{ operation, goroutines, lib, procs, unit string }

// results are the measurements of a text.
type results struct {
	config map[string]string // of the lines such as "cpu: …"
	values map[key][]float64
	used   map[key]bool
	errs   []error
}

var (
	setting   = regexp.MustCompile(`^([a-z]+): (.*)`)
	benchmark = regexp.MustCompile(`^Benchmark(\w+)(?:/goroutines=(\d+))?(?:/lib=([\w-]+?))?(?:-(\d+))?\s+\d+((?:\s+[\d.]+ [\w./-]+)+)\s*$`)
)

func read(text string) *results {
	r := &results{map[string]string{}, map[key][]float64{}, map[key]bool{}, nil}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if m := setting.FindStringSubmatch(line); m != nil {
			if old, ok := r.config[m[1]]; ok && old != m[2] && m[1] != "pkg" {
				r.errorf("the text has the lines %q and %q", m[1]+": "+old, line)
			}
			r.config[m[1]] = m[2]
		} else if m := benchmark.FindStringSubmatch(line); m != nil {
			fields := strings.Fields(m[5])
			for pair := range slices.Chunk(fields, 2) {
				value, err := strconv.ParseFloat(pair[0], 64)
				if err != nil {
					r.errs = append(r.errs, err)
				}
				r.add(key{m[1], m[2], m[3], m[4], pair[1]}, value)
			}
		} else if strings.HasPrefix(line, "Benchmark") {
			r.errorf("the text has the line %q", line)
		}
	}
	for _, name := range []string{"date", "go", "with", "goos", "goarch", "cpu"} {
		if r.config[name] == "" {
			r.errorf("the text has no line %q", name+":")
		}
	}
	return r
}

func (r *results) errorf(format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf(format, args...))
}

// add leaves out what no table shows: bytes and allocations, the mean beside percentiles, which holds the time of the clock,
// and all but the median of the clock alone.
func (r *results) add(k key, value float64) {
	if k.unit == "B/op" || k.unit == "allocs/op" || k.operation == "Latency" && (k.unit == "ns/op" || k.lib == "none" && k.unit != "p50-ns") {
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
	values := slices.Sorted(slices.Values(r.values[k]))
	n := len(values)
	if n == 0 {
		r.errorf("the text has no %s", k)
		return 0
	}
	r.used[k] = true
	if k.unit == "max-ns" {
		return values[n-1]
	}
	return (values[(n-1)/2] + values[n/2]) / 2
}

// perOp returns the time of an operation on as many cores as there are.
func (r *results) perOp(operation, lib string) float64 {
	return r.figure(key{operation: operation, lib: lib, procs: r.cores(), unit: "ns/op"})
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
	return len(r.values[key{operation: "Make", lib: "ulid", procs: r.cores(), unit: "ns/op"}])
}

// check reports what the text lacks, and what it has that was shown nowhere.
func (r *results) check() error {
	for k := range r.values {
		if !r.used[k] {
			r.errorf("no table shows %s", k)
		}
	}
	return errors.Join(r.errs...)
}
