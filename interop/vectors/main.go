// Command conformance runs testdata/vectors.json on several implementations of ULIDs, and writes the table in
// docs/vectors.md:
//
//	go run -C interop ./conformance           # write the table
//	go run -C interop ./conformance -check    # fail if that would change it
//
// It needs Node.js. It fails if an implementation gets a case wrong that explain.go says nothing of.
package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-961d0905/ulid/interop/vectors/vectors"
)

func main() {
	check := flag.Bool("check", false, "only fail if the page is not up to date")
	flag.Parse()
	if err := run("..", "conformance/npm", *check); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run(root, npmDir string, check bool) error {
	file, err := vectors.Read(root + "/testdata/vectors.json")
	if err != nil {
		return err
	}
	results, err := runAll(file, npmDir, true)
	if err != nil {
		return err
	}
	path := root + "/docs/vectors.md"
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	fresh, err := replaceTable(string(page), file, results)
	if err != nil {
		return err
	}
	if !check {
		return os.WriteFile(path, []byte(fresh), 0o644)
	}
	if fresh != string(page) {
		return errors.New("docs/vectors.md is not what the vectors show; run  go run -C interop ./conformance")
	}
	return nil
}

// A case asks one or more questions, and says what the answers must be. An empty want stands for an error.
type testCase struct {
	section, name string
	input         string // to be shown
	raw           bool   // the input is not Unicode
	questions     []question
	wants         []string
}

func (c *testCase) ask(want, op string, args ...string) {
	c.questions = append(c.questions, question{op, args})
	c.wants = append(c.wants, want)
}

// sections are the columns of the table. The section clamped is this library's choice, as a whole.
var sections = []string{"valid", "invalid", "lenient", "times", "order", "monotonic", "uuid", "invalid_uuid"}

// testCases returns the cases of the file, except those that are this library's own choice.
func testCases(f vectors.File) (cases []testCase) {
	add := func(section string, c vectors.Case, input string, fill func(*testCase)) {
		if c.Source == vectors.Library {
			return
		}
		t := testCase{section: section, name: c.Name, input: input}
		fill(&t)
		cases = append(cases, t)
	}
	for _, c := range f.Valid {
		add("valid", c.Case, c.Text, func(t *testCase) {
			t.ask(c.Hex, "decode", c.Text)
			t.ask(strconv.FormatUint(c.MS, 10), "ms", c.Text)
			t.ask("true", "valid", c.Text)
			t.ask(c.Canonical, "encode", c.Hex)
		})
	}
	for _, c := range f.Invalid {
		add("invalid", c.Case, c.Input(), func(t *testCase) {
			t.raw = c.Bytes != ""
			for _, op := range []string{"decode", "ms", "valid"} {
				t.ask("", op, c.Input())
			}
		})
	}
	for _, c := range f.Lenient {
		add("lenient", c.Case, c.Text, func(t *testCase) { t.ask(c.Canonical, "lenient", c.Text) })
	}
	const zeros, ones = "00000000000000000000", "ffffffffffffffffffff"
	for _, c := range f.Times {
		ms := c.Decimal
		if c.MS != nil {
			ms = strconv.FormatInt(*c.MS, 10)
		}
		add("times", c.Case, ms, func(t *testCase) {
			timestamp := ""
			if c.First != "" {
				timestamp = c.First[:10]
				t.ask(c.First, "first", ms)
				t.ask(c.Last, "last", ms)
			}
			t.ask(timestamp, "time", ms)
			t.ask(c.First, "make", ms, zeros)
			t.ask(c.Last, "make", ms, ones)
		})
	}
	for _, c := range f.Order {
		add("order", c.Case, c.A+" and "+c.B, func(t *testCase) { t.ask(strconv.Itoa(c.Compare), "compare", c.A, c.B) })
	}
	for _, c := range f.Monotonic {
		var times, ids []string
		for _, call := range c.Calls {
			times = append(times, strconv.FormatUint(call.MS, 10))
			id := call.ID
			if id == "" {
				id = "error"
			}
			ids = append(ids, id)
		}
		add("monotonic", c.Case, c.Name, func(t *testCase) {
			// More entropy than the run needs, so that a source that draws when it must not does not run dry.
			entropy := append(slices.Clone(c.Entropy), slices.Repeat([]string{"55555555555555555555"}, len(times))...)
			t.ask(strings.Join(ids, ","), "monotonic", strings.Join(times, ","), strings.Join(entropy, ","))
		})
	}
	for _, c := range f.UUID {
		add("uuid", c.Case, c.UUID, func(t *testCase) {
			t.ask(c.Text, "fromuuid", c.UUID)
			t.ask(c.Canonical, "uuid", c.Text)
		})
	}
	for _, c := range f.InvalidUUID {
		add("invalid_uuid", c.Case, c.Text, func(t *testCase) { t.ask("", "fromuuid", c.Text) })
	}
	return cases
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

// runAll runs the cases on all peers, or on those in Go only.
func runAll(f vectors.File, npmDir string, withNPM bool) ([]result, error) {
	cases := testCases(f)
	var questions, unicode []question
	for _, c := range cases {
		questions = append(questions, c.questions...)
		if !c.raw {
			unicode = append(unicode, c.questions...)
		}
	}
	peers := goPeers()
	var npm map[string][]answer
	if withNPM {
		var err error
		if npm, err = askNPM(npmDir, unicode); err != nil {
			return nil, err
		}
		peers = append(peers, npmPeers()...)
	}
	found, err := versions(peers, npmDir)
	if err != nil {
		return nil, err
	}
	var results []result
	for _, p := range peers {
		if p.module != "" {
			if found[p.module] == "" {
				return nil, fmt.Errorf("%s has no version", p.module)
			}
			p.version = found[p.module]
		}
		answers, asked := npm[p.node], len(unicode)
		if p.ask != nil {
			answers, asked = p.ask(questions), len(questions)
		}
		if len(answers) != asked {
			return nil, fmt.Errorf("%s: %d answers to %d questions", p, len(answers), asked)
		}
		results = append(results, judge(p, cases, answers))
	}
	return results, nil
}

// judge compares the answers with what the cases want. A case passes if every answer is right. What a peer has no
// function for is left out. UUID notation may be written in either case.
func judge(p peer, cases []testCase, answers []answer) result {
	r := result{peer: p, passed: map[string]int{}, total: map[string]int{}}
	for _, c := range cases {
		if c.raw && p.node != "" {
			continue
		}
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

const (
	begin = "<!-- go run -C interop ./conformance writes what follows. -->\n"
	end   = "<!-- Here it ends. -->\n"
)

// replaceTable returns the page with the table and the explanations of the results.
func replaceTable(page string, f vectors.File, results []result) (string, error) {
	before, rest, ok := strings.Cut(page, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", errors.New("the page has no place for the table")
	}
	lines, err := explain(results)
	if err != nil {
		return "", err
	}
	return before + begin + "\n" + counts(f) + "\n" + table(results) + "\n" + strings.Join(lines, "") + "\n" + end + after, nil
}

// counts says how many cases the sections have.
func counts(f vectors.File) string {
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
	var b strings.Builder
	fmt.Fprintf(&b, "| |%s |\n|---|%s\n", strings.Join(prefixed(" `", sections, "` |"), ""), strings.Repeat("--:|", len(sections)))
	for _, r := range results {
		b.WriteString(r.row())
	}
	return strings.ReplaceAll(b.String(), "| |\n", "|\n")
}

func prefixed(before string, s []string, after string) (out []string) {
	for _, v := range s {
		out = append(out, before+v+after)
	}
	return out
}

// row is the line of the table.
func (r result) row() string {
	line := "| " + r.String() + " |"
	for _, section := range sections {
		switch passed, total := r.passed[section], r.total[section]; {
		case total == 0:
			line += " – |"
		case passed == total:
			line += fmt.Sprintf(" all %d |", total)
		default:
			line += fmt.Sprintf(" %d of %d |", passed, total)
		}
	}
	return line + "\n"
}
