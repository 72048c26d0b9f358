package recipes

import (
	"encoding/binary"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/page"
)

// Samplers that read the last 8 or 7 bytes keep about a tenth of Make's IDs. Those of MakeUUIDv7 and Fill go wrong as
// the page says. The samplers themselves were tried by hand.
func TestTraceIDs(t *testing.T) {
	page.Fact(t, "docs/recipes.md", "trace-ids-that-are-sampled")
	ratio := func(id ulid.ULID) bool { // as OpenTelemetry's TraceIDRatioBased(0.1)
		return binary.BigEndian.Uint64(id[8:])>>1 < 1<<63/10
	}
	threshold := func(id ulid.ULID) bool { // as the Collector's proportional mode with 10 percent
		return binary.BigEndian.Uint64(id[8:])<<8>>8 >= 1<<56/10*9
	}
	for range 100 {
		kept7, kept8 := 0, 0
		for range 1000 { // mostly of one millisecond
			id := ulid.Make()
			if threshold(id) {
				kept7++
			}
			if ratio(id) {
				kept8++
			}
			if id := ulid.MakeUUIDv7(); ratio(id) {
				t.Fatalf("%x is kept", id)
			}
		}
		if min(kept7, kept8) < 30 || max(kept7, kept8) > 170 { // 7 standard deviations from 100
			t.Errorf("%d and %d of 1000 are kept", kept7, kept8)
		}
		ids := make([]ulid.ULID, 256)
		ulid.Fill(ids)
		for i, id := range ids {
			if i != 25 && ratio(id) != (i < 25) { // 25.6 of 256
				t.Errorf("%x, element %d: %t", id, i, ratio(id))
			}
		}
	}
}
