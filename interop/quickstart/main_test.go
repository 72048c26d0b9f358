package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// What the program prints, where every ID and every time is another.
const output = `stored:              ID Ann
stored:              ID Bob
stored:              ID Eve
created:             TIME
found by its string: Ann
of another kind:     user ID: prefix "order", want "user"
with a typo:         user ID: invalid character 'O' at offset 5
the first page:      Ann Bob
the next page:       Eve
of this second:      3 users
`

// TestRun runs the program on SQLite, as main does, and on PostgreSQL with the column that README.md shows.
func TestRun(t *testing.T) {
	db.Each(t, []*db.Database{db.SQLite, db.PostgreSQL}, func(t *testing.T, d *db.Database) {
		conn := d.Open(t, "")
		conn.Run(`CREATE TABLE users (id ` + d.Columns[0].SQL + ` PRIMARY KEY NOT NULL, name TEXT NOT NULL)`)
		var out bytes.Buffer
		err := run(t.Context(), conn.DB.DB, &out)
		if got := form(out.String()); got != output || err != nil {
			t.Errorf("got\n%s%v, want\n%s", got, err, output)
		}
	})
}

// first is the first block of README.md.
func first(db *sql.DB) {
	// page: first
	id := ulid.Make()
	fmt.Println(id)
	// 01M83ETBPDFX9RTT17BZESQDPD
	fmt.Println(id.Time().UTC())
	// 2026-11-23 05:42:17.037 +0000 UTC

	// PostgreSQL: CREATE TABLE t (id uuid PRIMARY KEY)
	_, err := db.Exec(
		`INSERT INTO t (id) VALUES ($1)`,
		ulid.AsUUID(id))
	if err != nil {
		log.Fatal(err)
	}
	// page: end
}

// TestFirst compares what the first block prints with its comments, and looks for its row.
func TestFirst(t *testing.T) {
	conn := db.PostgreSQL.Open(t, "")
	conn.Run(`CREATE TABLE t (id uuid PRIMARY KEY)`)
	got := printed(t, func() { first(conn.DB.DB) })
	source, err := os.ReadFile("main_test.go")
	db.Check(t, err)
	var want string
	for _, m := range regexp.MustCompile(`\tfmt\.Println\(.*\)\n\t// (.*\n)`).FindAllStringSubmatch(string(source), -1) {
		want += m[1]
	}
	if form(got) != form(want) {
		t.Errorf("the block prints\n%swant\n%s", got, want)
	}
	text, _, _ := strings.Cut(got, "\n")
	if n := conn.Count(`SELECT count(*) FROM t WHERE id = ?`, ulid.AsUUID(ulid.MustParse(text))); n != 1 {
		t.Errorf("%d rows have the ID %s, want 1", n, text)
	}
}

// printed returns what f prints.
func printed(t *testing.T, f func()) string {
	r, w, err := os.Pipe()
	db.Check(t, err)
	stdout := os.Stdout
	os.Stdout = w
	f()
	os.Stdout = stdout
	w.Close()
	out, err := io.ReadAll(r)
	db.Check(t, err)
	return string(out)
}

// form returns a text with the same characters for every ID and every time.
func form(text string) string {
	text = regexp.MustCompile(`\b(user_)?01[0-9A-Za-z]{24}\b`).ReplaceAllString(text, "ID")
	return regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? \+0000 UTC`).ReplaceAllString(text, "TIME")
}
