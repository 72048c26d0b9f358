package keycost

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

//go:generate go test -run ^TestPage$ . -write

// TestPage compares the tables of RESULTS.md, and the picture, with what was measured.
func TestPage(t *testing.T) {
	r := read(t)
	const tables = "lab/keycost/RESULTS.md"
	text, err := page.Fill(page.Text(t, tables), map[string]string{"run": r.markdown()})
	db.Check(t, err)
	page.Check(t, tables, text)
	page.Check(t, "docs/keycost.md", r.retitle(page.Text(t, "docs/keycost.md")))
	page.Check(t, "docs/keycost.svg", r.picture(t, page.Text(t, "docs/keycost.svg")))
}

// TestFirstTable compares the half of the first table whose runs are recorded.
func TestFirstTable(t *testing.T) {
	r := read(t)
	for _, database := range r.databases() {
		form := asBinary
		if database == "PostgreSQL" {
			form = asUUID
		}
		results := r.of(database)
		slow := results.kind(random).last()
		one, other := results.kind(form).last(), results.kind(uuidV7).last()
		least, most := min(one, other), max(one, other)
		page.Contains(t, "docs/keycost.md", fmt.Sprintf("\n| %s | %s | %s–%s | %s |", database, thousands(int(slow)),
			thousands(int(least)), thousands(int(most)), times(least/slow, most/slow)))
	}
}

// times returns a range of ratios, or one if both are the same on the page.
func times(least, most float64) string {
	first, last := fmt.Sprintf("%.2g", least), fmt.Sprintf("%.2g", most)
	if first == last {
		return first
	}
	return first + "–" + last
}

// TestIntroduction compares all percentages before the first heading with the results.
func TestIntroduction(t *testing.T) {
	r := read(t)
	// AsUUID is longer than the text, so what makes it faster is noise.
	sqlite := r.of("SQLite")
	noise := 100*sqlite.kind(asUUID).last()/sqlite.kind(asText).last() - 100
	want := []string{
		r.of("PostgreSQL").span(is(random)).text("% to "),
		append(r.of("MariaDB"), sqlite...).span(is(random)).text("% to "),
		r.span(ordered).text("% to "),
		fmt.Sprintf("%.0f%%", noise),
	}
	_, introduction, _ := strings.Cut(page.Text(t, "docs/keycost.md"), "](keycost.svg)")
	introduction, _, _ = strings.Cut(introduction, "\n## ")
	got := regexp.MustCompile(`\d+%(\s+to\s+\d+%)?`).FindAllString(introduction, -1)
	for i, figure := range got {
		got[i] = strings.Join(strings.Fields(figure), " ") // it may be broken into lines
	}
	for _, figure := range want {
		if !slices.Contains(got, figure) {
			t.Errorf("the introduction of docs/keycost.md lacks %s; it has %q", figure, got)
		}
	}
	for _, figure := range got {
		if !slices.Contains(want, figure) {
			t.Errorf("the introduction of docs/keycost.md has %s, but the results are %q", figure, want)
		}
	}
}
