package vectors

import (
	"slices"
	"strconv"
	"strings"
)

// A testCase asks one or more questions, and says what the answers must be. An empty want stands for an error.
type testCase struct {
	section, name string
	input         string // to be shown
	raw           bool   // the input is not Unicode
	questions     []question
	wants         []string
}

func (c *testCase) ask(want, op, a, b string) {
	c.questions = append(c.questions, question{op, a, b})
	c.wants = append(c.wants, want)
}

// sections are the columns of the table. The section clamped is this library's choice, as a whole.
var sections = []string{"valid", "invalid", "lenient", "times", "order", "monotonic", "uuid", "invalid_uuid"}

// testCases returns the cases of the file, except those that are this library's own choice.
func testCases(f File) (cases []testCase) {
	add := func(section string, c Case, input string, fill func(*testCase)) {
		if c.Source == Library {
			return
		}
		t := testCase{section: section, name: c.Name, input: input}
		fill(&t)
		cases = append(cases, t)
	}
	for _, c := range f.Valid {
		add("valid", c.Case, c.Text, func(t *testCase) {
			t.ask(c.Hex, "decode", c.Text, "")
			t.ask(strconv.FormatUint(c.MS, 10), "ms", c.Text, "")
			t.ask("true", "valid", c.Text, "")
			t.ask(c.Canonical, "encode", c.Hex, "")
		})
	}
	for _, c := range f.Invalid {
		add("invalid", c.Case, c.Input(), func(t *testCase) {
			t.raw = c.Bytes != ""
			for _, op := range []string{"decode", "ms", "valid"} {
				t.ask("", op, c.Input(), "")
			}
		})
	}
	for _, c := range f.Lenient {
		add("lenient", c.Case, c.Text, func(t *testCase) { t.ask(c.Canonical, "lenient", c.Text, "") })
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
				t.ask(c.First, "first", ms, "")
				t.ask(c.Last, "last", ms, "")
			}
			t.ask(timestamp, "time", ms, "")
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
			t.ask(c.Text, "fromuuid", c.UUID, "")
			t.ask(c.Canonical, "uuid", c.Text, "")
		})
	}
	for _, c := range f.InvalidUUID {
		add("invalid_uuid", c.Case, c.Text, func(t *testCase) { t.ask("", "fromuuid", c.Text, "") })
	}
	return cases
}
