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
	"github.com/seed-961d0905/ulid/interop/storage"
)

const (
	readme      = "sql/README.md"
	queries     = "docs/queries.md"
	storagePage = "docs/storage.md"
)

// block returns the page's block for a family of databases.
func block(t *testing.T, conn *db.DB, part string) string {
	t.Helper()
	return page.Code(t, readme, conn.Family+": "+part)
}

// november returns 2,000 IDs of 100 months and the ends of November 2026, and those of that month.
func november() (ids, within []ulid.ULID) {
	from := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	to := from.AddDate(0, 1, 0)
	for i := range 2000 {
		id := ulid.FirstAt(from.Add(time.Duration(i-900) * to.Sub(from) / 20))
		id[15] = byte(i)
		ids = append(ids, id)
	}
	ids = append(ids, ulid.FirstAt(from), ulid.LastAt(from.Add(-time.Millisecond)))
	ids = append(ids, ulid.FirstAt(to), ulid.LastAt(to.Add(-time.Millisecond)))
	for _, id := range ids {
		if at := timeOf(id); !at.Before(from) && at.Before(to) {
			within = append(within, id)
		}
	}
	return ids, within
}

// TestExamples runs the examples of functions, and the ranges, which look into the index.
func TestExamples(t *testing.T) {
	indexed := map[string]*regexp.Regexp{
		"postgres": regexp.MustCompile(`Index Cond: \(\(id >=.*\(id <`),
		"mysql":    regexp.MustCompile(` range `),
	}
	onEach(t, servers, func(t *testing.T, conn *db.DB) {
		statements := strings.SplitAfter(strings.TrimSpace(block(t, conn, "functions")), ";\n")
		for _, statement := range statements {
			conn.Run(statement)
		}
		stored := form(asUUID)
		if conn.IsMySQL() {
			stored = asText
		}
		conn.Run(`INSERT INTO events (id) VALUES (?)`, stored(known))
		times := map[bool]string{} // of the known ID, and of that which the database generated
		for _, row := range conn.Rows(statements[2]) {
			times[cell(row[0]) == stored(known)] = cell(row[1])
		}
		generated, err := time.Parse(time.RFC3339Nano, times[false])
		if err != nil || time.Since(generated).Abs() > time.Minute || times[true] != asTime(known) {
			t.Errorf("the times are %v, %v", times, err)
		}
		if conn.Family == "postgres" && len(conn.Rows(statements[3])) != 1 {
			t.Error("the ID is not found by its text")
		}

		conn.Run(`DELETE FROM events`)
		ids, within := november()
		insert(conn, "events", "id", stored.of(ids))
		conn.Run(map[string]string{"postgres": `ANALYZE events`, "mysql": `ANALYZE TABLE events`}[conn.Family])
		query := block(t, conn, "range")
		if conn.IsMySQL() {
			set, rest, _ := strings.Cut(query, "\n")
			conn.Run(set)
			query = rest
		}
		query = strings.Replace(query, "*", "id", 1)
		wantLines(t, conn, query, stored.of(within))
		if plan := strings.Join(lines(conn, "EXPLAIN "+query), "\n"); !indexed[conn.Family].MatchString(plan) {
			t.Errorf("it reads the whole table:\n%s", plan)
		}
	})
}

// TestDefault leaves the ID to the DEFAULT of each type of column in PostgreSQL.
func TestDefault(t *testing.T) {
	conn := open(t, db.PostgreSQL)
	install(conn)
	for column, clause := range map[string]string{
		"uuid":             "DEFAULT ulid_make()",
		`text COLLATE "C"`: "DEFAULT ulid_to_text(ulid_make())",
		"bytea":            "DEFAULT uuid_send(ulid_make())",
	} {
		page.Contains(t, readme, "`"+clause+"`")
		conn.Run(`DROP TABLE IF EXISTS events`)
		conn.Run(`CREATE TABLE events (id ` + column + ` PRIMARY KEY ` + clause + `, note text)`)
		wantMade(t, conn, conn.Rows(`INSERT INTO events (note) VALUES ('a'), ('b') RETURNING id`), 2)
	}
}

// TestTrigger leaves the ID to the trigger in MySQL and MariaDB, by each form of an INSERT that the page names.
func TestTrigger(t *testing.T) {
	onEach(t, mysqls, func(t *testing.T, conn *db.DB) {
		for _, c := range []struct{ column, made, given string }{
			{asciiText, `ulid_to_text(ulid_make())`, `ulid_to_text(ulid_first_at('2026-11-01'))`},
			{`BINARY(16)`, `ulid_make()`, `ulid_first_at('2026-11-01')`},
		} {
			conn.Run(`DROP TABLE IF EXISTS events`)
			conn.Run(`CREATE TABLE events (id ` + c.column + ` PRIMARY KEY, note TEXT)`)
			conn.Run(strings.Replace(block(t, conn, "trigger"), `ulid_to_text(ulid_make())`, c.made, 1))
			conn.Run(`INSERT INTO events (note) VALUES ('a'), ('b')`)
			conn.Run(`INSERT INTO events (id, note) VALUES (NULL, 'c'), (NULL, 'd')`)
			conn.Run(`INSERT INTO events (id, note) SELECT NULL, 'e'`)
			wantMade(t, conn, conn.Rows(`SELECT id FROM events`), 5)
			wantError(t, conn, "1364", `INSERT INTO events (id, note) VALUES (DEFAULT, 'f')`)
			if conn.Dialect == "mariadb" {
				wantError(t, conn, "1364", `INSERT INTO events (note) SELECT 'g'`)
				wantMade(t, conn, conn.Rows(`INSERT INTO events (note) VALUES ('h'), ('i') RETURNING id`), 2)
			}
			conn.Run(`DELETE FROM events`)
			conn.Run(`INSERT INTO events (id) VALUES (` + c.given + `)`)
			var given ulid.ULID
			db.Check(t, (*storage.AnyID)(&given).Scan(conn.Rows(`SELECT id FROM events`)[0][0]))
			if want := ulid.FirstAt(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)); given != want {
				t.Errorf("the trigger has changed %v to %v", want, given)
			}
		}
	})
}

// wantMade fails the test unless there are n rows, each with another ID of now.
func wantMade(t *testing.T, conn *db.DB, rows [][]any, n int) {
	t.Helper()
	seen := map[ulid.ULID]bool{}
	for _, row := range rows {
		var id ulid.ULID
		db.Check(t, (*storage.AnyID)(&id).Scan(row[0]))
		if time.Since(id.Time()).Abs() > time.Minute || id[6]>>4 != 7 {
			t.Errorf("the ID is %v", id)
		}
		seen[id] = true
	}
	if len(seen) != n {
		t.Errorf("%d different IDs, want %d", len(seen), n)
	}
}

// TestOldRows gives IDs to rows of the same microsecond and of others, in columns that have a time zone or none, and in
// sessions that are not in UTC. A second run changes nothing, and neither does one that meets a row of before 1970.
func TestOldRows(t *testing.T) {
	const atUTC, setUTC = "created_at AT TIME ZONE interval '0'", "SET time_zone = '+00:00'"
	const madeAt, asTextMadeAt = "ulid_make_at(created_at)", "ulid_to_text(ulid_make_at(created_at))"
	page.Contains(t, readme, "`"+atUTC+"`")
	page.Contains(t, readme, "`"+setUTC+"`")
	page.Contains(t, readme, "`ulid_to_text(ulid_make_at(…))`")
	update := page.Code(t, readme, "old rows")
	columns := map[string][]struct{ id, created, set, update string }{
		"postgres": {
			{"uuid", "timestamptz", "", update},
			{"uuid", "timestamp", "", strings.Replace(update, "created_at", atUTC, 1)},
			{"text", "timestamptz", "", strings.Replace(update, madeAt, asTextMadeAt, 1)},
		},
		"mysql": {
			{"BINARY(16)", "DATETIME(6)", "", update},
			{"BINARY(16)", "TIMESTAMP(6)", setUTC, update},
			{asciiText, "DATETIME(6)", "", strings.Replace(update, madeAt, asTextMadeAt, 1)},
		},
	}
	from := time.Date(2026, 11, 1, 5, 30, 0, 0, time.UTC) // 1:30 twice in New York
	at := func(n int) time.Time { return from.Add(time.Duration(n/10) * 1_000_001 * time.Microsecond) }
	onEach(t, servers, func(t *testing.T, conn *db.DB) {
		zone := func(offset string) {
			if conn.IsMySQL() {
				conn.Run(`SET time_zone = '` + offset + `'`)
			}
		}
		for _, c := range columns[conn.Family] {
			conn.Run(`DROP TABLE IF EXISTS events`)
			conn.Run(`CREATE TABLE events (n INT, id ` + c.id + ` UNIQUE, created_at ` + c.created + ` NULL)`)
			zone("+00:00") // in which the driver writes times
			for n := range 100 {
				conn.Run(`INSERT INTO events (n, created_at) VALUES (?, ?)`, n, at(n))
			}
			conn.Run(`INSERT INTO events (n) VALUES (100)`)

			zone("-05:00")
			if c.set != "" {
				conn.Run(c.set)
			}
			conn.Run(c.update)
			rows := conn.Rows(`SELECT n, id FROM events ORDER BY n`)
			if len(rows) != 101 || rows[100][1] != nil {
				t.Errorf("%d rows, of which that without a time has the ID %v", len(rows), rows[len(rows)-1][1])
			}
			for n, row := range rows[:100] {
				var got ulid.ULID
				db.Check(t, (*storage.AnyID)(&got).Scan(row[1]))
				want := generateID(func() time.Time { return at(n) })
				if [8]byte(got[:]) != [8]byte(want[:]) {
					t.Fatalf("%s: a row of %v has the ID %v, want the time of %v", c.created, at(n), got, want)
				}
			}

			if c.created != "TIMESTAMP(6)" { // which begins in 1970
				conn.Run(`INSERT INTO events (n, created_at) VALUES (101, '2026-11-01'), (102, '1969-12-31 12:00:00')`)
				wantError(t, conn, "22008", c.update)
				wantLines(t, conn, `SELECT n FROM events WHERE id IS NULL`, []string{"100", "101", "102"})
				conn.Run(`DELETE FROM events WHERE n > 100`)
			}
			conn.Run(c.update)
			if again := conn.Rows(`SELECT n, id FROM events ORDER BY n`); !reflect.DeepEqual(again, rows) {
				t.Errorf("%s: the rows have changed", c.created)
			}
		}
	})
}

// --- docs/queries.md

// TestNewRows reads on while transactions commit in another order than that of their IDs, and one of more rows than the
// LIMIT. It finds each row once.
func TestNewRows(t *testing.T) {
	conn := open(t, db.PostgreSQL)
	conn.Run(`CREATE TABLE events (id uuid PRIMARY KEY, tx xid8 DEFAULT pg_current_xact_id())`)
	page.Contains(t, queries, "`tx xid8 DEFAULT pg_current_xact_id()`")
	query := page.Code(t, queries, "new rows")
	var lastID, lastTx any = ulid.AsUUID{}, 0
	seen := map[string]bool{}
	read := func() (n int) {
		rows := conn.Rows(query, lastTx, lastID)
		for _, row := range rows {
			lastID, lastTx = row[0], row[1]
			if id := cell(lastID); seen[id] {
				t.Errorf("the row %s is found again", id)
			}
			seen[cell(lastID)] = true
		}
		return len(rows)
	}
	ids := make([]ulid.AsUUID, 252)
	ulid.Fill(ids)
	slow, err := db.Connect(t, "pgx", conn.DSN).Begin()
	db.Check(t, err)
	_, err = slow.Exec(`INSERT INTO events (id) VALUES ($1)`, ids[251])
	db.Check(t, err)
	conn.Run(`INSERT INTO events (id) VALUES (?)`, ids[250])
	if n := read(); n != 0 {
		t.Errorf("%d rows are found while a transaction of a lower number is open", n)
	}
	db.Check(t, slow.Commit())
	many, err := conn.Begin()
	db.Check(t, err)
	for _, id := range ids[:250] {
		_, err := many.Exec(`INSERT INTO events (id) VALUES ($1)`, id)
		db.Check(t, err)
	}
	db.Check(t, many.Commit())
	for read() > 0 {
	}
	if len(seen) != len(ids) {
		t.Errorf("%d of %d rows are found", len(seen), len(ids))
	}
}
