package keycost

import (
	_ "embed"
	"encoding/json"
	"fmt"
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
	"github.com/seed-961d0905/ulid/lab/card"
)

//go:generate go test -run ^TestPage$ . -write

// TestPage compares the tables of docs/keycost.md, and the picture, with what was measured.
func TestPage(t *testing.T) {
	r := read(t)
	text, err := page.Fill(page.Text(t, "docs/keycost.md"), map[string]string{"run": r.markdown()})
	db.Check(t, err)
	page.Check(t, "docs/keycost.md", text)
	svg, err := r.picture()
	db.Check(t, err)
	page.Check(t, "docs/keycost.svg", svg)
}

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
func (r result) last() float64 { return harmonic(r.Rates[windows*4/5:]) }

// harmonic returns the rate of windows of the same size together.
func harmonic(rates []float64) float64 {
	var time float64
	for _, rate := range rates {
		time += 1 / rate
	}
	return float64(len(rates)) / time
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
	is := func(r result) bool { return r.database() == results[0].database() }
	at := max(0, slices.IndexFunc(all, is))
	all = slices.Insert(slices.DeleteFunc(all, is), at, results...)
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
		ran = append(ran, []string{first.Database, "`" + first.Options + "`", first.Date, first.Machine, thousands(first.Rows)})
		rows := [][]string{{database, "column", "rows/s, last fifth", "table, MB", "index of the key, MB", "index of the child, MB",
			"log, MB", "pages written, MB", "10,000 look-ups", "1% by time"}}
		for _, k := range results {
			span := fmt.Sprintf("%.1f ms", k.Range.Seconds()*1e3)
			if k.Scan {
				span += " (scan)"
			}
			rows = append(rows, []string{k.Kind, "`" + k.Column + "`", thousands(int(k.last())), megabytes(k.Table), megabytes(k.Key),
				megabytes(k.Entry), megabytes(k.Log), megabytes(k.Pages), fmt.Sprintf("%.2f s", k.Lookups.Seconds()), span})
		}
		tables.WriteString("\n" + page.Table("llr", rows...))
	}
	return page.Table("llllr", ran...) + tables.String()
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

//go:embed picture.svg
var pictureText string

// kinds are in the order of the legend. The first has the class k0, and so on.
var kinds = []string{bigint, random, asUUID, uuidV7, asBinary, asText}

// The measures of the picture, in pixels.
const (
	width, height = 196, 180 // of a diagram
	top, bottom   = 84, top + height
	left, step    = 68, 248 // the first diagram, and the distance to the next
)

type diagram struct {
	X           int
	Title       string
	Rates, Rows []tick
	Lines       []line
}

type tick struct {
	At   int
	Text string
}

type line struct{ Class, Points string }

type entry struct {
	X, Y        int
	Class, Name string
}

// picture draws the rate of each kind as its tables grow, one database beside the other.
func (r report) picture() (string, error) {
	var panels []diagram
	for i, database := range r.databases() {
		d := r.of(database).diagram()
		d.X = left + i*step
		panels = append(panels, d)
	}
	var legend []entry
	for i, kind := range kinds {
		x, y := 24+i%3*step, bottom+52+i/3*22
		legend = append(legend, entry{x, y, class(kind), strings.ReplaceAll(kind, "`", "")})
	}
	return card.Card{
		Width: 24 + 3*step + 32, Height: bottom + 126,
		Title:    "Rows per second",
		Subtitle: "as the table grows, higher is better",
		Note:     fmt.Sprintf("%s, %s, %s rows in each table", r[0].Machine, r[0].Date, thousands(r[0].Rows)),
		Body:     map[string]any{"Panels": panels, "Legend": legend, "Width": width, "Bottom": bottom},
	}.Draw(pictureText)
}

func class(kind string) string { return fmt.Sprintf("k%d", slices.Index(kinds, kind)) }

// diagram draws the lines of one database.
func (r report) diagram() diagram {
	d := diagram{Title: r[0].database()}
	most := 0.0
	for _, k := range r {
		most = max(most, slices.Max(k.Rates))
	}
	for i := range 3 {
		d.Rows = append(d.Rows, tick{i * width / 2, short(i * r[0].Rows / 2)})
	}
	y := func(rate float64) int { return bottom - int(height*rate/most+0.5) }
	for rate := 0; rate <= int(most); rate += interval(most) {
		d.Rates = append(d.Rates, tick{y(float64(rate)), short(rate)})
	}
	for _, k := range r {
		var points []string
		for i, rate := range k.Rates {
			points = append(points, fmt.Sprintf("%d,%d", (i+1)*width/len(k.Rates), y(rate)))
		}
		d.Lines = append(d.Lines, line{class(k.Kind), strings.Join(points, " ")})
	}
	return d
}

// interval returns a round number of which the most has two to five.
func interval(most float64) int {
	for unit := 1; ; unit *= 10 {
		for _, n := range []int{unit, 2 * unit, 5 * unit} {
			if most/float64(n) <= 5 {
				return n
			}
		}
	}
}

// short writes thousands and millions as k and M.
func short(n int) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%g M", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%g k", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}
