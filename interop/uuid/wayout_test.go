package uuid

import (
	"slices"
	"testing"
	"time"

	google "github.com/google/uuid"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// TestWayOutToGoogle makes the calls of the table on the page too.
func TestWayOutToGoogle(t *testing.T) {
	testWayOut(t, google.NewV7)

	id := ulid.MakeUUIDv7()
	u, err := google.Parse(id.UUIDString())
	if u != google.UUID(id) || err != nil || u.String() != id.UUIDString() {
		t.Errorf("google/uuid reads %s as %s, %v", id.UUIDString(), u, err)
	}
	if got := time.Unix(u.Time().UnixTime()); !got.Equal(id.Timestamp()) {
		t.Errorf("the time of %s is %s, want %s", u, got, id.Timestamp())
	}
	plain := ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV") // has version 13
	u = google.UUID(plain)
	if got := time.Unix(u.Time().UnixTime()); got.Equal(plain.Timestamp()) {
		t.Errorf("google/uuid reads the time of the plain ULID %s too", plain)
	}
}

// testWayOut stores IDs as AsUUID in a column of PostgreSQL, goes on with another library in the same rows, and comes
// back.
func testWayOut[U ~[16]byte](t *testing.T, newV7 func() (U, error)) {
	page.Fact(t, "docs/uuid.md", "the-way-out")
	for _, driver := range db.PostgreSQL.Drivers {
		t.Run(driver.Name+" "+driver.Parameters, func(t *testing.T) {
			to := db.PostgreSQL.OpenWith(t, driver)
			to.Run("CREATE TABLE t (id uuid PRIMARY KEY, note text)")
			var ids []ulid.ULID
			for range 10 {
				ids = append(ids, ulid.Make(), ulid.MakeUUIDv7())
			}
			slices.SortFunc(ids, ulid.ULID.Compare)
			for _, id := range ids {
				to.Run("INSERT INTO t VALUES (?, ?)", ulid.AsUUID(id), id.String())
			}

			// The other library reads the rows, finds each, and adds some.
			if got := read[U](t, to); !slices.Equal(got, ids) {
				t.Errorf("the other library reads %v, want %v", got, ids)
			}
			for _, id := range ids {
				note := ""
				db.Check(t, to.Get(&note, to.Rebind("SELECT note FROM t WHERE id = ?"), U(id)))
				if note != id.String() {
					t.Errorf("the row of %v has the note %q", U(id), note)
				}
			}
			time.Sleep(2 * time.Millisecond)
			for range 10 {
				u, err := newV7()
				db.Check(t, err)
				to.Run("INSERT INTO t VALUES (?, '')", u)
				ids = append(ids, ulid.ULID(u))
			}

			// AsUUID reads all of them, the new ones after the old.
			if got := read[ulid.AsUUID](t, to); !slices.Equal(got, ids) {
				t.Errorf("AsUUID reads %v, want %v", got, ids)
			}
			last := ids[len(ids)-1]
			if n := to.Count("SELECT count(*) FROM t WHERE id = ?", ulid.AsUUID(last)); n != 1 {
				t.Errorf("AsUUID finds %d rows of the other library's %v, want 1", n, last)
			}
		})
	}
}

// read returns the IDs of the table in the order of the database, each read as a U.
func read[U ~[16]byte](t *testing.T, from *db.DB) (ids []ulid.ULID) {
	rows, err := from.Query("SELECT id FROM t ORDER BY id")
	db.Check(t, err)
	defer rows.Close()
	for rows.Next() {
		var u U
		db.Check(t, rows.Scan(&u))
		ids = append(ids, ulid.ULID(u))
	}
	db.Check(t, rows.Err())
	return ids
}
