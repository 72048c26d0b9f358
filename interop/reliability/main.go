// Command reliability inserts rows under ULIDs into a table that others insert into at the same time. It may be killed
// at any moment. When it is started again, it goes on after the last of its rows that it finds, even where the clock
// has been set back.
//
// The test of this folder makes the table, and starts, kills and restarts several of them, for docs/dev/reliability.md.
package main

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"io"
	"math"
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

// settings are what the flags set.
type settings struct {
	driver, dsn string
	process     int
	rows, batch int
	clock       time.Duration
	forget      bool
}

func parse(args []string) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("reliability", flag.ContinueOnError)
	flags.StringVar(&s.driver, "driver", "sqlite", "sqlite or pgx")
	flags.StringVar(&s.dsn, "dsn", "", "database with the table event")
	flags.IntVar(&s.process, "process", 1, "number of this process; no two that run may have the same")
	flags.IntVar(&s.rows, "rows", 0, "insert until the table has so many rows of this process")
	flags.IntVar(&s.batch, "batch", 1, "rows in a transaction")
	flags.DurationVar(&s.clock, "clock", 0, "how far the clock goes wrong; 0 leaves Generator.Clock nil")
	flags.BoolVar(&s.forget, "forget", false, "do not advance past the last row")
	return s, flags.Parse(args)
}

// run writes the number of its rows in the table to out: of those that it finds at first, and again after each
// transaction. For each transaction it needs a byte from in.
func run(in io.Reader, out io.Writer, args []string) error {
	s, err := parse(args)
	if err != nil {
		return err
	}
	db, err := sql.Open(s.driver, s.dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	ctx := context.Background()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()

	w := writer{settings: s, conn: conn}
	if s.driver == "pgx" {
		if err := w.waitForSessions(ctx); err != nil {
			return err
		}
	}
	last, seq, err := w.last(ctx)
	if err != nil {
		return err
	}
	if s.clock != 0 {
		w.ids.Clock = func() time.Time { return time.Now().Add(s.clock) }
	}
	if !s.forget {
		if err := w.ids.AdvancePast(last, math.MaxInt64); err != nil { // its clock may be a year behind
			return err
		}
	}
	return w.insertRest(ctx, in, out, seq)
}

type writer struct {
	settings
	conn *sql.Conn
	ids  ulid.Generator
}

// sessions counts the sessions of PostgreSQL that have the name of this one, as docs/order.md shows.
const sessions = `SELECT count(*) FROM pg_stat_activity WHERE application_name = current_setting('application_name')`

// waitForSessions waits until this is the only session of the process. The server goes on with what a killed process
// has asked for, and may commit a row that nobody has found when reading the last one back. Its session stays until
// then.
func (w *writer) waitForSessions(ctx context.Context) error {
	const name = `SELECT set_config('application_name', current_schema() || '.' || $1::int, false)`
	if _, err := w.conn.ExecContext(ctx, name, w.process); err != nil {
		return err
	}
	for {
		var n int
		if err := w.conn.QueryRowContext(ctx, sessions).Scan(&n); err != nil || n == 1 {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

// last returns the ID and the number of the last row of this process, or zeros if there is none.
func (w *writer) last(ctx context.Context) (id ulid.ULID, seq int, err error) {
	const query = `SELECT id, seq FROM event WHERE process = $1 ORDER BY seq DESC LIMIT 1`
	err = w.conn.QueryRowContext(ctx, query, w.process).Scan(&id, &seq)
	if err == sql.ErrNoRows {
		err = nil
	}
	return id, seq, err
}

// insertRest inserts what is missing after the row with the number seq.
func (w *writer) insertRest(ctx context.Context, in io.Reader, out io.Writer, seq int) error {
	for {
		if _, err := fmt.Fprintln(out, seq); err != nil || seq >= w.rows {
			return err
		}
		// So it cannot be ready before somebody has killed it, nor outlive whoever started it.
		if _, err := io.ReadFull(in, make([]byte, 1)); err != nil {
			return err
		}
		n := min(w.batch, w.rows-seq)
		if err := w.insertNext(ctx, seq+1, n); err != nil {
			return err
		}
		seq += n
	}
}

// insertNext inserts n rows, the first with the given number.
func (w *writer) insertNext(ctx context.Context, seq, n int) error {
	if w.batch == 1 {
		return w.insert(ctx, seq)
	}
	return w.insertBatch(ctx, seq, n)
}

const insertRow = `INSERT INTO event (id, process, seq) VALUES ($1, $2, $3)`

// insert inserts a row in a transaction of its own.
func (w *writer) insert(ctx context.Context, seq int) error {
	id, err := w.ids.Make()
	if err != nil {
		return err
	}
	_, err = w.conn.ExecContext(ctx, insertRow, w.key(id), w.process, seq)
	return err
}

// insertBatch inserts n rows, the first with the given number, in one transaction.
func (w *writer) insertBatch(ctx context.Context, seq, n int) error {
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
func (w *writer) key(id ulid.ULID) any {
	if w.driver == "pgx" {
		return ulid.AsUUID(id)
	}
	return id
}
