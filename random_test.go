package ulid

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/big"
	mathrand "math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// Where the random bits come from.

// Every bit of every ID of a Generator is accounted for, whatever its clock does and whichever IDs it
// advances past:
//
//   - Each ID has 8 bytes of its own, of crypto/rand or a Source. Its random bits are the first 58.
//   - The tick of a call is the clock's, with the last 4 bits of its first ID, or if that is taken the one
//     after the last.
//   - The bytes of up to 64 IDs are read before the clock.
//   - AdvancePast reads the clock and then 8 bytes, for an ID that is not passed yet.
//   - Nothing else is read.
func TestEveryBit(t *testing.T) {
	system := record(t)
	keep(t, &defaultGenerator)
	defaultGenerator = Generator{}
	at := func(ms int64) func() time.Time { return (&fakeClock{time.UnixMilli(ms)}).now }
	for name, g := range map[string]*Generator{
		"Make":              &defaultGenerator,
		"Generator":         {},
		"Clock":             {Clock: at(knownMS)},
		"before 1970":       {Clock: at(-2)},
		"1970":              {Clock: at(0)},
		"Source":            {Source: &recorder{Reader: seeded(1)}},
		"Source, Clock":     {Source: &recorder{Reader: seeded(3)}, Clock: at(knownMS)},
		"Source, all zeros": {Source: &recorder{Reader: constant(0)}, Clock: at(-1)},
		"Source, all ones":  {Source: &recorder{Reader: constant(0xff)}, Clock: at(0)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testEveryBit(t, g, system) })
			system.mustEnd(t)
		})
	}
}

func testEveryBit(t *testing.T, g *Generator, system *recorder) {
	makeID, fill := shippedOr(g)
	reference := &referenceGenerator{read: system}
	if source, ok := g.Source.(*recorder); ok {
		reference.read, reference.isSource = source, true
	}
	rounds := 1000
	if testing.Short() {
		rounds = 200
	}
	now, pass := time.Now, time.Sleep
	if g.Clock != nil {
		clock := &fakeClock{g.Clock()}
		g.Clock, now = reference.read.clock(clock.now), clock.now
		reference.isClock = true
		pass = func(d time.Duration) { clock.t = clock.t.Add(d) }
	}
	advancePast := func(id ULID) {
		if err := g.AdvancePast(id, math.MaxInt64); err != nil {
			t.Fatal(err)
		}
		reference.advancePast(t, id)
	}
	random := mathrand.New(seeded(1))
	for range rounds {
		switch random.IntN(10) {
		case 0, 1:
			pass(time.Duration(random.Int64N(3e6)))
		case 2:
			pass(time.Duration(random.Int64N(3e3)))
		case 3:
			if g.Clock != nil { // back too, and before 1970
				pass(time.Duration(random.NormFloat64() * float64(int64(1)<<random.IntN(61))))
			}
		case 4:
			advancePast(someIDNear(random, max(reference.last, 4)))
		case 5: // a carry into the milliseconds is near
			advancePast(referenceLayout(reference.last|65535-random.Uint64N(3), 0))
		}
		for range random.IntN(4) {
			reference.fill(t, []ULID{makeID()}, now())
		}
		sizes := []int{0, 1, 2, 3, 63, 64, 65, 127, 128, 129, 1000}
		ids := make([]ULID, sizes[random.IntN(len(sizes))])
		fill(ids)
		reference.fill(t, ids, now())
	}
}

// someIDNear returns an ID of any version and variant, whose tick is near this one.
func someIDNear(random *mathrand.Rand, tick uint64) ULID {
	id := referenceLayout(tick+random.Uint64N(9)-4, random.Uint64())
	switch random.IntN(3) {
	case 0:
		id[6+random.IntN(10)] ^= 1 << random.IntN(8)
	case 1:
		id[6] = 0x60 + byte(random.IntN(3*16)) // version 6, 7 or 8
		id[7], id[8] = byte(random.IntN(3)), byte(random.IntN(256))
	}
	return id
}

// The first ID of a millisecond from a Monotonic has ten bytes that are read for it. Every other one
// lies a step above the ID before, for which 16 bytes are read. Nothing else is read.
func TestEveryBitOfMonotonic(t *testing.T) {
	system := record(t)
	system.Reader = seeded(2) // a random start may lie so high that 20 great steps overflow
	for _, inc := range []uint64{0, 1, 2, 3, 256, 1<<32 - 1, 1 << 32, 1 << 48, 1<<63 + 12345, math.MaxUint64} {
		for name, reader := range map[string]*recorder{
			"nil":          nil,
			"a reader":     {Reader: seeded(1)},
			"all zeros":    {Reader: constant(0)},
			"great steps":  {Reader: readerFunc(greatSteps)},
			"near the end": {Reader: readerFunc(nearTheEnd)},
		} {
			t.Run(fmt.Sprintf("inc=%d, %s", inc, name), func(t *testing.T) {
				if reader == nil {
					testEveryBitOfMonotonic(t, NewMonotonic(nil, inc), system, inc)
					return
				}
				testEveryBitOfMonotonic(t, NewMonotonic(reader, inc), reader, inc)
			})
		}
	}
	testEveryBitOfMonotonic(t, new(Monotonic), system, 0)
}

// greatSteps writes zeros for the first ID of a millisecond, and ones for a step.
func greatSteps(p []byte) (int, error) { return constant(len(p) / 16 * 0xff).Read(p) }

// nearTheEnd writes ones and then zeros for the first ID of a millisecond, and zeros for a step.
func nearTheEnd(p []byte) (int, error) {
	clear(p)
	if len(p) == 10 {
		p[0], p[1] = 0xff, 0xff
	}
	return len(p), nil
}

func testEveryBitOfMonotonic(t *testing.T, m *Monotonic, read *recorder, inc uint64) {
	if inc == 0 {
		inc = 1 << 32
	}
	want := new(big.Int)
	for i := range 50 {
		at := time.UnixMilli(int64(i / 20))
		earlier := time.UnixMilli(int64(max(0, i/20-i%20%3))) // which counts as the time of the last ID
		id, err := m.New(earlier)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case i%20 == 0:
			want.SetBytes(read.mustNext(t, 10))
		case inc == 1:
			want.Add(want, big.NewInt(1))
		default:
			p := read.mustNext(t, 16)
			step := referenceScale(binary.BigEndian.Uint64(p), binary.BigEndian.Uint64(p[8:]), inc)
			want.Add(want, step).Add(want, big.NewInt(1))
		}
		if got := new(big.Int).SetBytes(id[6:]); got.Cmp(want) != 0 || !id.Time().Equal(at) {
			t.Fatalf("ID %d is %x, want the entropy %x", i, id[:], want)
		}
		read.mustEnd(t)
	}
}

// Every bit of an ID from MakeAt is that of the time, or of 8 bytes of crypto/rand. In one from New, 10 bytes of the
// reader, or of crypto/rand, follow the millisecond. Neither changes the Generator of Make.
func TestEveryBitAt(t *testing.T) {
	system := record(t)
	g := &defaultGenerator
	last := g.last.Load()
	end := time.UnixMilli(maxTime)
	for _, at := range []time.Time{
		time.Unix(0, 0), time.UnixMilli(knownMS), time.Now(), end, end.Add(999_999),
	} {
		for _, part := range []time.Duration{0, 1, 15, 16, 244, 245, 500_000, 999_984, 999_985, 999_999} {
			at := at.Truncate(time.Millisecond).Add(part)
			for range 20 {
				id, err := MakeAt(at)
				if err != nil {
					t.Fatal(err)
				}
				random := binary.BigEndian.Uint64(system.mustNext(t, 8))
				checkID(t, id, referenceLayout(referenceTick(at)/16*16+random%16, random))
			}
			for _, reader := range []io.Reader{nil, rand.Reader} {
				id := mustNew(t, at, reader)
				checkID(t, id, mustHex(fmt.Sprintf("%012x%x", at.UnixMilli(), system.mustNext(t, 10))))
			}
			system.mustEnd(t)
		}
	}
	if g.last.Load() != last {
		t.Error("MakeAt or New has changed the Generator of Make")
	}
}

// Readers and Sources that misbehave. TestNewFails has more readers.

// A reader that ends gives no more IDs, and none has the bits of the last.
func TestEntropyEnds(t *testing.T) {
	for text, want := range map[string]error{"0123456789": io.EOF, "0123456789abc": io.ErrUnexpectedEOF} {
		m, at := NewMonotonic(strings.NewReader(text), 0), time.UnixMilli(knownMS)
		m.New(at)
		if id, err := m.New(at); !id.IsZero() || err != want {
			t.Errorf("the second ID of a Monotonic = %s, %v; want zero, %v", id, err, want)
		}
	}
}

// Whatever a Source or a Clock does but return, a Generator is usable afterwards and in order, and a slice has no ID,
// neither a new one nor one that it had.
func TestGeneratorSurvives(t *testing.T) {
	for how, fail := range map[string]func(){"panic": func() { panic(errFaulty) }, "Goexit": runtime.Goexit} {
		for call, source := range map[string]int{"Clock": 0, "first word": 1, "third": 3, "second piece": 70} {
			t.Run(how+", "+call, func(t *testing.T) { testGeneratorSurvives(t, fail, source) })
		}
	}
}

// testGeneratorSurvives has the given call of Source fail, or if it is 0 that of the Clock.
func testGeneratorSurvives(t *testing.T, fail func(), failing int) {
	g, last := &Generator{}, ULID{}
	calls, isFailing := 0, false
	g.Clock = func() time.Time {
		checkUnlocked(t, &g.mu)
		if isFailing && failing == 0 {
			fail()
		}
		return time.UnixMilli(knownMS)
	}
	g.Source = sourceFunc(func() uint64 {
		calls++
		if isFailing && failing == calls {
			fail()
		}
		return 0
	})
	ids := make([]ULID, 100)
	for name, call := range map[string]func(){
		"Make": func() {
			for i := range ids {
				ids[i] = g.Make()
			}
		},
		"FillFrom": func() { FillFrom(g, ids) },
		"AdvancePast": func() {
			for range ids {
				if err := g.AdvancePast(referenceLayout(g.last.Load()+1, 0), math.MaxInt64); err != nil {
					t.Error(err)
				}
			}
		},
	} {
		g.Make()
		for i := range ids {
			ids[i] = known
		}
		calls, isFailing = 0, true
		ended := make(chan bool)
		go func() {
			hasReturned := false
			defer close(ended)
			defer func() {
				if err := recover(); hasReturned || err != nil && err != errFaulty {
					t.Errorf("%s returned: %t; it panics with %v, want %v", name, hasReturned, err, errFaulty)
				}
			}()
			call()
			hasReturned = true
		}()
		<-ended
		isFailing = false
		if name == "FillFrom" && !slices.Equal(ids, make([]ULID, len(ids))) {
			t.Errorf("FillFrom leaves %s, want zeros", ids)
		}
		checkUnlocked(t, &g.mu)
		id := g.Make()
		checkGreater(t, id, last)
		last = id
	}
}

// A reader that panics leaves no lock of a Monotonic behind. It is read under the lock, also for a step.
func TestMonotonicSurvives(t *testing.T) {
	reader := &replaceable{}
	m := NewMonotonic(reader, 0)
	for range 2 {
		reader.Reader = nil // a nil dereference
		mustPanic(t, "New", func() { m.New(time.UnixMilli(1)) })
		checkUnlocked(t, &m.mu)
		reader.Reader = constant(1)
		if _, err := m.New(time.UnixMilli(1)); err != nil {
			t.Error(err)
		}
	}
}

// A reader or Source that blocks holds up its own Monotonic or Generator, and no other.
func TestEntropyBlocks(t *testing.T) {
	entered, release := make(chan bool, 100), make(chan bool)
	block := func() {
		entered <- true
		<-release
	}
	source := seeded(1) // which the lock protects
	g := &Generator{Source: sourceFunc(func() uint64 { block(); return source.Uint64() })}
	m := NewMonotonic(readerFunc(func(p []byte) (int, error) { block(); return constant(1).Read(p) }), 0)
	ids := make([]ULID, 4)
	var group sync.WaitGroup
	for i := range ids {
		group.Go(func() {
			if i%2 == 0 {
				ids[i] = g.Make()
			} else {
				ids[i], _ = m.New(time.UnixMilli(1))
			}
		})
	}
	for range 2 {
		select {
		case <-entered:
		case <-time.After(10 * time.Second):
			t.Fatal("a reader is not read")
		}
	}
	for name, mu := range map[string]*sync.Mutex{"Generator": &g.mu, "Monotonic": &m.mu} {
		if mu.TryLock() {
			t.Fatalf("the %s reads without its lock", name)
		}
	}
	Make()
	new(Generator).Make()
	close(release)
	group.Wait()
	checkDistinct(t, ids)
}

// A reader may generate IDs by others while it is read. None takes the bits of another.
func TestBitsAreNotShared(t *testing.T) {
	at := time.UnixMilli(knownMS)
	otherG, otherM := &Generator{Source: constant(2)}, NewMonotonic(constant(2), 1<<48)
	others := func() {
		otherG.Make()
		New(at, constant(2))
		otherM.New(at)
	}
	reader := readerFunc(func(p []byte) (int, error) {
		n, err := constant(1).Read(p)
		others()
		return n, err
	})
	source := sourceFunc(func() uint64 {
		others()
		return constant(1).Uint64()
	})
	g := &Generator{Clock: (&fakeClock{at}).now, Source: source}
	checkID(t, g.Make(), referenceLayout(knownMS<<16|1, constant(1).Uint64()))
	m := NewMonotonic(reader, 1<<48)
	checkID(t, mustNew(t, at, reader), mustHex("01563df36481"+"01010101010101010101"))
	for _, want := range []string{"01010101010101010101", "01010101020202020203"} { // + 0x010101010101 + 1
		id, err := m.New(at)
		if err != nil {
			t.Fatal(err)
		}
		checkID(t, id, mustHex("01563df36481"+want))
	}
}

// What stands in the place of crypto/rand.Reader.

// The process ends if the reader in the place of crypto/rand.Reader fails.
func TestSystemReaderFails(t *testing.T) {
	fails := map[string]func(){
		"MakeAt":    func() { MakeAt(time.Now()) },
		"New":       func() { New(time.Now(), nil) },
		"Monotonic": func() { new(Monotonic).New(time.Now()) },
		"Make":      func() { Make() },
		"Fill":      func() { Fill(make([]ULID, 2)) },
	}
	if f := fails[os.Getenv("ULID_TEST_FAIL")]; f != nil {
		rand.Reader = iotest.ErrReader(errFaulty)
		f()
		t.Fatal("it went on without entropy")
	}
	executable, err := os.Executable()
	if err == nil {
		err = exec.Command(executable, "-test.list", "^$").Run()
	}
	if err != nil {
		t.Skip("the test cannot start itself, as in WebAssembly, so run it on a system of its own: ", err)
	}
	for name := range fails {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(executable, "-test.run", "^TestSystemReaderFails$")
			cmd.Env = append(os.Environ(), "ULID_TEST_FAIL="+name)
			out, err := cmd.CombinedOutput()
			want := "fatal error: crypto/rand: failed to read random data"
			if err == nil || !bytes.Contains(out, []byte(want)) {
				t.Errorf("got %v, want %q in\n%s", err, want, out)
			}
		})
	}
}
