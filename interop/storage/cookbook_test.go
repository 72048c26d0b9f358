package interop

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/redis/go-redis/v9"
	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/internal/servers"
	"go.mongodb.org/mongo-driver/v2/bson"
	_ "modernc.org/sqlite"
)

// The rows of docs/storage.md that are SQL. The README has one of them for each database.
var sqlRecipes = []struct {
	database, driver, server string
	column, field, query     string
}{
	{"PostgreSQL", "pgx", "ULID_POSTGRES", `id uuid PRIMARY KEY`, "ulid.AsUUID", "SELECT id FROM events WHERE id >= $1 AND id < $2 ORDER BY id"},
	{"PostgreSQL", "pgx", "ULID_POSTGRES", `id text COLLATE "C" PRIMARY KEY`, "ulid.ULID", "SELECT id FROM events WHERE id >= $1 AND id < $2 ORDER BY id"},
	{"PostgreSQL", "pgx", "ULID_POSTGRES", `id bytea PRIMARY KEY`, "ulid.AsBinary", "SELECT id FROM events WHERE id >= $1 AND id < $2 ORDER BY id"},
	{"MySQL, MariaDB", "mysql", "ULID_MARIADB", "id CHAR(26) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY", "ulid.ULID", "SELECT id FROM events WHERE id >= ? AND id < ? ORDER BY id"},
	{"MySQL, MariaDB", "mysql", "ULID_MARIADB", "id BINARY(16) PRIMARY KEY", "ulid.AsBinary", "SELECT id FROM events WHERE id >= ? AND id < ? ORDER BY id"},
	{"SQLite", "sqlite", "", "id TEXT PRIMARY KEY NOT NULL", "ulid.ULID", "SELECT id FROM events WHERE id >= ? AND id < ? ORDER BY id"},
	{"SQLite", "sqlite", "", "id BLOB PRIMARY KEY NOT NULL", "ulid.AsBinary", "SELECT id FROM events WHERE id >= ? AND id < ? ORDER BY id"},
}

// as converts an ID to the field type that a recipe names.
func as(field string, id ulid.ULID) any {
	switch field {
	case "ulid.AsUUID":
		return ulid.AsUUID(id)
	case "ulid.AsBinary":
		return ulid.AsBinary(id)
	}
	return id
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

const storagePage = "../docs/storage.md"

// Each row of the README's table of columns begins a row of docs/storage.md, which the tests run.
func TestColumnsOfREADME(t *testing.T) {
	page, databases := readFile(t, storagePage), 0
	for line := range strings.Lines(readFile(t, "../README.md")) {
		if line = strings.TrimSpace(line); strings.Count(line, "|") == 4 && strings.Contains(line, "`ulid.") {
			databases++
			if !strings.Contains(page, "\n"+line) {
				t.Errorf("%s has no row that begins with\n%s", storagePage, line)
			}
		}
	}
	if databases != 3 {
		t.Errorf("the README has columns for %d databases, want 3", databases)
	}
}

func TestSQLRecipes(t *testing.T) {
	page := readFile(t, storagePage)
	for _, r := range sqlRecipes {
		t.Run(r.database+" "+r.field, func(t *testing.T) {
			if row := fmt.Sprintf("| %s | `%s` | `%s` | `%s` |", r.database, r.column, r.field, r.query); !strings.Contains(page, row) {
				t.Errorf("%s lacks the row\n%s", storagePage, row)
			}
			db := servers.Open(t, r.driver, r.server)
			ctx := context.Background()
			if _, err := db.ExecContext(ctx, "CREATE TEMPORARY TABLE events ("+r.column+")"); err != nil {
				t.Fatal(err)
			}
			from, to, within, outside := oneDay()
			insert := "INSERT INTO events (id) VALUES ($1)"
			if strings.Contains(r.query, "?") {
				insert = "INSERT INTO events (id) VALUES (?)"
			}
			for _, id := range slices.Backward(slices.Concat(within, outside)) {
				if _, err := db.ExecContext(ctx, insert, as(r.field, id)); err != nil {
					t.Fatal(err)
				}
			}
			rows, err := db.QueryContext(ctx, r.query, as(r.field, ulid.FirstAt(from)), as(r.field, ulid.FirstAt(to)))
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			var got []ulid.ULID
			for rows.Next() {
				var id ulid.ULID
				if err := rows.Scan(&id); err != nil {
					t.Fatal(err)
				}
				got = append(got, id)
			}
			if err := rows.Err(); err != nil || !slices.Equal(got, within) {
				t.Errorf("found %s, %v; want %s", got, err, within)
			}
			if _, err := db.ExecContext(ctx, insert, nil); err == nil {
				t.Error("the key may be NULL")
			}
		})
	}
}

// A ULID in a BSON filter is a binary, as it is in the documents, and binaries of one length compare
// by their bytes. No MongoDB server is asked.
func TestMongoDBRecipe(t *testing.T) {
	const query = `bson.M{"_id": bson.M{"$gte": ulid.FirstAt(from), "$lt": ulid.FirstAt(to)}}`
	if row := "| MongoDB | `bson:\"_id\"` | `ulid.ULID` | `" + query + "` |"; !strings.Contains(readFile(t, storagePage), row) {
		t.Errorf("%s lacks the row\n%s", storagePage, row)
	}
	from, to, within, outside := oneDay()
	filter, err := bson.Marshal(bson.M{"_id": bson.M{"$gte": ulid.FirstAt(from), "$lt": ulid.FirstAt(to)}})
	if err != nil {
		t.Fatal(err)
	}
	bound := func(op string) []byte {
		_, data := bson.Raw(filter).Lookup("_id", op).Binary()
		return data
	}
	for i, id := range slices.Concat(within, outside) {
		document, err := bson.Marshal(struct {
			ID ulid.ULID `bson:"_id"`
		}{id})
		if err != nil {
			t.Fatal(err)
		}
		_, data := bson.Raw(document).Lookup("_id").Binary()
		found := bytes.Compare(data, bound("$gte")) >= 0 && bytes.Compare(data, bound("$lt")) < 0
		if found != (i < len(within)) {
			t.Errorf("%s found: %t", id, found)
		}
	}
}

func TestRedisRecipe(t *testing.T) {
	const query = `rdb.ZRangeArgs(ctx, redis.ZRangeArgs{Key: "events", ByLex: true, Start: "[" + ulid.FirstAt(from).String(), Stop: "(" + ulid.FirstAt(to).String()})`
	if row := "| Redis | a sorted set, all scores 0 | `id.String()` | `" + query + "` |"; !strings.Contains(readFile(t, storagePage), row) {
		t.Errorf("%s lacks the row\n%s", storagePage, row)
	}
	options, err := redis.ParseURL(servers.DSN(t, "ULID_REDIS"))
	if err != nil {
		t.Fatal(err)
	}
	rdb := redis.NewClient(options)
	defer rdb.Close()
	ctx := context.Background()
	defer rdb.Del(ctx, "events")
	from, to, within, outside := oneDay()
	for _, id := range slices.Backward(slices.Concat(within, outside)) {
		if err := rdb.ZAdd(ctx, "events", redis.Z{Member: id.String()}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	got, err := rdb.ZRangeArgs(ctx, redis.ZRangeArgs{Key: "events", ByLex: true, Start: "[" + ulid.FirstAt(from).String(), Stop: "(" + ulid.FirstAt(to).String()}).Result()
	var want []string
	for _, id := range within {
		want = append(want, id.String())
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("found %s, %v; want %s", got, err, want)
	}
}

// What docs/storage.md says about a tool is a cell of this module's README, which the tests have filled.
func TestToolRecipes(t *testing.T) {
	page, matrix := readFile(t, storagePage), readFile(t, "README.md")
	for _, code := range []string{
		"`gorm:\"type:uuid\"`",
		"`gorm:\"type:char(26) collate ucs_basic\"`",
		"`gorm:\"type:char(26) character set ascii collate ascii_bin\"`",
		"`gorm:\"type:char(26)\"`",
		"`bun:\"id,pk,type:uuid\"`",
		"`bun:\"id,pk,type:char(26) collate ucs_basic\"`",
		"`bun:\"id,pk,type:char(26) character set ascii collate ascii_bin\"`",
		"`bun:\"id,pk,type:char(26)\"`",
		"`db:\"id\"`",
		"`field.String(\"id\").GoType(ulid.ULID{}).MaxLen(26).DefaultFunc(ulid.Make)`",
		".SchemaType(map[string]string{dialect.Postgres: \"text collate ucs_basic\"})`",
		"`column: \"*.id\"` and `column: \"*.*_id\"`, `go_type: \"github.com/seed-961d0905/ulid.ULID\"`",
		"`db_type: uuid`",
		"`uri:\"id,parser=encoding.TextUnmarshaler\"`",
		"`First(&x, \"id = ?\", id)`",
		"`Delete(&X{ID: id})`",
	} {
		if !strings.Contains(page, code) {
			t.Errorf("%s lacks %s", storagePage, code)
		}
		if !strings.Contains(matrix, code) {
			t.Errorf("no test has shown %s: the README of this module lacks it", code)
		}
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
