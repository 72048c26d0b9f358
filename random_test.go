package ulid

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
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

// Every random bit is accounted for. The first ID of a millisecond is made of ten bytes of
// crypto/rand that are read for it. Every other ID lies at the next place of a ChaCha8 that was
// seeded with 32 bytes of crypto/rand, in its range or above the ID before. Nothing else is read.
func TestRandomBits(t *testing.T) {
	generator := func(name string, g *Generator, fill func([]ULID) error) randomSource {
		return randomSource{
			name: name, places: cmp.Or(g.Spacing, 1<<48), inRanges: true, uuidv7: g.UUIDv7, fill: fill,
		}
	}
	monotonic := func(name string, inc uint64, m *MonotonicEntropy) randomSource {
		newID := func() (ULID, error) { return New(Now(), m) }
		return randomSource{name: name, places: inc, fill: each(newID)}
	}
	r := record(t)
	keep(t, &defaultGenerator)
	keep(t, &uuidv7Generator)
	defaultGenerator, uuidv7Generator = Generator{}, Generator{UUIDv7: true}
	sources := []randomSource{
		generator("Make and Fill", &defaultGenerator, func(ids []ULID) error {
			ids[0] = Make()
			Fill(ids[1:])
			return nil
		}),
		generator("MakeUUIDv7", &uuidv7Generator, each(func() (ULID, error) { return MakeUUIDv7(), nil })),
		monotonic("zero value", 1<<32, new(MonotonicEntropy)),
		monotonic("Monotonic of nil", 1<<32, Monotonic(nil, 0)),
		monotonic("Monotonic of rand.Reader", 1<<32, Monotonic(rand.Reader, 0)),
		monotonic("Monotonic, inc=1", 1, Monotonic(nil, 1)),
		monotonic("Monotonic, inc=256", 256, Monotonic(nil, 256)),
		monotonic("Monotonic, great inc", 1<<40+12345, Monotonic(nil, 1<<40+12345)),
		monotonic("DefaultEntropy", 1<<32, DefaultEntropy().(*MonotonicEntropy)),
	}
	for name, fill := range fills {
		for setting, g := range map[string]*Generator{
			"none":                 {},
			"rand.Reader":          {Entropy: rand.Reader},
			"Clock":                {Clock: time.Now},
			"UUIDv7":               {UUIDv7: true},
			"Spacing=1":            {Spacing: 1},
			"Spacing=256":          {Spacing: 256},
			"Spacing=9":            {Spacing: 9},
			"Spacing=2⁴⁸":          {Spacing: 1 << 48},
			"Spacing=2⁶³":          {Spacing: 1 << 63},
			"the greatest Spacing": {Spacing: math.MaxUint64},
		} {
			fillIt := func(ids []ULID) error { return fill(g, ids) }
			sources = append(sources, generator("Generator."+name+", "+setting, g, fillIt))
		}
	}
	for _, tt := range sources {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testRandomBits(t, r, tt) })
		})
	}
}

type randomSource struct {
	name     string
	places   uint64 // how many there are for an ID
	inRanges bool   // places lie in ranges, and not above the ID before
	uuidv7   bool
	fill     func(ids []ULID) error
}

// testRandomBits makes 60 batches of IDs, four in a millisecond. It takes the place of each ID from
// the numbers above the last one that is used up, and then asks which ChaCha8 gives these places.
func testRandomBits(t *testing.T, r *recorder, source randomSource) {
	// On one processor there is one ChaCha8 at a time, and in an empty pool every seed is seen.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	emptyPool(t)
	chachas := &candidates{}
	sequence := randomSequence{randomSource: source}
	for i := range 60 {
		time.Sleep(250 * time.Microsecond)
		ids := make([]ULID, 1+i%11)
		if err := source.fill(ids); err != nil {
			t.Fatal(err)
		}
		chachas.add(r)
		var places []*big.Int
		for _, id := range ids {
			if got, want := id.Time(), Now(); got != want {
				t.Fatalf("got an ID at %d, want %d", got, want)
			}
			if id.Time() != sequence.last.Time() {
				sequence.begin(t, id, r.next())
			} else {
				places = append(places, sequence.place(t, id))
			}
		}
		if !chachas.follow(places, source.places) {
			t.Fatalf("%s have the places %d, which are the next of no ChaCha8", ids, places)
		}
		if p := r.next(); p != nil {
			t.Fatalf("%d bytes of crypto/rand were read that are in no ID", len(p))
		}
	}
}

// A randomSequence follows the IDs of a source.
type randomSequence struct {
	randomSource
	last ULID
	used *big.Int // the last number that is used up
}

// bits returns the random bits of the next ID.
func (s *randomSequence) bits(t *testing.T, id ULID) *big.Int {
	t.Helper()
	bits := randomBits(id, s.uuidv7)
	if id != fromRandomBits(id.Time(), bits, s.uuidv7) {
		t.Fatalf("%s has other bits than its time and random ones", id)
	}
	s.last = id
	return bits
}

// begin checks the first ID of a millisecond, for which crypto/rand gave p.
func (s *randomSequence) begin(t *testing.T, id ULID, p []byte) {
	t.Helper()
	bits := s.bits(t, id)
	if len(p) != 10 {
		t.Fatalf("%d bytes of crypto/rand were read, want 10", len(p))
	}
	if want := freshBits(p, s.uuidv7); bits.Cmp(want) != 0 {
		t.Fatalf("got the random bits %x, want %x", bits, want)
	}
	s.used = bits
}

// place returns the place of another ID.
func (s *randomSequence) place(t *testing.T, id ULID) *big.Int {
	t.Helper()
	bits := s.bits(t, id)
	place := new(big.Int).Sub(bits, s.used)
	place.Sub(place, big.NewInt(1))
	if s.inRanges {
		s.used = new(big.Int).Add(s.used, new(big.Int).SetUint64(s.places))
	} else {
		s.used = bits
	}
	return place
}

// candidates are the ChaCha8s that may draw the next places, the oldest first. There is one at a
// time. The pool may forget it, as it often does under the race detector, and then a newer one takes
// its place for good.
type candidates struct {
	seeds   int
	chachas []*referencePlaces
}

// add adds those that were seeded since.
func (c *candidates) add(r *recorder) {
	for _, seed := range r.seeds {
		c.chachas = append(c.chachas, newReferencePlaces(c.seeds, seed))
		c.seeds++
	}
	r.seeds = nil
}

// follow reports whether the places are the next of one of them, or of several in turn.
func (c *candidates) follow(places []*big.Int, n uint64) bool {
	if len(places) == 0 || n == 1 {
		return true
	}
	// Each draws the places from begin to end, and a newer one draws those after them.
	oldest := slices.Repeat([]int{len(c.chachas)}, len(places)) // that may draw the place, by index
	oldest[0] = 0
	var last []*referencePlaces
	for begin := range places {
		for i := oldest[begin]; i < len(c.chachas); i++ {
			for end := begin + 1; end <= len(places); end++ {
				next := *c.chachas[i]
				switch isNext := next.follow(places[begin:end], n); {
				case !isNext:
				case end < len(places):
					oldest[end] = min(oldest[end], i+1)
				default:
					last = append(last, &next)
				}
			}
		}
	}
	if len(last) == 0 {
		return false
	}
	used := slices.MinFunc(last, (*referencePlaces).compare).number
	for _, chacha := range c.chachas {
		if chacha.number > used { // it may have been seeded, and not drawn from
			last = append(last, chacha)
		}
	}
	slices.SortFunc(last, (*referencePlaces).compare)
	c.chachas = slices.CompactFunc(last, func(a, b *referencePlaces) bool { return a.compare(b) == 0 })
	return true
}

// Each ChaCha8 is back in the pool once. If it were there twice, two goroutines would draw the same
// bits.
func TestEachChaCha8IsThereOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // one processor gets back all that it put
	clock := &fakeClock{time.UnixMilli(knownMS)}
	m := Monotonic(nil, 0)
	for name, fill := range map[string]func([]ULID) error{
		"Make":      each((&Generator{Clock: clock.now}).Make),
		"Fill":      (&Generator{Clock: clock.now}).Fill,
		"Monotonic": each(func() (ULID, error) { return New(knownMS, m) }),
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

// A number in [0, n) is 0 if all random bits are, and n-1 if they are ones.
func TestUniform(t *testing.T) {
	sizes := []uint64{
		1, 2, 3, 1000, 1<<32 - 1, 1 << 32, 1<<32 + 1, 1 << 48, 1 << 63, 1<<63 + 12345,
		math.MaxUint64,
	}
	places, entropy := newReferencePlaces(0, make([]byte, 32)), seeded(2)
	chacha := places.chacha
	for _, n := range sizes {
		for entropy, want := range map[constant]uint64{0: 0, 0xff: n - 1} {
			if got, err := new(random).uniform(entropy, n); got != want || err != nil {
				t.Errorf("below %d, bytes %#x: got %d, %v; want %d, nil", n, entropy, got, err, want)
			}
		}
		for range 100 {
			if got, want := uniform(&chacha, n), places.next(n).Uint64(); got != want {
				t.Fatalf("below %d, of the system: got %d, want %d", n, got, want)
			}
			if n == 1 {
				continue // which reads nothing
			}
			p := make([]byte, 16)
			entropy.Read(p)
			want := referenceScale(binary.BigEndian.Uint64(p[:8]), binary.BigEndian.Uint64(p[8:]), n).Uint64()
			if got, err := new(random).uniform(bytes.NewReader(p), n); got != want || err != nil {
				t.Fatalf("below %d, of a reader: got %d, %v; want %d, nil", n, got, err, want)
			}
		}
	}
	if got, err := new(random).uniform(iotest.ErrReader(errFaulty), 1); got != 0 || err != nil {
		t.Errorf("below 1: got %d, %v; want 0, and nothing read", got, err)
	}
	if got := scale(math.MaxUint64/3, math.MaxUint64, 3); got != 1 { // the products carry
		t.Errorf("3 times a little less than 1/3, and a little: got %d, want 1", got)
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

// A reader that fails gives no ID, at whichever byte it fails. Make leaves the Generator as it was.
// The IDs that Fill had made are lost.
func TestEntropyFails(t *testing.T) {
	for n := range 10 + 16 + 16 {
		t.Run(fmt.Sprintf("Make/%d bytes", n), func(t *testing.T) { testEntropyFailsMake(t, n) })
		t.Run(fmt.Sprintf("Fill/%d bytes", n), func(t *testing.T) { testEntropyFailsFill(t, n) })
	}
}

func testEntropyFailsMake(t *testing.T, n int) {
	clock := &fakeClock{time.UnixMilli(knownMS)}
	reader := &replaceable{failing(n, errFaulty)}
	g := &Generator{Clock: clock.now, Entropy: reader}
	reference := newReferenceGenerator(false, 0, failing(n, errFaulty))
	for range 3 {
		id, err := g.Make()
		want, wantErr := reference.next(knownMS)
		if wantErr != nil {
			wantErr = errFaulty
		}
		if id != want || err != wantErr {
			t.Errorf("Make = %s, %v; want %s, %v", id, err, want, wantErr)
		}
	}
	if want := n >= 10; g.started != want { // the first ID
		t.Errorf("started is %t, want %t", g.started, want)
	}
	reader.Reader, reference.entropy = constant(0), constant(0)
	want, _ := reference.next(knownMS)
	if got := mustMake(t, g); got != want {
		t.Errorf("after the error: got %s, want %s", got, want)
	}
}

func testEntropyFailsFill(t *testing.T, n int) {
	clock := &fakeClock{time.UnixMilli(knownMS)}
	reader := &replaceable{failing(n, errFaulty)}
	g := &Generator{Clock: clock.now, Entropy: reader}
	ids := []ULID{known, known, known}
	if err := g.Fill(ids); err != errFaulty {
		t.Errorf("Fill = %v, want %v", err, errFaulty)
	}
	if want := [3]ULID{}; [3]ULID(ids) != want {
		t.Errorf("Fill left %s, want zeros", ids)
	}
	isMade := n >= 10 // the first ID
	if g.started != isMade {
		t.Errorf("started is %t, want %t", g.started, isMade)
	}
	var lost ULID
	g.last.put(&lost)
	reader.Reader = constant(0xab)
	id := mustMake(t, g)
	checkGreater(t, id, lost)
	if first := mustHex("01563df36481abababababababababab"); !isMade && id != first {
		t.Errorf("the next ID is %s, want %s", id, first)
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
		if got := string(mustMake(t, g).Entropy()); got != want {
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
			sevens := bytes.Repeat([]byte{7}, 10)
			id, err := newID(passed)
			if want := system.next(); !bytes.Equal(id[6:], want) || err != nil {
				t.Errorf("of the reader that was passed: got %x, %v; want what it gave, %x, nil", id[6:], err, want)
			}
			if id, err := newID(replacement); !bytes.Equal(id[6:], sevens) || err != nil {
				t.Errorf("of the replacement: got %x, %v; want %x, nil", id[6:], err, sevens)
			}
			if name != "New" { // for which nil means zeros
				if id, err := newID(nil); !bytes.Equal(id[6:], sevens) || err != nil {
					t.Errorf("of nil: got %x, %v; want %x, nil", id[6:], err, sevens)
				}
			}
			replaceSystem(t, iotest.ErrReader(errFaulty))
			if id, err := newID(rand.Reader); id != (ULID{}) || err != errFaulty {
				t.Errorf("of a replacement that fails: got %s, %v; want zero, %v", id, err, errFaulty)
			}
		})
	}
}

// The steps of a millisecond come from where its first bits came from, whatever is put in the place
// of crypto/rand.Reader meanwhile.
func TestSystemReaderChanges(t *testing.T) {
	system := record(t)
	clock := &fakeClock{time.UnixMilli(knownMS)}
	g := &Generator{Clock: clock.now, Entropy: system}
	good := system.Reader
	for i, tt := range []struct {
		current, recorded io.Reader
		ms                int64
		want              int
	}{
		{constant(7), good, 0, 10},
		{system, good, 0, 16}, // not a ChaCha8
		{system, good, 0, 16}, // of no epoch
		{system, &replaceable{}, 1, -1},
		{system, good, 0, 16},
		{system, good, 1, 10},
		{constant(7), good, 1, 0}, // the ChaCha8
		{constant(7), good, 2, 10},
		{constant(7), good, 2, 16},
	} {
		rand.Reader, system.Reader = tt.current, tt.recorded
		clock.t = time.UnixMilli(knownMS + tt.ms)
		if tt.want < 0 {
			mustPanic(t, "Make", func() { g.Make() })
			continue
		}
		mustMake(t, g)
		if tt.current != system && g.epoch.Load() != nil {
			t.Errorf("ID %d: an epoch is open although crypto/rand.Reader is replaced", i)
		}
		got := 0
		for p := system.next(); p != nil; p = system.next() {
			got += len(p)
		}
		if got != tt.want {
			t.Errorf("ID %d: %d bytes were read, want %d", i, got, tt.want)
		}
	}
}

// A reader in the place of crypto/rand.Reader panics as it is read for the first ID, or for a seed
// of the steps, with the lock or without it. The next ID is as if nothing had happened.
func TestSystemReaderPanics(t *testing.T) {
	for _, size := range []int{entropySize, 32} {
		for before := range 4 { // so many IDs are made before
			t.Run(fmt.Sprintf("%d bytes after %d IDs", size, before), func(t *testing.T) {
				clock := &fakeClock{time.UnixMilli(knownMS)}
				g, m := &Generator{Clock: clock.now, Spacing: 1}, Monotonic(nil, 0)
				last, lastOfMonotonic := ULID{}, ULID{}
				for range before {
					last, lastOfMonotonic = mustMake(t, g), MustNew(knownMS, m)
				}
				switch {
				case size == entropySize:
					clock.t = time.UnixMilli(knownMS + 1)
				case before == 0:
					last, lastOfMonotonic = mustMake(t, g), MustNew(knownMS, m)
				}
				good, panics := rand.Reader, true
				replaceSystem(t, readerFunc(func(p []byte) (int, error) {
					if panics && len(p) == size {
						panic(errFaulty)
					}
					return good.Read(p)
				}))
				emptyPool(t)
				ms := Timestamp(clock.t)
				mustPanic(t, "Make", func() { g.Make() })
				mustPanic(t, "Fill", func() { g.Fill(make([]ULID, 3)) })
				mustPanic(t, "New", func() { New(ms, m) })
				checkUnlocked(t, &g.mu)
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
