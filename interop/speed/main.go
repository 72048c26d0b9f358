// Speed turns the output of the benchmarks into a page and a picture. It reads speed.txt, rewrites
// the tables of speed.md and draws speed.svg, all in the folder -d.
//
//	go run -C interop ./speed
//
// It refuses a text that lacks a result, or has one that no table shows. docs/speed.md has the
// command that writes the text.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

func main() {
	dir := flag.String("d", "../docs", "folder of speed.txt, speed.md and speed.svg")
	flag.Parse()
	if err := run(*dir); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	file := func(name string) string { return filepath.Join(dir, name) }
	page, err := os.ReadFile(file("speed.md"))
	if err != nil {
		return err
	}
	text, err := os.Open(file("speed.txt"))
	if err != nil {
		return err
	}
	defer text.Close()
	newPage, svg, err := generate(string(page), text)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(file("speed.md"), []byte(newPage), 0o644),
		os.WriteFile(file("speed.svg"), []byte(svg), 0o644))
}

// generate returns the page with its tables rewritten, and the picture.
func generate(page string, text io.Reader) (newPage, svg string, err error) {
	r, err := read(text)
	if err != nil {
		return "", "", err
	}
	newPage, err = r.fill(page)
	if err != nil {
		return "", "", err
	}
	svg, err = r.picture()
	if err != nil {
		return "", "", err
	}
	return newPage, svg, r.check()
}

// A key names what was measured: BenchmarkMake/lib=oklog-2 in ns/op is {"Make", "oklog", 2, "sec/op"}.
// benchfmt has turned nanoseconds into seconds.
type key struct {
	operation, lib string
	procs          int
	unit           string
}

// shown are the units that the tables show.
var shown = []string{"sec/op", "p50-sec", "p99-sec", "p99.9-sec", "max-sec"}

// results are the measurements of a text.
type results struct {
	config map[string]string // of the lines such as "cpu: …"
	values map[key][]float64 // in nanoseconds
	calls  int               // of the last latency benchmark
	used   map[key]bool
	errs   []error
}

func read(text io.Reader) (*results, error) {
	r := &results{config: map[string]string{}, values: map[key][]float64{}, used: map[key]bool{}}
	lines := benchfmt.NewReader(text, "speed.txt")
	for lines.Scan() {
		switch line := lines.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, line
		case *benchfmt.Result:
			r.add(line)
		}
	}
	for _, name := range []string{"date", "go", "goos", "goarch", "cpu"} {
		if r.config[name] == "" {
			r.errs = append(r.errs, fmt.Errorf("the text has no line %q", name+":"))
		}
	}
	return r, lines.Err()
}

func (r *results) add(line *benchfmt.Result) {
	for _, c := range line.Config {
		if old := r.config[c.Key]; old != "" && old != string(c.Value) && c.Key != "pkg" {
			r.errs = append(r.errs, fmt.Errorf("the text has the lines %q and %q", c.Key+": "+old, c.Key+": "+string(c.Value)))
		}
		r.config[c.Key] = string(c.Value)
	}
	k := key{lib: "ulid", procs: 1} // as in the library's own benchmarks, which name none
	base, parts := line.Name.Parts()
	k.operation = string(base)
	for _, part := range parts {
		if lib, ok := strings.CutPrefix(string(part), "/lib="); ok {
			k.lib = lib
		} else if procs, err := strconv.Atoi(strings.TrimPrefix(string(part), "-")); err == nil {
			k.procs = procs
		} else {
			k.operation += string(part)
		}
	}
	if strings.HasPrefix(k.operation, "Latency") {
		r.calls = line.Iters
	}
	for _, v := range line.Values {
		if k.unit = v.Unit; slices.Contains(shown, k.unit) {
			r.values[k] = append(r.values[k], v.Value*1e9)
		}
	}
}

// figure returns the median of what was measured, but the largest of the maxima. It notes what
// was not measured.
func (r *results) figure(k key) float64 {
	values := slices.Sorted(slices.Values(r.values[k]))
	if len(values) == 0 {
		r.errs = append(r.errs, fmt.Errorf("the text has no %s of %s (%s, on %d)", k.operation, k.lib, k.unit, k.procs))
		return 0
	}
	r.used[k] = true
	if k.unit == "max-sec" {
		return values[len(values)-1]
	}
	middle := len(values) / 2
	return (values[middle] + values[(len(values)-1)/2]) / 2
}

// perOp returns the time of an operation on as many cores as there are.
func (r *results) perOp(operation, lib string) float64 {
	return r.figure(key{operation, lib, r.cores(), "sec/op"})
}

// cores returns the greatest GOMAXPROCS that was measured.
func (r *results) cores() int {
	most := 1
	for k := range r.values {
		most = max(most, k.procs)
	}
	return most
}

// check reports what the text lacks, and what it has that was shown nowhere.
func (r *results) check() error {
	errs := r.errs
	for k := range r.values {
		if !r.used[k] {
			errs = append(errs, fmt.Errorf("no table shows %s of %s (%s, on %d)", k.operation, k.lib, k.unit, k.procs))
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(slices.CompactFunc(errs, func(a, b error) bool { return a.Error() == b.Error() })...)
}
