package interop

import (
	"bytes"
	"sync"
	"sync/atomic"
	"testing"

	gofrs "github.com/gofrs/uuid/v5"
	google "github.com/google/uuid"
	oklog "github.com/oklog/ulid/v2"
	"github.com/rs/xid"
	"github.com/seed-961d0905/ulid"
	"github.com/segmentio/ksuid"
)

// TestOrderAcrossGoroutines checks the promise that a single goroutine cannot: an ID is greater
// than every one that anybody could have seen when its making began. The peers promise less, and
// some nothing at all; what they do is only reported, and shows that the check can fail.
func TestOrderAcrossGoroutines(t *testing.T) {
	check := func(name string, fill func([]ulid.ULID), batch int) {
		if wrong, all := countDisorder(fill, ulid.ULID.Compare, batch); wrong > 0 {
			t.Errorf("%s: %d of %d IDs were not greater than one already published", name, wrong, all)
		}
	}
	check("Make", single(ulid.Make), 1)
	check("Fill", ulid.Fill, 7)
	shared := new(ulid.Generator)
	check("Generator", single(func() ulid.ULID { id, _ := shared.New(); return id }), 1)

	reportDisorder(t, "oklog", oklog.Make, oklog.ULID.Compare)
	reportDisorder(t, "google-v7", func() google.UUID { return google.Must(google.NewV7()) },
		func(a, b google.UUID) int { return bytes.Compare(a[:], b[:]) })
	reportDisorder(t, "gofrs-v7", func() gofrs.UUID { return gofrs.Must(gofrs.NewV7()) },
		func(a, b gofrs.UUID) int { return bytes.Compare(a[:], b[:]) })
	reportDisorder(t, "xid", xid.New, xid.ID.Compare)
	reportDisorder(t, "ksuid", ksuid.New, ksuid.Compare)
}

func reportDisorder[T any](t *testing.T, lib string, newID func() T, compare func(a, b T) int) {
	t.Helper()
	wrong, all := countDisorder(single(newID), compare, 1)
	t.Logf("%-12s %6d of %d IDs (%.0f%%) were not greater than one already published",
		lib, wrong, all, 100*float64(wrong)/float64(all))
}

// single makes of a function that returns one ID one that fills a batch.
func single[T any](newID func() T) func([]T) {
	return func(ids []T) {
		for i := range ids {
			ids[i] = newID()
		}
	}
}

// countDisorder has several goroutines make IDs by the batch, and publish the greatest. Each looks
// at what is published before it makes the next, so two calls that race are never compared: the
// one had returned before the other began.
func countDisorder[T any](fill func([]T), compare func(a, b T) int, batch int) (wrong, all int64) {
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
	return disordered.Load(), made.Load()
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
