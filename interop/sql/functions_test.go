package sql

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/storage"
)

// A call of a function with the text of an ID in the column id, and what it returns.
type call struct {
	sql  string
	want form
}

// functions is what a family of databases has.
type functions struct {
	calls []call
	null  string         // calls that return NULL
	only  map[string]int // calls that take zeros of one length, as characters or bytes, and of no other
	try   string         // a function that returns "" for what ulid_to_uuid or ulid_to_bin refuses
	texts string         // makes a table of texts
	time  string         // a type of column
	one   string         // a query that calls ulid_make
	made  string         // a query that calls it 1,000 times
}

var family = map[string]functions{
	"postgres": {
		calls: []call{
			{`ulid_to_uuid(id)`, asUUID},
			{`ulid_to_uuid(id COLLATE caseless)`, asUUID},
			{`ulid_to_text(ulid_to_uuid(id))`, asText},
			{`ulid_time(ulid_to_uuid(id))`, asTime},
			{`encode(uuid_send(ulid_first_at(ulid_time(ulid_to_uuid(id)))), 'hex')`, asFirst},
			{`left(encode(uuid_send(ulid_make_at(ulid_time(ulid_to_uuid(id)))), 'hex'), 16)`, asMade},
		},
		null: `SELECT ulid_to_uuid(NULL), ulid_to_text(NULL), ulid_time(NULL), ulid_first_at(NULL), ulid_make_at(NULL)`,
		try: `CREATE FUNCTION try(ulid text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
				RETURN encode(uuid_send(ulid_to_uuid(ulid)), 'hex');
			EXCEPTION WHEN invalid_text_representation THEN
				RETURN '';
			END $$`,
		texts: `CREATE TABLE texts (s text)`,
		time:  `timestamptz`,
		one:   `SELECT encode(uuid_send(ulid_make()), 'hex')`,
		made:  `SELECT encode(uuid_send(ulid_make()), 'hex') FROM generate_series(1, 1000)`,
	},
	"mysql": {
		calls: []call{
			{`LOWER(HEX(ulid_to_bin(id)))`, asHex},
			{`ulid_to_text(ulid_to_bin(id))`, asText},
			{`ulid_time(id)`, until9999(asTime)},
			{`LOWER(HEX(ulid_first_at(ulid_time(id))))`, until9999(asFirst)},
			{`LEFT(LOWER(HEX(ulid_make_at(ulid_time(id)))), 16)`, until9999(asMade)},
		},
		null: `SELECT ulid_to_bin(NULL), ulid_to_text(NULL), ulid_time(NULL), ulid_first_at(NULL), ulid_make_at(NULL)`,
		only: map[string]int{`ulid_to_text(?)`: 16, `ulid_time(?)`: 26},
		// 22001 is for a text that is too long for the parameter, and 1366 for a character that latin1 lacks.
		try: `CREATE FUNCTION try(ulid LONGTEXT CHARACTER SET utf8mb4) RETURNS TEXT
			NO SQL BEGIN
				DECLARE EXIT HANDLER FOR SQLSTATE '22007', SQLSTATE '22001', 1366 RETURN '';
				RETURN LOWER(HEX(ulid_to_bin(ulid)));
			END`,
		texts: `CREATE TABLE texts (s TEXT CHARACTER SET utf8mb4)`,
		time:  `DATETIME(6)`,
		one:   `SELECT LOWER(HEX(ulid_make()))`,
		made: `WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
			SELECT LOWER(HEX(ulid_make())) FROM n`,
	},
}

// modes of the sessions that install and call the functions: the loosest, and one that changes the syntax.
var modes = map[string][]string{"mariadb": {"", "ORACLE"}, "mysql": {"", "ANSI,NO_BACKSLASH_ESCAPES"}}

// inEachMode is onEach of the servers, in each mode of a session.
func inEachMode(t *testing.T, test func(t *testing.T, conn *db.DB, f functions)) {
	t.Helper()
	db.Each(t, servers, func(t *testing.T, d *db.Database) {
		for _, mode := range append(modes[d.Dialect], "default") {
			t.Run("mode "+mode, func(t *testing.T) {
				conn := open(t, d)
				if mode != "default" {
					conn.Run("SET sql_mode = '" + mode + "'")
				}
				install(conn)
				if conn.IsMySQL() && mode == "" && conn.Text(`SELECT @@sql_mode`) != "" {
					t.Error("the file has changed the sql_mode of the session")
				}
				test(t, conn, family[d.Family])
			})
		}
	})
}

// TestFunctions calls each function with IDs in either case.
func TestFunctions(t *testing.T) {
	inEachMode(t, func(t *testing.T, conn *db.DB, f functions) {
		conn.Run(`CREATE TABLE ids (id ` + textType[conn.Family] + `)`)
		texts := form(asText).of(sampleIDs())
		insert(conn, "ids", "id", append(texts, strings.Split(strings.ToLower(strings.Join(texts, " ")), " ")...))
		if conn.Family == "postgres" { // a collation that pattern matching refuses
			conn.Run(`CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`)
		}
		wantCalls(t, conn, f.calls, "ids", 2*len(texts))
		if conn.IsMySQL() { // that of the column, which sorts as IDs do
			wantLines(t, conn, `SELECT COLLATION(ulid_to_text(ulid_make()))`, []string{"ascii_bin"})
		}
		for i, value := range conn.Rows(f.null)[0] {
			if value != nil {
				t.Errorf("column %d is %v, want NULL, of %s", i, value, f.null)
			}
		}
	})
}

// wantCalls fails the test unless the calls return what they should, in n rows of IDs in either case.
func wantCalls(t *testing.T, conn *db.DB, calls []call, from string, n int) {
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
	inEachMode(t, func(t *testing.T, conn *db.DB, f functions) {
		if strings.HasSuffix(t.Name(), "ORACLE") {
			conn.Run("SET sql_mode = ''") // the syntax of try is another one there
		}
		conn.Run(f.try)
		conn.Run(f.texts)
		texts := append(everyCharacter(), badTexts...)
		insert(conn, "texts", "s", texts)
		rows := conn.Rows(`SELECT s, try(s) FROM texts`)
		if len(rows) != len(texts) {
			t.Fatalf("%d rows, want %d", len(rows), len(texts))
		}
		for _, row := range rows {
			want := ""
			if id, err := ulid.Parse(cell(row[0])); err == nil {
				want = asHex(id)
			}
			if got := cell(row[1]); got != want {
				t.Errorf("%q is read as %q, want %q", row[0], got, want)
			}
		}
		for call, want := range f.only {
			for n := 1; n < 40; n++ {
				for _, argument := range []any{bytes.Repeat([]byte{'0'}, n), strings.Repeat("0", n)} {
					var got any
					err := conn.QueryRow(conn.Rebind("SELECT "+call), argument).Scan(&got)
					if (err == nil) != (n == want) {
						t.Errorf("%s of %d zeros is %v, %v", call, n, got, err)
					}
				}
			}
		}
	})
}

// TestFirstAt compares ulid_first_at with FirstAt, also at times that no ID has.
func TestFirstAt(t *testing.T) {
	afterMaxTime := timeOf(largest).Add(time.Millisecond)
	type bound struct {
		argument any
		time     time.Time
	}
	onEach(t, servers, func(t *testing.T, conn *db.DB) {
		var bounds []bound
		for _, at := range []time.Time{
			time.Unix(-1, 0), time.Unix(0, -1000), time.Unix(0, 0), time.Unix(0, 999_000), time.Unix(0, 1_000_000),
			time.Unix(1, 1_999_000),
			time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC),
			time.Date(2026, 11, 21, 10, 0, 0, 123_999_000, time.UTC),
			time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC),
		} {
			bounds = append(bounds, bound{at.UTC(), at})
		}
		if conn.Family == "postgres" {
			bounds = append(bounds, bound{"-infinity", time.Time{}}, bound{"infinity", afterMaxTime})
			for _, at := range []time.Time{
				{}, afterMaxTime.Add(-time.Microsecond), afterMaxTime, afterMaxTime.AddDate(9_000, 0, 0),
			} {
				bounds = append(bounds, bound{at, at})
			}
		}
		for _, b := range bounds {
			var got ulid.ULID
			db.Check(t, (*storage.AnyID)(&got).Scan(conn.Rows(`SELECT ulid_first_at(?)`, b.argument)[0][0]))
			if want := ulid.FirstAt(b.time); got != want {
				t.Errorf("the first ID of %v is %v, want %v", b.argument, got, want)
			}
		}
	})
}

// TestNoTime passes what is no time, which MySQL and MariaDB turn into the zero date if the session is not strict.
func TestNoTime(t *testing.T) {
	onEach(t, mysqls, func(t *testing.T, conn *db.DB) {
		for _, mode := range []string{"", "STRICT_ALL_TABLES", "ALLOW_INVALID_DATES"} {
			conn.Run(`SET sql_mode = '` + mode + `'`)
			for _, function := range []string{"ulid_first_at", "ulid_make_at"} {
				for _, argument := range []string{
					`'garbage'`, `''`, `5`, `'0000-00-00'`, `'2026-00-01'`, `'2026-11-00'`, `'10889-01-01'`, `'2026-11-01 24:00:00'`,
				} {
					wantError(t, conn, "22007", `SELECT `+function+`(`+argument+`)`)
				}
			}
		}
	})
}

// TestMake has the databases make 1,000 IDs in a statement. All are UUIDs of version 7, and each bit below the time
// changes. In PostgreSQL they have the times of their calls, and elsewhere that of the statement.
func TestMake(t *testing.T) {
	onEach(t, servers, func(t *testing.T, conn *db.DB) {
		texts := lines(conn, family[conn.Family].made)
		ones, zeros := ulid.ULID{}, ulid.ULID{}
		seen := map[string]bool{}
		times := map[string]bool{}
		for _, s := range texts {
			seen[s] = true
			times[s[:16]] = true
			id := fromHex(t, s)
			if id[6]>>4 != 7 || id[8]>>6 != 2 {
				t.Fatalf("%s is not a UUID of version 7", s)
			}
			for i := range id {
				ones[i] |= id[i]
				zeros[i] |= ^id[i]
			}
		}
		if len(seen) != 1000 {
			t.Errorf("%d different IDs, want 1000", len(seen))
		}
		if n := len(times); (n == 1) != conn.IsMySQL() {
			t.Errorf("%d different times", n)
		}
		for i, bits := range (ulid.ULID{8: 0x3f, 9: 0xff, 10: 0xff, 11: 0xff, 12: 0xff, 13: 0xff, 14: 0xff, 15: 0xff}) {
			if got := ones[i] & zeros[i]; got&bits != bits {
				t.Errorf("of byte %d the bits %08b change, want %08b", i, got, bits)
			}
		}
	})
}

// TestMakeSorts has a database make an ID after one of a fresh Generator and before one of another. That is their
// order, also where the transaction began earlier.
func TestMakeSorts(t *testing.T) {
	onEach(t, servers, func(t *testing.T, conn *db.DB) {
		conn.Run(`BEGIN`)
		for range 300 {
			before := generateID(time.Now)
			made := fromHex(t, conn.Text(family[conn.Family].one))
			after := generateID(time.Now)
			if before.Compare(made) >= 0 || made.Compare(after) >= 0 {
				t.Fatalf("%v, %v and %v are not in order", before, made, after)
			}
		}
		conn.Run(`COMMIT`)
	})
}

// generateID returns the first ID of a Generator with this clock.
func generateID(clock func() time.Time) ulid.ULID { return (&ulid.Generator{Clock: clock}).Make() }

// TestMakeAt compares the bits of the time with those of a Generator: at each microsecond of a millisecond, and at the
// times of the sample, with another fraction each. It refuses the times that New refuses.
func TestMakeAt(t *testing.T) {
	onEach(t, servers, func(t *testing.T, conn *db.DB) {
		var times []time.Time
		for us := range 1000 {
			times = append(times, time.Date(2026, 11, 1, 5, 30, 0, us*1000, time.UTC))
		}
		for i, id := range sampleIDs() {
			if conn.Family == "postgres" || ms(id) <= endOf9999 {
				times = append(times, timeOf(id).Add(time.Duration(i*997%1000)*time.Microsecond))
			}
		}
		conn.Run(`CREATE TABLE old (t ` + family[conn.Family].time + `)`)
		insert(conn, "old", "t", times)
		rows := conn.Rows(strings.Replace(family[conn.Family].one, "ulid_make()", "ulid_make_at(t)", 1) + `, t FROM old`)
		if len(rows) != len(times) {
			t.Errorf("%d rows, want %d", len(rows), len(times))
		}
		for _, row := range rows {
			got := fromHex(t, cell(row[0]))
			want := generateID(func() time.Time { return row[1].(time.Time) })
			if [8]byte(got[:]) != [8]byte(want[:]) || got[8]>>6 != 2 {
				t.Fatalf("at %v it makes %x, want the time of %x", row[1], got, want)
			}
		}

		if conn.Family == "postgres" { // ulid_make repeats the last lines of ulid_make_at
			wantLines(t, conn, `SELECT count(DISTINCT regexp_replace(prosrc, '.*RETURN', '')) FROM pg_proc
				WHERE pronamespace = current_schema()::regnamespace AND proname IN ('ulid_make', 'ulid_make_at')`, []string{"1"})
		}

		refused := []any{time.Unix(0, -1000).UTC(), time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC)}
		if conn.Family == "postgres" {
			refused = append(refused, timeOf(largest).Add(time.Millisecond), "infinity", "-infinity")
		}
		for _, argument := range refused {
			if at, isTime := argument.(time.Time); isTime {
				if _, err := ulid.MakeAt(at); err == nil {
					t.Errorf("New does not refuse %v", at)
				}
			}
			var got any
			err := conn.QueryRow(conn.Rebind(`SELECT ulid_make_at(?)`), argument).Scan(&got)
			if err == nil || !strings.Contains(err.Error(), "22008") {
				t.Errorf("the error of %v is %v", argument, err)
			}
		}
	})
}
