package recipes

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
)

// page: sameIDs

// sameIDs returns a function that makes the same IDs in every run, a millisecond apart. It is for one goroutine at a
// time.
func sameIDs() func() ulid.ULID {
	ms := ulid.Timestamp(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	entropy := rand.NewChaCha8([32]byte{}) // of math/rand/v2
	return func() ulid.ULID {
		ms++
		return ulid.MustNew(ms, entropy)
	}
}

// page: the rest

func TestSameIDs(t *testing.T) {
	newID := sameIDs()
	for _, want := range []string{"01KDYAK349V63QXKKD6T5AR6KF", "01KDYAK34A86FCC9Y7DCDZP7X3"} {
		if got := newID(); got.String() != want {
			t.Errorf("got %s; want %s", got, want)
		}
	}
}
