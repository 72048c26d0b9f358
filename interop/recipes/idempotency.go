package recipes

import (
	"context"
	"database/sql"

	"github.com/seed-961d0905/ulid"
)

// page: Pay

// Pay stores a payment and returns its ID. If a client repeats a request, Pay returns
// the ID of the first payment. The table has UNIQUE (user_id, request_id).
func Pay(
	ctx context.Context, db *sql.DB, user, request ulid.AsUUID, cents int,
) (id ulid.AsUUID, err error) {
	const insert = `INSERT INTO payments (id, user_id, request_id, cents)
		VALUES ($1, $2, $3, $4) ON CONFLICT (user_id, request_id) DO NOTHING`
	_, err = db.ExecContext(ctx, insert, ulid.AsUUID(ulid.MakeUUIDv7()), user, request, cents)
	if err != nil {
		return id, err
	}
	const query = "SELECT id FROM payments WHERE user_id = $1 AND request_id = $2"
	err = db.QueryRowContext(ctx, query, user, request).Scan(&id)
	return id, err
}
