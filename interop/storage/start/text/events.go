// Package text has the code for a column of strings that docs/mysql.md and docs/sqlite.md show.
package text

import (
	"context"
	"database/sql"
	"time"

	"github.com/seed-961d0905/ulid"
)

// page: events

type Event struct {
	ID   ulid.ULID
	Name string
}

func insertEvent(ctx context.Context, db *sql.DB, name string) (ulid.ULID, error) {
	id := ulid.Make()
	_, err := db.ExecContext(ctx, `INSERT INTO events (id, name) VALUES (?, ?)`, id, name)
	return id, err
}

func getEvent(ctx context.Context, db *sql.DB, id ulid.ULID) (e Event, err error) {
	row := db.QueryRowContext(ctx, `SELECT id, name FROM events WHERE id = ?`, id)
	err = row.Scan(&e.ID, &e.Name)
	return e, err
}

// eventsBetween selects the events from a time until before another, the oldest first.
func eventsBetween(ctx context.Context, db *sql.DB, from, to time.Time) (*sql.Rows, error) {
	return db.QueryContext(ctx,
		`SELECT id, name FROM events WHERE id >= ? AND id < ? ORDER BY id`,
		ulid.FirstAt(from), ulid.FirstAt(to))
}
