package ulid

import (
	"fmt"
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

// The order holds across goroutines: for Make and Fill, for MakeUUIDv7 and FillUUIDv7, and for Make
// and Fill of shared Generators. Steps of 1 show an ID that is made twice, which 2³² would hide. A
// Clock that moves at every twentieth reading shuts many epochs, and so does a wall clock that
// always stands just before the end of the same millisecond.
func TestOrderAcrossGoroutines(t *testing.T) {
	n := 2_000_000
	if testing.Short() {
		n /= 10
	}
	if isLong {
		n = 100_000_000 // keeps 1.6 GB of IDs
	}
	var readings atomic.Int64
	shared := &Generator{Spacing: 1}
	ofClock := &Generator{Spacing: 1, Clock: func() time.Time { return time.UnixMilli(knownMS + readings.Add(1)/20) }}
	stands := &Generator{Spacing: 1, wall: func() time.Time { return time.UnixMilli(knownMS + 1).Add(-time.Microsecond) }}
	newest := make([]atomic.Pointer[ULID], 5)
	checkAcrossGoroutines(t, n, []source{
		{1, each(func() (ULID, error) { return Make(), nil }), &newest[0]},
		{10, func(ids []ULID) error { Fill(ids); return nil }, &newest[0]}, // one order with Make
		{1, each(shared.Make), &newest[1]},
		{10, shared.Fill, &newest[1]},
		{1, each(func() (ULID, error) { return MakeUUIDv7(), nil }), &newest[2]},
		{10, func(ids []ULID) error { FillUUIDv7(ids); return nil }, &newest[2]},
		{1, each(ofClock.Make), &newest[3]},
		{10, ofClock.Fill, &newest[3]},
		{1, each(stands.Make), &newest[4]},
		{10, stands.Fill, &newest[4]},
	})
}

// A source fills batches of IDs. Sources with the same newest keep one order.
type source struct {
	batch  int
	fill   func([]ULID) error
	newest *atomic.Pointer[ULID]
}

// checkAcrossGoroutines has 8 goroutines make n IDs, from each source in turn. A goroutine looks
// at the newest ID that any has published. All that it makes then must be greater. No ID may be
// made twice, not even by different sources.
func checkAcrossGoroutines(t *testing.T, n int, sources []source) {
	t.Helper()
	const workers = 8
	for _, s := range sources {
		s.newest.CompareAndSwap(nil, new(ULID))
	}
	all := make([]ULID, n)
	var (
		disordered atomic.Int64
		group      sync.WaitGroup
	)
	for w := range workers {
		own := all[w*n/workers : (w+1)*n/workers]
		group.Go(func() {
			for turn := w; len(own) > 0; turn++ {
				s := sources[turn%len(sources)]
				ids := own[:min(s.batch, len(own))]
				own = own[len(ids):]
				floor := *s.newest.Load()
				if err := s.fill(ids); err != nil {
					t.Error(err)
					return
				}
				for _, id := range ids {
					if id.Compare(floor) <= 0 {
						disordered.Add(1)
					}
					floor = id
				}
				publish(s.newest, &ids[len(ids)-1])
			}
		})
	}
	group.Wait()
	slices.SortFunc(all, ULID.Compare)
	duplicates := n - len(slices.Compact(all))
	t.Logf("%d IDs of %d goroutines: %d duplicates, %d not greater than one before",
		n, workers, duplicates, disordered.Load())
	if duplicates > 0 || disordered.Load() > 0 {
		t.Error("want none")
	}
}

// publish makes id the newest if it is greater.
func publish(newest *atomic.Pointer[ULID], id *ULID) {
	for {
		old := newest.Load()
		if old.Compare(*id) >= 0 || newest.CompareAndSwap(old, id) {
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

// Make and MakeUUIDv7 on machines whose clocks are stepped, slewed and suspended at random, with
// every resolution there is:
//
//   - The order always holds.
//   - The timestamp is the greatest millisecond that the wall clock has shown to Make.
//   - The wall clock is reread before the monotonic clock has gone on by a millisecond.
//   - The timestamp is off by a millisecond at the most, and by the resolution of the clocks. This
//     holds if the wall clock was not disturbed since it was read, and is not behind the last ID.
func TestClockFaults(t *testing.T) {
	keep(t, &defaultGenerator)
	keep(t, &uuidv7Generator)
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
		t.Run(fmt.Sprintf("wall clock of %v, monotonic clock of %v", tt.wallUnit, tt.monoUnit), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				random := mathrand.New(seeded(11))
				made, unread, undisturbed, greatest := 0, 0, 0, int64(0)
				for round := range 200 {
					m := &machine{wallUnit: tt.wallUnit, monoUnit: tt.monoUnit}
					m.pass(time.Duration(random.Int64N(int64(time.Hour))))
					newID := Make
					if defaultGenerator = (Generator{wall: m.wall}); round%2 == 1 {
						newID = MakeUUIDv7
						uuidv7Generator = Generator{wall: m.wall, UUIDv7: true}
					}
					// In a round of small faults the wall clock stays near the last ID.
					faults := int64(1) << random.IntN(54) // ns: up to half a year
					last, disturbed := ULID{}, false
					for range 500 {
						switch random.IntN(100) {
						case 0:
							m.offset += time.Duration(random.NormFloat64() * float64(faults))
							disturbed = true
						case 1:
							m.asleep += time.Duration(random.Int64N(faults))
							disturbed = true
						case 2:
							m.slew = 0.1 * (2*random.Float64() - 1) // chrony's limit, 200 times that of NTP
						case 3, 4, 5:
							m.pass(time.Duration(random.Int64N(int64(20 * ms))))
						case 6, 7, 8:
							// To just before and just after the stroke of a millisecond.
							m.pass(max(0, ms-time.Duration(m.now().Nanosecond())%ms+time.Duration(random.IntN(5)-2)))
						default:
							m.pass(time.Duration(random.Int64N(int64(20 * µs))))
						}
						m.read = false
						id := newID()
						made++
						if m.read {
							disturbed = false
						} else {
							unread++
						}
						if id.Compare(last) <= 0 {
							t.Fatalf("round %d: %s after %s", round, id, last)
						}
						if id.Time() != uint64(max(m.latest, 0)) {
							t.Fatalf("round %d: %s at %d, but the wall clock has shown %d", round, id, id.Time(), m.latest)
						}
						if since := m.monotonic() - m.readAt; since >= ms {
							t.Fatalf("round %d: the wall clock was last read %v ago", round, since)
						}
						if now := m.now().UnixMilli(); !disturbed && now >= m.latest {
							undisturbed++
							greatest = max(greatest, now-m.latest)
						}
						last = id
					}
				}
				t.Logf("%d IDs, %d without reading the wall clock, %d after which it was undisturbed", made, unread, undisturbed)
				if greatest > tt.maxError {
					t.Errorf("a timestamp is off by %d ms, want %d at the most", greatest, tt.maxError)
				}
				if unread < made/4 {
					t.Errorf("%d IDs without reading the wall clock, want a quarter of %d at least", unread, made)
				}
				if undisturbed < made/4 {
					t.Errorf("%d IDs under an undisturbed clock, want a quarter of %d at least", undisturbed, made)
				}
			})
		})
	}
}
