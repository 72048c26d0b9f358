package speed

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid/interop/page"
)

// These words find the table of the README that compares libraries, and its cells. The head of a column begins with the
// word of a library, and the first cell of a row holds the words of its subject, in whatever case. Every column and row
// here must be in the table once. It may have others, which are facts of the month below it.
var (
	readmeColumns = []string{"ulid", "oklog/ulid", "google/uuid", "Go 1.27"}

	readmeRows = map[string]string{
		"order":      "across goroutines",
		"clock":      "set back",
		"malformed":  "malformed",
		"generate":   "generate an ID",
		"timestamps": "timestamps",
	}
)

// TestREADME compares the figures of the table with the results that are recorded in docs/speed.txt,
// lab/order/RESULTS.md and docs/vectors.md.
func TestREADME(t *testing.T) {
	for _, problem := range proofsOf(t).problems(page.Text(t, "README.md")) {
		t.Errorf("README.md %s", problem)
	}
}

// TestREADMEIsCompared has tables with a mistake each.
func TestREADMEIsCompared(t *testing.T) {
	p := proofsOf(t)
	good := p.example()
	if problems := p.problems(good); problems != nil {
		t.Fatalf("an example without a mistake has the problems %q:\n%s", problems, good)
	}
	for _, test := range []struct{ old, new string }{
		{p.cells["generate"][0][0], "1 ns"},
		{p.cells["generate"][2][1], "2 allocations"},
		{p.cells["malformed"][1][0] + " ", "70 "},
		{p.cells["timestamps"][3][0], "9.9 s"},
		{"| order across goroutines | yes | no", "| order across goroutines | yes | yes"},
		{"| order across goroutines", "| order"},
		{"| order across goroutines", "| malformed order across goroutines"},
		{"| Go 1.27", "| Go"},
		{p.processor, "Z80"},
		{p.month, "May 1955"},
		{p.versions[1], "google/uuid 0.9"},
	} {
		bad := strings.Replace(good, test.old, test.new, 1)
		if bad == good {
			t.Errorf("the example has no %q", test.old)
		}
		if p.problems(bad) == nil {
			t.Errorf("%q in place of %q is no problem", test.new, test.old)
		}
	}
}

// proofs are the words that each cell must hold, by row and column, and those of the page.
type proofs struct {
	cells     map[string][][]string
	processor string
	month     string
	versions  []string
}

func proofsOf(t *testing.T) proofs {
	r := read(page.Text(t, "docs/speed.txt"))
	p := proofs{processor: r.config["cpu"]}
	measured, err := time.Parse(time.DateOnly, r.config["date"])
	if err != nil {
		t.Fatal(err)
	}
	p.month = measured.Format("January 2006")
	for _, peer := range []string{"oklog/ulid", "google/uuid"} {
		m := regexp.MustCompile(peer + ` v([\d.]+)`).FindStringSubmatch(r.with())
		if m == nil {
			t.Fatalf("docs/speed.txt has no version of %s", peer)
		}
		page.Contains(t, "lab/order/RESULTS.md", m[0])
		p.versions = append(p.versions, peer+" "+m[1])
	}

	p.cells = map[string][][]string{
		"order":     orders(t, "across goroutines"),
		"clock":     orders(t, "when the clock steps back"),
		"malformed": refusals(t),
	}
	for _, lib := range []string{"ulid", "oklog", "google-v7", "std-v7"} {
		p.cells["generate"] = append(p.cells["generate"], r.making(t, lib))
		p.cells["timestamps"] = append(p.cells["timestamps"], r.ahead(lib))
	}
	return p
}

// example returns what a README needs at least.
func (p proofs) example() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| | %s |\n|---|---|---|---|---|\n", strings.Join(readmeColumns, " | "))
	for row, words := range readmeRows {
		fmt.Fprintf(&b, "| %s %s", row, words)
		for _, cell := range p.cells[row] {
			fmt.Fprintf(&b, " | %s", strings.Join(cell, " by "))
		}
		b.WriteString(" |\n")
	}
	fmt.Fprintf(&b, "\n%s, %s, %s\n", p.processor, p.month, strings.Join(p.versions, ", "))
	return b.String()
}

// problems says what is missing or wrong in a README.
func (p proofs) problems(readme string) (list []string) {
	problem := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for _, words := range append([]string{p.processor, p.month}, p.versions...) {
		if !strings.Contains(readme, words) {
			problem("does not say %q", words)
		}
	}
	table := comparison(readme)
	if table == nil {
		problem("has no table with the columns %q", readmeColumns)
		return list
	}
	for row, words := range readmeRows {
		var found [][]string
		for _, cells := range table[1:] {
			if strings.Contains(strings.ToLower(cells[0]), strings.ToLower(words)) {
				found = append(found, cells)
			}
		}
		if len(found) != 1 {
			problem("has %d rows with %q in their first cell, want 1", len(found), words)
			continue
		}
		for i, column := range readmeColumns {
			cell := found[0][slices.IndexFunc(table[0], begins(column))]
			for _, want := range p.cells[row][i] {
				if !regexp.MustCompile(`(^|[^\w.])` + regexp.QuoteMeta(want) + `($|[^\w.]|\.$)`).MatchString(cell) {
					problem("has %q under %s in the row with %q, want %q", cell, column, words, want)
				}
			}
		}
	}
	return list
}

func begins(word string) func(string) bool {
	return func(cell string) bool { return strings.HasPrefix(cell, word) }
}

var link = regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`)

// comparison returns the cells of the table that has all columns, without their links, or nil.
func comparison(text string) (table [][]string) {
	for line := range strings.Lines(link.ReplaceAllString(text, "$1") + "\n") {
		row, ok := strings.CutPrefix(strings.TrimSpace(line), "|")
		if ok {
			var cells []string
			for cell := range strings.SplitSeq(strings.TrimSuffix(row, "|"), "|") {
				cells = append(cells, strings.TrimSpace(cell))
			}
			table = append(table, cells)
			continue
		}
		if table != nil && !slices.ContainsFunc(readmeColumns, func(column string) bool {
			return !slices.ContainsFunc(table[0], begins(column))
		}) {
			return table
		}
		table = nil
	}
	return nil
}

// making returns the time of making an ID, and its allocations.
func (r *results) making(t *testing.T, lib string) []string {
	line := regexp.MustCompile(`(?m)^BenchmarkMake/lib=` + lib + `-\d+\s.*\s(\d+ allocs)/op$`)
	var allocations []string
	for _, m := range line.FindAllStringSubmatch(page.Text(t, "docs/speed.txt"), -1) {
		allocations = append(allocations, m[1])
	}
	allocations = slices.Compact(allocations)
	if len(allocations) != 1 {
		t.Fatalf("docs/speed.txt has %q for %s, want one number of allocations", allocations, lib)
	}
	words := strings.NewReplacer("1 allocs", "1 allocation", "allocs", "allocations")
	return []string{twoDigits(r.perOp("Make", lib)) + " ns", words.Replace(allocations[0])}
}

// ahead says how far timestamps ran ahead at most in a second, or that they are right.
func (r *results) ahead(lib string) []string {
	most := 0.0
	for _, procs := range []string{"1", r.cores()} {
		most = max(most, r.figure(key{operation: "Lead", lib: lib, procs: procs, unit: "lead-ms"}))
	}
	if most == 0 {
		return []string{"right"}
	}
	return []string{seconds(most)}
}

// orders says in which libraries a test of lab/order has seen the order kept.
func orders(t *testing.T, test string) (answers [][]string) {
	rows := cellsOf(page.Text(t, "lab/order/RESULTS.md"))
	column := slices.Index(rows[""], test)
	for _, lib := range []string{"`ulid.Make`", "oklog/ulid `Make`", "google/uuid `NewV7`", "Go 1.27 `uuid.NewV7`"} {
		if column < 0 || len(rows[lib]) <= column {
			t.Fatalf("lab/order/RESULTS.md does not say of %s whether order is kept %s", lib, test)
		}
		answer := "no"
		if rows[lib][column] == "kept" {
			answer = "yes"
		}
		answers = append(answers, []string{answer})
	}
	return answers
}

// cellsOf returns the rows of all tables of a text under their first cells.
func cellsOf(text string) map[string][]string {
	rows := map[string][]string{}
	for line := range strings.Lines(text) {
		if row, ok := strings.CutPrefix(line, "| "); ok {
			cells := strings.Split(strings.TrimSuffix(row, " |\n"), " | ")
			rows[strings.TrimSpace(cells[0])] = cells[1:]
		}
	}
	return rows
}

// refusals says how many invalid texts of the vectors are refused, as the second column says.
func refusals(t *testing.T) [][]string {
	text := page.Text(t, "docs/vectors.md")
	page.Contains(t, "docs/vectors.md", "\n|  | `valid` | `invalid` |")
	refused := func(row string) string {
		m := regexp.MustCompile(`(?m)^\| ` + row).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("docs/vectors.md has no row like %s", row)
		}
		return m[1]
	}
	return [][]string{
		{refused(`ulid \| [^|]+ \| all (\d+) `)},
		{
			refused("oklog/ulid .*, `Parse` \\| [^|]+ \\| (\\d+) of "),
			refused("oklog/ulid .*, `ParseStrict` \\| [^|]+ \\| all (\\d+) "),
		},
		{"–"},
		{"–"},
	}
}
