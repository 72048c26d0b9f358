package guides

import (
	"crypto/fips140"
	"crypto/rand"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"regexp"
	"slices"
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

// The counters of two Generators are equal as rarely as the bounds assume: each begins at one of 2¹⁵ numbers, and after
// AdvancePast at one of 2⁸, all equally likely. TestEveryBit of the library shows that the bits below are random.
func TestCountersBeginAtRandom(t *testing.T) {
	page.Fact(t, guarantees, "probability-of-a-collision")
	now := time.UnixMilli(1_700_000_000_000)
	past := ulid.FirstAt(now.Add(time.Second))
	for _, isUUIDv7 := range []bool{false, true} {
		var begin, advanced []int
		for range 4000 {
			newG := func() *ulid.Generator {
				return &ulid.Generator{UUIDv7: isUUIDv7, Clock: func() time.Time { return now }}
			}
			begin = append(begin, counter(t, newG(), isUUIDv7)-1)
			g := newG()
			db.Check(t, g.AdvancePast(past, time.Minute))
			advanced = append(advanced, counter(t, g, isUUIDv7))
		}
		wantSpread(t, begin, 0, 1<<15)
		wantSpread(t, advanced, slices.Min(advanced), 1<<8)
	}
}

// counter returns the counter of the next ID.
func counter(t *testing.T, g *ulid.Generator, isUUIDv7 bool) int {
	id, err := g.Make()
	db.Check(t, err)
	if isUUIDv7 {
		return int(id[6]&15)<<12 | int(id[7])<<4 | int(id[8]>>2&15)
	}
	return int(id[6])<<8 | int(id[7])
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

// The pattern of the page matches the strings that Parse accepts.
func TestPattern(t *testing.T) {
	shown := regexp.MustCompile("matches `(.*)`").FindStringSubmatch(page.Text(t, guarantees))
	if shown == nil {
		t.Fatal("the page has no pattern")
	}
	pattern := regexp.MustCompile(shown[1])
	const s = "01ARYZ6S41TSV4RRFFQ69G5FAV"
	list := []string{"", s, s[1:], s + "0", s + "\n", strings.ToLower(s), "7" + strings.Repeat("Z", 25), "8" + s[1:]}
	for c := range rune(256) {
		list = append(list, string(c)+s[1:], s[:12]+string(c)+s[13:], s[:25]+string(c))
	}
	for _, s := range list {
		if _, err := ulid.Parse(s); pattern.MatchString(s) != (err == nil) {
			t.Errorf("%q: the pattern says %t, Parse %v", s, pattern.MatchString(s), err)
		}
	}
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
