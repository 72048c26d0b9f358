// Package start has the code with which docs/storage.md begins, and its folders the programs with
// which the pages of the databases begin. Their tests run them as they stand.
package start

import (
	"context"
	"database/sql"
	"time"

	"github.com/seed-961d0905/ulid"
)

// page: events

const createEvents = `CREATE TABLE events (
	id        uuid PRIMARY KEY,
	parent_id uuid REFERENCES events,
	name      text NOT NULL
)`

type Event struct {
	ID       ulid.AsUUID
	ParentID *ulid.AsUUID // nil for NULL
	Name     string
}

// Insert stores the event under a new ID.
func (e *Event) Insert(ctx context.Context, db *sql.DB) error {
	e.ID = ulid.AsUUID(ulid.Make())
	const query = `INSERT INTO events (id, parent_id, name) VALUES ($1, $2, $3)`
	_, err := db.ExecContext(ctx, query, e.ID, e.ParentID, e.Name)
	return err
}

// Get returns the event with an ID, or sql.ErrNoRows.
func Get(ctx context.Context, db *sql.DB, id ulid.ULID) (e Event, err error) {
	const query = `SELECT id, parent_id, name FROM events WHERE id = $1`
	err = db.QueryRowContext(ctx, query, ulid.AsUUID(id)).Scan(&e.ID, &e.ParentID, &e.Name)
	return e, err
}

// List returns the events from a time until a later one, in order.
func List(ctx context.Context, db *sql.DB, from, to time.Time) ([]Event, error) {
	const query = `SELECT id, parent_id, name FROM events
		WHERE id >= $1 AND id < $2 ORDER BY id`
	first, end := ulid.AsUUID(ulid.FirstAt(from)), ulid.AsUUID(ulid.FirstAt(to))
	rows, err := db.QueryContext(ctx, query, first, end)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []Event
	for rows.Next() {
		var e Event
		if err := rows.Scan(&e.ID, &e.ParentID, &e.Name); err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, rows.Err()
}
