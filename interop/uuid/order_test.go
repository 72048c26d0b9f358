package uuids

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
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
	"github.com/seed-961d0905/ulid/interop/internal/record"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/segmentio/ksuid"
)

// A lib makes IDs.
type lib struct {
	name    string
	ours    bool // it must keep the order
	wraps   bool // a counter of 24 bits, that begins anywhere, wraps around
	measure func(t *testing.T, n int) result
}

// result is what was seen when a lib made IDs.
type result struct {
	across, clock disorder
	duplicates    int // of those made across goroutines
}

// disorder is how many IDs of how many were not greater than one that was there before.
type disorder struct{ wrong, all int }

func (d disorder) keeps() string {
	if d.wrong > 0 {
		return "lost"
	}
	return "kept"
}

func (d disorder) String() string {
	if d.wrong == 0 {
		return "0"
	}
	return fmt.Sprintf("%d (%.1f%%)", d.wrong, 100*float64(d.wrong)/float64(d.all))
}

// newLib is a lib whose IDs are made one by one.
func newLib[T comparable](name string, newID func() T, compare func(a, b T) int) lib {
	return newLibFill(name, single(newID), compare, 1)
}

func newLibFill[T comparable](name string, fill func([]T), compare func(a, b T) int, batch int) lib {
	return lib{name: name, measure: func(t *testing.T, n int) (r result) {
		r.across, r.duplicates = disorderAcrossGoroutines(fill, compare, batch, n)
		r.clock = disorderWhenClockStepsBack(t, fill, compare, batch)
		return r
	}}
}

// ordinary is how many IDs of a library are made unless the long variant is asked for.
const ordinary = 2_000_000

// libs returns this library's sources and the others. That some lose the order shows that the checks can fail.
func libs() []lib {
	shared, uuidv7 := new(ulid.Generator), &ulid.Generator{UUIDv7: true}
	all := []lib{
		newLib("`ulid.Make`", ulid.Make, ulid.ULID.Compare),
		newLibFill("`ulid.Fill`", ulid.Fill, ulid.ULID.Compare, 7),
		newLib("`ulid.MakeUUIDv7`", ulid.MakeUUIDv7, ulid.ULID.Compare),
		newLib("`ulid.Generator`", func() ulid.ULID { return must(shared.Make()) }, ulid.ULID.Compare),
		newLib("`ulid.Generator{UUIDv7: true}`", func() ulid.ULID { return must(uuidv7.Make()) }, ulid.ULID.Compare),
	}
	for i := range all {
		all[i].ours = true
	}
	all = append(all,
		newLib("oklog/ulid `Make`", oklog.Make, oklog.ULID.Compare),
		newLib("google/uuid `NewV7`", func() google.UUID { return must(google.NewV7()) },
			func(a, b google.UUID) int { return bytes.Compare(a[:], b[:]) }),
		// Before v5.5.0 its counter wrapped around within a millisecond, and nothing held its clock:
		// github.com/gofrs/uuid/pull/253.
		newLib("gofrs/uuid `NewV7`, from v5.5.0", func() gofrs.UUID { return must(gofrs.NewV7()) },
			func(a, b gofrs.UUID) int { return bytes.Compare(a[:], b[:]) }))
	all = append(all, stdLibs...)
	x := newLib("rs/xid `New`", xid.New, xid.ID.Compare)
	x.wraps = true
	return append(all, x, newLib("segmentio/ksuid `New`", ksuid.New, ksuid.Compare))
}

// stdLibs is Go 1.27's package uuid, where there is one.
var stdLibs []lib

func must[T any](id T, err error) T {
	if err != nil {
		panic(err)
	}
	return id
}

// TestOrder checks three promises that a single goroutine and a good clock cannot: an ID is greater
// than every one that anybody could have seen when its making began, it is so when the clock
// has stepped back, and no ID is made twice. It prints what all libraries do, side by side.
//
// The long variant makes 100 million IDs of each library, and keeps them until they are sorted. It
// takes up to 4 GB of memory, and on a busy machine more than the ten minutes that go test allows:
//
//	ULID_LONG=1 go test -C interop -run '^TestOrder$' -v -timeout 0 ./uuid
func TestOrder(t *testing.T) {
	n := ordinary
	if os.Getenv("ULID_LONG") != "" {
		n = 100_000_000
	}
	fmt.Fprintf(t.Output(), rowFormat, "library", "IDs", "duplicates", "order violations across goroutines", "when the clock steps back")
	fmt.Fprintf(t.Output(), rowFormat, "---", "---", "---", "---", "---")
	for _, l := range libs() {
		r := l.measure(t, n)
		l.print(t, r)
		// A counter that wraps does so in few of the runs of 2 million, and in all of 100 million.
		for again := 0; again < 2 && l.wraps && r.across.wrong > 0; again++ {
			r = l.measure(t, ordinary)
			l.print(t, r)
		}
		for _, fault := range l.faults(r) {
			t.Errorf("%s: %s", l.name, fault)
		}
		l.record(t, r)
	}
}

const rowFormat = "| %-32s | %9v | %10v | %-34v | %-25v |\n"

// print prints a row as soon as it is known, because the next one may take a minute.
func (l lib) print(t *testing.T, r result) {
	fmt.Fprintf(t.Output(), rowFormat, l.name, r.across.all, r.duplicates, r.across, r.clock)
}

// faults says what must not be: disorder of this library, and duplicates of any.
func (l lib) faults(r result) (faults []string) {
	if l.ours && r.across.wrong > 0 {
		faults = append(faults, fmt.Sprintf("order violations across goroutines: %v, want 0", r.across))
	}
	if l.ours && r.clock.wrong > 0 {
		faults = append(faults, fmt.Sprintf("order violations when the clock steps back: %v, want 0", r.clock))
	}
	if r.duplicates > 0 {
		faults = append(faults, fmt.Sprintf("duplicates: %d, want 0", r.duplicates))
	}
	return faults
}

// record puts what was seen into the matrix, and finds it on docs/uuid.md, which has one row for all of this library.
func (l lib) record(t *testing.T, r result) {
	across, clock, duplicates := r.across.keeps(), r.clock.keeps(), "none in 2 million"
	if l.wraps {
		across += ", except when its counter wraps around within a second"
		duplicates += "; its counter repeats after 2²⁴ within a second"
	}
	record.Cell(t, "Order", l.name, "across goroutines", across)
	record.Cell(t, "Order", l.name, "when the clock steps back", clock)
	record.Cell(t, "Order", l.name, "duplicates", duplicates)
	if !l.ours {
		page.Contains(t, "docs/uuid.md", fmt.Sprintf("| %s | %s | %s |\n", l.name, across, clock))
	}
}

// TestOrderFindsFaults has the check find faults that were planted, every one of them. The IDs are the
// numbers of a counter.
func TestOrderFindsFaults(t *testing.T) {
	const n, each = 200_000, 1000
	const planted = n / each
	for _, batch := range []int{1, 7} {
		plant := func(fault func(id int64) int64) (lib, result) {
			var counter atomic.Int64
			fill := single(func() int64 {
				id := counter.Add(1)
				if id%each == 0 {
					return fault(id)
				}
				return id
			})
			l := newLibFill("planted", fill, cmp.Compare[int64], batch)
			l.ours = true
			return l, l.measure(t, n)
		}

		l, r := plant(func(id int64) int64 { return id })
		if f := l.faults(r); r.across.all != n || f != nil {
			t.Errorf("batches of %d: faults where there are none: %+v, %q", batch, r, f)
		}
		// Less than 0, with which the check begins, so that even the first ID of a goroutine is found.
		l, r = plant(func(id int64) int64 { return -id })
		if f := l.faults(r); r.across.wrong != planted || r.clock.wrong != 1 || r.duplicates != 0 || len(f) != 2 {
			t.Errorf("batches of %d: of %d IDs less than one before: %+v, %q", batch, planted, r, f)
		}
		l, r = plant(func(id int64) int64 { return id - 1 })
		if f := l.faults(r); r.duplicates != planted || !slices.ContainsFunc(f, func(f string) bool {
			return strings.HasPrefix(f, "duplicates")
		}) {
			t.Errorf("batches of %d: of %d duplicates: %+v, %q", batch, planted, r, f)
		}
	}
}

// TestXIDRepeats shows what the matrix says of its duplicates, and that 2 million IDs are too few for one.
func TestXIDRepeats(t *testing.T) {
	now := time.Now()
	first := xid.NewWithTime(now)
	for i := 1; i <= 1<<24; i++ {
		if repeated := xid.NewWithTime(now) == first; repeated != (i == 1<<24) {
			t.Fatalf("repeated after %d others of its second: %v", i, repeated)
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
		for ; d.all < 1000; d.all += batch {
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

// workers is how many goroutines make IDs at once.
const workers = 8

// disorderAcrossGoroutines has several goroutines make n IDs by the batch, and publish the greatest. Each
// looks at what is published before it makes the next, so two calls that race are never compared: the
// one had returned before the other began. It also counts the duplicates.
func disorderAcrossGoroutines[T comparable](fill func([]T), compare func(a, b T) int, batch, n int) (disorder, int) {
	// To lose the order, a goroutine must be stopped at the wrong moment, which a single thread may not see.
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
			for made := range slices.Chunk(part, batch) {
				greatest := newest.Load()
				fill(made)
				for i := range made {
					if compare(made[i], *greatest) <= 0 {
						wrong++
					} else {
						greatest = &made[i]
					}
				}
				publish(&newest, greatest, compare)
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
