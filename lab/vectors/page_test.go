package vectors

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

//go:generate go test -run ^TestPage$ . -write

// TestPage runs the vectors on all implementations and compares the page with the outcome.
func TestPage(t *testing.T) {
	cases := testCases(readVectors(t))
	results := append(goResults(t, cases), npmResults(t, cases)...)
	lines, err := explain(results)
	db.Check(t, err)
	want, err := page.Fill(page.Text(t, "docs/vectors.md"), map[string]string{
		"the vectors on all implementations": table(results) + "\n" + strings.Join(lines, ""),
	})
	db.Check(t, err)
	page.Check(t, "docs/vectors.md", want)
}

func readVectors(t *testing.T) (f File) {
	db.Check(t, json.Unmarshal([]byte(page.Text(t, "testdata/vectors.json")), &f))
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

// table has a line for several peers if they read by the same function and pass as many cases.
func table(results []result) string {
	head := []string{""}
	for _, section := range sections {
		head = append(head, "`"+section+"`")
	}
	rows := [][]string{head}
	functions := []string{""}
	for _, r := range results {
		row := r.row()
		same := func(i int) bool { return functions[i] == r.function && slices.Equal(rows[i][1:], row[1:]) }
		at := 1
		for at < len(rows) && !same(at) {
			at++
		}
		if at < len(rows) {
			rows[at][0] = strings.Replace(rows[at][0], ", `", ", "+r.name+" "+r.version+", `", 1)
			continue
		}
		rows, functions = append(rows, row), append(functions, r.function)
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

// TestJudge runs the vectors on peers that are wrong in a known way.
func TestJudge(t *testing.T) {
	cases := testCases(readVectors(t))
	questions := questionsOf(cases)
	right := ours().ask(questions)
	change := func(op string, change func(answer) answer) []answer {
		changed := slices.Clone(right)
		for i, q := range questions {
			if q.Op == op {
				changed[i] = change(changed[i])
			}
		}
		return changed
	}
	none := func(answer) answer { return answer{None: true} }
	fails := func(answer) answer { return answer{Error: "no"} }
	takes := func(a answer) answer { a.Error = ""; return a }
	for _, c := range []struct {
		name    string
		answers []answer
		section string
		want    string // passed of total
	}{
		{"right", right, "valid", "all"},
		{"right", right, "invalid_uuid", "all"},
		{"no function", change("lenient", none), "lenient", "–"},
		{"no function for one of several questions", change("ms", none), "valid", "all"},
		{"an error for every text", change("decode", fails), "valid", "0 of"},
		{"an error for every text", change("decode", fails), "invalid", "all"},
		{"no error for any text", change("decode", takes), "invalid", "0 of"},
		{"lower case", change("encode", func(a answer) answer { a.Value = strings.ToLower(a.Value); return a }), "valid", " of"},
		{"UUIDs in upper case", change("uuid", func(a answer) answer { a.Value = strings.ToUpper(a.Value); return a }), "uuid", "all"},
		{"IDs that do not fail", change("monotonic", func(a answer) answer {
			a.Value = strings.ReplaceAll(a.Value, "error", "00000000000000000000000000")
			return a
		}), "monotonic", "33 of"},
		{"the wrong order", change("compare", func(a answer) answer { a.Value = "-1"; return a }), "order", " of"},
	} {
		r := judge(peer{name: c.name}, cases, c.answers)
		if cell := r.row()[1+slices.Index(sections, c.section)]; !strings.Contains(cell, c.want) {
			t.Errorf("%s, %s: %s, want %s", c.name, c.section, cell, c.want)
		}
	}
}

// TestExplain has a failure that nothing explains.
func TestExplain(t *testing.T) {
	unknown := failure{testCase{section: "valid", name: "spec-example"}, answer{Error: "no"}}
	results := []result{{peer: peer{name: "oklog/ulid", module: "m", function: "Parse"}, failures: []failure{unknown}}}
	const want = "gets valid/spec-example wrong, and explain_test.go says nothing"
	if _, err := explain(results); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("explain = %v, want %s", err, want)
	}
}
