package keycost

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// A result is what a load of one kind has shown. It is a line of results.json.
type result struct {
	Database, Options string
	Date, Machine     string // of the measurement
	Kind, Column      string
	Rows              int

	Table, Key, Entry int64         // sizes in bytes; Key is 0 where the table is the index of its key
	Log, Pages        int64         // bytes written; Pages is 0 where the database does not tell
	Lookups           time.Duration // all of them
	Range             time.Duration // one of them
	Scan              bool          // the range was not one of keys
	Rates             []float64     // rows per second in each window
}

// last returns the rate in the last fifth.
func (r result) last() float64 { return harmonic(r.Rates[windows-fifth:]) }

// harmonic returns the rate of windows of the same size together.
func harmonic(rates []float64) float64 {
	var seconds float64 // of a row in each window
	for _, rate := range rates {
		seconds += 1 / rate
	}
	return float64(len(rates)) / seconds
}

// database returns the name without the version.
func (r result) database() string { return strings.Fields(r.Database)[0] }

// machine says what the test ran on.
func machine() string {
	processor := runtime.GOARCH
	if data, err := os.ReadFile("/proc/cpuinfo"); err == nil { // where there is one
		if match := regexp.MustCompile(`model name\s*: (.*)`).FindSubmatch(data); match != nil {
			processor = string(match[1])
		}
	}
	return fmt.Sprintf("%s, %s, %s, %d cores", runtime.Version(), runtime.GOOS, processor, runtime.NumCPU())
}

// A report is results, those of one database after those of another.
type report []result

func read(t *testing.T) (r report) {
	text, err := os.ReadFile("results.json")
	db.Check(t, err)
	for line := range strings.Lines(string(text)) {
		var one result
		db.Check(t, json.Unmarshal([]byte(line), &one))
		r = append(r, one)
	}
	return r
}

// renew puts the results of a database in the place of those that the file has.
func renew(t *testing.T, results report) {
	all := read(t)
	old := func(r result) bool { return r.database() == results[0].database() }
	at := max(0, slices.IndexFunc(all, old))
	all = slices.Insert(slices.DeleteFunc(all, old), at, results...)
	var text []byte
	for _, r := range all {
		line, err := json.Marshal(r)
		db.Check(t, err)
		text = append(append(text, line...), '\n')
	}
	db.Check(t, os.WriteFile("results.json", text, 0o644))
}

// markdown returns a table of what ran, and one for each database.
func (r report) markdown() string {
	ran := [][]string{{"", "settings", "measured", "on", "rows"}}
	var tables strings.Builder
	for _, database := range r.databases() {
		results := r.of(database)
		first := results[0]
		ran = append(ran, []string{
			first.Database,
			"`" + first.Options + "`",
			first.Date,
			first.Machine,
			thousands(first.Rows),
		})
		rows := [][]string{{
			database,
			"column",
			"rows/s, last fifth",
			"table, MB",
			"index of the key, MB",
			"index of the child, MB",
			"log, MB",
			"pages written, MB",
			"10,000 look-ups",
			"1% by time",
		}}
		for _, k := range results {
			rows = append(rows, k.row())
		}
		tables.WriteString("\n" + page.Table("llr", rows...))
	}
	return page.Table("llllr", ran...) + tables.String()
}

// row returns the cells of a result, below the head that markdown writes.
func (r result) row() []string {
	byTime := fmt.Sprintf("%.1f ms", r.Range.Seconds()*1e3)
	if r.Scan {
		byTime += " (scan)"
	}
	return []string{
		r.Kind,
		"`" + r.Column + "`",
		thousands(int(r.last())),
		megabytes(r.Table),
		megabytes(r.Key),
		megabytes(r.Entry),
		megabytes(r.Log),
		megabytes(r.Pages),
		fmt.Sprintf("%.2f s", r.Lookups.Seconds()),
		byTime,
	}
}

// databases returns the databases in their order.
func (r report) databases() (names []string) {
	for _, k := range r {
		if !slices.Contains(names, k.database()) {
			names = append(names, k.database())
		}
	}
	return names
}

func (r report) of(database string) (results report) {
	for _, k := range r {
		if k.database() == database {
			results = append(results, k)
		}
	}
	return results
}

// kind returns the result of a kind of key.
func (r report) kind(kind string) result {
	return r[slices.IndexFunc(r, func(k result) bool { return k.Kind == kind })]
}

func is(kinds ...string) func(string) bool {
	return func(kind string) bool { return slices.Contains(kinds, kind) }
}

// ordered reports whether IDs of the kind increase, and are ULIDs or UUIDv7s.
func ordered(kind string) bool { return kind != bigint && kind != random }

// share returns the rate of a kind in percent of that of the bigint, in the fifth of the rows that
// ends with so many windows. In a single window it would show most of all what else the machine did.
func (r report) share(kind string, end int) float64 {
	rate := func(kind string) float64 { return harmonic(r.kind(kind).Rates[end-fifth : end]) }
	return 100 * rate(kind) / rate(bigint)
}

// A span is a range of percentages.
type span struct{ least, most float64 }

// span returns the range of the last rates of some kinds, in percent of that of a bigint in the same
// database.
func (r report) span(kinds func(string) bool) span {
	s := span{least: math.Inf(1)}
	for _, k := range r {
		if kinds(k.Kind) {
			share := r.of(k.database()).share(k.Kind, windows)
			s.least, s.most = min(s.least, share), max(s.most, share)
		}
	}
	return s
}

// text returns such as "3–37%", or "37%" if both ends are the same in whole percents.
func (s span) text(to string) string {
	least, most := fmt.Sprintf("%.0f", s.least), fmt.Sprintf("%.0f%%", s.most)
	if least+"%" == most {
		return most
	}
	return least + to + most
}

func megabytes(n int64) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", float64(n)/1e6)
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
