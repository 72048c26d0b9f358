package pgx

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/seed-961d0905/ulid"
)

// BenchmarkBulk copies 200,000 rows into a table and reads them, with each type in a random order. It reports the best time of a type
// as a multiple of that of a [16]byte. Use -benchtime 9x or more.
func BenchmarkBulk(b *testing.B) {
	plain := newTable(b, pgx.QueryExecModeCacheStatement, false, "uuid")
	registered := newTable(b, pgx.QueryExecModeCacheStatement, true, "uuid")
	ids := make([]ulid.ULID, 200_000)
	ulid.Fill(ids)
	forms := []struct {
		name  string
		table *idTable
		run   func(*testing.B, *idTable, []ulid.ULID) (copied, read time.Duration)
	}{
		{"[16]byte", registered, bulk[[16]byte]},
		{"AsUUID-unregistered", plain, bulk[ulid.AsUUID]},
		{"AsUUID", registered, bulk[ulid.AsUUID]},
		{"ULID", registered, bulk[ulid.ULID]},
		{"ID[K]", registered, bulk[userID]},
	}
	copied, read := make([][]time.Duration, len(forms)), make([][]time.Duration, len(forms))
	for b.Loop() {
		for _, i := range rand.Perm(len(forms)) {
			c, r := forms[i].run(b, forms[i].table, ids)
			copied[i], read[i] = append(copied[i], c), append(read[i], r)
		}
	}
	for i, form := range forms {
		c, r := slices.Min(copied[i]), slices.Min(read[i])
		b.Logf("%s: copied in %d ms, read in %d ms", form.name, c.Milliseconds(), r.Milliseconds())
		b.ReportMetric(c.Seconds()/slices.Min(copied[0]).Seconds(), form.name+"-copy")
		b.ReportMetric(r.Seconds()/slices.Min(read[0]).Seconds(), form.name+"-read")
	}
}

func bulk[T any](b *testing.B, s *idTable, from []ulid.ULID) (copied, read time.Duration) {
	ids := make([]T, len(from))
	for i, id := range from {
		ids[i] = as[T](id)
	}
	runtime.GC()
	begin := time.Now()
	rows := pgx.CopyFromSlice(len(ids), func(i int) ([]any, error) { return []any{ids[i], i}, nil })
	if _, err := s.CopyFrom(ctx, pgx.Identifier{"t"}, []string{"id", "n"}, rows); err != nil {
		b.Fatal(err)
	}
	copied = time.Since(begin)
	runtime.GC()
	begin = time.Now()
	all, _ := s.Query(ctx, "SELECT id FROM t")
	var id T
	if _, err := pgx.ForEachRow(all, []any{&id}, func() error { return nil }); err != nil {
		b.Fatal(err)
	}
	read = time.Since(begin)
	if err := s.exec("TRUNCATE t"); err != nil {
		b.Fatal(err)
	}
	return copied, read
}
