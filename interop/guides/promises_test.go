package guides

import (
	"crypto/fips140"
	"crypto/rand"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/page"
)

// TestFigures computes the probabilities that the pages print. Two IDs of a millisecond from different sequences are
// equal with a probability of 2⁻⁷⁴, because an ID has 16 bits of the fraction and 58 random ones.
func TestFigures(t *testing.T) {
	const guarantees = "docs/guarantees.md"
	const year = 365.25 * 24 * 3600 // in seconds
	perYear := func(servers, ids float64) string {
		pairs := servers * (servers - 1) / 2 * ids * ids
		return oneIn(-math.Expm1(-year * 1000 * math.Ldexp(pairs, -74)))
	}
	ofOneInstant := func(rows float64, bits int) string { return oneIn(math.Ldexp(rows*rows/2, -bits)) }
	for _, figure := range []struct{ page, words string }{
		{guarantees, "| 2 | 1 | " + perYear(2, 1) + " |"},
		{guarantees, "| 2 | 1,000 | " + perYear(2, 1000) + " |"},
		{guarantees, "| 10 | 10 | " + perYear(10, 10) + " |"},
		{guarantees, "| 100 | 10 | " + perYear(100, 10) + " |"},
		{guarantees, "| 1,000 | 10 | " + perYear(1000, 10) + " |"},
		{guarantees, ofOneInstant(1e8, 62) + ", and with `rand.Reader` of " + ofOneInstant(1e8, 80)},
		{"SECURITY.md", fmt.Sprintf("2⁵⁷, some %.0f,000 years at 10,000 a second", math.Ldexp(1, 57)/1e4/year/1000)},
	} {
		text := strings.Join(strings.Fields(page.Text(t, figure.page)), " ")
		if !strings.Contains(text, figure.words) {
			t.Errorf("%s lacks %q", figure.page, figure.words)
		}
	}
}

// oneIn is a probability in words, to two digits, such as "1 in 38 million".
func oneIn(p float64) string {
	n := 1 / p
	digit := math.Pow(10, math.Floor(math.Log10(n))-1)
	n = math.Round(n/digit) * digit
	switch {
	case n >= 1e9:
		return fmt.Sprintf("1 in %.3g billion", n/1e9)
	case n >= 1e6:
		return fmt.Sprintf("1 in %.3g million", n/1e6)
	case n >= 1e3:
		return fmt.Sprintf("1 in %.0f,%03.0f", math.Floor(n/1000), math.Mod(n, 1000))
	}
	return fmt.Sprintf("1 in %.0f", n)
}

// inFIPSMode is a variable of the environment, with which the test binary generates IDs in a FIPS mode.
const inFIPSMode = "ULID_IN_FIPS_MODE"

// TestFIPS runs itself again in the FIPS modes, and generates IDs in every way.
func TestFIPS(t *testing.T) {
	if os.Getenv(inFIPSMode) != "" {
		ids := []ulid.ULID{ulid.Make(), ulid.Make(), ulid.Make(), ulid.Make()}
		ulid.Fill(ids)
		g := ulid.Generator{Entropy: rand.Reader}
		ulid.FillFrom(&g, ids)
		fmt.Printf("enabled: %t, enforced: %t, made: %d\n", fips140.Enabled(), fips140.Enforced(), len(ids))
		return
	}
	page.Contains(t, "SECURITY.md", "`Entropy: rand.Reader`")
	for mode, want := range map[string]string{
		"on":   "enabled: true, enforced: false, made: 4",
		"only": "enabled: true, enforced: true, made: 4",
	} {
		again := exec.Command(os.Args[0], "-test.run=^TestFIPS$")
		again.Env = append(os.Environ(), inFIPSMode+"=1", "GODEBUG=fips140="+mode)
		out, err := again.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("fips140=%s: %v, and without %q\n%s", mode, err, want, out)
		}
	}
}
