// Package guides has the code that docs/order.md, docs/recipes.md and docs/uuid.md give for copying. Its tests run
// that code.
package guides

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/seed-961d0905/ulid"
)

// page: Resume

// Resume makes every later ID of g greater than the keys of the table, which have the Go type ID.
// If the greatest is more than limit ahead of the clock, and g has not passed it, the error wraps ulid.ErrAhead.
func Resume[ID ~[16]byte](ctx context.Context, db *sql.DB, g *ulid.Generator, limit time.Duration) error {
	var last ID
	const query = "SELECT id FROM events WHERE id IS NOT NULL ORDER BY id DESC LIMIT 1"
	err := db.QueryRowContext(ctx, query).Scan(&last)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := g.AdvancePast(ulid.ULID(last), limit); err != nil {
		return fmt.Errorf("after the last ID %v: %w", last, err)
	}
	return nil
}

// page: follow

// ids generates every ID of this service.
var ids ulid.Generator

// maxSkew is the most that the clocks of your services may differ.
const maxSkew = time.Minute

// follow makes every later ID of this service greater than the ID of a message. If that ID is
// too far ahead of the clock, follow only logs it, because losing the message would be worse.
func follow(cause ulid.ULID) {
	if err := ids.AdvancePast(cause, maxSkew); err != nil {
		slog.Warn("IDs may sort before their cause", "cause", cause, "error", err)
	}
}
