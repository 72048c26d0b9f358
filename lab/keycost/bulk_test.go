package keycost

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/pgxulid"
	"github.com/seed-961d0905/ulid/typed"
)

type user struct{ typed.UUIDColumn }

// BenchmarkBulk copies 200,000 rows into a table of PostgreSQL and reads them, with each type. Use
// -benchtime 20x.
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
			copied = min(copied, copyAll(b, conn, ids))
			read = min(read, readAll[T](b, conn))
			_, err = conn.Exec(ctx, "TRUNCATE t")
			db.Check(b, err)
		}
		b.ReportMetric(float64(copied.Milliseconds()), "copy-ms")
		b.ReportMetric(float64(read.Milliseconds()), "read-ms")
	}
}

// copyAll returns how long it takes to copy all IDs into the table.
func copyAll[T any](b *testing.B, conn *pgx.Conn, ids []T) time.Duration {
	row := func(i int) ([]any, error) { return []any{ids[i]}, nil }
	begin := time.Now()
	_, err := conn.CopyFrom(b.Context(), pgx.Identifier{"t"}, []string{"id"}, pgx.CopyFromSlice(len(ids), row))
	took := time.Since(begin)
	db.Check(b, err)
	return took
}

// readAll returns how long it takes to read all IDs of the table.
func readAll[T any](b *testing.B, conn *pgx.Conn) time.Duration {
	var id T
	begin := time.Now()
	rows, err := conn.Query(b.Context(), "SELECT id FROM t")
	db.Check(b, err)
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error { return nil })
	took := time.Since(begin)
	db.Check(b, err)
	return took
}
