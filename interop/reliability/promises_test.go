package main

import (
	"crypto/fips140"
	"crypto/rand"
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

// TestCollisions computes the figures of docs/guarantees.md from its formula. A pair of IDs, one of each sequence, is
// equal with a probability of 2⁻⁸⁰ at most: whatever the steps, one first ID of the other sequence makes them equal.
// There are a · b pairs.
func TestCollisions(t *testing.T) {
	plain := func(pairs float64) float64 { return math.Ldexp(pairs, -80) }
	uuidv7 := func(pairs float64) float64 { return math.Ldexp(pairs, -74) }
	page.Contains(t, guarantees, "a · b / 2⁸⁰")
	page.Contains(t, guarantees, "a · b / 2⁷⁴")

	const year = 365.25 * 24 * 3600 * 1000 // ms
	inYear := func(p float64) float64 { return -math.Expm1(year * math.Log1p(-p)) }
	for name, n := range map[string]float64{"1": 1, "1,000": 1000, "1,000,000": 1e6} {
		p, p7 := plain(n*n), uuidv7(n*n)
		page.Contains(t, guarantees, fmt.Sprintf("\n| %s | %.1e | %.1e | %.1e |\n", name, p, inYear(p), inYear(p7)))
	}

	const hour = 3600 * 1000 // ms, in which each of the two makes 1,000 IDs
	const pairs = 1000 * hour * 1000 * hour
	page.Contains(t, guarantees, fmt.Sprintf("%.1e", plain(pairs)))
	page.Contains(t, guarantees, fmt.Sprintf("%.1e", uuidv7(pairs)))
}

// fewBits gives first IDs that have 20 random bits, and steps that have all.
type fewBits struct{ *mathrand.ChaCha8 }

func (r fewBits) Read(p []byte) (int, error) {
	n, err := r.ChaCha8.Read(p)
	if len(p) == 10 {
		clear(p[:7])
		p[7] &= 0xF
	}
	return n, err
}

// Two Generators collide as often as the formula says, with 2²⁰ in the place of 2⁸⁰.
func TestCollisionsOfGenerators(t *testing.T) {
	const trials, a, b = 300_000, 40, 20
	page.Fact(t, guarantees, "probability-of-a-collision")
	random := fewBits{mathrand.NewChaCha8([32]byte{})}
	atOnce := func() time.Time { return time.UnixMilli(1) }
	collisions := 0
	for range trials {
		var ids [a + b]ulid.ULID
		for _, part := range [][]ulid.ULID{ids[:a], ids[a:]} {
			g := ulid.Generator{Entropy: random, Spacing: 1024, Clock: atOnce}
			if err := g.Fill(part); err != nil {
				t.Fatal(err)
			}
		}
		slices.SortFunc(ids[:], ulid.ULID.Compare)
		if len(slices.Compact(ids[:])) < a+b {
			collisions++
		}
	}
	want := float64(trials * a * b >> 20)
	if off := math.Abs(float64(collisions) - want); off > 4*math.Sqrt(want) {
		t.Errorf("%d of %d collide, want about %v", collisions, trials, want)
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
