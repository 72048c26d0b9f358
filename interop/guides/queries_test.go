package guides

import (
	"fmt"
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

// After an upsert, the statements of the page return the row of the email. In MySQL and MariaDB, where another
// transaction may have stored it since this one has read, a plain SELECT misses it. An email that no row has, with the
// phone of one, is an error or finds no row. No row changes.
func TestRowAfterUpsert(t *testing.T) {
	const onConflict = "ON CONFLICT (email) DO UPDATE SET email = excluded.email RETURNING id"
	const locked = "LOCK IN SHARE MODE"
	page.Contains(t, queries, "- **PostgreSQL, SQLite:** `"+onConflict+"`\n")
	page.Contains(t, queries, "- **MySQL, MariaDB:** write a plain `INSERT` for each row. After a duplicate key")
	page.Contains(t, queries, "and end with `"+locked+"`")
	const insert, byEmail = "INSERT INTO users VALUES (?, ?, ?) ", "SELECT id FROM users WHERE email = ? "
	db.Each(t, db.All, func(t *testing.T, d *db.Database) {
		conn := d.Open(t, "")
		conn.Run("CREATE TABLE users (id CHAR(26) PRIMARY KEY, email VARCHAR(99) UNIQUE, phone VARCHAR(99) UNIQUE)")
		if d.Family == "mysql" {
			conn.Run("START TRANSACTION")
			conn.Count("SELECT count(*) FROM users")
		}
		theirs := ulid.Make()
		conn.Again(t).Run(insert, theirs, "a@example.com", "1")
		upsert := func(email, phone string) (ids []ulid.ULID, err error) {
			if d.Family != "mysql" {
				err = conn.Select(&ids, conn.Rebind(insert+onConflict), ulid.Make(), email, phone)
				return ids, err
			}
			conn.Try(insert, ulid.Make(), email, phone) // a duplicate key, or there are more rows below
			if plain := conn.Rows(byEmail, email); len(plain) > 0 {
				t.Errorf("a plain SELECT finds %s", plain)
			}
			err = conn.Select(&ids, byEmail+locked, email)
			return ids, err
		}
		for _, phone := range []string{"1", "2"} {
			if ids, err := upsert("a@example.com", phone); err != nil || !slices.Equal(ids, []ulid.ULID{theirs}) {
				t.Errorf("after an upsert with the phone %s: %v, %v, want %v", phone, ids, err, theirs)
			}
		}
		if ids, err := upsert("b@example.com", "1"); err == nil && len(ids) > 0 {
			t.Errorf("an upsert with the phone of %v returns %v", theirs, ids)
		}
		if d.Family == "mysql" {
			conn.Run("COMMIT")
		}
		rows := fmt.Sprintf("%s", conn.Rows("SELECT * FROM users"))
		if want := fmt.Sprintf("[[%s a@example.com 1]]", theirs); rows != want {
			t.Errorf("the rows are %s, want %s", rows, want)
		}
	})
}
