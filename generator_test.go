package ulid

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	mathrand "math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

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
	restoreAfter(t, &defaultGenerator)
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
	other, system := new(Generator), rand.Reader
	replaceSystem(t, readerFunc(func(p []byte) (int, error) {
		checkUnlocked(t, &other.mu) // crypto/rand is read without it
		return system.Read(p)
	}))
	other.Make()
	Make()
	close(release)
	group.Wait()
	slices.SortFunc(ids, ULID.Compare)
	if len(slices.Compact(ids)) < len(ids) || ids[0].IsZero() {
		t.Errorf("the IDs are %s, want four", ids)
	}
}

// Goroutines that use a Generator at the same time take every tick once and leave none out, and read the clock once
// for each. Where this fails, so do many tests below.
func TestNothingIsLost(t *testing.T) {
	const workers, calls = 8, 500_000 // goroutines that make fewer rarely meet
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
	restoreAfter(t, &defaultGenerator)
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
					size := 3
					if i%500 == 495 {
						size = cap(ids)
					}
					ids = ids[:size]
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

// Make and Fill call Clock once, without a lock. They read no other clock, and do not wait for one that stands
// behind the last ID.
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

	restoreAfter(t, &defaultGenerator)
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
	if id, err := tryMake(g); !id.IsZero() || err != ErrTimeRange {
		t.Errorf("Make = %s, %v; want zero, %v", id, err, ErrTimeRange)
	}
	ids := []ULID{known, known}
	if err := tryFill(g, ids); !slices.Equal(ids, []ULID{{}, {}}) || err != ErrTimeRange {
		t.Errorf("FillFrom: %s, %v; want zeros, %v", ids, err, ErrTimeRange)
	}
}

// AdvancePast changes nothing if another call passes the ID while it reads the clock.
func TestAdvancePastMeanwhile(t *testing.T) {
	now := time.UnixMilli(knownMS)
	tick := greatestTick(FirstAt(now))
	for _, last := range []uint64{tick, tick + 70_000} {
		g := &Generator{Source: constant(1)}
		g.Clock = func() time.Time {
			g.last.Store(last)
			return now
		}
		if err := g.AdvancePast(FirstAt(now), 0); err != nil || g.last.Load() != last {
			t.Errorf("AdvancePast = %v, and the last tick is %x, want %x", err, g.last.Load(), last)
		}
	}
}

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
	if runtime.GOMAXPROCS(0) == 1 {
		t.Skip("this needs two processors")
	}
	const ahead, enough, limit = 1000, 1000, 2 * time.Second
	g := &Generator{Source: constant(0), Clock: (&fakeClock{time.UnixMilli(knownMS)}).now}
	var hasEnded atomic.Bool
	defer time.AfterFunc(limit, func() { hasEnded.Store(true) }).Stop()
	var group sync.WaitGroup
	group.Go(func() {
		for !hasEnded.Load() {
			g.last.Add(1) // faster than take, so that it meets AdvancePast more often
		}
	})
	met := 0 // calls during which the other goroutine ran
	for met < enough && !hasEnded.Load() {
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
	if met < enough && !t.Failed() {
		t.Skipf("the goroutines met %d times in %v: this needs two processors that are not busy", met, limit)
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
		read := &recorder{Reader: constant(0)}
		g := &Generator{Source: read, Clock: read.clock((&fakeClock{tt.clock}).now)}
		err := g.AdvancePast(tt.id, tt.limit)
		if !errors.Is(err, tt.want) {
			t.Errorf("at %v: AdvancePast(%s, %v) = %v, want %v", tt.clock, tt.id, tt.limit, err, tt.want)
		}
		if err != nil {
			read.mustHaveReadClock(t)
			read.mustEnd(t)
			if g.last.Load() != 0 {
				t.Errorf("after %v, the Generator has changed", err)
			}
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

// What these tests share.

// restoreAfter restores a shipped Generator at the end of a test that changes it.
func restoreAfter(t *testing.T, g *Generator) {
	t.Helper()
	source, clock, last := g.Source, g.Clock, g.last.Load()
	t.Cleanup(func() {
		g.Source, g.Clock = source, clock
		g.last.Store(last)
	})
}

// shippedOr returns Make and Fill of a Generator, by the functions of the package if it is theirs.
func shippedOr(g *Generator) (makeID func() ULID, fill func([]ULID)) {
	if g == &defaultGenerator {
		return Make, Fill[ULID]
	}
	return g.Make, func(ids []ULID) { FillFrom(g, ids) }
}

// tryMake is g.Make, and tryFill is FillFrom. They return the error with which it panics.
func tryMake(g *Generator) (id ULID, err error) {
	err = panicOf(func() { id = g.Make() })
	return id, err
}

func tryFill(g *Generator, ids []ULID) error { return panicOf(func() { FillFrom(g, ids) }) }

// fakeClock is a clock that stands where it is put.
type fakeClock struct{ t time.Time }

func (c *fakeClock) now() time.Time { return c.t }

type sourceFunc func() uint64

func (f sourceFunc) Uint64() uint64 { return f() }

func checkGreater(t *testing.T, id, last ULID) {
	t.Helper()
	if id.Compare(last) <= 0 {
		t.Fatalf("got %s after %s, want a greater ID", id, last)
	}
}
