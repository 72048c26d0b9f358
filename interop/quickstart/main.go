// Quickstart stores, finds, pages and counts users on SQLite in memory, and prints what it does. README.md shows a part
// of it.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	_ "modernc.org/sqlite"
)

func main() {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		log.Fatal(err)
	}
	db.SetMaxOpenConns(1) // each connection has a memory of its own
	// UserKind stores UUIDs, for PostgreSQL. A kind for SQLite embeds a PrefixColumn, as README.md says.
	if _, err := db.Exec(`CREATE TABLE users (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL)`); err != nil {
		log.Fatal(err)
	}
	if err := run(context.Background(), db, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run stores users, finds one, and selects pages and a range of time.
func run(ctx context.Context, db *sql.DB, w io.Writer) error {
	line := func(label string, values ...any) { fmt.Fprintf(w, "%-21s%s", label, fmt.Sprintln(values...)) }
	begin := time.Now()
	var first User
	for _, name := range []string{"Ann", "Bob", "Eve"} {
		u, err := insertUser(ctx, db, name)
		if err != nil {
			return err
		}
		if first == (User{}) {
			first = u
		}
		line("stored:", u.ID, u.Name)
	}
	line("created:", first.ID.Time().UTC())

	name, err := userName(ctx, db, first.ID.String())
	if err != nil {
		return err
	}
	line("found by its string:", name)

	_, err = userName(ctx, db, "order_01m83etbpdfx9rtt17bzesqdpd")
	line("of another kind:", err)
	_, err = userName(ctx, db, "user_O1m83etbpdfx9rtt17bzesqdpd")
	line("with a typo:", err)

	page, err := usersAfter(ctx, db, UserID{}, 2)
	if err != nil {
		return err
	}
	line("the first page:", page[0].Name, page[1].Name)
	page, err = usersAfter(ctx, db, page[1].ID, 2)
	if err != nil {
		return err
	}
	line("the next page:", page[0].Name)

	n, err := countUsers(ctx, db, begin, time.Now().Add(time.Second))
	if err != nil {
		return err
	}
	line("of this second:", n, "users")
	return nil
}
