package ulid

import (
	"fmt"
	"math"
	mathrand "math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// What takes long, or many goroutines.

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
	endsSoon := func() time.Time { return time.UnixMilli(knownMS + 1).Add(-time.Microsecond) }
	for name, g := range map[string]*Generator{
		"Make":                       &defaultGenerator,
		"clock that jumps":           {Clock: jumps},
		"clock that stands":          {Clock: stands},
		"Entropy":                    {Entropy: constant(1)},
		"Entropy, clock that jumps":  {Entropy: constant(1), Clock: jumps},
		"wall clock that ends soon":  {wall: endsSoon},
		"wall clock of milliseconds": {wall: func() time.Time { return time.Now().Truncate(time.Millisecond) }},
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
				var err error
				switch {
				case i%7 == w && w < 3: // to an ID that another may be about to make or to pass
					before += uint64(i % 5)
					if err := g.AdvancePast(layout(before, 1<<64-1), math.MaxInt64); err != nil {
						t.Error(err)
						return
					}
					ids[0], err = makeID()
				case i%5 == 0:
					ids = ids[:3+i%500/495*297]
					err = fill(ids)
				default:
					ids[0], err = makeID()
				}
				if err != nil {
					t.Error(err)
					return
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
	t.Logf("%d IDs of %d goroutines: %d ticks taken twice, %d random halves equal, %d IDs not greater than one before",
		made, workers, twice, equal, disordered.Load())
	if twice > 0 || equal > 0 || disordered.Load() > 0 {
		t.Error("want none")
	}
}

// duplicates returns how many of the numbers are equal to another.
func duplicates(numbers [][]uint64) int {
	all := slices.Concat(numbers...)
	slices.Sort(all)
	return len(all) - len(slices.Compact(all))
}

// shippedOr returns Make and Fill of a Generator, by the functions of the package if it is theirs.
func shippedOr(g *Generator) (makeID func() (ULID, error), fill func([]ULID) error) {
	if g == &defaultGenerator {
		return func() (ULID, error) { return Make(), nil }, func(ids []ULID) error { Fill(ids); return nil }
	}
	return g.Make, g.Fill
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

// A machine has a wall clock and a monotonic clock that can be set apart. The monotonic clock is
// that of a testing/synctest bubble. The wall clock takes the place of time.Now.
type machine struct {
	wallUnit, monoUnit time.Duration // resolutions of the clocks
	awake, asleep      time.Duration // since it was switched on
	offset             time.Duration // of the wall clock: all steps and slewing so far
	slew               float64       // by how much the wall clock runs fast

	read   bool          // the wall clock has been read
	readAt time.Duration // by the monotonic clock, when the wall clock was last read
	latest int64         // the greatest millisecond that was read
}

// now is what the wall clock shows.
func (m *machine) now() time.Time {
	return time.UnixMilli(knownMS).Add((m.awake + m.asleep).Truncate(m.wallUnit) + m.offset)
}

func (m *machine) monotonic() time.Duration { return m.awake.Truncate(m.monoUnit) }

func (m *machine) wall() time.Time {
	now := m.now()
	m.read, m.readAt, m.latest = true, m.monotonic(), max(m.latest, now.UnixMilli())
	return now
}

func (m *machine) pass(d time.Duration) {
	before := m.monotonic()
	m.awake += d
	m.offset += time.Duration(m.slew * float64(d))
	time.Sleep(m.monotonic() - before)
}

// disturb lets time pass, and may disturb the clocks, by up to about faults. It reports whether the
// wall clock was disturbed.
func (m *machine) disturb(random *mathrand.Rand, faults int64) bool {
	switch random.IntN(100) {
	case 0:
		m.offset += time.Duration(random.NormFloat64() * float64(faults))
		return true
	case 1:
		m.asleep += time.Duration(random.Int64N(faults))
		return true
	case 2:
		m.slew = 0.1 * (2*random.Float64() - 1) // chrony's limit, 200 times that of NTP
	case 3, 4, 5:
		m.pass(time.Duration(random.Int64N(int64(20 * time.Millisecond))))
	case 6, 7, 8:
		// To just before and just after the stroke of a millisecond.
		left := time.Millisecond - time.Duration(m.now().Nanosecond())%time.Millisecond
		m.pass(max(0, left+time.Duration(random.IntN(5)-2)))
	default:
		m.pass(time.Duration(random.Int64N(int64(20 * time.Microsecond))))
	}
	return false
}

// Make on machines whose clocks are stepped, slewed and suspended at random, with
// every resolution there is:
//
//   - The order always holds.
//   - The time is the greatest millisecond that the wall clock has shown to Make, or that of the tick
//     after the last ID's.
//   - The wall clock is reread before the monotonic clock has gone on by a millisecond.
//   - The timestamp is off by a millisecond at the most, and by the resolution of the clocks. This
//     holds if the wall clock was not disturbed since it was read, and is not behind the last ID.
func TestClockFaults(t *testing.T) {
	keep(t, &defaultGenerator)
	const ns, µs, ms = time.Nanosecond, time.Microsecond, time.Millisecond
	for _, tt := range []struct {
		wallUnit, monoUnit time.Duration
		maxError           int64 // in ms
	}{
		{ns, ns, 1},
		{µs, ns, 1},             // macOS
		{500 * µs, 500 * µs, 1}, // Windows, with a fast timer
		{ms, 5 * µs, 1},         // JavaScript
		// Windows, with an ordinary timer. Such a clock is off by up to 15.6 ms.
		{15_625 * µs, 15_625 * µs, 17},
		{15_625 * µs, 100 * ns, 17},
		{ns, 15_625 * µs, 17},
	} {
		t.Run(fmt.Sprintf("wall=%v/monotonic=%v", tt.wallUnit, tt.monoUnit), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				testClockFaults(t, tt.wallUnit, tt.monoUnit, tt.maxError)
			})
		})
	}
}

func testClockFaults(t *testing.T, wallUnit, monoUnit time.Duration, maxError int64) {
	random := mathrand.New(seeded(11))
	var c clockCounts
	for round := range 200 {
		m := &machine{wallUnit: wallUnit, monoUnit: monoUnit}
		m.pass(time.Duration(random.Int64N(int64(time.Hour))))
		defaultGenerator = Generator{wall: m.wall}
		// In a round of small faults the wall clock stays near the last ID.
		faults := int64(1) << random.IntN(54) // ns: up to half a year
		last, isDisturbed := ULID{}, false
		for range 500 {
			if m.disturb(random, faults) {
				isDisturbed = true
			}
			m.read = false
			id := Make()
			if m.read {
				isDisturbed = false
			}
			if id.Compare(last) <= 0 {
				t.Fatalf("round %d: %s after %s", round, id, last)
			}
			m.check(t, id, last)
			c.count(m, isDisturbed)
			last = id
		}
	}
	// Where only one of the clocks is coarse, two readings rarely agree.
	agree := wallUnit == monoUnit || max(wallUnit, monoUnit) <= time.Microsecond
	c.check(t, maxError, agree)
}

// check checks the time of an ID that was just made after another one.
func (m *machine) check(t *testing.T, id, last ULID) {
	t.Helper()
	want := max(uint64(max(m.latest, 0)), (tickOf(last)+1)>>16) // which may carry into the milliseconds
	if id.ms() != want {
		t.Fatalf("%s is at %d after %s, but the wall clock has shown %d", id, id.ms(), last, m.latest)
	}
	if since := m.monotonic() - m.readAt; since >= time.Millisecond {
		t.Fatalf("%s: the wall clock was last read %v ago", id, since)
	}
}

// clockCounts tells whether there was enough to see.
type clockCounts struct {
	made        int
	unread      int   // without reading the wall clock
	undisturbed int   // after which the wall clock was not disturbed, nor behind the last ID
	greatest    int64 // error of a timestamp of these, in ms
}

func (c *clockCounts) count(m *machine, isDisturbed bool) {
	c.made++
	if !m.read {
		c.unread++
	}
	if now := m.now().UnixMilli(); !isDisturbed && now >= m.latest {
		c.undisturbed++
		c.greatest = max(c.greatest, now-m.latest)
	}
}

func (c *clockCounts) check(t *testing.T, maxError int64, agree bool) {
	t.Helper()
	t.Logf("%+v", *c)
	if c.greatest > maxError {
		t.Errorf("a timestamp is off by %d ms, want %d at the most", c.greatest, maxError)
	}
	if least := c.made / 4; agree && c.unread < least || c.undisturbed < least {
		t.Errorf("%d IDs without reading the wall clock, and %d under an undisturbed clock, want %d at least",
			c.unread, c.undisturbed, least)
	}
}

// Goroutines that print IDs at the same time do not mix their texts up.
func TestTextsAreNotShared(t *testing.T) {
	var group sync.WaitGroup
	for _, id := range []ULID{{}, known, MustParse(largestID), Make()} {
		group.Go(func() {
			text, uuid := referenceString(id), referenceUUIDString(id)
			for range 30_000 {
				if got := id.String(); got != text {
					t.Errorf("got %s, want %s", got, text)
					return
				}
				if got := id.UUIDString(); got != uuid {
					t.Errorf("got %s, want %s", got, uuid)
					return
				}
			}
		})
	}
	group.Wait()
}
