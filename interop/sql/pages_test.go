package sql

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

const (
	readme  = "sql/README.md"
	queries = "docs/queries.md"
)

// TestBlocks finds a block of SQL on the pages that no test runs.
func TestBlocks(t *testing.T) {
	tests := ""
	for _, name := range []string{"pages", "convert", "change"} {
		tests += page.Text(t, "interop/sql/"+name+"_test.go")
	}
	for _, name := range []string{readme, queries, convertPage} {
		for _, b := range page.Blocks(page.Text(t, name)) {
			_, part, isPart := strings.Cut(b.Name, ": ")
			if !isPart {
				part = b.Name
			}
			if b.Language == "sql" && !strings.Contains(tests, `"`+part+`"`) {
				t.Errorf("no test runs the block %q of %s", b.Name, name)
			}
		}
	}
}

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
		c := uuidColumn
		if conn.IsMySQL() {
			c = column{"", func(id ulid.ULID) any { return id }, asText}
		}
		conn.Run(`INSERT INTO events (id) VALUES (?)`, c.value(known))
		times := map[bool]string{} // of the known ID, and of that which the database generated
		for _, row := range conn.Rows(statements[2]) {
			times[cell(row[0]) == c.form(known)] = cell(row[1])
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
		insert(conn, "events", "id", c.form.of(ids))
		conn.Run(map[string]string{"postgres": `ANALYZE events`, "mysql": `ANALYZE TABLE events`}[conn.Family])
		query := block(t, conn, "range")
		if conn.IsMySQL() {
			set, rest, _ := strings.Cut(query, "\n")
			conn.Run(set)
			query = rest
		}
		query = strings.Replace(query, "*", "id", 1)
		wantLines(t, conn, query, c.form.of(within))
		if plan := strings.Join(lines(conn, "EXPLAIN "+query), "\n"); !indexed[conn.Family].MatchString(plan) {
			t.Errorf("it reads the whole table:\n%s", plan)
		}
	})
}

// TestPartitions stores IDs in the partition of their month, and none without a partition.
func TestPartitions(t *testing.T) {
	onEach(t, servers[:1], func(t *testing.T, conn *db.DB) {
		conn.Run(block(t, conn, "partitions"))
		_, within := november()
		for _, id := range within {
			conn.Run(`INSERT INTO logs VALUES (?)`, ulid.AsUUID(id))
		}
		wantLines(t, conn, `SELECT id FROM logs_2026_11`, form(asUUID).of(within))
		wantError(t, conn, "no partition", `INSERT INTO logs VALUES ('00000000-0000-0000-0000-000000000000')`)
	})
}

var mysqls = servers[1:]

// --- docs/queries.md

// TestQueries reads a list in pages of 50, and a range of time, also without an end.
func TestQueries(t *testing.T) {
	page.Fact(t, queries, "missing-end-finds-nothing")
	conn := open(t, db.SQLite)
	conn.Run(`CREATE TABLE items (id TEXT PRIMARY KEY NOT NULL, name TEXT)`)
	rows := func(part string, args ...any) (ids []string) {
		query := strings.NewReplacer("$1", "?", "$2", "?").Replace(page.Code(t, queries, part))
		for _, row := range conn.Rows(query, args...) {
			ids = append(ids, cell(row[0]))
		}
		return ids
	}
	all, within := november()
	ids := all[:120]
	insert(conn, "items", "id", form(asText).of(ids))
	var got []string
	for last := (ulid.ULID{}); len(got) < len(ids); last = ulid.MustParse(got[len(got)-1]) {
		shown := rows("page", last)
		if want := min(51, len(ids)-len(got)); len(shown) != want {
			t.Fatalf("after %v come %d rows, want %d", last, len(shown), want)
		}
		got = append(got, shown[:min(50, len(shown))]...)
	}
	if !slices.Equal(got, form(asText).of(ids)) {
		t.Errorf("the pages have %s", got)
	}

	conn.Run(`CREATE TABLE events (id TEXT PRIMARY KEY NOT NULL)`)
	insert(conn, "events", "id", form(asText).of(all))
	from := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	if got := rows("range", ulid.FirstAt(from), ulid.FirstAt(from.AddDate(0, 1, 0))); len(got) != len(within) {
		t.Errorf("the range has %d IDs, want %d", len(got), len(within))
	}
	if got := rows("range", ulid.FirstAt(from), ulid.FirstAt(time.Time{})); len(got) != 0 {
		t.Errorf("the range without an end has %d IDs", len(got))
	}
}
