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

// TestREADME compares the figures of the README's table with the results that are recorded in
// docs/speed.txt, lab/order/RESULTS.md and docs/vectors.md. The other cells are facts of the month
// below the table.
func TestREADME(t *testing.T) {
	readme := page.Text(t, "README.md")
	cells := cellsOf(readme)
	r := read(page.Text(t, "docs/speed.txt"))
	compare := func(row string, want []string) {
		if got := cells[row]; !slices.Equal(got, want) {
			t.Errorf("%q of the README's table has %q, want %q", row, got, want)
		}
	}

	compare("making an ID, on an "+r.config["cpu"], []string{
		r.making(t, "ulid"), r.making(t, "oklog"), r.making(t, "google-v7"), r.making(t, "std-v7"),
	})
	compare("IDs increase across goroutines", orders(t, "across goroutines"))
	compare("… even when the clock is set back", orders(t, "when the clock steps back"))
	compare("malformed ULIDs refused", refusals(t))

	head := cells[""]
	if len(head) != 4 {
		t.Fatalf("the head of the README's table has %q, want four libraries", head)
	}
	for _, peer := range head[1:3] {
		version := versionIn(t, peer)
		if !strings.Contains(r.with(), version) {
			t.Errorf("the head of the README's table has %s, but docs/speed.txt %s", version, r.with())
		}
		page.Contains(t, "lab/order/RESULTS.md", version)
	}
	measured, err := time.Parse(time.DateOnly, r.config["date"])
	if err != nil {
		t.Fatal(err)
	}
	if month := measured.Format("January 2006"); !strings.Contains(readme, month) {
		t.Errorf("the README does not say that its table is of %s", month)
	}
}

var link = regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`)

// cellsOf returns the rows of all tables of a text, without their links, under their first cells.
func cellsOf(text string) map[string][]string {
	rows := map[string][]string{}
	for line := range strings.Lines(link.ReplaceAllString(text, "$1")) {
		line = strings.Replace(line, "| |", "|  |", 1)
		if row, ok := strings.CutPrefix(line, "| "); ok {
			cells := strings.Split(strings.TrimSuffix(row, " |\n"), " | ")
			rows[cells[0]] = cells[1:]
		}
	}
	return rows
}

// versionIn returns what a head such as "google/uuid 1.6.0, `NewV7`" names, as "google/uuid v1.6.0".
func versionIn(t *testing.T, head string) string {
	name, version, ok := strings.Cut(head, " ")
	if !ok {
		t.Fatalf("the head of the README's table has %q, without a version", head)
	}
	version, _, _ = strings.Cut(version, ",")
	return name + " v" + version
}

// making returns the time of making an ID, and its allocations.
func (r *results) making(t *testing.T, lib string) string {
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
	return fmt.Sprintf("%s ns, %s", twoDigits(r.perOp("Make", lib)), words.Replace(allocations[0]))
}

// orders says in which libraries a test of lab/order has seen the order kept.
func orders(t *testing.T, test string) []string {
	rows := cellsOf(page.Text(t, "lab/order/RESULTS.md"))
	column := slices.Index(rows[""], test)
	var answers []string
	for _, lib := range []string{"`ulid.Make`", "oklog/ulid `Make`", "google/uuid `NewV7`", "Go 1.27 `uuid.NewV7`"} {
		if column < 0 || len(rows[lib]) <= column {
			t.Fatalf("lab/order/RESULTS.md does not say of %s whether order is kept %s", lib, test)
		}
		answer := "no"
		if rows[lib][column] == "kept" {
			answer = "yes"
		}
		answers = append(answers, answer)
	}
	return answers
}

// refusals says how many invalid texts of the vectors are refused, as the second column says.
func refusals(t *testing.T) []string {
	text := page.Text(t, "docs/vectors.md")
	page.Contains(t, "docs/vectors.md", "\n|  | `valid` | `invalid` |")
	refused := func(row string) string {
		m := regexp.MustCompile(`(?m)^\| ` + row).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("docs/vectors.md has no row like %s", row)
		}
		return m[1]
	}
	ours := refused(`ulid \| [^|]+ \| all (\d+) `)
	lenient := refused("oklog/ulid .*, `Parse` \\| [^|]+ \\| (\\d+) of ")
	strict := refused("oklog/ulid .*, `ParseStrict` \\| [^|]+ \\| all (\\d+) ")
	return []string{
		ours + " of " + ours,
		lenient + " by `Parse`, " + strict + " by `ParseStrict`",
		"–", "–",
	}
}
