package text

import (
	"database/sql"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/storage/start"
)

func TestEvents(t *testing.T) {
	for _, d := range []*db.Database{db.MySQL, db.MariaDB, db.SQLite} {
		for _, driver := range d.Drivers {
			t.Run(d.Name+" "+driver.Name, func(t *testing.T) {
				conn := d.OpenWith(t, driver)
				conn.Run(`CREATE TABLE events (id ` + d.Columns[0].SQL + ` PRIMARY KEY NOT NULL, name VARCHAR(100) NOT NULL)`)
				start.Events[Event]{
					Insert:  func(name string) (ulid.ULID, error) { return insertEvent(t.Context(), conn.DB.DB, name) },
					Get:     func(id ulid.ULID) (Event, error) { return getEvent(t.Context(), conn.DB.DB, id) },
					Between: func(from, to time.Time) (*sql.Rows, error) { return eventsBetween(t.Context(), conn.DB.DB, from, to) },
				}.Check(t)
			})
		}
	}
}
