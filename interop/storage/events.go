// Package storage proves docs/storage.md: what becomes of an ID in a database, through database/sql.
//
// columns_test.go has the columns of the page, which are in interop/db/databases.go, and othertypes_test.go the types
// of ID that are for another column.
package storage

import (
	"context"
	"database/sql"

	"github.com/seed-961d0905/ulid"
)

// page: events

type Event struct {
	ID   ulid.AsUUID
	Name string
}

func insertEvent(ctx context.Context, db *sql.DB, name string) (ulid.ULID, error) {
	id := ulid.Make()
	_, err := db.ExecContext(ctx,
		`INSERT INTO events (id, name) VALUES ($1, $2)`, ulid.AsUUID(id), name)
	return id, err
}

func getEvent(ctx context.Context, db *sql.DB, id ulid.ULID) (e Event, err error) {
	row := db.QueryRowContext(ctx, `SELECT id, name FROM events WHERE id = $1`, ulid.AsUUID(id))
	err = row.Scan(&e.ID, &e.Name)
	return e, err
}
