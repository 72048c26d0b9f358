package sql

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jmoiron/sqlx"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

//go:generate go test -run ^TestPage$ . -write

// guides are the pages whose statements the tests run.
var guides = []string{"docs/postgresql.md", "docs/mysql.md", "docs/sqlite.md"}

// TestPage shows that each block of the pages is run by the other tests, and that they have the Go code as it is here.
func TestPage(t *testing.T) {
	const here = "interop/sql/"
	for _, guide := range guides {
		for _, b := range page.Blocks(page.Text(t, guide)) {
			name, _, _ := strings.Cut(b.Name, ": ")
			run := slices.ContainsFunc(databases, func(d *database) bool {
				return slices.Contains(strings.Split(name, ", "), d.name)
			})
			if !run && !strings.HasPrefix(b.Name, here) && b.Language != "sh" {
				t.Errorf("no test runs the block <!-- %s -->:\n%s", b.Name, b.Code)
			}
		}
		text, err := page.Sources(page.Text(t, guide), here)
		if err != nil {
			t.Fatal(err)
		}
		page.Check(t, guide, text)
	}
}

// each runs a test on each database, and in each mode of its sessions if it is to.
func each(t *testing.T, inModes bool, test func(t *testing.T, d *database, mode string)) {
	for _, d := range databases {
		for _, mode := range d.modes {
			t.Run(d.name+" "+mode, func(t *testing.T) { test(t, d, mode) })
			if !inModes {
				break
			}
		}
	}
}

// TestInOrder runs the statements of the page in their order, as somebody who pastes them.
func TestInOrder(t *testing.T) {
	each(t, false, func(t *testing.T, d *database, mode string) { exec(t, d.open(t, mode).DB, d.code(t, "")) })
}

func TestTimeAndConvert(t *testing.T) {
	ids := sampleIDs()
	each(t, true, func(t *testing.T, d *database, mode string) {
		db := d.with(t, mode, ids)
		times, converts := d.queries(t, "time"), d.queries(t, "convert")
		for i := range d.tables {
			wantForms(t, db, ids, times[i], d.time[i]...)
			wantForms(t, db, ids, converts[i], d.convert[i]...)
		}
		for query, forms := range d.more {
			wantForms(t, db, ids, query, forms...)
		}
		exec(t, db.DB, `UPDATE events_text SET id = lower(id)`)
		for i, table := range d.tables {
			if table.name == "events_text" {
				wantForms(t, db, ids, times[i], asLower, d.time[i][1])
				wantForms(t, db, ids, converts[i], append([]form{asLower}, d.convert[i][1:]...)...)
			}
		}
		if d.name != "sqlite" {
			d.fill(t, db, []ulid.ULID{known})
			wantIDs(t, db, []ulid.ULID{known}, d.code(t, "look up"))
		}
	})
}

// --- what is refused

// TestRefuses puts every byte at every position of a ULID, and has the database read that and other texts. It refuses what Parse
// refuses.
func TestRefuses(t *testing.T) {
	each(t, true, func(t *testing.T, d *database, mode string) {
		db := d.with(t, "default", nil)
		exec(t, db.DB, strings.Replace(d.tries, "$convert", d.queries(t, "convert")[0], 1))
		read := everyByte()
		if d.name == "postgres" { // whose texts are of characters, and have no NUL
			for i, s := range read {
				read[i] = latin1(strings.ReplaceAll(s, "\x00", "!"))
			}
		}
		if d.read == "" {
			read = append(read, badTexts...)
		}
		insert(t, db, "texts", "s", read)
		if mode != "default" {
			exec(t, db.DB, "SET sql_mode = '"+mode+"'")
		}
		rows := fetch(t, db, d.readAll)
		if len(rows) != len(read) {
			t.Fatalf("%d rows, want %d", len(rows), len(read))
		}
		for _, row := range rows {
			for _, got := range row[1:] {
				wantParsed(t, text(row[0]), text(got))
			}
		}
		for _, s := range badTexts {
			if d.read != "" && (s != "" || !strings.Contains(mode, "EMPTY_STRING_IS_NULL")) { // it is NULL there
				wantParsed(t, s, text(fetch(t, db, db.Rebind(d.read), s)[0][0]))
			}
		}
		for _, call := range d.take16 {
			for n := 1; n < 40; n++ {
				var got any
				if err := db.QueryRow(db.Rebind("SELECT "+call), make([]byte, n)).Scan(&got); (err == nil) != (n == 16) {
					t.Errorf("%s of %d bytes is %v, %v", call, n, got, err)
				}
			}
		}
		for i, cell := range fetch(t, db, d.null)[0] {
			if cell != nil {
				t.Errorf("column %d is %v, want NULL, of %s", i, cell, d.null)
			}
		}
	})
}

// latin1 returns a text whose characters have the numbers of the bytes.
func latin1(s string) string {
	var runes []rune
	for _, b := range []byte(s) {
		runes = append(runes, rune(b))
	}
	return string(runes)
}

// TestSQLiteGivesNull has the expressions of the page read what is not a ULID.
func TestSQLiteGivesNull(t *testing.T) {
	d := sqliteDB
	db := d.with(t, "", nil)
	exec(t, db.DB, `CREATE TABLE texts (s)`)
	insert(t, db, "texts", "s", everyByte())
	exec(t, db.DB, `INSERT INTO events_text (id) SELECT DISTINCT s FROM texts`)
	for _, row := range fetch(t, db, d.queries(t, "time")[0]) {
		want := "NULL"
		if id, err := ulid.Parse(text(row[0])); err == nil {
			want = until9999(asSQLite)(id)
		}
		if got := text(row[1]); got != want {
			t.Errorf("the time of %q is %s, want %s", row[0], got, want)
		}
	}

	// Values of other lengths, and of another type.
	values := []any{known.String() + "\x00", known.String() + "\x00x", []byte(known.String()), "01ARYZ6S41TSV4RRFFQ69G5FAU", known.String()[:16]}
	for n := range 40 {
		values = append(values, make([]byte, n), strings.Repeat("\x00", n))
	}
	for _, s := range badTexts {
		values = append(values, s+"\x00")
	}
	queries := [][]string{d.queries(t, "time"), d.queries(t, "convert")}
	for i, table := range []string{"events_text", "events_blob"} {
		for _, value := range values {
			if b, ok := value.([]byte); ok && len(b) == 16 && i == 1 {
				continue // it is one
			}
			exec(t, db.DB, `DELETE FROM `+table)
			insert(t, db, table, "id", []any{value})
			for _, q := range queries {
				if got := fetch(t, db, q[i])[0][1]; got != nil {
					t.Errorf("%q gives %q, want NULL, by\n%s", value, got, q[i])
				}
			}
		}
	}
	for _, s := range badTexts {
		var got any
		if err := db.QueryRow(`SELECT ulid_to_blob(?)`, s).Scan(&got); err == nil {
			t.Errorf("ulid_to_blob(%q) = %q, want an error", s, got)
		}
	}
}

// --- what the database makes

func TestDefault(t *testing.T) {
	each(t, false, func(t *testing.T, d *database, mode string) {
		db := d.with(t, mode, nil)
		for i, table := range d.tables {
			name := table.name
			if d.name != "mysql" { // which has no RETURNING
				query := d.queries(t, "insert")[i]
				for range 1000 {
					fetch(t, db, query)
				}
				wantRandom(t, idsOf(t, fetch(t, db, `SELECT id FROM `+name)), false)
				exec(t, db.DB, `DELETE FROM `+name)
			}
			insert(t, db, name, "note", make([]string, 1000)) // one statement
			wantRandom(t, idsOf(t, fetch(t, db, `SELECT id FROM `+name)), d.sameTime)
		}
		if d.make != "" {
			wantRandom(t, idsOf(t, fetch(t, db, d.make)), d.sameTime)
		}
	})
}

// TestSQLiteMake shows that the function in Go makes IDs in order.
func TestSQLiteMake(t *testing.T) {
	db := openSQLite(t, "")
	exec(t, db.DB, `CREATE TABLE made (n INTEGER PRIMARY KEY, id TEXT NOT NULL DEFAULT (ulid_make()))`)
	insert(t, db, "made", "n", make([]*int, 1000))
	var before ulid.ULID
	for _, id := range idsOf(t, fetch(t, db, `SELECT id FROM made ORDER BY n`)) {
		if id.Compare(before) <= 0 {
			t.Fatalf("%v comes after %v", id, before)
		}
		before = id
	}
}

// --- time

// TestRange runs the ranges of the page and shows that they look into the index, where a condition on ulid_time reads every row.
func TestRange(t *testing.T) {
	all, within := november()
	each(t, false, func(t *testing.T, d *database, mode string) {
		db := d.with(t, mode, all)
		exec(t, db.DB, d.analyze)
		if d.isMySQL() {
			exec(t, db.DB, d.code(t, "bounds"))
		}
		for _, query := range d.queries(t, "range") {
			wantIDs(t, db, within, query)
			if plan := fmt.Sprintf("%s", fetch(t, db, d.explain+query)); !d.indexed.MatchString(plan) {
				t.Errorf("%s\nis planned without the index:\n%s", query, plan)
			}
		}
		if d.slow != "" {
			wantIDs(t, db, within, d.slow)
			if plan := fmt.Sprintf("%s", fetch(t, db, d.explain+d.slow)); d.indexed.MatchString(plan) {
				t.Errorf("%s\nis planned with the index:\n%s", d.slow, plan)
			}
		}
	})
}

var boundTimes = []time.Time{
	time.Unix(-1, 0), time.Unix(0, -1000), time.Unix(0, 0), time.Unix(0, 999_000), time.Unix(0, 1_000_000), time.Unix(1, 1_999_000),
	time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 21, 10, 0, 0, 123_999_000, time.UTC),
	time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC),
}

// TestBounds compares the bounds with FirstAt and LastAt at times that no ID has.
func TestBounds(t *testing.T) {
	each(t, true, func(t *testing.T, d *database, mode string) {
		db := d.open(t, mode)
		times, as := boundTimes, asBytes
		switch d.name {
		case "sqlite":
			return // TestSQLiteBounds
		case "postgres":
			as = asUUID
			times = append(times, time.Time{}, ulid.Time(ulid.MaxTime()).Add(999*time.Microsecond),
				ulid.Time(ulid.MaxTime()).Add(time.Millisecond), time.Date(20_000, 1, 1, 0, 0, 0, 0, time.UTC))
		}
		for _, at := range times {
			row := fetch(t, db, db.Rebind(`SELECT ulid_first_at(?), ulid_last_at(?)`), at.UTC(), at.UTC())[0]
			if got, want := text(row[0]), as(ulid.FirstAt(at)); got != want {
				t.Errorf("ulid_first_at(%v) = %q, want %q", at, got, want)
			}
			if got, want := text(row[1]), as(ulid.LastAt(at)); got != want {
				t.Errorf("ulid_last_at(%v) = %q, want %q", at, got, want)
			}
		}
		if d.name == "postgres" {
			row := fetch(t, db, `SELECT ulid_first_at('-infinity'), ulid_first_at('infinity'), ulid_last_at('-infinity'), ulid_last_at('infinity')`)[0]
			zero, last := asUUID(ulid.ULID{}), asUUID(ulid.MustParse(lowerLast))
			for i, want := range []string{zero, last, zero, last} {
				if got := text(row[i]); got != want {
					t.Errorf("column %d of the bounds at infinity is %s, want %s", i, got, want)
				}
			}
		}
	})
}

// TestSQLiteBounds puts a time into the ranges of the page. They begin with its FirstAt.
func TestSQLiteBounds(t *testing.T) {
	d := sqliteDB
	db := d.with(t, "", nil)
	times := boundTimes
	for i := range 200 { // whose milliseconds are no whole part of a day
		times = append(times, ulid.Time(1_790_000_000_000+uint64(i)*999_999_937))
	}
	noEnd := strings.NewReplacer("  AND id < (SELECT", "-- ", "  AND id < unhex", "-- ")
	for _, at := range times {
		at = at.UTC().Truncate(time.Millisecond) // SQLite rounds
		first := ulid.FirstAt(at)
		ids := []ulid.ULID{first}
		if before := ulid.LastAt(at.Add(-time.Millisecond)); !first.IsZero() {
			ids = append(ids, before)
		}
		exec(t, db.DB, `DELETE FROM events_text; DELETE FROM events_blob`)
		d.fill(t, db, ids)
		for _, query := range d.queries(t, "range") {
			query = noEnd.Replace(strings.Replace(query, "2026-11-01", at.Format("2006-01-02 15:04:05.000"), 1))
			wantIDs(t, db, ids[:1], query)
		}
	}
}

// --- other rows

// TestFind stores what does not belong in a column.
func TestFind(t *testing.T) {
	each(t, false, func(t *testing.T, d *database, mode string) {
		ids := append(sampleIDs()[:1000], ulid.ULID{}, ulid.LastAt(time.Now()))
		if d.isMySQL() {
			mode = ""        // not strict: it cuts
			ids = ids[1000:] // an ID of the future is found
		}
		db := d.with(t, mode, ids)
		queries := map[string]string{}
		for _, query := range d.queries(t, "find") {
			_, name, _ := strings.Cut(query, "\nFROM ")
			name = strings.Fields(name)[0]
			queries[name] = query
			if rows := fetch(t, db, query); len(rows) > 0 {
				t.Errorf("%q found among good rows of %s", rows, name)
			}
		}
		for _, b := range d.bad {
			exec(t, db.DB, `DELETE FROM `+b.table)
			insert(t, db, b.table, "id", []any{b.value})
			rows := fetch(t, db, queries[b.table])
			if len(rows) != 1 {
				t.Errorf("%q is found %d times, want once", b.value, len(rows))
				continue
			}
			if got := text(rows[0][1]); got != b.form {
				t.Errorf("%q is found as %q, want %q", b.value, got, b.form)
			}
		}
	})
}

// TestColumns converts columns in place, with the keys that refer to them.
func TestColumns(t *testing.T) {
	ids := sampleIDs()
	each(t, true, func(t *testing.T, d *database, mode string) {
		for _, c := range d.conversions {
			if mode != "" && mode != "default" {
				continue
			}
			t.Run(c.k, func(t *testing.T) {
				db := d.with(t, mode, ids)
				exec(t, db.DB, d.code(t, "references"))
				events, items := "events_"+c.k, "items_"+c.k
				convert := strings.NewReplacer(c.instead...).Replace(d.code(t, c.part))
				exec(t, db.DB, `INSERT INTO `+items+` SELECT id, 1 FROM `+events)
				exec(t, db.DB, `INSERT INTO `+items+` VALUES (NULL, 2)`)
				for _, bad := range c.bad {
					insert(t, db, events, "id", []any{bad})
					if _, err := db.Exec(convert); err == nil || !d.refused.MatchString(err.Error()) {
						t.Fatalf("with %q in the column the error is %v, want %v", bad, err, d.refused)
					}
					exec(t, db.DB, strings.ReplaceAll(d.cleanUp, "_K", "_"+c.k))
					exec(t, db.DB, db.Rebind(`DELETE FROM `+events+` WHERE id = ?`), bad)
				}
				wantKeys(t, db, c.k, c.before, ids) // an error leaves all as it was

				exec(t, db.DB, convert)
				wantKeys(t, db, c.k, c.after, ids)
				var got []string
				for _, row := range fetch(t, db, `SELECT column_name, data_type, is_nullable FROM information_schema.columns
					WHERE table_schema = `+d.schema+` AND table_name IN ('`+events+`', '`+items+`') ORDER BY table_name, ordinal_position`) {
					got = append(got, text(row[0])+" "+text(row[1])+" "+text(row[2]))
				}
				if got := strings.Join(got, ", "); got != c.types {
					t.Errorf("the columns are %q, want %q", got, c.types)
				}
				if d.isMySQL() {
					if rows := fetch(t, db, `SHOW INDEX FROM `+events); len(rows) != 1 {
						t.Errorf("the indexes are %s, want the primary key", rows)
					}
				} else {
					exec(t, db.DB, `INSERT INTO `+events+` DEFAULT VALUES`)
				}
			})
		}
	})
}

// wantKeys fails the test unless both tables have the IDs, items also a NULL, and the keys hold.
func wantKeys(t *testing.T, db *sqlx.DB, k string, column kind, ids []ulid.ULID) {
	t.Helper()
	events, items := "events_"+k, "items_"+k
	wantForms(t, db, ids, `SELECT id FROM `+events, column.form)
	wantForms(t, db, ids, `SELECT event_id FROM `+items+` WHERE event_id IS NOT NULL`, column.form)
	if n := len(fetch(t, db, `SELECT n FROM `+items+` WHERE event_id IS NULL`)); n != 1 {
		t.Errorf("%d items have no event, want 1", n)
	}
	if _, err := db.Exec(db.Rebind(`INSERT INTO `+items+` (event_id) VALUES (?)`), column.value(ulid.Make())); err == nil {
		t.Error("an item refers to no event")
	}
	if _, err := db.Exec(db.Rebind(`INSERT INTO `+events+` (id) VALUES (?)`), column.value(ids[0])); err == nil {
		t.Error("a key came twice")
	}
}

// --- PostgreSQL's sessions

// TestPostgresSessions calls the functions without the schema that they are in, as in a dump that is restored or an index that is
// rebuilt, and with a collation that compares without regard to case, and that pattern matching refuses.
func TestPostgresSessions(t *testing.T) {
	db := openPostgres(t, "")
	exec(t, db.DB, `CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`)
	schema := text(fetch(t, db, `SELECT current_schema()`)[0][0])
	exec(t, db.DB, `SET search_path = ''`)
	for _, call := range []string{
		`ulid_to_text('\x01563df36481d6764c61efb99302bd5b'::bytea)`, "ulid_time('01ARYZ6S41TSV4RRFFQ69G5FAV')",
		"ulid_first_at(now())", "ulid_last_at(now())", "ulid_make()",
	} {
		exec(t, db.DB, "SELECT "+schema+"."+call)
	}
	for _, s := range []string{asText(known), asLower(known)} {
		call := fmt.Sprintf(`SELECT %s.ulid_to_uuid($1 COLLATE %[1]s.caseless)`, schema)
		if got := text(fetch(t, db, call, s)[0][0]); got != asUUID(known) {
			t.Errorf("ulid_to_uuid(%s) = %s, want %s", s, got, asUUID(known))
		}
	}
}

// wantTables fails the test unless statements that the page says views refuse work on the tables, and fail with a search path that
// leads to views.
func wantTables(t *testing.T, db *sqlx.DB, path string) {
	queries := []string{
		`COPY items_text TO STDOUT`, `TRUNCATE items_text`, `SELECT xmax FROM items_text`, `SELECT e.* FROM events_text e GROUP BY e.id`,
		`CREATE TABLE t (LIKE events_text, FOREIGN KEY (id) REFERENCES events_text (id))`,
		`INSERT INTO items_text (n) VALUES (3) ON CONFLICT ON CONSTRAINT items_text_event_id_n_key DO NOTHING`,
	}
	if text(fetch(t, db, `SHOW server_version_num`)[0][0]) < "170000" {
		queries = append(queries, `MERGE INTO items_text USING events_text ON event_id = id WHEN MATCHED THEN DO NOTHING`)
	}
	for _, query := range queries {
		for i, begin := range []string{`BEGIN; `, `BEGIN; SET LOCAL search_path = ` + path + `; `} {
			if _, err := db.Exec(begin + query); (err != nil) != (i == 1) {
				t.Errorf("%v after %s%s", err, begin, query)
			}
			exec(t, db.DB, `ROLLBACK`)
		}
	}
}

// TestPostgresCachedPlan shows what a new column does to SELECT *: an error once, or until a prepared statement is closed.
func TestPostgresCachedPlan(t *testing.T) {
	conn, err := pgx.Connect(t.Context(), db.Own(t, "ULID_POSTGRES", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	want := func(want, query string, args ...any) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), query, args...); !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: %v, want %s", query, err, want)
		}
	}
	const ok, changed, query = "<nil>", "cached plan must not change result type", `SELECT * FROM items WHERE n > $1`
	want(ok, `CREATE TABLE items (n int)`)
	want(ok, query, 1)
	if _, err := conn.Prepare(t.Context(), "prepared", query); err != nil {
		t.Fatal(err)
	}
	want(ok, `ALTER TABLE items ADD m int`)
	want(changed, query, 1)
	want(ok, query, 1)
	want(changed, "prepared", 1)
	want(changed, "prepared", 1)
}
