package guides

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

const queries = "docs/queries.md"

// The query for rows per day counts each row of an ID that stands in several, in either case, with a prefix or without,
// up to the last day that a DATE holds.
func TestRowsPerDay(t *testing.T) {
	type day struct {
		Day  string
		Rows int `db:"count(*)"`
	}
	const ofBytes = "conv(left(hex(id), 12), 16, 10) / 1000"
	page.Contains(t, queries, "`s` of a `BINARY(16)` is `"+ofBytes+"`")
	inMySQL, inSQLite, _ := strings.Cut(page.Code(t, queries, "mysql: days"), "; -- SQLite: ")
	query := map[string]string{
		"mysql":  inMySQL,
		"sqlite": strings.Replace(inMySQL, "date('1970-01-01' + INTERVAL s SECOND)", inSQLite, 1),
	}
	queryOfBytes := regexp.MustCompile(`(?s)\(SELECT sum.* AS s`).ReplaceAllString(inMySQL, ofBytes+" AS s")
	want := []day{{"1970-01-01", 4}, {"2026-11-23", 5}, {"9999-12-31", 6}}
	db.Each(t, []*db.Database{db.SQLite, db.MariaDB, db.MySQL}, func(t *testing.T, d *db.Database) {
		conn := d.Open(t, "")
		conn.Run("CREATE TABLE events (id VARCHAR(40))")
		conn.Run("CREATE TABLE bytes (id BINARY(16))")
		for _, w := range want {
			start, err := time.Parse(time.DateOnly, w.Day)
			db.Check(t, err)
			first, last := ulid.FirstAt(start), ulid.LastAt(start.Add(24*time.Hour-1))
			texts := []string{last.String(), strings.ToLower(first.String()), "user_" + strings.ToLower(last.String())}
			for n := range w.Rows {
				conn.Run("INSERT INTO events VALUES (?)", texts[n%3])
				conn.Run("INSERT INTO bytes VALUES (?)", ulid.AsBinary([]ulid.ULID{first, last}[n%2]))
			}
		}
		wantDays := func(query string) {
			var got []day
			db.Check(t, conn.Select(&got, query+" ORDER BY day"))
			if !slices.Equal(got, want) {
				t.Errorf("rows per day are %v, want %v, from\n%s", got, want, query)
			}
		}
		wantDays(query[d.Family])
		if d.Family == "mysql" {
			wantDays(strings.Replace(queryOfBytes, "FROM events", "FROM bytes", 1))
		}
	})
}

// After an upsert of an email that another transaction has stored since this one has read, the SELECT of the page finds
// the row, and a plain one does not.
func TestRowAfterUpsert(t *testing.T) {
	const byEmail, locked = "SELECT id FROM users WHERE email = 'a@example.com'", "LOCK IN SHARE MODE"
	page.Contains(t, queries, "end the `SELECT`\n  with `"+locked+"`")
	db.Each(t, []*db.Database{db.MariaDB, db.MySQL}, func(t *testing.T, d *db.Database) {
		for _, upsert := range []string{
			"INSERT IGNORE INTO users VALUES (?, 'a@example.com')",
			"INSERT INTO users VALUES (?, 'a@example.com') ON DUPLICATE KEY UPDATE email = VALUES(email)",
		} {
			conn := d.Open(t, "")
			conn.Run("CREATE TABLE users (id CHAR(26) PRIMARY KEY, email VARCHAR(99) UNIQUE)")
			conn.Run("START TRANSACTION")
			conn.Count("SELECT count(*) FROM users")
			theirs := ulid.Make()
			conn.Again(t).Run("INSERT INTO users VALUES (?, 'a@example.com')", theirs)
			conn.Run(upsert, ulid.Make())
			var plain, ids []ulid.ULID
			db.Check(t, conn.Select(&plain, byEmail))
			db.Check(t, conn.Select(&ids, byEmail+" "+locked))
			if len(plain) != 0 || !slices.Equal(ids, []ulid.ULID{theirs}) {
				t.Errorf("after %s, %v are found, and %v in a plain SELECT, want %v and none", upsert, ids, plain, theirs)
			}
			conn.Run("ROLLBACK")
		}
	})
}
