package ulid

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"fmt"
	"io"
	"math/big"
	mathrand "math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// Where the random bits come from, and the path that Make takes.

// keep restores a shipped Generator at the end of a test that changes it.
func keep(t *testing.T, g *Generator) {
	t.Helper()
	entropy, clock, maxStep, after, uuidv7, wall := g.Entropy, g.Clock, g.MaxStep, g.After, g.UUIDv7, g.wall
	last, started, random, opened, window := g.last, g.started, g.random, g.opened, g.window
	t.Cleanup(func() {
		g.Entropy, g.Clock, g.MaxStep, g.After, g.UUIDv7, g.wall = entropy, clock, maxStep, after, uuidv7, wall
		g.last, g.started, g.random, g.opened, g.window = last, started, random, opened, window
	})
}

// The shipped sources have the settings that the documentation promises. As every test that
// changes them restores them, this holds before and after any other.
func TestShippedSettings(t *testing.T) {
	for _, tt := range []struct {
		name   string
		g      *Generator
		uuidv7 bool
	}{{"Make", &defaultGenerator, false}, {"MakeUUIDv7", &uuidv7Generator, true}} {
		if g := tt.g; g.Entropy != nil || g.Clock != nil || g.wall != nil || g.MaxStep != 0 || !g.After.IsZero() || g.UUIDv7 != tt.uuidv7 {
			t.Errorf("the Generator of %s has Entropy %v, Clock set: %t, MaxStep %d, After %s, UUIDv7 %t",
				tt.name, g.Entropy, g.Clock != nil || g.wall != nil, g.MaxStep, g.After, g.UUIDv7)
		}
	}
	if m := &defaultEntropy; m.Reader != nil || m.inc != 0 {
		t.Errorf("DefaultEntropy has the reader %v and an inc of %d", m.Reader, m.inc)
	}
}

// A recorder stands in for crypto/rand.Reader, and keeps what it gave to each read.
type recorder struct {
	io.Reader
	reads [][]byte
}

func (r *recorder) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.reads = append(r.reads, bytes.Clone(p[:n]))
	return n, err
}

// next takes the oldest read that is left.
func (r *recorder) next() []byte {
	if len(r.reads) == 0 {
		return nil
	}
	p := r.reads[0]
	r.reads = r.reads[1:]
	return p
}

// replaceSystem puts a reader in the place of crypto/rand.Reader for the rest of the test.
func replaceSystem(t *testing.T, reader io.Reader) {
	t.Helper()
	before := rand.Reader
	t.Cleanup(func() { rand.Reader = before })
	rand.Reader = reader
}

func record(t *testing.T) *recorder {
	r := &recorder{Reader: rand.Reader}
	replaceSystem(t, r)
	return r
}

// slowSteps draws steps as the documentation says, slowly: those of up to 2³² are halves of a
// word, the lower one first, all others two words.
type slowSteps struct {
	chacha mathrand.ChaCha8
	halves []uint64 // not yet drawn
}

// slowStepsOf returns the steps that r will draw.
func slowStepsOf(r *random) *slowSteps {
	s := &slowSteps{chacha: r.chacha}
	if r.half != 0 {
		s.halves = []uint64{r.half & (1<<32 - 1)}
	}
	return s
}

func (s *slowSteps) next(maxStep uint64) *big.Int {
	switch maxStep {
	case 1:
		return big.NewInt(1)
	case 0:
		if len(s.halves) == 0 {
			word := s.chacha.Uint64()
			s.halves = []uint64{word % (1 << 32), word / (1 << 32)}
		}
		half := s.halves[0]
		s.halves = s.halves[1:]
		return new(big.Int).SetUint64(1 + half)
	}
	step := new(big.Int).Lsh(new(big.Int).SetUint64(s.chacha.Uint64()), 64)
	step.Add(step, new(big.Int).SetUint64(s.chacha.Uint64()))
	step.Mul(step, new(big.Int).SetUint64(maxStep)).Rsh(step, 128)
	return step.Add(step, big.NewInt(1))
}

// randomBits returns the 80 random bits of an ID as a number, or the 74 of a UUIDv7.
func randomBits(id ULID, uuidv7 bool) *big.Int {
	if uuidv7 {
		return random74(id)
	}
	return new(big.Int).SetBytes(id[6:])
}

// randomBitCount is how many there are.
func randomBitCount(uuidv7 bool) uint {
	if uuidv7 {
		return 74
	}
	return 80
}

// asUUIDv7 sets the version and the variant in 10 bytes of entropy.
func asUUIDv7(p []byte, uuidv7 bool) []byte {
	p = bytes.Clone(p)
	if uuidv7 {
		p[0] = p[0]&0x0f | 0x70
		p[2] = p[2]&0x3f | 0x80
	}
	return p
}

// Every random bit of every source is accounted for: the first ID of a millisecond is ten
// bytes of crypto/rand, read for it and as they are; the others are steps of a ChaCha8 seeded with 32
// bytes of crypto/rand. The shipped Generators are tested as they are.
func TestRandomBitsAreCryptoRands(t *testing.T) {
	system := rand.Reader
	var filled Generator
	for _, tt := range []struct {
		name    string
		g       *Generator
		make    func() ULID
		uuidv7  bool
		maxStep uint64
	}{
		{"Make", &defaultGenerator, Make, false, 0},
		{"MakeUUIDv7", &uuidv7Generator, MakeUUIDv7, true, 0},
		{"Fill", &defaultGenerator, oneByOne(10, func(ids []ULID) error { Fill(ids); return nil }), false, 0},
		{"Fill of a new Generator", &filled, oneByOne(10, filled.Fill), false, 0},
		{"a new Generator", new(Generator), nil, false, 0},
		{"a new Generator of UUIDv7s", &Generator{UUIDv7: true}, nil, true, 0},
		{"Entropy: rand.Reader", &Generator{Entropy: system}, nil, false, 0},
		{"MaxStep 1000", &Generator{MaxStep: 1000}, nil, false, 1000},
		{"MaxStep 1", &Generator{MaxStep: 1}, nil, false, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := record(t)
			g, newID := tt.g, tt.make
			if newID == nil {
				newID = func() ULID { return mustNext(t, g) }
			}
			steps := slowStepsOf(&g.random)
			seeded, last := g.random.seeded, ULID{}
			g.last.put(&last)
			milliseconds, stepped := 0, 0
			for i := 0; milliseconds < 20 || stepped < 200; i++ {
				if i == 2_000_000 {
					t.Fatalf("%d IDs show only %d milliseconds and %d steps", i, milliseconds, stepped)
				}
				id := newID()
				if id.Time() == last.Time() {
					stepped++
					step := steps.next(tt.maxStep)
					if got := new(big.Int).Sub(randomBits(id, tt.uuidv7), randomBits(last, tt.uuidv7)); got.Cmp(step) != 0 {
						t.Fatalf("a step of %d from %s to %s; the ChaCha8 says %d", got, last, id, step)
					}
				} else {
					milliseconds++
					if p := r.next(); len(p) != 10 || !bytes.Equal(id[6:], asUUIDv7(p, tt.uuidv7)) {
						t.Fatalf("%s is the first ID of its millisecond, with the entropy %x; crypto/rand gave %x", id, id[6:], p)
					}
					if !seeded && tt.maxStep != 1 {
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
func oneByOne(n int, fill func([]ULID) error) func() ULID {
	var ids []ULID
	return func() ULID {
		if len(ids) == 0 {
			ids = make([]ULID, n)
			if err := fill(ids); err != nil {
				panic(err)
			}
		}
		id := ids[0]
		ids = ids[1:]
		return id
	}
}

func TestRandomBitsOfNewAndMonotonic(t *testing.T) {
	system := rand.Reader
	t.Run("New", func(t *testing.T) {
		r := record(t)
		for range 100 {
			id := MustNew(knownMS, system)
			if p := r.next(); len(p) != 10 || !bytes.Equal(id[6:], p) || r.next() != nil {
				t.Fatalf("the entropy is %x, and crypto/rand gave %x", id[6:], p)
			}
		}
	})
	for name, m := range map[string]*MonotonicEntropy{
		"Monotonic(nil, 0)":           Monotonic(nil, 0),
		"Monotonic(rand.Reader, 0)":   Monotonic(system, 0),
		"Monotonic(rand.Reader, 1)":   Monotonic(system, 1),
		"Monotonic(rand.Reader, big)": Monotonic(system, 1<<63+12345),
		"the zero value":              {},
		"Reader: rand.Reader":         {Reader: system},
		"DefaultEntropy":              &defaultEntropy,
	} {
		t.Run(name, func(t *testing.T) {
			r := record(t)
			steps, seeded := slowStepsOf(&m.random), m.random.seeded
			for ms := range uint64(20) {
				ms += 1 << 40 // other than the last of DefaultEntropy
				last := MustNew(ms, m)
				if p := r.next(); len(p) != 10 || !bytes.Equal(last[6:], p) {
					t.Fatalf("the entropy of the first ID is %x, and crypto/rand gave %x", last[6:], p)
				}
				for range 100 {
					id, err := New(ms, m)
					if m.inc > 1<<63 && err == ErrMonotonicOverflow {
						break // in one of 200 milliseconds
					}
					if !seeded && m.inc != 1 {
						seeded = true
						p := r.next()
						if len(p) != 32 {
							t.Fatalf("the ChaCha8 was seeded with %d bytes of crypto/rand, want 32", len(p))
						}
						steps.chacha.Seed([32]byte(p))
					}
					step := steps.next(m.inc)
					if got := new(big.Int).Sub(randomBits(id, false), randomBits(last, false)); err != nil || got.Cmp(step) != 0 {
						t.Fatalf("a step of %d from %s to %s, %v; the ChaCha8 says %d", got, last, id, err, step)
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

// The quick path beside its slow twin: within the window no clock is read, and every ID is the
// last one plus the next step of the ChaCha8, also where that carries. An overflow leaves the quick path
// and leads into the next millisecond.
func TestQuickPath(t *testing.T) {
	for _, uuidv7 := range []bool{false, true} {
		for _, maxStep := range []uint32{0, 1, 2, 3, 1000, 1<<32 - 1} {
			t.Run(fmt.Sprintf("UUIDv7 %t, MaxStep %d", uuidv7, maxStep), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { testQuickPath(t, uuidv7, maxStep) })
			})
		}
	}
}

func testQuickPath(t *testing.T, uuidv7 bool, maxStep uint32) {
	r := record(t)
	readings := 0
	g := &Generator{UUIDv7: uuidv7, MaxStep: maxStep, wall: func() time.Time { readings++; return time.Now() }}
	g.random.chacha.Seed([32]byte{42})
	g.random.seeded = true
	steps := slowStepsOf(&g.random)
	bits := randomBitCount(uuidv7)
	end := new(big.Int).Lsh(big.NewInt(1), bits)
	limit := new(big.Int).SetUint64(cmp.Or(uint64(maxStep), 1<<32))
	carries, overflows := 0, 0
	// The IDs begin where they step over a carry of every kind, and over the end.
	for _, bit := range []uint{8, 32, 48, 62, 64, bits} {
		// A microsecond past the stroke: on the stroke the window would stay shut.
		time.Sleep(time.Millisecond + time.Microsecond - time.Duration(time.Now().Nanosecond())%time.Millisecond)
		last := mustNext(t, g)
		if r.next(); g.window <= 0 {
			t.Fatal("the window is shut")
		}
		// 20 steps of the average length before the carry, and odd.
		near := new(big.Int).Lsh(big.NewInt(1), bit)
		near.Sub(near, new(big.Int).Mul(limit, big.NewInt(10))).Sub(near, big.NewInt(1))
		if near.Sign() < 0 {
			near.SetInt64(1)
		}
		last = fromBits(t, last.Time(), near, uuidv7)
		g.last = last.uint128()
		before := readings
		for i := range 60 {
			want := randomBits(last, uuidv7)
			want.Add(want, steps.next(uint64(maxStep)))
			ms := last.Time()
			overflow := want.Cmp(end) >= 0
			if overflow {
				// The clock is read, and another step is tried: it does not fit either if the
				// first did not by far.
				overflows++
				if want.Add(randomBits(last, uuidv7), steps.next(uint64(maxStep))); want.Cmp(end) < 0 {
					overflow = false
				}
			}
			if new(big.Int).Rsh(want, bit).Cmp(new(big.Int).Rsh(randomBits(last, uuidv7), bit)) != 0 {
				carries++
			}
			id := mustNext(t, g)
			if overflow {
				ms++
				p := r.next()
				if len(p) != 10 {
					t.Fatalf("ID %d before a carry into bit %d: %s follows %s, and crypto/rand was read for %d bytes, want 10", i, bit, id, last, len(p))
				}
				want = randomBits(ULID(append(make([]byte, 6), asUUIDv7(p, uuidv7)...)), uuidv7)
			}
			if expected := fromBits(t, ms, want, uuidv7); id != expected {
				t.Fatalf("ID %d before a carry into bit %d: %s follows %s, want %s", i, bit, id, last, expected)
			}
			last = id
			if overflow {
				break
			}
		}
		if bit < bits && readings != before {
			t.Errorf("the clock was read %d times within the window", readings-before)
		}
	}
	if overflows == 0 || carries < 3 {
		t.Errorf("%d carries and %d overflows were seen", carries, overflows)
	}
}

// fromBits returns the ID with this time and these random bits.
func fromBits(t *testing.T, ms uint64, number *big.Int, uuidv7 bool) (id ULID) {
	t.Helper()
	n := new(big.Int).Set(number)
	if uuidv7 {
		a := new(big.Int).Rsh(n, 62)
		n.And(n, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 62), big.NewInt(1)))
		n.SetBit(n, 63, 1).Or(n, a.Lsh(a.Or(a, big.NewInt(0x7000)), 64))
	}
	if n.BitLen() > 80 {
		t.Fatalf("%x has more than 80 bits", n)
	}
	n.FillBytes(id[6:])
	if err := id.SetTime(ms); err != nil {
		t.Fatal(err)
	}
	return id
}

// The window ends with the millisecond in which the wall clock was read, however late the lock
// was got.
func TestWindowBeginsBeforeTheClockIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const delay = 400 * time.Microsecond
		time.Sleep(100 * time.Microsecond)
		g := &Generator{wall: func() time.Time {
			now := time.Now()
			time.Sleep(delay) // as a goroutine that is descheduled, or waits for the lock
			return now
		}}
		first := mustNext(t, g) // at 100 µs, returned at 500 µs
		time.Sleep(499 * time.Microsecond)
		mustNext(t, g)
		time.Sleep(time.Microsecond)
		now := Now()
		if id := mustNext(t, g); now != first.Time()+1 || id.Time() != now {
			t.Errorf("%s at %d, but the clock had come to %d", id, id.Time(), now)
		}
	})
}

// Fill reads the clock once for 1,024 IDs, and leaves the window alone.
func TestFillReadsTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		readings := 0
		g := &Generator{wall: func() time.Time {
			readings++
			time.Sleep(time.Millisecond)
			return time.Now()
		}}
		for _, tt := range []struct{ n, readings int }{{0, 0}, {1, 1}, {1024, 1}, {1025, 2}, {10_000, 10}} {
			readings = 0
			ids := make([]ULID, tt.n)
			if err := g.Fill(ids); err != nil {
				t.Fatal(err)
			}
			if readings != tt.readings {
				t.Errorf("Fill of %d IDs reads the clock %d times, want %d", tt.n, readings, tt.readings)
			}
			// Each piece has the time of its own reading.
			for i, id := range ids {
				if late := uint64(i / 1024); id.Time() != ids[0].Time()+late || i > 0 && id.Compare(ids[i-1]) <= 0 {
					t.Fatalf("Fill of %d IDs: element %d, %s, is at %d after %s at %d", tt.n, i, id, id.Time(), ids[0], ids[0].Time())
				}
			}
		}
	})
	synctest.Test(t, func(t *testing.T) {
		g := new(Generator)
		time.Sleep(250 * time.Microsecond)
		if err := g.Fill(make([]ULID, 2)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(750 * time.Microsecond)
		if id := mustNext(t, g); id.Time() != Now() {
			t.Errorf("after Fill: %s at %d; the clock shows %d", id, id.Time(), Now())
		}
		// Nor does it shut the window that New has opened.
		time.Sleep(time.Microsecond)
		mustNext(t, g)
		opened, window := g.opened, g.window
		time.Sleep(time.Microsecond)
		if err := g.Fill(make([]ULID, 2)); err != nil || g.opened != opened || g.window != window || window == 0 {
			t.Errorf("Fill changed the window from %v for %v to %v for %v, %v", opened, window, g.opened, g.window, err)
		}
	})
	// The caller's clock, in the same way.
	calls := 0
	g := &Generator{Clock: func() time.Time { calls++; return time.UnixMilli(knownMS) }}
	if err := g.Fill(make([]ULID, 10_000)); err != nil || calls != 10 {
		t.Errorf("Fill of 10,000 IDs calls Clock %d times, want 10; %v", calls, err)
	}
}

// With a Clock it is called once for an ID, and the system's clocks are not read.
func TestClockIsTheOnlyClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		g := &Generator{
			Clock: func() time.Time { calls++; return time.UnixMilli(knownMS + int64(calls)/10) },
			wall:  func() time.Time { t.Error("the wall clock was read"); return time.Now() },
		}
		last := ULID{}
		for i := range 1000 {
			id := mustNext(t, g)
			if calls != i+1 || id.Time() != knownMS+uint64(calls)/10 || id.Compare(last) <= 0 {
				t.Fatalf("%s after %s at %d, and Clock was called %d times for %d IDs", id, last, id.Time(), calls, i+1)
			}
			last = id
			time.Sleep(10 * time.Microsecond)
		}
		if g.window != 0 {
			t.Errorf("the window is %v", g.window)
		}
	})
}

// misbehaviors are what a reader in the place of crypto/rand.Reader may do.
var misbehaviors = map[string]func(p []byte) (int, error){
	"panics":             func([]byte) (int, error) { panic(errFaulty) },
	"ends the goroutine": func([]byte) (int, error) { runtime.Goexit(); return 0, nil },
	"fails":              func([]byte) (int, error) { return 0, errFaulty },
}

// makers are all ways to make an ID from the system's entropy, each with its lock. Those without a
// lock keep no order. They take crypto/rand.Reader as it is when they are called, so that one that
// was replaced comes as a reader.
var makers = []struct {
	name string
	// asReader is whether the maker is given rand.Reader. The others use rand.Read, which ends
	// the process if the reader fails.
	asReader bool
	new      func(t *testing.T) (newID func() (ULID, error), lock *sync.Mutex)
}{
	{"Make", false, func(t *testing.T) (func() (ULID, error), *sync.Mutex) {
		keep(t, &defaultGenerator)
		defaultGenerator = Generator{}
		return func() (ULID, error) { return Make(), nil }, &defaultGenerator.mu
	}},
	{"Fill", false, func(t *testing.T) (func() (ULID, error), *sync.Mutex) {
		keep(t, &defaultGenerator)
		defaultGenerator = Generator{}
		return func() (ULID, error) {
			ids := make([]ULID, 3)
			Fill(ids)
			return ids[2], nil
		}, &defaultGenerator.mu
	}},
	{"MakeUUIDv7", false, func(t *testing.T) (func() (ULID, error), *sync.Mutex) {
		keep(t, &uuidv7Generator)
		uuidv7Generator = Generator{UUIDv7: true}
		return func() (ULID, error) { return MakeUUIDv7(), nil }, &uuidv7Generator.mu
	}},
	{"Generator", false, func(t *testing.T) (func() (ULID, error), *sync.Mutex) {
		g := new(Generator)
		return g.New, &g.mu
	}},
	{"Generator, MaxStep 1", false, func(t *testing.T) (func() (ULID, error), *sync.Mutex) {
		g := &Generator{MaxStep: 1}
		return g.New, &g.mu
	}},
	{"Generator, After", false, func(t *testing.T) (func() (ULID, error), *sync.Mutex) {
		g := &Generator{After: FirstAt(time.Now().Add(3 * time.Millisecond))} // steps first
		return g.New, &g.mu
	}},
	{"Generator, Clock", false, func(t *testing.T) (func() (ULID, error), *sync.Mutex) {
		g := &Generator{Clock: time.Now}
		return g.New, &g.mu
	}},
	{"Generator, rand.Reader", true, func(t *testing.T) (func() (ULID, error), *sync.Mutex) {
		g := &Generator{Entropy: rand.Reader}
		return g.New, &g.mu
	}},
	{"Monotonic(nil, 0)", false, func(t *testing.T) (func() (ULID, error), *sync.Mutex) {
		m := Monotonic(nil, 0)
		return func() (ULID, error) { return New(Now(), m) }, &m.mu
	}},
	{"Monotonic(rand.Reader, 0)", true, func(t *testing.T) (func() (ULID, error), *sync.Mutex) {
		m := Monotonic(rand.Reader, 0)
		return func() (ULID, error) { return New(Now(), m) }, &m.mu
	}},
	{"New, rand.Reader", true, func(t *testing.T) (func() (ULID, error), *sync.Mutex) {
		return func() (ULID, error) { return New(Now(), rand.Reader) }, nil
	}},
	{"New, the original rand.Reader", false, func(t *testing.T) (func() (ULID, error), *sync.Mutex) {
		return func() (ULID, error) { return New(Now(), systemReader) }, nil
	}},
}

// A reader in the place of crypto/rand.Reader that misbehaves at any of its reads leaves no lock
// behind, and the next ID is made as if nothing had been.
func TestSystemReaderMisbehaves(t *testing.T) {
	for _, m := range makers {
		for behavior, misbehave := range misbehaviors {
			if behavior == "fails" && !m.asReader {
				continue // TestSystemReaderFails
			}
			for n := 1; n <= 4; n++ {
				t.Run(fmt.Sprintf("%s, %s at read %d", m.name, behavior, n), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						good, reads := rand.Reader, 0
						replaceSystem(t, readerFunc(func(p []byte) (int, error) {
							if reads++; reads == n {
								return misbehave(p)
							}
							return good.Read(p)
						}))
						newID, lock := m.new(t)
						last, misbehaved := ULID{}, false
						time.Sleep(time.Microsecond) // on the stroke of a millisecond the window stays shut
						for i := 0; reads <= n+1 && i < 50; i++ {
							id, err, returned := call(newID)
							switch {
							case !returned:
								misbehaved = true
							case err != nil:
								if misbehaved = true; err != errFaulty || id != (ULID{}) {
									t.Fatalf("%s, %v", id, err)
								}
							case lock != nil && id.Compare(last) <= 0:
								t.Fatalf("%s after %s", id, last)
							default:
								last = id
							}
							if lock != nil {
								if !lock.TryLock() {
									t.Fatal("a lock was left behind")
								}
								lock.Unlock()
							}
							if i%2 == 1 { // two IDs in each millisecond, the second from the quick path
								time.Sleep(time.Millisecond)
							}
						}
						if !misbehaved {
							t.Fatalf("%d reads, and all IDs were made", reads)
						}
						if id, err, returned := call(newID); err != nil || !returned || id.IsZero() {
							t.Errorf("afterwards: %s, %v, returned: %t", id, err, returned)
						}
					})
				})
			}
		}
	}
}

// call calls newID in a goroutine of its own, and reports whether it returned. It does not if
// it panics with errFaulty or ends the goroutine.
func call(newID func() (ULID, error)) (id ULID, err error, returned bool) {
	done := make(chan any)
	go func() {
		defer func() { done <- recover() }()
		id, err = newID()
		returned = true
	}()
	if recovered := <-done; recovered != nil && recovered != errFaulty {
		panic(recovered)
	}
	return id, err, returned
}

// A reader in the place of crypto/rand.Reader that blocks holds up the callers of that source. All
// of them get their IDs when it goes on.
func TestSystemReaderBlocks(t *testing.T) {
	for _, m := range makers {
		for n := int64(1); n <= 2; n++ {
			t.Run(fmt.Sprintf("%s at read %d", m.name, n), func(t *testing.T) {
				good := rand.Reader
				entered, release := make(chan bool), make(chan bool)
				var reads atomic.Int64
				replaceSystem(t, readerFunc(func(p []byte) (int, error) {
					if reads.Add(1) == n {
						entered <- true
						<-release
					}
					return good.Read(p)
				}))
				newID, _ := m.new(t)
				var (
					group sync.WaitGroup
					mu    sync.Mutex
					ids   []ULID
				)
				start := func() (done chan bool) {
					done = make(chan bool, 1)
					group.Go(func() {
						id, err := newID()
						mu.Lock()
						defer mu.Unlock()
						if ids = append(ids, id); err != nil {
							t.Error(err)
						}
						done <- true
					})
					return done
				}
				started, blocked := 0, false
				for ; !blocked && started < 10; started++ {
					select {
					case <-entered:
						blocked = true
					case <-start():
						time.Sleep(2 * time.Millisecond) // a later one may read only in another millisecond
					}
				}
				if !blocked {
					t.Fatalf("%d reads for %d IDs", reads.Load(), started)
				}
				start()
				start()
				close(release)
				done := make(chan bool)
				go func() { group.Wait(); close(done) }()
				select {
				case <-done:
				case <-time.After(30 * time.Second):
					t.Fatal("a goroutine still waits for its ID")
				}
				slices.SortFunc(ids, ULID.Compare)
				if made, distinct := len(ids), len(slices.Compact(ids)); made != distinct || ids[0].IsZero() {
					t.Errorf("%d IDs, of which %d differ, from %s", made, distinct, ids[0])
				}
			})
		}
	}
}

// A nil Entropy reads through crypto/rand.Read, which ends the process if the reader that stands in
// the place of crypto/rand.Reader fails.
func TestSystemReaderFails(t *testing.T) {
	if name := os.Getenv("ULID_TEST_FAIL"); name != "" {
		for _, m := range makers {
			if m.name == name {
				newID, _ := m.new(t)
				rand.Reader = iotest.ErrReader(errFaulty)
				newID()
				t.Fatal("an ID was made without entropy")
			}
		}
	}
	executable, err := os.Executable()
	if err == nil {
		err = exec.Command(executable, "-test.list", "^$").Run()
	}
	if err != nil {
		t.Skipf("the test cannot start itself, as in WebAssembly or under emulation: run it on a system of its own (%v)", err)
	}
	for _, m := range makers {
		if m.asReader {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			cmd := exec.Command(executable, "-test.run", "^TestSystemReaderFails$")
			cmd.Env = append(os.Environ(), "ULID_TEST_FAIL="+m.name)
			out, err := cmd.CombinedOutput()
			if err == nil || !bytes.Contains(out, []byte("fatal error: crypto/rand: failed to read random data")) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// Errors and locks of Monotonic.

// An error leaves p and the source as they were: the next ID is the one that would have come.
func TestMonotonicErrorChangesNothing(t *testing.T) {
	for _, broken := range []bool{false, true} {
		reader := &replaceable{bytes.NewReader(append([]byte("0123456789"), make([]byte, 32)...))}
		m := Monotonic(reader, 0)
		p := make([]byte, 10)
		if err := m.MonotonicRead(1, p); err != nil {
			t.Fatal(err)
		}
		if broken {
			good := reader.Reader
			reader.Reader = iotest.ErrReader(errFaulty)
			for _, ms := range []uint64{1, 2, 0} {
				if err := m.MonotonicRead(ms, p); err != errFaulty || string(p) != "0123456789" {
					t.Errorf("MonotonicRead of %d = %q, %v; p was %q", ms, p, err, "0123456789")
				}
			}
			reader.Reader = good
		}
		// Zero bytes are the least step, 1.
		if err := m.MonotonicRead(1, p); err != nil || string(p) != "012345678:" {
			t.Errorf("after errors %t: MonotonicRead = %q, %v; want the next in order, %q", broken, p, err, "012345678:")
		}
	}
}

// An overflow lasts until another millisecond has been drawn, not only tried.
func TestMonotonicOverflowOutlivesAnError(t *testing.T) {
	reader := &replaceable{constant(0xff)}
	m := Monotonic(reader, 0)
	last := LastAt(Time(1))
	near := last.uint128()
	near.lo -= 1 << 31
	m.started, m.ms, m.last = true, 1, near
	m.last.hi &= 0xffff
	if _, err := New(1, m); err != ErrMonotonicOverflow { // with the greatest step
		t.Fatal(err)
	}
	reader.Reader = iotest.ErrReader(errFaulty)
	if _, err := New(2, m); err != errFaulty {
		t.Fatal(err)
	}
	reader.Reader = constant(0)
	if _, err := New(1, m); err != ErrMonotonicOverflow { // with the least
		t.Errorf("after an error in the next millisecond the overflow of the first has become %v", err)
	}
}

// Both ways of reading a Monotonic keep its lock while they read.
func TestMonotonicReadsUnderItsLock(t *testing.T) {
	var m *MonotonicEntropy
	unlocked := 0
	m = Monotonic(readerFunc(func(p []byte) (int, error) {
		if m.mu.TryLock() {
			unlocked++
			m.mu.Unlock()
		}
		return constant(1).Read(p)
	}), 0)
	if _, err := m.Read(make([]byte, 3)); err != nil || unlocked > 0 {
		t.Errorf("Read reads %d times without the lock, %v", unlocked, err)
	}
	for range 2 {
		if _, err := New(1, m); err != nil || unlocked > 0 {
			t.Errorf("New reads %d times without the lock, %v", unlocked, err)
		}
	}
}

// A time that is too large is found before the entropy is touched.
func TestNewChecksTheTimeFirst(t *testing.T) {
	reads := 0
	counting := readerFunc(func(p []byte) (int, error) { reads++; return 0, errFaulty })
	for name, entropy := range map[string]io.Reader{
		"reader":                    counting,
		"Monotonic":                 Monotonic(counting, 0),
		"monotonic of another type": &LockedMonotonicReader{MonotonicReader: Monotonic(counting, 0)},
	} {
		if id, err := New(1<<48, entropy); err != ErrBigTime || id != (ULID{}) || reads > 0 {
			t.Errorf("%s: New = %s, %v after %d reads; want ErrBigTime and none", name, id, err, reads)
		}
	}
	clock := &fakeClock{time.UnixMilli(1 << 48)}
	if id, err := (&Generator{Clock: clock.now, Entropy: counting}).New(); err != ErrBigTime || id != (ULID{}) || reads > 0 {
		t.Errorf("Generator: %s, %v after %d reads; want ErrBigTime and none", id, err, reads)
	}
}

// What cannot be compared is no reason to panic.
func TestUncomparableEntropy(t *testing.T) {
	type slices struct {
		constant
		_ []byte
	}
	entropy := slices{constant: 7}
	for name, newID := range map[string]func() (ULID, error){
		"New":       func() (ULID, error) { return New(knownMS, entropy) },
		"Generator": (&Generator{Entropy: entropy}).New,
		"Monotonic": func() (ULID, error) { return New(knownMS, Monotonic(entropy, 0)) },
	} {
		if id, err := newID(); err != nil || id[15] != 7 {
			t.Errorf("%s: %s, %v", name, id, err)
		}
	}
}
