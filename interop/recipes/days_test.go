package recipes

import (
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// An ID is in the range of the day that the clocks of the zone show, also where they change, which in Havana and Cairo
// is at midnight.
func TestDays(t *testing.T) {
	for name, changes := range map[string][]string{
		"UTC":              {"2024-02-29"},
		"Europe/Berlin":    {"2024-03-31", "2024-10-27"},
		"America/New_York": {"2024-03-10", "2024-11-03"},
		"America/Havana":   {"2024-03-10", "2024-11-03"},
		"Africa/Cairo":     {"2024-04-26", "2024-11-01"},
	} {
		zone, err := time.LoadLocation(name)
		db.Check(t, err)
		for _, change := range changes {
			day, err := time.Parse(time.DateOnly, change)
			db.Check(t, err)
			before, after := day.AddDate(0, 0, -1).Format(time.DateOnly), day.AddDate(0, 0, 1).Format(time.DateOnly)
			for _, r := range [][2]string{{before, before}, {change, change}, {after, after}, {before, change}} {
				start, end, err := Days(r[0], r[1], zone)
				db.Check(t, err)
				for at := day.Add(-60 * time.Hour); at.Before(day.Add(84 * time.Hour)); at = at.Add(15 * time.Minute) {
					for _, at := range []time.Time{at, at.Add(-time.Millisecond)} {
						id, date := ulid.FirstAt(at), at.In(zone).Format(time.DateOnly)
						got := id.Compare(start) >= 0 && id.Compare(end) < 0
						if want := r[0] <= date && date <= r[1]; got != want {
							t.Fatalf("%s in the range of %s: %v, want %v", at.In(zone), r, got, want)
						}
					}
				}
			}
		}
	}
	for _, bad := range [][2]string{{"2026-02-30", "2026-03-01"}, {"2026-03-01", "tomorrow"}} {
		if start, end, err := Days(bad[0], bad[1], time.UTC); err == nil {
			t.Errorf("the range of %s is from %s to %s", bad, start, end)
		}
	}
}
