// page: program

package main

import (
	"database/sql"
	"fmt"
	"log"
	"os"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/seed-961d0905/ulid"
)

type Event struct {
	ID   ulid.AsUUID
	Name string
}

func main() {
	db, err := sql.Open("pgx", os.Getenv("DATABASE_URL"))
	check(err)
	defer db.Close()
	_, err = db.Exec(`CREATE TABLE IF NOT EXISTS events (
		id   uuid PRIMARY KEY,
		name text NOT NULL
	)`)
	check(err)

	// Insert a row.
	id := ulid.MakeUUIDv7()
	_, err = db.Exec(`INSERT INTO events (id, name) VALUES ($1, $2)`,
		ulid.AsUUID(id), "signup")
	check(err)

	// Select it by its ID.
	var e Event
	row := db.QueryRow(`SELECT id, name FROM events WHERE id = $1`, ulid.AsUUID(id))
	check(row.Scan(&e.ID, &e.Name))
	fmt.Println(e.ID, e.Name) // 01M7ZPQKK9YWAK56HQEYD33WCP signup

	// Select all rows of its day in UTC, the oldest first.
	from := id.Timestamp().UTC().Truncate(24 * time.Hour)
	to := from.AddDate(0, 0, 1)
	rows, err := db.Query(`SELECT id, name FROM events WHERE id >= $1 AND id < $2 ORDER BY id`,
		ulid.AsUUID(ulid.FirstAt(from)), ulid.AsUUID(ulid.FirstAt(to)))
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
