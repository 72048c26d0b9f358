package sql

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/seed-961d0905/ulid"
)

// page: convert

// convert rewrites the IDs in columns of SQLite, such as {"events", "id"} and {"items", "event_id"}: it reads each as
// an Old, and stores what to returns for it. On error nothing has changed. Open db for this call alone.
func convert[Old, New any](ctx context.Context, db *sql.DB, columns [][2]string, to func(Old) (New, error)) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	// Off, so that no ON UPDATE changes a reference. The check below finds those that are left behind.
	if _, err := conn.ExecContext(ctx, `PRAGMA foreign_keys = OFF`); err != nil {
		return err
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, c := range columns {
		if err := rewrite(ctx, tx, c[0], c[1], to); err != nil {
			return fmt.Errorf("%s.%s: %w", c[0], c[1], err)
		}
	}
	var orphans, triggers int // a trigger may have changed anything
	err = tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM pragma_foreign_key_check),
		(SELECT count(*) FROM sqlite_schema WHERE type = 'trigger')`).Scan(&orphans, &triggers)
	if err != nil {
		return err
	}
	if orphans+triggers > 0 {
		return fmt.Errorf("%d references find no row: is a column missing? Drop %d triggers first", orphans, triggers)
	}
	return tx.Commit()
}

// rewrite does this for one column. It finds each row by its number, so it compares no IDs.
func rewrite[Old, New any](ctx context.Context, tx *sql.Tx, table, column string, to func(Old) (New, error)) error {
	rows, err := tx.QueryContext(ctx, fmt.Sprintf(`SELECT rowid, %s FROM %s WHERE %[1]s IS NOT NULL`, column, table))
	if err != nil {
		return err
	}
	defer rows.Close()
	ids := map[int64]New{}
	for rows.Next() {
		var row int64
		var old Old
		if err := rows.Scan(&row, &old); err != nil {
			return fmt.Errorf("row %d: %w", row, err)
		}
		id, err := to(old)
		if err != nil {
			return fmt.Errorf("row %d: %w", row, err)
		}
		ids[row] = id
	}
	if err := rows.Err(); err != nil {
		return err
	}
	update := fmt.Sprintf(`UPDATE %s SET %s = ? WHERE rowid = ?`, table, column)
	for row, id := range ids {
		result, err := tx.ExecContext(ctx, update, id, row)
		if err != nil {
			return fmt.Errorf("row %d: %w", row, err)
		}
		if n, err := result.RowsAffected(); err != nil || n != 1 {
			return fmt.Errorf("row %d: %d rows changed, want 1", row, n)
		}
	}
	return nil
}

// page: toBytes

// toBytes changes the strings in two columns to 16 bytes.
func toBytes(ctx context.Context, db *sql.DB) error {
	columns := [][2]string{{"events", "id"}, {"items", "event_id"}}
	return convert(ctx, db, columns, func(id ulid.ULID) (ulid.AsBinary, error) {
		return ulid.AsBinary(id), nil
	})
}
