// Package speed compares this library with others, for docs/speed.md. measure.sh writes
// docs/speed.txt, from which the tables of the page and the picture docs/speed.svg are renewed.
package speed

//go:generate go test -run ^TestPage$ . -write

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid/interop/page"
)

func TestPage(t *testing.T) {
	measured := page.Text(t, "docs/speed.txt")
	text, err := generate(page.Text(t, "docs/speed.md"), measured)
	if err != nil {
		t.Fatal(err)
	}
	r := read(measured)
	page.Check(t, "docs/speed.md", r.retitle(text))
	page.Check(t, "docs/speed.svg", r.picture(t, page.Text(t, "docs/speed.svg")))
}

// generate returns the page with its tables made from the text. It is an error if the text lacks a
// result, or has one that no table shows.
func generate(old, text string) (string, error) {
	r := read(text)
	filled, err := page.Fill(old, map[string]string{
		"requests":   r.requests(),
		"operations": r.operations(),
		"ours":       r.table(ours, "ulid", "oklog"),
		"typed":      r.table(typedOperations, "typed", "sumup", "jetify"),
		"goroutines": r.goroutines(),
		"latency":    r.latency(),
		"leads":      r.leads(),
		"machine":    r.machine(),
	})
	if err != nil {
		return "", err
	}
	return filled, r.check()
}

// A library is a column of the table of operations, and a bar of the picture, where those of a group are compared.
type library struct{ lib, title, group string }

func (l library) own() bool { return strings.HasPrefix(l.lib, "ulid") }

// inPicture returns the name in the picture, where the group says the rest.
func (l library) inPicture() string {
	if l.own() {
		return "ulid"
	}
	return l.title
}

var libraries = []library{
	{"ulid", "ulid", "ULID"},
	{"oklog", "oklog/ulid", "ULID"},
	{"ulid-v7", "ulid, UUIDv7", "UUIDv7"},
	{"std-v7", "Go 1.27 uuid", "UUIDv7"},
	{"google-v7", "google/uuid", "UUIDv7"},
	{"gofrs-v7", "gofrs/uuid", "UUIDv7"},
}

// titles are those of the libraries that are columns of another table only.
var titles = map[string]string{
	"typed":  "typed",
	"sumup":  "sumup/typeid",
	"jetify": "jetify typeid v2",
}

// An operation is the row of a table. If it names a library, the others have no such operation.
type operation struct{ title, name, only string }

// operations are the rows of the table that has all libraries.
var operations = []operation{
	{title: "generate", name: "Make"},
	{title: "generate and format", name: "MakeString"},
	{title: "format", name: "String"},
	{title: "parse", name: "Parse"},
	{title: "reject a wrong character", name: "ParseInvalid"},
}

// ours are the operations that few libraries have.
var ours = []operation{
	{title: "generate 1,000, per ID", name: "Fill"},
	{title: "`New` with `rand.Reader`", name: "NewCryptoRand"},
	{"generate with a coarse `Clock`", "GeneratorCoarseClock", "ulid"},
	{title: "append to a buffer", name: "Append"},
	{title: "compare, twice", name: "Compare"},
}

var typedOperations = []operation{
	{title: "generate", name: "TypedMake"},
	{title: "generate and format", name: "TypedMakeString"},
	{title: "parse", name: "TypedParse"},
	{title: "format", name: "TypedString"},
	{title: "`MarshalText`", name: "TypedMarshalText"},
	{title: "`Value`", name: "TypedValue"},
}

func (r *results) machine() string {
	return wrap(fmt.Sprintf("%s, %s cores, %s, %s/%s, %s, medians of %d. The other libraries are %s.",
		r.config["cpu"], r.cores(), r.config["go"], r.config["goos"], r.config["goarch"], r.config["date"],
		r.count(), r.with()))
}

// wrap breaks a text into lines.
func wrap(text string) string {
	var b strings.Builder
	width := 0
	for _, word := range strings.Fields(text) {
		switch {
		case width == 0:
		case width+1+len(word) > 120:
			b.WriteByte('\n')
			width = 0
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += len(word)
	}
	return b.String() + "\n"
}

// with returns the modules and their versions, which go list has printed, as "oklog/ulid v2.1.2, …".
func (r *results) with() string {
	text := regexp.MustCompile(`(?:github\.com/)?(\S+?)(?:/v\d+)? (v\S+)`).ReplaceAllString(r.config["with"], "$1 $2,")
	return strings.TrimSuffix(text, ",")
}

// operations has a column for each of the libraries of the picture.
func (r *results) operations() string {
	var libs []string
	for _, l := range libraries {
		libs = append(libs, l.lib)
	}
	return r.table(operations, libs...)
}

// table has the times of operations by some libraries.
func (r *results) table(operations []operation, libs ...string) string {
	head := []string{"ns"}
	for _, lib := range libs {
		head = append(head, title(lib))
	}
	rows := [][]string{head}
	for _, o := range operations {
		row := []string{o.title}
		for _, lib := range libs {
			cell := "–"
			if o.only == "" || o.only == lib {
				cell = twoDigits(r.perOp(o.name, lib))
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return page.Table("lr", rows...)
}

// title returns the name of a library in the head of a table.
func title(lib string) string {
	if i := slices.IndexFunc(libraries, func(l library) bool { return l.lib == lib }); i >= 0 {
		return libraries[i].title
	}
	return titles[lib]
}

// requests says what the IDs of one request take together.
func (r *results) requests() string {
	libs := []string{"ulid", "oklog", "std-v7", "google-v7"}
	head := []string{"µs"}
	for _, lib := range libs {
		head = append(head, title(lib))
	}
	rows := [][]string{head}
	for _, wait := range []struct{ name, title string }{
		{"spin", "busy core"},
		{"sleep", "after a sleep"},
	} {
		for _, ids := range []struct{ n, title string }{{"1", "1 ID"}, {"2", "2 IDs"}, {"3", "3 IDs"}, {"10", "10 IDs"}} {
			k := key{operation: "Request", how: "wait=" + wait.name + "/ids=" + ids.n, procs: r.cores(), unit: "request-ns"}
			k.lib = "none"
			clock := r.figure(k)
			row := []string{ids.title + ", " + wait.title}
			for _, lib := range libs {
				k.lib = lib
				row = append(row, fmt.Sprintf("%.1f", (r.figure(k)-clock)/1000))
			}
			rows = append(rows, row)
		}
	}
	return page.Table("lr", rows...)
}

// leads says how far timestamps run ahead in a second.
func (r *results) leads() string {
	rows := [][]string{{"ahead of the clock after a second", "1 goroutine", r.cores() + " goroutines"}}
	for _, l := range []struct{ lib, title string }{
		{"ulid", "**`Make`**"},
		{"oklog", "oklog/ulid"},
		{"google-v7", "google/uuid"},
		{"std-v7", "Go 1.27 uuid"},
	} {
		row := []string{l.title}
		for _, procs := range []string{"1", r.cores()} {
			ms := r.figure(key{operation: "Lead", lib: l.lib, procs: procs, unit: "lead-ms"})
			row = append(row, seconds(ms))
		}
		rows = append(rows, row)
	}
	return page.Table("lr", rows...)
}

// seconds returns milliseconds as seconds, as they are if they are few, or as 0 if there are none.
func seconds(ms float64) string {
	switch {
	case ms == 0:
		return "0"
	case ms < 100:
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.1f s", ms/1000)
}

// goroutines says what an ID takes while as many goroutines as cores make them.
func (r *results) goroutines() string {
	row := func(title, operation, lib string) []string {
		one := r.figure(key{operation: operation, lib: lib, procs: "1", unit: "ns/op"})
		return []string{title, twoDigits(one), twoDigits(r.perOp(operation, lib))}
	}
	rows := [][]string{
		{"ns per ID", "1 at a time", r.cores() + " at a time"},
		row("**a `Generator` each**", "GeneratorPerGoroutine", "ulid"),
		row("**`Make`**", "MakeParallel", "ulid"),
		row("**`MakeUUIDv7`**", "MakeParallel", "ulid-v7"),
	}
	for _, l := range libraries {
		if !l.own() {
			rows = append(rows, row(l.title, "MakeParallel", l.lib))
		}
	}
	return page.Table("lr", rows...)
}

// timed are the libraries of the table of latencies.
var timed = []struct{ lib, title string }{
	{"ulid", "**`Make`**"},
	{"oklog", "oklog/ulid"},
	{"google-v7", "google/uuid"},
}

// latency subtracts the median of the clock alone from what was measured with the clock.
func (r *results) latency() string {
	rows := [][]string{{"goroutines", "", "p50", "p99", "p99.9", "max"}}
	for _, goroutines := range []string{"2", "64"} {
		k := key{operation: "Latency", how: "goroutines=" + goroutines, lib: "none", procs: r.cores(), unit: "p50-ns"}
		clock := r.figure(k)
		for _, l := range timed {
			row := []string{goroutines, l.title}
			k.lib = l.lib
			for _, unit := range []string{"p50-ns", "p99-ns", "p99.9-ns", "max-ns"} {
				k.unit = unit
				row = append(row, duration(r.figure(k)-clock))
			}
			rows = append(rows, row)
		}
	}
	return page.Table("llr", rows...)
}

// duration returns nanoseconds in the unit that fits, to three digits.
func duration(ns float64) string {
	unit := 1.0
	for ns >= 999.5*unit {
		unit *= 10
	}
	text := time.Duration(math.Round(ns/unit) * unit).String()
	i := strings.IndexAny(text, "nµms")
	return text[:i] + " " + text[i:]
}

// TestRefuses has texts that lack a result, or have one too many.
func TestRefuses(t *testing.T) {
	old, text := page.Text(t, "docs/speed.md"), page.Text(t, "docs/speed.txt")
	without := func(line string) string {
		return regexp.MustCompile(`(?m)^`+line+`.*\n`).ReplaceAllString(text, "")
	}
	for _, test := range []struct{ name, text, want string }{
		{
			"a run of Go 1.26, which has no uuid", without(`Benchmark\w+/lib=std-v7`),
			"the text has no {Make  std-v7",
		},
		{
			"one benchmark left out", without("BenchmarkCompare/lib=oklog"),
			"the text has no {Compare  oklog",
		},
		{
			"one latency left out", without("BenchmarkLatency/goroutines=64/lib=oklog"),
			"the text has no {Latency goroutines=64 oklog",
		},
		{
			"no date", without("date:"),
			`the text has no line "date:"`,
		},
		{
			"two processors", strings.Replace(text, "cpu: ", "cpu: another ", 1),
			`the text has the lines "cpu: another `,
		},
		{
			"a library that no table shows", text + "BenchmarkMake/lib=sonyflake-2 1 40.0 ns/op\n",
			"no table shows {Make  sonyflake",
		},
		{
			"a line cut off", text + "BenchmarkMake/lib=ulid-2 1 40.0\n",
			`the text has the line "BenchmarkMake/lib=ulid-2 1 40.0"`,
		},
	} {
		_, err := generate(old, test.text)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: the error is %v, want %s", test.name, err, test.want)
		}
	}
}
