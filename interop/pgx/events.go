// Package pgx has the code of pgxulid/README.md.
package pgx

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/pgxulid"
)

// page: NewPool

func NewPool(ctx context.Context, url string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		pgxulid.Register(conn.TypeMap())
		return nil
	}
	return pgxpool.NewWithConfig(ctx, config)
}

// page: events

type Event struct {
	ID   ulid.AsUUID
	Name string
}

func copyEvents(ctx context.Context, pool *pgxpool.Pool, events []Event) error {
	rows := pgx.CopyFromSlice(len(events), func(i int) ([]any, error) {
		return []any{events[i].ID, events[i].Name}, nil
	})
	_, err := pool.CopyFrom(ctx, pgx.Identifier{"events"}, []string{"id", "name"}, rows)
	return err
}

func getEvents(ctx context.Context, pool *pgxpool.Pool, ids []ulid.AsUUID) ([]Event, error) {
	rows, err := pool.Query(ctx, `SELECT id, name FROM events WHERE id = ANY($1)`, ids)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[Event])
}
