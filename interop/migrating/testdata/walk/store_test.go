package main

import (
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
)

// TestStore begins with an empty database, as tests do.
func TestStore(t *testing.T) {
	s, err := open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db, err := s.db.DB()
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1) // a second connection would open a second :memory:
	for _, statement := range []string{
		`CREATE TABLE events (id BLOB PRIMARY KEY NOT NULL, note TEXT)`,
		`CREATE TABLE items (event_id BLOB NOT NULL REFERENCES events (id), n INTEGER)`,
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	id, err := s.create("a note")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.addItem(id, 2); err != nil {
		t.Fatal(err)
	}
	if event, err := s.get(id); err != nil || event.Note != "a note" || len(event.Items) != 2 {
		t.Errorf("get: %+v, %v", event, err)
	}
	if events, err := s.list([]ulid.ULID{id}); err != nil || len(events) != 1 {
		t.Errorf("list: %+v, %v", events, err)
	}
	if n, err := s.countItems(id); err != nil || n != 2 {
		t.Errorf("countItems: %d, %v", n, err)
	}
	if n, err := s.rename(id, "another"); err != nil || n != 1 {
		t.Errorf("rename: %d, %v", n, err)
	}
	if n, err := s.purge(time.Now().Add(-time.Hour)); err != nil || n != 0 {
		t.Errorf("purge: %d, %v", n, err)
	}
	if n, err := s.remove(id); err != nil || n != 1 {
		t.Errorf("remove: %d, %v", n, err)
	}
}
