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

// Monotonic. TestEveryBitOfMonotonic has every bit, TestEntropyBlocks its lock.

// Goroutines that share a source get each ID greater than every one that New returned before their call began,
// though they read the clock before they wait for the source, and whatever the clock does.
func TestSharedMonotonic(t *testing.T) {
	calls := 20_000 // of each goroutine
	if testing.Short() {
		calls /= 10
	}
	var readings atomic.Int64
	clocks := map[string]func() time.Time{
		"now": time.Now,
		"back and forth": func() time.Time {
			r := readings.Add(1)
			return time.UnixMilli(knownMS + r/1000 - r%3)
		},
	}
	for name, now := range clocks {
		for _, inc := range []uint64{0, 1} {
			t.Run(fmt.Sprintf("%s, inc=%d", name, inc), func(t *testing.T) {
				m := NewMonotonic(nil, inc)
				checkCausal(t, calls, func() (ULID, error) { return m.New(now()) })
			})
		}
	}
}

// checkCausal checks in eight goroutines that each call returns a greater ID than all that returned before.
func checkCausal(t *testing.T, calls int, newID func() (ULID, error)) {
	var greatest atomic.Pointer[ULID] // that a call has returned
	greatest.Store(new(ULID))
	var disordered atomic.Int64
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range calls {
				before := greatest.Load()
				id, err := newID()
				if err != nil {
					t.Error(err)
					return
				}
				if id.Compare(*before) <= 0 {
					disordered.Add(1)
				}
				for before = greatest.Load(); before.Compare(id) < 0; before = greatest.Load() {
					if greatest.CompareAndSwap(before, &id) {
						break
					}
				}
			}
		})
	}
	group.Wait()
	if n := disordered.Load(); n > 0 {
		t.Errorf("%d of %d IDs are not greater than one that was returned before their call", n, 8*calls)
	}
}

// An overflow lasts until a later millisecond. Meanwhile nothing is read, so no smaller step is tried.
func TestMonotonicOverflow(t *testing.T) {
	const end, fresh = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "0123456789"
	for _, tt := range []struct {
		inc  uint64
		step string // that overflows
	}{{1, ""}, {0, "0123456789abcdef"}, {math.MaxUint64, "0123456789abcdef"}} {
		t.Run(fmt.Sprintf("inc=%d", tt.inc), func(t *testing.T) {
			entropy := io.MultiReader(strings.NewReader(end+tt.step+fresh), constant(0))
			reader := &replaceable{entropy}
			m := NewMonotonic(reader, tt.inc)
			checkNew(t, m, 5, 5, end)
			for _, ms := range []int64{5, 5, 4, 5, 0} {
				checkNewFails(t, m, ms, ErrMonotonicOverflow)
			}
			reader.Reader = iotest.ErrReader(errFaulty)
			checkNewFails(t, m, 6, errFaulty)
			reader.Reader = entropy
			checkNewFails(t, m, 5, ErrMonotonicOverflow)
			checkNew(t, m, 6, 6, fresh)
			checkNew(t, m, 5, 6, "012345678:")
		})
	}
	m := NewMonotonic(strings.NewReader(end), 1)
	checkNew(t, m, maxTime, maxTime, end)
	checkNewFails(t, m, maxTime, ErrMonotonicOverflow)
	checkNewFails(t, m, 0, ErrMonotonicOverflow) // however far back
}

// A call that fails changes nothing, and a time that no ULID can have is no time before the last.
func TestMonotonicFails(t *testing.T) {
	const zeros = "\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	reader := &replaceable{failing(9, errFaulty)}
	m := NewMonotonic(reader, 0)
	checkNewFails(t, m, 0, errFaulty)
	reader.Reader = constant(0)
	checkNew(t, m, 0, 0, zeros+"\x00")
	reader.Reader = failing(15, errFaulty)
	checkNewFails(t, m, 0, errFaulty)
	checkNewFails(t, m, -1, ErrTimeRange)
	reader.Reader = constant(0)
	checkNew(t, m, 0, 0, zeros+"\x01")
}

func checkNew(t *testing.T, m *Monotonic, ms, wantMS int64, want string) {
	t.Helper()
	id, err := m.New(time.UnixMilli(ms))
	if err != nil || id.ms() != uint64(wantMS) || string(id[6:]) != want {
		t.Errorf("New at %d = %x, %v; want the time %d and the entropy %x", ms, id[:], err, wantMS, want)
	}
}

func checkNewFails(t *testing.T, m *Monotonic, ms int64, want error) {
	t.Helper()
	if id, err := m.New(time.UnixMilli(ms)); err != want || id != (ULID{}) {
		t.Errorf("New at %d = %s, %v; want zero, %v", ms, id, err, want)
	}
}

// Generator. TestEveryBit has every bit of its IDs under every clock, and TestOrderAcrossGoroutines has it shared.

// firstID is made in the first millisecond of the process.
var firstID, afterFirstID = Make(), time.Now()

func TestFirstID(t *testing.T) {
	if ahead := firstID.Time().Sub(afterFirstID); ahead > 0 || ahead < -time.Second {
		t.Errorf("the first ID of the process is of %v, and was made at %v", firstID.Time(), afterFirstID)
	}
	// Other tests show of a zero Generator what is promised of Make: no mutex, and a clock that can be set.
	if g := &defaultGenerator; g.Source != nil || g.Clock != nil {
		t.Error("the Generator of Make has a Source or a Clock")
	}
}

// Goroutines that use a Generator at the same time take every tick once and leave none out, and read the clock once
// for each. Where this fails, so do many tests below.
func TestNothingIsLost(t *testing.T) {
	const workers = 8
	calls := 500_000 // of each: goroutines that end sooner rarely meet
	var readings atomic.Uint64
	g := &Generator{Clock: func() time.Time {
		readings.Add(1)
		return time.UnixMilli(knownMS)
	}}
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for range calls {
				g.take(0, 1)
			}
		})
	}
	group.Wait()
	taken, want := g.last.Load()-knownMS<<16+1, uint64(workers*calls)
	if taken != want || readings.Load() != want {
		t.Errorf("%d calls took %d ticks and read the clock %d times; with fewer ticks than calls, IDs have the same tick",
			want, taken, readings.Load())
	}
}

// AdvancePast does not set the last tick back while others take ticks, so that they take one again.
func TestAdvancePastTakesNoTickBack(t *testing.T) {
	const workers, calls = 16, 200_000
	g := &Generator{Source: constant(0), Clock: (&fakeClock{time.UnixMilli(knownMS)}).now}
	var ticks [workers][]uint64
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for range calls {
				var id ULID
				layout(g.last.Load()+1, 0, id[:])
				if err := g.AdvancePast(id, math.MaxInt64); err != nil {
					t.Error(err)
					return
				}
				ticks[w] = append(ticks[w], g.take(0, 1))
			}
		})
	}
	group.Wait()
	twice, isTaken := 0, make([]bool, 2*workers*calls+1) // by the tick, from that of the clock on
	for _, tick := range slices.Concat(ticks[:]...) {
		taken := &isTaken[tick-knownMS<<16]
		if *taken {
			twice++
		}
		*taken = true
	}
	if twice > 0 {
		t.Errorf("%d of %d ticks were taken twice", twice, workers*calls)
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
		id := generators[i%2].Make()
		after := referenceTick(time.Now())
		// The lowest 4 bits are random.
		if tick := tickOf(id); tick+15 < before || tick > after+15 {
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

// A testing/synctest bubble begins in 2000. A Generator that was used outside keeps its time there.
// One that was used in the bubble leaves it.
func TestSynctest(t *testing.T) {
	outside, inside := new(Generator), new(Generator)
	last := ULID{}
	for range 100 {
		last = outside.Make()
	}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Microsecond)
		for range 100 {
			inside.Make()
			id := outside.Make()
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
		id := g.Make()
		checkGreater(t, id, last)
		if id.Time().Before(now) {
			t.Errorf("after the bubble: got an ID at %v, want %v or later", id.Time(), now)
		}
	}
}

// A Fill takes as many ticks as it has IDs, also if they are more than those of a millisecond.
func TestLongFill(t *testing.T) {
	g := &Generator{Clock: (&fakeClock{time.UnixMilli(knownMS)}).now}
	ids := make([]ULID, 70_000)
	FillFrom(g, ids)
	for i, id := range append(ids, g.Make()) {
		if got, want := tickOf(id), tickOf(ids[0])+uint64(i); got != want {
			t.Fatalf("ID %d has the tick %x, want %x, the one after that of the ID before", i, got, want)
		}
	}
}

// Make and Fill call Clock once, without a lock. They read no other clock, and do not wait for one that
// stands behind the last ID. A Clock that panics leaves no lock behind. This holds in a process of less than
// a millisecond too.
func TestClockCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		var g *Generator
		g = &Generator{
			Source: constant(1),
			Clock: func() time.Time {
				calls++
				checkUnlocked(t, &g.mu)
				return time.UnixMilli(5).Add(1)
			},
		}
		begin := time.Now()
		if err := g.AdvancePast(LastAt(time.UnixMilli(6)), time.Second); err != nil {
			t.Fatal(err)
		}
		ids := make([]ULID, 1000)
		FillFrom(g, ids)
		for i, id := range append(ids, g.Make(), g.Make()) {
			checkID(t, id, referenceLayout(7<<16+1+uint64(i), constant(1).Uint64()))
		}
		FillFrom[ULID](g, nil)
		if calls != 4 {
			t.Errorf("Clock was called %d times by 4 calls and a FillFrom of nothing", calls)
		}
		if waited := time.Since(begin); waited != 0 {
			t.Errorf("Make waited for %v", waited)
		}
	})
}

// While a call reads the clock or crypto/rand, another may do anything. The order holds.
func TestOthersMeanwhile(t *testing.T) {
	for name, other := range map[string]func(g *Generator, now time.Time) (last ULID, err error){
		"Make": func(g *Generator, now time.Time) (ULID, error) { return g.Make(), nil },
		"FillFrom": func(g *Generator, now time.Time) (ULID, error) {
			ids := make([]ULID, 300)
			FillFrom(g, ids)
			return ids[299], nil
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
	system := rand.Reader
	replaceSystem(t, readerFunc(func(p []byte) (int, error) {
		call(&inRead)
		return system.Read(p)
	}))
	g := &Generator{Clock: func() time.Time {
		reading := now
		call(&inClock)
		return reading
	}}
	last := g.Make()
	for _, hook := range []*func(){&inClock, &inRead} {
		for _, lag := range []time.Duration{0, 5 * time.Millisecond, -5 * time.Millisecond} {
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
				for _, id := range ids {
					checkGreater(t, id, last)
					last = id
				}
			}
		}
		// AdvancePast changes nothing if another call passes the ID meanwhile.
		now = now.Add(20 * time.Millisecond)
		id := FirstAt(now)
		for _, more := range []uint64{0, 70_000} {
			inClock = func() { g.last.Store(greatestTick(id) + more) }
			if err := g.AdvancePast(id, math.MaxInt64); err != nil || g.last.Load() != greatestTick(id)+more {
				t.Errorf("AdvancePast = %v, and changes the last tick to %x", err, g.last.Load())
			}
			id = FirstAt(now.Add(5 * time.Millisecond))
		}
		next := g.Make()
		checkGreater(t, next, last)
		last = next
	}
}

// isLong is whether the variants that take minutes are wanted.
var isLong = os.Getenv("ULID_LONG") == "1"

// The order holds across goroutines that call Make, Fill and AdvancePast of one Generator, whatever its
// clock does and whatever its bits come from. No number is taken twice, and neither are the random bits
// below, which whole IDs would hide.
func TestOrderAcrossGoroutines(t *testing.T) {
	n := 200_000 // calls, of each Generator
	if testing.Short() {
		n /= 10
	}
	if isLong {
		n = 10_000_000
	}
	keep(t, &defaultGenerator)
	var readings atomic.Int64
	jumps := func() time.Time {
		r := readings.Add(1)
		return time.UnixMilli(knownMS + r%64*(r/64)).Add(time.Duration(r))
	}
	stands := func() time.Time { return time.UnixMilli(knownMS) }
	for name, g := range map[string]*Generator{
		"Make":                     &defaultGenerator,
		"clock that jumps":         {Clock: jumps},
		"clock that stands":        {Clock: stands},
		"Source":                   {Source: new(counting)},
		"Source, clock that jumps": {Source: new(counting), Clock: jumps},
	} {
		t.Run(name, func(t *testing.T) { testOrderAcrossGoroutines(t, g, n) })
	}
}

// counting is a Source that gives each ID other random bits, unless two goroutines call it at once.
type counting uint64

func (c *counting) Uint64() uint64 {
	*c += 1 << 6
	return uint64(*c)
}

func testOrderAcrossGoroutines(t *testing.T, g *Generator, calls int) {
	const workers = 8
	makeID, fill := shippedOr(g)
	var (
		greatest   atomic.Uint64 // tick of an ID that a call has returned, or AdvancePast has passed
		disordered atomic.Int64
		ticks      [workers][]uint64
		randoms    [workers][]uint64
		group      sync.WaitGroup
	)
	for w := range workers {
		group.Go(func() {
			for i := range calls / workers {
				before := greatest.Load()
				ids := make([]ULID, 1, 300)
				switch {
				case i%7 == w && w < 3: // to an ID that another may be about to make or to pass
					before += uint64(i % 5)
					if err := g.AdvancePast(referenceLayout(before, 1<<64-1), math.MaxInt64); err != nil {
						t.Error(err)
						return
					}
					ids[0] = makeID()
				case i%5 == 0:
					ids = ids[:3+i%500/495*297]
					fill(ids)
				default:
					ids[0] = makeID()
				}
				for _, id := range ids {
					tick := tickOf(id)
					if tick <= before || !isUUIDv7(id) {
						disordered.Add(1)
					}
					before = tick
					ticks[w] = append(ticks[w], tick)
					randoms[w] = append(randoms[w], randomOf(id))
				}
				publish(&greatest, before)
			}
		})
	}
	group.Wait()
	made, twice, equal := len(slices.Concat(ticks[:]...)), duplicates(ticks[:]), duplicates(randoms[:])
	if twice > 0 || equal > 0 || disordered.Load() > 0 {
		t.Errorf("of %d IDs, %d have the tick of another, %d the random bits of another, and %d are no UUIDv7 "+
			"or not greater than one before; want none", made, twice, equal, disordered.Load())
	}
}

// duplicates returns how many of the numbers are equal to another.
func duplicates(numbers [][]uint64) int {
	all := slices.Concat(numbers...)
	slices.Sort(all)
	return len(all) - len(slices.Compact(all))
}

// publish makes tick the greatest if it is greater.
func publish(greatest *atomic.Uint64, tick uint64) {
	for {
		old := greatest.Load()
		if old >= tick || greatest.CompareAndSwap(old, tick) {
			return
		}
	}
}

// At the end of time there is an error, and nothing wraps.
func TestEndOfTime(t *testing.T) {
	end := time.UnixMilli(maxTime)
	for _, id := range []ULID{
		LastAt(end), FirstAt(end),
		referenceLayout(math.MaxUint64-1000, 0), referenceLayout(math.MaxUint64-1, 0), referenceLayout(math.MaxUint64, 0),
	} {
		for _, source := range []mathrand.Source{nil, constant(1), constant(0xff)} {
			t.Run(fmt.Sprintf("%s/%v", id, source), func(t *testing.T) {
				testEndOfTime(t, &Generator{Source: source}, id)
			})
		}
	}
	for _, late := range []time.Time{end.Add(time.Millisecond), time.Unix(1<<61, 0), time.Unix(math.MaxInt64, 0)} {
		clock := &fakeClock{time.UnixMilli(knownMS)}
		g := &Generator{Clock: clock.now}
		last := g.Make()
		clock.t = late
		checkNoTime(t, g)
		if g.last.Load() != tickOf(last) {
			t.Errorf("at %v: a call that failed has changed the Generator", late)
		}
	}
	for _, last := range []time.Time{end, end.Add(900 * time.Microsecond)} {
		if id := (&Generator{Clock: (&fakeClock{last}).now}).Make(); !id.Time().Equal(end) {
			t.Errorf("at %v: got an ID at %v", last, id.Time())
		}
	}
	for size, want := range map[int]error{65_535: nil, 65_536: nil, 65_537: ErrTimeRange, 70_000: ErrTimeRange} {
		g := &Generator{Clock: (&fakeClock{end}).now, Source: constant(0)}
		ids := slices.Repeat([]ULID{known}, size)
		if err := tryFill(g, ids); err != want {
			t.Errorf("FillFrom of %d at the end panics with %v, want %v", size, err, want)
		}
		if isZero := slices.Equal(ids, make([]ULID, size)); isZero != (want != nil) {
			t.Errorf("Fill of %d at the end leaves zeros: %t", size, isZero)
		}
		if want != nil {
			checkID(t, g.Make(), referenceLayout(maxTime<<16, 0))
		}
	}
	// A clock that stands in the greatest tick gives it once.
	g := &Generator{Clock: (&fakeClock{end.Add(999_999)}).now, Source: constant(0xff)}
	checkID(t, g.Make(), referenceLayout(math.MaxUint64, math.MaxUint64))
	checkNoTime(t, g)

	keep(t, &defaultGenerator)
	defaultGenerator = Generator{Clock: (&fakeClock{end.Add(time.Millisecond)}).now}
	mustPanic(t, "Make", func() { Make() })
	mustPanic(t, "Fill", func() { Fill(make([]ULID, 1)) })
}

// testEndOfTime advances past id, which leaves a few IDs or none.
func testEndOfTime(t *testing.T, g *Generator, id ULID) {
	last := g.Make()
	if err := g.AdvancePast(id, math.MaxInt64); err != nil {
		t.Fatal(err)
	}
	made, left := uint64(0), math.MaxUint64-greatestTick(id)
	for range 70_000 {
		next, err := tryMake(g)
		if err == nil {
			checkGreater(t, next, last)
			checkGreater(t, next, id)
			last = next
			made++
		} else if err != ErrTimeRange || next != (ULID{}) {
			t.Fatalf("Make = %s, and panics with %v; want %v", next, err, ErrTimeRange)
		}
	}
	if g.Source != nil {
		left -= min(left, g.Source.Uint64()%256) // which AdvancePast skips
		if made != left {
			t.Errorf("got %d IDs until the end, want %d", made, left)
		}
	}
	checkNoTime(t, g)
	if err := g.AdvancePast(id, -1); err != nil { // which it has passed
		t.Errorf("AdvancePast = %v", err)
	}
	checkNoTime(t, g)
}

func checkNoTime(t *testing.T, g *Generator) {
	t.Helper()
	for name, fill := range fills {
		ids := []ULID{{}, {}}
		if err := fill(g, ids); err != ErrTimeRange || ids[0] != (ULID{}) || ids[1] != (ULID{}) {
			t.Errorf("%s: %s, %v; want zeros, %v", name, ids, err, ErrTimeRange)
		}
	}
}

// Generator.AdvancePast.

// However many callers advance past an ID at once, the next ID is 1 to 256 ticks above it, and each of these ticks is
// as likely: it is not the greatest of what all draw.
func TestAdvancePastAtOnce(t *testing.T) {
	const rounds, callers = 300, 64
	for name, source := range map[string]mathrand.Source{"crypto/rand": nil, "Source": seeded(1)} {
		t.Run(name, func(t *testing.T) {
			sum := uint64(0)
			for range rounds {
				var looking, group sync.WaitGroup
				looking.Add(callers)
				isHeld := true
				g := &Generator{Source: source}
				g.Clock = func() time.Time {
					if isHeld {
						looking.Done()
						looking.Wait() // until all have found that the ID is not passed
					}
					return time.UnixMilli(knownMS)
				}
				id := LastAt(time.UnixMilli(knownMS))
				for range callers {
					group.Go(func() {
						if err := g.AdvancePast(id, 0); err != nil {
							t.Error(err)
						}
					})
				}
				group.Wait()
				isHeld = false
				above := tickOf(g.Make()) - greatestTick(id)
				if above < 1 || above > 256 {
					t.Fatalf("the next ID is %d ticks above, want 1 to 256", above)
				}
				sum += above
			}
			// The standard deviation of the mean is 4.3.
			if mean := sum / rounds; mean < 90 || mean > 170 {
				t.Errorf("the next ID is %d ticks above in the mean, want 128", mean)
			}
		})
	}
}

// AdvancePast tries again until the ID is passed, however fast another goroutine takes ticks.
func TestAdvancePastTriesAgain(t *testing.T) {
	const ahead = 1000
	const calls = 1_000_000
	g := &Generator{Source: constant(0), Clock: (&fakeClock{time.UnixMilli(knownMS)}).now}
	var hasEnded atomic.Bool
	var group sync.WaitGroup
	group.Go(func() {
		for i := 0; !hasEnded.Load(); i++ {
			g.last.Add(1) // faster than take, so that it meets AdvancePast more often
			if i%1000 == 0 {
				runtime.Gosched() // where there is one thread
			}
		}
	})
	met := 0 // calls during which the other goroutine ran
	for i := 0; i < calls && met < 10_000; i++ {
		var id ULID
		tick := g.last.Load() + ahead
		layout(tick, 0, id[:])
		err := g.AdvancePast(id, math.MaxInt64)
		last := g.last.Load()
		if err != nil || last < tick {
			t.Errorf("AdvancePast = %v, and leaves the last tick %d below that of the ID", err, tick-last)
			break
		}
		if last > tick {
			met++
		}
	}
	hasEnded.Store(true)
	group.Wait()
	if met == 0 && !t.Failed() {
		t.Skip("the goroutines never ran at once: this needs two processors that are not busy")
	}
}

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
		{clock: now, id: FirstAt(now.Add(1001 * ms)), limit: 1001 * ms}, // 1.001 s, which is no float64
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
		if err != nil && g.last.Load() != 0 {
			t.Errorf("after %v, the Generator has changed", err)
		}
	}
	// Ahead of the clock, not of an ID that was advanced past.
	g := &Generator{Clock: (&fakeClock{now}).now}
	if err := g.AdvancePast(FirstAt(now.Add(3*time.Second)), 3*time.Second); err != nil {
		t.Error(err)
	}
	err := g.AdvancePast(FirstAt(now.Add(time.Minute)), 3*time.Second)
	if want := "ulid: too far ahead of the clock: 1m0s, limit 3s"; err == nil || err.Error() != want {
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
				if next := referenceLayout(got+1, 0); got+1 != 0 && next.Compare(id) <= 0 {
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
	first, last := g.Make(), g.Make()
	tick := g.last.Load()
	for id, want := range map[ULID]error{
		{}: nil, first: nil, last: nil, LastAt(clock.t): ErrAhead, LastAt(time.UnixMilli(maxTime)): ErrAhead,
		referenceLayout(tick, math.MaxUint64): nil, referenceLayout(tick+1, 0): ErrAhead,
	} {
		readings := 0
		g.Clock = func() time.Time { readings++; return clock.t }
		if err := g.AdvancePast(id, -1); !errors.Is(err, want) {
			t.Errorf("AdvancePast(%s) = %v, want %v", id, err, want)
		}
		if g.last.Load() != tick {
			t.Errorf("AdvancePast(%s) changed the Generator", id)
		}
		if want == nil && readings > 0 || readings > 1 {
			t.Errorf("AdvancePast(%s) read the clock %d times", id, readings)
		}
	}
}
