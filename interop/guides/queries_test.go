package guides

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// The query for rows per day reads the time of an ID in either case, with a prefix or without, up to the last day that
// a DATE holds.
func TestRowsPerDay(t *testing.T) {
	type day struct {
		Day  string
		Rows int `db:"count(*)"`
	}
	const queries, ofBytes = "docs/queries.md", "conv(left(hex(id), 12), 16, 10) / 1000"
	page.Contains(t, queries, ofBytes)
	inMySQL, inSQLite, _ := strings.Cut(page.Code(t, queries, "mysql: days"), "; -- SQLite: ")
	query := map[string]string{
		"mysql":  inMySQL,
		"sqlite": strings.Replace(inMySQL, "date('1970-01-01' + INTERVAL s SECOND)", inSQLite, 1),
	}
	want := []day{{"1970-01-01", 2}, {"2026-11-23", 3}, {"9999-12-31", 2}}
	db.Each(t, []*db.Database{db.SQLite, db.MariaDB, db.MySQL}, func(t *testing.T, d *db.Database) {
		conn := d.Open(t, "")
		conn.Run("CREATE TABLE events (id VARCHAR(40) PRIMARY KEY)")
		for _, w := range want {
			start, err := time.Parse(time.DateOnly, w.Day)
			db.Check(t, err)
			last := ulid.LastAt(start.Add(24*time.Hour - 1))
			conn.Run("INSERT INTO events (id) VALUES (?), (?)", last, "user_"+strings.ToLower(last.String()))
			if w.Rows == 3 {
				conn.Run("INSERT INTO events (id) VALUES (?)", strings.ToLower(ulid.FirstAt(start).String()))
			}
		}
		var got []day
		db.Check(t, conn.Select(&got, query[d.Family]+" ORDER BY day"))
		if !slices.Equal(got, want) {
			t.Errorf("rows per day are %v, want %v", got, want)
		}
		if d == db.SQLite {
			return
		}
		conn.Run("CREATE TABLE bytes (id BINARY(16))")
		conn.Run("INSERT INTO bytes VALUES (?)", ulid.AsBinary(ulid.FirstAt(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC))))
		var last []string
		db.Check(t, conn.Select(&last, "SELECT date('1970-01-01' + INTERVAL "+ofBytes+" SECOND) FROM bytes"))
		if !slices.Equal(last, []string{"9999-12-31"}) {
			t.Errorf("the day of 16 bytes is %v", last)
		}
	})
}
