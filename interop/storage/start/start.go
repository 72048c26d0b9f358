// Package start has in its folders the first code of the pages of the databases and of pgxulid/README.md, and tries it.
package start

import (
	"database/sql"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// Events are the functions of a page on an empty table, for the page's type of an event.
type Events[E any] struct {
	Insert  func(name string) (ulid.ULID, error)
	Get     func(id ulid.ULID) (E, error)
	Between func(from, to time.Time) (*sql.Rows, error)
}

// Check inserts events, and finds each of them by its ID and all of them, in their order, by the day of their IDs.
func (f Events[E]) Check(t *testing.T) {
	t.Helper()
	var want []string
	for _, name := range []string{"signup", "login", "logout"} {
		id, err := f.Insert(name)
		db.Check(t, err)
		want = append(want, fmt.Sprintf("{%v %s}", id, name))
		if e, err := f.Get(id); err != nil || fmt.Sprint(e) != want[len(want)-1] {
			t.Errorf("the event by its ID is %v, %v, want %s", e, err, want[len(want)-1])
		}
	}
	now := time.Now()
	if got := f.between(t, now.Add(-12*time.Hour), now.Add(12*time.Hour)); !slices.Equal(got, want) {
		t.Errorf("the events of the day are %v, want %v", got, want)
	}
	if got := f.between(t, now.Add(12*time.Hour), now.Add(36*time.Hour)); len(got) > 0 {
		t.Errorf("the events of the next day are %v, want none", got)
	}
}

// between returns the events of a range of time as fmt prints an E.
func (f Events[E]) between(t *testing.T, from, to time.Time) (events []string) {
	t.Helper()
	rows, err := f.Between(from, to)
	db.Check(t, err)
	defer rows.Close()
	for rows.Next() {
		var id ulid.ULID
		var name string
		db.Check(t, rows.Scan(&id, &name))
		events = append(events, fmt.Sprintf("{%v %s}", id, name))
	}
	db.Check(t, rows.Err())
	return events
}
