package ulid

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
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

// Generator. TestEveryBit has every bit of its IDs, TestOrderAcrossGoroutines has it shared, and
// TestClockFaults sets its clocks apart.

// firstID is made in the first millisecond of the process.
var firstID, afterFirstID = Make(), time.Now()

func TestFirstID(t *testing.T) {
	if ahead := firstID.Time().Sub(afterFirstID); ahead > 0 || ahead < -time.Second {
		t.Errorf("the first ID of the process is of %v, and was made at %v", firstID.Time(), afterFirstID)
	}
}

// The tick of an ID is the time of its call. Two Generators that are called one after the other, more
// than 16 ticks apart, make IDs in this order.
func TestSystemClock(t *testing.T) {
	generators := [2]*Generator{{}, {}}
	last, rounds := ULID{}, 20_000
	isCoarse := runtime.GOOS == "js" || runtime.GOOS == "windows"
	if isCoarse {
		rounds = 100
	}
	for i := range rounds {
		before := referenceTick(time.Now())
		id := mustMake(t, generators[i%2])
		after := referenceTick(time.Now())
		// A hint may be off by maxDrift, and the lowest 4 bits are random.
		if tick := tickOf(id); tick+100 < before || tick > after+100 {
			t.Fatalf("an ID has the tick %x, and was made from %x to %x", tick, before, after)
		}
		checkGreater(t, id, last)
		last = id
		for begin := time.Now(); time.Since(begin) < 2*time.Microsecond; {
		}
		if isCoarse || i%1000 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
}

// The wall clock is read twice in a millisecond, and then not until it is over: a lone ID does not read
// the monotonic clock in vain.
func TestHint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		readings, torn := 0, time.Duration(0)
		g := &Generator{wall: func() time.Time {
			readings++
			now := time.Now()
			time.Sleep(torn) // as if the goroutine had lost its processor
			return now
		}}
		for i, tt := range []struct {
			wait, torn time.Duration
			isRead     bool
		}{
			{250_001, 0, true},
			{0, 0, true},
			{0, 0, false},
			{749_998, 0, false}, // the last ns of the millisecond
			{1, 0, true},        // on the stroke, where a clock of whole milliseconds always is
			{0, 0, true},
			{0, 0, true},
			{1, 0, true}, // the second reading that counts
			{1, 0, false},
			{999_997, 0, false},    // the last ns
			{1, 0, true},           // on the stroke
			{100_000, 5_000, true}, // torn, and so ignored
			{0, 0, true},
			{0, 0, false},
			{1_000_000, 0, true},
			{0, 5_000, true}, // torn, and so ignored
			{0, 0, true},
			{0, 0, false},
			{1_000_000, 5_000, true}, // the first, and torn: this millisecond has no hint
			{0, 0, true},
			{0, 0, true},
			{0, 0, true},
			{1_000_000, 0, true},
			{0, 0, true},
			{0, 0, false},
			{1 << 32, 0, true},
		} {
			time.Sleep(tt.wait)
			torn = tt.torn
			before, readingsBefore := time.Now(), readings
			id := mustMake(t, g)
			if isRead := readings > readingsBefore; isRead != tt.isRead {
				t.Errorf("ID %d: reads the wall clock: %t, want %t", i, isRead, tt.isRead)
			}
			if !id.Time().Equal(before.Truncate(time.Millisecond)) {
				t.Errorf("ID %d: got an ID at %v, want %v", i, id.Time(), before)
			}
		}
	})
}

// A call that loses its processor between the two clocks does not spoil the hint that others gave meanwhile.
func TestHintMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		others := func() {}
		g := &Generator{wall: func() time.Time {
			now := time.Now()
			others()
			return now
		}}
		time.Sleep(time.Microsecond)
		mustMake(t, g)
		others = func() {
			others = func() {}
			mustMake(t, g)
			mustMake(t, g)
			time.Sleep(500 * time.Microsecond)
		}
		mustMake(t, g)
		time.Sleep(800 * time.Microsecond)
		if id, now := mustMake(t, g), time.Now(); !id.Time().Equal(now.Truncate(time.Millisecond)) {
			t.Errorf("got an ID at %v, want %v", id.Time(), now)
		}
	})
}

// The offset of the clocks is renewed in each millisecond, so no small mistake stays.
func TestHintIsRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fast := time.Duration(0)
		g := &Generator{wall: func() time.Time { return time.Now().Add(fast) }, Entropy: constant(0)}
		time.Sleep(time.Microsecond)
		for range 20 {
			for range 3 {
				checkID(t, mustMake(t, g), layout(referenceTick(time.Now().Add(fast)), 0))
				time.Sleep(100 * time.Microsecond)
			}
			fast += 900 // ns
			time.Sleep(700 * time.Microsecond)
		}
	})
}

// The hint is right in every century.
func TestHintLate(t *testing.T) {
	for _, year := range []int{1970, 2000, 2300, 5000, 10888} {
		synctest.Test(t, func(t *testing.T) {
			readings := 0
			begin := time.Date(year, 2, 3, 4, 5, 6, 7_000_001, time.UTC)
			since := time.Now()
			now := func() time.Time { return begin.Add(time.Since(since)) }
			g := &Generator{wall: func() time.Time { readings++; return now() }, Entropy: constant(0)}
			for range 100 {
				checkID(t, mustMake(t, g), layout(referenceTick(now()), 0))
				time.Sleep(100 * time.Microsecond)
			}
			if readings > 30 { // of 10 milliseconds
				t.Errorf("in %d, the wall clock was read %d times for 100 IDs", year, readings)
			}
		})
	}
}

// A testing/synctest bubble begins in 2000. A Generator that was used outside keeps its time there.
// One that was used in the bubble leaves it.
func TestSynctest(t *testing.T) {
	outside, inside := new(Generator), new(Generator)
	last := ULID{}
	for range 100 {
		last = mustMake(t, outside)
	}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Microsecond)
		for range 100 {
			mustMake(t, inside)
			id := mustMake(t, outside)
			if tickOf(id) != tickOf(last)+1 {
				t.Fatalf("in the bubble: got the tick %x after %x, want the next", tickOf(id), tickOf(last))
			}
			last = id
			time.Sleep(7 * time.Microsecond)
		}
		next := FirstAt(time.Now().Add(time.Millisecond))
		if err := new(Generator).AdvancePast(next, 0); !errors.Is(err, ErrAhead) {
			t.Errorf("AdvancePast = %v, want %v", err, ErrAhead)
		}
	})
	// Outside again, the true time is read at once.
	time.Sleep(2 * time.Millisecond)
	for _, g := range []*Generator{outside, inside} {
		now := time.Now().Truncate(time.Millisecond)
		id := mustMake(t, g)
		checkGreater(t, id, last)
		if id.Time().Before(now) {
			t.Errorf("after the bubble: got an ID at %v, want %v or later", id.Time(), now)
		}
	}
}

// A Fill takes as many ticks as it has IDs, also if they are more than those of a millisecond.
func TestLongFill(t *testing.T) {
	ids := make([]ULID, 70_000)
	if err := new(Generator).Fill(ids); err != nil {
		t.Fatal(err)
	}
	for i, id := range ids {
		if got, want := tickOf(id), tickOf(ids[0])+uint64(i); got != want {
			t.Fatalf("ID %d has the tick %x, want %x", i, got, want)
		}
	}
}

// Make and Fill call Clock once, without a lock. They read no other clock, and do not wait for one that
// stands behind the last ID. A Clock that panics leaves no lock behind. This holds in a process of less than
// a millisecond too.
func TestClockCalls(t *testing.T) {
	defer func(before time.Time) { start = before }(start)
	synctest.Test(t, func(t *testing.T) {
		start = time.Now()
		calls := 0
		var g *Generator
		g = &Generator{
			Entropy: constant(1),
			Clock: func() time.Time {
				calls++
				checkUnlocked(t, &g.mu)
				return time.UnixMilli(5).Add(1)
			},
			wall: func() time.Time { t.Error("the wall clock was read"); return time.Now() },
		}
		begin := time.Now()
		if err := g.AdvancePast(LastAt(time.UnixMilli(6)), time.Second); err != nil {
			t.Fatal(err)
		}
		ids := make([]ULID, 1000)
		if err := g.Fill(ids); err != nil {
			t.Fatal(err)
		}
		for i, id := range append(ids, mustMake(t, g), mustMake(t, g)) {
			checkID(t, id, layout(7<<16+uint64(i), 0x0101_0101_0101_0101))
		}
		if err := g.Fill(nil); err != nil || calls != 4 {
			t.Errorf("Fill of nothing = %v, and Clock was called %d times by 4 calls before", err, calls)
		}
		if waited := time.Since(begin); waited != 0 {
			t.Errorf("Make waited for %v", waited)
		}
		g.Clock = func() time.Time { panic("no time") }
		mustPanic(t, "Make", func() { g.Make() })
		mustPanic(t, "Fill", func() { g.Fill(make([]ULID, 2)) })
		mustPanic(t, "AdvancePast", func() { g.AdvancePast(LastAt(time.Now()), 0) })
		checkUnlocked(t, &g.mu)
	})
}

// While a call reads the clock or crypto/rand, another may do anything. The order holds, and the bits are
// salted with what was read in the latest millisecond.
func TestOthersMeanwhile(t *testing.T) {
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
		t.Run(name, func(t *testing.T) { testOthersMeanwhile(t, other) })
	}
}

func testOthersMeanwhile(t *testing.T, other func(*Generator, time.Time) (ULID, error)) {
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
	chachas = sync.Pool{New: func() any { return seeded(1) }}
	drawn := map[uint64]bool{} // what ChaCha8s can have given
	for chacha, i := seeded(1), 0; i < 20_000; i++ {
		drawn[chacha.Uint64()>>6] = true
	}
	g := &Generator{Clock: func() time.Time {
		reading := now
		call(&inClock)
		return reading
	}}
	last := mustMake(t, g)
	for _, hook := range []*func(){&inClock, &inRead} {
		for _, lag := range []time.Duration{0, 5 * time.Millisecond, -5 * time.Millisecond} {
			for name, fill := range fills {
				now = now.Add(20 * time.Millisecond)
				reads := 0
				*hook = func() {
					now = now.Add(lag)
					id, err := other(g, now)
					if err != nil {
						t.Fatal(err)
					}
					checkGreater(t, id, last)
					last = id
					reads = len(system.reads)
				}
				system.reads = nil
				ids := make([]ULID, 3)
				if err := fill(g, ids); err != nil {
					t.Fatal(name, err)
				}
				if *hook != nil {
					t.Fatal("the hook was not called")
				}
				if reads == 0 {
					t.Error("another call in the same millisecond found the salt renewed before it was")
				}
				for _, id := range append(ids, mustMake(t, g), mustMake(t, g)) {
					checkGreater(t, id, last)
					last = id
				}
				if random := randomOf(last) ^ g.salt.Load()>>6; !drawn[random] {
					t.Errorf("%s does not have the bits of a ChaCha8 and the present salt", last)
				}
			}
		}
		// AdvancePast neither refuses what another passes meanwhile, nor goes back.
		now = now.Add(20 * time.Millisecond)
		id := FirstAt(now)
		for _, more := range []uint64{0, 70_000} {
			inClock = func() { g.last.Store(greatestTick(id) + more) }
			if err := g.AdvancePast(id, -time.Hour); err != nil || g.last.Load() != greatestTick(id)+more {
				t.Errorf("AdvancePast = %v, and the last tick is %x", err, g.last.Load())
			}
			id = FirstAt(now.Add(5 * time.Millisecond))
		}
		next := mustMake(t, g)
		checkGreater(t, next, last)
		last = next
	}
}

// At the end of time there is an error, and nothing wraps.
func TestEndOfTime(t *testing.T) {
	end := time.UnixMilli(maxTime)
	for _, id := range []ULID{
		LastAt(end), FirstAt(end), layout(math.MaxUint64-1000, 0), layout(math.MaxUint64-1, 0), layout(math.MaxUint64, 0),
	} {
		for _, entropy := range []io.Reader{nil, constant(1)} {
			t.Run(fmt.Sprintf("%s/%v", id, entropy), func(t *testing.T) {
				testEndOfTime(t, &Generator{Entropy: entropy}, id)
			})
		}
	}
	for _, late := range []time.Time{end.Add(time.Millisecond), time.Unix(1<<61, 0), time.Unix(math.MaxInt64, 0)} {
		g := &Generator{Clock: (&fakeClock{late}).now}
		checkBigTime(t, g)
		if g.last.Load() != 0 {
			t.Error("a call that failed has taken a tick")
		}
	}
	for _, last := range []time.Time{end, end.Add(900 * time.Microsecond)} {
		if id := mustMake(t, &Generator{Clock: (&fakeClock{last}).now}); !id.Time().Equal(end) {
			t.Errorf("at %v: got an ID at %v", last, id.Time())
		}
	}
	for size, want := range map[int]error{65_535: nil, 65_536: nil, 65_537: ErrBigTime, 70_000: ErrBigTime} {
		g := &Generator{Clock: (&fakeClock{end}).now, Entropy: constant(1)}
		ids := slices.Repeat([]ULID{known}, size)
		if err := g.Fill(ids); err != want {
			t.Errorf("Fill of %d at the end = %v, want %v", size, err, want)
		}
		if isZero := slices.Equal(ids, make([]ULID, size)); isZero != (want != nil) {
			t.Errorf("Fill of %d at the end leaves zeros: %t", size, isZero)
		}
	}
	keep(t, &defaultGenerator)
	defaultGenerator = Generator{Clock: (&fakeClock{end.Add(time.Millisecond)}).now}
	mustPanic(t, "Make", func() { Make() })
	mustPanic(t, "Fill", func() { Fill(make([]ULID, 1)) })
}

// testEndOfTime advances past id, which leaves a few IDs or none.
func testEndOfTime(t *testing.T, g *Generator, id ULID) {
	last := mustMake(t, g)
	if err := g.AdvancePast(id, math.MaxInt64); err != nil {
		t.Fatal(err)
	}
	for range 70_000 {
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
	if err := g.AdvancePast(id, -1); err != nil { // which it has passed
		t.Errorf("AdvancePast = %v", err)
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
// millisecond or advanced past an ID, also while the clock is behind the last ID.
func TestCopies(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	emptyPool(t)
	pass := func(d time.Duration) func(*Generator, *fakeClock) error {
		return func(g *Generator, clock *fakeClock) error { clock.t = clock.t.Add(d); return nil }
	}
	advancePast := func(g *Generator, clock *fakeClock) error {
		return g.AdvancePast(LastAt(clock.t.Add(2*time.Hour)), 3*time.Hour)
	}
	for _, tt := range []struct {
		name   string
		behind time.Duration
		begin  func(*Generator, *fakeClock) error
	}{
		{"a millisecond", 0, pass(time.Millisecond)},
		{"a millisecond, behind the last ID", time.Hour, pass(time.Millisecond)},
		{"the clock is set back", 0, pass(-time.Millisecond)},
		{"AdvancePast", 0, advancePast},
		{"AdvancePast, behind the last ID", time.Hour, advancePast},
	} {
		t.Run(tt.name, func(t *testing.T) {
			clock := &fakeClock{time.UnixMilli(knownMS).Add(tt.behind)}
			original := &Generator{Clock: clock.now}
			mustMake(t, original)
			clock.t = clock.t.Add(-tt.behind)
			mustMake(t, original)
			var copies [2][]ULID
			for i := range copies {
				clock := &fakeClock{clock.t}
				g := copyOf(original, clock)
				if err := tt.begin(g, clock); err != nil {
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
				if other := copies[1][i]; randomOf(id) == randomOf(other) {
					t.Errorf("ID %d has the same bits in both: %s and %s", i, id, other)
				}
			}
		})
	}
}

// Until then, two copies make equal IDs at equal readings of their clocks, and others at readings that are a
// microsecond apart.
func TestCopiesAtOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	emptyPool(t)
	for apart, want := range map[time.Duration]int{0: 200, time.Microsecond: 0, -time.Microsecond: 0} {
		clock := &fakeClock{time.UnixMilli(knownMS)}
		original := &Generator{Clock: clock.now}
		mustMake(t, original)
		var copies [2][200]ULID
		for i := range copies {
			reading := &fakeClock{clock.t.Add(10*time.Microsecond + time.Duration(i)*apart)}
			g := copyOf(original, reading)
			for j := range copies[i] {
				copies[i][j] = mustMake(t, g)
				reading.t = reading.t.Add(3 * time.Microsecond)
			}
		}
		equal := 0
		for _, id := range copies[0] {
			if slices.Contains(copies[1][:], id) {
				equal++
			}
		}
		if equal != want {
			t.Errorf("at readings %v apart, %d of 200 IDs are equal, want %d", apart, equal, want)
		}
	}
}

// copyOf returns what a copy of the machine has, under a clock of its own. The test must have emptied the pool.
func copyOf(original *Generator, clock *fakeClock) *Generator {
	g := &Generator{Clock: clock.now}
	g.last.Store(original.last.Load())
	g.seen.Store(original.seen.Load())
	g.offset.Store(original.offset.Load())
	g.salt.Store(original.salt.Load())
	chacha := seeded(1)
	chachas = sync.Pool{New: func() any { return chacha }} // which the race detector lets the pool forget
	return g
}

// Generator.AdvancePast.

// How far ahead of the clock an ID may be.
func TestAdvancePastLimit(t *testing.T) {
	const ms = time.Millisecond
	now := time.UnixMilli(knownMS).Add(999_999)
	first, end, before1970 := time.UnixMilli(0), time.UnixMilli(maxTime), time.UnixMilli(-5)
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
		{clock: now, id: ULID{}, limit: 0},
		{clock: before1970, id: LastAt(first), limit: 0},
		{clock: before1970, id: FirstAt(first.Add(ms)), limit: 0, want: ErrAhead},
		{clock: end.Add(5 * ms), id: LastAt(end), limit: 0},
		{clock: time.Unix(1<<61, 0), id: LastAt(end), limit: 0}, // too late for a uint64
	} {
		g := &Generator{Clock: (&fakeClock{tt.clock}).now}
		err := g.AdvancePast(tt.id, tt.limit)
		if !errors.Is(err, tt.want) {
			t.Errorf("at %v: AdvancePast(%s, %v) = %v, want %v", tt.clock, tt.id, tt.limit, err, tt.want)
		}
		if err != nil && (g.last.Load() != 0 || g.salt.Load() != 0) {
			t.Errorf("after %v, the Generator has changed", err)
		}
	}
	g := &Generator{Clock: (&fakeClock{now}).now}
	err := g.AdvancePast(FirstAt(now.Add(time.Minute)), 3*time.Second)
	if want := "ulid: too far ahead of the clock: 60000 ms, limit 3000 ms"; err == nil || err.Error() != want {
		t.Errorf("the error is %q, want %q", err, want)
	}
}

// Every version and variant, with the smallest and the greatest of the other bits: an ID with the tick is
// not always greater, and one with the next tick is.
func TestGreatestTick(t *testing.T) {
	for _, rest := range []byte{0, 0xff, 0x5a} {
		id := ULID(bytes.Repeat([]byte{rest}, 16))
		for high := range 256 {
			for variant := range 256 {
				id[6], id[8] = byte(high), byte(variant)
				want := (id.ms()+1)<<16 - 1
				if isUUIDv7(id) {
					want = tickOf(id)
				}
				got := greatestTick(id)
				if got != want {
					t.Fatalf("greatestTick(%s) = %x, want %x", id.UUIDString(), got, want)
				}
				if next := layout(got+1, 0); got+1 != 0 && next.Compare(id) <= 0 {
					t.Fatalf("%s has the tick after that of %s, and is not greater", next, id)
				}
			}
		}
	}
}

// An ID that was passed changes nothing, and is accepted without a look at the clock. One that is refused
// changes nothing either.
func TestAdvancePastChangesNothing(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(knownMS)}
	g := &Generator{Clock: clock.now}
	first, last := mustMake(t, g), mustMake(t, g)
	tick, salt := g.last.Load(), g.salt.Load()
	for id, want := range map[ULID]error{
		{}: nil, first: nil, last: nil, LastAt(clock.t): ErrAhead, LastAt(time.UnixMilli(maxTime)): ErrAhead,
		layout(tick, math.MaxUint64): nil, layout(tick+1, 0): ErrAhead,
	} {
		readings := 0
		g.Clock = func() time.Time { readings++; return clock.t }
		if err := g.AdvancePast(id, -1); !errors.Is(err, want) {
			t.Errorf("AdvancePast(%s) = %v, want %v", id, err, want)
		}
		if g.last.Load() != tick || g.salt.Load() != salt {
			t.Errorf("AdvancePast(%s) changed the Generator", id)
		}
		if want == nil && readings > 0 || readings > 1 {
			t.Errorf("AdvancePast(%s) read the clock %d times", id, readings)
		}
	}
}

// AdvancePast tries again if another call takes a tick meanwhile, and so does that call.
func TestAdvancePastRetries(t *testing.T) {
	g := &Generator{Clock: (&fakeClock{time.UnixMilli(knownMS)}).now, Entropy: constant(1)}
	var stop atomic.Bool
	var group sync.WaitGroup
	group.Go(func() {
		for last := uint64(0); !stop.Load(); {
			tick, _, _ := g.take(1)
			if tick <= last {
				t.Errorf("took the tick %x after %x", tick, last)
				return
			}
			last = tick
		}
	})
	for i := range 500_000 {
		var id ULID
		put(g.last.Load()+uint64(i%16), math.MaxUint64, id[:])
		if err := g.AdvancePast(id, math.MaxInt64); err != nil {
			t.Fatal(err)
		}
		if tick, _, _ := g.take(1); tick <= tickOf(id) {
			t.Errorf("tick %x after AdvancePast of %x", tick, tickOf(id))
			break
		}
	}
	stop.Store(true)
	group.Wait()
}

// MonotonicEntropy. TestEveryBitOfMonotonic has every bit, TestEntropyIsLocked its lock.

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
			check := func(ms int64, want string, wantErr error) {
				t.Helper()
				id, err := New(time.UnixMilli(ms), m)
				if err != wantErr {
					t.Errorf("New at %d = %v, want %v", ms, err, wantErr)
				}
				if got := string(id[6:]); err == nil && got != want || err != nil && id != (ULID{}) {
					t.Errorf("New at %d = %x, want the entropy %q", ms, id, want)
				}
			}
			check(5, end, nil)
			for range 3 {
				check(5, "", ErrMonotonicOverflow)
			}
			reader.Reader = iotest.ErrReader(errFaulty)
			check(6, "", errFaulty)
			reader.Reader = entropy
			check(5, "", ErrMonotonicOverflow)
			// An earlier millisecond begins anew too.
			check(4, fresh, nil)
			check(4, "012345678:", nil)
			check(5, "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", nil)
		})
	}
}

// Read leaves the sequence as it is.
func TestMonotonicEntropyRead(t *testing.T) {
	m := Monotonic(strings.NewReader("0123456789raw"), 1)
	first := MustNew(time.UnixMilli(1), m)
	p := make([]byte, 10)
	n, err := m.Read(p)
	if got := string(p[:n]); got != "raw" || err != nil {
		t.Errorf("Read = %q, %v; want %q, nil", got, err, "raw")
	}
	if _, err := m.Read(p); err != io.EOF {
		t.Errorf("Read at the end = %v, want %v", err, io.EOF)
	}
	want, _ := first.Next()
	checkID(t, MustNew(time.UnixMilli(1), m), want)
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
	entropy, clock, wall := g.Entropy, g.Clock, g.wall
	seen, offset, salt, last := g.seen.Load(), g.offset.Load(), g.salt.Load(), g.last.Load()
	t.Cleanup(func() {
		g.Entropy, g.Clock, g.wall = entropy, clock, wall
		g.seen.Store(seen)
		g.offset.Store(offset)
		g.salt.Store(salt)
		g.last.Store(last)
	})
}
