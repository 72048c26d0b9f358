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

// npmResults runs the cases on the packages of npm. Their texts are Unicode, so they are not given
// the others.
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

// judge compares the answers with what the cases want. A case passes if every answer is right. What a
// peer has no function for is left out.
func judge(p peer, cases []testCase, answers []answer) result {
	r := result{peer: p, passed: map[string]int{}, total: map[string]int{}}
	for _, c := range cases {
		own := answers[:len(c.wants)]
		answers = answers[len(c.wants):]
		if !slices.ContainsFunc(own, func(a answer) bool { return !a.None }) {
			continue
		}
		r.total[c.section]++
		wrong := c.firstWrong(own)
		if wrong < 0 {
			r.passed[c.section]++
		} else {
			r.failures = append(r.failures, failure{c, own[wrong]})
		}
	}
	return r
}

// firstWrong returns the index of the first wrong answer, or -1.
func (t testCase) firstWrong(answers []answer) int {
	for i, a := range answers {
		if !a.None && !t.right(i, a) {
			return i
		}
	}
	return -1
}

// right reports whether an answer is as wanted. UUID notation may be written in either case.
func (t testCase) right(i int, a answer) bool {
	want := t.wants[i]
	if want == "" {
		return a.Value == "" && a.Error != ""
	}
	if a.Error != "" {
		return false
	}
	return a.Value == want || t.questions[i].Op == "uuid" && strings.EqualFold(a.Value, want)
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
	for _, section := range columns {
		head = append(head, "`"+section+"`")
	}
	rows := [][]string{head}
	functions := []string{""} // of the rows
	for _, r := range results {
		cells := r.cells()
		at := 1
		for at < len(rows) && !(functions[at] == r.function && slices.Equal(rows[at][1:], cells)) {
			at++
		}
		if at < len(rows) {
			peers, function, _ := strings.Cut(rows[at][0], ", `")
			rows[at][0] = peers + ", " + r.name + " " + r.version + ", `" + function
			continue
		}
		rows = append(rows, append([]string{r.String()}, cells...))
		functions = append(functions, r.function)
	}
	return page.Table("lr", rows...)
}

// cells are the columns of the table.
func (r result) cells() []string {
	var cells []string
	for _, section := range columns {
		passed, total := r.passed[section], r.total[section]
		switch {
		case total == 0:
			cells = append(cells, "–")
		case passed == total:
			cells = append(cells, fmt.Sprintf("all %d", total))
		default:
			cells = append(cells, fmt.Sprintf("%d of %d", passed, total))
		}
	}
	return cells
}

// TestJudge runs the vectors on peers that are wrong in a known way: they change their answers to the
// questions of an operation.
func TestJudge(t *testing.T) {
	cases := testCases(readVectors(t))
	questions := questionsOf(cases)
	right := ours().ask(questions)
	same := func(a answer) answer { return a }
	none := func(answer) answer { return answer{None: true} }
	fails := func(answer) answer { return answer{Error: "no"} }
	takes := func(a answer) answer { return answer{Value: a.Value} }
	lower := func(a answer) answer { return answer{Value: strings.ToLower(a.Value)} }
	upper := func(a answer) answer { return answer{Value: strings.ToUpper(a.Value), Error: a.Error} }
	less := func(answer) answer { return answer{Value: "-1"} }
	neverFails := func(a answer) answer {
		return answer{Value: strings.ReplaceAll(a.Value, "error", "00000000000000000000000000")}
	}
	for _, c := range []struct {
		op      string
		change  func(answer) answer
		section string
		want    string // passed of total
	}{
		{op: "decode", change: same, section: "valid", want: "all"},
		{op: "decode", change: same, section: "invalid_uuid", want: "all"},
		{op: "lenient", change: none, section: "lenient", want: "–"},
		{op: "ms", change: none, section: "valid", want: "all"}, // one of several questions
		{op: "decode", change: fails, section: "valid", want: "0 of"},
		{op: "decode", change: fails, section: "invalid", want: "all"},
		{op: "decode", change: takes, section: "invalid", want: "0 of"},
		{op: "encode", change: lower, section: "valid", want: " of"},
		{op: "uuid", change: upper, section: "uuid", want: "all"},
		{op: "monotonic", change: neverFails, section: "monotonic", want: "33 of"},
		{op: "compare", change: less, section: "order", want: " of"},
	} {
		answers := slices.Clone(right)
		for i, q := range questions {
			if q.Op == c.op {
				answers[i] = c.change(answers[i])
			}
		}
		r := judge(peer{}, cases, answers)
		cell := r.cells()[slices.Index(columns, c.section)]
		if !strings.Contains(cell, c.want) {
			t.Errorf("%s of another peer, %s: %s, want %s", c.op, c.section, cell, c.want)
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
