package recipes

import (
	"context"
	"database/sql"

	"github.com/seed-961d0905/ulid"
)

const schema = `CREATE TABLE events (
  id   uuid PRIMARY KEY,
  xact xid8 NOT NULL DEFAULT pg_current_xact_id(),
  name text NOT NULL
);
CREATE INDEX ON events (xact, id);
`

// page: ReadEvents

// A Position is the last event that a reader has read. The zero Position is before all
// events.
type Position struct {
	Xact uint64
	ID   ulid.AsUUID
}

type Event struct {
	Position
	Name string
}

const newEvents = `
	SELECT xact, id, name FROM events
	WHERE (xact, id) > ($1::xid8, $2) AND xact < pg_snapshot_xmin(pg_current_snapshot())
	ORDER BY xact, id LIMIT $3`

// ReadEvents returns up to n events after a position.
func ReadEvents(ctx context.Context, db *sql.DB, after Position, n int) ([]Event, error) {
	rows, err := db.QueryContext(ctx, newEvents, after.Xact, after.ID, n)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var events []Event
	for rows.Next() {
		var e Event
		if err := rows.Scan(&e.Xact, &e.ID, &e.Name); err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, rows.Err()
}
