// page: Open
package shop

import (
	"context"
	stdsql "database/sql"

	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql"
	_ "github.com/jackc/pgx/v5/stdlib"

	"example.com/shop/ent"
)

func Open(ctx context.Context, dsn string) (*ent.Client, error) {
	db, err := stdsql.Open("pgx", dsn)
	if err != nil {
		return nil, err
	}
	client := ent.NewClient(ent.Driver(sql.OpenDB(dialect.Postgres, db)))
	return client, client.Schema.Create(ctx)
}
