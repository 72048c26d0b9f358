// Quickstart generates an ID, stores an order in SQLite and finds it by its time. README.md shows lines of it.
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
	const s = "01M83ETBPDFX9HTT17BZESQDPD"

	id := ulid.Make()            // 01M83ETBPDFX9HTT17BZESQDPD
	created := id.Timestamp()    // 2026-11-23 05:42:17.037 UTC
	parsed, err := ulid.Parse(s) // an error unless s is a ULID
	check(err)
	fmt.Println(id, created.UTC().Format(time.DateTime))
	fmt.Println(parsed)
	_, err = ulid.Parse(s + "!")
	fmt.Println(err)

	db, err := sql.Open("sqlite", ":memory:")
	check(err)
	db.SetMaxOpenConns(1) // each connection would have its own database
	_, err = db.Exec("CREATE TABLE orders (id TEXT PRIMARY KEY NOT NULL, item TEXT NOT NULL)")
	check(err)
	_, err = db.Exec("INSERT INTO orders (id, item) VALUES (?, ?)", id, "coffee")
	check(err)

	// The orders of the last hour. IDs sort by time, so the query uses the index of the key.
	from := ulid.FirstAt(time.Now().Add(-time.Hour))
	rows, err := db.Query("SELECT id, item FROM orders WHERE id >= ? ORDER BY id", from)
	check(err)
	defer rows.Close()
	for rows.Next() {
		var item string
		check(rows.Scan(&id, &item))
		fmt.Println(id, item)
	}
	check(rows.Err())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
