package recipes

import (
	"context"
	"database/sql"
	"time"

	"github.com/seed-961d0905/ulid/typed"
)

// page: usersBetween

func usersBetween(ctx context.Context, db *sql.DB, from, to time.Time) (*sql.Rows, error) {
	return db.QueryContext(ctx, "SELECT id FROM users WHERE id >= $1 AND id < $2",
		typed.FirstAt[user](from), typed.FirstAt[user](to))
}
