package vectors

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-961d0905/ulid/interop/page"
)

//go:generate go test -run ^(TestFile|TestPage)$ . -write

const docs = "docs/vectors.md"

// TestPage runs the vectors on all implementations and compares the page with the outcome. It needs Node.js.
func TestPage(t *testing.T) {
	f := vectors(t)
	cases := testCases(f)
	results := append(goResults(t, cases), npmResults(t, cases)...)
	lines, err := explain(results)
	check(t, err)
	text := counts(f) + "\n" + table(results) + "\n" + strings.Join(lines, "")
	want, err := page.Fill(page.Text(t, docs), map[string]string{"the vectors on all implementations": text})
	check(t, err)
	page.Check(t, docs, want)
}

// TestGoPeers is TestPage without Node.js.
func TestGoPeers(t *testing.T) {
	f := vectors(t)
	results := goResults(t, testCases(f))
	lines, err := explain(results)
	if err != nil {
		t.Error(err)
	}
	for _, r := range results {
		lines = append(lines, "| "+strings.Join(r.row(), " | ")+" |\n")
	}
	for _, line := range append(lines, counts(f)) {
		page.Contains(t, docs, line)
	}
	if ours := results[0]; len(ours.failures) > 0 {
		t.Errorf("this library fails %v", ours.failures)
	}
}

// TestExample finds the case on the page in the file.
func TestExample(t *testing.T) {
	example := page.Code(t, docs, "a case")
	lines := strings.ReplaceAll(strings.TrimSpace(example), "\n", "\n    ")
	page.Contains(t, "testdata/vectors.json", "\n    "+lines+",\n")
}

func vectors(t *testing.T) File {
	t.Helper()
	f, err := generate()
	check(t, err)
	return f
}

// result is how a peer did.
type result struct {
	peer
	passed, total map[string]int // by section
	failures      []failure
}

type failure struct {
	testCase
	got answer
}

func (f failure) key() string { return f.section + "/" + f.name }

// goResults runs the cases on the implementations in Go.
func goResults(t *testing.T, cases []testCase) (results []result) {
	questions := questionsOf(cases)
	for _, p := range goPeers() {
		p.version = version(t, p)
		results = append(results, judge(p, cases, p.ask(questions)))
	}
	return results
}

// npmResults runs the cases on the packages of npm. Their texts are Unicode, so they are not given the others.
func npmResults(t *testing.T, cases []testCase) (results []result) {
	cases = slices.DeleteFunc(slices.Clone(cases), func(c testCase) bool { return c.raw })
	questions := questionsOf(cases)
	answers := askNPM(t, questions)
	for _, p := range npmPeers() {
		if got, want := len(answers[p.npm]), len(questions); got != want {
			t.Fatalf("%s: %d answers, want %d", p.npm, got, want)
		}
		p.version = version(t, p)
		results = append(results, judge(p, cases, answers[p.npm]))
	}
	return results
}

func questionsOf(cases []testCase) (all []question) {
	for _, c := range cases {
		all = append(all, c.questions...)
	}
	return all
}

// judge compares the answers with what the cases want. A case passes if every answer is right. What a peer has no
// function for is left out. UUID notation may be written in either case.
func judge(p peer, cases []testCase, answers []answer) result {
	r := result{peer: p, passed: map[string]int{}, total: map[string]int{}}
	for _, c := range cases {
		var answered bool
		var wrong *answer
		for i, want := range c.wants {
			a := answers[i]
			if a.None {
				continue
			}
			answered = true
			right := a.Value == want || c.questions[i].Op == "uuid" && strings.EqualFold(a.Value, want)
			right = right && (a.Error != "") == (want == "")
			if !right && wrong == nil {
				wrong = &a
			}
		}
		answers = answers[len(c.wants):]
		if !answered {
			continue
		}
		r.total[c.section]++
		if wrong == nil {
			r.passed[c.section]++
		} else {
			r.failures = append(r.failures, failure{c, *wrong})
		}
	}
	return r
}

// counts says how many cases the sections have.
func counts(f File) string {
	sum := 0
	var parts []string
	for _, section := range slices.Sorted(maps.Keys(f.Counts)) {
		sum += f.Counts[section]
		parts = append(parts, fmt.Sprintf("`%s` %d", section, f.Counts[section]))
	}
	return wrap(fmt.Sprintf("The file has %d cases: %s.", sum, strings.Join(parts, ", ")), "")
}

// wrap breaks a paragraph into lines of 120 characters, and begins each but the first with indent.
func wrap(paragraph, indent string) string {
	var lines []string
	line := ""
	for _, word := range strings.Split(paragraph, " ") {
		if utf8.RuneCountInString(line+word) > 119 {
			lines = append(lines, line)
			line = indent
		}
		if strings.TrimSpace(line) != "" {
			line += " "
		}
		line += word
	}
	return strings.Join(append(lines, line), "\n") + "\n"
}

func table(results []result) string {
	head := []string{""}
	for _, section := range sections {
		head = append(head, "`"+section+"`")
	}
	rows := [][]string{head}
	for _, r := range results {
		rows = append(rows, r.row())
	}
	return page.Table("lr", rows...)
}

// row is the line of the table.
func (r result) row() []string {
	row := []string{r.String()}
	for _, section := range sections {
		switch passed, total := r.passed[section], r.total[section]; {
		case total == 0:
			row = append(row, "–")
		case passed == total:
			row = append(row, fmt.Sprintf("all %d", total))
		default:
			row = append(row, fmt.Sprintf("%d of %d", passed, total))
		}
	}
	return row
}
