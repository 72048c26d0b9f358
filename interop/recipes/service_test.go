package recipes

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
)

// sameIDs returns a function that makes the same IDs in every run, a millisecond apart. It is for one
// goroutine at a time.
func sameIDs(t *testing.T) func() ulid.ULID {
	clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	g := &ulid.Generator{
		Entropy: rand.NewChaCha8([32]byte{}),
		Clock: func() time.Time {
			clock = clock.Add(time.Millisecond)
			return clock
		},
	}
	return func() ulid.ULID {
		id, err := g.Make()
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
}

func TestOrder(t *testing.T) {
	s := &Service{NewID: sameIDs(t)}
	for _, want := range []string{"order 01KDYAK349V63QXKKD6T5AR6KF", "order 01KDYAK34A86FCC9Y7DCDZP7X3"} {
		if got := s.Order(); got != want {
			t.Errorf("got %s; want %s", got, want)
		}
	}
}
