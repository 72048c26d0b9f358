package ulid

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"math/big"
	mathrand "math/rand/v2"
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

// Generator and its clock.

// The order holds whatever the clock does. The timestamp is the greatest that the clock has shown.
// TestClockFaults does the same to the clocks of the system.
func TestGeneratorClock(t *testing.T) {
	const year = 365 * 24 * time.Hour
	moves := []time.Duration{
		0, 0, 300 * time.Microsecond, 300 * time.Microsecond, 300 * time.Microsecond,
		-time.Millisecond, 0, time.Millisecond, time.Millisecond, time.Millisecond,
		-time.Hour, time.Minute, time.Hour,
		-10 * year, time.Hour, 11 * year,
		-60 * year, time.Hour, 61 * year, // before 1970
	}
	random := mathrand.New(seeded(1))
	for range 10_000 {
		moves = append(moves, time.Duration(random.NormFloat64()*float64(time.Duration(1)<<random.IntN(50))))
	}
	for _, uuidv7 := range []bool{false, true} {
		t.Run(fmt.Sprintf("UUIDv7=%t", uuidv7), func(t *testing.T) {
			clock := &fakeClock{time.UnixMilli(knownMS)}
			g := &Generator{Clock: clock.now, Entropy: seeded(2), UUIDv7: uuidv7}
			last, latest := ULID{}, uint64(knownMS)
			for i, move := range moves {
				clock.t = clock.t.Add(move)
				latest = max(latest, uint64(max(clock.t.UnixMilli(), 0)))
				id := mustMake(t, g)
				checkGreater(t, id, last)
				if got := id.Time(); got != latest {
					t.Fatalf("reading %d, %v: got an ID at %d, want %d", i, clock.t, got, latest)
				}
				if got := slowIsUUIDv7(id); uuidv7 && !got {
					t.Fatalf("reading %d: %s is not a UUIDv7", i, id.UUIDString())
				}
				last = id
			}
		})
	}
}

// A clock before 1970 counts as 1970. There is no ID for a clock past MaxTime, however far.
func TestGeneratorClockRange(t *testing.T) {
	for _, tt := range []struct {
		name string
		at   time.Time
		want string
		err  error
	}{
		{"1970", time.Unix(0, 0), "000000000000abababababababababab", nil},
		{"the last ns of a millisecond", time.Unix(0, 5_999_999), "000000000005abababababababababab", nil},
		{"1 ns before 1970", time.Unix(0, -1), "000000000000abababababababababab", nil},
		{"1 s before 1970", time.Unix(-1, 0), "000000000000abababababababababab", nil},
		{"zero time", time.Time{}, "000000000000abababababababababab", nil},
		{"MaxTime", time.UnixMilli(maxTime), "ffffffffffffabababababababababab", nil},
		{"1 ms after MaxTime", time.UnixMilli(maxTime + 1), "00000000000000000000000000000000", ErrBigTime},
		{"2⁶³ ms", time.Unix(math.MaxInt64/1000+1, 0), "00000000000000000000000000000000", ErrBigTime},
		{"2⁶⁴ ms", time.Unix(math.MaxUint64/1000+1, 0), "00000000000000000000000000000000", ErrBigTime},
		{"the last second", time.Unix(math.MaxInt64, 0), "00000000000000000000000000000000", ErrBigTime},
	} {
		t.Run(tt.name, func(t *testing.T) {
			clock, want := &fakeClock{tt.at}, mustHex(tt.want)
			id, err := (&Generator{Clock: clock.now, Entropy: constant(0xab)}).Make()
			if id != want || err != tt.err {
				t.Errorf("Make = %x, %v; want %x, %v", id[:], err, want[:], tt.err)
			}
			ids := []ULID{known}
			err = (&Generator{Clock: clock.now, Entropy: constant(0xab)}).Fill(ids)
			if ids[0] != want || err != tt.err {
				t.Errorf("Fill = %x, %v; want %x, %v", ids[0][:], err, want[:], tt.err)
			}
		})
	}
}

// Make and a short Fill call Clock once, while the Generator is not locked. They read no other
// clock, and do not wait for a clock that stands behind the last ID.
func TestGeneratorClockCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		var g *Generator
		g = &Generator{
			MaxStep: 1,
			Clock: func() time.Time {
				if calls++; calls > 100 {
					t.Fatal("Clock is called again and again")
				}
				if !g.mu.TryLock() {
					t.Fatal("Clock is called under the lock")
				}
				g.mu.Unlock()
				return time.UnixMilli(5)
			},
			wall: func() time.Time { t.Error("the wall clock was read"); return time.Now() },
		}
		begin := time.Now()
		mustMake(t, g)
		last := LastAt(Time(5))
		g.last = last.uint128()
		for range 2 {
			if got := mustMake(t, g).Time(); got != 6 {
				t.Errorf("got an ID at %d after an overflow, want 6", got)
			}
		}
		if err := g.Fill(make([]ULID, 2)); err != nil {
			t.Fatal(err)
		}
		if calls != 4 {
			t.Errorf("Clock was called %d times by 4 calls", calls)
		}
		if waited := time.Since(begin); waited != 0 {
			t.Errorf("Make waited for %v", waited)
		}
	})
}

// A Clock that panics leaves no lock behind.
func TestGeneratorClockPanics(t *testing.T) {
	g := &Generator{Clock: func() time.Time { panic("no time") }}
	mustPanic(t, "Make", func() { g.Make() })
	mustPanic(t, "Fill", func() { g.Fill(make([]ULID, 2)) })
	checkUnlocked(t, &g.mu)
}

// The wall clock is read again when its millisecond is over, and not before.
func TestGeneratorWindow(t *testing.T) {
	for name, g := range map[string]*Generator{"none": {}, "UUIDv7": {UUIDv7: true}, "rand.Reader": {Entropy: rand.Reader}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				readings := 0
				g.wall = func() time.Time { readings++; return time.Now() }
				for i, tt := range []struct {
					wait     time.Duration
					readings int
				}{
					{250_001, 1},
					{749_998, 1}, // the last ns of the millisecond
					{1, 2},       // on the stroke, where a clock of whole milliseconds always is
					{0, 3},
					{1, 4},
					{999_998, 4}, // the last ns
					{1_000_000, 5},
				} {
					time.Sleep(tt.wait)
					id := mustMake(t, g)
					if readings != tt.readings {
						t.Errorf("ID %d: the clock was read %d times, want %d", i, readings, tt.readings)
					}
					if got, want := id.Time(), Now(); got != want {
						t.Errorf("ID %d: got an ID at %d, want %d", i, got, want)
					}
				}
			})
		})
	}
	// A Clock or an Entropy of the caller is never left out.
	for _, g := range []*Generator{{Clock: time.Now}, {Entropy: constant(1)}} {
		if mustMake(t, g); g.window != 0 {
			t.Errorf("the window is %v, want 0", g.window)
		}
	}
}

// Once past, the window does not open again, however long ago it was. A comparison that dropped
// bits of a Duration would open it.
func TestGeneratorWindowStaysShut(t *testing.T) {
	for shift := 20; shift < 63; shift++ {
		synctest.Test(t, func(t *testing.T) {
			g := new(Generator)
			time.Sleep(250 * time.Microsecond)
			mustMake(t, g)
			time.Sleep(1 << shift)
			if got, want := mustMake(t, g).Time(), Now(); got != want {
				t.Errorf("%v later: got an ID at %d, want %d", time.Duration(1<<shift), got, want)
			}
		})
	}
}

// The window ends with the millisecond in which the wall clock was read, even if the lock came
// late.
func TestGeneratorWindowBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(100 * time.Microsecond)
		g := &Generator{wall: func() time.Time {
			now := time.Now()
			time.Sleep(400 * time.Microsecond) // as a goroutine that is descheduled, or waits for the lock
			return now
		}}
		mustMake(t, g) // at 100 µs, returned at 500 µs
		time.Sleep(499 * time.Microsecond)
		mustMake(t, g)
		time.Sleep(time.Microsecond)
		now := Now()
		if got := mustMake(t, g).Time(); got != now {
			t.Errorf("got an ID at %d, want %d", got, now)
		}
	})
}

// A testing/synctest bubble begins in 2000. A Generator that was used outside keeps its time there.
func TestGeneratorSynctest(t *testing.T) {
	outside := new(Generator)
	last := mustMake(t, outside)
	synctest.Test(t, func(t *testing.T) {
		for range 100 {
			id := mustMake(t, outside)
			checkGreater(t, id, last)
			if got, want := id.Time(), last.Time(); got != want {
				t.Fatalf("in the bubble: got an ID at %d, want %d", got, want)
			}
			last = id
			time.Sleep(700 * time.Microsecond)
		}
		if got, want := mustMake(t, new(Generator)).Time(), Now(); got != want {
			t.Errorf("a new Generator: got an ID at %d, want %d", got, want)
		}
	})
	// Outside again, the true time is read at once.
	time.Sleep(2 * time.Millisecond)
	now := Now()
	id := mustMake(t, outside)
	checkGreater(t, id, last)
	if got := id.Time(); got < now {
		t.Errorf("after the bubble: got an ID at %d, want %d or later", got, now)
	}
}

// Generator and its lock.

// No ID is made twice, even if a goroutine loses the processor as it gives up the lock. It must have
// its ID by then, and the Generator must know that ID. Goroutines that have waited for a mutex for a
// millisecond get it in turn, and on one processor Unlock then starts the next at once.
func TestLockIsHandedOver(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	clock := &fakeClock{time.UnixMilli(knownMS)}
	m := Monotonic(nil, 1)
	quick, slow := &Generator{MaxStep: 1}, &Generator{MaxStep: 1, Clock: clock.now}
	mustMake(t, quick)
	quick.opened, quick.window = 0, math.MaxInt64
	for _, tt := range []struct {
		name string
		mu   *sync.Mutex
		fill func(ids []ULID) error
	}{
		{"Make in the window", &quick.mu, each(quick.Make)},
		{"Make", &slow.mu, each(slow.Make)},
		{"Fill", &slow.mu, slow.Fill},
		{"New", &m.mu, each(func() (ULID, error) { return New(knownMS, m) })},
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
			checkDistinct(t, ids)
		})
	}
}

// Generator.Fill.

// Fill reads the clock once for every 1,024 IDs, and each of these pieces has its own time.
func TestGeneratorFillReadsTheClock(t *testing.T) {
	for _, tt := range []struct{ n, readings int }{
		{0, 0}, {1, 1}, {pieceSize, 1}, {pieceSize + 1, 2}, {2 * pieceSize, 2}, {9*pieceSize + 1, 10},
	} {
		readings := 0
		clock := func() time.Time { readings++; return time.UnixMilli(knownMS + int64(readings)) }
		for name, g := range map[string]*Generator{"wall clock": {wall: clock}, "Clock": {Clock: clock}} {
			t.Run(fmt.Sprintf("%d/%s", tt.n, name), func(t *testing.T) {
				readings = 0
				ids := make([]ULID, tt.n)
				if err := g.Fill(ids); err != nil {
					t.Fatal(err)
				}
				if readings != tt.readings {
					t.Errorf("the clock was read %d times, want %d", readings, tt.readings)
				}
				last := ULID{}
				for i, id := range ids {
					checkGreater(t, id, last)
					if got, want := id.Time(), knownMS+1+uint64(i/pieceSize); got != want {
						t.Fatalf("element %d: got an ID at %d, want %d", i, got, want)
					}
					last = id
				}
			})
		}
	}
}

// Fill neither opens the window of the quick path nor shuts it.
func TestGeneratorFillLeavesTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := new(Generator)
		check := func(wantOpened, wantWindow time.Duration) {
			t.Helper()
			time.Sleep(time.Microsecond)
			if err := g.Fill(make([]ULID, 2)); err != nil {
				t.Fatal(err)
			}
			if g.opened != wantOpened || g.window != wantWindow {
				t.Errorf("the window is open from %v for %v, want %v for %v", g.opened, g.window, wantOpened, wantWindow)
			}
		}
		check(0, 0)
		mustMake(t, g)
		check(g.opened, 999*time.Microsecond)
	})
}

// An error in a later piece clears the earlier ones too.
func TestGeneratorFillClears(t *testing.T) {
	readings := 0
	g := &Generator{Clock: func() time.Time {
		readings++
		return time.UnixMilli(maxTime - 2 + int64(readings)) // past the end at the third
	}}
	ids := slices.Repeat([]ULID{known}, 4*pieceSize)
	if err := g.Fill(ids); err != ErrBigTime {
		t.Errorf("Fill = %v, want %v", err, ErrBigTime)
	}
	if readings != 3 {
		t.Errorf("the clock was read %d times, want 3", readings)
	}
	for i, id := range ids {
		if !id.IsZero() {
			t.Fatalf("element %d is %s, want zero", i, id)
		}
	}
}

// On a single processor, Fill lets another goroutine run after every 1,024 IDs, and does not hold
// the lock then.
func TestGeneratorFillLetsOthersRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const pieces = 20
	var turns atomic.Int64 // of the other goroutine, with the lock
	interrupted, last := 0, int64(-1)
	g := &Generator{Clock: func() time.Time { // called once for each piece
		if now := turns.Load(); now != last {
			interrupted++
			last = now
		}
		return time.UnixMilli(knownMS)
	}}
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				if g.mu.TryLock() {
					turns.Add(1)
					g.mu.Unlock()
				}
				runtime.Gosched()
			}
		}
	}()
	runtime.Gosched() // so that it has begun
	err := g.Fill(make([]ULID, pieces*pieceSize))
	close(stop)
	<-stopped
	if err != nil {
		t.Fatal(err)
	}
	// The scheduler promises no turn, so some may be missing.
	if interrupted < pieces/2 {
		t.Errorf("the other goroutine got the lock before %d of %d pieces, want half at least", interrupted, pieces)
	}
}

// Generator.After.

func TestGeneratorAfter(t *testing.T) {
	for _, tt := range []struct {
		name        string
		ms          int64
		after, want string
	}{
		{"zero", knownMS, "00000000000000000000000000", "01ARYZ6S41NENTQAXBNENTQAXB"},
		{"zero in 1970", 0, "00000000000000000000000000", "0000000000NENTQAXBNENTQAXB"},
		{"of 1970", 0, "00000000000000000000000001", "0000000001NENTQAXBNENTQAXB"},
		{"past", knownMS, "01ARYZ6S30ZZZZZZZZZZZZZZZZ", "01ARYZ6S41NENTQAXBNENTQAXB"},
		{"first of the millisecond", knownMS, "01ARYZ6S410000000000000000", "01ARYZ6S42NENTQAXBNENTQAXB"},
		{"last of the millisecond", knownMS, "01ARYZ6S41ZZZZZZZZZZZZZZZZ", "01ARYZ6S42NENTQAXBNENTQAXB"},
		{"future", knownMS, "02ARYZ6S410000000000000000", "02ARYZ6S42NENTQAXBNENTQAXB"},
		{"last millisecond but one", knownMS, "7ZZZZZZZZYZZZZZZZZZZZZZZZZ", "7ZZZZZZZZZNENTQAXBNENTQAXB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for name, fill := range fills {
				clock := &fakeClock{time.UnixMilli(tt.ms)}
				ids := make([]ULID, 2)
				g := &Generator{Clock: clock.now, Entropy: constant(0xab), MaxStep: 1, After: MustParse(tt.after)}
				if err := fill(g, ids); err != nil {
					t.Fatal(err)
				}
				if got := ids[0].String(); got != tt.want {
					t.Errorf("%s after %s: got %s, want %s", name, tt.after, got, tt.want)
				}
				// Only the first ID depends on After.
				if want, _ := ids[0].Next(); ids[1] != want {
					t.Errorf("%s after %s: got %s as the second, want %s", name, tt.after, ids[1], want)
				}
			}
		})
	}
	t.Run("last millisecond", func(t *testing.T) {
		g := &Generator{After: FirstAt(Time(maxTime))}
		for range 2 {
			if id, err := g.Make(); id != (ULID{}) || err != ErrBigTime {
				t.Errorf("Make = %s, %v; want zero, %v", id, err, ErrBigTime)
			}
		}
	})
}

// Generators that begin after the same ID have no ID in common, although their clocks are behind
// it: replicas that all read the greatest key, and a process whose predecessor lost some.
func TestGeneratorsAfterTheSameID(t *testing.T) {
	after := LastAt(time.UnixMilli(knownMS))
	clock := &fakeClock{after.Timestamp().Add(-time.Hour)}
	n := 1_000_000
	if testing.Short() {
		n = 20_000
	}
	for _, uuidv7 := range []bool{false, true} {
		t.Run(fmt.Sprintf("UUIDv7=%t", uuidv7), func(t *testing.T) {
			// With MaxStep 1 a sequence is an interval. Two have an ID in common if they overlap.
			type interval struct{ first, last ULID }
			var sequences []interval
			ids := make([]ULID, n)
			for range 64 {
				g := &Generator{Clock: clock.now, MaxStep: 1, After: after, UUIDv7: uuidv7}
				if err := g.Fill(ids); err != nil {
					t.Fatal(err)
				}
				if got, want := ids[0].Time(), uint64(knownMS+1); got != want {
					t.Fatalf("got an ID at %d, want %d", got, want)
				}
				sequences = append(sequences, interval{ids[0], ids[n-1]})
			}
			slices.SortFunc(sequences, func(a, b interval) int { return a.first.Compare(b.first) })
			for i, s := range sequences[1:] {
				if before := sequences[i]; s.first.Compare(before.last) <= 0 {
					t.Errorf("%s to %s overlaps %s to %s", before.first, before.last, s.first, s.last)
				}
			}
		})
	}
}

// Overflow, of the random bits and of the time.

// After the last ID of a millisecond comes one of the next, with fresh random bits.
func TestGeneratorOverflow(t *testing.T) {
	for _, uuidv7 := range []bool{false, true} {
		for _, source := range []string{"window", "Clock", "Entropy"} {
			for name, fill := range fills {
				t.Run(fmt.Sprintf("UUIDv7=%t/%s/%s", uuidv7, source, name), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { testGeneratorOverflow(t, uuidv7, source, fill) })
				})
			}
		}
	}
}

func testGeneratorOverflow(t *testing.T, uuidv7 bool, source string, fill func(*Generator, []ULID) error) {
	g, r := &Generator{MaxStep: 1, UUIDv7: uuidv7}, record(t)
	switch source {
	case "Clock":
		g.Clock = time.Now
	case "Entropy":
		r = &recorder{Reader: seeded(1)}
		g.Entropy = r
	}
	time.Sleep(time.Microsecond) // on the stroke of a millisecond the window stays shut
	ms := Now()
	mustMake(t, g)
	r.reads = nil
	last := new(big.Int).Lsh(big.NewInt(1), randomBitCount(uuidv7))
	last.Sub(last, big.NewInt(1))
	lastID := fromRandomBits(ms, last, uuidv7)
	g.last = lastID.uint128().subOne()
	ids := make([]ULID, 3)
	if err := fill(g, ids); err != nil {
		t.Fatal(err)
	}
	if ids[0] != lastID {
		t.Errorf("got %s, want the last of the millisecond, %s", ids[0], lastID)
	}
	p := r.next()
	if len(p) != 10 {
		t.Fatalf("%d bytes of entropy were read, want 10", len(p))
	}
	fresh := freshBits(p, uuidv7)
	if want := fromRandomBits(ms+1, fresh, uuidv7); ids[1] != want {
		t.Errorf("got %s after the last of the millisecond, want %s", ids[1], want)
	}
	if want := fromRandomBits(ms+1, fresh.Add(fresh, big.NewInt(1)), uuidv7); ids[2] != want {
		t.Errorf("got %s after %s, want %s", ids[2], ids[1], want)
	}
	if p := r.next(); p != nil {
		t.Errorf("%d more bytes of entropy were read, want none", len(p))
	}
}

// Past the largest ULID there is none. The Generator goes on if the clock is set back.
func TestGeneratorMaxTime(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(maxTime)}
	g := &Generator{Clock: clock.now, Entropy: constant(0), MaxStep: 1}
	check := func(wantErr error) {
		t.Helper()
		id, err := g.Make()
		if err != wantErr {
			t.Errorf("Make = %v, want %v", err, wantErr)
		}
		if wantErr != nil && !id.IsZero() {
			t.Errorf("Make = %s beside an error, want zero", id)
		}
	}
	check(nil)
	clock.t = time.UnixMilli(maxTime + 1)
	check(ErrBigTime)
	clock.t = time.UnixMilli(knownMS)
	if got, want := mustMake(t, g), mustHex("ffffffffffff00000000000000000001"); got != want {
		t.Errorf("after an error: got %x, want %x", got[:], want[:])
	}
	g.last = largest.subOne().subOne()
	check(nil)
	ids := []ULID{known, known}
	if err := g.Fill(ids); err != ErrBigTime {
		t.Errorf("Fill = %v, want %v", err, ErrBigTime)
	}
	if ids[0] != (ULID{}) || ids[1] != (ULID{}) {
		t.Errorf("Fill left %s, want zeros", ids)
	}
	check(ErrBigTime) // the largest ULID, which Fill had made, is lost
	check(ErrBigTime)
	lastButOne := LastAt(Time(maxTime - 1))
	g.last = lastButOne.uint128()
	check(nil) // an overflow into the last millisecond
}

// Steps and UUIDv7.

// A step adds to the 80 random bits as to one number, or to the 74 of a UUIDv7.
func TestGeneratorIncrement(t *testing.T) {
	random := mathrand.New(seeded(3))
	for _, uuidv7 := range []bool{false, true} {
		g := &Generator{UUIDv7: uuidv7}
		end := new(big.Int).Lsh(big.NewInt(1), randomBitCount(uuidv7))
		// A carry into each bit, and past the last.
		for bit := range randomBitCount(uuidv7) + 1 {
			for range 50 {
				step := 1 + random.Uint64N(1<<32)
				n := new(big.Int).SetUint64(random.Uint64())
				n.Lsh(n, bit).Sub(n, new(big.Int).SetUint64(1+random.Uint64N(step))).Mod(n, end)
				id := fromRandomBits(knownMS, n, uuidv7)
				sum := n.Add(n, new(big.Int).SetUint64(step))
				next, ok := g.increment(id.uint128(), step)
				if want := sum.Cmp(end) < 0; ok != want {
					t.Fatalf("%s plus %d: got %t, want %t", id, step, ok, want)
				}
				if !ok {
					continue
				}
				var got ULID
				next.put(&got)
				if want := fromRandomBits(knownMS, sum, uuidv7); got != want {
					t.Fatalf("%s plus %d: got %s, want %s", id, step, got, want)
				}
			}
		}
	}
}

// The example of RFC 9562, appendix A.6, made of its own random bits: 12 of rand_a, 62 of rand_b.
func TestGeneratorUUIDv7(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(1645557742000)}
	for _, tt := range []struct{ entropy, want string }{
		{"0cc318c4dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"},
		{"fcc3d8c4dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"}, // version and variant are overwritten
		{"00000000000000000000", "017f22e2-79b0-7000-8000-000000000000"}, // all others are kept
		{"ffffffffffffffffffff", "017f22e2-79b0-7fff-bfff-ffffffffffff"},
	} {
		t.Run(tt.entropy, func(t *testing.T) {
			p, err := hex.DecodeString(tt.entropy)
			if err != nil {
				t.Fatal(err)
			}
			g := &Generator{Clock: clock.now, Entropy: bytes.NewReader(p), UUIDv7: true}
			if got := mustMake(t, g).UUIDString(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// MonotonicEntropy.

// Within a millisecond the entropy is the last one plus a step. Entropy of zeros is a value like
// any other, and so is millisecond 0.
func TestMonotonicSteps(t *testing.T) {
	for _, tt := range []struct {
		name string
		inc  uint64
		want []string // the first is read, and the rest of the entropy is ones
	}{
		{"the specification's", 1, []string{"5334ada78edc1d4a6f1f", "5334ada78edc1d4a6f20", "5334ada78edc1d4a6f21"}},
		{"zeros", 1, []string{"00000000000000000000", "00000000000000000001", "00000000000000000002"}},
		{"carry between the words", 1, []string{"0000ffffffffffffffff", "00010000000000000000"}},
		{"carry to the first byte", 1, []string{"00ffffffffffffffffff", "01000000000000000000"}},
		{"the last", 1, []string{"fffffffffffffffffffe", "ffffffffffffffffffff"}},
		{"least inc", 2, []string{"00000000000000000000", "00000000000000000002"}},
		{"no inc", 0, []string{"00000000000000000000", "00000000000100000000"}},
		{"greatest inc", math.MaxUint64, []string{"00000000000000000000", "0000ffffffffffffffff", "0001fffffffffffffffe"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			first := mustHex("000000000000" + tt.want[0])
			m := Monotonic(io.MultiReader(bytes.NewReader(first.Entropy()), constant(0xff)), tt.inc)
			for i, want := range tt.want {
				id := MustNew(0, m)
				if got := hex.EncodeToString(id.Entropy()); got != want {
					t.Errorf("ID %d: got the entropy %s, want %s", i, got, want)
				}
			}
		})
	}
}

// An overflow lasts until an ID of another millisecond was made. Meanwhile nothing is read, so no
// smaller step is tried.
func TestMonotonicOverflow(t *testing.T) {
	const end, fresh = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "0123456789"
	for _, tt := range []struct {
		inc  uint64
		step string // that overflows
	}{{1, ""}, {0, "0123456789abcdef"}, {math.MaxUint64, "0123456789abcdef"}} {
		t.Run(fmt.Sprintf("inc=%d", tt.inc), func(t *testing.T) {
			entropy := io.MultiReader(strings.NewReader(end+tt.step+fresh), constant(0))
			reader := &replaceable{entropy}
			m := Monotonic(reader, tt.inc)
			check := func(ms uint64, want string, wantErr error) {
				t.Helper()
				p := []byte("unchanged!")
				err := m.MonotonicRead(ms, p)
				if err != wantErr {
					t.Errorf("MonotonicRead of %d = %v, want %v", ms, err, wantErr)
				}
				if string(p) != want {
					t.Errorf("MonotonicRead of %d: p is %q, want %q", ms, p, want)
				}
			}
			check(5, end, nil)
			for range 3 {
				check(5, "unchanged!", ErrMonotonicOverflow)
			}
			if id, err := New(5, m); id != (ULID{}) || err != ErrMonotonicOverflow {
				t.Errorf("New = %s, %v; want zero, %v", id, err, ErrMonotonicOverflow)
			}
			m.Read(nil) // leaves it as it is, as does an error
			reader.Reader = iotest.ErrReader(errFaulty)
			check(6, "unchanged!", errFaulty)
			reader.Reader = entropy
			check(5, "unchanged!", ErrMonotonicOverflow)
			// An earlier millisecond begins anew too.
			check(4, fresh, nil)
			check(4, "012345678:", nil)
			check(5, "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", nil)
		})
	}
}

// An error leaves p and the source unchanged: the next entropy is what would have come.
func TestMonotonicFails(t *testing.T) {
	good := io.MultiReader(strings.NewReader("0123456789"), constant(0)) // then the least step
	reader := &replaceable{good}
	m := Monotonic(reader, 0)
	p := make([]byte, 10)
	if err := m.MonotonicRead(1, p); err != nil {
		t.Fatal(err)
	}
	reader.Reader = iotest.ErrReader(errFaulty)
	for _, ms := range []uint64{1, 2, 0} {
		if err := m.MonotonicRead(ms, p); err != errFaulty {
			t.Errorf("MonotonicRead of %d = %v, want %v", ms, err, errFaulty)
		}
		if string(p) != "0123456789" {
			t.Errorf("MonotonicRead of %d left %q, want %q", ms, p, "0123456789")
		}
	}
	reader.Reader = good
	if err := m.MonotonicRead(1, p); err != nil {
		t.Fatal(err)
	}
	if got, want := string(p), "012345678:"; got != want {
		t.Errorf("after errors: got %q, want %q", got, want)
	}
}

func TestMonotonicRead(t *testing.T) {
	m := Monotonic(strings.NewReader("0123456789raw"), 1)
	for _, size := range []int{0, 9, 11, 16} {
		if err := m.MonotonicRead(1, make([]byte, size)); err != ErrBufferSize {
			t.Errorf("MonotonicRead of %d bytes = %v, want %v", size, err, ErrBufferSize)
		}
	}
	// A time that no ULID can hold is a time like any other.
	check := func(want string) {
		t.Helper()
		p := make([]byte, 10)
		if err := m.MonotonicRead(math.MaxUint64, p); err != nil {
			t.Fatal(err)
		}
		if string(p) != want {
			t.Errorf("MonotonicRead = %q, want %q", p, want)
		}
	}
	check("0123456789")
	check("012345678:")
	// Read leaves the sequence as it is.
	p := make([]byte, 10)
	n, err := m.Read(p)
	if got := string(p[:n]); got != "raw" || err != nil {
		t.Errorf("Read = %q, %v; want %q, nil", got, err, "raw")
	}
	if _, err := m.Read(p); err != io.EOF {
		t.Errorf("Read at the end = %v, want %v", err, io.EOF)
	}
	check("012345678;")
}

// Read and New hold the lock of a MonotonicEntropy while they read.
func TestMonotonicReadsUnderItsLock(t *testing.T) {
	var m *MonotonicEntropy
	m = Monotonic(readerFunc(func(p []byte) (int, error) {
		if m.mu.TryLock() {
			m.mu.Unlock()
			t.Error("a read without the lock")
		}
		return constant(1).Read(p)
	}), 0)
	if _, err := m.Read(make([]byte, 3)); err != nil {
		t.Error(err)
	}
	MustNew(1, m)
	MustNew(1, m)
	checkUnlocked(t, &m.mu)
}

// uint128.

func TestUint128(t *testing.T) {
	for bit := range uint(128) {
		var id, before ULID
		n := new(big.Int).Lsh(big.NewInt(1), bit)
		n.FillBytes(id[:])
		n.Sub(n, big.NewInt(1)).FillBytes(before[:])
		if got, want := before.uint128().addOne(), id.uint128(); got != want {
			t.Errorf("%x plus 1: got %x, want %x", before[:], got, want)
		}
		if got, want := id.uint128().subOne(), before.uint128(); got != want {
			t.Errorf("%x minus 1: got %x, want %x", id[:], got, want)
		}
		var back ULID
		if id.uint128().put(&back); back != id {
			t.Errorf("%x came back as %x", id[:], back[:])
		}
	}
}

// Helpers.

// fills are the ways to make the IDs of a Generator.
var fills = map[string]func(g *Generator, ids []ULID) error{
	"Make": func(g *Generator, ids []ULID) error { return each(g.Make)(ids) },
	"Fill": (*Generator).Fill,
}

// each returns a function that calls newID for each element.
func each(newID func() (ULID, error)) func([]ULID) error {
	return func(ids []ULID) (err error) {
		for i := range ids {
			if ids[i], err = newID(); err != nil {
				return err
			}
		}
		return nil
	}
}

// fakeClock is a clock that stands where it is put.
type fakeClock struct{ t time.Time }

func (c *fakeClock) now() time.Time { return c.t }

func mustMake(t *testing.T, g *Generator) ULID {
	t.Helper()
	id, err := g.Make()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func checkGreater(t *testing.T, id, last ULID) {
	t.Helper()
	if id.Compare(last) <= 0 {
		t.Fatalf("got %s after %s, want a greater ID", id, last)
	}
}

// checkDistinct checks that no ID is zero or there twice. It sorts them.
func checkDistinct(t *testing.T, ids []ULID) {
	t.Helper()
	n := len(ids)
	slices.SortFunc(ids, ULID.Compare)
	if got := len(slices.Compact(ids)); got != n {
		t.Errorf("got %d distinct IDs, want %d", got, n)
	}
	if n > 0 && ids[0].IsZero() {
		t.Error("got a zero ID")
	}
}

func checkUnlocked(t *testing.T, mu *sync.Mutex) {
	t.Helper()
	if !mu.TryLock() {
		t.Fatal("a lock was left behind")
	}
	mu.Unlock()
}

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
