package interop

import (
	"bytes"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	gofrs "github.com/gofrs/uuid/v5"
	google "github.com/google/uuid"
	oklog "github.com/oklog/ulid/v2"
	"github.com/rs/xid"
	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/record"
	"github.com/segmentio/ksuid"
)

// A lib makes IDs, and is expected to keep their order or not: "kept", or "lost" with how it
// comes about. What it is expected to do is what the matrix says of it.
type lib struct {
	name                        string
	acrossGoroutines, clockBack string
	measure                     func(t *testing.T) (goroutines, clock disorder)
}

// disorder is how many IDs of how many were not greater than one that was there before.
type disorder struct{ wrong, all int64 }

func (d disorder) String() string {
	return fmt.Sprintf("%6d of %6d IDs (%3.0f%%) not greater than one before", d.wrong, d.all, 100*float64(d.wrong)/float64(d.all))
}

// newLib is a lib whose IDs are made one by one.
func newLib[T any](name, acrossGoroutines, clockBack string, newID func() T, compare func(a, b T) int) lib {
	return newLibFill(name, acrossGoroutines, clockBack, single(newID), compare, 1)
}

func newLibFill[T any](name, acrossGoroutines, clockBack string, fill func([]T), compare func(a, b T) int, batch int) lib {
	return lib{name, acrossGoroutines, clockBack, func(t *testing.T) (disorder, disorder) {
		return disorderAcrossGoroutines(fill, compare, batch), disorderWhenClockStepsBack(t, fill, compare, batch)
	}}
}

const (
	kept = "kept"
	lost = "lost"
)

// libs says of the peers what they do and not what they promise, which is less: some nothing at all.
// That some lose the order shows that the checks can fail.
func libs() []lib {
	shared, uuidv7 := new(ulid.Generator), &ulid.Generator{UUIDv7: true}
	return []lib{
		newLib("`ulid.Make`", kept, kept, ulid.Make, ulid.ULID.Compare),
		newLibFill("`ulid.Fill`", kept, kept, ulid.Fill, ulid.ULID.Compare, 7),
		newLib("`ulid.MakeUUIDv7`", kept, kept, ulid.MakeUUIDv7, ulid.ULID.Compare),
		newLib("`ulid.Generator`", kept, kept, func() ulid.ULID { return must(shared.New()) }, ulid.ULID.Compare),
		newLib("`ulid.Generator{UUIDv7: true}`", kept, kept,
			func() ulid.ULID { return must(uuidv7.New()) }, ulid.ULID.Compare),
		newLib("oklog/ulid `Make`", lost, lost, oklog.Make, oklog.ULID.Compare),
		newLib("google/uuid `NewV7`", kept, kept,
			func() google.UUID { return must(google.NewV7()) },
			func(a, b google.UUID) int { return bytes.Compare(a[:], b[:]) }),
		newLib("gofrs/uuid `NewV7`", kept, kept,
			func() gofrs.UUID { return must(gofrs.NewV7()) },
			func(a, b gofrs.UUID) int { return bytes.Compare(a[:], b[:]) }),
		newLib("rs/xid `New`", keptUnlessWrapped, lost, xid.New, xid.ID.Compare),
		newLib("segmentio/ksuid `New`", lost, lost, ksuid.New, ksuid.Compare),
	}
}

// keptUnlessWrapped allows for a counter that begins anywhere in its 24 bits: it may wrap around
// while IDs are made, but not in two runs of the check that follow each other.
const keptUnlessWrapped = "kept, except when its counter wraps around within a second"

func must[T any](id T, err error) T {
	if err != nil {
		panic(err)
	}
	return id
}

// TestOrder checks two promises that a single goroutine and a good clock cannot: an ID is greater
// than every one that anybody could have seen when its making began, and it is so when the clock
// has stepped back.
func TestOrder(t *testing.T) {
	for _, l := range libs() {
		goroutines, clock := l.check(t)
		if !t.Failed() {
			record.Cell(t, "Order", l.name, "across goroutines", goroutines)
			record.Cell(t, "Order", l.name, "when the clock steps back", clock)
		}
	}
}

// check returns what the lib is expected to do, and fails the test if it does something else.
func (l lib) check(t *testing.T) (goroutines, clock string) {
	t.Helper()
	acrossGoroutines, clockBack := l.measure(t)
	t.Logf("%-30s across goroutines: %v; when the clock steps back: %v", l.name, acrossGoroutines, clockBack)
	if l.acrossGoroutines == keptUnlessWrapped && acrossGoroutines.wrong > 0 {
		acrossGoroutines, _ = l.measure(t)
		t.Logf("%-30s across goroutines, once more: %v", l.name, acrossGoroutines)
	}
	if l.acrossGoroutines == lost {
		// It takes a goroutine that is stopped at the wrong moment, which a single thread may not see.
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
		for try := 0; acrossGoroutines.wrong == 0 && try < 50; try++ {
			acrossGoroutines, _ = l.measure(t)
		}
	}
	if want := l.acrossGoroutines; (acrossGoroutines.wrong > 0) != (want == lost) {
		t.Errorf("%s: order across goroutines should be %s: %v", l.name, want, acrossGoroutines)
	}
	if want := l.clockBack; (clockBack.wrong > 0) != (want == lost) {
		t.Errorf("%s: order when the clock steps back should be %s: %v", l.name, want, clockBack)
	}
	return l.acrossGoroutines, l.clockBack
}

// TestOrderOfInjectedClock has the clock of a Generator step back by ever more, and stand between.
func TestOrderOfInjectedClock(t *testing.T) {
	for _, uuidv7 := range []bool{false, true} {
		now := time.Now()
		g := ulid.Generator{UUIDv7: uuidv7, Clock: func() time.Time { return now }}
		var last ulid.ULID
		for i := range 1000 {
			if id := must(g.New()); id.Compare(last) <= 0 {
				t.Fatalf("UUIDv7 %v: ID %d, %v, is not greater than %v", uuidv7, i, id, last)
			} else {
				last = id
			}
			now = now.Add(-time.Duration(i%3) * time.Duration(i) * time.Millisecond)
		}
	}
}

// disorderWhenClockStepsBack makes IDs now, and then in a testing/synctest bubble whose clock stands
// an hour ago. So every library is measured alike, though few could be handed a clock.
func disorderWhenClockStepsBack[T any](t *testing.T, fill func([]T), compare func(a, b T) int, batch int) (d disorder) {
	ids := make([]T, batch)
	fill(ids)
	greatest, hourAgo := ids[batch-1], time.Now().Add(-time.Hour)
	synctest.Test(t, func(*testing.T) {
		// A bubble begins in the year 2000, which ksuid takes for one to come.
		time.Sleep(time.Until(hourAgo))
		for ; d.all < 1000; d.all += int64(batch) {
			fill(ids)
			for _, id := range ids {
				if compare(id, greatest) <= 0 {
					d.wrong++
				} else {
					greatest = id
				}
			}
			time.Sleep(100 * time.Microsecond)
		}
	})
	return d
}

// single makes of a function that returns one ID one that fills a batch.
func single[T any](newID func() T) func([]T) {
	return func(ids []T) {
		for i := range ids {
			ids[i] = newID()
		}
	}
}

// disorderAcrossGoroutines has several goroutines make IDs by the batch, and publish the greatest. Each looks
// at what is published before it makes the next, so two calls that race are never compared: the
// one had returned before the other began.
func disorderAcrossGoroutines[T any](fill func([]T), compare func(a, b T) int, batch int) disorder {
	const workers, perWorker = 8, 25_000
	var newest atomic.Pointer[T]
	newest.Store(new(T)) // zero, which is less than any ID
	var disordered, made atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			var mine int64
			ids := make([]T, batch)
			n := 0
			for ; n < perWorker; n += batch {
				last := *newest.Load()
				fill(ids)
				for _, id := range ids {
					if compare(id, last) <= 0 {
						mine++
					}
					last = id
				}
				publish(&newest, last, compare)
			}
			disordered.Add(mine)
			made.Add(int64(n))
		})
	}
	wg.Wait()
	return disorder{disordered.Load(), made.Load()}
}

// publish stores id unless a greater one, or the same, is there.
func publish[T any](newest *atomic.Pointer[T], id T, compare func(a, b T) int) {
	for {
		old := newest.Load()
		if compare(id, *old) <= 0 || newest.CompareAndSwap(old, &id) {
			return
		}
	}
}
