package recipes

import (
	"encoding/binary"
	"testing"

	"github.com/seed-961d0905/ulid"
)

// sampled decides as TraceIDRatioBased(0.1) of go.opentelemetry.io/otel/sdk v1.47.0, which would bring five more
// modules: by the upper 63 bits of the last 8 bytes.
func sampled(id ulid.ULID) bool { return binary.BigEndian.Uint64(id[8:])>>1 < 1<<63/10 }

func TestSampling(t *testing.T) {
	traceID := func() ulid.ULID { id, _ := TraceIDs{}.NewIDs(t.Context()); return ulid.ULID(id) }
	const n = 100_000
	for _, test := range []struct {
		name        string
		newID       func() ulid.ULID
		least, most int  // of n that are sampled
		whole       bool // all IDs of a millisecond or none
	}{
		{"Make", ulid.Make, 0, n, true},
		{"MakeUUIDv7", ulid.MakeUUIDv7, 0, 0, true},
		{"TraceIDs", traceID, n * 9 / 100, n * 11 / 100, false},
	} {
		all, changes, last := 0, 0, test.newID()
		for range n {
			id := test.newID()
			if sampled(id) {
				all++
			}
			if id.Time() == last.Time() && sampled(id) != sampled(last) {
				changes++
			}
			last = id
		}
		// One millisecond in a million runs across the bound.
		if all < test.least || all > test.most || test.whole != (changes <= 1) {
			t.Errorf("%s: %d of %d sampled, want %d to %d; %d changes within a millisecond",
				test.name, all, n, test.least, test.most, changes)
		}
	}
}
