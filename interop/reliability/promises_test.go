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

// TestCollisions computes the table of docs/guarantees.md from its formula. A pair of IDs, one of each sequence, is equal with a
// probability of 2⁻⁸⁰ at most: whatever the steps, one first ID of the other sequence makes them equal. There are a · b pairs.
func TestCollisions(t *testing.T) {
	page.Contains(t, "docs/guarantees.md", "a · b / 2⁸⁰, or a · b / 2⁷⁴")
	const hour, year = 3600 * 1000, 365.25 * 24 * 3600 * 1000 // ms
	page.Contains(t, "docs/guarantees.md", fmt.Sprintf("at most %.1e (UUIDv7: %.1e)", math.Ldexp(1e6*hour*hour, -80), math.Ldexp(1e6*hour*hour, -74)))
	for name, n := range map[string]float64{"1": 1, "1,000": 1000, "1,000,000": 1e6} {
		inYear := func(p float64) float64 { return -math.Expm1(year * math.Log1p(-p)) }
		page.Contains(t, "docs/guarantees.md", fmt.Sprintf("\n| %s | %.1e | %.1e | %.1e |\n", name,
			math.Ldexp(n*n, -80), inYear(math.Ldexp(n*n, -80)), inYear(math.Ldexp(n*n, -74))))
	}
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
	random := fewBits{mathrand.NewChaCha8([32]byte{})}
	collisions := 0
	for range trials {
		var ids [a + b]ulid.ULID
		for _, part := range [][]ulid.ULID{ids[:a], ids[a:]} {
			g := ulid.Generator{Entropy: random, MaxStep: 2048, Clock: func() time.Time { return time.UnixMilli(1) }}
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
	if !fips140.Enabled() {
		page.Contains(t, "SECURITY.md", "`Entropy: struct{ io.Reader }{rand.Reader}`")
		for mode, want := range map[string]string{"on": "enforced: false", "only": "enforced: true"} {
			cmd := exec.Command(os.Args[0], "-test.run=^TestFIPS$", "-test.v")
			cmd.Env = append(os.Environ(), "GODEBUG=fips140="+mode)
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
				t.Errorf("fips140=%s: %v, without %q:\n%s", mode, err, want, out)
			}
			page.Contains(t, "SECURITY.md", "`GODEBUG=fips140="+mode+"`")
		}
		return
	}
	t.Log("enforced:", fips140.Enforced())
	ids := append(make([]ulid.ULID, 20), ulid.Make(), ulid.MakeUUIDv7())
	ulid.Fill(ids[:10])
	ulid.FillUUIDv7(ids[10:20])
	monotonic := ulid.Monotonic(nil, 0)
	for _, entropy := range []io.Reader{nil, rand.Reader, struct{ io.Reader }{rand.Reader}} {
		g := ulid.Generator{Entropy: entropy}
		for range 10 {
			made, err := g.Make()
			ids = append(ids, made, ulid.MustNew(ulid.Now(), rand.Reader), ulid.MustNew(ulid.Now(), monotonic))
			if err != nil {
				t.Error(err)
			}
		}
	}
	n := len(ids)
	slices.SortFunc(ids, ulid.ULID.Compare)
	if len(slices.Compact(ids)) != n || ids[0].IsZero() {
		t.Errorf("an ID is zero, or is made twice: %s", ids)
	}
}
