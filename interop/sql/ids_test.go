package sql

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
)

var known = ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")

// endOf9999 is the last millisecond of the year 9999.
const endOf9999 = 253_402_300_799_999

// sampleIDs returns 1,000 IDs of random bits and the extremes: the zero ID and the largest, and
// both ends of milliseconds where something might carry, be rounded, or shift with a time zone.
func sampleIDs() []ulid.ULID {
	source := rand.NewChaCha8([32]byte{'s', 'q', 'l'})
	ids := make([]ulid.ULID, 1000)
	for i := range ids {
		source.Read(ids[i][:])
	}
	times := []uint64{
		0, 1, 999, 1000, 1001, 1469918176385,
		9_007_199_254_740, 9_007_199_254_741, 9_007_199_254_742, // 2⁵³ microseconds
		endOf9999, endOf9999 + 1,
		ulid.MaxTime() - 1, ulid.MaxTime(),
		ulid.Timestamp(time.Date(2026, 11, 1, 5, 30, 0, 0, time.UTC)), // 1:30 twice in New York
		ulid.Timestamp(time.Date(2026, 11, 1, 6, 30, 0, 0, time.UTC)),
	}
	for bit := range 48 {
		times = append(times, 1<<bit, 1<<bit-1)
	}
	slices.Sort(times)
	for _, ms := range slices.Compact(times) {
		ids = append(ids, ulid.FirstAt(ulid.Time(ms)), ulid.LastAt(ulid.Time(ms)))
	}
	return ids
}

// november returns 20,000 IDs of 100 months and the ends of November 2026, and those of that month
// in order.
func november() (all, within []ulid.ULID) {
	from := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	to := from.AddDate(0, 1, 0)
	source := rand.NewChaCha8([32]byte{'n'})
	for i := range 20_000 {
		at := from.Add(time.Duration(i-9_000) * to.Sub(from) / 200)
		all = append(all, ulid.MustNew(ulid.Timestamp(at), source))
	}
	all = append(all, ulid.FirstAt(from), ulid.LastAt(from.Add(-time.Millisecond)),
		ulid.FirstAt(to), ulid.LastAt(to.Add(-time.Millisecond)))
	for _, id := range all {
		at := id.Timestamp()
		if !at.Before(from) && at.Before(to) {
			within = append(within, id)
		}
	}
	slices.SortFunc(within, ulid.ULID.Compare)
	return all, within
}

// wantRandom fails the test unless these are 1,000 IDs, no two alike, in whose random bits each bit
// is 0 in some and 1 in others and each digit comes. If they are to be UUIDs of version 7, the bits of the version and of
// the variant are not random.
func wantRandom(t *testing.T, ids []ulid.ULID, uuidv7 bool) {
	t.Helper()
	if len(ids) != 1000 {
		t.Fatalf("%d IDs, want 1000", len(ids))
	}
	seen := map[ulid.ULID]bool{}
	digits := map[rune]bool{}
	var ones, zeros [16]byte
	for _, id := range ids {
		if seen[id] {
			t.Fatalf("%v came twice", id)
		}
		seen[id] = true
		if uuidv7 && !id.IsUUIDv7() {
			t.Fatalf("%v is not a UUID of version 7", id)
		}
		for _, c := range id.String()[10:] {
			digits[c] = true
		}
		for i := range id {
			ones[i] |= id[i]
			zeros[i] |= ^id[i]
		}
	}
	if len(digits) != 32 {
		t.Errorf("%d digits come in the random characters, want 32", len(digits))
	}
	var fixed [16]byte
	if uuidv7 {
		fixed[6], fixed[8] = 0xf0, 0xc0
	}
	for i := 6; i < 16; i++ {
		if ones[i]|fixed[i] != 0xff || zeros[i]|fixed[i] != 0xff {
			t.Errorf("some of the random bits do not change: ones %x, zeros %x", ones[6:], zeros[6:])
			break
		}
	}
}

// wantBetween fails the test unless the time of each ID is one of these milliseconds.
func wantBetween(t *testing.T, ids []ulid.ULID, first, last int) {
	t.Helper()
	for _, id := range ids {
		at := int(id.Time())
		if at < first || at > last {
			t.Fatalf("%v is of millisecond %d, want %d to %d", id, at, first, last)
		}
	}
}

// wantSameTime fails the test unless the IDs, which one statement made, are of the same millisecond.
func wantSameTime(t *testing.T, ids []ulid.ULID) {
	t.Helper()
	for _, id := range ids {
		if id.Time() != ids[0].Time() {
			t.Fatalf("%v and %v are of one statement", ids[0], id)
		}
	}
}
