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

// Resume returns a Generator whose IDs are greater than every ID in the table, even if the clock was set back. If the
// last ID is more than limit ahead of the clock, it returns an error instead.
func Resume(ctx context.Context, db *sql.DB, limit time.Duration) (*ulid.Generator, error) {
	var last ulid.ULID // Scan reads every form
	err := db.QueryRowContext(ctx, "SELECT id FROM events ORDER BY id DESC LIMIT 1").Scan(&last)
	if err != nil && !errors.Is(err, sql.ErrNoRows) { // an empty table leaves the zero ULID, which means no After
		return nil, err
	}
	if ahead := time.Until(last.Timestamp()); ahead > limit {
		return nil, fmt.Errorf("the last ID %s is %v ahead of the clock", last, ahead)
	}
	return &ulid.Generator{After: last}, nil
}
