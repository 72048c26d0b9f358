package guides

import (
	"crypto/fips140"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

const guarantees = "docs/guarantees.md"

// A bound says how probable it is that one sequence of a IDs and another of b with the same timestamp share an ID: at
// most a · b / 2ᵖᵃⁱʳ, since there are a · b pairs, and at most min(a, b) / 2ʳᵃⁿᵈᵒᵐ, since each number comes once in a
// sequence, so that at most min(a, b) pairs have equal numbers.
type bound struct {
	pair   int // bits that two IDs must share: the random bits of the counter, and those below
	random int // those below
}

var (
	plain  = bound{pair: 15 + 64, random: 64}
	uuidv7 = bound{pair: 15 + 58, random: 58}
	// Where two pieces of a Fill have one number, an ID of one can be equal to one or a few of the other, by their index,
	// which takes at most 8 bits. Less than half of the indexes are unused, so pieces share an ID with at most twice the
	// probability that as many IDs of Make would.
	filled       = bound{plain.pair - 1, plain.random - 8}
	filledUUIDv7 = bound{uuidv7.pair - 1, uuidv7.random - 8}
)

func (b bound) of(ids float64) float64 {
	return min(math.Ldexp(ids*ids, -b.pair), math.Ldexp(ids, -b.random))
}

// The figures of the page are those of the bounds.
func TestCollisions(t *testing.T) {
	const year = 365.25 * 24 * 3600 * 1000 // ms
	inYear := func(b bound, servers, ids float64) string {
		pairs := servers * (servers - 1) / 2
		return oneIn(-math.Expm1(year * pairs * math.Log1p(-b.of(ids))))
	}
	for _, row := range []struct {
		begin        string
		servers, ids float64
	}{
		{"2 | 1", 2, 1},
		{"2 | 1,000", 2, 1000},
		{"10 | 10", 10, 10},
		{"100 | 10", 100, 10},
		{"1,000 | 10", 1000, 10},
	} {
		chances := inYear(plain, row.servers, row.ids) + " | " + inYear(uuidv7, row.servers, row.ids)
		page.Contains(t, guarantees, "\n| "+row.begin+" | "+chances+" |\n")
	}
	for _, name := range []struct {
		begin  string
		bounds [2]bound
	}{
		{"`Make`", [2]bound{plain, uuidv7}},
		{"`Fill`", [2]bound{filled, filledUUIDv7}},
	} {
		page.Contains(t, guarantees, fmt.Sprintf("| %s | %v | %v |", name.begin, name.bounds[0], name.bounds[1]))
	}
	const idsOfHour = 3600 * 1000 * 1000 // 1,000 in a millisecond
	page.Contains(t, guarantees, fmt.Sprintf("%s (UUIDv7: %s)", oneIn(plain.of(idsOfHour)), oneIn(uuidv7.of(idsOfHour))))
}

// String is a bound as the page has it.
func (b bound) String() string {
	return fmt.Sprintf("a · b / 2%s or min(a, b) / 2%s", superscript(b.pair), superscript(b.random))
}

func superscript(n int) (s string) {
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	for _, digit := range fmt.Sprint(n) {
		s += string(digits[digit-'0'])
	}
	return s
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

// The numbers of two Generators, which are time and counter, are equal as often as the page says. That the bits below
// are random shows TestEveryBit of the library.
func TestEqualNumbers(t *testing.T) {
	page.Fact(t, guarantees, "probability-of-a-collision")
	for _, c := range []struct {
		name     string
		past     ulid.ULID // which both have advanced past
		counters float64   // that are equally likely
		trials   int
		least    float64 // what is left of trials · a · b / counters, since it is an upper bound
	}{
		{name: "a millisecond", counters: 1 << 15, trials: 100_000, least: 1},
		{name: "past an ID", past: ulid.FirstAt(oneMoment.Add(time.Second)), counters: 1 << 8, trials: 2000, least: 0.9},
	} {
		for _, isUUIDv7 := range []bool{false, true} {
			const a, b = 40, 20
			equal := 0
			for range c.trials {
				numbers := map[uint64]bool{}
				for _, number := range numbersOf(t, c.past, isUUIDv7, a) {
					numbers[number] = true
				}
				for _, number := range numbersOf(t, c.past, isUUIDv7, b) {
					if numbers[number] {
						equal++
					}
				}
			}
			want := a * b * float64(c.trials) / c.counters
			off := 4 * math.Sqrt(want*b) // equal ones come in runs
			if got := float64(equal); got < want*c.least-off || got > want+off {
				t.Errorf("%s, UUIDv7 %t: %d pairs are equal, want %.0f", c.name, isUUIDv7, equal, want)
			}
		}
	}
}

var oneMoment = time.UnixMilli(1_700_000_000_000)

// numbersOf returns the numbers of n IDs of a new Generator, all made in one millisecond.
func numbersOf(t *testing.T, past ulid.ULID, isUUIDv7 bool, n int) (numbers []uint64) {
	g := ulid.Generator{UUIDv7: isUUIDv7, Clock: func() time.Time { return oneMoment }}
	db.Check(t, g.AdvancePast(past, time.Minute))
	for range n {
		id, err := g.Make()
		db.Check(t, err)
		number := binary.BigEndian.Uint64(id[:8])
		if isUUIDv7 {
			number = number<<4 | uint64(id[8]>>2&15) // without the uppermost bits of the time
		}
		numbers = append(numbers, number)
	}
	return numbers
}

// TestFIPS runs itself again in the FIPS modes, and generates IDs in every way.
func TestFIPS(t *testing.T) {
	if fips140.Enabled() {
		ids := []ulid.ULID{ulid.Make(), ulid.Make(), ulid.Make(), ulid.MustNew(ulid.Now(), rand.Reader)}
		ulid.Fill(ids)
		g := ulid.Generator{Entropy: struct{ io.Reader }{rand.Reader}}
		db.Check(t, g.Fill(ids))
		fmt.Printf("enforced: %t, made: %d\n", fips140.Enforced(), len(ids))
		return
	}
	page.Fact(t, "SECURITY.md", "runs-in-fips-mode")
	page.Contains(t, "SECURITY.md", "`Entropy: struct{ io.Reader }{rand.Reader}`")
	for mode, want := range map[string]string{
		"on":   "enforced: false, made: 4",
		"only": "enforced: true, made: 4",
	} {
		again := exec.Command(os.Args[0], "-test.run=^TestFIPS$")
		again.Env = append(os.Environ(), "GODEBUG=fips140="+mode)
		out, err := again.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("fips140=%s: %v, and without %q\n%s", mode, err, want, out)
		}
	}
}
