package sql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	oklog "github.com/oklog/ulid/v2"

	"github.com/seed-961d0905/ulid"
)

// page: repair

// repair sets repairs.good to the ID that read makes of repairs.bad. The update is "UPDATE repairs SET good = ? WHERE
// bad = ?", in PostgreSQL with $1 and $2. If read rejects strings, repair returns them all and stores nothing.
func repair(ctx context.Context, db *sql.DB, update string, read func(string) (ulid.ULID, error)) error {
	rows, err := db.QueryContext(ctx, `SELECT bad FROM repairs`)
	if err != nil {
		return err
	}
	defer rows.Close()
	good := map[string]ulid.ULID{}
	var unread error
	for rows.Next() {
		var bad string
		if err := rows.Scan(&bad); err != nil {
			return err
		}
		id, err := read(bad)
		if err != nil {
			unread = errors.Join(unread, fmt.Errorf("%q: %w", bad, err))
		}
		good[bad] = id
	}
	if err := errors.Join(rows.Err(), unread); err != nil {
		return err
	}
	for bad, id := range good {
		if _, err := db.ExecContext(ctx, update, id, bad); err != nil {
			return err
		}
	}
	return nil
}

// page: readOklog

func readOklog(s string) (ulid.ULID, error) {
	id, err := oklog.Parse(s) // of github.com/oklog/ulid/v2
	return ulid.ULID(id), err
}
