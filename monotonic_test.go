package ulid

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"math/big"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// Generator.

// Fill reads the clock once for every 1,024 IDs, and each of these pieces has its own time.
func TestFillReadsTheClock(t *testing.T) {
	for _, tt := range []struct{ n, readings int }{
		{0, 0}, {1, 1}, {1023, 1}, {1024, 1}, {1025, 2}, {2048, 2}, {10_000, 10},
	} {
		t.Run(fmt.Sprint(tt.n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				readings := 0
				g := &Generator{wall: func() time.Time {
					readings++
					time.Sleep(time.Millisecond)
					return time.Now()
				}}
				ids := make([]ULID, tt.n)
				if err := g.Fill(ids); err != nil || readings != tt.readings {
					t.Errorf("Fill reads the clock %d times, want %d; %v", readings, tt.readings, err)
				}
				for i, id := range ids {
					if late := uint64(i / 1024); id.Time() != ids[0].Time()+late || i > 0 && id.Compare(ids[i-1]) <= 0 {
						t.Fatalf("element %d, %s, is at %d after %s at %d", i, id, id.Time(), ids[0], ids[0].Time())
					}
				}
			})
			// A Clock too.
			calls := 0
			g := &Generator{Clock: func() time.Time { calls++; return time.UnixMilli(knownMS) }}
			if err := g.Fill(make([]ULID, tt.n)); err != nil || calls != tt.readings {
				t.Errorf("Fill calls Clock %d times, want %d; %v", calls, tt.readings, err)
			}
		})
	}
}

// Fill neither opens the window of the quick path nor shuts it.
func TestFillLeavesTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := new(Generator)
		time.Sleep(250 * time.Microsecond)
		if err := g.Fill(make([]ULID, 2)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(750 * time.Microsecond)
		if id := mustNext(t, g); id.Time() != Now() {
			t.Errorf("after Fill: %s at %d; the clock shows %d", id, id.Time(), Now())
		}
		time.Sleep(time.Microsecond)
		mustNext(t, g)
		opened, window := g.opened, g.window
		time.Sleep(time.Microsecond)
		if err := g.Fill(make([]ULID, 2)); err != nil || g.opened != opened || g.window != window || window == 0 {
			t.Errorf("Fill changed the window from %v for %v to %v for %v, %v", opened, window, g.opened, g.window, err)
		}
	})
}

// Within the window, New reads no clock. Each ID is the last one plus the next step of the
// ChaCha8, with every carry. An overflow leads into the next millisecond.
func TestQuickPath(t *testing.T) {
	for _, uuidv7 := range []bool{false, true} {
		for _, maxStep := range []uint32{0, 1, 2, 3, 1000, 1<<32 - 1} {
			t.Run(fmt.Sprintf("UUIDv7=%t/MaxStep=%d", uuidv7, maxStep), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { testQuickPath(t, uuidv7, maxStep) })
			})
		}
	}
}

func testQuickPath(t *testing.T, uuidv7 bool, maxStep uint32) {
	r := record(t)
	readings := 0
	g := &Generator{UUIDv7: uuidv7, MaxStep: maxStep, wall: func() time.Time { readings++; return time.Now() }}
	g.random.chacha.Seed([32]byte{42})
	g.random.seeded = true
	steps := slowStepsOf(&g.random)
	bits := randomBitCount(uuidv7)
	end := new(big.Int).Lsh(big.NewInt(1), bits)
	limit := new(big.Int).SetUint64(cmp.Or(uint64(maxStep), 1<<32))
	carries, overflows := 0, 0
	// Each turn begins just before a carry into the bit. The last is the end.
	for _, bit := range []uint{8, 32, 48, 62, 64, bits} {
		// A microsecond past the stroke, where the window would stay shut.
		time.Sleep(time.Millisecond + time.Microsecond - time.Duration(time.Now().Nanosecond())%time.Millisecond)
		last := mustNext(t, g)
		if r.next(); g.window <= 0 {
			t.Fatal("the window is shut")
		}
		// 20 steps of the average length before the carry, and odd.
		near := new(big.Int).Lsh(big.NewInt(1), bit)
		near.Sub(near, new(big.Int).Mul(limit, big.NewInt(10))).Sub(near, big.NewInt(1))
		if near.Sign() < 0 {
			near.SetInt64(1)
		}
		last = fromRandomBits(last.Time(), near, uuidv7)
		g.last = last.uint128()
		before := readings
		for i := range 60 {
			want := randomBits(last, uuidv7)
			want.Add(want, steps.next(uint64(maxStep)))
			ms := last.Time()
			overflow := want.Cmp(end) >= 0
			if overflow {
				// The clock is read, and another step is tried. It may fit if it is less.
				overflows++
				if want.Add(randomBits(last, uuidv7), steps.next(uint64(maxStep))); want.Cmp(end) < 0 {
					overflow = false
				}
			}
			if new(big.Int).Rsh(want, bit).Cmp(new(big.Int).Rsh(randomBits(last, uuidv7), bit)) != 0 {
				carries++
			}
			id := mustNext(t, g)
			if overflow {
				ms++
				p := r.next()
				if len(p) != 10 {
					t.Fatalf("ID %d before a carry into bit %d: %s follows %s, and crypto/rand was read for %d bytes, want 10", i, bit, id, last, len(p))
				}
				want = freshBits(p, uuidv7)
			}
			if expected := fromRandomBits(ms, want, uuidv7); id != expected {
				t.Fatalf("ID %d before a carry into bit %d: %s follows %s, want %s", i, bit, id, last, expected)
			}
			last = id
			if overflow {
				break
			}
		}
		if bit < bits && readings != before {
			t.Errorf("before a carry into bit %d the clock was read %d times within the window", bit, readings-before)
		}
	}
	if overflows == 0 || carries < 3 {
		t.Errorf("%d carries and %d overflows were seen", carries, overflows)
	}
}

// The wall clock is read again when its millisecond is over, and not before.
func TestClockWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := new(Generator)
		time.Sleep(250 * time.Microsecond)
		mustNext(t, g)
		if g.window != 750*time.Microsecond {
			t.Errorf("the window is %v", g.window)
		}
		opened := g.opened
		time.Sleep(749_999 * time.Nanosecond)
		if mustNext(t, g); g.opened != opened {
			t.Error("the clock was read within the window")
		}
		// On the stroke of a millisecond, where a clock of whole milliseconds always is.
		time.Sleep(time.Nanosecond)
		if mustNext(t, g); g.opened == opened || g.window != 0 {
			t.Errorf("the clock was not read after the window; it is %v", g.window)
		}
		time.Sleep(time.Microsecond)
		if mustNext(t, g); g.window != 999*time.Microsecond {
			t.Errorf("the window is %v", g.window)
		}
	})
	// A Clock or an Entropy is never left out.
	for _, g := range []*Generator{{Clock: time.Now}, {Entropy: constant(1)}} {
		if mustNext(t, g); g.window != 0 {
			t.Errorf("the window is %v", g.window)
		}
	}
}

// Once past, the window does not open again, however long ago it was. A comparison that dropped
// bits of a Duration would open it.
func TestWindowDoesNotComeBack(t *testing.T) {
	for shift := 20; shift < 63; shift++ {
		synctest.Test(t, func(t *testing.T) {
			g := new(Generator)
			time.Sleep(250 * time.Microsecond)
			mustNext(t, g)
			time.Sleep(1 << shift)
			if id := mustNext(t, g); id.Time() != Now() {
				t.Errorf("%v later: %s at %d; the clock shows %d", time.Duration(1<<shift), id, id.Time(), Now())
			}
		})
	}
}

// The window ends with the millisecond in which the wall clock was read, even if the lock came
// late.
func TestWindowBeginsBeforeTheClockIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const delay = 400 * time.Microsecond
		time.Sleep(100 * time.Microsecond)
		g := &Generator{wall: func() time.Time {
			now := time.Now()
			time.Sleep(delay) // as a goroutine that is descheduled, or waits for the lock
			return now
		}}
		first := mustNext(t, g) // at 100 µs, returned at 500 µs
		time.Sleep(499 * time.Microsecond)
		mustNext(t, g)
		time.Sleep(time.Microsecond)
		now := Now()
		if id := mustNext(t, g); now != first.Time()+1 || id.Time() != now {
			t.Errorf("%s at %d, but the clock had come to %d", id, id.Time(), now)
		}
	})
}

// In a synctest bubble the system clock moves only when it is told to. It begins in 2000, so a
// Generator from outside sees it step back by years.
func TestSystemClock(t *testing.T) {
	outside := new(Generator)
	before := mustNext(t, outside)
	synctest.Test(t, func(t *testing.T) {
		fresh := new(Generator)
		last := mustNext(t, fresh)
		for range 1000 {
			for _, wait := range []time.Duration{0, 0, 300 * time.Microsecond, 699 * time.Microsecond, time.Millisecond, time.Second, time.Hour} {
				time.Sleep(wait)
				id := mustNext(t, fresh)
				if id.Compare(last) <= 0 || id.Time() != Now() {
					t.Fatalf("%s at %d, after %s; the clock shows %d", id, id.Time(), last, Now())
				}
				last = id
			}
		}
		for range 1000 {
			id := mustNext(t, outside)
			if id.Compare(before) <= 0 || id.Time() != before.Time() {
				t.Fatalf("%s in the bubble, after %s outside", id, before)
			}
			before = id
			time.Sleep(700 * time.Microsecond)
		}
	})
	// Outside again, the true time is read at once.
	time.Sleep(2 * time.Millisecond)
	now := Now()
	if id := mustNext(t, outside); id.Compare(before) <= 0 || id.Time() < now {
		t.Errorf("%s at %d after the bubble; the clock shows %d", id, id.Time(), now)
	}
}

// New calls Clock once, and reads no other clock.
func TestClockIsTheOnlyClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		g := &Generator{
			Clock: func() time.Time { calls++; return time.UnixMilli(knownMS + int64(calls)/10) },
			wall:  func() time.Time { t.Error("the wall clock was read"); return time.Now() },
		}
		last := ULID{}
		for i := range 1000 {
			id := mustNext(t, g)
			if calls != i+1 || id.Time() != knownMS+uint64(calls)/10 || id.Compare(last) <= 0 {
				t.Fatalf("%s after %s at %d, and Clock was called %d times for %d IDs", id, last, id.Time(), calls, i+1)
			}
			last = id
			time.Sleep(10 * time.Microsecond)
		}
		if g.window != 0 {
			t.Errorf("the window is %v", g.window)
		}
	})
}

// Clock may use the Generator: it is called while the Generator is not locked.
func TestClockIsCalledWithoutTheLock(t *testing.T) {
	calls, locked := 0, 0
	var g *Generator
	g = &Generator{Clock: func() time.Time {
		calls++
		if !g.mu.TryLock() {
			locked++
		} else {
			g.mu.Unlock()
		}
		return time.UnixMilli(knownMS)
	}}
	mustNext(t, g)
	mustNext(t, g)
	if err := g.Fill(make([]ULID, 2000)); err != nil || calls != 4 || locked > 0 {
		t.Errorf("of %d calls of Clock, %d while the Generator was locked, %v; want 4 and none", calls, locked, err)
	}
}

// A Clock that panics leaves no lock behind.
func TestClockPanics(t *testing.T) {
	g := &Generator{Clock: func() time.Time { panic("no time") }}
	mustPanic(t, "Make", func() { g.Make() })
	mustPanic(t, "Fill", func() { g.Fill(make([]ULID, 2)) })
	if !g.mu.TryLock() {
		t.Error("a lock was left behind")
	}
}

// The order holds whatever the clock does. The timestamp is the greatest that it has shown.
func TestGeneratorClock(t *testing.T) {
	begin := time.UnixMilli(knownMS)
	random := mathrand.New(mathrand.NewPCG(1, 2))
	walk := make([]time.Duration, 100_000)
	for i := range walk {
		walk[i] = time.Duration(random.NormFloat64() * float64(time.Duration(1)<<random.IntN(50)))
	}
	for name, moves := range map[string][]time.Duration{
		"stands":          {0, 0, 0},
		"moves on":        {time.Millisecond, time.Millisecond, time.Millisecond},
		"within a ms":     {300 * time.Microsecond, 300 * time.Microsecond, 300 * time.Microsecond},
		"back 1 ms":       {-time.Millisecond, 0, time.Millisecond, time.Millisecond},
		"back 1 h":        {-time.Hour, time.Minute, time.Hour, time.Hour},
		"back 10 years":   {-10 * 365 * 24 * time.Hour, time.Hour, 11 * 365 * 24 * time.Hour},
		"back past 1970":  {-50 * 365 * 24 * time.Hour, time.Hour},
		"forward 10 year": {10 * 365 * 24 * time.Hour, -time.Hour, 0},
		"random walk":     walk,
	} {
		t.Run(name, func(t *testing.T) {
			clock := &fakeClock{begin}
			g := &Generator{Clock: clock.now, Entropy: seeded(1)}
			last := mustNext(t, g)
			latest := uint64(knownMS)
			if last.Time() != latest {
				t.Fatalf("first ID at %d, want %d", last.Time(), latest)
			}
			for i, move := range moves {
				clock.t = clock.t.Add(move)
				if ms := clock.t.UnixMilli(); ms > int64(latest) {
					latest = uint64(ms)
				}
				id := mustNext(t, g)
				if id.Compare(last) <= 0 || id.Time() != latest {
					t.Fatalf("reading %d, %v: %s at %d after %s; want %d", i, clock.t, id, id.Time(), last, latest)
				}
				last = id
			}
		})
	}
}

// A clock before 1970 counts as 1970. The first ID is as random there.
func TestGeneratorBefore1970(t *testing.T) {
	for _, tt := range []struct {
		at   time.Time
		want string
	}{
		{time.Unix(0, 5e6), "000000000005abababababababababab"},
		{time.Unix(0, 0), "000000000000abababababababababab"},
		{time.Unix(0, -1), "000000000000abababababababababab"}, // the first negative second
		{time.Unix(-1, 0), "000000000000abababababababababab"},
		{time.Time{}, "000000000000abababababababababab"}, // a zero time
	} {
		t.Run(tt.at.UTC().Format(time.RFC3339Nano), func(t *testing.T) {
			clock := &fakeClock{tt.at}
			g := &Generator{Clock: clock.now, Entropy: constant(0xab)}
			if id := mustNext(t, g); id != mustHex(tt.want) {
				t.Errorf("%x, want %s", id[:], tt.want)
			}
		})
	}
}

func TestGeneratorAfter(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(knownMS)}
	const fresh, freshInTheNext = "01ARYZ6S41NENTQAXBNENTQAXB", "01ARYZ6S42NENTQAXBNENTQAXB"
	for _, tt := range []struct {
		name        string
		after, want string
	}{
		{"zero", "00000000000000000000000000", fresh},          // no floor
		{"past", "01ARYZ6S40ZZZZZZZZZZZZZZZZ", fresh},          // passed by the clock
		{"millisecond 0", "00000000000000000000000001", fresh}, // an After all the same
		{"first of the millisecond", "01ARYZ6S410000000000000000", freshInTheNext},
		{"last of the millisecond", "01ARYZ6S41ZZZZZZZZZZZZZZZZ", freshInTheNext},
		{"future", "02ARYZ6S410000000000000000", "02ARYZ6S42NENTQAXBNENTQAXB"}, // the clock is behind
		{"last millisecond but one", "7ZZZZZZZZYZZZZZZZZZZZZZZZZ", "7ZZZZZZZZZNENTQAXBNENTQAXB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := &Generator{Clock: clock.now, Entropy: constant(0xab), MaxStep: 1, After: MustParse(tt.after)}
			if id := mustNext(t, g); id.String() != tt.want {
				t.Errorf("after %s: %s, want %s", tt.after, id, tt.want)
			}
			g = &Generator{Clock: clock.now, Entropy: constant(0xab), MaxStep: 1, After: MustParse(tt.after)}
			ids := make([]ULID, 2)
			if err := g.Fill(ids); err != nil || ids[0].String() != tt.want || ids[1].Compare(ids[0]) <= 0 {
				t.Errorf("after %s: Fill = %s, %v; want %s", tt.after, ids, err, tt.want)
			}
		})
	}
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
		for _, generators := range []int{2, 64} {
			t.Run(fmt.Sprintf("UUIDv7=%t/%d", uuidv7, generators), func(t *testing.T) {
				// With MaxStep 1 a sequence is an interval. Two have an ID in common if they overlap.
				type interval struct{ first, last ULID }
				var sequences []interval
				ids := make([]ULID, n)
				for range generators {
					g := &Generator{Clock: clock.now, MaxStep: 1, After: after, UUIDv7: uuidv7}
					if err := g.Fill(ids); err != nil {
						t.Fatal(err)
					}
					if ids[0].Time() != knownMS+1 {
						t.Fatalf("%s is at %d, want the millisecond after %s", ids[0], ids[0].Time(), after)
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
}

// A process is restarted after its clock was set back by an hour.
func TestGeneratorAfterRestart(t *testing.T) {
	first := &Generator{}
	ids := make([]ULID, 100)
	if err := first.Fill(ids); err != nil {
		t.Fatal(err)
	}
	last := ids[99]
	second := &Generator{After: last, Clock: func() time.Time { return time.Now().Add(-time.Hour) }}
	for range 100 {
		id := mustNext(t, second)
		if id.Compare(last) <= 0 {
			t.Fatalf("%s after %s", id, last)
		}
		last = id
	}
}

func TestGeneratorPastTheEnd(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(1<<48 - 1)}
	g := &Generator{Clock: clock.now, Entropy: constant(0), MaxStep: 1}
	first := mustNext(t, g)
	if first.Time() != MaxTime() {
		t.Fatalf("ID at %d", first.Time())
	}
	clock.t = clock.t.Add(time.Millisecond)
	for range 3 {
		ids := []ULID{known, known}
		if id, err := g.Make(); err != ErrBigTime || id != (ULID{}) {
			t.Errorf("New = %s, %v", id, err)
		}
		if err := g.Fill(ids); err != ErrBigTime || ids[0] != (ULID{}) || ids[1] != (ULID{}) {
			t.Errorf("Fill = %v, %v", ids, err)
		}
	}
	clock.t = clock.t.Add(-time.Hour)
	if got, want := mustNext(t, g), first; got.Compare(want) <= 0 || got.Time() != MaxTime() {
		t.Errorf("after the errors: %s, then %s", want, got)
	}
}

// After the last of the 2⁸⁰ IDs of a millisecond comes one of the next millisecond.
func TestGeneratorOverflow(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(knownMS)}
	lastButOne, _ := LastAt(clock.t).Prev()
	for name, entropy := range map[string]io.Reader{"system": nil, "reader": constant(0xab)} {
		after := func(text string) *Generator {
			return goingOn(&Generator{Clock: clock.now, Entropy: entropy, MaxStep: 1}, MustParse(text))
		}
		t.Run(name+"/New", func(t *testing.T) {
			g := after(lastButOne.String())
			if id := mustNext(t, g); id != LastAt(clock.t) {
				t.Errorf("%s, want %s", id, LastAt(clock.t))
			}
			next := mustNext(t, g)
			if next.Time() != knownMS+1 || next == FirstAt(Time(knownMS+1)) {
				t.Errorf("%s after the last of the millisecond", next)
			}
			if id := mustNext(t, g); id.Time() != knownMS+1 || id.Compare(next) <= 0 {
				t.Errorf("%s, then %s", next, id)
			}
		})
		t.Run(name+"/Fill", func(t *testing.T) {
			g := after(lastButOne.String())
			ids := make([]ULID, 3)
			if err := g.Fill(ids); err != nil || ids[0] != LastAt(clock.t) || ids[1].Time() != knownMS+1 || ids[2].Compare(ids[1]) <= 0 {
				t.Errorf("Fill = %s, %v", ids, err)
			}
		})
		t.Run(name+"/into the last millisecond", func(t *testing.T) {
			g := after("7ZZZZZZZZYZZZZZZZZZZZZZZZZ")
			if id, err := g.Make(); err != nil || id.Time() != MaxTime() {
				t.Errorf("%s, %v", id, err)
			}
		})
		t.Run(name+"/past the largest ULID", func(t *testing.T) {
			g := after("7ZZZZZZZZZZZZZZZZZZZZZZZZY")
			if id, err := g.Make(); err != nil || id.String() != largestID {
				t.Errorf("%s, %v", id, err)
			}
			for range 3 {
				if id, err := g.Make(); err != ErrBigTime || id != (ULID{}) {
					t.Errorf("%s, %v after the largest ULID", id, err)
				}
			}
		})
		t.Run(name+"/Fill past the largest ULID", func(t *testing.T) {
			g := after("7ZZZZZZZZZZZZZZZZZZZZZZZZX")
			ids := []ULID{known, known, known}
			if err := g.Fill(ids); err != ErrBigTime || ids[0] != (ULID{}) || ids[1] != (ULID{}) || ids[2] != (ULID{}) {
				t.Errorf("Fill = %v, %v", ids, err)
			}
			// The two that it made are lost.
			if id, err := g.Make(); err != ErrBigTime || id != (ULID{}) {
				t.Errorf("after the error of Fill: %s, %v", id, err)
			}
		})
	}
}

// An error in a later piece clears the earlier ones too.
func TestFillClearsEveryPiece(t *testing.T) {
	readings := 0
	g := &Generator{Clock: func() time.Time {
		readings++
		return time.UnixMilli(1<<48 - 3 + int64(readings)) // past the end at the third
	}}
	ids := make([]ULID, 3*1024)
	if err := g.Fill(ids); err != ErrBigTime || readings != 3 {
		t.Fatalf("Fill = %v after %d readings of the clock", err, readings)
	}
	for i, id := range ids {
		if !id.IsZero() {
			t.Fatalf("element %d is %s", i, id)
		}
	}
}

// Zero entropy is a value like any other. The next ID is its increment, not a fresh one.
func TestZeroEntropyIsAValue(t *testing.T) {
	clock := &fakeClock{time.Unix(0, 0)}
	g := &Generator{Clock: clock.now, Entropy: constant(0), MaxStep: 1}
	m := Monotonic(constant(0), 1)
	for i := range byte(3) {
		want := ULID{15: i}
		if id := mustNext(t, g); id != want {
			t.Errorf("Generator: %s, want %s", id, want)
		}
		if id := MustNew(0, m); id != want {
			t.Errorf("Monotonic: %s, want %s", id, want)
		}
	}
}

// Generator.UUIDv7.

// The example of RFC 9562, appendix A.6, made of its own random bits: 12 of rand_a, 62 of rand_b.
func TestUUIDv7Layout(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(1645557742000)}
	for _, tt := range []struct{ entropy, want string }{
		{"0cc318c4dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"},
		{"fcc3d8c4dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"}, // the bits of version and variant are overwritten
		{"7cc398c4dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"},
		{"00000000000000000000", "017f22e2-79b0-7000-8000-000000000000"}, // all others are kept
		{"ffffffffffffffffffff", "017f22e2-79b0-7fff-bfff-ffffffffffff"},
	} {
		t.Run(tt.entropy, func(t *testing.T) {
			p, err := hex.DecodeString(tt.entropy)
			if err != nil {
				t.Fatal(err)
			}
			g := &Generator{Clock: clock.now, Entropy: bytes.NewReader(p), UUIDv7: true}
			if got := mustNext(t, g).UUIDString(); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// Steps count in the 74 bits as one number: they carry over the variant, and end at the version.
func TestUUIDv7Steps(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(knownMS)}
	const ms, nextMS = "01563df3-6481", "01563df3-6482"
	const fresh = nextMS + "-7fff-bfff-ffffffffffff" // of an entropy of ones
	for _, tt := range []struct {
		after, want string
	}{
		{ms + "-7000-8000-000000000000", ms + "-7000-8000-000000000001"},
		{ms + "-7000-bfff-ffffffffffff", ms + "-7001-8000-000000000000"}, // a carry over the variant
		{ms + "-70ff-bfff-ffffffffffff", ms + "-7100-8000-000000000000"},
		{ms + "-7fff-bfff-fffffffffffe", ms + "-7fff-bfff-ffffffffffff"}, // the last of the millisecond
		{ms + "-7fff-bfff-ffffffffffff", fresh},                          // none is left
	} {
		t.Run(tt.after, func(t *testing.T) {
			g := goingOn(&Generator{Clock: clock.now, Entropy: constant(0xff), MaxStep: 1, UUIDv7: true}, mustUUID(tt.after))
			if id := mustNext(t, g); id.UUIDString() != tt.want {
				t.Errorf("%s, want %s", id.UUIDString(), tt.want)
			}
		})
	}

	// Thousands of the greatest step.
	for _, maxStep := range []uint32{0, 1, 2, 257, math.MaxUint32} {
		step := new(big.Int).SetUint64(cmp.Or(uint64(maxStep), 1<<32))
		last := mustUUID(ms + "-7000-8000-000000000000")
		g := goingOn(&Generator{Clock: clock.now, Entropy: constant(0xff), MaxStep: maxStep, UUIDv7: true}, last)
		for range 2000 {
			id := mustNext(t, g)
			want := new(big.Int).Add(randomBits(last, true), step)
			if id != fromRandomBits(knownMS, want, true) || !slowIsUUIDv7(id) {
				t.Fatalf("MaxStep %d: from %s to %s", maxStep, last.UUIDString(), id.UUIDString())
			}
			last = id
		}
	}
}

// The order holds whatever the clock does, as for plain ULIDs.
func TestUUIDv7Clock(t *testing.T) {
	random := mathrand.New(mathrand.NewPCG(3, 4))
	clock := &fakeClock{time.UnixMilli(knownMS)}
	after := MustParse("01ARYZ6S41ZZZZZZZZZZZZZZZZ") // a plain ULID of this millisecond
	g := &Generator{Clock: clock.now, Entropy: seeded(1), After: after, UUIDv7: true}
	last, latest := after, uint64(knownMS+1)
	for i := range 100_000 {
		id := mustNext(t, g)
		if id.Compare(last) <= 0 || id.Time() != latest || !slowIsUUIDv7(id) {
			t.Fatalf("reading %d, %v: %s at %d after %s; want %d", i, clock.t, id.UUIDString(), id.Time(), last, latest)
		}
		last = id
		clock.t = clock.t.Add(time.Duration(random.NormFloat64() * float64(time.Duration(1)<<random.IntN(50))))
		latest = max(latest, uint64(max(clock.t.UnixMilli(), 0)))
	}
}

func TestUUIDv7Overflow(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(knownMS)}
	lastButOne := mustUUID("01563df3-6481-7fff-bfff-fffffffffffe")
	for name, entropy := range map[string]io.Reader{"system": nil, "reader": constant(0xab)} {
		t.Run(name, func(t *testing.T) {
			g := goingOn(&Generator{Clock: clock.now, Entropy: entropy, MaxStep: 1, UUIDv7: true}, lastButOne)
			ids := make([]ULID, 3)
			if err := g.Fill(ids); err != nil {
				t.Fatal(err)
			}
			for i, id := range ids {
				if wantMS := knownMS + uint64(min(i, 1)); !slowIsUUIDv7(id) || id.Time() != wantMS || i > 0 && id.Compare(ids[i-1]) <= 0 {
					t.Errorf("ID %d is %s at %d, want %d", i, id.UUIDString(), id.Time(), wantMS)
				}
			}
			// In the last millisecond there is none.
			g = &Generator{Clock: clock.now, Entropy: entropy, MaxStep: 1, After: MustParse(largestID), UUIDv7: true}
			if id, err := g.Make(); err != ErrBigTime || id != (ULID{}) {
				t.Errorf("%s, %v after the largest ULID", id, err)
			}
		})
	}
}

// MonotonicEntropy.

// The example of the specification.
func TestMonotonicIncrements(t *testing.T) {
	first := MustParse("01BX5ZZKBKACTAV9WEVGEMMVRZ")
	m := Monotonic(bytes.NewReader(first.Entropy()), 1)
	for _, want := range []string{"01BX5ZZKBKACTAV9WEVGEMMVRZ", "01BX5ZZKBKACTAV9WEVGEMMVS0", "01BX5ZZKBKACTAV9WEVGEMMVS1"} {
		if id, err := New(first.Time(), m); id.String() != want || err != nil {
			t.Errorf("New = %s, %v; want %s", id, err, want)
		}
	}
}

func TestMonotonicCarries(t *testing.T) {
	for _, tt := range []struct{ first, second string }{
		{"000000000001000000000000000000ff", "00000000000100000000000000000100"},
		{"0000000000010000ffffffffffffffff", "00000000000100010000000000000000"}, // between the words of 64 bits
		{"00000000000100ffffffffffffffffff", "00000000000101000000000000000000"},
		{"000000000001fffffffffffffffffffe", "000000000001ffffffffffffffffffff"}, // the last
	} {
		t.Run(tt.first[12:], func(t *testing.T) {
			m := Monotonic(bytes.NewReader(mustHex(tt.first).Entropy()), 1)
			MustNew(1, m)
			if id := MustNew(1, m); id != mustHex(tt.second) {
				t.Errorf("%x, want %s", id[:], tt.second)
			}
		})
	}
}

func TestMonotonicOverflow(t *testing.T) {
	last := MustParse("01BX5ZZKBKZZZZZZZZZZZZZZZZ")
	fresh := bytes.Repeat([]byte{0xab}, 10)
	for _, inc := range []uint64{1, 0, math.MaxUint64} {
		t.Run(fmt.Sprintf("inc=%d", inc), func(t *testing.T) {
			m := Monotonic(io.MultiReader(bytes.NewReader(last.Entropy()), constant(0xab)), inc)
			if id := MustNew(last.Time(), m); id != last {
				t.Fatalf("New = %s", id)
			}
			for range 3 {
				p := []byte("unchanged!")
				if err := m.MonotonicRead(last.Time(), p); err != ErrMonotonicOverflow || string(p) != "unchanged!" {
					t.Errorf("MonotonicRead = %q, %v", p, err)
				}
				if id, err := New(last.Time(), m); err != ErrMonotonicOverflow || id != (ULID{}) {
					t.Errorf("New = %s, %v", id, err)
				}
			}
			// Any other millisecond begins anew, an earlier one too.
			for _, ms := range []uint64{last.Time() + 1, last.Time()} {
				if id := MustNew(ms, m); id.Time() != ms || !bytes.Equal(id.Entropy(), fresh) {
					t.Errorf("%x in millisecond %d", id[:], ms)
				}
			}
		})
	}
}

// After a step that does not fit, a smaller one is not tried.
func TestMonotonicOverflowPersists(t *testing.T) {
	t.Run("the reader ends", func(t *testing.T) {
		m := Monotonic(io.LimitReader(constant(0xff), 10+16), 0)
		MustNew(1, m)
		for range 3 {
			if _, err := New(1, m); err != ErrMonotonicOverflow {
				t.Errorf("New = %v", err)
			}
		}
	})
	for seed := range byte(20) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			near := mustHex("000000000000ffffffffffff80000000") // 2³¹ before the end, with steps of up to 2³²
			m := Monotonic(io.MultiReader(bytes.NewReader(near.Entropy()), seeded(seed)), 0)
			overflows := 0
			for range 100 {
				switch _, err := New(1, m); {
				case err == ErrMonotonicOverflow:
					overflows++
				case err != nil || overflows > 0:
					t.Fatalf("%v after %d overflows", err, overflows)
				}
			}
			if overflows == 0 {
				t.Error("no overflow")
			}
			for range 2 {
				if _, err := New(2, m); err != nil {
					t.Errorf("%v in the next millisecond", err)
				}
			}
		})
	}
}

// An overflow lasts until an ID of another millisecond was made. Trying to make one is not enough.
func TestMonotonicOverflowOutlivesAnError(t *testing.T) {
	reader := &replaceable{constant(0xff)}
	m := Monotonic(reader, 0)
	last := LastAt(Time(1))
	near := last.uint128()
	near.lo -= 1 << 31
	m.started, m.ms, m.last = true, 1, near
	m.last.hi &= 0xffff
	if _, err := New(1, m); err != ErrMonotonicOverflow { // with the greatest step
		t.Fatal(err)
	}
	reader.Reader = iotest.ErrReader(errFaulty)
	if _, err := New(2, m); err != errFaulty {
		t.Fatal(err)
	}
	reader.Reader = constant(0)
	if _, err := New(1, m); err != ErrMonotonicOverflow { // with the least
		t.Errorf("after an error in the next millisecond the overflow of the first has become %v", err)
	}
}

// An error leaves p and the source unchanged: the next ID is the one that would have come.
func TestMonotonicErrorChangesNothing(t *testing.T) {
	for _, broken := range []bool{false, true} {
		reader := &replaceable{bytes.NewReader(append([]byte("0123456789"), make([]byte, 32)...))}
		m := Monotonic(reader, 0)
		p := make([]byte, 10)
		if err := m.MonotonicRead(1, p); err != nil {
			t.Fatal(err)
		}
		if broken {
			good := reader.Reader
			reader.Reader = iotest.ErrReader(errFaulty)
			for _, ms := range []uint64{1, 2, 0} {
				if err := m.MonotonicRead(ms, p); err != errFaulty || string(p) != "0123456789" {
					t.Errorf("MonotonicRead of %d = %q, %v; p was %q", ms, p, err, "0123456789")
				}
			}
			reader.Reader = good
		}
		// Zero bytes are the least step, 1.
		if err := m.MonotonicRead(1, p); err != nil || string(p) != "012345678:" {
			t.Errorf("after errors %t: MonotonicRead = %q, %v; want the next in order, %q", broken, p, err, "012345678:")
		}
	}
}

func TestMonotonicRead(t *testing.T) {
	m := Monotonic(strings.NewReader("0123456789raw"), 1)
	for _, size := range []int{0, 9, 11, 16} {
		if err := m.MonotonicRead(1, make([]byte, size)); err != ErrBufferSize {
			t.Errorf("MonotonicRead of %d bytes = %v", size, err)
		}
	}
	p := make([]byte, 10)
	for _, want := range []string{"0123456789", "012345678:", "012345678;"} {
		// Also for a time that no ULID can hold.
		if err := m.MonotonicRead(math.MaxUint64, p); err != nil || string(p) != want {
			t.Errorf("MonotonicRead = %q, %v; want %q", p, err, want)
		}
	}
	if n, err := m.Read(p); string(p[:n]) != "raw" || err != nil {
		t.Errorf("Read = %q, %v", p[:n], err)
	}
	if _, err := m.Read(p); err != io.EOF {
		t.Errorf("Read at the end = %v", err)
	}
}

// Read and New hold the lock of a MonotonicEntropy while they read.
func TestMonotonicReadsUnderItsLock(t *testing.T) {
	var m *MonotonicEntropy
	unlocked := 0
	m = Monotonic(readerFunc(func(p []byte) (int, error) {
		if m.mu.TryLock() {
			unlocked++
			m.mu.Unlock()
		}
		return constant(1).Read(p)
	}), 0)
	if _, err := m.Read(make([]byte, 3)); err != nil || unlocked > 0 {
		t.Errorf("Read reads %d times without the lock, %v", unlocked, err)
	}
	for range 2 {
		if _, err := New(1, m); err != nil || unlocked > 0 {
			t.Errorf("New reads %d times without the lock, %v", unlocked, err)
		}
	}
}

// Monotonic of nil and the zero value take the system's entropy. TestRandomBitsOfNewAndMonotonic
// compares its bits.
func TestMonotonicOfSystem(t *testing.T) {
	for name, m := range map[string]*MonotonicEntropy{"zero": {}, "nil": Monotonic(nil, 0), "crypto/rand": Monotonic(rand.Reader, 0)} {
		t.Run(name, func(t *testing.T) {
			last := MustNew(1, m)
			for range 1000 {
				id := MustNew(1, m)
				if id.Compare(last) <= 0 || id.Time() != 1 {
					t.Fatalf("%s after %s", id, last)
				}
				last = id
			}
			p := make([]byte, 32)
			if n, err := m.Read(p); n != 32 || err != nil || bytes.Equal(p, make([]byte, 32)) {
				t.Errorf("Read = %x, %v", p[:n], err)
			}
			if !m.mu.TryLock() {
				t.Error("a lock was left behind")
			}
		})
	}
}

// Helpers.

// goingOn returns g as if it had made last.
func goingOn(g *Generator, last ULID) *Generator {
	if g.Entropy == nil {
		g.random.fresh(nil, uint64(g.MaxStep)) // for the steps
	}
	g.last, g.started = last.uint128(), true
	return g
}

// fakeClock is a clock that stands where it is put.
type fakeClock struct{ t time.Time }

func (c *fakeClock) now() time.Time { return c.t }

func mustNext(t *testing.T, g *Generator) ULID {
	t.Helper()
	id, err := g.Make()
	if err != nil {
		t.Fatal(err)
	}
	return id
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
