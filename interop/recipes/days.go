package recipes

import (
	"time"

	"github.com/seed-961d0905/ulid"
)

// page: Days

// Days returns the range of the IDs of whole days in a time zone, such as those from
// 2026-11-01 to 2026-11-30. The last day is part of it: query id >= start AND id < end.
func Days(first, last string, zone *time.Location) (start, end ulid.ULID, err error) {
	from, err := time.Parse(time.DateOnly, first)
	if err != nil {
		return start, end, err
	}
	to, err := time.Parse(time.DateOnly, last)
	if err != nil {
		return start, end, err
	}
	to = to.AddDate(0, 0, 1)
	return ulid.FirstAt(startOfDay(from, zone)), ulid.FirstAt(startOfDay(to, zone)), nil
}

// startOfDay returns the first moment of a date in a time zone.
func startOfDay(date time.Time, zone *time.Location) time.Time {
	year, month, day := date.Date()
	t := time.Date(year, month, day, 0, 0, 0, 0, zone)
	if t.Day() != day { // Clocks skip midnight, and t is an hour before it.
		_, t = t.ZoneBounds()
	}
	return t
}
