package sql

import (
	"database/sql"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	_ "modernc.org/sqlite"
)

// openSQLite returns a database with the tables of the page.
func openSQLite(t *testing.T) (db *sql.DB, parts map[string]string) {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1) // a second connection would open a second :memory:
	t.Cleanup(func() { db.Close() })
	parts, _ = sections(t, "sqlite.sql")
	for _, part := range []string{"text column", "blob column"} {
		exec(t, db, statements(parts[part])[0])
	}
	return db, parts
}

// fillSQLite stores the IDs in the table of each type.
func fillSQLite(t *testing.T, db *sql.DB, ids []ulid.ULID) {
	t.Helper()
	exec(t, db, "BEGIN")
	for _, id := range ids {
		exec(t, db, `INSERT INTO events_text (id) VALUES (?)`, id)
		exec(t, db, `INSERT INTO events_blob (id) VALUES (?)`, ulid.AsBinary(id))
	}
	exec(t, db, "COMMIT")
}

// asDatetime is the time as SQLite writes it, which ends with the year 9999.
func asDatetime(id ulid.ULID) string {
	if id.Time() > 253_402_300_799_999 {
		return "NULL"
	}
	return id.Timestamp().UTC().Format("2006-01-02 15:04:05.000")
}

// TestSQLitePage runs the statements of the page in their order, as somebody who pastes them.
func TestSQLitePage(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	defer db.Close()
	parts, names := sections(t, "sqlite.sql")
	for _, name := range names {
		exec(t, db, parts[name])
	}
}

func TestSQLiteTimeAndConvert(t *testing.T) {
	db, parts := openSQLite(t)
	ids := sampleIDs()
	fillSQLite(t, db, ids)
	wantForms(t, db, ids, parts["time of text"], asText, asDatetime)
	wantForms(t, db, ids, parts["time of blob"], asHex, asDatetime)
	wantForms(t, db, ids, parts["text to blob"], asText, asBytes)
	wantForms(t, db, ids, parts["blob to text"], asBytes, asText)
	exec(t, db, `UPDATE events_text SET id = lower(id)`)
	wantForms(t, db, ids, parts["time of text"], asLower, asDatetime)
	wantForms(t, db, ids, parts["text to blob"], asLower, asBytes)
}

// TestSQLiteRefuses puts every byte at every position of a ULID.
func TestSQLiteRefuses(t *testing.T) {
	db, parts := openSQLite(t)
	exec(t, db, "BEGIN")
	insert := func(s string) { exec(t, db, `INSERT OR IGNORE INTO events_text (id) VALUES (?)`, s) }
	for _, base := range bases {
		for i := range base {
			for c := range 256 {
				insert(base[:i] + string([]byte{byte(c)}) + base[i+1:])
			}
		}
	}
	for _, s := range badTexts {
		insert(s)
		insert(s + "\x00")
	}
	for _, base := range bases {
		insert(base + "\x00")
		insert(base + "\x00x")
	}
	exec(t, db, "COMMIT")
	rows := fetch(t, db, parts["text to blob"])
	if len(rows) < len(bases)*26*255 {
		t.Fatalf("%d rows", len(rows))
	}
	good := 0
	for _, row := range rows {
		got := ""
		if row[1] != nil {
			got = hex.EncodeToString([]byte(text(row[1])))
			good++
		}
		wantParsed(t, text(row[0]), got)
	}
	if good == 0 {
		t.Error("all is refused")
	}
	for _, row := range fetch(t, db, parts["time of text"]) {
		want := "NULL"
		if id, err := ulid.Parse(text(row[0])); err == nil {
			want = asDatetime(id)
		}
		if got := text(row[1]); got != want {
			t.Errorf("the time of %q is %s, want %s", row[0], got, want)
		}
	}

	for n := range 40 {
		exec(t, db, `DELETE FROM events_blob`)
		exec(t, db, `INSERT INTO events_blob (id) VALUES (?)`, make([]byte, n))
		for _, part := range []string{"time of blob", "blob to text"} {
			if got := text(fetch(t, db, parts[part])[0][1]); (got == "NULL") != (n != 16) {
				t.Errorf("%s of %d bytes is %s", part, n, got)
			}
		}
	}
	// What is of another type in its column.
	exec(t, db, `DELETE FROM events_blob; DELETE FROM events_text;
		INSERT INTO events_blob (id) VALUES ('01ARYZ6S41TSV4RR');
		INSERT INTO events_text (id) VALUES (CAST('01ARYZ6S41TSV4RRFFQ69G5FAV' AS BLOB))`)
	for _, part := range []string{"time of blob", "blob to text", "time of text", "text to blob"} {
		if got := text(fetch(t, db, parts[part])[0][1]); got != "NULL" {
			t.Errorf("%s of another type is %q", part, got)
		}
	}
}

func TestSQLiteDefault(t *testing.T) {
	db, parts := openSQLite(t)
	for part, table := range map[string]string{"text column": "events_text", "blob column": "events_blob"} {
		insert := statements(parts[part])[1]
		for range 1000 {
			fetch(t, db, insert)
		}
		wantRandom(t, idsOf(t, fetch(t, db, `SELECT id FROM `+table)))
		exec(t, db, `DELETE FROM `+table)
		exec(t, db, `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
			INSERT INTO `+table+` (note) SELECT i FROM n`)
		wantSameTime(t, idsOf(t, fetch(t, db, `SELECT id FROM `+table)))
	}
}

// TestSQLiteRange runs the ranges of the page and shows that they look into the index.
func TestSQLiteRange(t *testing.T) {
	db, parts := openSQLite(t)
	all, within := november()
	fillSQLite(t, db, all)
	for part, table := range map[string]string{"text range": "events_text", "blob range": "events_blob"} {
		wantRange(t, db, within, parts[part])
		plan := ""
		for _, row := range fetch(t, db, "EXPLAIN QUERY PLAN "+parts[part]) {
			plan += text(row[3]) + "\n"
		}
		if want := "SEARCH " + table + " USING INDEX sqlite_autoindex_" + table + "_1 (id>? AND id<?)"; !strings.Contains(plan, want) {
			t.Errorf("%s\nis planned as\n%s", parts[part], plan)
		}
	}
	// Other bounds, beside FirstAt, whose first 10 characters or 6 bytes they are.
	exec(t, db, `DELETE FROM events_text; DELETE FROM events_blob`)
	times := []time.Time{
		time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(-1, 0), time.Unix(0, 0), time.Unix(0, 1_000_000), time.Unix(1, 1_000_000),
		time.Date(2026, 11, 21, 10, 0, 0, 123_000_000, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999_000_000, time.UTC),
	}
	for i := range 200 { // whose milliseconds are no whole part of a day
		times = append(times, ulid.Time(1_790_000_000_000+uint64(i)*999_999_937))
	}
	for _, at := range times {
		bound := func(part, from string) []ulid.ULID {
			first := ulid.FirstAt(at)
			before, ok := first.Prev()
			ids := []ulid.ULID{first}
			if ok {
				ids = append(ids, before)
			}
			exec(t, db, `DELETE FROM events_text; DELETE FROM events_blob`)
			fillSQLite(t, db, ids)
			query := strings.Replace(parts[part], "2026-11-01", at.UTC().Format("2006-01-02 15:04:05.000"), 1)
			query = strings.Replace(query, "2026-12-01", "9999-12-31 23:59:59.999", 1)
			if at.Year() == 9999 {
				query = strings.Replace(query, from, "-- "+from, 1) // without an end
				query = strings.Replace(query, "ORDER BY id", "\nORDER BY id", 1)
			}
			return idsOf(t, fetch(t, db, query))
		}
		for part, end := range map[string]string{"text range": "  AND id < (SELECT", "blob range": "  AND id < unhex"} {
			got := bound(part, end)
			if len(got) != 1 || got[0] != ulid.FirstAt(at) {
				t.Errorf("the %s from %v has %v, want FirstAt alone", part, at, got)
			}
		}
	}
}

func TestSQLiteFind(t *testing.T) {
	db, parts := openSQLite(t)
	fillSQLite(t, db, sampleIDs())
	id := ulid.Make()
	for _, part := range []string{"find in text", "find in blob"} {
		if rows := fetch(t, db, parts[part]); len(rows) > 0 {
			t.Errorf("%q found among good rows by %s", rows, part)
		}
	}
	for _, c := range []struct {
		table string
		value any
		want  string
	}{
		{"text", id.Bytes(), "blob"}, {"text", []byte(id.String()), "blob"}, {"text", strings.ToLower(id.String()), "lower case"},
		{"text", id.UUIDString(), "UUID notation"}, {"text", "", "no ULID"}, {"text", "01ARYZ6S41TSV4RRFFQ69G5FAU", "no ULID"},
		{"text", "81ARYZ6S41TSV4RRFFQ69G5FAV", "no ULID"}, {"text", id.String() + "\x00", "no ULID"}, {"text", "01ARYZ6S41TSV4RRFFQ69G5FA\x00", "no ULID"},
		{"blob", id.String(), "text"}, {"blob", []byte(id.String()), "text, as a blob"}, {"blob", 1, "integer"}, {"blob", []byte{1}, "no ULID"},
	} {
		exec(t, db, `INSERT INTO events_`+c.table+` (id) VALUES (?)`, c.value)
		rows := fetch(t, db, parts["find in "+c.table])
		if len(rows) != 1 || text(rows[0][1]) != c.want {
			t.Errorf("%q is found as %q, want %q", c.value, rows, c.want)
		}
		exec(t, db, `DELETE FROM events_`+c.table+` WHERE id = ?`, c.value)
	}
}

// TestSQLiteGoFunctions shows the functions that the page registers.
func TestSQLiteGoFunctions(t *testing.T) {
	db, _ := openSQLite(t)
	ids := sampleIDs()
	fillSQLite(t, db, ids)
	asMS := func(id ulid.ULID) string { return text(int64(id.Time())) }
	wantForms(t, db, ids, `SELECT id, ulid_to_text(id), ulid_to_blob(id), ulid_to_uuid(id), ulid_ms(id) FROM events_text`, asText, asText, asBytes, asUUID, asMS)
	wantForms(t, db, ids, `SELECT id, ulid_to_text(id), ulid_to_blob(id), ulid_to_uuid(id), ulid_ms(id) FROM events_blob`, asBytes, asText, asBytes, asUUID, asMS)
	for _, bad := range append(badTexts, "01ARYZ6S41TSV4RRFFQ69G5FAU") {
		if err := db.QueryRow(`SELECT ulid_to_blob(?)`, bad).Scan(new(any)); err == nil {
			t.Errorf("%q is converted", bad)
		}
	}
	if got := fetch(t, db, `SELECT ulid_to_blob(NULL)`)[0][0]; got != nil {
		t.Errorf("of NULL it makes %v", got)
	}
	exec(t, db, `CREATE TABLE made (n INTEGER PRIMARY KEY, id TEXT NOT NULL DEFAULT (ulid_make()))`)
	for range 1000 {
		exec(t, db, `INSERT INTO made DEFAULT VALUES`)
	}
	var before ulid.ULID
	for _, id := range idsOf(t, fetch(t, db, `SELECT id FROM made ORDER BY n`)) {
		if id.Compare(before) <= 0 {
			t.Fatalf("%v comes after %v", id, before)
		}
		before = id
	}
}
