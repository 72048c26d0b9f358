package ulid

import (
	"math"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
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
				var err error
				switch {
				case i%7 == w && w < 3: // to an ID that another may be about to make or to pass
					before += uint64(i % 5)
					if err := g.AdvancePast(referenceLayout(before, 1<<64-1), math.MaxInt64); err != nil {
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
