package storage

import (
	"bytes"
	"context"
	"crypto/rand"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// TestRecommendedColumns finds the columns that docs/storage.md recommends in the README, and on the page of the database.
func TestRecommendedColumns(t *testing.T) {
	row := regexp.MustCompile(`(?m)^\| \[(.*)\]\((.*)\) (\| .* \| .* \|)$`)
	rows := row.FindAllStringSubmatch(page.Text(t, "docs/storage.md"), -1)
	for _, m := range rows {
		page.Contains(t, "README.md", "\n| "+m[1]+" "+m[3])
		page.Contains(t, "docs/"+m[2], "\n"+m[3])
	}
	if len(rows) != 3 {
		t.Errorf("docs/storage.md has columns for %d databases, want 3", len(rows))
	}
}

// TestColumns reads the first table of each database's page. It makes each column, inserts IDs as the Go type, and asks for
// those of one day, as docs/queries.md does.
func TestColumns(t *testing.T) {
	rows := 0
	ranges := strings.TrimSuffix(page.Code(t, "docs/queries.md", "range"), "\n")
	for dialect, s := range map[string]server{"postgres": postgres, "mysql": mysql, "mariadb": mariadb, "sqlite": sqlite} {
		query := ranges
		if dialect != "postgres" {
			query = strings.NewReplacer("$1", "?", "$2", "?").Replace(ranges)
		}
		for line := range strings.Lines(page.Text(t, dialects[dialect].page)) {
			cells := strings.Split(strings.TrimSpace(line), " | ")
			if len(cells) != 3 || !strings.HasPrefix(cells[0], "| `id ") {
				continue
			}
			rows++
			definition := strings.Trim(cells[0], "|` ")
			goType := strings.TrimPrefix(strings.Trim(cells[1], "`"), "ulid.")
			t.Run(dialect+" "+goType, func(t *testing.T) {
				sqlType, _, _ := strings.Cut(strings.TrimPrefix(definition, "id "), " PRIMARY KEY")
				if !slices.Contains(s.columns, column{sqlType, goType}) {
					t.Fatalf("%s is not the documented type of %s in %s", goType, sqlType, dialect)
				}
				tryColumn(t, s, definition, goType, query)
			})
		}
	}
	if rows != 9 {
		t.Errorf("the pages have %d columns, want 9", rows)
	}
}

// tryColumn makes the column, inserts IDs as the Go type, and asks for those of one day.
func tryColumn(t *testing.T, s server, definition, goType, query string) {
	db := s.open(t, s.drivers[0])
	db.MustExec("CREATE TABLE events (" + definition + ")")
	insert := db.Rebind("INSERT INTO events (id) VALUES (?)")
	from, to, within, outside := oneDay()
	for _, id := range slices.Backward(slices.Concat(within, outside)) {
		db.MustExec(insert, value(goType, id))
	}
	var got []ulid.ULID
	err := db.Select(&got, query, value(goType, ulid.FirstAt(from)), value(goType, ulid.FirstAt(to)))
	if err != nil || !slices.Equal(got, within) {
		t.Errorf("found %s, %v; want %s", got, err, within)
	}
	if _, err := db.Exec(insert, nil); err == nil {
		t.Error("the key may be NULL")
	}
}

// TestMongoDB asks no server. A ULID in a BSON filter is a binary, as it is in the documents, and binaries
// of one length compare by their bytes.
func TestMongoDB(t *testing.T) {
	page.Contains(t, "docs/other-databases.md", "| MongoDB | `bson:\"_id\"` | `ulid.ULID` | `"+
		`bson.M{"_id": bson.M{"$gte": ulid.FirstAt(from), "$lt": ulid.FirstAt(to)}}`+"` |")
	from, to, within, outside := oneDay()
	filter, err := bson.Marshal(bson.M{"_id": bson.M{"$gte": ulid.FirstAt(from), "$lt": ulid.FirstAt(to)}})
	check(t, err)
	_, first := bson.Raw(filter).Lookup("_id", "$gte").Binary()
	_, last := bson.Raw(filter).Lookup("_id", "$lt").Binary()
	for i, id := range slices.Concat(within, outside) {
		document, err := bson.Marshal(struct {
			ID ulid.ULID `bson:"_id"`
		}{id})
		check(t, err)
		_, data := bson.Raw(document).Lookup("_id").Binary()
		found := bytes.Compare(data, first) >= 0 && bytes.Compare(data, last) < 0
		if want := i < len(within); found != want {
			t.Errorf("%s found: %t, want %t", id, found, want)
		}
	}
}

func TestRedis(t *testing.T) {
	page.Contains(t, "docs/other-databases.md", "| Redis | a sorted set, all scores 0 | `id.String()` | `rdb.ZRangeArgs(ctx, "+
		`redis.ZRangeArgs{Key: "events", ByLex: true, `+
		`Start: "[" + ulid.FirstAt(from).String(), Stop: "(" + ulid.FirstAt(to).String()})`+"` |")
	options, err := redis.ParseURL(db.DSN(t, "ULID_REDIS"))
	check(t, err)
	rdb := redis.NewClient(options)
	defer rdb.Close()
	ctx := context.Background()
	defer rdb.Del(ctx, "events")
	from, to, within, outside := oneDay()
	for _, id := range slices.Backward(slices.Concat(within, outside)) {
		check(t, rdb.ZAdd(ctx, "events", redis.Z{Member: id.String()}).Err())
	}
	got, err := rdb.ZRangeArgs(ctx, redis.ZRangeArgs{
		Key: "events", ByLex: true, Start: "[" + ulid.FirstAt(from).String(), Stop: "(" + ulid.FirstAt(to).String(),
	}).Result()
	var want []string
	for _, id := range within {
		want = append(want, id.String())
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("found %s, %v; want %s", got, err, want)
	}
}

// oneDay returns the beginning and the end of a day, IDs of it in their order, and IDs of other times:
// the neighbours of the day, and some that are years away.
func oneDay() (from, to time.Time, within, outside []ulid.ULID) {
	from = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	to = from.AddDate(0, 0, 1)
	const ms = time.Millisecond
	for _, t := range []time.Time{from, from.Add(ms), from.Add(12 * time.Hour), to.Add(-ms)} {
		within = append(within, ulid.FirstAt(t), ulid.MustNew(ulid.Timestamp(t), rand.Reader), ulid.LastAt(t))
	}
	for _, t := range []time.Time{
		{}, from.AddDate(-9, 0, 0), from.AddDate(0, 0, -1), from.Add(-ms),
		to, to.Add(ms), to.AddDate(0, 0, 1), to.AddDate(9, 0, 0), ulid.Time(ulid.MaxTime()),
	} {
		outside = append(outside, ulid.FirstAt(t), ulid.LastAt(t))
	}
	return from, to, within, slices.Compact(outside)
}
