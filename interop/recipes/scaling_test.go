package recipes

import (
	"errors"
	"slices"
	"sync"
	"testing"

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

// Goroutines that share the pool never get the same ID.
func TestNewID(t *testing.T) {
	var ids sync.Map
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20_000 {
				id, err := NewID()
				if _, ok := ids.LoadOrStore(id, nil); ok || err != nil {
					t.Errorf("%s once more, %v", id, err)
					return
				}
			}
		})
	}
	group.Wait()
}
