package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A library is a column of the table of operations. lib is its name in the benchmarks.
type library struct{ lib, title string }

var libraries = []library{
	{"ulid", "this library"},
	{"ulid-v7", "as UUIDv7"},
	{"oklog", "oklog/ulid"},
	{"std-v7", "Go 1.27 uuid"},
	{"google-v7", "google/uuid"},
	{"gofrs-v7", "gofrs/uuid"},
	{"google-v4", "google/uuid V4"},
	{"xid", "xid"},
	{"ksuid", "ksuid"},
}

// operations are the rows of the table, and the benchmarks of libs that fill them.
var operations = []struct{ title, operation, libs string }{
	{"make an ID", "Make", "ulid ulid-v7 oklog std-v7 google-v7 gofrs-v7 google-v4 xid ksuid"},
	{"make, with a coarse `Clock`", "GeneratorCoarseClock", "ulid"},
	{"make 1,000, per ID", "Fill", "ulid oklog"},
	{"make and print", "MakeString", "ulid ulid-v7 oklog std-v7 google-v7 gofrs-v7 google-v4 xid ksuid"},
	{"`New` with crypto/rand", "NewCryptoRand", "ulid oklog"},
	{"print", "String", "ulid ulid-v7 oklog std-v7 google-v7 gofrs-v7 xid ksuid"},
	{"append to a buffer", "Append", "ulid oklog std-v7 xid ksuid"},
	{"parse", "Parse", "ulid ulid-v7 oklog-strict std-v7 google-v7 gofrs-v7 xid ksuid"},
	{"parse without a check", "Parse", "oklog"},
	{"refuse a bad text", "ParseInvalid", "ulid ulid-v7 oklog-strict std-v7 google-v7 gofrs-v7 xid"},
	{"compare, twice", "Compare", "ulid oklog std-v7 xid ksuid"},
}

// blocks write what stands in the page between <!-- name --> and <!-- end -->.
var blocks = map[string]func(r *results) string{
	"machine":    (*results).machine,
	"ratios":     (*results).ratios,
	"operations": (*results).operations,
	"goroutines": (*results).goroutines,
	"latency":    (*results).latency,
	"beside":     (*results).beside,
}

var block = regexp.MustCompile(`(?s)<!-- (\w+) -->\n.*?<!-- end -->`)

// fill rewrites the blocks of the page, each of which must stand there once.
func (r *results) fill(page string) (string, error) {
	var names []string
	page = block.ReplaceAllStringFunc(page, func(old string) string {
		name := block.FindStringSubmatch(old)[1]
		names = append(names, name)
		write := blocks[name]
		if write == nil {
			return old
		}
		return fmt.Sprintf("<!-- %s -->\n\n%s\n<!-- end -->", name, write(r))
	})
	slices.Sort(names)
	if want := slices.Sorted(maps.Keys(blocks)); !slices.Equal(names, want) {
		return "", fmt.Errorf("the page has the blocks %q, not %q", names, want)
	}
	return page, nil
}

func (r *results) machine() string {
	return fmt.Sprintf("%s, %d cores, %s, %s/%s, %s. Each figure is a median of %d.\n", r.config["cpu"], r.cores(),
		r.config["go"], r.config["goos"], r.config["goarch"], r.config["date"], r.counts())
}

// counts returns how many times each operation was measured.
func (r *results) counts() int {
	return len(r.values[key{"Make", "ulid", r.cores(), "sec/op"}])
}

func (r *results) operations() string {
	t := table{"ns/op"}
	for _, l := range libraries {
		t = append(t, l.title)
	}
	var b strings.Builder
	b.WriteString(t.head())
	for _, o := range operations {
		row := table{o.title}
		for _, l := range libraries {
			cell := ""
			for lib := range strings.FieldsSeq(o.libs) {
				if lib == l.lib || lib == l.lib+"-strict" {
					cell = number(r.perOp(o.operation, lib))
				}
			}
			if cell != "" && strings.HasPrefix(l.lib, "ulid") {
				cell = "**" + cell + "**"
			}
			row = append(row, cell)
		}
		b.WriteString(row.row())
	}
	return b.String()
}

// ratios says how many times as long as this library the others take for what the picture shows.
func (r *results) ratios() string {
	var b strings.Builder
	b.WriteString(table{"times as long", "make", "make and print", "parse"}.head())
	for _, g := range groups {
		for _, peer := range g.libs {
			if peer.own {
				continue
			}
			row := table{peer.title}
			for _, p := range panels {
				row = append(row, fmt.Sprintf("%.1f", r.perOp(p.operation, peer.name(p))/r.perOp(p.operation, g.own)))
			}
			b.WriteString(row.row())
		}
	}
	return b.String()
}

// goroutines says what an ID takes while as many goroutines as cores make them.
func (r *results) goroutines() string {
	procs := []int{1, r.cores()}
	var b strings.Builder
	b.WriteString(table{"ns per ID", "1 at a time", fmt.Sprintf("%d at a time", r.cores())}.head())
	write := func(title, operation, lib string) {
		row := table{title}
		for _, n := range procs {
			row = append(row, number(r.figure(key{operation, lib, n, "sec/op"})))
		}
		b.WriteString(row.row())
	}
	write("**a `Generator` each**", "GeneratorPerGoroutine", "ulid")
	write("**`Make`**", "MakeParallel", "ulid")
	write("**`MakeUUIDv7`**", "MakeParallel", "ulid-v7")
	for _, l := range libraries[2:] {
		write(l.title, "MakeParallel", l.lib)
	}
	return b.String()
}

// latency subtracts the median of the clock alone from what was measured with the clock.
func (r *results) latency() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Medians of %d runs of %d million calls; max is the largest of all.\n\n",
		len(r.values[key{"Latency/goroutines=2", "ulid", r.cores(), "p50-sec"}]), r.calls/1e6)
	b.WriteString(table{"goroutines", "", "p50", "p99", "p99.9", "max"}.head())
	for _, goroutines := range []string{"2", "8", "64"} {
		figure := func(lib, unit string) float64 {
			return r.figure(key{"Latency/goroutines=" + goroutines, lib, r.cores(), unit})
		}
		clock := figure("none", "p50-sec")
		for _, lib := range []library{{"ulid", "**`Make`**"}, {"oklog", "oklog/ulid"}, {"google-v7", "google/uuid V7"}, {"none", "the clock alone, nothing subtracted"}} {
			row := table{goroutines, lib.title}
			for _, unit := range []string{"p50-sec", "p99-sec", "p99.9-sec", "max-sec"} {
				ns := figure(lib.lib, unit)
				if lib.lib != "none" {
					ns -= clock
				}
				row = append(row, duration(ns))
			}
			b.WriteString(row.row())
		}
	}
	return b.String()
}

func (r *results) beside() string {
	var b strings.Builder
	b.WriteString(table{"`Make` beside", "p50", "p99.9", "max"}.head())
	for _, other := range []struct{ title, operation string }{
		{"another `Make`", "MakeBesideMake"}, {"`Fill` of a million", "MakeBesideFill"},
	} {
		row := table{other.title}
		for _, unit := range []string{"p50-sec", "p99.9-sec", "max-sec"} {
			row = append(row, duration(r.figure(key{other.operation, "ulid", r.cores(), unit})))
		}
		r.perOp(other.operation, "ulid") // not shown: it holds the time of the clock
		b.WriteString(row.row())
	}
	return b.String()
}

// A table is a row of Markdown: a title, and cells that stand to the right.
type table []string

func (t table) head() string {
	return t.row() + "|---|" + strings.Repeat("--:|", len(t)-1) + "\n"
}

func (t table) row() string { return "| " + strings.Join(t, " | ") + " |\n" }

// number returns nanoseconds with no more digits than mean anything.
func number(ns float64) string {
	if ns < 99.95 {
		return fmt.Sprintf("%.1f", ns)
	}
	return fmt.Sprintf("%.0f", ns)
}

// duration returns nanoseconds in the unit that fits, to three digits.
func duration(ns float64) string {
	for _, unit := range []string{"ns", "µs", "ms"} {
		if ns < 999.5 {
			return fmt.Sprintf("%.3g %s", ns, unit)
		}
		ns /= 1000
	}
	return fmt.Sprintf("%.3g s", ns)
}
