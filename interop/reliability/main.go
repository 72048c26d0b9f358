// Command reliability inserts rows under ULIDs into a table that others insert into at the same time. It may be killed at
// any moment. When it is started again, it goes on after the last of its rows that it finds, even where the clock has been
// set back.
//
// The test of this folder makes the table, and starts, kills and restarts several of them, for docs/dev/reliability.md.
package main

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/seed-961d0905/ulid"
)

func main() {
	if err := run(os.Stdin, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "reliability:", err)
		os.Exit(1)
	}
}

// run writes the number of its rows in the table to out: of those that it finds at first, and
// again after each transaction. For each transaction it needs a byte from in.
func run(in io.Reader, out io.Writer, args []string) error {
	flags := flag.NewFlagSet("reliability", flag.ContinueOnError)
	driver := flags.String("driver", "sqlite", "sqlite or pgx")
	dsn := flags.String("dsn", "", "database with the table event")
	process := flags.Int("process", 1, "number of this process; no two that run may have the same")
	rows := flags.Int("rows", 0, "insert until the table has so many rows of this process")
	batch := flags.Int("batch", 1, "rows in a transaction")
	clock := flags.Duration("clock", 0, "how far the clock goes wrong; 0 leaves Generator.Clock nil")
	noAfter := flags.Bool("noafter", false, "leave Generator.After zero")
	if err := flags.Parse(args); err != nil {
		return err
	}

	ctx := context.Background()
	db, err := sql.Open(*driver, *dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()

	if *driver == "pgx" {
		// The server goes on with what a killed process has asked for, and may commit a row
		// that nobody has found when reading After back. Its session stays until then.
		_, err := conn.ExecContext(ctx, `SELECT set_config('application_name', current_schema() || '.' || $1::int, false)`, *process)
		for n := 0; n != 1 && err == nil; time.Sleep(time.Millisecond) {
			err = conn.QueryRowContext(ctx, sessions).Scan(&n)
		}
		if err != nil {
			return err
		}
	}
	var last ulid.ULID
	var seq int
	err = conn.QueryRowContext(ctx, `SELECT id, seq FROM event WHERE process = $1 ORDER BY seq DESC LIMIT 1`, *process).Scan(&last, &seq)
	if err != nil && err != sql.ErrNoRows {
		return err
	}
	if _, err := fmt.Fprintln(out, seq); err != nil {
		return err
	}

	var g ulid.Generator
	if !*noAfter {
		g.After = last
	}
	if *clock != 0 {
		g.Clock = func() time.Time { return time.Now().Add(*clock) }
	}
	w := writer{conn, &g, *driver, *process}
	for seq < *rows {
		// So it cannot be ready before somebody has killed it, nor outlive whoever started it.
		if _, err := io.ReadFull(in, make([]byte, 1)); err != nil {
			return err
		}
		n := min(*batch, *rows-seq)
		if *batch == 1 {
			err = w.insert(ctx, seq+1)
		} else {
			err = w.insertBatch(ctx, seq+1, n)
		}
		if err != nil {
			return err
		}
		seq += n
		if _, err := fmt.Fprintln(out, seq); err != nil {
			return err
		}
	}
	return nil
}

type writer struct {
	conn    *sql.Conn
	ids     *ulid.Generator
	driver  string
	process int
}

// sessions counts the sessions of PostgreSQL that have the name of this one, as docs/recipes.md shows.
const sessions = `SELECT count(*) FROM pg_stat_activity WHERE application_name = current_setting('application_name')`

const insertRow = `INSERT INTO event (id, process, seq) VALUES ($1, $2, $3)`

// insert inserts a row in a transaction of its own.
func (w writer) insert(ctx context.Context, seq int) error {
	id, err := w.ids.Make()
	if err != nil {
		return err
	}
	_, err = w.conn.ExecContext(ctx, insertRow, w.key(id), w.process, seq)
	return err
}

// insertBatch inserts n rows, the first with the given number, in one transaction.
func (w writer) insertBatch(ctx context.Context, seq, n int) error {
	ids := make([]ulid.ULID, n)
	if err := w.ids.Fill(ids); err != nil {
		return err
	}
	tx, err := w.conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	for i, id := range ids {
		if _, err := tx.ExecContext(ctx, insertRow, w.key(id), w.process, seq+i); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// key is an ID as its column takes it: TEXT in SQLite, uuid in PostgreSQL.
func (w writer) key(id ulid.ULID) any {
	if w.driver == "pgx" {
		return ulid.AsUUID(id)
	}
	return id
}
