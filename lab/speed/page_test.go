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
	page.Check(t, "README.md", r.retitle(page.Text(t, "README.md")))
	page.Check(t, "docs/speed.svg", r.picture(t, page.Text(t, "docs/speed.svg")))
}

// generate returns the page with its tables made from the text. It is an error if the text lacks a
// result, or has one that no table shows.
func generate(old, text string) (string, error) {
	r := read(text)
	filled, err := page.Fill(old, map[string]string{
		"ratios":     r.ratios() + "\n" + r.machine(),
		"operations": r.operations(),
		"goroutines": r.goroutines(),
		"latency":    r.latency(),
	})
	if err != nil {
		return "", err
	}
	return filled, r.check()
}

// A library is a column of the table of operations. Those with a group are in the picture, and
// compared with this library.
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
	{"google-v4", "google/uuid V4", ""},
	{"xid", "rs/xid", "others"},
	{"ksuid", "segmentio/ksuid", "others"},
}

// compared are the operations of the ratios.
var compared = []struct{ operation, title string }{
	{"Make", "make"},
	{"MakeString", "make and print"},
	{"Parse", "parse"},
}

// operations are the rows of their table, and the libraries that have them.
var operations = []struct{ title, operation, libs string }{
	{"make an ID", "Make", "ulid oklog ulid-v7 std-v7 google-v7 gofrs-v7 google-v4 xid ksuid"},
	{"make, with a coarse `Clock`", "GeneratorCoarseClock", "ulid"},
	{"make 1,000, per ID", "Fill", "ulid oklog"},
	{"make and print", "MakeString", "ulid oklog ulid-v7 std-v7 google-v7 gofrs-v7 google-v4 xid ksuid"},
	{"`New` with crypto/rand", "NewCryptoRand", "ulid oklog"},
	{"print", "String", "ulid oklog ulid-v7 std-v7 google-v7 gofrs-v7 xid ksuid"},
	{"append to a buffer", "Append", "ulid oklog std-v7 xid ksuid"},
	{"parse", "Parse", "ulid oklog ulid-v7 std-v7 google-v7 gofrs-v7 xid ksuid"},
	{"parse without a check", "ParseUnchecked", "oklog"},
	{"refuse a bad text", "ParseInvalid", "ulid oklog ulid-v7 std-v7 google-v7 gofrs-v7 xid"},
	{"compare, twice", "Compare", "ulid oklog std-v7 xid ksuid"},
}

func (r *results) machine() string {
	machine := fmt.Sprintf("%s, %s cores, %s, %s/%s, %s, medians of %d.", r.config["cpu"], r.cores(),
		r.config["go"], r.config["goos"], r.config["goarch"], r.config["date"], r.count())
	return machine + " The other libraries are\n" + r.with() + ".\n"
}

// with returns the modules and their versions, which go list has printed, as "oklog/ulid v2.1.2, …".
func (r *results) with() string {
	text := regexp.MustCompile(`(?:github\.com/)?(\S+?)(?:/v\d+)? (v\S+)`).ReplaceAllString(r.config["with"], "$1 $2,")
	return strings.TrimSuffix(text, ",")
}

func (r *results) operations() string {
	rows := [][]string{{"ns/op"}}
	for _, l := range libraries {
		rows[0] = append(rows[0], l.title)
	}
	for _, o := range operations {
		row := []string{o.title}
		for _, l := range libraries {
			cell := ""
			if slices.Contains(strings.Fields(o.libs), l.lib) {
				cell = number(r.perOp(o.operation, l.lib))
			}
			if cell != "" && l.own() {
				cell = "**" + cell + "**"
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return page.Table("lr", rows...)
}

// ratios says how many times as long as this library the others take.
func (r *results) ratios() string {
	head := []string{"times as long"}
	for _, c := range compared {
		head = append(head, c.title)
	}
	rows := [][]string{head}
	for _, l := range libraries {
		if l.own() || l.group == "" {
			continue
		}
		ours := "ulid"
		if l.group == "UUIDv7" {
			ours = "ulid-v7"
		}
		row := []string{l.title}
		for _, c := range compared {
			row = append(row, fmt.Sprintf("%.1f", r.perOp(c.operation, l.lib)/r.perOp(c.operation, ours)))
		}
		rows = append(rows, row)
	}
	return page.Table("lr", rows...)
}

// goroutines says what an ID takes while as many goroutines as cores make them.
func (r *results) goroutines() string {
	row := func(title, operation, lib string) []string {
		one := r.figure(key{operation: operation, lib: lib, procs: "1", unit: "ns/op"})
		return []string{title, number(one), number(r.perOp(operation, lib))}
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
		k := key{operation: "Latency", goroutines: goroutines, lib: "none", procs: r.cores(), unit: "p50-ns"}
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

// number returns nanoseconds with no more digits than mean anything.
func number(ns float64) string {
	if ns < 99.95 {
		return fmt.Sprintf("%.1f", ns)
	}
	return fmt.Sprintf("%.0f", ns)
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
			"one benchmark left out", without("BenchmarkCompare/lib=xid"),
			"the text has no {Compare  xid",
		},
		{
			"one latency left out", without("BenchmarkLatency/goroutines=64/lib=oklog"),
			"the text has no {Latency 64 oklog",
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
