package ulid

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
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

// Monotonic. TestEveryBitOfMonotonic has every bit, TestEntropyIsLocked its lock.

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
	reader := &replaceable{liar(17)}
	m := NewMonotonic(reader, 0)
	checkNewFails(t, m, 0, errRead)
	reader.Reader = constant(0)
	checkNew(t, m, 0, 0, zeros+"\x00")
	reader.Reader = liar(17)
	checkNewFails(t, m, 0, errRead)
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
}

// Goroutines that use a Generator at the same time take every tick once and leave none out, and read the clock once
// for each. What is added to the salt is not lost either: a late call does not bring an earlier salt back. Where this
// fails, so do many tests below.
func TestNothingIsLost(t *testing.T) {
	const workers = 8
	calls := 500_000 // of each: goroutines that end sooner rarely meet
	inGoroutines := func(call func()) {
		var group sync.WaitGroup
		for range workers {
			group.Go(func() {
				for range calls {
					call()
				}
			})
		}
		group.Wait()
	}
	t.Run("ticks", func(t *testing.T) {
		var readings atomic.Uint64
		g := &Generator{Entropy: constant(1), Clock: func() time.Time {
			readings.Add(1)
			return time.UnixMilli(knownMS)
		}}
		inGoroutines(func() { g.take(1) })
		taken, want := g.last.Load()-knownMS<<16+1, uint64(workers*calls)
		if taken != want || readings.Load() != want {
			t.Errorf("%d calls took %d ticks and read the clock %d times; with fewer ticks than calls, IDs have the same tick",
				want, taken, readings.Load())
		}
	})
	t.Run("salt", func(t *testing.T) {
		replaceSystem(t, constant(1))
		g := new(Generator)
		inGoroutines(func() { g.renewSalt() })
		if got, want := g.salt.Load(), uint64(workers*calls)*0x0101_0101_0101_0101; got != want {
			t.Errorf("the salt is %x, want %x, the sum of all that was read", got, want)
		}
	})
}

// AdvancePast does not set the last tick back while others take ticks, so that they take one again.
func TestAdvancePastTakesNoTickBack(t *testing.T) {
	const workers, calls = 16, 200_000
	g := &Generator{Entropy: constant(1), Clock: (&fakeClock{time.UnixMilli(knownMS)}).now}
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
				tick, _ := g.take(1)
				ticks[w] = append(ticks[w], tick)
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
			Entropy: constant(1),
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
			checkID(t, id, referenceLayout(7<<16+uint64(i), 0x0101_0101_0101_0101))
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

// While a call reads the clock or crypto/rand, another may do anything. The order holds, and the bits are
// salted with what was read in the latest millisecond.
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
	last := g.Make()
	for _, hook := range []*func(){&inClock, &inRead} {
		for _, lag := range []time.Duration{0, 5 * time.Millisecond, -5 * time.Millisecond} {
			for name, fill := range fills {
				now = now.Add(20 * time.Millisecond)
				isRenewed := false
				*hook = func() {
					now = now.Add(lag)
					salt := g.salt.Load()
					id, err := other(g, now)
					if err != nil {
						t.Fatal(err)
					}
					checkGreater(t, id, last)
					last = id
					isRenewed = g.salt.Load() != salt
				}
				system.reads = nil
				ids := make([]ULID, 3)
				if err := fill(g, ids); err != nil {
					t.Fatal(name, err)
				}
				if *hook != nil {
					t.Fatal("the hook was not called")
				}
				if !isRenewed {
					t.Fatalf("while %s began a millisecond, another call, %v later, took ticks with the old salt %x",
						name, lag, g.salt.Load())
				}
				for range 4 { // the first two of a millisecond have bits of crypto/rand
					ids = append(ids, g.Make())
				}
				for _, id := range ids {
					checkGreater(t, id, last)
					last = id
				}
				if random := randomOf(last) ^ g.salt.Load()>>6; !drawn[random] {
					t.Fatalf("%s: %s does not have the bits of a ChaCha8 and the present salt %x", name, last, g.salt.Load())
				}
			}
		}
		// AdvancePast does not go back behind what another call passes meanwhile.
		now = now.Add(20 * time.Millisecond)
		id := FirstAt(now)
		for _, more := range []uint64{0, 70_000} {
			inClock = func() { g.last.Store(greatestTick(id) + more) }
			if err := g.AdvancePast(id, math.MaxInt64); err != nil || g.last.Load() < greatestTick(id)+more {
				t.Errorf("AdvancePast = %v, and the last tick is %x", err, g.last.Load())
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
		"Make":                      &defaultGenerator,
		"clock that jumps":          {Clock: jumps},
		"clock that stands":         {Clock: stands},
		"Entropy":                   {Entropy: constant(1)},
		"Entropy, clock that jumps": {Entropy: constant(1), Clock: jumps},
	} {
		t.Run(name, func(t *testing.T) { testOrderAcrossGoroutines(t, g, n) })
	}
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
	if g.Entropy != nil {
		equal = 0 // it is a constant
	}
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
		for _, entropy := range []io.Reader{nil, constant(1)} {
			t.Run(fmt.Sprintf("%s/%v", id, entropy), func(t *testing.T) {
				testEndOfTime(t, &Generator{Entropy: entropy}, id)
			})
		}
	}
	for _, late := range []time.Time{end.Add(time.Millisecond), time.Unix(1<<61, 0), time.Unix(math.MaxInt64, 0)} {
		clock := &fakeClock{time.UnixMilli(knownMS)}
		g := &Generator{Clock: clock.now}
		last := g.Make()
		seen, salt := g.seen.Load(), g.salt.Load()
		clock.t = late
		checkNoTime(t, g)
		if g.last.Load() != tickOf(last) || g.seen.Load() != seen || g.salt.Load() != salt {
			t.Errorf("at %v: a call that failed has changed the Generator", late)
		}
	}
	for _, last := range []time.Time{end, end.Add(900 * time.Microsecond)} {
		if id := (&Generator{Clock: (&fakeClock{last}).now}).Make(); !id.Time().Equal(end) {
			t.Errorf("at %v: got an ID at %v", last, id.Time())
		}
	}
	for size, want := range map[int]error{65_535: nil, 65_536: nil, 65_537: ErrTimeRange, 70_000: ErrTimeRange} {
		g := &Generator{Clock: (&fakeClock{end}).now, Entropy: constant(1)}
		ids := slices.Repeat([]ULID{known}, size)
		if err := tryFill(g, ids); err != want {
			t.Errorf("FillFrom of %d at the end panics with %v, want %v", size, err, want)
		}
		if isZero := slices.Equal(ids, make([]ULID, size)); isZero != (want != nil) {
			t.Errorf("Fill of %d at the end leaves zeros: %t", size, isZero)
		}
		if want != nil {
			checkID(t, g.Make(), referenceLayout(maxTime<<16, 0x0101_0101_0101_0101))
		}
	}
	// A clock that stands in the greatest tick gives it once.
	g := &Generator{Clock: (&fakeClock{end.Add(999_999)}).now, Entropy: constant(1)}
	checkID(t, g.Make(), referenceLayout(math.MaxUint64, 0x0101_0101_0101_0101))
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
	for range 70_000 {
		next, err := tryMake(g)
		if err == nil {
			checkGreater(t, next, last)
			checkGreater(t, next, id)
			last = next
		} else if err != ErrTimeRange || next != (ULID{}) {
			t.Fatalf("Make = %s, and panics with %v; want %v", next, err, ErrTimeRange)
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
			original.Make()
			clock.t = clock.t.Add(-tt.behind)
			original.Make()
			var copies [2][]ULID
			for i := range copies {
				clock := &fakeClock{clock.t}
				g := copyOf(original, clock)
				if err := tt.begin(g, clock); err != nil {
					t.Fatal(err)
				}
				copies[i] = make([]ULID, 320)
				for j := range 20 {
					copies[i][j] = g.Make()
				}
				FillFrom(g, copies[i][20:])
			}
			for i, id := range copies[0] {
				if other := copies[1][i]; randomOf(id) == randomOf(other) {
					t.Fatalf("ID %d has the random bits %x in both copies: %s and %s", i, randomOf(id), id, other)
				}
			}
		})
	}
}

// copyOf returns what a copy of the machine has, under a clock of its own. The test must have emptied the pool.
func copyOf(original *Generator, clock *fakeClock) *Generator {
	g := &Generator{Clock: clock.now}
	g.last.Store(original.last.Load())
	g.seen.Store(original.seen.Load())
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
		if err != nil && (g.last.Load() != 0 || g.salt.Load() != 0) {
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
	tick, salt := g.last.Load(), g.salt.Load()
	for id, want := range map[ULID]error{
		{}: nil, first: nil, last: nil, LastAt(clock.t): ErrAhead, LastAt(time.UnixMilli(maxTime)): ErrAhead,
		referenceLayout(tick, math.MaxUint64): nil, referenceLayout(tick+1, 0): ErrAhead,
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
