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

// After an upsert, the statements of the page return the row of the email. An email that no row has, with the phone of
// one, is an error, and finds no row. No row changes.
func TestRowAfterUpsert(t *testing.T) {
	db.Each(t, db.All, func(t *testing.T, d *db.Database) {
		conn := d.Open(t, "")
		conn.Run("CREATE TABLE users (id CHAR(26) PRIMARY KEY, email VARCHAR(99) UNIQUE, phone VARCHAR(99) UNIQUE)")
		upsert := onConflict
		if d.Family == "mysql" {
			upsert = insertOrSelect
			conn.Run("START TRANSACTION")
			conn.Count("SELECT count(*) FROM users") // before the other transaction
		}
		theirs := ulid.Make()
		conn.Again(t).Run(insertUser, theirs, "a@example.com", "1")
		for _, phone := range []string{"1", "2"} {
			ids, _ := upsert(t, conn, "a@example.com", phone)
			if !slices.Equal(ids, []ulid.ULID{theirs}) {
				t.Errorf("after an upsert with the phone %s: %v, want %v", phone, ids, theirs)
			}
		}
		ids, err := upsert(t, conn, "b@example.com", "1")
		isDuplicate := err != nil && regexp.MustCompile(`(?i)unique constraint|1062`).MatchString(err.Error())
		if len(ids) > 0 || !isDuplicate {
			t.Errorf("after an upsert with the phone of %v: %v, %v, want none and a duplicate key", theirs, ids, err)
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

const insertUser = "INSERT INTO users VALUES (?, ?, ?) "

func onConflict(t *testing.T, conn *db.DB, email, phone string) (ids []ulid.ULID, err error) {
	const clause = "ON CONFLICT (email) DO UPDATE SET email = excluded.email RETURNING id"
	page.Contains(t, queries, "- **PostgreSQL, SQLite:** `"+clause+"`\n")
	err = conn.Select(&ids, conn.Rebind(insertUser+clause), ulid.Make(), email, phone)
	return ids, err
}

// insertOrSelect does what the page says, and finds no row by a plain SELECT.
func insertOrSelect(t *testing.T, conn *db.DB, email, phone string) (ids []ulid.ULID, err error) {
	const byEmail, locked = "SELECT id FROM users WHERE email = ? ", "LOCK IN SHARE MODE"
	page.Contains(t, queries, "write a plain `INSERT` for each row. After a duplicate key (error 1062), select the row "+
		"by the\n  whole unique key, here `email`, and end with `"+locked+"`")
	err = conn.Try(insertUser, ulid.Make(), email, phone)
	if plain := conn.Rows(byEmail, email); len(plain) > 0 {
		t.Errorf("a plain SELECT finds %s", plain)
	}
	db.Check(t, conn.Select(&ids, byEmail+locked, email))
	return ids, err
}
