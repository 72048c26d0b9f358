package ulid

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// Generator. TestEveryBit has every bit of its IDs, and TestOrderAcrossGoroutines has it shared.

// While a call reads the clock or crypto/rand, another may do anything.
func TestOthersMeanwhile(t *testing.T) {
	for _, uuidv7 := range []bool{false, true} {
		for name, other := range map[string]func(g *Generator, now time.Time) (last ULID, err error){
			"Make": func(g *Generator, now time.Time) (ULID, error) { return g.Make() },
			"Fill": func(g *Generator, now time.Time) (ULID, error) {
				ids := make([]ULID, 300)
				err := g.Fill(ids)
				return ids[299], err
			},
			"AdvancePast": func(g *Generator, now time.Time) (ULID, error) {
				return LastAt(now), g.AdvancePast(LastAt(now), math.MaxInt64)
			},
			"AdvancePast, later": func(g *Generator, now time.Time) (ULID, error) {
				later := LastAt(now.Add(7 * time.Millisecond))
				return later, g.AdvancePast(later, math.MaxInt64)
			},
		} {
			t.Run(fmt.Sprintf("UUIDv7=%t/%s", uuidv7, name), func(t *testing.T) { testOthersMeanwhile(t, uuidv7, other) })
		}
	}
}

func testOthersMeanwhile(t *testing.T, uuidv7 bool, other func(*Generator, time.Time) (ULID, error)) {
	now := time.UnixMilli(knownMS)
	var inClock, inRead func()
	call := func(hook *func()) {
		if f := *hook; f != nil {
			*hook = nil
			f()
		}
	}
	system := record(t)
	good := system.Reader
	system.Reader = readerFunc(func(p []byte) (int, error) {
		if len(p) != 32 { // the seed of a ChaCha8
			call(&inRead)
		}
		return good.Read(p)
	})
	g := &Generator{UUIDv7: uuidv7, Clock: func() time.Time {
		reading := now
		call(&inClock)
		return reading
	}}
	last := mustMake(t, g)
	for _, hook := range []*func(){&inClock, &inRead} {
		for _, lag := range []time.Duration{0, 5 * time.Millisecond} { // of the call that is interrupted
			for name, fill := range fills {
				now = now.Add(20 * time.Millisecond)
				*hook = func() {
					now = now.Add(lag)
					id, err := other(g, now)
					if err != nil {
						t.Fatal(err)
					}
					checkGreater(t, id, last)
					last = id
				}
				ids := make([]ULID, 3)
				if err := fill(g, ids); err != nil {
					t.Fatal(name, err)
				}
				if *hook != nil {
					t.Fatal("the hook was not called")
				}
				for _, id := range append(ids, mustMake(t, g)) {
					checkGreater(t, id, last)
					last = id
				}
			}
		}
		// AdvancePast neither refuses what another passes meanwhile, nor goes back.
		now = now.Add(20 * time.Millisecond)
		id := FirstAt(now)
		inClock = func() { now = now.Add(time.Millisecond); last = mustMake(t, g) }
		if err := g.AdvancePast(id, -time.Hour); err != nil {
			t.Errorf("AdvancePast = %v", err)
		}
		next := mustMake(t, g)
		checkGreater(t, next, last)
		last = next
	}
}

// Make and a short Fill call Clock once, without a lock. They read no other clock, and do not wait for
// one that stands behind the last ID.
func TestGeneratorClockCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		var g *Generator
		g = &Generator{
			Entropy: constant(1),
			Clock: func() time.Time {
				calls++
				checkUnlocked(t, &g.mu)
				return time.UnixMilli(5)
			},
			wall: func() time.Time { t.Error("the wall clock was read"); return time.Now() },
		}
		begin := time.Now()
		if err := g.AdvancePast(LastAt(Time(6)), time.Second); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got := mustMake(t, g).Time(); got != 7 {
				t.Errorf("got an ID at %d after the last of 6, want 7", got)
			}
		}
		if err := g.Fill(make([]ULID, 1)); err != nil {
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
	g := &Generator{Entropy: constant(1), Clock: func() time.Time { panic("no time") }}
	mustPanic(t, "Make", func() { g.Make() })
	mustPanic(t, "Fill", func() { g.Fill(make([]ULID, 2)) })
	mustPanic(t, "AdvancePast", func() { g.AdvancePast(known, 0) })
	checkUnlocked(t, &g.mu)
}

// Fill calls Clock once for every 256 IDs, or for each with an Entropy, and each piece has its own time.
func TestGeneratorFillReadsTheClock(t *testing.T) {
	for piece, entropy := range map[int]io.Reader{256: nil, 1: constant(1)} {
		for _, n := range []int{0, 1, 2, 255, 256, 257, 512, 2000} {
			t.Run(fmt.Sprintf("n=%d/piece=%d", n, piece), func(t *testing.T) {
				readings := 0
				clock := func() time.Time { readings++; return time.UnixMilli(knownMS + int64(readings)) }
				ids, g := make([]ULID, n), &Generator{Clock: clock, Entropy: entropy}
				if err := g.Fill(ids); err != nil {
					t.Fatal(err)
				}
				if want := (n + piece - 1) / piece; readings != want {
					t.Errorf("the clock was read %d times, want %d", readings, want)
				}
				last := ULID{}
				for i, id := range ids {
					checkGreater(t, id, last)
					if got, want := id.Time(), knownMS+1+uint64(i/piece); got != want {
						t.Fatalf("element %d: got an ID at %d, want %d", i, got, want)
					}
					last = id
				}
			})
		}
	}
}

// An error in a later piece clears the earlier ones too.
func TestGeneratorFillClears(t *testing.T) {
	readings := 0
	g := &Generator{Clock: func() time.Time {
		readings++
		return Time(endOfTime>>16 - 2 + uint64(readings)) // at the end at the third
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

// The wall clock is read for the first ID of a millisecond, and not again until the millisecond is over.
// TestClockFaults sets the two clocks apart.
func TestGeneratorReadsTheWallClock(t *testing.T) {
	for name, g := range map[string]*Generator{
		"none":        {},
		"UUIDv7":      {UUIDv7: true},
		"rand.Reader": {Entropy: systemReader},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testGeneratorReadsTheWallClock(t, g) })
		})
	}
	synctest.Test(t, func(t *testing.T) {
		readings := 0
		g := &Generator{Entropy: constant(1), wall: func() time.Time { readings++; return time.Now() }}
		time.Sleep(time.Nanosecond)
		mustMake(t, g)
		mustMake(t, g)
		if readings != 2 {
			t.Errorf("with an Entropy, the wall clock was read %d times for 2 IDs", readings)
		}
	})
}

func testGeneratorReadsTheWallClock(t *testing.T, g *Generator) {
	readings, delay := 0, time.Duration(0)
	g.wall = func() time.Time {
		readings++
		now := time.Now()
		time.Sleep(delay) // as if the goroutine had lost its processor
		return now
	}
	for i, tt := range []struct {
		wait, delay time.Duration
		readings    int
	}{
		{250_001, 0, 1},
		{0, 0, 1},
		{749_998, 0, 1}, // the last ns of the millisecond
		{1, 0, 2},       // on the stroke, where a clock of whole milliseconds always is
		{0, 0, 3},
		{1, 0, 4},
		{999_998, 0, 4}, // the last ns
		{1_000_001, 0, 5},
		{1_100_000, 400_000, 6}, // read at 100,000 ns, and returned at 500,000
		{499_999, 0, 6},
		{1, 0, 7},
		{1 << 32, 0, 8},
	} {
		time.Sleep(tt.wait)
		delay = tt.delay
		before := Now()
		id := mustMake(t, g)
		if readings != tt.readings {
			t.Errorf("ID %d: the clock was read %d times, want %d", i, readings, tt.readings)
		}
		if got := id.Time(); got != before {
			t.Errorf("ID %d: got an ID at %d, want %d", i, got, before)
		}
	}
	// More than a millisecond cannot be left: the monotonic clock is another one.
	time.Sleep(time.Nanosecond)
	for ahead, want := range map[time.Duration]int{1: 0, time.Millisecond: 0, time.Millisecond + 1: 1, math.MaxInt32: 1} {
		readings = 0
		g.until.Store(int64(time.Since(start) + ahead))
		mustMake(t, g)
		if readings != want {
			t.Errorf("with %v left, the clock was read %d times, want %d", ahead, readings, want)
		}
	}
}

// A testing/synctest bubble begins in 2000. A Generator that was used outside keeps its time there.
// One that was used in the bubble leaves it, although it seems to know the time for decades.
func TestGeneratorSynctest(t *testing.T) {
	outside, inside := new(Generator), new(Generator)
	last := mustMake(t, outside)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Microsecond)
		mustMake(t, inside)
		for range 100 {
			id := mustMake(t, outside)
			checkGreater(t, id, last)
			if got, want := id.Time(), last.Time(); got > want+1 { // the counter may carry
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
	for _, g := range []*Generator{outside, inside} {
		now := Now()
		id := mustMake(t, g)
		checkGreater(t, id, last)
		if got := id.Time(); got < now {
			t.Errorf("after the bubble: got an ID at %d, want %d or later", got, now)
		}
	}
}

// At the end of time there is an error, and nothing wraps.
func TestEndOfTime(t *testing.T) {
	for _, uuidv7 := range []bool{false, true} {
		for name, clock := range map[string]func() time.Time{"system": nil, "Clock": time.Now} {
			for _, id := range []ULID{
				LastAt(Time(maxTime)), FirstAt(Time(maxTime - 65_000)),
				layout(endOfTime-1, 0, uuidv7), layout(endOfTime-200, 0, uuidv7),
			} {
				t.Run(fmt.Sprintf("UUIDv7=%t/%s/%s", uuidv7, name, id), func(t *testing.T) {
					testEndOfTime(t, &Generator{UUIDv7: uuidv7, Clock: clock}, id)
				})
			}
			g := &Generator{UUIDv7: uuidv7, Clock: clock}
			mustMake(t, g)
			g.last.Store(endOfTime - 2)
			if id := mustMake(t, g); numberOf(id, uuidv7) != endOfTime-1 {
				t.Errorf("%s: the last ID is %x", name, id)
			}
			checkBigTime(t, g)
		}
	}
	for _, late := range []time.Time{Time(endOfTime>>16 + 1), Time(maxTime + 1), time.Unix(1<<61, 0)} {
		checkBigTime(t, &Generator{Clock: (&fakeClock{late}).now})
	}
	last := Time(endOfTime>>16 - 1)
	if got := mustMake(t, &Generator{Clock: (&fakeClock{last}).now}).Timestamp(); !got.Equal(last) {
		t.Errorf("at %v: got an ID at %v", last, got)
	}
	if before := MaxTime() - endOfTime>>16; before != 65_536 { // less than 66 s, as Make's documentation has it
		t.Errorf("the end of time is %d ms before MaxTime", before)
	}
}

// testEndOfTime advances past id, which leaves a few IDs or none.
func testEndOfTime(t *testing.T, g *Generator, id ULID) {
	last := mustMake(t, g)
	if err := g.AdvancePast(id, math.MaxInt64); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		next, err := g.Make()
		if err == nil {
			checkGreater(t, next, last)
			checkGreater(t, next, id)
			last = next
		} else if err != ErrBigTime || next != (ULID{}) {
			t.Fatalf("Make = %s, %v; want zero, %v", next, err, ErrBigTime)
		}
	}
	checkBigTime(t, g)
	for range 2 {
		if err := g.AdvancePast(id, -1); err != nil { // which it has passed
			t.Errorf("AdvancePast = %v", err)
		}
	}
	checkBigTime(t, g)
}

func checkBigTime(t *testing.T, g *Generator) {
	t.Helper()
	for name, fill := range fills {
		ids := []ULID{{}, {}}
		if err := fill(g, ids); err != ErrBigTime || ids[0] != (ULID{}) || ids[1] != (ULID{}) {
			t.Errorf("%s: %s, %v; want zeros, %v", name, ids, err, ErrBigTime)
		}
	}
}

// Copies of a machine, which have all in common, return other bits as soon as each has begun a
// millisecond or advanced past an ID.
func TestCopies(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	emptyPool(t)
	for name, begin := range map[string]func(g *Generator, clock *fakeClock) error{
		"a millisecond": func(g *Generator, clock *fakeClock) error {
			clock.t = clock.t.Add(time.Millisecond)
			return nil
		},
		"AdvancePast": func(g *Generator, clock *fakeClock) error {
			return g.AdvancePast(LastAt(clock.t.Add(time.Second)), time.Minute)
		},
	} {
		t.Run(name, func(t *testing.T) {
			clock := &fakeClock{time.UnixMilli(knownMS)}
			original := &Generator{Clock: clock.now}
			mustMake(t, original)
			var copies [2][]ULID
			for i := range copies {
				clock := &fakeClock{clock.t}
				g := &Generator{Clock: clock.now}
				g.last.Store(original.last.Load())
				g.salt.Store(original.salt.Load())
				g.spare.Store(original.spare.Load())
				chachas = sync.Pool{New: func() any { return seeded(1) }}
				if err := begin(g, clock); err != nil {
					t.Fatal(err)
				}
				copies[i] = make([]ULID, 320)
				if err := each(g.Make)(copies[i][:20]); err != nil {
					t.Fatal(err)
				}
				if err := g.Fill(copies[i][20:]); err != nil {
					t.Fatal(err)
				}
			}
			for i, id := range copies[0] {
				if other := copies[1][i]; bytes.Equal(id[10:], other[10:]) {
					t.Errorf("ID %d has the same bits in both: %s and %s", i, id, other)
				}
			}
		})
	}
}

// What only a goroutine can see that runs between two lines, for nanoseconds, is read here.
func TestLinesInOrder(t *testing.T) {
	code, err := os.ReadFile("monotonic.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ function, first, then, why string }{
		{"makeByClock", "g.fresh()", "g.last.CompareAndSwap(", "a later number would have the old salt"},
		{"AdvancePast", "g.fresh()", "g.last.CompareAndSwap(", "a later number would have the old salt"},
		{"makeTo", "g.last.Add(1)", "g.random()", "it might have the salt of a millisecond before"},
		{"makeByClock", "g.last.CompareAndSwap(", "g.random()", "it might have the salt of a millisecond before"},
		{"fresh", "g.salt.Add(", "return", "the salt would stay the old one, or a late goroutine would bring it back"},
		{"random", "g.spare.Swap(0); x != 0", "return x ^", "two goroutines would have the same bits"},
		{"random", "c.Uint64()", "chachas.Put(c)", "another goroutine would have the same bits"},
		{"spread", "c.Uint64()", "chachas.Put(c)", "another goroutine would have the same bits"},
	} {
		body := regexp.MustCompile(`(?ms)^func \(g \*Generator\) ` + tt.function + `\(.*?^}`).Find(code)
		first, then := bytes.Index(body, []byte(tt.first)), bytes.Index(body, []byte(tt.then))
		if first < 0 || then < first {
			t.Errorf("%s: %s must come before %s, or %s", tt.function, tt.first, tt.then, tt.why)
		}
	}
}

// Generator.AdvancePast.

// How far ahead of the clock an ID may be.
func TestAdvancePastLimit(t *testing.T) {
	const ms = time.Millisecond
	now := time.UnixMilli(knownMS).Add(999_999)
	end, before1970 := Time(maxTime), time.UnixMilli(-5)
	for _, tt := range []struct {
		clock time.Time
		id    ULID
		limit time.Duration
		want  error
	}{
		{clock: now, id: LastAt(now), limit: 0},
		{clock: now, id: FirstAt(now.Add(ms)), limit: 0, want: ErrAhead},
		{clock: now, id: FirstAt(now.Add(ms)), limit: ms - 1, want: ErrAhead},
		{clock: now, id: LastAt(now.Add(ms)), limit: ms},
		{clock: now, id: LastAt(now.Add(ms)), limit: 2*ms - 1},
		{clock: now, id: FirstAt(now.Add(2 * ms)), limit: 2*ms - 1, want: ErrAhead},
		{clock: now, id: FirstAt(now), limit: -1, want: ErrAhead},
		{clock: now, id: LastAt(now.Add(-ms)), limit: -1},
		{clock: now, id: LastAt(now.Add(-ms)), limit: -ms},
		{clock: now, id: FirstAt(now.Add(-ms)), limit: -ms - 1, want: ErrAhead},
		{clock: now, id: LastAt(end), limit: math.MaxInt64 - 1, want: ErrAhead}, // 292 years
		{clock: now, id: LastAt(end), limit: math.MaxInt64},
		{clock: now, id: ULID{}, limit: math.MinInt64}, // all IDs are greater
		{clock: before1970, id: LastAt(Time(0)), limit: 0},
		{clock: before1970, id: FirstAt(Time(1)), limit: 0, want: ErrAhead},
		{clock: end.Add(5 * ms), id: LastAt(end), limit: 0},
		{clock: time.Unix(1<<61, 0), id: LastAt(end), limit: 0}, // too late for a uint64
	} {
		for _, uuidv7 := range []bool{false, true} {
			clock := &fakeClock{tt.clock}
			g := &Generator{Clock: clock.now, UUIDv7: uuidv7}
			err := g.AdvancePast(tt.id, tt.limit)
			if err != tt.want {
				t.Errorf("UUIDv7=%t, at %v: AdvancePast(%s, %v) = %v, want %v",
					uuidv7, tt.clock, tt.id, tt.limit, err, tt.want)
			}
			if err != nil && g.last.Load() != 0 {
				t.Errorf("after %v, a number is used up", err)
			}
		}
	}
	// That time counts which the ID shows, also of another version.
	g := &Generator{Clock: (&fakeClock{now}).now, UUIDv7: true}
	if err := g.AdvancePast(FirstAt(now.Add(ms)), 0); err != ErrAhead {
		t.Errorf("AdvancePast of a ULID of the next millisecond = %v, want %v", err, ErrAhead)
	}
}

// Every version and variant, with the smallest and the greatest of the other bits.
func TestNumberFor(t *testing.T) {
	for _, uuidv7 := range []bool{false, true} {
		g := &Generator{UUIDv7: uuidv7}
		for _, fill := range []byte{0, 0xff} {
			id := ULID(bytes.Repeat([]byte{fill}, 16))
			for high := range 256 {
				for variant := range 4 {
					id[6], id[8] = byte(high), byte(variant)<<6|fill>>2
					want, wantOK := referenceNumber(id, uuidv7)
					if got, ok := g.numberFor(id); ok != wantOK || ok && got != want {
						t.Fatalf("numberFor(%s) = %x, %t; want %x, %t", id.UUIDString(), got, ok, want, wantOK)
					}
				}
			}
		}
	}
}

// An ID that was passed changes nothing, and is accepted without a look at the clock. One that is refused
// changes nothing either.
func TestAdvancePastChangesNothing(t *testing.T) {
	for _, uuidv7 := range []bool{false, true} {
		clock := &fakeClock{time.UnixMilli(knownMS)}
		g := &Generator{Clock: clock.now, UUIDv7: uuidv7}
		first, last := mustMake(t, g), mustMake(t, g)
		number, salt := g.last.Load(), g.salt.Load()
		for id, want := range map[ULID]error{
			{}: nil, first: nil, last: nil, LastAt(clock.t): ErrAhead, LastAt(Time(maxTime)): ErrAhead,
			layout(number+1, 0, uuidv7): ErrAhead,
		} {
			readings := 0
			g.Clock = func() time.Time { readings++; return clock.t }
			if err := g.AdvancePast(id, -1); err != want {
				t.Errorf("AdvancePast(%s) = %v, want %v", id, err, want)
			}
			if g.last.Load() != number || g.salt.Load() != salt {
				t.Errorf("AdvancePast(%s) changed the Generator", id)
			}
			if want == nil && readings > 0 || readings > 1 {
				t.Errorf("AdvancePast(%s) read the clock %d times", id, readings)
			}
		}
	}
}

// With an Entropy the next number follows, so that the same bytes give the same IDs.
func TestAdvancePastWithEntropy(t *testing.T) {
	g := &Generator{Clock: (&fakeClock{time.UnixMilli(knownMS)}).now, Entropy: constant(0x11)}
	if err := g.AdvancePast(mustHex("01563df36481d6764c61efb99302bd5b"), 0); err != nil {
		t.Fatal(err)
	}
	if got, want := mustMake(t, g), mustHex("01563df36481d6771111111111111111"); got != want {
		t.Errorf("got %x, want %x", got, want)
	}
}

// In a testing/synctest bubble AdvancePast reads the bubble's clock.
func TestAdvancePastSynctest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := new(Generator)
		next := FirstAt(time.Now().Add(time.Millisecond))
		if err := g.AdvancePast(next, 0); err != ErrAhead {
			t.Errorf("AdvancePast = %v, want %v", err, ErrAhead)
		}
		time.Sleep(time.Millisecond)
		if err := g.AdvancePast(next, 0); err != nil {
			t.Error(err)
		}
		checkGreater(t, mustMake(t, g), next)
	})
}

// What is locked.

// Each ID has its own bits, even if a goroutine loses the processor as it gives up the lock. Goroutines
// that have waited for a mutex for a millisecond get it in turn, and on one processor Unlock then starts
// the next at once.
func TestLockIsHandedOver(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	m := Monotonic(nil, 1)
	g := &Generator{Clock: (&fakeClock{time.UnixMilli(knownMS)}).now, Entropy: seeded(1)}
	for _, tt := range []struct {
		name string
		mu   *sync.Mutex
		fill func(ids []ULID) error
	}{
		{"Make", &g.mu, each(g.Make)},
		{"Fill", &g.mu, g.Fill},
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
			for i := range ids {
				copy(ids[i][:8], known[:8]) // only the last 8 bytes count
			}
			checkDistinct(t, ids)
		})
	}
}

// MonotonicEntropy.

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

// The overflow is read and set under the lock, as -race shows.
func TestMonotonicOverflowIsLocked(t *testing.T) {
	m := Monotonic(constant(0xff), 1)
	MustNew(1, m)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i := range uint64(100) {
				New(1+i/50, m)
			}
		})
	}
	group.Wait()
}

// A reader that fails leaves a MonotonicEntropy as it was, in whatever millisecond.
func TestMonotonicEntropyFails(t *testing.T) {
	reader := &replaceable{constant(0)}
	m := Monotonic(reader, 5)
	last := MustNew(1, m)
	for ms := range uint64(3) {
		reader.Reader = iotest.ErrReader(errFaulty)
		if id, err := New(ms, m); !id.IsZero() || err != errFaulty {
			t.Errorf("New(%d) = %s, %v; want zero, %v", ms, id, err, errFaulty)
		}
		reader.Reader = constant(0)
		want, _ := last.Next()
		if got := MustNew(1, m); got != want {
			t.Errorf("after an error at %d: got %s, want %s", ms, got, want)
		}
		last = want
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
			ids[i], err = newID()
			if err != nil {
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
	entropy, clock, uuidv7, wall := g.Entropy, g.Clock, g.UUIDv7, g.wall
	until, salt, spare, last := g.until.Load(), g.salt.Load(), g.spare.Load(), g.last.Load()
	t.Cleanup(func() {
		g.Entropy, g.Clock, g.UUIDv7, g.wall = entropy, clock, uuidv7, wall
		g.until.Store(until)
		g.salt.Store(salt)
		g.spare.Store(spare)
		g.last.Store(last)
	})
}
