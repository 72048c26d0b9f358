// Package order compares how libraries keep the order of their IDs, for RESULTS.md. That this library does is proven in
// its own tests.
package order

import (
	"bytes"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	gofrs "github.com/gofrs/uuid/v5"
	google "github.com/google/uuid"
	oklog "github.com/oklog/ulid/v2"
	"github.com/rs/xid"
	"github.com/segmentio/ksuid"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/page"
)

// What docs/uuid.md and README.md say of a library.
const (
	kept = "kept"
	lost = "lost"
)

func TestOrder(t *testing.T) {
	page.Fact(t, "docs/uuid.md", "order-in-one-process")
	googleV7 := func() google.UUID { return google.Must(google.NewV7()) }
	compareGoogle := func(a, b google.UUID) int { return bytes.Compare(a[:], b[:]) }
	gofrsV7 := func() gofrs.UUID { return gofrs.Must(gofrs.NewV7()) }
	compareGofrs := func(a, b gofrs.UUID) int { return bytes.Compare(a[:], b[:]) }
	measure(t, "Make", ulid.Make, ulid.ULID.Compare, kept, kept)
	measure(t, "MakeUUIDv7", ulid.MakeUUIDv7, ulid.ULID.Compare, kept, kept)
	measure(t, "google/uuid NewV7", googleV7, compareGoogle, kept, kept)
	measure(t, "gofrs/uuid NewV7", gofrsV7, compareGofrs, kept, kept)
	measure(t, "oklog/ulid Make", oklog.Make, oklog.ULID.Compare, lost, lost)
	measure(t, "segmentio/ksuid New", ksuid.New, ksuid.Compare, lost, lost)
	measure(t, "rs/xid New", xid.New, xid.ID.Compare, "", lost) // a counter of 24 bits, which wraps around in some runs
}

// measure looks for an ID that is not greater than one that anybody could have seen when its making began: among eight
// goroutines, and after the clock has stepped back. It compares what it finds with what the pages say. With
// ULID_LONG=1 it makes 100 million IDs, which takes up to 4 GB of memory and more than the ten minutes that go test
// allows.
func measure[T comparable](t *testing.T, name string, newID func() T, compare func(a, b T) int, across, clock string) {
	n := 2_000_000
	if os.Getenv("ULID_LONG") != "" {
		n = 100_000_000
	}
	wrong, twice := acrossGoroutines(newID, compare, n)
	wrongClock := whenClockStepsBack(t, newID, compare)
	t.Logf("%s: of %d IDs %d twice, %d not greater (%.1f%%); when the clock steps back %d of 1000",
		name, n, twice, wrong, 100*float64(wrong)/float64(n), wrongClock)
	if across != "" && (across == lost) != (wrong > 0) {
		t.Errorf("%s: %d IDs are not greater than one before, and the pages say %s", name, wrong, across)
	}
	if (clock == lost) != (wrongClock > 0) {
		t.Errorf("%s: %d IDs are not greater when the clock steps back, and the pages say %s", name, wrongClock, clock)
	}
	if twice > 0 {
		t.Errorf("%s makes %d IDs twice", name, twice)
	}
}

// acrossGoroutines has eight goroutines make IDs and publish the greatest. Each looks at what is published before it
// makes the next, so that of two calls that are compared, one had returned before the other began.
func acrossGoroutines[T comparable](newID func() T, compare func(a, b T) int, n int) (wrong int64, twice int) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8)) // so that a goroutine is stopped at the wrong moment
	ids := make([]T, n)
	var newest atomic.Pointer[T]
	newest.Store(new(T)) // zero, which is less than any ID
	var disordered atomic.Int64
	var done sync.WaitGroup
	for part := range slices.Chunk(ids, n/8) {
		done.Go(func() {
			for i := range part {
				greatest := newest.Load()
				part[i] = newID()
				if compare(part[i], *greatest) <= 0 {
					disordered.Add(1)
					continue
				}
				for compare(part[i], *greatest) > 0 && !newest.CompareAndSwap(greatest, &part[i]) {
					greatest = newest.Load()
				}
			}
		})
	}
	done.Wait()
	slices.SortFunc(ids, compare)
	return disordered.Load(), n - len(slices.Compact(ids))
}

// whenClockStepsBack makes an ID now, and a thousand in a testing/synctest bubble whose clock stands an hour ago.
func whenClockStepsBack[T any](t *testing.T, newID func() T, compare func(a, b T) int) (wrong int) {
	greatest, hourAgo := newID(), time.Now().Add(-time.Hour)
	synctest.Test(t, func(*testing.T) {
		time.Sleep(time.Until(hourAgo)) // a bubble begins in the year 2000
		for range 1000 {
			id := newID()
			if compare(id, greatest) <= 0 {
				wrong++
			} else {
				greatest = id
			}
			time.Sleep(100 * time.Microsecond)
		}
	})
	return wrong
}
