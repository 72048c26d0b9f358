package main

import (
	"crypto/fips140"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
	mathrand "math/rand/v2"
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

// ofBits is a · b / 2ⁿ, but at most min(a, b) / 2⁴⁸. A pair of IDs, one of each sequence, is equal with a probability
// of 2⁻ⁿ at most: whatever the places in their ranges, one first ID of the other sequence makes them equal. There are
// a · b pairs. But each ID also lies in one range of the other sequence at most, and at that one's random place in it
// with a probability of 2⁻⁴⁸.
func ofBits(n int) formula {
	return func(a, b float64) float64 { return min(math.Ldexp(a*b, -n), math.Ldexp(min(a, b), -48)) }
}

// TestCollisions computes the figures of docs/guarantees.md from its formulas.
func TestCollisions(t *testing.T) {
	plain, uuidv7 := ofBits(80), ofBits(74)
	page.Contains(t, guarantees, "a · b / 2⁸⁰")
	page.Contains(t, guarantees, "a · b / 2⁷⁴")
	page.Contains(t, guarantees, "min(a, b) / 2⁴⁸")

	const year = 365.25 * 24 * 3600 * 1000 // ms
	inYear := func(p float64) float64 { return -math.Expm1(year * math.Log1p(-p)) }
	for name, n := range map[string]float64{"1": 1, "1,000": 1000} {
		p, p7 := inYear(plain(n, n)), inYear(uuidv7(n, n))
		page.Contains(t, guarantees, fmt.Sprintf("\n| %s | %s | %s |\n", name, oneIn(p), oneIn(p7)))
	}
	page.Contains(t, guarantees, "1,000 IDs in every millisecond, the chance that they share an ID is "+
		oneIn(inYear(plain(1000, 1000)))+" a year")

	const inHour = 3600 * 1000 * 1000 // IDs of each of the two, 1,000 in a millisecond
	page.Contains(t, guarantees, bothFigures("", plain(inHour, inHour), uuidv7(inHour, inHour)))
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

// TestCollisionsAfterAdvancing does the same for Generators that have advanced past the same ID.
func TestCollisionsAfterAdvancing(t *testing.T) {
	plain, uuidv7 := ofBits(72), ofBits(66)
	page.Contains(t, guarantees, "a · b / 2⁷²")
	page.Contains(t, guarantees, "a · b / 2⁶⁶")

	const inHour = 3600 * 1000 * 1000
	page.Contains(t, guarantees, bothFigures("", plain(inHour, inHour), uuidv7(inHour, inHour)))

	const (
		pairs    = 1000 * 999 / 2 // of services
		messages = 1000 * 365.25 * 24 * 3600
	)
	page.Contains(t, guarantees, bothFigures(" in a year",
		pairs*messages*plain(1, 1), pairs*messages*uuidv7(1, 1)))
}

// fewBits gives 20 random bits to a first ID and to one after AdvancePast, and all bits to a place in a range.
type fewBits struct{ *mathrand.ChaCha8 }

func (r fewBits) Read(p []byte) (int, error) {
	n, err := r.ChaCha8.Read(p)
	if len(p) == 10 {
		clear(p[:7])
		p[7] &= 0xF
	}
	return n, err
}

// twoGenerators make a and b IDs in one millisecond.
type twoGenerators struct {
	a, b      int
	spacing   uint64
	pastSame  bool // both have advanced past the same ID
	pastOther bool // the second has advanced past the first ID of the other
}

// collide reports whether they share an ID.
func (c twoGenerators) collide(entropy io.Reader) (bool, error) {
	now := time.UnixMilli(1)
	ids := make([]ulid.ULID, c.a+c.b)
	for i, part := range [][]ulid.ULID{ids[:c.a], ids[c.a:]} {
		g := ulid.Generator{Entropy: entropy, Spacing: c.spacing, Clock: func() time.Time { return now }}
		var err error
		switch {
		case c.pastSame:
			err = g.AdvancePast(ulid.FirstAt(now), 0)
		case c.pastOther && i == 1:
			err = g.AdvancePast(ids[0], 0)
		}
		if err := errors.Join(err, g.Fill(part)); err != nil {
			return false, err
		}
	}
	slices.SortFunc(ids, ulid.ULID.Compare)
	return len(slices.Compact(ids)) < c.a+c.b, nil
}

// Two Generators collide as often as the formulas say, with 2²⁰ in the place of 2⁸⁰ and of 2⁷².
func TestCollisionsOfGenerators(t *testing.T) {
	page.Fact(t, guarantees, "probability-of-a-collision")
	page.Fact(t, guarantees, "probability-after-advancing")
	random := fewBits{mathrand.NewChaCha8([32]byte{})}
	for _, c := range []struct {
		name   string
		of     twoGenerators
		trials int
		want   float64 // the formula
		least  float64 // what is left of it, since it is an upper bound
	}{
		{
			name: "a millisecond", of: twoGenerators{a: 40, b: 20, spacing: 1 << 10},
			trials: 300_000, want: math.Ldexp(40*20, -20), least: 1,
		},
		{
			name: "past the same", of: twoGenerators{a: 40, b: 20, spacing: 1 << 10, pastSame: true},
			trials: 150_000, want: math.Ldexp(40*20, -20), least: 1,
		},
		{ // not the pairs whose second has a greater place in its sequence: the second begins above the first
			name: "past the other's", of: twoGenerators{a: 40, b: 20, spacing: 1 << 10, pastOther: true},
			trials: 150_000, want: math.Ldexp(40*20, -20), least: 0.7,
		},
		{ // not the IDs that are outside all ranges of the other
			name: "ranges meet", of: twoGenerators{a: 128, b: 128, spacing: 1 << 14},
			trials: 30_000, want: math.Ldexp(128, -14), least: 0.8,
		},
	} {
		collisions := 0.0
		for range c.trials {
			collide, err := c.of.collide(random)
			if err != nil {
				t.Fatal(err)
			}
			if collide {
				collisions++
			}
		}
		want := c.want * float64(c.trials)
		off := 4 * math.Sqrt(want)
		t.Logf("%s: %v of %d collide, want %.0f", c.name, collisions, c.trials, want)
		if collisions < want*c.least-off || collisions > want+off {
			t.Errorf("%s: %v of %d collide, want at most about %.0f, and at least about %.0f",
				c.name, collisions, c.trials, want, want*c.least)
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
