package pgxulid_test

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

func ExampleRegister() {
	ctx := context.Background()
	config, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		pgxulid.Register(conn.TypeMap())
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()

	var id ulid.AsUUID
	if err := pool.QueryRow(ctx, "SELECT $1::uuid", ulid.AsUUID(ulid.Make())).Scan(&id); err != nil {
		log.Fatal(err)
	}
	fmt.Println(id)
}
