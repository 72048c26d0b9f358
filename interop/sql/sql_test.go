package sql

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

//go:generate go test -run ^TestPage$ . -write

// TestPage finds the statements of the pages in the files that the other tests run, and the Go code as it is here.
func TestPage(t *testing.T) {
	const here = "interop/sql/"
	for _, d := range databases {
		examples := d.file(t, "examples")
		for _, b := range page.Blocks(page.Text(t, d.Page)) {
			switch b.Language {
			case "sql":
				for statement := range strings.SplitAfterSeq(b.Code, ";\n") {
					if !strings.Contains(examples, statement) {
						t.Errorf("no test runs this statement of %s:\n%s", d.Page, statement)
					}
				}
			case "yaml": // TestSqlc
			default:
				if !strings.HasPrefix(b.Name, here) {
					t.Errorf("no test runs this block of %s:\n%s", d.Page, b.Code)
				}
			}
		}
		text, err := page.Sources(page.Text(t, d.Page), here)
		check(t, err)
		page.Check(t, d.Page, text)
	}
}

// each runs a test on each database, and in each mode of its sessions if it is to.
func each(t *testing.T, inModes bool, test func(t *testing.T, d *database, mode string)) {
	for _, d := range databases {
		for _, mode := range d.modes {
			t.Run(d.Dialect+" "+mode, func(t *testing.T) { test(t, d, mode) })
			if !inModes {
				break
			}
		}
	}
}

// TestInOrder runs the examples in their order, as somebody who pastes them.
func TestInOrder(t *testing.T) {
	each(t, false, func(t *testing.T, d *database, mode string) { d.session(t, mode).Run(d.code(t, "")) })
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
		if d.Dialect == "sqlite" {
			db.Run(d.loose)
		}
		db.Run(`UPDATE events_text SET id = lower(id)`)
		for i, table := range d.tables {
			if table.name == "events_text" {
				wantForms(t, db, ids, times[i], asLower, d.time[i][1])
				wantForms(t, db, ids, converts[i], append([]form{asLower}, d.convert[i][1:]...)...)
			}
		}
		if d.Dialect != "sqlite" {
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
		db.Run(d.tries)
		read := everyByte()
		if d.Dialect == "postgres" { // whose texts are of characters, and have no NUL
			for i, s := range read {
				read[i] = latin1(strings.ReplaceAll(s, "\x00", "!"))
			}
		}
		if d.read == "" {
			read = append(read, badTexts...)
		}
		insert(t, db, "texts", "s", read)
		if mode != "default" {
			db.Run("SET sql_mode = '" + mode + "'")
		}
		rows := db.Rows(d.readAll)
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
				wantParsed(t, s, text(db.Rows(d.read, s)[0][0]))
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
		for i, cell := range db.Rows(d.null)[0] {
			if cell != nil {
				t.Errorf("column %d is %v, want NULL, of %s", i, cell, d.null)
			}
		}
	})
}

// latin1 returns a text whose characters have the numbers of the bytes.
func latin1(s string) (text string) {
	for _, b := range []byte(s) {
		text += string(rune(b))
	}
	return text
}

// TestSQLiteGivesNull has the views read what is not a ULID.
func TestSQLiteGivesNull(t *testing.T) {
	d := sqliteDB
	db := d.with(t, "loose", nil)
	db.Run(`CREATE TABLE texts (s)`)
	insert(t, db, "texts", "s", everyByte())
	db.Run(`INSERT INTO events_text (id) SELECT DISTINCT s FROM texts`)
	for _, row := range db.Rows(d.queries(t, "time")[0]) {
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
			db.Run(`DELETE FROM ` + table)
			insert(t, db, table, "id", []any{value})
			for _, q := range queries {
				if got := db.Rows(q[i])[0][1]; got != nil {
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
			if d.Dialect != "mysql" { // which has no RETURNING
				query := d.queries(t, "insert")[i]
				for range 1000 {
					db.Rows(query)
				}
				wantRandom(t, idsOf(t, db.Rows(`SELECT id FROM `+name)), false)
				db.Run(`DELETE FROM ` + name)
			}
			insert(t, db, name, "note", make([]string, 1000)) // one statement
			wantRandom(t, idsOf(t, db.Rows(`SELECT id FROM `+name)), d.sameTime)
		}
		if d.make != "" {
			wantRandom(t, idsOf(t, db.Rows(d.make)), d.sameTime)
		}
	})
}

// TestSQLiteMake shows that the function in Go makes IDs in order.
func TestSQLiteMake(t *testing.T) {
	db := sqliteDB.session(t, "default")
	db.Run(`CREATE TABLE made (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE DEFAULT (ulid_make()))`)
	insert(t, db, "made", "n", make([]*int, 1000))
	if ids := idsOf(t, db.Rows(`SELECT id FROM made ORDER BY n`)); len(ids) != 1000 || !slices.IsSortedFunc(ids, ulid.ULID.Compare) {
		t.Errorf("%d IDs are not in order: %v", len(ids), ids)
	}
}

// --- time

// TestRange runs the ranges and shows that they look into the index, where a condition on ulid_time reads every row.
func TestRange(t *testing.T) {
	all, within := november()
	each(t, false, func(t *testing.T, d *database, mode string) {
		db := d.with(t, mode, all)
		db.Run(d.analyze)
		if d.IsMySQL() {
			db.Run(d.code(t, "bounds"))
		}
		for _, query := range d.queries(t, "range") {
			wantIDs(t, db, within, query)
			if plan := fmt.Sprintf("%s", db.Rows(d.explain+query)); !d.indexed.MatchString(plan) {
				t.Errorf("%s\nis planned without the index:\n%s", query, plan)
			}
		}
		if d.slow != "" {
			wantIDs(t, db, within, d.slow)
			if plan := fmt.Sprintf("%s", db.Rows(d.explain+d.slow)); d.indexed.MatchString(plan) {
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
		if d.Dialect == "sqlite" {
			return // TestSQLiteBounds
		}
		db, as, times := d.session(t, mode), asBytes, map[any]time.Time{}
		for _, at := range boundTimes {
			times[at.UTC()] = at
		}
		if d.Dialect == "postgres" {
			as = asUUID
			afterMax := ulid.Time(ulid.MaxTime()).Add(time.Millisecond)
			for _, at := range []time.Time{{}, afterMax.Add(-time.Microsecond), afterMax, afterMax.AddDate(9_000, 0, 0)} {
				times[at.UTC()] = at
			}
			times["-infinity"], times["infinity"] = time.Time{}, afterMax
		}
		for arg, at := range times {
			row := db.Rows(`SELECT ulid_first_at(?), ulid_last_at(?)`, arg, arg)[0]
			for i, want := range []ulid.ULID{ulid.FirstAt(at), ulid.LastAt(at)} {
				if got := text(row[i]); got != as(want) {
					t.Errorf("bound %d of %v is %q, want %q", i, arg, got, as(want))
				}
			}
		}
	})
}

// TestSQLiteBounds puts a time into the ranges. They begin with its FirstAt.
func TestSQLiteBounds(t *testing.T) {
	d := sqliteDB
	db := d.with(t, "loose", nil)
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
		db.Run(`DELETE FROM events_text; DELETE FROM events_blob`)
		d.fill(t, db, ids)
		for _, query := range d.queries(t, "range") {
			query = noEnd.Replace(strings.Replace(query, "2026-11-01", at.Format("2006-01-02 15:04:05.000"), 1))
			wantIDs(t, db, ids[:1], query)
		}
	}
}

// --- other rows

// TestFind stores what does not belong in a column. The CHECK of SQLite refuses that.
func TestFind(t *testing.T) {
	each(t, false, func(t *testing.T, d *database, _ string) {
		ids := append(sampleIDs()[:1000], ulid.ULID{}, ulid.LastAt(time.Now()))
		if d.IsMySQL() {
			ids = ids[1000:] // an ID of the future is found
		}
		db := d.with(t, "loose", ids)
		queries := map[string]string{}
		for _, query := range d.queries(t, "find") {
			name := regexp.MustCompile(`events_[a-z]+`).FindString(query)
			queries[name] = query
			if rows := db.Rows(query); len(rows) > 0 {
				t.Errorf("%q found among good rows of %s", rows, name)
			}
		}
		for _, b := range d.bad {
			db.Run(`DELETE FROM ` + b.table)
			if d.Dialect == "sqlite" {
				db.Run(`PRAGMA ignore_check_constraints = OFF`)
				if err := db.Try(`INSERT INTO `+b.table+` (id) VALUES (?)`, b.value); err == nil || !strings.Contains(err.Error(), "CHECK") {
					t.Errorf("of %q in %s the error is %v, want one of the CHECK", b.value, b.table, err)
				}
				db.Run(d.loose)
			}
			insert(t, db, b.table, "id", []any{b.value})
			rows := db.Rows(queries[b.table])
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
				instead := strings.NewReplacer(c.instead...)
				db.Run(instead.Replace(d.references))
				events, items := "events_"+c.k, "items_"+c.k
				convert := instead.Replace(d.conversion(t))
				db.Run(`INSERT INTO ` + items + ` SELECT id, 1 FROM ` + events)
				db.Run(`INSERT INTO ` + items + ` VALUES (NULL, 2)`)
				for _, bad := range c.bad {
					insert(t, db, events, "id", []any{bad})
					if err := db.Try(convert); err == nil || !d.refused.MatchString(err.Error()) {
						t.Fatalf("with %q in the column the error is %v, want %v", bad, err, d.refused)
					}
					db.Run(strings.ReplaceAll(d.cleanUp, "_K", "_"+c.k))
					db.Run(`DELETE FROM `+events+` WHERE id = ?`, bad)
				}
				wantKeys(t, db, c.k, c.before, ids) // an error leaves all as it was

				db.Run(convert)
				wantKeys(t, db, c.k, c.after, ids)
				var got []string
				for _, row := range db.Rows(`SELECT column_name, data_type, is_nullable FROM information_schema.columns
					WHERE table_schema = ` + d.Schema + ` AND table_name IN ('` + events + `', '` + items + `') ORDER BY table_name, ordinal_position`) {
					got = append(got, text(row[0])+" "+text(row[1])+" "+text(row[2]))
				}
				if got := strings.Join(got, ", "); got != c.types {
					t.Errorf("the columns are %q, want %q", got, c.types)
				}
				if d.IsMySQL() {
					if rows := db.Rows(`SHOW INDEX FROM ` + events); len(rows) != 1 {
						t.Errorf("the indexes are %s, want the primary key", rows)
					}
				} else {
					db.Run(`INSERT INTO ` + events + ` DEFAULT VALUES`)
				}
			})
		}
	})
}

// wantKeys fails the test unless both tables have the IDs, items also a NULL, and the keys hold.
func wantKeys(t *testing.T, db *db.DB, k string, column kind, ids []ulid.ULID) {
	t.Helper()
	events, items := "events_"+k, "items_"+k
	wantForms(t, db, ids, `SELECT id FROM `+events, column.form)
	wantForms(t, db, ids, `SELECT event_id FROM `+items+` WHERE event_id IS NOT NULL`, column.form)
	if n := len(db.Rows(`SELECT n FROM ` + items + ` WHERE event_id IS NULL`)); n != 1 {
		t.Errorf("%d items have no event, want 1", n)
	}
	if db.Try(`INSERT INTO `+items+` (event_id) VALUES (?)`, column.value(ulid.Make())) == nil {
		t.Error("an item refers to no event")
	}
	if db.Try(`INSERT INTO `+events+` (id) VALUES (?)`, column.value(ids[0])) == nil {
		t.Error("a key came twice")
	}
}

// --- MySQL and MariaDB

func eachMySQL(t *testing.T, test func(t *testing.T, d *database)) {
	for _, d := range []*database{mariaDB, mysqlDB} {
		t.Run(d.Dialect, func(t *testing.T) { test(t, d) })
	}
}

// TestMySQLNumber compares IDs with a number, and deletes those that equal it.
func TestMySQLNumber(t *testing.T) {
	page.Contains(t, mysqlDB.Page, "`id = 1` matches nearly every ULID of 2015 to\n> 2039 in `CHAR(26)`, and `id = 0` each of them in `BINARY(16)`")
	page.Contains(t, mysqlDB.Page, "refuses such a `DELETE` or `UPDATE` (error 1292),\n> but MariaDB runs the `DELETE`, and neither refuses a `SELECT`.")
	page.Contains(t, mysqlDB.Page, "`<>` matches all of them, so `DELETE … WHERE id <> ?` empties the table.")
	page.Contains(t, "docs/storage.md", "**A number in MySQL and MariaDB** equals [nearly every ID]")
	var ids []ulid.ULID
	for at := time.Date(2015, 10, 1, 0, 0, 0, 0, time.UTC); len(ids) < 1000; at = at.Add(209 * time.Hour) { // up to August 2039
		ids = append(ids, ulid.FirstAt(at))
	}
	eachMySQL(t, func(t *testing.T, d *database) {
		for _, parameters := range []string{"", "&interpolateParams=true"} {
			d := *d
			d.parameters += parameters
			for _, mode := range []string{"default", "loose"} {
				db := d.with(t, mode, ids)
				var differ int // or 0 after an error
				_ = db.Get(&differ, `SELECT count(*) FROM events_text WHERE id <> ?`, ulid.AsBinary(known))
				if want := map[string]int{"mariadb&interpolateParams=true": 1000}[d.Dialect+parameters]; differ != want {
					t.Errorf("%d IDs differ from an AsBinary, want %d", differ, want)
				}
				for number, table := range []string{"events_bin", "events_text"} {
					equal := db.Count(`SELECT count(*) FROM `+table+` WHERE id = ?`, number)
					if least := 1000 - 20*number; equal < least {
						t.Errorf("%d IDs in %s equal %d, want %d or more", equal, table, number, least)
					}
					got := fmt.Sprintf("%.10v, %.10v, %d gone", db.Try(`UPDATE `+table+` SET id = id WHERE id = ?`, number),
						db.Try(`DELETE FROM `+table+` WHERE id = ?`, number), 1000-db.Count(`SELECT count(*) FROM `+table))
					want := fmt.Sprintf("<nil>, <nil>, %d gone", equal)
					if d.Dialect == "mysql" && mode == "default" {
						want = "Error 1292, Error 1292, 0 gone"
					}
					if got != want {
						t.Errorf("UPDATE and DELETE in %s: %s, want %s", table, got, want)
					}
				}
			}
		}
	})
}

// TestMySQLCuts stores what is too long for the column.
func TestMySQLCuts(t *testing.T) {
	page.Contains(t, mysqlDB.Page, "**`INSERT IGNORE`, `UPDATE IGNORE`, and every statement in a session that is not strict** cut what is too long")
	eachMySQL(t, func(t *testing.T, d *database) {
		for _, test := range []struct {
			mode, statement string
			stored          []ulid.ULID
			cuts            bool
		}{
			{"default", "INSERT INTO %s (id) VALUES (?)", nil, false}, {"default", "INSERT IGNORE INTO %s (id) VALUES (?)", nil, true},
			{"loose", "INSERT INTO %s (id) VALUES (?)", nil, true}, {"default", "UPDATE IGNORE %s SET id = ?", sampleIDs()[:1], true},
		} {
			db := d.with(t, test.mode, test.stored)
			for i, value := range []any{ulid.AsUUID(known), known} {
				table := d.tables[i].name
				err := db.Try(fmt.Sprintf(test.statement, table), value)
				got := db.Text(`SELECT coalesce(group_concat(id), '') FROM ` + table)
				want := map[bool]string{true: []string{asUUID(known)[:26], asText(known)[:16]}[i]}[test.cuts]
				if (err == nil) != test.cuts || got != want {
					t.Errorf("%s in a %s session stores %q in %s, want %q, %v", test.statement, test.mode, got, table, want, err)
				}
			}
		}
	})
}

// TestMySQLKeys converts tables that have what the file warns of: a key of several columns, and a column with ON UPDATE.
func TestMySQLKeys(t *testing.T) {
	const updated, drop, add = ", updated_at = updated_at", "DROP INDEX u, DROP COLUMN event_id", "ADD UNIQUE KEY u (event_id, n)"
	page.Contains(t, mysqlDB.Page, "A `UNIQUE` or `PRIMARY KEY` of\n> several columns stops the script half-way")
	page.Contains(t, "sql/convert_mysql.sql", ": "+drop+", …,\n-- "+add+", … This")
	page.Contains(t, "sql/convert_mysql.sql", "unless you add "+updated+" to them")
	update := regexp.MustCompile(`(?m)^  UPDATE .*\)`)
	ids := sampleIDs()[:10]
	eachMySQL(t, func(t *testing.T, d *database) {
		primary := strings.NewReplacer("DROP INDEX u", "DROP PRIMARY KEY", "ADD UNIQUE KEY u", "ADD PRIMARY KEY")
		for _, keys := range []*strings.Replacer{strings.NewReplacer(), primary} {
			for _, heeded := range []bool{false, true} {
				db := d.with(t, "default", ids)
				convert := d.conversion(t)
				if heeded {
					convert = update.ReplaceAllString(convert, "$0"+updated)
					convert = strings.NewReplacer("DROP COLUMN event_id", drop, "ADD CONSTRAINT", add+", ADD CONSTRAINT").Replace(convert)
				}
				db.Run(d.references + keys.Replace(`; ALTER TABLE items_text `+add) + `;
					INSERT INTO items_text SELECT id, 1 FROM events_text;
					ALTER TABLE events_text ADD updated_at DATETIME DEFAULT '2020-01-01' ON UPDATE CURRENT_TIMESTAMP;
					ALTER TABLE items_text ADD KEY other (n, event_id), ADD updated_at DATETIME DEFAULT '2020-01-01' ON UPDATE CURRENT_TIMESTAMP;
					CREATE TRIGGER fires AFTER UPDATE ON events_text FOR EACH ROW SET @fired = @fired + 1; SET @fired = 0`)
				err := db.Try(keys.Replace(convert))
				if (err == nil) != heeded {
					t.Fatalf("the conversion: %v", err)
				}
				wantForms(t, db, ids, `SELECT id FROM events_text`, asBytes)
				kept, fired := db.Count(`SELECT count(*) FROM events_text WHERE updated_at = '2020-01-01'`), db.Count(`SELECT @fired`)
				if want := map[bool]int{true: len(ids)}[heeded]; kept != want || fired != len(ids) {
					t.Errorf("%d times are kept, want %d; the trigger fires %d times, want %d", kept, want, fired, len(ids))
				}
				if !heeded { // half-way
					wantForms(t, db, ids, `SELECT event_id FROM items_text`, asText)
					continue
				}
				wantForms(t, db, ids, `SELECT event_id FROM items_text WHERE updated_at = '2020-01-01'`, asBytes)
				if db.Run(`INSERT INTO items_text (event_id, n) SELECT id, 2 FROM events_text`); db.Try(`UPDATE items_text SET n = 1`) == nil {
					t.Error("the key is gone")
				}
				if db.Try(`INSERT INTO events_text (note) VALUES ('')`) == nil || strings.Contains(fmt.Sprintf("%s", db.Rows(`SHOW INDEX FROM
					items_text WHERE key_name = 'other'`)), "event_id") {
					t.Error("the DEFAULT or the place in an index is still there")
				}
			}
		}
	})
}

// TestMySQLCharacterSets shows that an ID in utf8mb4 does not use the index of the key, and that one in ascii does.
func TestMySQLCharacterSets(t *testing.T) {
	page.Contains(t, mysqlDB.Page, "- **utf8mb4.** ")
	scan := regexp.MustCompile(`Table scan on e|\be \S* ?ALL\b`)
	eachMySQL(t, func(t *testing.T, d *database) {
		ids := sampleIDs()
		db := d.with(t, "default", ids)
		for _, set := range []string{"ascii", "utf8mb4"} {
			db.Run(strings.ReplaceAll(`CREATE TABLE items_THIS (event_id CHAR(26) CHARACTER SET THIS, n INT PRIMARY KEY);
				INSERT INTO items_THIS SELECT id, 1 FROM events_text LIMIT 1; SET @id = (SELECT event_id FROM items_THIS);
				CREATE PROCEDURE find_THIS(ulid CHAR(26) CHARACTER SET THIS) EXPLAIN SELECT * FROM events_text e WHERE id = ulid`, "THIS", set))
			for _, query := range []string{
				`EXPLAIN SELECT * FROM items_` + set + ` i JOIN events_text e ON id = event_id WHERE i.n = 1`,
				`EXPLAIN SELECT * FROM events_text e WHERE id = @id`,
				`CALL find_` + set + `('` + ids[0].String() + `')`,
			} {
				if plan := fmt.Sprintf("%s", db.Rows(query)); scan.MatchString(plan) != (set == "utf8mb4") {
					t.Errorf("%s\nwith an ID in %s:\n%s", query, set, plan)
				}
			}
		}
	})
}

// TestMySQLLocks has another session write before the conversion begins, and when it has ended but the tables are still locked.
func TestMySQLLocks(t *testing.T) {
	page.Contains(t, mysqlDB.Page, "while other writers wait")
	eachMySQL(t, func(t *testing.T, d *database) {
		t.Parallel() // each timeout takes a second
		session := d.with(t, "default", nil)
		session.Run(d.references)
		other := db.Connect(t, "mysql", session.DSN)
		_, err := other.Exec(`SET lock_wait_timeout = 1`)
		check(t, err)
		before, after, _ := strings.Cut(d.conversion(t), "CALL convert_ids();\n")
		for _, part := range []string{before, "CALL convert_ids()"} {
			session.Run(part)
			for _, insert := range []string{`INSERT INTO events_text (note) VALUES ('')`, `INSERT INTO items_text (n) VALUES (1)`} {
				if _, err := other.Exec(insert); err == nil || !strings.HasPrefix(err.Error(), "Error 1205 ") {
					t.Errorf("after\n%s\n%s gives %v, want a timeout of its lock", part, insert, err)
				}
			}
		}
		session.Run(after)
		_, err = other.Exec(`INSERT INTO items_text (n) VALUES (1)`)
		check(t, err)
	})
}

// --- PostgreSQL's sessions

// TestPostgresSessions calls the functions without the schema that they are in, as in a dump that is restored or an index that is
// rebuilt, and with a collation that compares without regard to case, and that pattern matching refuses.
func TestPostgresSessions(t *testing.T) {
	db := postgresDB.session(t, "default")
	db.Run(`CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`)
	schema := db.Text(`SELECT current_schema()`)
	db.Run(`SET search_path = ''`)
	for _, call := range []string{
		`ulid_to_text('\x01563df36481d6764c61efb99302bd5b'::bytea)`, "ulid_time('01ARYZ6S41TSV4RRFFQ69G5FAV')",
		"ulid_first_at(now())", "ulid_last_at(now())", "ulid_make()",
	} {
		db.Run("SELECT " + schema + "." + call)
	}
	for _, s := range []string{asText(known), asLower(known)} {
		call := fmt.Sprintf(`SELECT %s.ulid_to_uuid($1 COLLATE %[1]s.caseless)`, schema)
		if got := db.Text(call, s); got != asUUID(known) {
			t.Errorf("ulid_to_uuid(%s) = %s, want %s", s, got, asUUID(known))
		}
	}
}

// TestPostgresLocks shows what both tables are locked with from the first statement of a conversion to the last, and why new code
// must not run before it. With ULID_LONG=1 it has the rows whose time is on the page.
func TestPostgresLocks(t *testing.T) {
	d, rows := postgresDB, 1000
	if os.Getenv("ULID_LONG") == "1" {
		rows = 1_000_000
	}
	db := d.with(t, "default", nil)
	db.Run(d.references)
	db.Run(`INSERT INTO events_text SELECT ulid_to_text(ulid_make()) FROM generate_series(1, ?)`, rows)
	db.Run(`INSERT INTO items_text SELECT id, 1 FROM events_text`)
	id := idsOf(t, db.Rows(`SELECT id FROM events_text LIMIT 1`))[0]
	if rows := db.Rows(`SELECT FROM events_text WHERE id = ?`, ulid.AsUUID(id)); len(rows) > 0 {
		t.Error("new code finds a text")
	}
	db.Run(`INSERT INTO events_text (id) VALUES (?)`, ulid.AsUUID(known))
	wantForms(t, db, []ulid.ULID{known}, `SELECT id FROM events_text WHERE length(id) = 36`, asUUID)

	page.Contains(t, d.Page, "It locks both tables, even for readers (`ACCESS EXCLUSIVE`).")
	statements := strings.SplitAfter(d.conversion(t), ";\n")
	if slices.Index(statements, "BEGIN;\n") != 0 || slices.Index(statements, "COMMIT;\n") != len(statements)-2 {
		t.Fatalf("not one transaction: %q", statements)
	}
	begin := time.Now()
	tx := db.MustBegin() // because pgx drops a connection with a BEGIN that database/sql has not sent
	for _, statement := range statements[1 : len(statements)-2] {
		tx.MustExec(statement)
		var locked []string
		check(t, tx.Select(&locked, `SELECT relation::regclass FROM pg_locks WHERE pid = pg_backend_pid()
			AND mode = 'AccessExclusiveLock' AND relation IN ('events_text'::regclass, 'items_text'::regclass) ORDER BY 1`))
		if !slices.Equal(locked, []string{"events_text", "items_text"}) {
			t.Errorf("%s\nlocks %q", statement, locked)
		}
	}
	check(t, tx.Commit())
	t.Logf("%d rows in each table: %v", rows, time.Since(begin))
}
