package uuid

import (
	"database/sql"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/storage/start"
)

func TestEvents(t *testing.T) {
	for _, driver := range db.PostgreSQL.Drivers {
		t.Run(driver.Name, func(t *testing.T) {
			conn := db.PostgreSQL.OpenWith(t, driver)
			conn.Run(`CREATE TABLE events (id uuid PRIMARY KEY, name text NOT NULL)`)
			start.Events[Event]{
				Insert:  func(name string) (ulid.ULID, error) { return insertEvent(t.Context(), conn.DB.DB, name) },
				Get:     func(id ulid.ULID) (Event, error) { return getEvent(t.Context(), conn.DB.DB, id) },
				Between: func(from, to time.Time) (*sql.Rows, error) { return eventsBetween(t.Context(), conn.DB.DB, from, to) },
			}.Check(t)
		})
	}
}
