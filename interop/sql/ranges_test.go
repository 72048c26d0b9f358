package sql

import (
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// ranges is how a database looks for the IDs of November 2026.
type ranges struct {
	analyze   string         // has the database count rows, so that it plans well
	explain   string         // stands before a query to show its plan
	indexed   *regexp.Regexp // what the plan has if the query looks into the index
	unindexed string         // a query with the same result that reads every row
}

// TestRange runs the example "range" and shows that it looks into the index, where other conditions
// read every row.
func TestRange(t *testing.T) {
	all, within := november()
	onEach(t, databases, func(t *testing.T, d *database) {
		conn := d.openWith(t, defaultMode, all)
		conn.Run(d.ranges.analyze)
		if d.IsMySQL() { // whose ranges are of variables
			conn.Run(d.example(t, "bounds"))
		}
		for _, query := range d.perTable(t, "range") {
			wantIDs(t, conn, within, query)
			d.wantIndexed(t, conn, query, true)
		}
		if d.ranges.unindexed != "" {
			wantIDs(t, conn, within, d.ranges.unindexed)
			d.wantIndexed(t, conn, d.ranges.unindexed, false)
		}
	})
}

// wantIndexed fails the test unless the query looks into the index, or does not.
func (d *database) wantIndexed(t *testing.T, conn *db.DB, query string, want bool) {
	t.Helper()
	plan := fmt.Sprintf("%s", conn.Rows(d.ranges.explain+query))
	if got := d.ranges.indexed.MatchString(plan); got != want {
		t.Errorf("that it looks into the index is %v, want %v, of\n%s\nplanned as\n%s", got, want, query, plan)
	}
}

// bounds is how a database returns the first and the last ID of a millisecond.
type bounds struct {
	form  form
	times []boundTime // besides boundTimes
}

// A boundTime is a time, and the argument of SQL that has it.
type boundTime struct {
	argument any
	time     time.Time
}

// boundTimes are at the ends of milliseconds, and of what a DATETIME can have.
var boundTimes = []time.Time{
	time.Unix(-1, 0),
	time.Unix(0, -1000),
	time.Unix(0, 0),
	time.Unix(0, 999_000),
	time.Unix(0, 1_000_000),
	time.Unix(1, 1_999_000),
	time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC),
	time.Date(2026, 11, 21, 10, 0, 0, 123_999_000, time.UTC),
	time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC),
}

// TestBounds compares the bounds with FirstAt and LastAt, also at times that no ID has.
func TestBounds(t *testing.T) {
	inEachMode(t, servers, func(t *testing.T, d *database, mode string) {
		conn := d.open(t, mode)
		times := slices.Clone(d.bounds.times)
		for _, at := range boundTimes {
			times = append(times, boundTime{at.UTC(), at})
		}
		for _, at := range times {
			row := conn.Rows(`SELECT ulid_first_at(?), ulid_last_at(?)`, at.argument, at.argument)[0]
			for i, want := range []ulid.ULID{ulid.FirstAt(at.time), ulid.LastAt(at.time)} {
				got := text(row[i])
				if got != d.bounds.form(want) {
					t.Errorf("bound %d of %v is %q, want %q", i, at.argument, got, d.bounds.form(want))
				}
			}
		}
	})
}
