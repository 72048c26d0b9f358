package ulid

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
	mathrand "math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// Readers that misbehave, as the Entropy of a Generator or the Reader of a MonotonicEntropy.

// A reader that fails gives no ID and changes nothing, at whichever byte it fails.
func TestEntropyFails(t *testing.T) {
	failure := errors.New("no entropy")
	clock := &fakeClock{time.UnixMilli(knownMS)}
	for n := range 10 + 16 {
		// From 10 bytes on the first ID is made, and the step to the second fails.
		t.Run(fmt.Sprintf("New/%d bytes", n), func(t *testing.T) {
			reader := &replaceable{failing(n, failure)}
			g := &Generator{Clock: clock.now, Entropy: reader}
			m := Monotonic(failing(n, failure), 0)
			last := ULID{}
			if n >= 10 {
				last = mustNext(t, g)
				MustNew(knownMS, m)
			}
			if id, err := g.Make(); err != failure || id != (ULID{}) {
				t.Errorf("Generator.Make = %s, %v", id, err)
			}
			if id, err := New(knownMS, m); err != failure || id != (ULID{}) {
				t.Errorf("New of a Monotonic = %s, %v", id, err)
			}
			if g.last != last.uint128() || g.started != (n >= 10) {
				t.Errorf("the state has changed to %v", g.last)
			}
			reader.Reader = constant(0)
			if id := mustNext(t, g); id.Compare(last) <= 0 || id.Time() != knownMS {
				t.Errorf("the next ID is %s, after %s", id, last)
			}
		})
	}
	for n := range 10 {
		if id, err := New(knownMS, failing(n, failure)); err != failure || id != (ULID{}) {
			t.Errorf("%d bytes: New = %s, %v", n, id, err)
		}
	}
	for n := range 10 + 16 + 16 {
		t.Run(fmt.Sprintf("Fill/%d bytes", n), func(t *testing.T) {
			reader := &replaceable{failing(n, failure)}
			g := &Generator{Clock: clock.now, Entropy: reader}
			ids := []ULID{known, known, known}
			if err := g.Fill(ids); err != failure || ids[0] != (ULID{}) || ids[1] != (ULID{}) || ids[2] != (ULID{}) {
				t.Errorf("Fill = %v, %v", ids, err)
			}
			// The IDs that were made before the error are lost. Later ones are greater.
			var lost ULID
			if g.last.put(&lost); g.started != (n >= 10) {
				t.Errorf("started is %t", g.started)
			}
			reader.Reader = constant(0xab)
			if err := g.Fill(ids); err != nil || n < 10 && ids[0] != mustHex("01563df36481abababababababababab") || ids[0].Compare(lost) <= 0 || ids[2].Compare(ids[1]) <= 0 {
				t.Errorf("the next Fill = %s after %s, %v", ids, lost, err)
			}
		})
	}
}

// TestNew has the errors of more readers.
func TestEntropyEnds(t *testing.T) {
	for name, tt := range map[string]struct {
		reader io.Reader
		err    error
	}{
		"empty":                     {strings.NewReader(""), io.EOF},
		"short":                     {strings.NewReader("012345678"), io.ErrUnexpectedEOF},
		"empty reads":               {liar(0), io.ErrNoProgress},
		"negative count":            {liar(-1), errRead},
		"count of too many":         {liar(11), errRead},
		"empty reads after 3 bytes": {io.MultiReader(strings.NewReader("012"), liar(0)), io.ErrNoProgress},
	} {
		t.Run(name, func(t *testing.T) {
			if id, err := (&Generator{Entropy: tt.reader}).Make(); err != tt.err || id != (ULID{}) {
				t.Errorf("New = %s, %v; want %v", id, err, tt.err)
			}
		})
	}
}

// A reader that panics leaves no lock behind.
func TestEntropyPanics(t *testing.T) {
	reader := &replaceable{} // a nil dereference
	g := &Generator{Entropy: reader}
	m := Monotonic(reader, 0)
	mustPanic(t, "Generator.Make", func() { g.Make() })
	mustPanic(t, "Generator.Fill", func() { g.Fill(make([]ULID, 2)) })
	mustPanic(t, "New", func() { New(1, m) })
	mustPanic(t, "Read", func() { m.Read(make([]byte, 1)) })
	reader.Reader = constant(1)
	mustNext(t, g)
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
	ids := make(chan ULID)
	for range 2 {
		go func() { ids <- mustNext(t, g) }()
		go func() { ids <- MustNew(1, m) }()
	}
	<-entered
	<-entered
	if g.mu.TryLock() || m.mu.TryLock() {
		t.Error("read without the lock")
	}
	last := Make()
	for range 1000 {
		id := Make()
		if id.Compare(last) <= 0 {
			t.Errorf("%s after %s", id, last)
		}
		last = id
		mustNext(t, new(Generator))
	}
	close(release)
	seen := map[ULID]bool{}
	for range 4 {
		seen[<-ids] = true
	}
	if len(seen) != 4 {
		t.Errorf("4 IDs, of which %d differ", len(seen))
	}
}

// A reader that returns the same bytes for ever makes no ID twice.
func TestEntropyRepeats(t *testing.T) {
	for _, b := range []constant{0, 1, 0x7f, 0x80, 0xff} {
		for _, maxStep := range []uint32{0, 1, 2, math.MaxUint32} {
			for _, uuidv7 := range []bool{false, true} {
				t.Run(fmt.Sprintf("%#x/MaxStep=%d/UUIDv7=%t", byte(b), maxStep, uuidv7), func(t *testing.T) {
					clock := &fakeClock{time.UnixMilli(knownMS)}
					g := &Generator{Clock: clock.now, Entropy: b, MaxStep: maxStep, UUIDv7: uuidv7}
					last := ULID{}
					for i := range 1000 {
						ids := make([]ULID, 1+i%3)
						if err := g.Fill(ids); err != nil {
							t.Fatal(err)
						}
						for _, id := range append(ids, mustNext(t, g)) {
							if id.Compare(last) <= 0 {
								t.Fatalf("%s after %s", id, last)
							}
							last = id
						}
						if i%10 == 0 {
							clock.t = clock.t.Add(time.Millisecond)
						}
					}
				})
			}
		}
	}
}

// Goroutines share a Generator. It shares a faulty reader with another and with a
// MonotonicEntropy. Errors and panics come through, no ID is made twice, and no lock stays behind.
func TestSharedFaultyEntropy(t *testing.T) {
	entropy := &faulty{random: mathrand.New(seeded(13))}
	var ms atomic.Int64
	ms.Store(knownMS)
	clock := func() time.Time { return time.UnixMilli(ms.Load()) }
	g := &Generator{Entropy: entropy, Clock: clock}
	v7 := &Generator{Entropy: entropy, Clock: clock, UUIDv7: true}
	m := Monotonic(entropy, 0)
	for name, newID := range map[string]func() (ULID, error){
		"Generator": g.Make,
		"UUIDv7":    v7.Make,
		"Generator, filled": func() (ULID, error) {
			ids := make([]ULID, 1)
			err := g.Fill(ids)
			return ids[0], err
		},
		"Monotonic": func() (ULID, error) { return New(knownMS, m) },
	} {
		t.Run(name, func(t *testing.T) {
			var (
				newest                  atomic.Pointer[ULID]
				mu                      sync.Mutex
				seen                    = map[ULID]bool{}
				made, failed, abandoned int
				group                   sync.WaitGroup
			)
			newest.Store(new(ULID))
			for range 2000 {
				group.Go(func() {
					var (
						id       ULID
						err      error
						returned bool
					)
					floor := *newest.Load()
					defer func() {
						recovered := recover()
						mu.Lock()
						defer mu.Unlock()
						switch {
						case !returned: // it has panicked, or ended its goroutine
							abandoned++
							if recovered != nil && recovered != errFaulty {
								t.Errorf("panic with %v", recovered)
							}
						case err != nil:
							failed++
							if err != errFaulty && err != errRead && err != io.EOF && err != io.ErrUnexpectedEOF || id != (ULID{}) {
								t.Errorf("%s, %v", id, err)
							}
						default:
							made++
							if seen[id] || id.Compare(floor) <= 0 {
								t.Errorf("%s after %s, seen before: %t", id, floor, seen[id])
							}
							seen[id] = true
							publish(&newest, &id)
						}
					}()
					id, err = newID()
					returned = true
					ms.Add(1)
				})
			}
			group.Wait()
			if made < 100 || failed < 100 || abandoned < 100 {
				t.Errorf("%d IDs, %d errors, %d panics: want at least 100 of each", made, failed, abandoned)
			}
		})
	}
	if !g.mu.TryLock() || !v7.mu.TryLock() || !m.mu.TryLock() {
		t.Error("a lock was left behind")
	}
}

// The same in the place of crypto/rand.Reader.

// A reader that a program puts in the place of crypto/rand.Reader may fail.
func TestReplacedSystemReader(t *testing.T) {
	failure := errors.New("no entropy")
	replaceSystem(t, iotest.ErrReader(failure))
	if id, err := New(1, rand.Reader); err != failure || id != (ULID{}) {
		t.Errorf("New = %s, %v", id, err)
	}
	if id, err := (&Generator{Entropy: rand.Reader}).Make(); err != failure || id != (ULID{}) {
		t.Errorf("Generator.Make = %s, %v", id, err)
	}
}

// The reader that was passed is read, whatever stands in the place of crypto/rand.Reader since.
func TestPassedSystemReader(t *testing.T) {
	passed := rand.Reader
	var reads atomic.Int64
	replaceSystem(t, readerFunc(func(p []byte) (int, error) {
		reads.Add(1)
		clear(p)
		return len(p), nil
	}))
	clock := &fakeClock{time.UnixMilli(knownMS)}
	for name, newID := range map[string]func() (ULID, error){
		"New":       func() (ULID, error) { return New(knownMS, passed) },
		"Generator": (&Generator{Entropy: passed, Clock: clock.now}).Make,
		"Fill":      oneByOne(10, (&Generator{Entropy: passed, Clock: clock.now}).Fill),
		"Monotonic": func() (ULID, error) { return New(knownMS, Monotonic(passed, 0)) },
	} {
		t.Run(name, func(t *testing.T) {
			for range 3 {
				id, err := newID()
				if err != nil {
					t.Fatal(err)
				}
				if bytes.Equal(id[6:], make([]byte, 10)) {
					t.Errorf("the entropy of %s is that of the replacement", id)
				}
			}
			p := make([]byte, 10)
			if n, err := Monotonic(passed, 0).Read(p); n != 10 || err != nil || bytes.Equal(p, make([]byte, 10)) {
				t.Errorf("Read = %x, %v", p[:n], err)
			}
			if n := reads.Load(); n != 0 {
				t.Errorf("the replacement was read %d times", n)
			}
		})
	}
}

// misbehaviors are what a reader in the place of crypto/rand.Reader may do.
var misbehaviors = map[string]func(p []byte) (int, error){
	"panics":             func([]byte) (int, error) { panic(errFaulty) },
	"ends the goroutine": func([]byte) (int, error) { runtime.Goexit(); return 0, nil },
	"fails":              func([]byte) (int, error) { return 0, errFaulty },
}

// makers are the ways to make an ID from the system's entropy, each with its lock. One without a
// lock keeps no order. They use crypto/rand.Reader as it is when they are called, so a reader in
// its place is one like any other.
var makers = []struct {
	name string
	// asReader says that the maker is given rand.Reader. The others use rand.Read, which ends
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
		return g.Make, &g.mu
	}},
	{"Generator, MaxStep 1", false, func(t *testing.T) (func() (ULID, error), *sync.Mutex) {
		g := &Generator{MaxStep: 1}
		return g.Make, &g.mu
	}},
	{"Generator, Clock", false, func(t *testing.T) (func() (ULID, error), *sync.Mutex) {
		g := &Generator{Clock: time.Now}
		return g.Make, &g.mu
	}},
	{"Generator, rand.Reader", true, func(t *testing.T) (func() (ULID, error), *sync.Mutex) {
		g := &Generator{Entropy: rand.Reader}
		return g.Make, &g.mu
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
}

// A reader in the place of crypto/rand.Reader misbehaves once, at any of its reads. It leaves no
// lock behind, and the next ID is made.
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

// call calls newID in a goroutine of its own and reports whether it returned. It does not return
// if it panics with errFaulty or ends the goroutine.
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

// A reader in the place of crypto/rand.Reader blocks. All callers get their IDs when it goes on.
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

// A nil Entropy means crypto/rand.Read. It ends the process if the reader in the place of
// crypto/rand.Reader fails.
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

// The readers.

// liar is a reader that writes nothing and returns a count of its own.
type liar int

func (l liar) Read([]byte) (int, error) { return int(l), nil }

// hesitant is a reader whose first reads, as many as times, are empty.
type hesitant struct{ times int }

func (h *hesitant) Read(p []byte) (int, error) {
	if h.times--; h.times >= 0 {
		return 0, nil
	}
	return constant(1).Read(p)
}

// sparse is a reader of single bytes, with as many empty reads before each as times.
type sparse struct{ times, read int }

func (s *sparse) Read(p []byte) (int, error) {
	if s.read++; s.read%(s.times+1) != 0 {
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

// faulty is a reader that does everything wrong, at random. It may be shared.
type faulty struct {
	mu     sync.Mutex
	random *mathrand.Rand
}

func (f *faulty) Read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch n := f.random.IntN(len(p) + 1); f.random.IntN(12) {
	case 0:
		return 0, nil
	case 1:
		return liar(-n).Read(p)
	case 2:
		return liar(len(p) + n).Read(p)
	case 3:
		return constant(0xab).Read(p[:n]) // short
	case 4:
		n, _ := constant(0xab).Read(p[:n])
		return n, errFaulty
	case 5:
		n, _ := constant(0xab).Read(p)
		return n, errFaulty // all the same
	case 6:
		n, _ := constant(0xab).Read(p[:n])
		return n, io.EOF
	case 7:
		panic(errFaulty)
	case 8:
		runtime.Goexit()
	case 9:
		runtime.Gosched()
	}
	return constant(0x7f).Read(p) // the same for ever
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

// record replaces crypto/rand.Reader as if the program had started with the recorder.
func record(t *testing.T) *recorder {
	r := &recorder{Reader: rand.Reader}
	replaceSystem(t, r)
	before := systemReader
	t.Cleanup(func() { systemReader = before })
	systemReader = r
	return r
}

// replaceSystem puts a reader in the place of crypto/rand.Reader for the rest of the test.
func replaceSystem(t *testing.T, reader io.Reader) {
	t.Helper()
	before := rand.Reader
	t.Cleanup(func() { rand.Reader = before })
	rand.Reader = reader
}
