// page: program

package main

import (
	"database/sql"
	"fmt"
	"log"
	"time"

	"github.com/seed-961d0905/ulid"
	_ "modernc.org/sqlite"
)

type Event struct {
	ID   ulid.ULID
	Name string
}

func main() {
	db, err := sql.Open("sqlite", "events.db")
	check(err)
	defer db.Close()
	_, err = db.Exec(`CREATE TABLE IF NOT EXISTS events (
		id   TEXT PRIMARY KEY NOT NULL,
		name TEXT NOT NULL
	)`)
	check(err)

	// Insert a row.
	id := ulid.Make()
	_, err = db.Exec(`INSERT INTO events (id, name) VALUES (?, ?)`, id, "signup")
	check(err)

	// Select it by its ID.
	var e Event
	row := db.QueryRow(`SELECT id, name FROM events WHERE id = ?`, id)
	check(row.Scan(&e.ID, &e.Name))
	fmt.Println(e.ID, e.Name) // 01M7ZPQKK9YWAK56HQEYD33WCP signup

	// Select all rows of its day in UTC, the oldest first.
	from := id.Timestamp().UTC().Truncate(24 * time.Hour)
	to := from.AddDate(0, 0, 1)
	rows, err := db.Query(`SELECT id, name FROM events WHERE id >= ? AND id < ? ORDER BY id`,
		ulid.FirstAt(from), ulid.FirstAt(to))
	check(err)
	defer rows.Close()
	for rows.Next() {
		check(rows.Scan(&e.ID, &e.Name))
		fmt.Println(e.ID, e.Name)
	}
	check(rows.Err())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
