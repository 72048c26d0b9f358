package pgx

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/internal/servers"
)

// BenchmarkBulk copies 200,000 rows into a table and reads them, in turn for each type, and reports by how much the median
// of a type's times exceeds that of a [16]byte. Use -benchtime 9x.
func BenchmarkBulk(b *testing.B) {
	conn := connect(b, servers.DSN(b, "ULID_POSTGRES"), mode{pgx.QueryExecModeCacheStatement, true})
	if _, err := conn.Exec(ctx, "CREATE TEMPORARY TABLE bulk (id uuid)"); err != nil {
		b.Fatal(err)
	}
	ids := make([]ulid.ULID, 200_000)
	ulid.Fill(ids)
	forms := []struct {
		name string
		run  func(*testing.B, *pgx.Conn, []ulid.ULID) (copied, read time.Duration)
	}{
		{"[16]byte", bulk[[16]byte]}, {"ULID", bulk[ulid.ULID]}, {"AsUUID", bulk[ulid.AsUUID]}, {"struct", bulk[userID]},
	}
	var copied, read [4][]time.Duration
	for round := 0; b.Loop(); round++ {
		for n := range forms {
			i := (round + n) % len(forms) // none is always first or last
			c, r := forms[i].run(b, conn, ids)
			copied[i], read[i] = append(copied[i], c), append(read[i], r)
		}
	}
	median := func(times []time.Duration) float64 {
		slices.Sort(times)
		return float64(times[len(times)/2])
	}
	for i, form := range forms {
		b.Logf("%-8s copy %.0f ms, read %.0f ms", form.name, median(copied[i])/1e6, median(read[i])/1e6)
		b.ReportMetric(median(copied[i])/median(copied[0]), form.name+"-copy")
		b.ReportMetric(median(read[i])/median(read[0]), form.name+"-read")
	}
}

func bulk[T any](b *testing.B, conn *pgx.Conn, from []ulid.ULID) (copied, read time.Duration) {
	ids := make([]T, len(from))
	for i, id := range from {
		ids[i] = as[T](id)
	}
	runtime.GC()
	begin := time.Now()
	rows := pgx.CopyFromSlice(len(ids), func(i int) ([]any, error) { return []any{ids[i]}, nil })
	if _, err := conn.CopyFrom(ctx, pgx.Identifier{"bulk"}, []string{"id"}, rows); err != nil {
		b.Fatal(err)
	}
	copied = time.Since(begin)
	runtime.GC()
	begin = time.Now()
	all, _ := conn.Query(ctx, "SELECT id FROM bulk")
	var id T
	if _, err := pgx.ForEachRow(all, []any{&id}, func() error { return nil }); err != nil {
		b.Fatal(err)
	}
	read = time.Since(begin)
	if _, err := conn.Exec(ctx, "TRUNCATE bulk"); err != nil {
		b.Fatal(err)
	}
	return copied, read
}
