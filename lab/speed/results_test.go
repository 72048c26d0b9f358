package speed

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A key names what was measured. BenchmarkRequest/wait=spin/ids=2/lib=oklog-2 in ns/op is {"Request",
// "wait=spin/ids=2", "oklog", "2", "ns/op"}.
type key struct{ operation, how, lib, procs, unit string }

// results are the measurements of a text.
type results struct {
	config map[string]string // of the lines such as "cpu: …"
	values map[key][]float64
	used   map[key]bool
	errs   []error
}

var (
	setting = regexp.MustCompile(`^([a-z]+): (.*)`)

	// Its groups are the operation, how it is done, the library, GOMAXPROCS, and pairs of a number
	// and its unit.
	benchmark = regexp.MustCompile(`^Benchmark(\w+)((?:/(?:goroutines|wait|ids)=\w+)*)(?:/lib=([\w-]+?))?(?:-(\d+))?` +
		`\s+\d+((?:\s+[\d.]+ [\w./-]+)+)\s*$`)
)

func read(text string) *results {
	r := &results{config: map[string]string{}, values: map[key][]float64{}, used: map[key]bool{}}
	for line := range strings.Lines(text) {
		r.line(strings.TrimSpace(line))
	}
	for _, name := range []string{"date", "go", "with", "goos", "goarch", "cpu"} {
		if r.config[name] == "" {
			r.errorf("the text has no line %q", name+":")
		}
	}
	return r
}

// line reads a line of the text, which may be of no interest.
func (r *results) line(line string) {
	if m := setting.FindStringSubmatch(line); m != nil {
		r.set(m[1], m[2])
		return
	}
	m := benchmark.FindStringSubmatch(line)
	if m == nil {
		if strings.HasPrefix(line, "Benchmark") {
			r.errorf("the text has the line %q", line)
		}
		return
	}
	for pair := range slices.Chunk(strings.Fields(m[5]), 2) {
		value, err := strconv.ParseFloat(pair[0], 64)
		if err != nil {
			r.errs = append(r.errs, err)
		}
		r.add(key{operation: m[1], how: strings.TrimPrefix(m[2], "/"), lib: m[3], procs: m[4], unit: pair[1]}, value)
	}
}

// set notes a line such as "cpu: …". It must be the same in all parts of the text, except pkg.
func (r *results) set(name, value string) {
	if old, ok := r.config[name]; ok && old != value && name != "pkg" {
		r.errorf("the text has the lines %q and %q", name+": "+old, name+": "+value)
	}
	r.config[name] = value
}

func (r *results) errorf(format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf(format, args...))
}

// shown reports whether tables show what was measured.
func (k key) shown() bool {
	switch {
	case k.unit == "B/op", k.unit == "allocs/op":
		return false
	case slices.Contains(inText, k.lib):
		return false
	case k.operation == "ParseUnchecked", k.lib == "std-v7" && (k.operation == "Append" || k.operation == "Compare"):
		return false // for those who open the text
	case k.operation != "Latency":
		return true
	case k.unit == "ns/op": // the mean beside percentiles holds the time of the clock
		return false
	case k.lib == "none": // the clock alone
		return k.unit == "p50-ns"
	}
	return true
}

// inText are the libraries that only the text has.
var inText = []string{"google-v4", "xid", "ksuid"}

// add notes a value, unless no table shows it.
func (r *results) add(k key, value float64) {
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
	if !k.shown() {
		return
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
