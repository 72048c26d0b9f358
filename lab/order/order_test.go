// Package order compares how libraries keep the order of their IDs, for docs/uuid.md. That this
// library does is proven in its own tests, by TestOrderAcrossGoroutines and
// TestClockFaults.
package order

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
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
	"github.com/seed-961d0905/ulid/interop/golden"
	"github.com/seed-961d0905/ulid/interop/page"
)

// A library makes IDs.
type library struct {
	name    string
	wraps   bool // a counter of 24 bits, that begins anywhere, wraps around
	measure func(t *testing.T, n int) result
}

// A result is what was seen when a library made IDs.
type result struct {
	across, clock disorder
	duplicates    int // of those made across goroutines
}

// A disorder is how many IDs of how many were not greater than one that was there before.
type disorder struct{ wrong, all int }

func (d disorder) keeps() string {
	if d.wrong > 0 {
		return "lost"
	}
	return "kept"
}

func (d disorder) String() string {
	return fmt.Sprintf("%d (%.1f%%)", d.wrong, 100*float64(d.wrong)/float64(d.all))
}

func newLibrary[T comparable](name string, newID func() T, compare func(a, b T) int) library {
	return library{name: name, measure: func(t *testing.T, n int) (r result) {
		r.across, r.duplicates = disorderAcrossGoroutines(newID, compare, n)
		r.clock = disorderWhenClockStepsBack(t, newID, compare)
		return r
	}}
}

// ordinary is how many IDs of a library are made unless the long variant is asked for.
const ordinary = 2_000_000

func must[T any](id T, err error) T {
	if err != nil {
		panic(err)
	}
	return id
}

// TestOrder looks for three things that a single goroutine and a good clock do not show: whether an
// ID is greater than every one that anybody could have seen when its making began, whether it is so
// when the clock has stepped back, and whether an ID is made twice.
//
// The long variant makes 100 million IDs of each library, and keeps them until they are sorted. It
// takes up to 4 GB of memory, and on a busy machine more than the ten minutes that go test allows:
//
//	ULID_LONG=1 go test -C lab -run '^TestOrder' -v -timeout 0 ./order
func TestOrder(t *testing.T) {
	table := golden.New(t, "Order",
		golden.Module(t, "github.com/oklog/ulid/v2"),
		golden.Module(t, "github.com/google/uuid"),
		golden.Module(t, "github.com/gofrs/uuid/v5"),
		golden.Module(t, "github.com/rs/xid"),
		golden.Module(t, "github.com/segmentio/ksuid"),
	)
	googleV7 := func() google.UUID { return must(google.NewV7()) }
	compareGoogle := func(a, b google.UUID) int { return bytes.Compare(a[:], b[:]) }
	gofrsV7 := func() gofrs.UUID { return must(gofrs.NewV7()) }
	compareGofrs := func(a, b gofrs.UUID) int { return bytes.Compare(a[:], b[:]) }
	wrapping := newLibrary("rs/xid `New`", xid.New, xid.ID.Compare)
	wrapping.wraps = true
	compareLibraries(t, table,
		newLibrary("`ulid.Make`", ulid.Make, ulid.ULID.Compare),
		newLibrary("google/uuid `NewV7`", googleV7, compareGoogle),
		// Before v5.5.0 its counter wrapped around within a millisecond, and nothing held its clock:
		// github.com/gofrs/uuid/pull/253.
		newLibrary("gofrs/uuid `NewV7`, from v5.5.0", gofrsV7, compareGofrs),
		wrapping,
		newLibrary("oklog/ulid `Make`", oklog.Make, oklog.ULID.Compare),
		newLibrary("segmentio/ksuid `New`", ksuid.New, ksuid.Compare),
	)
}

// compareLibraries measures libraries, whose table proves what docs/uuid.md says of them.
func compareLibraries(t *testing.T, table *golden.Table, libraries ...library) {
	page.Fact(t, "docs/uuid.md", "order-in-one-process")
	n := ordinary
	if os.Getenv("ULID_LONG") != "" {
		n = 100_000_000
	}
	for _, l := range libraries {
		r := l.result(t, n)
		across, clock := r.across.keeps(), r.clock.keeps()
		if l.wraps {
			across += ", except when its counter wraps around within a second"
		}
		table.Cell(l.name, "across goroutines", across)
		table.Cell(l.name, "when the clock steps back", clock)
		table.Cell(l.name, "duplicates", fmt.Sprint(r.duplicates))
	}
}

// result measures, again if the counter of the library wrapped around: it does so in few of the runs
// of 2 million, and in all of 100 million.
func (l library) result(t *testing.T, n int) result {
	r := l.measure(t, n)
	l.log(t, r)
	for range 2 {
		if !l.wraps || r.across.wrong == 0 {
			break
		}
		r = l.measure(t, ordinary)
		l.log(t, r)
	}
	return r
}

func (l library) log(t *testing.T, r result) {
	t.Logf("%s: of %d IDs %d duplicates, out of order %v, when the clock steps back %v",
		l.name, r.across.all, r.duplicates, r.across, r.clock)
}

// TestFindsFaults has the measurement find faults that were planted, every one of them. The IDs are
// the numbers of a counter.
func TestFindsFaults(t *testing.T) {
	const n, each = 200_000, 1000
	const planted = n / each
	for _, test := range []struct {
		name          string
		fault         func(id int64) int64
		wrongAcross   int // -1 for any: another goroutine may not have seen the first of two
		wrongWhenBack int
		duplicates    int
	}{
		{
			name:  "none",
			fault: func(id int64) int64 { return id },
		},
		{
			// Less than 0, with which the measurement begins, so that even the first ID of a goroutine
			// is found.
			name:          "less",
			fault:         func(id int64) int64 { return -id },
			wrongAcross:   planted,
			wrongWhenBack: 1,
		},
		{
			name:          "twice",
			fault:         func(id int64) int64 { return id - 1 },
			wrongAcross:   -1,
			wrongWhenBack: 1,
			duplicates:    planted,
		},
	} {
		var counter atomic.Int64
		newID := func() int64 {
			id := counter.Add(1)
			if id%each == 0 {
				return test.fault(id)
			}
			return id
		}
		got := newLibrary("planted", newID, cmp.Compare[int64]).measure(t, n)
		want := result{
			across:     disorder{wrong: test.wrongAcross, all: n},
			clock:      disorder{wrong: test.wrongWhenBack, all: 1000},
			duplicates: test.duplicates,
		}
		if want.across.wrong < 0 {
			want.across.wrong = got.across.wrong
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", test.name, got, want)
		}
	}
}

// disorderWhenClockStepsBack makes an ID now, and others in a testing/synctest bubble whose clock
// stands an hour ago. So every library is measured alike, though few could be handed a clock.
func disorderWhenClockStepsBack[T any](t *testing.T, newID func() T, compare func(a, b T) int) (d disorder) {
	greatest, hourAgo := newID(), time.Now().Add(-time.Hour)
	synctest.Test(t, func(*testing.T) {
		// A bubble begins in the year 2000, which ksuid takes for one to come.
		time.Sleep(time.Until(hourAgo))
		for range 1000 {
			id := newID()
			d.all++
			if compare(id, greatest) <= 0 {
				d.wrong++
			} else {
				greatest = id
			}
			time.Sleep(100 * time.Microsecond)
		}
	})
	return d
}

// workers is how many goroutines make IDs at once.
const workers = 8

// disorderAcrossGoroutines has several goroutines make n IDs, and publish the greatest. Each looks
// at what is published before it makes the next, so two calls that race are never compared: the one
// had returned before the other began. It also counts the duplicates.
func disorderAcrossGoroutines[T comparable](newID func() T, compare func(a, b T) int, n int) (disorder, int) {
	// To lose the order, a goroutine must be stopped at the wrong moment, which a single thread may
	// not see.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
	debug.FreeOSMemory() // that of the IDs of the library before
	ids := make([]T, n)
	var newest atomic.Pointer[T]
	newest.Store(new(T)) // zero, which is less than any ID
	var disordered atomic.Int64
	var wg sync.WaitGroup
	for part := range slices.Chunk(ids, n/workers) {
		wg.Go(func() {
			var wrong int64
			for i := range part {
				greatest := newest.Load()
				part[i] = newID()
				if compare(part[i], *greatest) <= 0 {
					wrong++
				} else {
					publish(&newest, &part[i], compare)
				}
			}
			disordered.Add(wrong)
		})
	}
	wg.Wait()
	slices.SortFunc(ids, compare)
	return disorder{int(disordered.Load()), n}, n - len(slices.Compact(ids))
}

// publish stores id unless a greater one, or the same, is there.
func publish[T any](newest *atomic.Pointer[T], id *T, compare func(a, b T) int) {
	for {
		old := newest.Load()
		if compare(*id, *old) <= 0 || newest.CompareAndSwap(old, id) {
			return
		}
	}
}
