package ulid

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	mathrand "math/rand/v2"
	"os"
	"os/exec"
	"runtime"
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
//   - A tick is the clock's, with the lowest 4 bits from the salt, or if that is taken the one after the
//     last.
//   - The salt is the sum of 8 bytes of crypto/rand for each millisecond of the clock, and for each ID
//     that was advanced past.
//   - If the first call of a millisecond is a Make, its ID has these 8 bytes as its bits, and that of the first Make
//     after the first call has 8 more of crypto/rand. Every other ID has the next bits of a ChaCha8 that crypto/rand
//     seeded, salted.
//   - With an Entropy, each ID has 8 bytes of it, and the tick is the clock's alone.
//   - Nothing else is read.
func TestEveryBit(t *testing.T) {
	system := record(t)
	keep(t, &defaultGenerator)
	defaultGenerator = Generator{}
	at := func(ms int64) func() time.Time { return (&fakeClock{time.UnixMilli(ms)}).now }
	for name, g := range map[string]*Generator{
		"Make":               &defaultGenerator,
		"Generator":          {},
		"Clock":              {Clock: at(knownMS)},
		"before 1970":        {Clock: at(-2)},
		"1970":               {Clock: at(0)},
		"rand.Reader":        {Entropy: system},
		"Entropy":            {Entropy: &recorder{Reader: seeded(1)}},
		"Entropy, Clock":     {Entropy: &recorder{Reader: seeded(3)}, Clock: at(knownMS)},
		"Entropy, all zeros": {Entropy: &recorder{Reader: constant(0)}, Clock: at(-1)},
		"Entropy, all ones":  {Entropy: &recorder{Reader: constant(0xff)}, Clock: at(0)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testEveryBit(t, g, system) })
		})
	}
}

func testEveryBit(t *testing.T, g *Generator, system *recorder) {
	// On one processor there is one ChaCha8 at a time, and in an empty pool every seed is seen.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	emptyPool(t)
	makeID, fill := shippedOr(g)
	reference := &referenceGenerator{system: system}
	if entropy, ok := g.Entropy.(*recorder); ok {
		reference.entropy = entropy
	}
	rounds := 1000
	if testing.Short() {
		rounds = 200
	}
	now, pass := time.Now, time.Sleep
	if g.Clock != nil {
		clock := &fakeClock{g.Clock()}
		g.Clock, now = clock.now, clock.now
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
			reference.make(t, makeID(), now())
		}
		sizes := []int{0, 1, 2, 3, 4, 5, 100, 600}
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
		if len(read.reads) > 0 || len(read.seeds) > 0 {
			t.Fatalf("ID %d: %x were read, and are in no ID", i, read.reads)
		}
	}
}

// While a call reads the clock, another may begin the millisecond. The first then has the salt of that
// millisecond: it loads it after its tick was taken.
func TestSaltIsLoadedAfterTheTick(t *testing.T) {
	record(t)
	chachas = sync.Pool{New: func() any { return seeded(1) }}
	drawn := map[uint64]bool{}
	for chacha, i := seeded(1), 0; i < 1000; i++ {
		drawn[chacha.Uint64()>>6] = true
	}
	for name, fill := range fills {
		now := time.UnixMilli(knownMS)
		meanwhile := func() {}
		g := &Generator{Clock: func() time.Time {
			f := meanwhile
			meanwhile = func() {}
			f()
			return now
		}}
		g.Make()
		now = now.Add(time.Millisecond)
		meanwhile = func() { // the first two of a millisecond have bits of crypto/rand
			g.Make()
			g.Make()
		}
		ids := make([]ULID, 2)
		if err := fill(g, ids); err != nil {
			t.Fatal(err)
		}
		for i, id := range ids {
			if !drawn[randomOf(id)^g.salt.Load()>>6] {
				t.Errorf("%s: ID %d does not have the salt of its millisecond", name, i)
			}
		}
	}
}

// Every bit of an ID from MakeAt is that of the time, or of 8 bytes of crypto/rand. In one from New, 10 bytes of the
// reader, or of crypto/rand, follow the millisecond. Neither changes the Generator of Make.
func TestEveryBitAt(t *testing.T) {
	system := record(t)
	g := &defaultGenerator
	last, seen, salt := g.last.Load(), g.seen.Load(), g.salt.Load()
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
			if len(system.reads) > 0 || len(system.seeds) > 0 {
				t.Fatalf("%x were read, and are in no ID", system.reads)
			}
		}
	}
	if g.last.Load() != last || g.seen.Load() != seen || g.salt.Load() != salt {
		t.Error("MakeAt or New has changed the Generator of Make")
	}
}

// Readers that misbehave. TestNew has more of them.

func TestReadFull(t *testing.T) {
	wrapped := fmt.Errorf("wrapped: %w", io.EOF)
	failsOnce := func(err error) io.Reader {
		return readerFunc(func(p []byte) (int, error) {
			defer func() { err = nil }()
			return min(3, len(p)), err
		})
	}
	for _, tt := range []struct {
		name   string
		reader io.Reader
		err    error
	}{
		{"enough", strings.NewReader("0123456789"), nil},
		{"an error beside the last byte", iotest.DataErrReader(failing(10, errFaulty)), nil},
		{"an error beside 3 bytes, and more after it", failsOnce(errFaulty), errFaulty},
		{"io.EOF beside 3 bytes, and more after it", failsOnce(io.EOF), io.ErrUnexpectedEOF},
		{"an error after 3 bytes", failing(3, errFaulty), errFaulty},
		{"nothing", strings.NewReader(""), io.EOF},
		{"too little", strings.NewReader("012345678"), io.ErrUnexpectedEOF},
		{"io.EOF beside 3 bytes", iotest.DataErrReader(strings.NewReader("012")), io.ErrUnexpectedEOF},
		{"an error that wraps io.EOF", iotest.ErrReader(wrapped), wrapped},
		{"an error that wraps io.EOF, after 3 bytes", failing(3, wrapped), wrapped},
		{"a negative count", liar(-1), errRead},
		{"a count of too many", liar(11), errRead},
		{"a count of too many, after 3 bytes", io.MultiReader(strings.NewReader("012"), liar(8)), errRead},
		{"empty reads", liar(0), io.ErrNoProgress},
		{"empty reads, after 3 bytes", io.MultiReader(strings.NewReader("012"), liar(0)), io.ErrNoProgress},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := readFull(tt.reader, make([]byte, 10)); err != tt.err {
				t.Errorf("got %v, want %v", err, tt.err)
			}
		})
	}
}

// A reader that fails gives no ID, at whichever byte it fails, and Fill leaves none. The next ID is as
// if nothing had happened, but for the ticks that are lost.
func TestEntropyFails(t *testing.T) {
	testEntropyFails(t, liar(17), liar(17), errRead)
	for n := range 24 {
		testEntropyFails(t, failing(n, errFaulty), failing(n%8, errFaulty), errFaulty)
	}
}

func testEntropyFails(t *testing.T, inFill, inMake io.Reader, want error) {
	t.Helper()
	clock := &fakeClock{time.UnixMilli(knownMS)}
	reader := &replaceable{inFill}
	g := &Generator{Clock: clock.now, Entropy: reader}
	ids := []ULID{known, known, known}
	if err := tryFill(g, ids); !errors.Is(err, want) || [3]ULID(ids) != [3]ULID{} {
		t.Errorf("FillFrom panics with %v, and left %s; want %v, zeros", err, ids, want)
	}
	reader.Reader = inMake
	if _, err := tryMake(g); !errors.Is(err, want) {
		t.Errorf("Make panics with %v, want %v", err, want)
	}
	reader.Reader = constant(0xab)
	checkID(t, g.Make(), referenceLayout(knownMS<<16+4, 0xabab_abab_abab_abab))
}

// A reader that ends gives no more IDs, and none has the bits of the last.
func TestEntropyEnds(t *testing.T) {
	for text, want := range map[string]error{"12345678": io.EOF, "12345678abc": io.ErrUnexpectedEOF} {
		g := &Generator{Entropy: strings.NewReader(text)}
		g.Make()
		_, err := tryMake(g)
		message := "ulid: Entropy of a Generator failed: " + want.Error()
		if !errors.Is(err, want) || err.Error() != message {
			t.Errorf("Make panics with %v, want %s", err, message)
		}
	}
	for text, want := range map[string]error{"0123456789": io.EOF, "0123456789abc": io.ErrUnexpectedEOF} {
		m, at := NewMonotonic(strings.NewReader(text), 0), time.UnixMilli(knownMS)
		m.New(at)
		if id, err := m.New(at); !id.IsZero() || err != want {
			t.Errorf("the second ID of a Monotonic = %s, %v; want zero, %v", id, err, want)
		}
	}
}

// Whatever an Entropy or a Clock does but return, a Generator is usable afterwards and in order, and a slice
// has no ID, neither a new one nor one that it had.
func TestGeneratorSurvives(t *testing.T) {
	for name, fail := range map[string]func(g *Generator) error{
		"error":                  func(*Generator) error { return errFaulty },
		"error that makes an ID": func(g *Generator) error { return makesID{g} },
		"panic":                  func(*Generator) error { panic(errFaulty) },
		"Goexit":                 func(*Generator) error { runtime.Goexit(); return nil },
	} {
		for call, want := range map[string]int{"Entropy": 1, "Entropy, third read": 3, "Clock": 0} {
			t.Run(name+" in "+call, func(t *testing.T) { testGeneratorSurvives(t, fail, want) })
		}
	}
}

// makesID is an error whose text has an ID of the Generator that fails with it.
type makesID struct{ *Generator }

func (e makesID) Error() string { return "no entropy for " + e.Make().String() }
func (e makesID) Unwrap() error { return errFaulty }

// testGeneratorSurvives has the given read of Entropy fail, or if it is 0 the Clock.
func testGeneratorSurvives(t *testing.T, fail func(*Generator) error, read int) {
	clock := time.UnixMilli(knownMS)
	reads, isFailing := 0, false
	g := &Generator{}
	g.Clock = func() time.Time {
		if read == 0 && isFailing {
			isFailing = false
			panic(fail(g)) // Clock returns no error
		}
		return clock
	}
	g.Entropy = readerFunc(func(p []byte) (int, error) {
		reads++
		if read == reads && isFailing {
			isFailing = false
			return 0, fail(g)
		}
		return constant(1).Read(p)
	})
	first := g.Make()
	var last ULID
	for name, call := range map[string]func(ids []ULID){
		"Make":     func(ids []ULID) { clear(ids); ids[0] = g.Make(); ids[1] = g.Make(); ids[2] = g.Make() },
		"FillFrom": func(ids []ULID) { FillFrom(g, ids) },
	} {
		ids := []ULID{known, known, known}
		reads, isFailing = 0, true
		ended := make(chan error)
		go func() {
			err := errors.New("Goexit")
			defer func() { ended <- err }()
			err = panicOf(func() { call(ids) })
		}()
		select {
		case err := <-ended:
			if err == nil || err.Error() != "Goexit" && !errors.Is(err, errFaulty) {
				t.Errorf("%s panics with %v, want one that wraps %v", name, err, errFaulty)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s does not end: it holds a lock while it panics", name)
		}
		if name == "FillFrom" && [3]ULID(ids) != [3]ULID{} {
			t.Errorf("FillFrom leaves %s, want zeros", ids)
		}
		checkUnlocked(t, &g.mu)
		last = g.Make()
		checkGreater(t, last, first)
		first = last
	}
}

// A reader that panics leaves no lock of a Monotonic behind.
func TestMonotonicSurvives(t *testing.T) {
	reader := &replaceable{} // a nil dereference
	m := NewMonotonic(reader, 0)
	mustPanic(t, "New", func() { m.New(time.UnixMilli(1)) })
	checkUnlocked(t, &m.mu)
	reader.Reader = constant(1)
	if _, err := m.New(time.UnixMilli(1)); err != nil {
		t.Error(err)
	}
}

// A reader that blocks holds up its own Generator or Monotonic, and no other.
func TestEntropyBlocks(t *testing.T) {
	entered, release := make(chan bool, 100), make(chan bool)
	reader := readerFunc(func(p []byte) (int, error) {
		entered <- true
		<-release
		return constant(1).Read(p)
	})
	g, m := &Generator{Entropy: reader}, NewMonotonic(reader, 0)
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

// Entropy is read under the lock, and its bytes are taken from there under it: each ID has its own, even if a
// goroutine loses the processor as it gives up the lock. Goroutines that have waited for a mutex for a
// millisecond get it in turn, and on one processor Unlock then starts the next at once.
func TestEntropyIsLocked(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	reader := seeded(1)
	var g *Generator
	var m *Monotonic
	locked := func(mu func() *sync.Mutex) io.Reader {
		return readerFunc(func(p []byte) (int, error) {
			if mu().TryLock() {
				t.Error("a read without the lock")
				mu().Unlock()
			}
			return reader.Read(p)
		})
	}
	g = &Generator{Entropy: locked(func() *sync.Mutex { return &g.mu })}
	m = NewMonotonic(locked(func() *sync.Mutex { return &m.mu }), 1<<48)
	for _, tt := range []struct {
		name string
		mu   *sync.Mutex
		fill func(ids []ULID) error
	}{
		{"Make", &g.mu, func(ids []ULID) error { return fills["Make"](g, ids) }},
		{"FillFrom", &g.mu, func(ids []ULID) error { return tryFill(g, ids) }},
		{"New", &m.mu, func(ids []ULID) (err error) {
			for i := range ids {
				ids[i], err = m.New(time.UnixMilli(knownMS))
			}
			return err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const workers, perWorker = 20, 5
			ids := make([]ULID, workers*perWorker)
			var group sync.WaitGroup
			tt.mu.Lock()
			for w := range workers {
				group.Go(func() {
					if err := tt.fill(ids[w*perWorker : (w+1)*perWorker]); err != nil {
						t.Error(err)
					}
				})
			}
			time.Sleep(3 * time.Millisecond)
			// The first that wakes finds the mutex locked again, and asks for turns.
			tt.mu.Unlock()
			tt.mu.Lock()
			time.Sleep(time.Millisecond)
			tt.mu.Unlock()
			group.Wait()
			for i := range ids {
				ids[i] = referenceLayout(1, randomOf(ids[i])<<6) // without the tick
			}
			checkDistinct(t, ids)
		})
	}
}

// A reader may generate IDs by others while it is read. None takes the bits of another.
func TestBitsAreNotShared(t *testing.T) {
	at := time.UnixMilli(knownMS)
	otherG, otherM := &Generator{Entropy: constant(2)}, NewMonotonic(constant(2), 1<<48)
	reader := readerFunc(func(p []byte) (int, error) {
		n, _ := constant(1).Read(p)
		otherG.Make()
		New(at, constant(2))
		otherM.New(at)
		return n, nil
	})
	g := &Generator{Clock: (&fakeClock{at}).now, Entropy: reader}
	checkID(t, g.Make(), referenceLayout(knownMS<<16, 0x0101_0101_0101_0101))
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
		"seed":      func() { chachas.New() },
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
