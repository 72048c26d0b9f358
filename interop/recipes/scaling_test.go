package recipes

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
)

func TestImport(t *testing.T) {
	var ids []ulid.ULID
	store := func(id ulid.ULID, row string) error {
		ids = append(ids, id)
		if row == "bad" {
			return errors.ErrUnsupported
		}
		return nil
	}
	if err := Import([]string{"a", "b", "c"}, store); err != nil || len(ids) != 3 || !slices.IsSortedFunc(ids, ulid.ULID.Compare) {
		t.Errorf("%s, %v", ids, err)
	}
	if err := Import([]string{"bad", "b"}, store); err != errors.ErrUnsupported || len(ids) != 4 {
		t.Errorf("%s, %v", ids, err)
	}
}

func TestNewID(t *testing.T) {
	const goroutines, each = 8, 20_000
	lists := make([][]ulid.ULID, goroutines)
	start := ulid.FirstAt(time.Now())
	var group sync.WaitGroup
	for i := range lists {
		group.Go(func() {
			for range each {
				id, err := NewID()
				if err != nil {
					t.Error(err)
					return
				}
				lists[i] = append(lists[i], id)
			}
		})
	}
	group.Wait()
	ids := slices.Concat(lists...)
	slices.SortFunc(ids, ulid.ULID.Compare)
	if n := len(slices.Compact(ids)); n != goroutines*each {
		t.Errorf("%d different IDs; want %d", n, goroutines*each)
	}
	if ids[0].Compare(start) < 0 || ids[goroutines*each-1].Compare(ulid.LastAt(time.Now())) > 0 {
		t.Errorf("IDs from %v to %v", ids[0].Timestamp(), ids[goroutines*each-1].Timestamp())
	}
}

// Of two Generators in the pool each has its own order.
func TestTwoGenerators(t *testing.T) {
	a, b := new(ulid.Generator), new(ulid.Generator)
	for range 100_000 {
		x, err := a.Make()
		if err != nil {
			t.Fatal(err)
		}
		y, err := b.Make()
		if err != nil {
			t.Fatal(err)
		}
		if y.Compare(x) < 0 {
			return
		}
	}
	t.Error("the IDs of two Generators were in order")
}
