// Quickstart stores an order in SQLite and finds it by its time. It is the program of README.md.
package main

import (
	"database/sql"
	"fmt"
	"log"
	"time"

	_ "modernc.org/sqlite"

	"github.com/seed-961d0905/ulid"
)

func main() {
	db, err := sql.Open("sqlite", ":memory:")
	check(err)
	db.SetMaxOpenConns(1) // each connection would have its own database
	_, err = db.Exec("CREATE TABLE orders (id TEXT PRIMARY KEY NOT NULL, item TEXT NOT NULL)")
	check(err)

	// Generate an ID and store it, like any other argument.
	id := ulid.Make()
	_, err = db.Exec("INSERT INTO orders (id, item) VALUES (?, ?)", id, "coffee")
	check(err)

	// Find the first order of the last hour. IDs sort by time, so the
	// query uses the index of the key.
	from := ulid.FirstAt(time.Now().Add(-time.Hour))
	var item string
	err = db.QueryRow("SELECT id, item FROM orders WHERE id >= ? ORDER BY id", from).Scan(&id, &item)
	check(err)
	fmt.Println(id, item, id.Timestamp().UTC().Format(time.DateTime))

	// Parse what a client sends. Anything that is not a ULID is an error.
	_, err = ulid.Parse("01M7ZPQKK9YWAK56HQEYD33WCU")
	fmt.Println(err)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
