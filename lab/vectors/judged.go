package vectors

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// A judged case takes its outcome from the oracle.
type judged interface {
	begin() *Case
	input() string // which no other case of the section has
	judge() error  // an error if the case is in the wrong section
}

// A section is the cases of one kind.
type section struct {
	name  string
	cases []judged
}

func (f *File) sections() []section {
	return []section{
		{"valid", judgedCases(f.Valid)},
		{"invalid", judgedCases(f.Invalid)},
		{"lenient", judgedCases(f.Lenient)},
		{"times", judgedCases(f.Times)},
		{"clamped", judgedCases(f.Clamped)},
		{"order", judgedCases(f.Order)},
		{"monotonic", judgedCases(f.Monotonic)},
		{"uuid", judgedCases(f.UUID)},
		{"invalid_uuid", judgedCases(f.InvalidUUID)},
	}
}

// judgedCases returns pointers to the cases of a section, so that judge can change them.
func judgedCases[C any, P interface {
	*C
	judged
}](cases []C) []judged {
	var list []judged
	for i := range cases {
		list = append(list, P(&cases[i]))
	}
	return list
}

// Judged returns the file with every outcome as the oracle has it. What an author writes stays: the
// names, the reasons, the sources and the inputs. A case that is in the wrong section is an error,
// and so is one that stands twice.
func (f File) Judged() (File, error) {
	var errs []error
	f.Counts = map[string]int{}
	for _, s := range f.sections() {
		f.Counts[s.name] = len(s.cases)
		errs = append(errs, s.twice()...)
		for _, c := range s.cases {
			errs = append(errs, c.begin().checkSource(s.name), c.judge())
		}
	}
	return f, errors.Join(errs...)
}

// twice returns an error for each name and each input that another case has too.
func (s section) twice() []error {
	var errs []error
	seen := map[string]bool{}
	for _, c := range s.cases {
		for _, key := range []string{s.name + "/" + c.begin().Name, s.name + " " + c.input()} {
			if seen[key] {
				errs = append(errs, fmt.Errorf("%s stands twice", key))
			}
			seen[key] = true
		}
	}
	return errs
}

func (c *Case) checkSource(section string) error {
	if c.Why == "" || !slices.Contains([]string{ULID, Crockford, RFC9562, Library}, c.Source) {
		return fmt.Errorf("%s/%s: why, and who says so?", section, c.Name)
	}
	return nil
}

func (c *Case) begin() *Case { return c }

// A case with another input says so below.
func (c *Case) input() string { return c.Name }

func (c *Valid) input() string       { return c.Text }
func (c *Invalid) input() string     { return c.Input() }
func (c *Lenient) input() string     { return c.Text }
func (c *UUID) input() string        { return c.UUID }
func (c *InvalidUUID) input() string { return c.Text }

// mustAccept returns the error that a case of a section of good inputs is refused.
func (c *Case) mustAccept(p Problem) error {
	if p == accepted {
		return nil
	}
	return fmt.Errorf("%s is refused: %s", c.Name, p.Reason)
}

// mustRefuse returns the error that a case of a section of bad inputs is accepted.
func (c *Case) mustRefuse(p Problem) error {
	if p != accepted {
		return nil
	}
	return fmt.Errorf("%s is accepted", c.Name)
}

func (c *Valid) judge() error {
	n, problem := decode([]byte(c.Text))
	if problem != accepted {
		return c.mustAccept(problem)
	}
	ms, entropy := split(n)
	c.Canonical = encode(n)
	c.Hex = hexadecimal(n)
	c.UUID = uuid(n)
	c.MS = ms
	c.Entropy = fmt.Sprintf("%020x", entropy)
	return nil
}

func (c *Invalid) judge() error {
	_, c.Problem = decode([]byte(c.Input()))
	c.ByCharacters = nil
	if c.Bytes == "" {
		c.ByCharacters = byCharacters(c.Problem, c.Text, decode)
	}
	return c.mustRefuse(c.Problem)
}

func (c *Lenient) judge() error {
	n, problem := decodeLenient(c.Text)
	c.Problem = problem
	c.Canonical = ""
	if n != nil {
		c.Canonical = encode(n)
	}
	return nil
}

func (c *Time) judge() error {
	ms, ok := new(big.Int).SetString(c.Decimal, 10)
	if !ok {
		ms = big.NewInt(*c.MS)
	}
	c.First, c.Last, c.Reason = "", "", TooLate
	if ms.Cmp(timeEnd) < 0 {
		c.First = encode(join(ms.Uint64(), new(big.Int)))
		c.Last = encode(join(ms.Uint64(), maxEntropy))
		c.Reason = ""
	}
	return nil
}

func (c *Clamped) judge() error {
	n := new(big.Int)
	if *c.MS >= 0 {
		n.Sub(idEnd, one)
	}
	c.First, c.Last = encode(n), encode(n)
	return nil
}

func (c *Order) judge() error {
	a, problemA := decode([]byte(c.A))
	b, problemB := decode([]byte(c.B))
	if problemA != accepted || problemB != accepted {
		return errors.Join(c.mustAccept(problemA), c.mustAccept(problemB))
	}
	c.Compare = a.Cmp(b)
	return nil
}

func (c *Monotonic) judge() error {
	c.Calls = monotonic(c.Entropy, c.Calls)
	return nil
}

func (c *UUID) judge() error {
	n, problem := decodeUUID([]byte(c.UUID))
	if problem != accepted {
		return c.mustAccept(problem)
	}
	c.Canonical = uuid(n)
	c.Text = encode(n)
	c.MS, _ = split(n)
	version, variant := c.Canonical[14], rune(c.Canonical[19])
	c.Version7 = version == '7' && strings.ContainsRune("89ab", variant)
	return nil
}

func (c *InvalidUUID) judge() error {
	_, c.Problem = decodeUUID([]byte(c.Text))
	c.ByCharacters = byCharacters(c.Problem, c.Text, decodeUUID)
	return c.mustRefuse(c.Problem)
}
