package sql

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/seed-961d0905/ulid"
)

// page: partitions

// CreateMonth creates the partition of logs for a month in UTC, unless it exists.
func CreateMonth(ctx context.Context, db *sql.DB, month time.Time) error {
	month = month.UTC()
	from := time.Date(month.Year(), month.Month(), 1, 0, 0, 0, 0, time.UTC)
	first, end := ulid.FirstAt(from), ulid.FirstAt(from.AddDate(0, 1, 0))
	// CREATE TABLE takes no parameters.
	query := fmt.Sprintf(
		`CREATE TABLE IF NOT EXISTS logs_%s PARTITION OF logs
		FOR VALUES FROM ('%s') TO ('%s')`,
		from.Format("2006_01"), first.UUIDString(), end.UUIDString())
	_, err := db.ExecContext(ctx, query)
	return err
}
