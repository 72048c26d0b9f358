package recipes

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/seed-961d0905/ulid"
)

// page: Resume

// Resume returns a Generator whose IDs are greater than every ID that it finds in the
// table, even if the clock was set back. If the last ID is more than limit ahead of the
// clock, the error is ulid.ErrAhead.
func Resume(ctx context.Context, db *sql.DB, limit time.Duration) (*ulid.Generator, error) {
	var last ulid.ULID // Scan reads text, UUIDs and bytes
	const query = "SELECT id FROM events ORDER BY id DESC LIMIT 1"
	err := db.QueryRowContext(ctx, query).Scan(&last)
	// An empty table leaves the zero ULID, which every new ID exceeds.
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	g := ulid.Generator{UUIDv7: true} // for a uuid column; a text column does not need it
	if err := g.AdvancePast(last, limit); err != nil {
		return nil, fmt.Errorf("after the last ID %s: %w", last, err)
	}
	return &g, nil
}
