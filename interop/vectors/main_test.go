package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/vectors/vectors"
	"github.com/seed-961d0905/ulid/interop/internal/node"
)

const root = "../.."

func read(t *testing.T) (vectors.File, string) {
	t.Helper()
	f, err := vectors.Read(root + "/testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(root + "/docs/vectors.md")
	if err != nil {
		t.Fatal(err)
	}
	return f, string(page)
}

// TestPage shows that the page says what the vectors show today, of all peers.
func TestPage(t *testing.T) {
	node.Require(t)
	if err := run(root, "npm", true); err != nil {
		t.Error(err)
	}
}

// TestExample shows that the case on the page is one of the file.
func TestExample(t *testing.T) {
	_, page := read(t)
	_, rest, _ := strings.Cut(page, "```json\n")
	example, _, ok := strings.Cut(rest, "\n```")
	if !ok {
		t.Fatal("the page has no example")
	}
	file, err := os.ReadFile(root + "/testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(file), "\n    "+strings.ReplaceAll(example, "\n", "\n    ")+",\n") {
		t.Errorf("testdata/vectors.json has no case\n%s", example)
	}
}

// TestGoPeers is TestPage without Node.js.
func TestGoPeers(t *testing.T) {
	f, page := read(t)
	results, err := runAll(f, "npm", false)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := explain(results)
	if err != nil {
		t.Error(err)
	}
	for _, r := range results {
		lines = append(lines, r.row())
	}
	for _, line := range append(lines, counts(f)) {
		if !strings.Contains(page, line) {
			t.Errorf("docs/vectors.md does not say what the vectors show; run  go run -C interop ./conformance\n%s", line)
		}
	}
	if ours := results[0]; len(ours.failures) > 0 {
		t.Errorf("this library fails %v", ours.failures)
	}
}

// TestJudge runs the vectors on peers that are wrong in a known way.
func TestJudge(t *testing.T) {
	f, _ := read(t)
	cases := testCases(f)
	var questions []question
	for _, c := range cases {
		questions = append(questions, c.questions...)
	}
	ours := goPeers()[0].ask(questions)
	change := func(op string, change func(answer) answer) []answer {
		changed := slices.Clone(ours)
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
		{"right", ours, "valid", "all"},
		{"right", ours, "invalid_uuid", "all"},
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
		cells := strings.Split(r.row(), " | ")
		if cell := cells[1+slices.Index(sections, c.section)]; !strings.Contains(cell, c.want) {
			t.Errorf("%s, %s: %s, want %s", c.name, c.section, cell, c.want)
		}
		lost := 0
		for _, section := range sections {
			lost += r.total[section] - r.passed[section]
		}
		if lost != len(r.failures) {
			t.Errorf("%s: %d cases do not pass, and %d failures", c.name, lost, len(r.failures))
		}
	}
}

// TestExplain shows that neither a failure nor an explanation can stand alone.
func TestExplain(t *testing.T) {
	unknown := failure{testCase{section: "valid", name: "spec-example"}, answer{Error: "no"}}
	results := []result{{peer: peer{name: "oklog/ulid", module: "m", function: "Parse"}, failures: []failure{unknown}}}
	if _, err := explain(results); err == nil || !strings.Contains(err.Error(), "gets valid/spec-example wrong, and explain.go says nothing") {
		t.Errorf("explain = %v", err)
	}
	results[0].node = "n"
	if _, err := explain(results); err == nil || !strings.Contains(err.Error(), "no peer gets wrong what explain.go says of npm id128") {
		t.Errorf("explain = %v", err)
	}
}

func TestReplaceTable(t *testing.T) {
	f, page := read(t)
	if _, err := replaceTable(strings.Replace(page, end, "", 1), f, nil); err == nil {
		t.Error("a page without its mark is taken")
	}
}
