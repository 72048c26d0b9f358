// Quickstart stores rows under ULIDs in SQLite, and finds them by time and by key. README.md says how to start it.
package main

import (
	"database/sql"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"time"

	_ "modernc.org/sqlite"

	"github.com/seed-961d0905/ulid"
)

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer) error {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // each connection would have a memory for itself
	const table = "CREATE TABLE events (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL)"
	if _, err := db.Exec(table); err != nil {
		return err
	}

	// A ULID is an argument like any other.
	id := ulid.Make()
	if _, err := db.Exec("INSERT INTO events VALUES (?, ?)", id, "first"); err != nil {
		return err
	}
	fmt.Fprintf(out, "%v was made at %v\n", id, id.Timestamp().Format(time.StampMilli))

	time.Sleep(10 * time.Millisecond)
	later := time.Now()
	if err := insertMany(db); err != nil {
		return err
	}
	if err := findByTime(out, db, later); err != nil {
		return err
	}
	return findByKey(out, db, id)
}

// insertMany inserts many rows in one transaction, with IDs that are made at once.
func insertMany(db *sql.DB) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	ids := make([]ulid.ULID, 1000)
	ulid.Fill(ids)
	for i, id := range ids {
		if _, err := tx.Exec("INSERT INTO events VALUES (?, ?)", id, fmt.Sprint("event ", i)); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// findByTime counts the rows before and after a time, and finds the last one. The key is in order of time, so that a
// range of keys is a range of times.
func findByTime(out io.Writer, db *sql.DB, at time.Time) error {
	for _, query := range []string{
		"SELECT count(*) FROM events WHERE id < ?",
		"SELECT count(*) FROM events WHERE id >= ?",
	} {
		var rows int
		if err := db.QueryRow(query, ulid.FirstAt(at)).Scan(&rows); err != nil {
			return err
		}
		fmt.Fprintf(out, "%4d rows: %s, %v\n", rows, query, ulid.FirstAt(at))
	}
	var last ulid.ULID
	var name string
	if err := db.QueryRow("SELECT id, name FROM events ORDER BY id DESC").Scan(&last, &name); err != nil {
		return err
	}
	fmt.Fprintf(out, "%v is the last one: %s\n", last, name)
	return nil
}

// findByKey finds a row by what a person types, which is parsed before the database is asked.
func findByKey(out io.Writer, db *sql.DB, id ulid.ULID) error {
	for _, typed := range []string{id.String(), strings.ToLower(id.String()), id.String()[:25] + "U"} {
		id, err := ulid.Parse(typed)
		if err != nil {
			fmt.Fprintf(out, "%s: %v\n", typed, err)
			continue
		}
		var name string
		if err := db.QueryRow("SELECT name FROM events WHERE id = ?", id).Scan(&name); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %s\n", typed, name)
	}
	return nil
}
