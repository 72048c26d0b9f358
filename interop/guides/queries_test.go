package guides

import (
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// A reader of id > last misses a row whose transaction commits after that of a greater ID. One that reads the last
// minute again finds it.
func TestNewRows(t *testing.T) {
	page.Fact(t, "docs/queries.md", "greater-than-last-misses-rows")
	conn := db.PostgreSQL.Open(t, "")
	conn.Run("CREATE TABLE events (id uuid PRIMARY KEY)")
	slow, err := db.Connect(t, "pgx", conn.DSN).Begin()
	db.Check(t, err)
	early, late := ulid.AsUUID(ulid.Make()), ulid.AsUUID(ulid.Make())
	_, err = slow.Exec("INSERT INTO events (id) VALUES ($1)", early)
	db.Check(t, err)
	conn.Run("INSERT INTO events (id) VALUES (?)", late)
	var last ulid.AsUUID
	db.Check(t, conn.Get(&last, "SELECT id FROM events ORDER BY id DESC LIMIT 1"))
	db.Check(t, slow.Commit())

	if n := conn.Count("SELECT count(*) FROM events WHERE id > ?", last); n != 0 {
		t.Errorf("id > last finds %d rows, and the page says that it misses the row", n)
	}
	minuteAgo := ulid.AsUUID(ulid.FirstAt(last.Time().Add(-time.Minute)))
	if n := conn.Count("SELECT count(*) FROM events WHERE id >= ?", minuteAgo); n != 2 {
		t.Errorf("the last minute has %d rows, want 2", n)
	}
}
