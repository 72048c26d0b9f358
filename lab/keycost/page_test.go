package keycost

import (
	_ "embed"
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
	postgres, others := r.of("PostgreSQL"), append(r.of("MariaDB"), r.of("SQLite")...)
	var rows []string // the first cells of each
	for _, database := range r.databases() {
		form := asBinary
		if database == "PostgreSQL" {
			form = asUUID
		}
		slow, fast := r.of(database).kind(random).last(), []float64{r.of(database).kind(form).last(), r.of(database).kind(uuidV7).last()}
		slices.Sort(fast)
		times := strings.TrimPrefix(fmt.Sprintf("%.2g–%.2g", fast[0]/slow, fast[1]/slow), fmt.Sprintf("%.2g–", fast[1]/slow))
		rows = append(rows, fmt.Sprintf("| %s | %s | %s–%s | %s |", database, thousands(int(slow)), thousands(int(fast[0])), thousands(int(fast[1])), times))
	}
	noise := 100*r.of("SQLite").kind(asUUID).last()/r.of("SQLite").kind(asText).last() - 100
	for _, words := range append(rows,
		"!["+r.finding()+"](keycost.svg)",
		"at "+postgres.span("% to ", ordered)+" of the rate of a bigint in PostgreSQL, and at "+others.span("% to ", ordered)+" in MariaDB and SQLite.",
		"Random UUIDs reached "+postgres.span("", is(random))+" in PostgreSQL, and "+others.span("% to ", is(random))+" in the others.",
		"In PostgreSQL text ended at "+postgres.span("", is(asText))+", but `uuid` at "+postgres.span("% to ", is(asUUID, uuidV7))+".",
		fmt.Sprintf("AsUUID` %.0f%% faster than the shorter 26 characters, so read differences of rates below %.0[1]f%% as noise.", noise),
	) {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), words) {
			t.Errorf("docs/keycost.md lacks\n%s", words)
		}
	}
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
func (r result) last() float64 { return harmonic(r.Rates[windows-fifth:]) }

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

// The measures of the picture, in pixels. It is as wide as a column of text, so that nothing shrinks.
const (
	width, height = 152, 170 // of a diagram
	top, bottom   = 100, top + height
	left, step    = 88, 186 // the first diagram, and the distance to the next
	highest       = 125     // percent
)

type diagram struct {
	X            int
	Title        string
	Rows         []tick
	Band, Random string // points

	UnderBand, OverRandom int // their labels
}

type tick struct {
	At   int
	Text string
}

// picture draws the rate of random keys, and the range of the rates of ordered ones, in percent of the rate of a bigint.
func (r report) picture() (string, error) {
	var panels []diagram
	for i, database := range r.databases() {
		d := r.of(database).diagram()
		d.X = left + i*step
		panels = append(panels, d)
	}
	var rates []tick
	for percent := 0; percent <= highest; percent += 25 {
		rates = append(rates, tick{y(float64(percent)), fmt.Sprintf("%d%%", percent)})
	}
	return card.Card{
		Width: 640, Height: bottom + 88,
		Title:    r.finding(),
		Subtitle: "Rows per second, in percent of the rate with a bigint from the database",
		Note:     fmt.Sprintf("%s, %s. Each point averages the fifth of the rows around it", r[0].Machine, r[0].Date),
		Body: map[string]any{"Panels": panels, "Rates": rates, "Left": left, "Width": width, "Middle": width / 2,
			"Bottom": bottom, "Whole": y(100)},
	}.Draw(pictureText)
}

// finding is the title of the picture, and what the page says of it to those who do not see it.
func (r report) finding() string {
	return fmt.Sprintf("Inserts end at %s with random UUIDs, %s with ULIDs",
		r.span("–", is(random)), r.span("–", ordered))
}

// span returns the least and the greatest last rate of some kinds, in percent of that of a bigint in the same database.
func (r report) span(to string, kinds func(string) bool) string {
	least, most := math.Inf(1), 0.0
	for _, k := range r {
		if kinds(k.Kind) {
			share := r.of(k.database()).share(k.Kind, windows)
			least, most = min(least, share), max(most, share)
		}
	}
	return strings.TrimPrefix(fmt.Sprintf("%.0f%s%.0f%%", least, to, most), fmt.Sprintf("%.0f%s", most, to))
}

func is(kinds ...string) func(string) bool {
	return func(kind string) bool { return slices.Contains(kinds, kind) }
}

// ordered reports whether IDs of the kind increase, and are ULIDs or UUIDv7s.
func ordered(kind string) bool { return kind != bigint && kind != random }

// kind returns the result of a kind of key.
func (r report) kind(kind string) result {
	return r[slices.IndexFunc(r, func(k result) bool { return k.Kind == kind })]
}

func y(percent float64) int { return bottom - int(height*percent/highest+0.5) }

// diagram draws the lines of one database.
func (r report) diagram() diagram {
	d := diagram{Title: r[0].database()}
	for i := range 3 {
		d.Rows = append(d.Rows, tick{i * width / 2, short(i * r[0].Rows / 2)})
	}
	least, most := r.band()
	var up, down, line []string
	for i := range least {
		x := (2*i + fifth) * width / (2 * windows)
		up = append(up, fmt.Sprintf("%d,%d", x, y(most[i])))
		down = append(down, fmt.Sprintf("%d,%d", x, y(least[i])))
		line = append(line, fmt.Sprintf("%d,%d", x, y(r.share(random, fifth+i))))
	}
	d.UnderBand = y(slices.Min(least[fifth:3*fifth])) + 17
	d.OverRandom = y(r.share(random, windows/2)) - 9
	slices.Reverse(down)
	d.Band, d.Random = strings.Join(append(up, down...), " "), strings.Join(line, " ")
	return d
}

// band returns the least and the greatest share of all ordered kinds at the end of each window from the fifth of the rows on.
func (r report) band() (least, most []float64) {
	for end := fifth; end <= windows; end++ {
		lo, hi := math.Inf(1), 0.0
		for _, k := range r {
			if ordered(k.Kind) {
				share := r.share(k.Kind, end)
				lo, hi = min(lo, share), max(hi, share)
			}
		}
		least, most = append(least, lo), append(most, hi)
	}
	return least, most
}

// share returns the rate of a kind in percent of that of the bigint, in the fifth of the rows that ends with so many windows. In
// a single window it would show most of all what else the machine did.
func (r report) share(kind string, end int) float64 {
	rate := func(kind string) float64 { return harmonic(r.kind(kind).Rates[end-fifth : end]) }
	return 100 * rate(kind) / rate(bigint)
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
