package vectors

import (
	"slices"
	"strconv"
	"strings"
)

// A testCase asks one or more questions, and says what the answers must be. An empty want stands for
// an error.
type testCase struct {
	section, name string
	input         string // to be shown
	raw           bool   // the input is not Unicode
	questions     []question
	wants         []string
}

// want adds a question.
func (t *testCase) want(answer string, q question) {
	t.questions = append(t.questions, q)
	t.wants = append(t.wants, answer)
}

// columns are the sections that the table shows. The section clamped is this library's choice, as a
// whole.
var columns = []string{"valid", "invalid", "lenient", "times", "order", "monotonic", "uuid", "invalid_uuid"}

// testCases returns the cases of the file, except those that are this library's own choice.
func testCases(f File) []testCase {
	var cases []testCase
	for _, s := range f.sections() {
		for _, c := range s.cases {
			if c.begin().Source == Library {
				continue
			}
			t := testCase{section: s.name, name: c.begin().Name, input: c.input()}
			c.(asker).ask(&t)
			cases = append(cases, t)
		}
	}
	return cases
}

// An asker is a case of a section that has a column.
type asker interface{ ask(*testCase) }

func (c *Valid) ask(t *testCase) {
	t.want(c.Hex, question{Op: "decode", A: c.Text})
	t.want(strconv.FormatUint(c.MS, 10), question{Op: "ms", A: c.Text})
	t.want("true", question{Op: "valid", A: c.Text})
	t.want(c.Canonical, question{Op: "encode", A: c.Hex})
}

func (c *Invalid) ask(t *testCase) {
	t.raw = c.Bytes != ""
	for _, op := range []string{"decode", "ms", "valid"} {
		t.want("", question{Op: op, A: c.Input()})
	}
}

func (c *Lenient) ask(t *testCase) {
	t.want(c.Canonical, question{Op: "lenient", A: c.Text})
}

func (c *Time) ask(t *testCase) {
	ms := c.Decimal
	if c.MS != nil {
		ms = strconv.FormatInt(*c.MS, 10)
	}
	t.input = ms
	timestamp := ""
	if c.First != "" {
		timestamp = c.First[:10]
		t.want(c.First, question{Op: "first", A: ms})
		t.want(c.Last, question{Op: "last", A: ms})
	}
	t.want(timestamp, question{Op: "time", A: ms})
	t.want(c.First, question{Op: "make", A: ms, B: "00000000000000000000"})
	t.want(c.Last, question{Op: "make", A: ms, B: "ffffffffffffffffffff"})
}

func (c *Order) ask(t *testCase) {
	t.input = c.A + " and " + c.B
	t.want(strconv.Itoa(c.Compare), question{Op: "compare", A: c.A, B: c.B})
}

func (c *Monotonic) ask(t *testCase) {
	var times, ids []string
	for _, call := range c.Calls {
		times = append(times, strconv.FormatUint(call.MS, 10))
		id := call.ID
		if id == "" {
			id = "error"
		}
		ids = append(ids, id)
	}
	// More entropy than the run needs, so that a source that draws when it must not does not run dry.
	more := slices.Repeat([]string{"55555555555555555555"}, len(times))
	entropy := slices.Concat(c.Entropy, more)
	run := question{Op: "monotonic", A: strings.Join(times, ","), B: strings.Join(entropy, ",")}
	t.want(strings.Join(ids, ","), run)
}

func (c *UUID) ask(t *testCase) {
	t.want(c.Text, question{Op: "fromuuid", A: c.UUID})
	t.want(c.Canonical, question{Op: "uuid", A: c.Text})
}

func (c *InvalidUUID) ask(t *testCase) {
	t.want("", question{Op: "fromuuid", A: c.Text})
}
