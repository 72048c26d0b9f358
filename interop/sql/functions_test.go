package sql

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// calls of functions with the text of an ID in the column id, and what they return.
var calls = []struct {
	sql  string
	want form
}{
	{`ulid.from_text(id)`, asUUID},
	{`ulid.to_text(ulid.from_text(id))`, asText},
	{`ulid.time(ulid.from_text(id))`, asTime},
	{`ulid.first_at(ulid.time(ulid.from_text(id)))`, asFirst},
	{`ulid.time(ulid.make_at(ulid.time(ulid.from_text(id))))`, asTime},
}

// TestFunctions calls each function with IDs in either case, in a column whose collation pattern matching refuses, and
// with NULL.
func TestFunctions(t *testing.T) {
	conn := installed(t)
	conn.Run(`CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`)
	texts := form(asText).of(sampleIDs())
	texts = append(texts, strings.Split(strings.ToLower(strings.Join(texts, " ")), " ")...)
	for _, collation := range []string{`"C"`, `caseless`} {
		conn.Run(`DROP TABLE IF EXISTS ids`)
		conn.Run(`CREATE TABLE ids (id text COLLATE ` + collation + `)`)
		insert(conn, "ids", "id", texts)
		wantCalls(t, conn, "ids", len(texts))
	}
	const others = `SELECT proname FROM pg_proc WHERE pronamespace = 'ulid'::regnamespace AND proname <> 'make'`
	for _, name := range lines(conn, others) { // wantSame calls ulid.make
		if !strings.Contains(fmt.Sprint(calls), "ulid."+name+"(") {
			t.Errorf("calls lacks ulid.%s", name)
		}
	}
	wantLines(t, conn, `SELECT ulid.from_text(NULL), ulid.to_text(NULL), ulid.time(NULL), ulid.first_at(NULL),
		ulid.make_at(NULL)`, []string{"NULL NULL NULL NULL NULL"})
}

// wantCalls fails the test unless the calls return what they should, in n rows of IDs in either case.
func wantCalls(t *testing.T, conn *db.DB, from string, n int) {
	t.Helper()
	query := "SELECT id"
	for _, c := range calls {
		query += ", " + c.sql
	}
	rows := conn.Rows(query + " FROM " + from)
	if len(rows) != n {
		t.Errorf("%d rows, want %d", len(rows), n)
	}
	for _, row := range rows {
		id := ulid.MustParse(cell(row[0]))
		for i, c := range calls {
			got, want := cell(row[i+1]), c.want(id)
			if got != want {
				t.Fatalf("%s of %s is %q, want %q", c.sql, cell(row[0]), got, want)
			}
		}
	}
}

// TestRefuses has the database read texts that may not be ULIDs. It reads and refuses what Parse does.
func TestRefuses(t *testing.T) {
	conn := installed(t)
	conn.Run(`CREATE FUNCTION try(ulid text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
			RETURN ulid.from_text(ulid);
		EXCEPTION WHEN invalid_text_representation THEN
			RETURN '';
		END $$`)
	conn.Run(`CREATE TABLE texts (s text)`)
	texts := append(everyCharacter(), badTexts...)
	insert(conn, "texts", "s", texts)
	rows := conn.Rows(`SELECT s, try(s) FROM texts`)
	if len(rows) != len(texts) {
		t.Fatalf("%d rows, want %d", len(rows), len(texts))
	}
	for _, row := range rows {
		want := ""
		if id, err := ulid.Parse(cell(row[0])); err == nil {
			want = asUUID(id)
		}
		if got := cell(row[1]); got != want {
			t.Errorf("%q is read as %q, want %q", row[0], got, want)
		}
	}
}

// TestFirstAt compares ulid.first_at with FirstAt, also at times that no ID has.
func TestFirstAt(t *testing.T) {
	conn := installed(t)
	wantFirst := func(argument any, at time.Time) {
		t.Helper()
		want := asUUID(ulid.FirstAt(at))
		if got := conn.Text(`SELECT ulid.first_at(?)::text`, argument); got != want {
			t.Errorf("the first ID of %v is %v, want %v", argument, got, want)
		}
	}
	afterMaxTime := timeOf(largest).Add(time.Millisecond)
	for _, at := range []time.Time{
		{}, time.Unix(-1, 0), time.Unix(0, -1000), time.Unix(0, 0), time.Unix(0, 999_000), time.Unix(0, 1_000_000),
		time.Unix(1, 1_999_000),
		time.Date(2026, 11, 21, 10, 0, 0, 123_999_000, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC),
		afterMaxTime.Add(-time.Microsecond), afterMaxTime, afterMaxTime.AddDate(9_000, 0, 0),
	} {
		wantFirst(at.UTC(), at)
	}
	wantFirst("-infinity", time.Time{})
	wantFirst("infinity", afterMaxTime)
}

// TestMake has the database make 1,000 IDs in a statement. All are UUIDs of version 7, with the times of their calls.
// Each bit below the time changes.
func TestMake(t *testing.T) {
	conn := installed(t)
	ones, zeros := ulid.ULID{}, ulid.ULID{}
	seen := map[ulid.ULID]bool{}
	times := map[[8]byte]bool{}
	for _, s := range lines(conn, `SELECT ulid.make()::text FROM generate_series(1, 1000)`) {
		id := ulid.ULID(ulid.MustParseUUID(s))
		seen[id] = true
		times[[8]byte(id[:])] = true
		if id[6]>>4 != 7 || id[8]>>6 != 2 {
			t.Fatalf("%s is not a UUID of version 7", s)
		}
		for i := range id {
			ones[i] |= id[i]
			zeros[i] |= ^id[i]
		}
	}
	if len(seen) != 1000 || len(times) == 1 {
		t.Errorf("%d different IDs, want 1000, with %d different times", len(seen), len(times))
	}
	for i, bits := range (ulid.ULID{8: 0x3f, 9: 0xff, 10: 0xff, 11: 0xff, 12: 0xff, 13: 0xff, 14: 0xff, 15: 0xff}) {
		if got := ones[i] & zeros[i]; got&bits != bits {
			t.Errorf("of byte %d the bits %08b change, want %08b", i, got, bits)
		}
	}
}

// generateID returns the first ID of a Generator with this clock.
func generateID(clock func() time.Time) ulid.ULID { return (&ulid.Generator{Clock: clock}).Make() }

// TestMakeAt compares the bits of the time with those of a Generator: at each microsecond of a millisecond, and at the
// times of the sample, with another fraction each. It refuses the times that MakeAt refuses.
func TestMakeAt(t *testing.T) {
	conn := installed(t)
	var times []time.Time
	for us := range 1000 {
		times = append(times, time.Date(2026, 11, 1, 5, 30, 0, us*1000, time.UTC))
	}
	for i, id := range sampleIDs() {
		times = append(times, timeOf(id).Add(time.Duration(i*997%1000)*time.Microsecond))
	}
	conn.Run(`CREATE TABLE old (t timestamptz)`)
	insert(conn, "old", "t", times)
	rows := conn.Rows(`SELECT ulid.make_at(t)::text, t FROM old`)
	if len(rows) != len(times) {
		t.Errorf("%d rows, want %d", len(rows), len(times))
	}
	for _, row := range rows {
		got := ulid.MustParseUUID(cell(row[0]))
		want := generateID(func() time.Time { return row[1].(time.Time) })
		if [8]byte(got[:]) != [8]byte(want[:]) || got[8]>>6 != 2 {
			t.Fatalf("at %v it makes %v, want the time of %v", row[1], got, want)
		}
	}

	// ulid.make repeats the last lines of ulid.make_at.
	wantLines(t, conn, `SELECT count(*), count(DISTINCT regexp_replace(prosrc, '.*RETURN', '')) FROM pg_proc
		WHERE pronamespace = 'ulid'::regnamespace AND proname LIKE 'make%'`, []string{"2 1"})

	for _, at := range []time.Time{
		time.Unix(0, -1000), time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC), timeOf(largest).Add(time.Millisecond),
	} {
		if _, err := ulid.MakeAt(at); err == nil {
			t.Errorf("MakeAt does not refuse %v", at)
		}
		wantError(t, conn, "22008", `SELECT ulid.make_at(?)`, at.UTC())
	}
	wantError(t, conn, "22008", `SELECT ulid.make_at('infinity')`)
	wantError(t, conn, "22008", `SELECT ulid.make_at('-infinity')`)
}

// TestUUIDv7 makes IDs strictly in turns with PostgreSQL's uuidv7(). Each is greater than the one before.
func TestUUIDv7(t *testing.T) {
	conn := db.PostgreSQL.Open(t, session)
	if version := conn.Count(`SELECT current_setting('server_version_num')::int`); version < 18_00_00 {
		t.Skipf("PostgreSQL %d has no uuidv7(): name a server of PostgreSQL 18 by ULID_POSTGRES", version/1_00_00)
	}
	const rounds = 1000
	var ids []ulid.ULID
	for range rounds {
		ids = append(ids, ulid.Make(), ulid.ULID(ulid.MustParseUUID(conn.Text(`SELECT uuidv7()::text`))))
	}
	var wrong [2]int
	for i, id := range ids[1:] {
		if id.Compare(ids[i]) <= 0 {
			wrong[i%2]++
		}
	}
	if wrong != [2]int{} {
		t.Errorf("of %d each, %d of uuidv7() and %d of Make are not greater than the ID before", rounds, wrong[0], wrong[1])
	}
}
