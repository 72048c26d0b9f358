// Quickstart keeps rows under ULIDs in a SQLite file: it inserts some, reads them in order, by
// time and by key, and checks all that it reads.
//
//	go run ./quickstart            # in a temporary folder
//	go run ./quickstart rows.db    # in a file that stays, and may be used again
package main

import (
	"bufio"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/seed-961d0905/ulid"
	_ "modernc.org/sqlite"
)

const (
	workers    = 8
	perWorker  = 125
	singleRows = workers * perWorker
	batchRows  = 10_000
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, args []string) error {
	if len(args) > 1 || len(args) == 1 && strings.HasPrefix(args[0], "-") {
		return errors.New("usage: quickstart [file.db]")
	}
	out := bufio.NewWriter(w) // Flush tells of every write that failed
	var err error
	if len(args) == 1 {
		err = useFile(out, args[0])
	} else {
		err = useTemporaryFile(out)
	}
	return errors.Join(err, out.Flush())
}

func useTemporaryFile(out io.Writer) error {
	dir, err := os.MkdirTemp("", "quickstart")
	if err != nil {
		return err
	}
	err = useFile(out, filepath.Join(dir, "rows.db"))
	return errors.Join(err, os.RemoveAll(dir))
}

func useFile(out io.Writer, path string) error {
	db, err := open(path)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	fmt.Fprintf(out, "Rows with a ULID as the key, in %s\n\n", path)
	return errors.Join(tour(out, db), db.Close())
}

// open makes the table too, unless an earlier run has. The declared type has to be TEXT: in
// a column that is declared as ULID, SQLite would store a text that looks like a number as
// one.
func open(path string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return nil, err
	}
	// SQLite lets one connection write at a time: goroutines that wait for the only one
	// there is never see an error that says it is busy.
	db.SetMaxOpenConns(1)
	_, err = db.Exec(`CREATE TABLE IF NOT EXISTS event (
		id    TEXT PRIMARY KEY,
		maker TEXT NOT NULL,
		n     INTEGER NOT NULL
	) WITHOUT ROWID`)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// A row is the n-th of those that its maker inserted.
type row struct {
	id    ulid.ULID
	maker string
	n     int
}

// tour is all that there is to see. The table may hold rows of earlier runs; those of this one
// lie between begin and end.
func tour(out io.Writer, db *sql.DB) error {
	begin := nextMillisecond()
	if err := insertSingly(db); err != nil {
		return fmt.Errorf("insert single rows: %w", err)
	}
	split := nextMillisecond()
	ids := make([]ulid.ULID, batchRows)
	ulid.Fill(ids)
	if err := insertBatch(db, ids); err != nil {
		return fmt.Errorf("insert a batch: %w", err)
	}
	end := nextMillisecond()
	fmt.Fprintln(out, "Inserted")
	fmt.Fprintf(out, "  %6d rows from %d goroutines, ulid.Make, one commit for each row %6d ms\n", singleRows, workers, split.Sub(begin).Milliseconds())
	fmt.Fprintf(out, "  %6d rows at once, ulid.Fill, one commit for all                %6d ms\n", batchRows, end.Sub(split).Milliseconds())

	rows, err := between(db, begin, end)
	if err != nil {
		return err
	}
	if err := showOrder(out, rows, ids); err != nil {
		return err
	}
	if err := showTimes(out, db, begin, split, end); err != nil {
		return err
	}
	return showLookups(out, db, rows[len(rows)/2])
}

// nextMillisecond waits until the clock is past the millisecond of every ID made so far, so that
// no time range that begins or ends there can cut between two of them.
func nextMillisecond() time.Time {
	time.Sleep(2 * time.Millisecond)
	return time.Now()
}

const insertRow = `INSERT INTO event (id, maker, n) VALUES (?, ?, ?)`

func insertSingly(db *sql.DB) error {
	var errs [workers]error
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			maker := fmt.Sprintf("goroutine %d", w+1)
			for n := 1; n <= perWorker && errs[w] == nil; n++ {
				_, errs[w] = db.Exec(insertRow, ulid.Make(), maker, n)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs[:]...)
}

func insertBatch(db *sql.DB, ids []ulid.ULID) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	insert, err := tx.Prepare(insertRow)
	if err != nil {
		return err
	}
	defer insert.Close()
	for i, id := range ids {
		if _, err := insert.Exec(id, "batch", i+1); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// between returns the rows made from one time until just before another, in the order of their
// keys. It needs no column for the time.
func between(db *sql.DB, from, to time.Time) ([]row, error) {
	found, err := db.Query(`SELECT id, maker, n FROM event WHERE id >= ? AND id < ? ORDER BY id`,
		ulid.FirstAt(from), ulid.FirstAt(to))
	if err != nil {
		return nil, err
	}
	defer found.Close()
	var rows []row
	for found.Next() {
		var r row
		if err := found.Scan(&r.id, &r.maker, &r.n); err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, found.Err()
}

// showOrder shows the first and the last row, and checks that the order of the keys is the order
// of making: for the single rows within each goroutine, for the batch throughout, and for the two
// one after the other.
func showOrder(out io.Writer, rows []row, ids []ulid.ULID) error {
	if want := singleRows + len(ids); len(rows) != want {
		return fmt.Errorf("%d rows are in the table, not the %d that were inserted", len(rows), want)
	}
	made := map[string]int{} // by each maker, so far
	for i, r := range rows {
		made[r.maker]++
		if r.n != made[r.maker] || (r.maker == "batch") != (i >= singleRows) {
			return fmt.Errorf("row %d in key order is row %d of %s: not the order of making", i+1, r.n, r.maker)
		}
		if r.maker == "batch" && r.id != ids[r.n-1] {
			return fmt.Errorf("row %d of the batch has the key %v, not %v", r.n, r.id, ids[r.n-1])
		}
	}
	fmt.Fprintln(out, "In key order, which is the order of making")
	for _, i := range []int{1, singleRows, singleRows + 1, len(rows)} {
		r := rows[i-1]
		fmt.Fprintf(out, "  %6d  %v  %s  %s, row %d\n", i, r.id, r.id.Timestamp().Format(clock), r.maker, r.n)
	}
	return nil
}

const clock = "15:04:05.000"

// showTimes splits the rows by time.
func showTimes(out io.Writer, db *sql.DB, begin, split, end time.Time) error {
	fmt.Fprintln(out, "By time, WHERE id >= ulid.FirstAt(from) AND id < ulid.FirstAt(to)")
	for _, part := range []struct {
		from, to time.Time
		want     int
	}{
		{begin, split, singleRows},
		{split, end, batchRows},
	} {
		from, to := part.from.Format(clock), part.to.Format(clock)
		rows, err := between(db, part.from, part.to)
		if err != nil {
			return err
		}
		if len(rows) != part.want {
			return fmt.Errorf("%d rows are from %s to %s, not %d", len(rows), from, to, part.want)
		}
		fmt.Fprintf(out, "  from %s to %s %6d rows\n", from, to, len(rows))
	}
	return nil
}

// showLookups finds the row by everything that a person may hand in for its key, and shows what
// a slip of the keyboard gets.
func showLookups(out io.Writer, db *sql.DB, want row) error {
	text := want.id.String()
	fmt.Fprintln(out, "One row, found by its")
	for _, by := range []struct {
		name, text string
		parse      func(string) (ulid.ULID, error)
	}{
		{"text", text, ulid.Parse},
		{"text in lower case", strings.ToLower(text), ulid.Parse},
		{"UUID notation", want.id.UUIDString(), ulid.ParseUUID},
	} {
		id, err := by.parse(by.text)
		if err != nil {
			return err
		}
		got := row{id: id}
		err = db.QueryRow(`SELECT maker, n FROM event WHERE id = ?`, id).Scan(&got.maker, &got.n)
		if err != nil {
			return fmt.Errorf("find %s: %w", by.text, err)
		}
		if got != want {
			return fmt.Errorf("find %s: got %v, not %v", by.text, got, want)
		}
		fmt.Fprintf(out, "  %-18s  %-36s  %s, row %d\n", by.name, by.text, got.maker, got.n)
	}

	mistyped := text[:len(text)-1] + "U"
	_, err := ulid.Parse(mistyped)
	if err == nil {
		return fmt.Errorf("%s is no ULID, but Parse took it", mistyped)
	}
	fmt.Fprintln(out, "A mistyped ID, for which the database is not even asked")
	fmt.Fprintf(out, "  %s  %v\n", mistyped, err)
	return nil
}
