package sql

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

const (
	readme      = "sql/README.md"
	storagePage = "docs/storage.md"
)

// TestExamples runs the examples of functions: the block, and the expressions for other columns.
func TestExamples(t *testing.T) {
	const fromText, fromPrefix = `ulid.from_text(id)`, `ulid.from_text(right(id::text, 26))`
	const fromBytes, inJSON = `encode(id, 'hex')::uuid`, `'doc_' || lower(ulid.to_text(id))`
	const ofDay = `(ulid.time(id) AT TIME ZONE 'UTC')::date`
	wantWords(t, readme, fromText, fromPrefix, fromBytes)
	wantWords(t, "docs/tools.md", inJSON)
	wantWords(t, "docs/queries.md", ofDay)
	wantWords(t, "typed/README.md", strings.Replace(fromPrefix, "id::text", "'user_01h455vb4pex5vsknk084sn02q'", 1))
	conn := attacked(t)
	for _, c := range []struct {
		column     string
		stored     any
		expression string
	}{
		{`text`, asText(known), fromText},
		{`varchar`, asText(known), fromText},
		{`char(26)`, asLower(known), fromText},
		{`text`, asPrefixed(known), fromPrefix},
		{`varchar`, asPrefixed(known), fromPrefix},
		{`char(31)`, asPrefixed(known), fromPrefix},
		{`bytea`, known[:], fromBytes},
		{`uuid`, asUUID(known), `id`},
	} {
		conn.Run(`DROP TABLE IF EXISTS events`)
		conn.Run(`CREATE TABLE events (id ` + c.column + `)`)
		conn.Run(`INSERT INTO events VALUES (?)`, c.stored)
		wantLines(t, conn, `SELECT `+c.expression+` FROM events`, []string{asUUID(known)})
	}
	wantLines(t, conn, `SELECT `+inJSON+` FROM events`, []string{"doc_" + asLower(known)})
	wantLines(t, conn, `SELECT `+ofDay+` FROM (SELECT ulid.first_at('2026-11-01Z') AS id) t`,
		[]string{"2026-11-01T00:00:00Z"})
	all, one, _ := strings.Cut(page.Code(t, readme, "postgres: functions"), ";\n")
	wantLines(t, conn, all, []string{asUUID(known) + " " + asTime(known) + " " + asText(known)})
	conn.Run(`INSERT INTO events VALUES (?)`, asUUID(largest))
	wantLines(t, conn, one, []string{asUUID(known)})
}

// TestDefault leaves the ID to the DEFAULT of each type of column.
func TestDefault(t *testing.T) {
	conn := attacked(t)
	for _, c := range []struct{ column, clause string }{
		{`uuid`, "DEFAULT ulid.make()"},
		{`text COLLATE "C"`, "DEFAULT ulid.to_text(ulid.make())"},
		{`varchar`, "DEFAULT ulid.to_text(ulid.make())"},
		{`char(26)`, "DEFAULT ulid.to_text(ulid.make())"},
		{`bytea`, "DEFAULT uuid_send(ulid.make())"},
		{`text`, "DEFAULT 'user_' || lower(ulid.to_text(ulid.make()))"},
	} {
		wantWords(t, readme, strings.ReplaceAll(c.clause, "|", `\|`)) // in a table
		conn.Run(`DROP TABLE IF EXISTS events`)
		conn.Run(`CREATE TABLE events (id ` + c.column + ` PRIMARY KEY ` + c.clause + `, note text)`)
		wantMade(t, conn.Rows(`INSERT INTO events (note) VALUES ('a'), ('b') RETURNING id`), 2)
	}
}

// wantMade fails the test unless there are n rows, each with another ID of now.
func wantMade(t *testing.T, rows [][]any, n int) {
	t.Helper()
	seen := map[ulid.ULID]bool{}
	for _, row := range rows {
		id := idOf(row[0])
		if time.Since(id.Time()).Abs() > time.Minute || id[6]>>4 != 7 {
			t.Errorf("the ID is %v", id)
		}
		seen[id] = true
	}
	if len(seen) != n {
		t.Errorf("%d different IDs, want %d", len(seen), n)
	}
}

// november returns 2,000 IDs of 100 months and the ends of November 2026, and its own.
func november() (ids, within []ulid.ULID) {
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	end := start.AddDate(0, 1, 0)
	for i := range 2000 {
		id := ulid.FirstAt(start.Add(time.Duration(i-900) * end.Sub(start) / 20))
		id[15] = byte(i)
		ids = append(ids, id)
	}
	ids = append(ids, ulid.FirstAt(start.Add(6*time.Second))) // has a Z where that of the start has a T
	ids = append(ids, ulid.FirstAt(start), ulid.LastAt(start.Add(-time.Millisecond)))
	ids = append(ids, ulid.FirstAt(end), ulid.LastAt(end.Add(-time.Millisecond)))
	for _, id := range ids {
		at := timeOf(id)
		if !at.Before(start) && at.Before(end) {
			within = append(within, id)
		}
	}
	return ids, within
}

// TestTimeRange runs the block for each column. It looks into the index of the two columns that the pages recommend. On
// the other column it is an error, whose hint is a cast.
func TestTimeRange(t *testing.T) {
	const prefixed = `'user_' || lower(ulid.to_text(ulid.first_at('2026-11-01Z')))`
	wantWords(t, readme, prefixed)
	uuidBlock, textBlock := page.Code(t, readme, "postgres: uuid range"), page.Code(t, readme, "postgres: text range")
	prefixBlock := regexp.MustCompile(`ulid\.to_text\(.*?\)\)`).ReplaceAllString(textBlock, `'user_' || lower($0)`)
	conn := attacked(t)
	conn.Run(`CREATE COLLATION estonian (provider = icu, locale = 'et')`) // sorts Z before T
	ids, within := november()
	for _, c := range []struct {
		column  string
		stored  form
		block   string
		other   string
		indexed bool
	}{
		{column: `uuid`, stored: asUUID, block: uuidBlock, other: textBlock, indexed: true},
		{column: `text COLLATE estonian`, stored: asText, block: textBlock, other: uuidBlock},
		{column: `varchar(26)`, stored: asText, block: textBlock, other: uuidBlock},
		{column: `char(26)`, stored: asText, block: textBlock, other: uuidBlock},
		{column: `text COLLATE "C"`, stored: asPrefixed, block: prefixBlock, other: uuidBlock, indexed: true},
		{column: `char(31)`, stored: asPrefixed, block: prefixBlock, other: uuidBlock},
		{column: `text COLLATE "C"`, stored: asText, block: textBlock, other: uuidBlock, indexed: true},
	} {
		conn.Run(`DROP TABLE IF EXISTS events`)
		conn.Run(`CREATE TABLE events (id ` + c.column + ` PRIMARY KEY)`)
		insert(conn, "events", "id", c.stored.of(ids))
		conn.Run(`ANALYZE events`)
		wantLines(t, conn, c.block, c.stored.of(within))
		plan := strings.Join(lines(conn, "EXPLAIN "+c.block), "\n")
		if c.indexed && !regexp.MustCompile(`Index Cond: \(\(.*id.* >=.*id.* <`).MatchString(plan) {
			t.Errorf("it reads the whole table:\n%s", plan)
		}
		conn.Run(`SET search_path = app`)
		words := "operator does not exist"
		if c.column == "uuid" {
			words = "collations are not supported by type uuid"
		}
		wantError(t, conn, words, c.other)
		conn.Run(`SET search_path = app, public`)
	}
	const cast = `SELECT count(*) FROM events WHERE id < ulid.first_at('2026-11-01Z')::text`
	if n := conn.Count(cast); n != len(ids) {
		t.Errorf("%s matches %d rows; the page says all %d", cast, n, len(ids))
	}
}

// TestBackfill gives IDs to rows of the same microsecond and of others, in columns that have a time zone or none. A
// second run changes nothing, and neither does one that meets a time that no ID has, or the block for the other column.
func TestBackfill(t *testing.T) {
	uuidBlock := page.Code(t, readme, "postgres: uuid backfill")
	textBlock := page.Code(t, readme, "postgres: text backfill")
	layouts := map[string]string{
		"timestamptz": "2006-01-02T15:04:05.999999Z", "timestamp": "2006-01-02T15:04:05.999999", "date": "2006-01-02",
	}
	from := time.Date(2026, 11, 1, 5, 30, 0, 0, time.UTC) // 1:30 twice in New York
	conn := attacked(t)
	for _, c := range []struct{ column, update, other string }{
		{`uuid`, uuidBlock, textBlock},
		{`text COLLATE "C"`, textBlock, uuidBlock},
		{`varchar`, textBlock, uuidBlock},
		{`char(26)`, textBlock, uuidBlock},
	} {
		for created, layout := range layouts {
			conn.Run(`DROP TABLE IF EXISTS events`)
			conn.Run(`CREATE TABLE events (n int, id ` + c.column + ` UNIQUE, created_at ` + created + `)`)
			var times []time.Time
			for n := range 100 {
				text := from.Add(time.Duration(n/10) * 1_000_001 * time.Microsecond).Format(layout)
				at, err := time.Parse(layout, text)
				db.Check(t, err)
				times = append(times, at)
				conn.Run(`INSERT INTO events (n, created_at) VALUES (?, ?)`, n, text)
			}
			conn.Run(`INSERT INTO events (n) VALUES (100)`)

			conn.Run(c.update)
			rows := conn.Rows(`SELECT n, id FROM events ORDER BY n`)
			if len(rows) != 101 || rows[100][1] != nil {
				t.Errorf("%d rows, of which that without a time has the ID %v", len(rows), rows[len(rows)-1][1])
			}
			for n, at := range times {
				got := idOf(rows[n][1])
				want := generateID(func() time.Time { return at })
				if [8]byte(got[:]) != [8]byte(want[:]) {
					t.Fatalf("%s: a row of %v has the ID %v, want the time of %v", created, at, got, want)
				}
			}

			for _, bad := range []string{"1969-12-31", "infinity", "-infinity"} {
				conn.Run(`INSERT INTO events (n, created_at) VALUES (101, '2026-11-01'), (102, ?)`, bad)
				wantError(t, conn, "22008", c.update)
				wantError(t, conn, "COALESCE types", c.other)
				wantLines(t, conn, `SELECT n FROM events WHERE id IS NULL`, []string{"100", "101", "102"})
				conn.Run(`DELETE FROM events WHERE n > 100`)
			}
			conn.Run(c.update)
			if again := conn.Rows(`SELECT n, id FROM events ORDER BY n`); !reflect.DeepEqual(again, rows) {
				t.Errorf("%s: the rows have changed", created)
			}
		}
	}
}
