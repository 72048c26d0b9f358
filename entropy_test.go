package ulid

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	mathrand "math/rand/v2"
	"testing"
	"time"
)

// Where the random bits come from: fresh and the steps of the type random.

// Every random bit is accounted for. The first ID of a millisecond is made of ten bytes of
// crypto/rand that are read for it. The others are steps of a ChaCha8 seeded with 32 bytes of
// crypto/rand. Nothing else is read. Make and MakeUUIDv7 are tested as they are.
func TestRandomBitsAreCryptoRands(t *testing.T) {
	var filled Generator
	shipped := func(newID func() ULID) func() (ULID, error) {
		return func() (ULID, error) { return newID(), nil }
	}
	for _, tt := range []struct {
		name  string
		g     *Generator
		newID func() (ULID, error) // nil means g.Make
	}{
		{"Make", &defaultGenerator, shipped(Make)},
		{"MakeUUIDv7", &uuidv7Generator, shipped(MakeUUIDv7)},
		{"Fill", &defaultGenerator, oneByOne(10, func(ids []ULID) error { Fill(ids); return nil })},
		{"Generator.Fill", &filled, oneByOne(10, filled.Fill)},
		{"Generator", new(Generator), nil},
		{"Generator, UUIDv7", &Generator{UUIDv7: true}, nil},
		{"Generator, rand.Reader", new(Generator), nil},
		{"Generator, MaxStep=1000", &Generator{MaxStep: 1000}, nil},
		{"Generator, MaxStep=1", &Generator{MaxStep: 1}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := record(t)
			g, newID, uuidv7, maxStep := tt.g, tt.newID, tt.g.UUIDv7, uint64(tt.g.MaxStep)
			if tt.name == "Generator, rand.Reader" {
				g.Entropy = rand.Reader
			}
			if newID == nil {
				newID = g.Make
			}
			steps := slowStepsOf(&g.random)
			seeded, last := g.random.seeded, ULID{}
			g.last.put(&last)
			milliseconds, stepped := 0, 0
			for i := 0; milliseconds < 20 || stepped < 200; i++ {
				if i == 2_000_000 {
					t.Fatalf("%d IDs show only %d milliseconds and %d steps", i, milliseconds, stepped)
				}
				id, err := newID()
				if err != nil {
					t.Fatal(err)
				}
				if id.Time() == last.Time() {
					stepped++
					step := steps.next(maxStep)
					if got := new(big.Int).Sub(randomBits(id, uuidv7), randomBits(last, uuidv7)); got.Cmp(step) != 0 {
						t.Fatalf("a step of %d from %s to %s; the ChaCha8 says %d", got, last, id, step)
					}
				} else {
					milliseconds++
					if p := r.next(); len(p) != 10 || id != fromRandomBits(id.Time(), freshBits(p, uuidv7), uuidv7) {
						t.Fatalf("%s is the first ID of its millisecond, with the entropy %x; crypto/rand gave %x", id, id[6:], p)
					}
					if !seeded && maxStep != 1 {
						seeded = true
						p := r.next()
						if len(p) != 32 {
							t.Fatalf("the ChaCha8 was seeded with %d bytes of crypto/rand, want 32", len(p))
						}
						steps.chacha.Seed([32]byte(p))
					}
				}
				if p := r.next(); p != nil {
					t.Fatalf("crypto/rand was read for %x, which is in no ID", p)
				}
				last = id
			}
		})
	}
}

// oneByOne returns the IDs of a Fill of n, then those of another.
func oneByOne(n int, fill func([]ULID) error) func() (ULID, error) {
	var ids []ULID
	return func() (ULID, error) {
		if len(ids) == 0 {
			ids = make([]ULID, n)
			if err := fill(ids); err != nil {
				return ULID{}, err
			}
		}
		id := ids[0]
		ids = ids[1:]
		return id, nil
	}
}

func TestRandomBitsOfNewAndMonotonic(t *testing.T) {
	t.Run("New", func(t *testing.T) {
		r := record(t)
		for range 100 {
			id := MustNew(knownMS, rand.Reader)
			if p := r.next(); len(p) != 10 || !bytes.Equal(id[6:], p) || r.next() != nil {
				t.Fatalf("the entropy is %x, and crypto/rand gave %x", id[6:], p)
			}
		}
	})
	for name, source := range map[string]func() *MonotonicEntropy{
		"Monotonic(nil, 0)":           func() *MonotonicEntropy { return Monotonic(nil, 0) },
		"Monotonic(rand.Reader, 0)":   func() *MonotonicEntropy { return Monotonic(rand.Reader, 0) },
		"Monotonic(rand.Reader, 1)":   func() *MonotonicEntropy { return Monotonic(rand.Reader, 1) },
		"Monotonic(rand.Reader, big)": func() *MonotonicEntropy { return Monotonic(rand.Reader, 1<<63+12345) },
		"the zero value":              func() *MonotonicEntropy { return new(MonotonicEntropy) },
		"Reader: rand.Reader":         func() *MonotonicEntropy { return &MonotonicEntropy{Reader: rand.Reader} },
		"DefaultEntropy":              func() *MonotonicEntropy { return &defaultEntropy },
	} {
		t.Run(name, func(t *testing.T) {
			r := record(t)
			m := source()
			steps, seeded := slowStepsOf(&m.random), m.random.seeded
			for ms := range uint64(20) {
				ms += 1 << 40 // other than the last of DefaultEntropy
				last := MustNew(ms, m)
				if p := r.next(); len(p) != 10 || !bytes.Equal(last[6:], p) {
					t.Fatalf("the entropy of the first ID is %x, and crypto/rand gave %x", last[6:], p)
				}
				if !seeded && m.inc != 1 {
					seeded = true
					p := r.next()
					if len(p) != 32 {
						t.Fatalf("the ChaCha8 was seeded with %d bytes of crypto/rand, want 32", len(p))
					}
					steps.chacha.Seed([32]byte(p))
				}
				for range 100 {
					id, err := New(ms, m)
					step := steps.next(m.inc)
					want := new(big.Int).Add(randomBits(last, false), step)
					if want.BitLen() > 80 { // with the big inc, in one of 200 milliseconds
						if err != ErrMonotonicOverflow {
							t.Fatalf("%v after a step of %d from %s, want an overflow", err, step, last)
						}
						break
					}
					if err != nil || randomBits(id, false).Cmp(want) != 0 {
						t.Fatalf("from %s to %s, %v; the ChaCha8 says a step of %d", last, id, err, step)
					}
					last = id
				}
				if p := r.next(); p != nil {
					t.Fatalf("crypto/rand was read for %x, which is in no ID", p)
				}
			}
		})
	}
}

// Two sources share no stream of steps: each is seeded for itself.
func TestSourcesDiffer(t *testing.T) {
	first := MustParse("01ARYZ6S410000000000000000")
	clock := &fakeClock{first.Timestamp()}
	for name, second := range map[string]func() ULID{
		// Both begin without fresh bits, so that the steps alone make the difference.
		"Generator": func() ULID { return mustNext(t, goingOn(&Generator{Clock: clock.now}, first)) },
		"Monotonic": func() ULID {
			m := Monotonic(nil, 0)
			MustNew(first.Time(), m)
			m.last = uint128{}
			return MustNew(first.Time(), m)
		},
	} {
		t.Run(name, func(t *testing.T) {
			seen := map[ULID]bool{}
			for range 1000 {
				seen[second()] = true
			}
			if len(seen) < 990 { // of steps of up to 2³², hardly two are the same
				t.Errorf("1,000 sources made %d IDs", len(seen))
			}
		})
	}
}

// maxZ is by how many standard deviations a count may be off. It exceeds that by chance once in
// a thousand million times.
const maxZ = 6.11

// statisticsOf returns how many values the statistics look at.
func statisticsOf() int {
	if long {
		return 1_000_000
	}
	return 20_000
}

// A bitCount counts in how many values each bit was set.
type bitCount struct {
	n    int
	ones [80]int
}

func (c *bitCount) add(value *big.Int) {
	c.n++
	for i := range value.BitLen() {
		c.ones[i] += int(value.Bit(i))
	}
}

// check checks that each of the low bits was set in half of the values.
func (c *bitCount) check(t *testing.T, bits uint) {
	t.Helper()
	worst, worstBit := 0.0, 0
	for i, ones := range c.ones[:bits] {
		if z := (2*float64(ones) - float64(c.n)) / math.Sqrt(float64(c.n)); math.Abs(z) > math.Abs(worst) {
			worst, worstBit = z, i
		}
	}
	t.Logf("%d bits of %d values: the greatest z is %.2f, of bit %d", bits, c.n, worst, worstBit)
	if math.Abs(worst) > maxZ {
		t.Errorf("bit %d was set in %d of %d", worstBit, c.ones[worstBit], c.n)
	}
}

// Each random bit of the first IDs of a millisecond is used, and set in half of them.
func TestStatisticsOfEntropy(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(knownMS)}
	m := Monotonic(nil, 0)
	for _, tt := range []struct {
		name   string
		uuidv7 bool
		newID  func() (ULID, error)
	}{
		{"system", false, (&Generator{Clock: clock.now}).Make},
		{"system, UUIDv7", true, (&Generator{Clock: clock.now, UUIDv7: true}).Make},
		{"reader", false, (&Generator{Clock: clock.now, Entropy: seeded(17)}).Make},
		{"reader, UUIDv7", true, (&Generator{Clock: clock.now, Entropy: seeded(17), UUIDv7: true}).Make},
		{"New", false, func() (ULID, error) { return New(knownMS, rand.Reader) }},
		{"Monotonic", false, func() (ULID, error) { return New(Timestamp(clock.t), m) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var count bitCount
			for range statisticsOf() {
				clock.t = clock.t.Add(time.Millisecond)
				id, err := tt.newID()
				if err != nil {
					t.Fatal(err)
				}
				count.add(randomBits(id, tt.uuidv7))
			}
			count.check(t, randomBitCount(tt.uuidv7))
		})
	}
}

// Steps are uniform in [1, MaxStep], from the system and from a reader, by New, by Fill and in a
// Monotonic: their mean, each of few values, and each bit of a power of two.
func TestStatisticsOfSteps(t *testing.T) {
	for _, system := range []bool{true, false} {
		for _, maxStep := range []uint64{0, 1, 2, 3, 257, 1<<32 - 1, 1 << 32, math.MaxUint64} {
			after := FirstAt(time.UnixMilli(knownMS))
			clock := &fakeClock{after.Timestamp()}
			generator := func() *Generator {
				g := &Generator{Clock: clock.now, MaxStep: uint32(maxStep)}
				if !system {
					g.Entropy = seeded(1)
				}
				return goingOn(g, after)
			}
			m := Monotonic(nil, maxStep)
			if !system {
				m.Reader = seeded(2)
			}
			MustNew(knownMS, m)
			m.last = uint128{} // as after
			sources := map[string]func() (ULID, error){"Monotonic": func() (ULID, error) { return New(knownMS, m) }}
			if maxStep <= math.MaxUint32 {
				sources["New"] = generator().Make
				sources["Fill"] = oneByOne(1000, generator().Fill)
			}
			for source, newID := range sources {
				t.Run(fmt.Sprintf("%s/system=%t/MaxStep=%d", source, system, maxStep), func(t *testing.T) {
					checkSteps(t, after, newID, cmp.Or(maxStep, 1<<32))
				})
			}
		}
	}
}

func checkSteps(t *testing.T, last ULID, newID func() (ULID, error), limit uint64) {
	n := statisticsOf()
	if limit > 1<<32 {
		n = 20_000 // the 80 bits have room for no more than 65,536 of the greatest
	}
	var (
		count bitCount
		seen  = make([]int, 258) // of the steps of a small limit
		sum   float64
		// A step is seldom that before: by chance once in 2³².
		before  uint64
		repeats int
	)
	for range n {
		id, err := newID()
		if err != nil {
			t.Fatal(err)
		}
		difference := new(big.Int).Sub(randomBits(id, false), randomBits(last, false))
		step := difference.Uint64()
		if !difference.IsUint64() || step == 0 || step > limit || id.Time() != last.Time() {
			t.Fatalf("a step of %d from %s to %s", difference, last, id)
		}
		if limit >= 1<<32-1 {
			if step == before {
				repeats++
			}
			before = step
		}
		last = id
		sum += float64(step)
		switch {
		case limit == 1<<32:
			count.add(new(big.Int).SetUint64(step - 1))
		case limit < uint64(len(seen)):
			seen[step]++
		}
	}
	if repeats > 2 {
		t.Errorf("%d of %d steps are the one before", repeats, n)
	}
	l := float64(limit)
	mean, deviation := (l+1)/2, math.Sqrt((l*l-1)/12/float64(n))
	if got := sum / float64(n); math.Abs(got-mean) > maxZ*deviation {
		t.Errorf("mean step %g, want %g ± %g", got, mean, maxZ*deviation)
	}
	switch {
	case limit == 1<<32:
		count.check(t, 32)
	case limit < uint64(len(seen)):
		p := 1 / l
		for step := uint64(1); step <= limit; step++ {
			expected, deviation := float64(n)*p, math.Sqrt(float64(n)*p*(1-p))
			if got := float64(seen[step]); math.Abs(got-expected) > maxZ*deviation {
				t.Errorf("step %d came %g times, want %g ± %g", step, got, expected, maxZ*deviation)
			}
		}
	}
}

// The least step is 1 and the greatest MaxStep.
func TestStepBounds(t *testing.T) {
	for _, maxStep := range []uint64{0, 1, 2, 3, 1000, 1<<32 - 1, 1 << 32, 1<<32 + 1, 1 << 63, math.MaxUint64} {
		limit := cmp.Or(maxStep, 1<<32)
		t.Run(fmt.Sprintf("MaxStep=%d", maxStep), func(t *testing.T) {
			for _, tt := range []struct {
				entropy constant
				want    uint64
			}{{0, 1}, {0xff, limit}} {
				var r random
				if step, err := r.step(tt.entropy, maxStep); step != tt.want || err != nil {
					t.Errorf("bytes %#x: a step of %d, %v; want %d", tt.entropy, step, err, tt.want)
				}
			}
		})
	}
	// The system gives half a word to a step of up to 2³².
	for half, want := range map[uint64]uint64{0: 1, 1<<32 - 1: 1 << 32} {
		r := random{seeded: true, half: half | 1<<32}
		if step := r.systemStep(0); step != want {
			t.Errorf("half a word of %#x: a step of %d, want %d", half, step, want)
		}
	}
}

// A step of up to 2³² is half a word of a ChaCha8: first the lower half, then the upper. An upper
// half of zero is a step too.
func TestStepTakesHalfAWord(t *testing.T) {
	var r random
	r.fresh(nil, 0)
	words := r.chacha
	for range 100 {
		word := words.Uint64()
		if low, high := r.systemStep(0), r.systemStep(0); low != 1+word&(1<<32-1) || high != 1+word>>32 {
			t.Fatalf("steps of %#x and %#x, of a word of %#x", low, high, word)
		}
	}
	r.systemStep(0)
	r.half &^= 1<<32 - 1
	if step := r.systemStep(0); step != 1 {
		t.Errorf("an upper half of zero: a step of %d", step)
	}
}

// Any other step is made of 128 bits, of the system or of a reader.
func TestStepTakes128Bits(t *testing.T) {
	const maxStep = 1<<63 + 12345
	r := random{seeded: true}
	r.chacha.Seed([32]byte{1})
	steps := slowStepsOf(&r)
	entropy := seeded(2)
	for range 100 {
		if got, want := r.systemStep(maxStep), steps.next(maxStep); got != want.Uint64() {
			t.Fatalf("a step of %d, want %d", got, want)
		}
		p := make([]byte, 16)
		entropy.Read(p)
		want := 1 + slowScale(binary.BigEndian.Uint64(p[:8]), binary.BigEndian.Uint64(p[8:]), maxStep).Uint64()
		if got, err := r.step(bytes.NewReader(p), maxStep); got != want || err != nil {
			t.Fatalf("a step of %d, %v; want %d", got, err, want)
		}
	}
}

func TestScale(t *testing.T) {
	random := mathrand.New(seeded(3))
	values := []uint64{0, 1, 2, 3, 1 << 32, 1<<63 - 1, 1 << 63, math.MaxUint64}
	for range 20 {
		values = append(values, random.Uint64())
	}
	for _, hi := range values {
		for _, lo := range values {
			for _, n := range values {
				if got, want := scale(hi, lo, n), slowScale(hi, lo, n); got != want.Uint64() {
					t.Fatalf("scale(%d, %d, %d) = %d, want %d", hi, lo, n, got, want)
				}
			}
		}
	}
}
