package start

import (
	"context"
	"database/sql"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

//go:generate go test -run ^TestPage$ . -write

// TestPage puts this code and that of the programs on the pages.
func TestPage(t *testing.T) {
	for _, name := range []string{
		"docs/storage.md", "pgxulid/README.md", db.PostgreSQL.Page, db.MySQL.Page, db.SQLite.Page,
	} {
		text, err := page.Sources(page.Text(t, name), "interop/storage/start/")
		db.Check(t, err)
		page.Check(t, name, text)
	}
}

// TestNewPool stores a plain ULID and finds it in a slice, which needs Register.
func TestNewPool(t *testing.T) {
	ctx := context.Background()
	pool, err := NewPool(ctx, db.PostgreSQL.Own(t, ""))
	db.Check(t, err)
	defer pool.Close()
	want := ulid.Make()
	_, err = pool.Exec(ctx, `CREATE TABLE events (id uuid PRIMARY KEY)`)
	db.Check(t, err)
	_, err = pool.Exec(ctx, `INSERT INTO events (id) VALUES ($1)`, want)
	db.Check(t, err)
	var got ulid.ULID
	err = pool.QueryRow(ctx, `SELECT id FROM events WHERE id = ANY($1)`, []ulid.ULID{want}).Scan(&got)
	if err != nil || got != want {
		t.Errorf("the pool returns %v, %v, want %v", got, err, want)
	}
}

func TestEvents(t *testing.T) {
	ctx := context.Background()
	conn := db.PostgreSQL.Open(t, "")
	conn.Run(createEvents)
	parent := Event{Name: "order"}
	db.Check(t, parent.Insert(ctx, conn.DB.DB))
	child := Event{ParentID: &parent.ID, Name: "payment"}
	db.Check(t, child.Insert(ctx, conn.DB.DB))

	for _, want := range []Event{parent, child} {
		if got, err := Get(ctx, conn.DB.DB, ulid.ULID(want.ID)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("Get returns %+v, %v, want %+v", got, err, want)
		}
	}
	if _, err := Get(ctx, conn.DB.DB, ulid.Make()); !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("Get of an unknown ID: %v, want %v", err, sql.ErrNoRows)
	}

	first, last := parent.ID.Timestamp(), child.ID.Timestamp().Add(time.Millisecond)
	for _, test := range []struct {
		from, to time.Time
		want     []Event
	}{
		{first, last, []Event{parent, child}},
		{first.Add(-time.Hour), first, nil},
		{last, last.Add(time.Hour), nil},
	} {
		got, err := List(ctx, conn.DB.DB, test.from, test.to)
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("List from %v to %v returns %+v, %v, want %+v", test.from, test.to, got, err, test.want)
		}
	}
}
