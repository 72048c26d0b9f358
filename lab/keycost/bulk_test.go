package keycost

import (
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/pgxulid"
	"github.com/seed-961d0905/ulid/typed"
)

type user struct{ typed.UUIDColumn }

// BenchmarkBulk copies 200,000 rows into a table of PostgreSQL and reads them, with each type. Use -benchtime 20x.
func BenchmarkBulk(b *testing.B) {
	b.Run("[16]byte", bulk[[16]byte](true))
	b.Run("AsUUID-unregistered", bulk[ulid.AsUUID](false))
	b.Run("AsUUID", bulk[ulid.AsUUID](true))
	b.Run("ULID", bulk[ulid.ULID](true))
	b.Run("typed.ID", bulk[typed.ID[user]](true))
}

// bulk reports the best times, because what is above them is noise.
func bulk[T ~[16]byte](register bool) func(*testing.B) {
	return func(b *testing.B) {
		ctx := b.Context()
		conn, err := pgx.Connect(ctx, db.PostgreSQL.Server(b))
		db.Check(b, err)
		defer conn.Close(ctx)
		if register {
			pgxulid.Register(conn.TypeMap())
		}
		_, err = conn.Exec(ctx, "CREATE TEMPORARY TABLE t (id uuid)")
		db.Check(b, err)
		ids := make([]T, 200_000)
		for i := range ids {
			ids[i] = T(ulid.Make())
		}
		copied, read := time.Hour, time.Hour
		for b.Loop() {
			begin := time.Now()
			_, err := conn.CopyFrom(ctx, pgx.Identifier{"t"}, []string{"id"},
				pgx.CopyFromSlice(len(ids), func(i int) ([]any, error) { return []any{ids[i]}, nil }))
			copied = min(copied, time.Since(begin))
			db.Check(b, err)
			begin = time.Now()
			all, _ := conn.Query(ctx, "SELECT id FROM t")
			var id T
			_, err = pgx.ForEachRow(all, []any{&id}, func() error { return nil })
			read = min(read, time.Since(begin))
			_, truncateErr := conn.Exec(ctx, "TRUNCATE t")
			db.Check(b, errors.Join(err, truncateErr))
		}
		b.ReportMetric(float64(copied.Milliseconds()), "copy-ms")
		b.ReportMetric(float64(read.Milliseconds()), "read-ms")
	}
}
