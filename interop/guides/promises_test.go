package guides

import (
	"crypto/fips140"
	"crypto/rand"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

const guarantees = "docs/guarantees.md"

// Two sequences with a and b IDs in a millisecond have a · b pairs. In a pair that shares a tick, the random bits are
// equal with a probability of 2⁻⁵⁸. A pair shares its tick with a probability of
//
//   - 2⁻¹⁶, if the calls are spread evenly over the millisecond
//   - 2⁻⁴ at most, whatever the calls and the clocks: the lowest 4 bits of a clock's tick are random in each process
//   - 2⁻⁸ at most after AdvancePast, which adds 8 random bits
//
// And as each tick comes once in a sequence, at most min(a, b) pairs share theirs.
const (
	randomBits   = 58
	evenly       = 16
	atWorst      = 4
	afterAdvance = 8
)

// The figures of the page follow from these.
func TestCollisions(t *testing.T) {
	page.Fact(t, guarantees, "probability-of-a-collision")
	const year = 365.25 * 24 * 3600 * 1000 // ms
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
		pairs := row.servers * (row.servers - 1) / 2 * row.ids * row.ids
		chance := -math.Expm1(-year * pairs * math.Ldexp(1, -randomBits-evenly))
		page.Contains(t, guarantees, "\n| "+row.begin+" | "+oneIn(chance)+" |\n")
	}
	for _, bits := range []int{evenly, atWorst, afterAdvance} {
		page.Contains(t, guarantees, "a · b / 2"+superscript(randomBits+bits))
	}
	page.Contains(t, guarantees, "min(a, b) / 2"+superscript(randomBits))

	// A clock that shows n different times per millisecond has n ticks, and the lowest 4 bits of each are random.
	times := func(n float64) float64 { return math.Ldexp(1, evenly-atWorst) / n }
	want := fmt.Sprintf("%.0f times if it shows microseconds, and %.0f,%03.0f times if it shows whole milliseconds",
		times(1000), math.Floor(times(1)/1000), math.Mod(times(1), 1000))
	got := strings.ReplaceAll(page.Text(t, guarantees), "\n", " ")
	if !strings.Contains(got, want) {
		t.Errorf("%s lacks %q", guarantees, want)
	}
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
	if n >= 1000 {
		return fmt.Sprintf("1 in %.0f,%03.0f", math.Floor(n/1000), math.Mod(n, 1000))
	}
	return fmt.Sprintf("1 in %.0f", n)
}

// The ticks of Generators with one clock are spread as the bounds assume: over 16 that differ in the lowest bits, after
// AdvancePast over 256, and if the clock moves over the whole millisecond. TestEveryBit of the library shows that the
// bits below are random.
func TestTicksAreSpread(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	past := ulid.FirstAt(now.Add(time.Second))
	var stands, advanced, moves []int
	for i := range 4000 {
		at := now
		g := &ulid.Generator{Clock: func() time.Time { return at }}
		stands = append(stands, fraction(t, g))
		db.Check(t, g.AdvancePast(past, time.Minute))
		advanced = append(advanced, fraction(t, g))
		at = now.Add(time.Minute + time.Duration(i)*time.Millisecond/4000)
		moves = append(moves, fraction(t, g))
	}
	wantSpread(t, stands, 0, 1<<atWorst)
	wantSpread(t, advanced, 0, 1<<afterAdvance)
	wantSpread(t, moves, 0, 1<<evenly)
}

// fraction returns the 16 bits below the milliseconds of the next ID.
func fraction(t *testing.T, g *ulid.Generator) int {
	id := g.Make()
	return int(id[6]&15)<<12 | int(id[7])<<4 | int(id[8]>>2&15)
}

// An attacker who knows the tick of an ID has to guess the bits that differ between IDs whatever their tick.
func TestGuesses(t *testing.T) {
	page.Fact(t, "SECURITY.md", "guesses-for-a-neighbor")
	ids := make([]ulid.ULID, 1000)
	g := &ulid.Generator{Clock: func() time.Time { return time.UnixMilli(1_700_000_000_000) }}
	ulid.FillFrom(g, ids)
	changed := 0
	for bit := 70; bit < 128; bit++ { // below the 4 bits after the variant
		ones := 0
		for _, id := range ids {
			ones += int(id[bit/8]>>(7-bit%8)) & 1
		}
		if 300 < ones && ones < 700 { // 12 standard deviations
			changed++
		}
	}
	if changed != randomBits {
		t.Errorf("%d bits are random, want %d", changed, randomBits)
	}
	years := math.Ldexp(1, randomBits-1) / 10_000 / (365.25 * 24 * 3600)
	const words = "2%s, some %.0f,000 years at 10,000 a second"
	page.Contains(t, "SECURITY.md", fmt.Sprintf(words, superscript(randomBits-1), years/1000))
}

// wantSpread fails the test unless the numbers are from least to least+n-1, and in each sixteenth about as many.
func wantSpread(t *testing.T, numbers []int, least, n int) {
	t.Helper()
	var parts [16]int
	for _, number := range numbers {
		if number < least || number >= least+n {
			t.Fatalf("the number %d is not from %d to %d", number, least, least+n-1)
		}
		parts[(number-least)*16/n]++
	}
	want := len(numbers) / 16
	if slices.Min(parts[:]) < want/2 || slices.Max(parts[:]) > want*3/2 { // 8 standard deviations
		t.Errorf("the sixteenths of %d have %v of the numbers", n, parts)
	}
}

// TestFIPS runs itself again in the FIPS modes, and generates IDs in every way.
func TestFIPS(t *testing.T) {
	if fips140.Enabled() {
		ids := []ulid.ULID{ulid.Make(), ulid.Make(), ulid.Make(), ulid.Make()}
		ulid.Fill(ids)
		g := ulid.Generator{Entropy: rand.Reader}
		ulid.FillFrom(&g, ids)
		fmt.Printf("enforced: %t, made: %d\n", fips140.Enforced(), len(ids))
		return
	}
	page.Fact(t, "SECURITY.md", "runs-in-fips-mode")
	page.Contains(t, "SECURITY.md", "`Entropy: rand.Reader`")
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
