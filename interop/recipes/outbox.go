package recipes

import (
	"context"
	"database/sql"

	"github.com/seed-961d0905/ulid"
)

// page: Relay

// Relay sends the oldest message of the outbox and deletes it. If send fails, the
// message stays. If there is none, the error is sql.ErrNoRows.
func Relay(
	ctx context.Context, db *sql.DB, send func(id ulid.AsUUID, body string) error,
) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	var id ulid.AsUUID
	var body string
	// On db instead of tx, two workers would take the same message.
	const query = "SELECT id, body FROM outbox ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED"
	if err := tx.QueryRowContext(ctx, query).Scan(&id, &body); err != nil {
		return err
	}
	if err := send(id, body); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM outbox WHERE id = $1", id); err != nil {
		return err
	}
	return tx.Commit()
}
