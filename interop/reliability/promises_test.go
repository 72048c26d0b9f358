package main

import (
	"crypto/fips140"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/page"
)

const guarantees = "docs/guarantees.md"

// A formula is an upper bound for the probability that one sequence of a IDs and another of b share an ID.
type formula func(a, b float64) float64

// ofBits is a · b / 2ⁿ, but at most min(a, b) / 2ᵐ. A pair of IDs, one of each sequence, is equal with a probability of
// 2⁻ⁿ at most: their numbers are, with the random bits of the counter, and then their m random bits. There are a · b
// pairs. But each number comes once in a sequence, so at most min(a, b) of the pairs have equal numbers.
func ofBits(n, m int) formula {
	return func(a, b float64) float64 { return min(math.Ldexp(a*b, -n), math.Ldexp(min(a, b), -m)) }
}

// filled is the formula for Fill. Where two of its pieces have one number, an ID of one can be equal to one or a few
// IDs of the other, by their index, and then has fewer random bits, by 8 at most. Less than half of the indexes are
// unused, so the pieces share an ID with at most twice the probability that as many IDs of Make would.
func filled(n, m int) formula { return ofBits(n-1, m-8) }

// TestCollisions computes the figures of docs/guarantees.md from its formulas.
func TestCollisions(t *testing.T) {
	plain, uuidv7 := ofBits(79, 64), ofBits(73, 58)
	for _, text := range []string{
		"| `Make` | a · b / 2⁷⁹, min(a, b) / 2⁶⁴ | a · b / 2⁷³, min(a, b) / 2⁵⁸ |",
		"| `Fill` | a · b / 2⁷⁸, min(a, b) / 2⁵⁶ | a · b / 2⁷², min(a, b) / 2⁵⁰ |",
	} {
		page.Contains(t, guarantees, text)
	}

	const year = 365.25 * 24 * 3600 * 1000 // ms
	inYear := func(f formula, servers, n float64) string {
		pairs := servers * (servers - 1) / 2
		return oneIn(-math.Expm1(year * pairs * math.Log1p(-f(n, n))))
	}
	for _, row := range []struct {
		servers, ids float64
		name         string
	}{{2, 1, "2 | 1"}, {2, 1000, "2 | 1,000"}, {10, 10, "10 | 10"}, {100, 10, "100 | 10"}, {1000, 10, "1,000 | 10"}} {
		page.Contains(t, guarantees, fmt.Sprintf("\n| %s | %s | %s |\n", row.name,
			inYear(plain, row.servers, row.ids), inYear(uuidv7, row.servers, row.ids)))
	}
	page.Contains(t, guarantees, "1,000 IDs in every millisecond, the chance that two are equal is "+
		inYear(plain, 2, 1000)+" a year")

	// An hour, also after AdvancePast. Then the second formula is the smaller.
	const inHour = 3600 * 1000 * 1000 // IDs of each of the two, 1,000 in a millisecond
	for _, two := range [][2]formula{
		{plain, uuidv7}, {ofBits(72, 64), ofBits(66, 58)},
		{filled(79, 64), filled(73, 58)}, {filled(72, 64), filled(66, 58)},
	} {
		page.Contains(t, guarantees, bothFigures("", two[0](inHour, inHour), two[1](inHour, inHour)))
	}
}

// bothFigures are a probability and that of UUIDv7s as the page has them.
func bothFigures(when string, plain, uuidv7 float64) string {
	return fmt.Sprintf("%s%s (UUIDv7: %s)", oneIn(plain), when, oneIn(uuidv7))
}

// oneIn is a probability in words, to two digits, such as "1 in 38 million".
func oneIn(p float64) string {
	n := 1 / p
	digit := math.Pow(10, math.Floor(math.Log10(n))-1)
	n = math.Round(n/digit) * digit
	for _, unit := range []struct {
		name string
		size float64
	}{{"trillion", 1e12}, {"billion", 1e9}, {"million", 1e6}} {
		if n >= unit.size {
			return fmt.Sprintf("1 in %.3g %s", n/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("1 in %.0f,%03.0f", math.Floor(n/1000), math.Mod(n, 1000))
}

// TestCollisionsAfterAdvancing does the same for messages that go to all services.
func TestCollisionsAfterAdvancing(t *testing.T) {
	plain, uuidv7 := ofBits(72, 64), ofBits(66, 58)
	page.Contains(t, guarantees, "| a · b / 2⁷², min(a, b) / 2⁶⁴ | a · b / 2⁶⁶, min(a, b) / 2⁵⁸ |")

	const (
		pairs    = 1000 * 999 / 2 // of services
		messages = 1000 * 365.25 * 24 * 3600
	)
	page.Contains(t, guarantees, bothFigures(" in a year",
		pairs*messages*plain(1, 1), pairs*messages*uuidv7(1, 1)))
}

// twoGenerators make a and b IDs in one millisecond.
type twoGenerators struct {
	a, b      int
	uuidv7    bool
	pastSame  bool // both have advanced past the same ID
	pastOther bool // the second has advanced past the first ID of the other
}

// equalNumbers returns how many pairs of IDs, one of each, have the same time and counter.
func (c twoGenerators) equalNumbers() (pairs int, err error) {
	now := time.UnixMilli(1_700_000_000_000)
	var first ulid.ULID
	seen := map[uint64]bool{}
	for i, n := range []int{c.a, c.b} {
		g := ulid.Generator{UUIDv7: c.uuidv7, Clock: func() time.Time { return now }}
		switch {
		case c.pastSame:
			err = g.AdvancePast(ulid.FirstAt(now.Add(time.Second)), time.Minute)
		case c.pastOther && i == 1:
			err = g.AdvancePast(first, 0)
		}
		for j := range n {
			id, makeErr := g.Make()
			err = errors.Join(err, makeErr)
			if i == 0 && j == 0 {
				first = id
			}
			number := binary.BigEndian.Uint64(id[:8])
			if c.uuidv7 {
				number = number<<4 | uint64(id[8]>>2&15) // without the uppermost bits of the time
			}
			if i == 0 {
				seen[number] = true
			} else if seen[number] {
				pairs++
			}
		}
	}
	return pairs, err
}

// The times and counters of two Generators are equal as often as the formulas say. The bits below, of which
// TestEveryBit of the library shows that they are random, are equal with a probability of 2⁻⁶⁴, or of 2⁻⁵⁸ in UUIDv7s.
func TestEqualNumbers(t *testing.T) {
	page.Fact(t, guarantees, "probability-of-a-collision")
	page.Fact(t, guarantees, "probability-after-advancing")
	for _, c := range []struct {
		name   string
		of     twoGenerators
		trials int
		bits   int     // of the counter that are random
		least  float64 // what is left of a · b / 2ᵇⁱᵗˢ, since it is an upper bound
	}{
		{name: "a millisecond", of: twoGenerators{a: 40, b: 20}, trials: 100_000, bits: 15, least: 1},
		// Numbers that are 40 apart are equal a little less often, because the bytes end at 255.
		{name: "past the same", of: twoGenerators{a: 40, b: 20, pastSame: true}, trials: 3000, bits: 8, least: 0.9},
		// Nor are those of the second that lie further above the first ID than 40.
		{name: "past the other's", of: twoGenerators{a: 40, b: 20, pastOther: true}, trials: 3000, bits: 8, least: 0.7},
	} {
		for _, uuidv7 := range []bool{false, true} {
			c.of.uuidv7 = uuidv7
			equal, most := 0, 0
			for range c.trials {
				pairs, err := c.of.equalNumbers()
				if err != nil {
					t.Fatal(err)
				}
				equal, most = equal+pairs, max(most, pairs)
			}
			want := math.Ldexp(float64(c.of.a*c.of.b*c.trials), -c.bits)
			off := 4 * math.Sqrt(want*float64(min(c.of.a, c.of.b))) // pairs come in runs
			t.Logf("%s: %d pairs are equal, want %.0f", c.name, equal, want)
			if got := float64(equal); got < want*c.least-off || got > want+off {
				t.Errorf("%s: %d pairs are equal, want at most about %.0f, and at least about %.0f",
					c.name, equal, want, want*c.least)
			}
			if most > min(c.of.a, c.of.b) {
				t.Errorf("%s: %d pairs of %+v are equal", c.name, most, c.of)
			}
		}
	}
}

// How many messages in a row use up a millisecond, each with an AdvancePast past the one before.
func TestChains(t *testing.T) {
	page.Fact(t, "docs/order.md", "messages-that-use-up-a-millisecond")
	page.Contains(t, "docs/order.md", "has numbers for some 250 to 500 messages, or for 20 to 80 if\n")
	for _, tt := range []struct {
		name        string
		uuidv7      [2]bool // of the two services that take turns
		least, most float64 // nine of ten chains
	}{
		{"plain ULIDs", [2]bool{}, 230, 540},
		{"UUIDv7s", [2]bool{true, true}, 230, 540},
		{"both", [2]bool{false, true}, 15, 90},
	} {
		var lengths []int
		for range 500 {
			now := time.UnixMilli(1_700_000_000_000)
			clock := func() time.Time { return now }
			services := [2]ulid.Generator{{Clock: clock, UUIDv7: tt.uuidv7[0]}, {Clock: clock, UUIDv7: tt.uuidv7[1]}}
			var last ulid.ULID
			length := 0
			for ; last.Time() <= ulid.Timestamp(now); length++ {
				g := &services[length%2]
				err := g.AdvancePast(last, time.Minute)
				if err == nil {
					last, err = g.Make()
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			lengths = append(lengths, length)
		}
		slices.Sort(lengths)
		low, high := lengths[len(lengths)/20], lengths[len(lengths)*19/20]
		t.Logf("%s: %d to %d messages, %d in the middle", tt.name, low, high, lengths[len(lengths)/2])
		if float64(low) < tt.least || float64(high) > tt.most {
			t.Errorf("%s: %d to %d messages use up a millisecond, want %v to %v", tt.name, low, high, tt.least, tt.most)
		}
	}
}

// TestFIPS runs itself again, in the FIPS modes that SECURITY.md names, and makes IDs in every way.
func TestFIPS(t *testing.T) {
	if fips140.Enabled() {
		t.Log("enforced:", fips140.Enforced())
		testEveryWay(t)
		return
	}
	const doc = "SECURITY.md"
	page.Fact(t, doc, "runs-in-fips-mode")
	page.Contains(t, doc, "`Entropy: struct{ io.Reader }{rand.Reader}`")
	for mode, want := range map[string]string{"on": "enforced: false", "only": "enforced: true"} {
		setting := "GODEBUG=fips140=" + mode
		page.Contains(t, doc, "`"+setting+"`")
		cmd := exec.Command(os.Args[0], "-test.run=^TestFIPS$", "-test.v")
		cmd.Env = append(os.Environ(), setting)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, without %q:\n%s", setting, err, want, out)
		}
	}
}

func testEveryWay(t *testing.T) {
	ids := append(make([]ulid.ULID, 20), ulid.Make(), ulid.MakeUUIDv7())
	ulid.Fill(ids[:10])
	ulid.FillUUIDv7(ids[10:20])
	monotonic := ulid.Monotonic(nil, 0)
	for _, entropy := range []io.Reader{nil, rand.Reader, struct{ io.Reader }{rand.Reader}} {
		g := ulid.Generator{Entropy: entropy}
		for range 10 {
			made, err := g.Make()
			if err != nil {
				t.Error(err)
			}
			ids = append(ids, made, ulid.MustNew(ulid.Now(), rand.Reader), ulid.MustNew(ulid.Now(), monotonic))
		}
	}
	n := len(ids)
	slices.SortFunc(ids, ulid.ULID.Compare)
	if len(slices.Compact(ids)) != n || ids[0].IsZero() {
		t.Errorf("an ID is zero, or is made twice: %s", ids)
	}
}
