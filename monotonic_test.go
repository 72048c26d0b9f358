package ulid

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"io"
	"math"
	"math/big"
	mathrand "math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
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
			g := &Generator{Clock: clock.now, UUIDv7: uuidv7}
			last, latest := ULID{}, uint64(knownMS)
			for i, move := range moves {
				clock.t = clock.t.Add(move)
				latest = max(latest, uint64(max(clock.t.UnixMilli(), 0)))
				ids := make([]ULID, random.IntN(3))
				if err := g.Fill(ids); err != nil {
					t.Fatal(err)
				}
				for _, id := range append(ids, mustMake(t, g)) {
					checkGreater(t, id, last)
					if got := id.Time(); got != latest {
						t.Fatalf("reading %d, %v: got an ID at %d, want %d", i, clock.t, got, latest)
					}
					if got := referenceIsUUIDv7(id); uuidv7 && !got {
						t.Fatalf("reading %d: %s is not a UUIDv7", i, id.UUIDString())
					}
					last = id
				}
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
			Spacing: 1,
			Clock: func() time.Time {
				calls++
				if calls > 100 {
					t.Fatal("Clock is called again and again")
				}
				checkUnlocked(t, &g.mu)
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

// A testing/synctest bubble begins in 2000. A Generator that was used outside keeps its time there.
// One that was used in the bubble leaves it, although its epoch seems to last for decades.
func TestGeneratorSynctest(t *testing.T) {
	outside, inside := new(Generator), new(Generator)
	last := mustMake(t, outside)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Microsecond)
		if err := inside.Fill(make([]ULID, 2)); err != nil {
			t.Fatal(err)
		}
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
	for _, g := range []*Generator{outside, inside} {
		now := Now()
		id := mustMake(t, g)
		checkGreater(t, id, last)
		if got := id.Time(); got < now {
			t.Errorf("after the bubble: got an ID at %d, want %d or later", got, now)
		}
	}
}

// The wall clock is read for the first ID of a millisecond and for the second, which opens an
// epoch, and not again until the millisecond is over. A Generator that makes many IDs opens an
// epoch with the first.
func TestGeneratorEpoch(t *testing.T) {
	for name, g := range map[string]*Generator{
		"none":        {},
		"UUIDv7":      {UUIDv7: true},
		"rand.Reader": {Entropy: rand.Reader},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				readings := 0
				g.wall = func() time.Time { readings++; return time.Now() }
				for i, tt := range []struct {
					wait     time.Duration
					readings int
				}{
					{250_001, 1},
					{1_000_000, 2}, // the first ID of another millisecond
					{0, 3},         // the second
					{749_998, 3},   // the last ns of the millisecond
					{1, 4},         // on the stroke, where a clock of whole milliseconds always is
					{0, 5},
					{1, 6},
					{999_998, 6}, // the last ns
					{1_000_000, 7},
					{0, 7}, // its epoch was opened by the first ID
					{1, 8},
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
}

// An Entropy of the caller is never left out. A single ID of a millisecond allocates nothing.
func TestNoEpoch(t *testing.T) {
	ofEntropy := &Generator{Entropy: constant(1)}
	mustMake(t, ofEntropy)
	mustMake(t, ofEntropy)
	if ofEntropy.epoch.Load() != nil {
		t.Error("there is an epoch beside an Entropy")
	}
	single := &Generator{Clock: time.Now}
	mustMake(t, single)
	if single.epoch.Load() != nil {
		t.Error("there is an epoch after a single ID")
	}
}

// An epoch ends with the millisecond in which the wall clock was read, even if the goroutine that
// reads it loses its processor. Where the monotonic clock is another one, it does not last at all.
func TestEpochLasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(100 * time.Microsecond)
		g := &Generator{wall: func() time.Time {
			now := time.Now()
			time.Sleep(400 * time.Microsecond)
			return now
		}}
		if err := g.Fill(make([]ULID, 2)); err != nil { // at 100 µs, returned at 500 µs
			t.Fatal(err)
		}
		e := mustEpoch(t, g)
		for _, tt := range []struct {
			wait time.Duration
			want bool
		}{{499_999, true}, {1, false}, {1 << 32, false}, {1 << 62, false}} {
			time.Sleep(tt.wait)
			if got := g.lasts(e, time.Time{}); got != tt.want {
				t.Errorf("at %v, the epoch lasts: %t, want %t", time.Since(start), got, tt.want)
			}
		}
		for ahead, want := range map[time.Duration]bool{
			1: true, time.Millisecond: true, time.Millisecond + 1: false, math.MaxInt64: false,
		} {
			e.until = time.Since(start) + ahead
			if got := g.lasts(e, time.Time{}); got != want {
				t.Errorf("an epoch until %v from now lasts: %t, want %t", ahead, got, want)
			}
		}
	})
}

// IDs of an epoch are made while another goroutine has the lock, even if the clock is set back.
func TestEpochDoesNotWait(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(knownMS)}
	g := &Generator{Clock: clock.now}
	first := mustMake(t, g)
	mustMake(t, g)
	clock.t = time.Time{}
	g.mu.Lock()
	defer g.mu.Unlock()
	made := make(chan []ULID, 1)
	for name, fill := range fills {
		go func() {
			ids := make([]ULID, 3)
			if err := fill(g, ids); err != nil {
				t.Error(name, err)
			}
			made <- ids
		}()
		select {
		case ids := <-made:
			checkGreater(t, ids[0], first)
			first = ids[2]
		case <-time.After(10 * time.Second):
			t.Fatalf("%s waits for the lock", name)
		}
	}
	passed := make(chan error, 1)
	go func() { passed <- g.AdvancePast(first, -1) }()
	select {
	case err := <-passed:
		if err != nil {
			t.Errorf("AdvancePast of an ID that was passed = %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("AdvancePast of an ID that was passed waits for the lock")
	}
}

// Goroutines that have waited for the lock take their IDs from the epoch that one of them opened.
func TestEpochIsShared(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(knownMS)}
	g := &Generator{Clock: clock.now, Spacing: 1}
	mustMake(t, g)
	ids := make([]ULID, 20)
	var group sync.WaitGroup
	g.mu.Lock()
	for i := range ids {
		group.Go(func() { ids[i], _ = g.Make() })
	}
	time.Sleep(time.Millisecond) // some may come later, and find the epoch open
	g.mu.Unlock()
	group.Wait()
	checkDistinct(t, ids)
	if got, want := mustEpoch(t, g).taken.Load(), uint64(len(ids)-1); got != want {
		t.Errorf("%d IDs were taken from the epoch, want %d", got, want)
	}
}

// When the ranges of an epoch are used up, the IDs go on in the next range, and none is left out.
func TestEpochIsUsedUp(t *testing.T) {
	for name, fill := range fills {
		for _, uuidv7 := range []bool{false, true} {
			t.Run(fmt.Sprintf("UUIDv7=%t/%s", uuidv7, name), func(t *testing.T) {
				testEpochIsUsedUp(t, uuidv7, fill)
			})
		}
	}
}

func testEpochIsUsedUp(t *testing.T, uuidv7 bool, fill func(*Generator, []ULID) error) {
	clock := &fakeClock{time.UnixMilli(knownMS)}
	g := &Generator{Clock: clock.now, Spacing: 1, UUIDv7: uuidv7}
	mustMake(t, g)
	last := mustMake(t, g)
	e := mustEpoch(t, g)
	e.count = 3
	for range 4 {
		ids := make([]ULID, 2)
		if err := fill(g, ids); err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			next := randomBits(last, uuidv7)
			next.Add(next, big.NewInt(1))
			if want := fromRandomBits(knownMS, next, uuidv7); id != want {
				t.Errorf("got %s after %s, want the next, %s", id, last, want)
			}
			last = id
		}
	}
	if g.epoch.Load() == e {
		t.Error("the epoch was not left")
	}
	ids := []ULID{known}
	if n := g.take(e, ids); n != 0 || ids[0] != known {
		t.Errorf("an epoch that is used up gives %d IDs, %s", n, ids)
	}
}

// A millisecond has as many ranges as fit above its last number.
func TestRanges(t *testing.T) {
	random := mathrand.New(seeded(3))
	for _, uuidv7 := range []bool{false, true} {
		for _, spacing := range []uint64{0, 1, 2, 3, 1 << 47, 1<<48 + 1, 1 << 63, math.MaxUint64} {
			g := &Generator{UUIDv7: uuidv7, Spacing: spacing}
			size := new(big.Int).SetUint64(cmp.Or(spacing, 1<<48))
			for bit := range randomBitCount(uuidv7) + 1 {
				room := new(big.Int).Lsh(big.NewInt(1), bit)
				room.Sub(room, big.NewInt(random.Int64N(3)))
				last := new(big.Int).Lsh(big.NewInt(1), randomBitCount(uuidv7))
				last.Sub(last, big.NewInt(1)).Sub(last, room)
				if room.Sign() < 0 || last.Sign() < 0 {
					continue
				}
				id := fromRandomBits(knownMS, last, uuidv7)
				g.last = g.number(id.uint128())
				want := new(big.Int).Div(room, size)
				if most := big.NewInt(maxRanges); want.Cmp(most) > 0 {
					want = most
				}
				if got := g.ranges(); got != want.Uint64() {
					t.Errorf("UUIDv7=%t: there are %d ranges of %d in %d, want %d", uuidv7, got, size, room, want)
				}
			}
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
		{clock: now, id: ULID{}, limit: math.MinInt64, want: ErrAhead},
		{clock: before1970, id: ULID{}, limit: 0},
		{clock: before1970, id: LastAt(Time(0)), limit: 0},
		{clock: before1970, id: FirstAt(Time(1)), limit: 0, want: ErrAhead},
		{clock: end.Add(5 * ms), id: LastAt(end), limit: 0},
		{clock: time.Unix(1<<61, 0), id: LastAt(end), limit: 0}, // too late for a uint64
	} {
		for _, uuidv7 := range []bool{false, true} {
			clock := &fakeClock{tt.clock}
			g := &Generator{Clock: clock.now, UUIDv7: uuidv7}
			err := g.AdvancePast(tt.id, tt.limit)
			if uuidv7 && tt.id == (ULID{}) {
				tt.want = nil // less than any UUIDv7
			}
			if err != tt.want {
				t.Errorf("UUIDv7=%t, at %v: AdvancePast(%s, %v) = %v, want %v",
					uuidv7, tt.clock, tt.id, tt.limit, err, tt.want)
			}
			if err != nil && g.started {
				t.Errorf("after %v, a number is used up", err)
			}
		}
	}
}

// An ID that was passed changes nothing, and neither does one that is refused.
func TestAdvancePastChangesNothing(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(knownMS)}
	for name, entropy := range map[string]io.Reader{"epoch": nil, "Entropy": seeded(1)} {
		t.Run(name, func(t *testing.T) {
			g := &Generator{Clock: clock.now, Spacing: 1, Entropy: entropy}
			first := mustMake(t, g)
			last := mustMake(t, g)
			e := g.epoch.Load()
			for id, want := range map[ULID]error{
				{}: nil, first: nil, last: nil, LastAt(clock.t): ErrAhead, LastAt(Time(maxTime)): ErrAhead,
			} {
				if err := g.AdvancePast(id, -1); err != want {
					t.Errorf("AdvancePast(%s) = %v, want %v", id, err, want)
				}
				wantNext, _ := last.Next()
				last = mustMake(t, g)
				if last != wantNext {
					t.Errorf("after AdvancePast(%s): got %s, want the next, %s", id, last, wantNext)
				}
			}
			if g.epoch.Load() != e {
				t.Error("the epoch was shut")
			}
			checkUnlocked(t, &g.mu)
		})
	}
}

// An ID that another goroutine passes, while AdvancePast reads the clock, is never refused.
func TestAdvancePastWhatOthersPass(t *testing.T) {
	calls := 0
	var g *Generator
	g = &Generator{Spacing: 1, Clock: func() time.Time {
		calls++
		if calls == 3 {
			mustMake(t, g)
		}
		return time.UnixMilli(knownMS)
	}}
	mustMake(t, g)
	next, _ := mustMake(t, g).Next()
	if err := g.AdvancePast(next, -1); err != nil {
		t.Errorf("AdvancePast = %v", err)
	}
	if got, want := mustMake(t, g), next.uint128().addOne(); got.uint128() != want {
		t.Errorf("got %s after %s, want the next", got, next)
	}
}

// The numbers above the zero ULID are above it from the beginning.
func TestAdvancePastZero(t *testing.T) {
	g := &Generator{Clock: func() time.Time { return Time(0) }, Entropy: constant(0)}
	if err := g.AdvancePast(ULID{}, 0); err != nil {
		t.Fatal(err)
	}
	if got, want := mustMake(t, g), (ULID{15: 1}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The next ID lies at a random place among the 2⁷² numbers above the ID, or the 2⁶⁶ of a UUIDv7, and
// in the next millisecond if there are fewer. After that IDs follow as always.
func TestAdvancePastLeaps(t *testing.T) {
	for _, uuidv7 := range []bool{false, true} {
		for _, source := range []string{"", "Entropy"} {
			t.Run(fmt.Sprintf("UUIDv7=%t/%s", uuidv7, source), func(t *testing.T) {
				testAdvancePastLeaps(t, uuidv7, source)
			})
		}
	}
}

func testAdvancePastLeaps(t *testing.T, uuidv7 bool, source string) {
	one := big.NewInt(1)
	leap := new(big.Int).Lsh(one, randomBitCount(uuidv7)-8)
	end := new(big.Int).Lsh(one, randomBitCount(uuidv7))
	clock := &fakeClock{time.UnixMilli(knownMS)}
	for room, leaves := range map[*big.Int]bool{
		new(big.Int).Lsh(leap, 7): false, leap: false, new(big.Int).Sub(leap, one): true, new(big.Int): true,
	} {
		g, r := &Generator{Clock: clock.now, Spacing: 1, UUIDv7: uuidv7}, record(t)
		if source == "Entropy" {
			r = &recorder{Reader: seeded(1)}
			g.Entropy = r
		}
		mustMake(t, g)
		mustMake(t, g)
		r.reads = nil
		number := new(big.Int).Sub(end, one)
		number.Sub(number, room)
		const later = knownMS + 100
		past := fromRandomBits(later, number, uuidv7)
		if err := g.AdvancePast(past, time.Second); err != nil {
			t.Fatal(err)
		}
		id := mustMake(t, g)
		p := r.next()
		if len(p) != 10 {
			t.Fatalf("%d bytes were read, want 10", len(p))
		}
		want, wantMS := freshBits(p, uuidv7), uint64(later+1)
		if !leaves {
			want.Mod(want, leap).Add(want, number).Add(want, one)
			wantMS = later
		}
		if want := fromRandomBits(wantMS, want, uuidv7); id != want {
			t.Errorf("with room for %x, after %s: got %s, want %s", room, past, id, want)
		}
		next := mustMake(t, g)
		if want := fromRandomBits(wantMS, want.Add(want, one), uuidv7); next != want {
			t.Errorf("then: got %s after %s, want the next, %s", next, id, want)
		}
		if p := r.next(); p != nil {
			t.Errorf("%d more bytes were read", len(p))
		}
	}
}

// A Generator of UUIDv7s advances past other ULIDs too. The least next ID stands beside each.
func TestAdvancePastOtherForms(t *testing.T) {
	for text, want := range map[string]string{
		// Another version.
		"01563df3-6481-0000-0000-000000000000": "01563df3-6481-7000-8000-000000000000",
		"01563df3-6481-6fff-ffff-ffffffffffff": "01563df3-6481-7000-8000-000000000000",
		"01563df3-6481-8000-0000-000000000000": "01563df3-6482-7000-8000-000000000000",
		"01563df3-6481-ffff-ffff-ffffffffffff": "01563df3-6482-7000-8000-000000000000",
		"00000000-0001-0000-0000-000000000000": "00000000-0001-7000-8000-000000000000",
		// Version 7 of another variant, which lies above or below all UUIDv7s that begin like it.
		"01563df3-6481-7000-0000-000000000000": "01563df3-6481-7000-8000-000000000000",
		"01563df3-6481-7abc-7fff-ffffffffffff": "01563df3-6481-7abc-8000-000000000000",
		"01563df3-6481-7400-0000-000000000000": "01563df3-6481-7400-8000-000000000000",
		"00000000-0000-7000-7fff-ffffffffffff": "00000000-0000-7000-8000-000000000000",
		"01563df3-6481-7abc-c000-000000000000": "01563df3-6481-7abd-8000-000000000000",
		"01563df3-6481-7fff-ffff-ffffffffffff": "01563df3-6482-7000-8000-000000000000",
	} {
		id := mustUUID(text)
		g := &Generator{Clock: func() time.Time { return Time(0) }, Entropy: constant(0), UUIDv7: true}
		if err := g.AdvancePast(id, math.MaxInt64); err != nil {
			t.Fatal(err)
		}
		if next := mustMake(t, g); next != mustUUID(want) {
			t.Errorf("after %s: got %s, want %s", text, next.UUIDString(), want)
		}
	}
	// Of another form, that time counts which the ID shows.
	g := &Generator{Clock: func() time.Time { return time.UnixMilli(knownMS) }, UUIDv7: true}
	if err := g.AdvancePast(FirstAt(time.UnixMilli(knownMS+1)), 0); err != ErrAhead {
		t.Errorf("AdvancePast of an ID of the next millisecond = %v, want %v", err, ErrAhead)
	}
	// All UUIDv7s are greater than these, so the next is not far above them.
	for _, below := range []string{"00000000-0000-0000-0000-000000000000", "00000000-0000-7000-7fff-ffffffffffff"} {
		if err := g.AdvancePast(mustUUID(below), 0); err != nil || g.started {
			t.Errorf("AdvancePast of %s, below all = %v, and a number is used up: %t", below, err, g.started)
		}
	}
}

// What is less than an ID that was passed is accepted whatever the limit, also in another form.
func TestAdvancePastBetweenUUIDv7s(t *testing.T) {
	g := &Generator{Clock: func() time.Time { return Time(0) }, UUIDv7: true}
	if err := g.AdvancePast(mustUUID("01563df3-6481-7abc-8000-000000000000"), math.MaxInt64); err != nil {
		t.Fatal(err)
	}
	if err := g.AdvancePast(mustUUID("01563df3-6481-7abc-7fff-ffffffffffff"), 0); err != nil {
		t.Errorf("AdvancePast of an ID below one that was passed = %v", err)
	}
}

// The largest ULID leaves no ID.
func TestAdvancePastTheLargest(t *testing.T) {
	for _, uuidv7 := range []bool{false, true} {
		g := &Generator{UUIDv7: uuidv7}
		if err := g.AdvancePast(LastAt(Time(maxTime)), math.MaxInt64); err != nil {
			t.Fatal(err)
		}
		if id, err := g.Make(); !id.IsZero() || err != ErrBigTime {
			t.Errorf("Make = %s, %v; want zero, %v", id, err, ErrBigTime)
		}
	}
}

// If the Entropy fails after AdvancePast, the IDs after that are greater all the same.
func TestAdvancePastEntropyFails(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(knownMS)}
	reader := &replaceable{constant(0)}
	g := &Generator{Clock: clock.now, Entropy: reader}
	mustMake(t, g)
	past := FirstAt(Time(knownMS + 7))
	if err := g.AdvancePast(past, time.Second); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		reader.Reader = failing(9, errFaulty)
		if id, err := g.Make(); !id.IsZero() || err != errFaulty {
			t.Errorf("Make = %s, %v; want zero, %v", id, err, errFaulty)
		}
	}
	reader.Reader = constant(0x11)
	want := past.uint128().add(uint128{0x11, 0x1111_1111_1111_1112}) // 2⁷² numbers to choose from
	if got := mustMake(t, g); got.uint128() != want {
		t.Errorf("got %s after %s, which is another leap", got, past)
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

// AdvancePast calls Clock once, without the lock, and reads no other clock.
func TestAdvancePastClockCalls(t *testing.T) {
	calls := 0
	var g *Generator
	g = &Generator{
		Clock: func() time.Time {
			calls++
			checkUnlocked(t, &g.mu)
			return time.UnixMilli(knownMS)
		},
		wall: func() time.Time { t.Error("the wall clock was read"); return time.Now() },
	}
	for _, limit := range []time.Duration{0, -1} {
		g.AdvancePast(known, limit)
	}
	if calls != 2 {
		t.Errorf("Clock was called %d times, want 2", calls)
	}
	g.Clock = func() time.Time { panic("no time") }
	mustPanic(t, "AdvancePast", func() { g.AdvancePast(LastAt(Time(maxTime)), 0) })
	checkUnlocked(t, &g.mu)
}

// Generator and its lock.

// No ID is made twice, even if a goroutine loses the processor as it gives up the lock. It must have
// its ID by then, and the Generator must know that ID. Goroutines that have waited for a mutex for a
// millisecond get it in turn, and on one processor Unlock then starts the next at once.
func TestLockIsHandedOver(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	clock := &fakeClock{time.UnixMilli(knownMS)}
	m := Monotonic(nil, 1)
	ofEpochs := &Generator{Spacing: 1}
	ofEntropy := &Generator{Spacing: 1, Clock: clock.now, Entropy: constant(0)}
	for _, tt := range []struct {
		name string
		mu   *sync.Mutex
		fill func(ids []ULID) error
	}{
		{"Make, which opens an epoch", &ofEpochs.mu, each(ofEpochs.Make)},
		{"Make", &ofEntropy.mu, each(ofEntropy.Make)},
		{"Fill", &ofEntropy.mu, ofEntropy.Fill},
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

// Fill calls Clock once for every 1,024 IDs, and each of these pieces has its own time. While it
// reads the caller's Entropy, others wait for 16 IDs. The wall clock is read once in an epoch.
func TestGeneratorFillReadsTheClock(t *testing.T) {
	readings := 0
	clock := func() time.Time { readings++; return time.UnixMilli(knownMS + int64(readings)) }
	for _, piece := range []int{1024, 16} {
		for _, n := range []int{0, 1, 2, piece, piece + 1, 2 * piece, 9*piece + 1} {
			t.Run(fmt.Sprintf("n=%d/piece=%d", n, piece), func(t *testing.T) {
				readings = 0
				ids, g := make([]ULID, n), &Generator{Clock: clock}
				if piece == 16 {
					g.Entropy = constant(1)
				}
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
	synctest.Test(t, func(t *testing.T) {
		for wait, want := range []int{3, 1} { // on the stroke of a millisecond, and after it
			readings = 0
			g := &Generator{wall: func() time.Time { readings++; return time.Now() }}
			time.Sleep(time.Duration(wait))
			if err := g.Fill(make([]ULID, 3*1024)); err != nil || readings != want {
				t.Errorf("Fill = %v, and the wall clock was read %d times, want %d", err, readings, want)
			}
		}
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

// An error leaves the sequence where it was, also where an epoch was open.
func TestErrorLeavesTheSequence(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(knownMS)}
	g := &Generator{Clock: clock.now, Spacing: 1}
	mustMake(t, g)
	last := mustMake(t, g)
	clock.t = Time(maxTime + 1)
	if id, err := g.Make(); !id.IsZero() || err != ErrBigTime {
		t.Errorf("Make = %s, %v; want zero, %v", id, err, ErrBigTime)
	}
	clock.t = time.UnixMilli(knownMS)
	next, _ := last.Next()
	if got := mustMake(t, g); got != next {
		t.Errorf("got %s after %s and an error, want %s", got, last, next)
	}
}

// Overflow, of the random bits and of the time.

// The last millisecond of all is used, and then ErrBigTime is returned. So it is for a clock that
// shows a time too late for a uint64.
func TestLastMillisecond(t *testing.T) {
	clock := &fakeClock{Time(maxTime - 1)}
	g := &Generator{Clock: clock.now, Entropy: constant(0xff)}
	for _, want := range []uint64{maxTime - 1, maxTime} {
		if got := mustMake(t, g).Time(); got != want {
			t.Errorf("got an ID at %d, want %d", got, want)
		}
	}
	late := &Generator{Clock: func() time.Time { return time.Unix(1<<61, 0) }}
	for name, g := range map[string]*Generator{"after the last": g, "late": late} {
		if id, err := g.Make(); !id.IsZero() || err != ErrBigTime {
			t.Errorf("%s: Make = %s, %v; want zero, %v", name, id, err, ErrBigTime)
		}
	}
}

// After the last ID of a millisecond comes one of the next, with fresh random bits.
func TestGeneratorOverflow(t *testing.T) {
	for _, uuidv7 := range []bool{false, true} {
		for _, source := range []string{"", "Clock", "Entropy"} {
			for name, fill := range fills {
				t.Run(fmt.Sprintf("UUIDv7=%t/%s/%s", uuidv7, source, name), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { testGeneratorOverflow(t, uuidv7, source, fill) })
				})
			}
		}
	}
}

func testGeneratorOverflow(
	t *testing.T, uuidv7 bool, source string, fill func(*Generator, []ULID) error,
) {
	g, r := &Generator{Spacing: 1, UUIDv7: uuidv7}, record(t)
	switch source {
	case "Clock":
		g.Clock = time.Now
	case "Entropy":
		r = &recorder{Reader: seeded(1)}
		g.Entropy = r
	}
	time.Sleep(time.Microsecond) // past the stroke of a millisecond, which is a case apart
	ms := Now()
	mustMake(t, g)
	r.reads = nil
	last := new(big.Int).Lsh(big.NewInt(1), randomBitCount(uuidv7))
	last.Sub(last, big.NewInt(1))
	lastID := fromRandomBits(ms, last, uuidv7)
	g.last = g.number(lastID.uint128())
	g.last.lo--
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

// Numbers.

// The number of a UUIDv7 is its time above its 74 random bits, so numbers sort as IDs do.
func TestUUIDv7Numbers(t *testing.T) {
	g := &Generator{UUIDv7: true}
	random := mathrand.New(seeded(3))
	for bit := range uint(74) {
		for range 20 {
			bits := new(big.Int).SetUint64(random.Uint64())
			bits.Lsh(bits, 10).Rsh(bits, 73-bit)
			ms := random.Uint64N(maxTime + 1)
			id := fromRandomBits(ms, bits, true)
			n := g.number(id.uint128())
			want := new(big.Int).Lsh(new(big.Int).SetUint64(ms), 74)
			want.Add(want, bits)
			got := new(big.Int).Lsh(new(big.Int).SetUint64(n.hi), 64)
			got.Add(got, new(big.Int).SetUint64(n.lo))
			if got.Cmp(want) != 0 || g.ms(n) != ms {
				t.Fatalf("%s has the number %x at %d, want %x at %d", id.UUIDString(), got, g.ms(n), want, ms)
			}
			var back ULID
			g.put(n, &back)
			if back != id {
				t.Fatalf("%s comes back as %s", id.UUIDString(), back.UUIDString())
			}
		}
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

func mustEpoch(t *testing.T, g *Generator) *epoch {
	t.Helper()
	e := g.epoch.Load()
	if e == nil {
		t.Fatal("no epoch is open")
	}
	return e
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
	entropy, clock, spacing, uuidv7, wall := g.Entropy, g.Clock, g.Spacing, g.UUIDv7, g.wall
	last, started, leaps, random, epoch := g.last, g.started, g.leaps, g.random, g.epoch.Load()
	t.Cleanup(func() {
		g.Entropy, g.Clock, g.Spacing, g.UUIDv7, g.wall = entropy, clock, spacing, uuidv7, wall
		g.last, g.started, g.leaps, g.random = last, started, leaps, random
		g.epoch.Store(epoch)
	})
}
