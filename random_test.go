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
//   - A number is 1 above the last, or begins a millisecond that the clock has reached.
//   - The first ID of a millisecond has what was read of crypto/rand for it. The second has what was read
//     beside it, and a later one the next bits of a ChaCha8 that crypto/rand seeded, both salted.
//   - With an Entropy, each has ten bytes of it.
//   - Nothing else is read.
func TestEveryBit(t *testing.T) {
	system := record(t)
	keep(t, &defaultGenerator)
	keep(t, &uuidv7Generator)
	defaultGenerator, uuidv7Generator = Generator{}, Generator{UUIDv7: true}
	at := func(ms int64) func() time.Time { return (&fakeClock{time.UnixMilli(ms)}).now }
	for name, g := range map[string]*Generator{
		"Make":               &defaultGenerator,
		"MakeUUIDv7":         &uuidv7Generator,
		"Generator":          {},
		"UUIDv7":             {UUIDv7: true},
		"rand.Reader":        {Entropy: system},
		"Clock":              {Clock: at(knownMS)},
		"Clock, UUIDv7":      {Clock: at(knownMS), UUIDv7: true},
		"before 1970":        {Clock: at(-2)},
		"1970, UUIDv7":       {Clock: at(0), UUIDv7: true},
		"Entropy":            {Entropy: &recorder{Reader: seeded(1)}},
		"Entropy, UUIDv7":    {Entropy: &recorder{Reader: seeded(2)}, UUIDv7: true},
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
	reference := &referenceGenerator{uuidv7: g.UUIDv7, system: system}
	if entropy, ok := g.Entropy.(*recorder); ok && entropy != system {
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
	if g.UUIDv7 { // below all UUIDv7s
		for _, id := range []ULID{{}, {6: 0x60}, {6: 0x70}, {6: 0x70, 8: 0x7f}} {
			advancePast(id)
		}
	}
	random := mathrand.New(seeded(1))
	ms := func() uint64 { return uint64(max(now().UnixMilli(), 0)) }
	for range rounds {
		switch random.IntN(10) {
		case 0, 1:
			pass(time.Duration(random.Int64N(3e6)))
		case 2:
			if g.Clock != nil { // back too, and before 1970
				pass(time.Duration(random.NormFloat64() * float64(int64(1)<<random.IntN(61))))
			}
		case 3:
			advancePast(someIDNear(random, max(reference.last, 4), g.UUIDv7))
		case 4: // the counter is about to carry
			advancePast(layout(reference.last|65535-random.Uint64N(3), 0, g.UUIDv7))
		}
		for range random.IntN(4) {
			id, err := makeID()
			if err != nil {
				t.Fatal(err)
			}
			reference.fill(t, []ULID{id}, ms())
		}
		sizes := []int{0, 1, 2, 3, 4, 5, 100, 128, 129, 255, 256, 257, 600}
		ids := make([]ULID, sizes[random.IntN(len(sizes))])
		if err := fill(ids); err != nil {
			t.Fatal(err)
		}
		reference.fill(t, ids, ms())
	}
}

// someIDNear returns an ID of any version and variant, whose number is near this one.
func someIDNear(random *mathrand.Rand, number uint64, uuidv7 bool) ULID {
	id := layout(number+random.Uint64N(9)-4, random.Uint64(), uuidv7)
	switch random.IntN(3) {
	case 0:
		id[6+random.IntN(10)] ^= 1 << random.IntN(8)
	case 1:
		id.setTime(id.Time() + random.Uint64N(3))
		id[6] = 0x60 + byte(random.IntN(3*16)) // version 6, 7 or 8
		id[7], id[8] = byte(random.IntN(3)), byte(random.IntN(256))
	}
	return id
}

// The first ID of a millisecond from a MonotonicEntropy has ten bytes that are read for it, of crypto/rand
// or of its reader. Every other one lies a step above the ID before, for which 16 bytes of the reader are
// read, or the next 16 of a ChaCha8 that crypto/rand seeded. Nothing else is read.
func TestEveryBitOfMonotonic(t *testing.T) {
	system := record(t)
	for _, inc := range []uint64{1, 2, 3, 256, 1<<32 - 1, 1 << 32, 1 << 48, 1<<63 + 12345, math.MaxUint64} {
		for name, reader := range map[string]io.Reader{
			"nil":         nil,
			"rand.Reader": system,
			"a reader":    &recorder{Reader: seeded(1)},
			"all zeros":   &recorder{Reader: constant(0)},
			"great steps": &recorder{Reader: readerFunc(greatSteps)},
		} {
			t.Run(fmt.Sprintf("inc=%d, %s", inc, name), func(t *testing.T) {
				testEveryBitOfMonotonic(t, Monotonic(reader, inc), system, inc)
			})
		}
	}
	t.Cleanup(func() { defaultEntropy = MonotonicEntropy{} })
	defaultEntropy = MonotonicEntropy{}
	for name, m := range map[string]*MonotonicEntropy{
		"zero value": {}, "Monotonic of nil": Monotonic(nil, 0), "DefaultEntropy": &defaultEntropy,
	} {
		t.Run(name, func(t *testing.T) { testEveryBitOfMonotonic(t, m, system, 1<<32) })
	}
}

// greatSteps writes zeros for the first ID of a millisecond, and ones for a step.
func greatSteps(p []byte) (int, error) { return constant(len(p) / 16 * 0xff).Read(p) }

func testEveryBitOfMonotonic(t *testing.T, m *MonotonicEntropy, system *recorder, inc uint64) {
	reader, chacha := system, new(mathrand.ChaCha8)
	if r, ok := m.Reader.(*recorder); ok {
		reader = r
	}
	want := new(big.Int)
	for i := range 50 {
		id, err := New(uint64(i/20), m)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case i%20 == 0:
			want.SetBytes(reader.mustNext(t, 10))
		case inc == 1:
			want.Add(want, big.NewInt(1))
		default:
			for _, seed := range system.seeds {
				chacha = mathrand.NewChaCha8([32]byte(seed))
			}
			system.seeds = nil
			p := make([]byte, 16)
			if reader == system {
				binary.BigEndian.PutUint64(p, chacha.Uint64())
				binary.BigEndian.PutUint64(p[8:], chacha.Uint64())
			} else {
				p = reader.mustNext(t, 16)
			}
			step := referenceScale(binary.BigEndian.Uint64(p), binary.BigEndian.Uint64(p[8:]), inc)
			want.Add(want, step).Add(want, big.NewInt(1))
		}
		if got := new(big.Int).SetBytes(id[6:]); got.Cmp(want) != 0 || id.Time() != uint64(i/20) {
			t.Fatalf("ID %d is %x, want the entropy %x", i, id, want)
		}
		if len(reader.reads) > 0 || len(system.seeds) > 0 {
			t.Fatalf("ID %d: %x were read, and are in no ID", i, reader.reads)
		}
	}
}

// scale rounds down, and its products carry.
func TestScale(t *testing.T) {
	if got := scale(math.MaxUint64/3, math.MaxUint64, 3); got != 1 {
		t.Errorf("3 times a little less than 1/3, and a little: got %d, want 1", got)
	}
}

// Each ChaCha8 is back in the pool once. If it were there twice, two goroutines would draw the same
// bits.
func TestEachChaCha8IsThereOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // one processor gets back all that it put
	clock := &fakeClock{time.UnixMilli(knownMS)}
	for name, fill := range map[string]func([]ULID) error{
		"Make": each((&Generator{Clock: clock.now}).Make),
		"Fill": (&Generator{Clock: clock.now}).Fill,
	} {
		t.Run(name, func(t *testing.T) {
			emptyPool(t)
			if err := fill(make([]ULID, 3)); err != nil {
				t.Fatal(err)
			}
			seen := map[any]bool{}
			for range 10 {
				chacha := chachas.Get()
				if seen[chacha] {
					t.Fatal("the pool gives a ChaCha8 that is in use")
				}
				seen[chacha] = true
			}
		})
	}
}

// New and Read of a MonotonicEntropy take the bytes of crypto/rand as they are.
func TestRandomBitsOfNewAndRead(t *testing.T) {
	r := record(t)
	for _, tt := range []struct {
		name string
		size int
		read func(p []byte) (int, error)
	}{
		{"New", 10, func(p []byte) (int, error) { return copy(p, MustNew(1, rand.Reader).Entropy()), nil }},
		{"Monotonic of nil", 33, Monotonic(nil, 0).Read},
		{"Monotonic of rand.Reader", 33, Monotonic(rand.Reader, 0).Read},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := make([]byte, tt.size)
			n, err := tt.read(p)
			if n != tt.size || err != nil {
				t.Errorf("got %d bytes, %v; want %d, nil", n, err, tt.size)
			}
			if want := r.next(); !bytes.Equal(p[:n], want) {
				t.Errorf("got %x, want %x", p[:n], want)
			}
			if p := r.next(); p != nil {
				t.Errorf("%d more bytes were read, want none", len(p))
			}
		})
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

// A reader that fails gives no ID, at whichever byte it fails, and leaves the Generator as it was. The IDs
// that Fill had made are lost.
func TestEntropyFails(t *testing.T) {
	for n := range 3 * entropySize {
		for name, fill := range fills {
			t.Run(fmt.Sprintf("%s/%d bytes", name, n), func(t *testing.T) { testEntropyFails(t, n, fill) })
		}
	}
}

func testEntropyFails(t *testing.T, n int, fill func(*Generator, []ULID) error) {
	clock := &fakeClock{time.UnixMilli(knownMS)}
	reader := &replaceable{failing(n, errFaulty)}
	g := &Generator{Clock: clock.now, Entropy: reader}
	ids := []ULID{known, known, known}
	if err := fill(g, ids); err != errFaulty || ids[n/entropySize] != (ULID{}) {
		t.Errorf("got %s, %v; want zero, %v", ids, err, errFaulty)
	}
	reader.Reader = constant(0xab)
	first := uint64(0x01563df36481<<16 + 0x2bab + 1) // the counter begins in the lower half
	want := layout(first+uint64(n/entropySize), 0xabab_abab_abab_abab, false)
	if got := mustMake(t, g); got != want {
		t.Errorf("the next ID is %x, want %x", got, want)
	}
}

// Fill leaves no ID where one fails.
func TestEntropyFailsFill(t *testing.T) {
	g := &Generator{Entropy: failing(2*entropySize, errFaulty)}
	ids := []ULID{known, known, known, known}
	if err := g.Fill(ids); err != errFaulty || [4]ULID(ids) != [4]ULID{} {
		t.Errorf("Fill = %v, and left %s; want %v, zeros", err, ids, errFaulty)
	}
}

// A reader that lies, or returns nothing for ever, is never believed.
func TestEntropyLies(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(knownMS)}
	for _, tt := range []struct {
		reader io.Reader
		want   error
	}{
		{liar(17), errRead},
		{liar(-1), errRead},
		{liar(0), io.ErrNoProgress},
	} {
		reader := &replaceable{}
		g, m := &Generator{Clock: clock.now, Entropy: reader}, Monotonic(reader, 0)
		for name, newID := range map[string]func() (ULID, error){
			"New of the reader":    func() (ULID, error) { return New(1, reader) },
			"New of its Monotonic": func() (ULID, error) { return New(1, m) },
			"Generator.Make":       g.Make,
		} {
			for i := range 2 { // the first ID of a millisecond, and one after it
				reader.Reader = tt.reader
				if id, err := newID(); !id.IsZero() || err != tt.want {
					t.Fatalf("%s: ID %d of %#v = %s, %v; want zero, %v", name, i, tt.reader, id, err, tt.want)
				}
				reader.Reader = constant(0)
				if _, err := newID(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// A reader that panics leaves no lock behind.
func TestEntropyPanics(t *testing.T) {
	reader := &replaceable{} // a nil dereference
	g := &Generator{Entropy: reader}
	m := Monotonic(reader, 0)
	mustPanic(t, "Generator.Make", func() { g.Make() })
	checkUnlocked(t, &g.mu)
	mustPanic(t, "Generator.Fill", func() { g.Fill(make([]ULID, 2)) })
	checkUnlocked(t, &g.mu)
	mustPanic(t, "New", func() { New(1, m) })
	checkUnlocked(t, &m.mu)
	mustPanic(t, "Read", func() { m.Read(make([]byte, 1)) })
	checkUnlocked(t, &m.mu)
	reader.Reader = constant(1)
	mustMake(t, g)
	MustNew(1, m)
}

// A reader that blocks holds up its own Generator or MonotonicEntropy, and no other.
func TestEntropyBlocks(t *testing.T) {
	entered, release := make(chan bool, 100), make(chan bool)
	reader := readerFunc(func(p []byte) (int, error) {
		entered <- true
		<-release
		return constant(1).Read(p)
	})
	g, m := &Generator{Entropy: reader}, Monotonic(reader, 0)
	ids := make([]ULID, 4)
	var group sync.WaitGroup
	for i := range ids {
		group.Go(func() {
			if i%2 == 0 {
				ids[i], _ = g.Make()
			} else {
				ids[i] = MustNew(1, m)
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
	for name, mu := range map[string]*sync.Mutex{"Generator": &g.mu, "MonotonicEntropy": &m.mu} {
		if mu.TryLock() {
			t.Fatalf("the %s reads without its lock", name)
		}
	}
	Make()
	mustMake(t, new(Generator))
	close(release)
	group.Wait()
	checkDistinct(t, ids)
}

// A Generator uses only the Read of its Entropy.
func TestEntropyIsRead(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(knownMS)}
	g := &Generator{Clock: clock.now, Entropy: Monotonic(strings.NewReader("0123456789ABCDEFGHIJ"), 1)}
	for _, want := range []string{"0123456789", "ABCDEFGHIJ"} {
		if got := string(mustMake(t, g).Entropy()); got[2:] != want[2:] { // after the counter
			t.Errorf("got the entropy %q, want %q", got, want)
		}
		clock.t = clock.t.Add(time.Millisecond)
	}
}

// What stands in the place of crypto/rand.Reader.

// Only a reader of Go itself cannot fail. Another may stand in its place as the program starts.
func TestSystemReader(t *testing.T) {
	if ifSystem(rand.Reader) != rand.Reader {
		t.Errorf("a %T is not taken for the system's", rand.Reader)
	}
	for _, r := range []io.Reader{constant(1), new(recorder), strings.NewReader(""), struct{ io.Reader }{rand.Reader}} {
		if ifSystem(r) != nil {
			t.Errorf("a %T is taken for the system's", r)
		}
	}
	for path, want := range map[string]bool{
		"crypto/rand":             true,
		"crypto/internal/sysrand": true,
		"":                        false,
		"example.com/crypto/rand": false,
		"cryptographer":           false,
	} {
		if got := isGoCrypto(path); got != want {
			t.Errorf("a type of %q is taken for Go's: %t", path, got)
		}
	}
}

// The reader that was passed is the one that is read, also if the program has replaced
// crypto/rand.Reader since. The replacement is read where no reader was passed. It may fail.
func TestSystemReaderReplaced(t *testing.T) {
	type uncomparable struct {
		constant
		_ []byte // == panics
	}
	system := record(t)
	passed, replacement := rand.Reader, uncomparable{constant: 7}
	replaceSystem(t, replacement)
	clock := &fakeClock{time.UnixMilli(knownMS)}
	for name, newID := range map[string]func(entropy io.Reader) (ULID, error){
		"New": func(entropy io.Reader) (ULID, error) { return New(knownMS, entropy) },
		"Generator": func(entropy io.Reader) (ULID, error) {
			g := &Generator{Entropy: entropy, Clock: clock.now}
			return g.Make()
		},
		"Monotonic": func(entropy io.Reader) (ULID, error) {
			return New(knownMS, Monotonic(entropy, 0))
		},
		"Read": func(entropy io.Reader) (id ULID, err error) {
			_, err = Monotonic(entropy, 0).Read(id[6:])
			return id, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			sevens := bytes.Repeat([]byte{7}, 8) // after the counter
			id, err := newID(passed)
			if want := system.next(); !bytes.Equal(id[8:], want[2:]) || err != nil {
				t.Errorf("of the reader that was passed: got %x, %v; want what it gave, %x, nil", id[8:], err, want[2:])
			}
			if id, err := newID(replacement); !bytes.Equal(id[8:], sevens) || err != nil {
				t.Errorf("of the replacement: got %x, %v; want %x, nil", id[8:], err, sevens)
			}
			if name != "New" { // for which nil means zeros
				if id, err := newID(nil); !bytes.Equal(id[8:], sevens) || err != nil {
					t.Errorf("of nil: got %x, %v; want %x, nil", id[8:], err, sevens)
				}
			}
			replaceSystem(t, iotest.ErrReader(errFaulty))
			if id, err := newID(rand.Reader); id != (ULID{}) || err != errFaulty {
				t.Errorf("of a replacement that fails: got %s, %v; want zero, %v", id, err, errFaulty)
			}
		})
	}
}

// If the program replaces crypto/rand.Reader, a Generator that it had been passed to reads it for each ID.
func TestSystemReaderChanges(t *testing.T) {
	system := record(t)
	synctest.Test(t, func(t *testing.T) {
		g := &Generator{Entropy: system}
		time.Sleep(time.Nanosecond)
		mustMake(t, g)
		mustMake(t, g)
		system.reads = nil
		replaceSystem(t, constant(7))
		for range 2 {
			id := mustMake(t, g)
			if want := system.mustNext(t, 10); !bytes.Equal(id[8:], want[2:]) {
				t.Errorf("got %x, want %x", id[8:], want[2:])
			}
		}
	})
}

// A reader in the place of crypto/rand.Reader panics as it is read for a first ID, or for a seed. The next
// ID is as if nothing had happened.
func TestSystemReaderPanics(t *testing.T) {
	for _, isSeed := range []bool{false, true} {
		t.Run(fmt.Sprintf("seed=%t", isSeed), func(t *testing.T) {
			clock := &fakeClock{time.UnixMilli(knownMS)}
			g, m := &Generator{Clock: clock.now}, Monotonic(nil, 0)
			mustMake(t, g)
			last := mustMake(t, g) // after which a ChaCha8 is drawn from
			lastOfMonotonic := MustNew(knownMS, m)
			if !isSeed {
				clock.t = clock.t.Add(time.Millisecond)
			}
			good, panics := rand.Reader, true
			replaceSystem(t, readerFunc(func(p []byte) (int, error) {
				if panics && isSeed == (len(p) == 32) {
					panic(errFaulty)
				}
				return good.Read(p)
			}))
			emptyPool(t)
			ms := Timestamp(clock.t)
			mustPanic(t, "Make", func() { g.Make() })
			mustPanic(t, "Fill", func() { g.Fill(make([]ULID, 3)) })
			mustPanic(t, "New", func() { New(ms, m) })
			checkUnlocked(t, &m.mu)
			panics = false
			id := mustMake(t, g)
			checkGreater(t, id, last)
			checkGreater(t, MustNew(ms, m), lastOfMonotonic)
			if got := id.Time(); got != ms {
				t.Errorf("after a panic: got an ID at %d, want %d", got, ms)
			}
		})
	}
}

// The process ends if the reader in the place of crypto/rand.Reader fails.
func TestSystemReaderFails(t *testing.T) {
	fails := map[string]func(){
		"New":  func() { New(1, rand.Reader) },
		"Read": func() { Monotonic(rand.Reader, 0).Read(make([]byte, 10)) },
		"Make": func() { Make() },
		"seed": func() { chachas.New() },
	}
	if f := fails[os.Getenv("ULID_TEST_FAIL")]; f != nil {
		systemReader = iotest.ErrReader(errFaulty)
		rand.Reader = systemReader
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

// The readers.

// liar is a reader that writes nothing and returns its value as the count.
type liar int

func (l liar) Read([]byte) (int, error) { return int(l), nil }

// sparse is a reader of single bytes, with as many empty reads before each as times.
type sparse struct{ times, read int }

func (s *sparse) Read(p []byte) (int, error) {
	s.read++
	if s.read%(s.times+1) != 0 {
		return 0, nil
	}
	return constant(1).Read(p[:1])
}

// failing is a reader that gives n bytes of 0xab and then fails.
func failing(n int, err error) io.Reader {
	return io.MultiReader(io.LimitReader(constant(0xab), int64(n)), iotest.ErrReader(err))
}

// replaceable is a reader that can be exchanged under a Generator.
type replaceable struct{ io.Reader }

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

var errFaulty = errors.New("faulty")

// A recorder is a reader that keeps what it gave to each read. Those of 32 bytes are the seeds of
// ChaCha8s, which may be made at any time.
type recorder struct {
	io.Reader
	reads, seeds [][]byte
}

func (r *recorder) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	to := &r.reads
	if len(p) == 32 {
		to = &r.seeds
	}
	*to = append(*to, bytes.Clone(p[:n]))
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

// mustNext takes the oldest read that is left, which must be of n bytes.
func (r *recorder) mustNext(t *testing.T, n int) []byte {
	t.Helper()
	p := r.next()
	if len(p) != n {
		t.Fatalf("%d bytes were read, want %d", len(p), n)
	}
	return p
}

// record replaces crypto/rand.Reader as if the program had started with the recorder.
func record(t *testing.T) *recorder {
	r := &recorder{Reader: rand.Reader}
	replaceSystem(t, r)
	before := systemReader
	t.Cleanup(func() { systemReader = before })
	systemReader = r
	emptyPool(t) // of what r will have seeded
	return r
}

// emptyPool has every ChaCha8 from now on be new, and forgets them at the end of the test.
func emptyPool(t *testing.T) {
	newChaCha8 := chachas.New
	empty := func() { chachas = sync.Pool{New: newChaCha8} }
	empty()
	t.Cleanup(empty)
}

// replaceSystem puts a reader in the place of crypto/rand.Reader for the rest of the test.
func replaceSystem(t *testing.T, reader io.Reader) {
	t.Helper()
	before := rand.Reader
	t.Cleanup(func() { rand.Reader = before })
	rand.Reader = reader
}
