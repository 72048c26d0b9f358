package recipes

import (
	"context"
	"database/sql"
	"time"

	"github.com/seed-961d0905/ulid/typed"
)

// page: usersBetween

func usersBetween(ctx context.Context, db *sql.DB, from, to time.Time) (ids []UserID, err error) {
	rows, err := db.QueryContext(ctx, "SELECT id FROM users WHERE id >= $1 AND id < $2",
		typed.FirstAt[user](from), typed.FirstAt[user](to))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id UserID
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}
