// page: program

package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/pgxulid"
)

type Event struct {
	ID   ulid.AsUUID
	Name string
}

func main() {
	ctx := context.Background()
	config, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	check(err)
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		pgxulid.Register(conn.TypeMap())
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	check(err)
	defer pool.Close()
	_, err = pool.Exec(ctx, `CREATE TABLE IF NOT EXISTS events (
		id   uuid PRIMARY KEY,
		name text NOT NULL
	)`)
	check(err)

	// Copy many rows.
	ids := make([]ulid.ULID, 1000)
	ulid.FillUUIDv7(ids)
	_, err = pool.CopyFrom(ctx, pgx.Identifier{"events"}, []string{"id", "name"},
		pgx.CopyFromSlice(len(ids), func(i int) ([]any, error) {
			return []any{ulid.AsUUID(ids[i]), fmt.Sprint("event ", i)}, nil
		}))
	check(err)

	// Select several by ID.
	some := []ulid.AsUUID{ulid.AsUUID(ids[0]), ulid.AsUUID(ids[999])}
	rows, err := pool.Query(ctx, `SELECT id, name FROM events WHERE id = ANY($1) ORDER BY id`,
		some)
	check(err)
	events, err := pgx.CollectRows(rows, pgx.RowToStructByName[Event])
	check(err)
	for _, e := range events {
		fmt.Println(e.ID, e.Name)
	}

	// Select a range of time.
	from, to := ulid.FirstAt(ids[0].Timestamp()), ulid.LastAt(ids[999].Timestamp())
	rows, err = pool.Query(ctx, `SELECT id FROM events WHERE id BETWEEN $1 AND $2 ORDER BY id`,
		ulid.AsUUID(from), ulid.AsUUID(to))
	check(err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[ulid.AsUUID])
	check(err)
	fmt.Println(len(found), "events") // 1000 events
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
