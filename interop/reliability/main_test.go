package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

const processes = 8

// A size says how much each process goes through.
type size struct {
	rows, kills int
	factor      time.Duration // by which the clock is set back further each time, up to a year
}

func sizeOfRun() size {
	if os.Getenv("ULID_LONG") == "1" {
		return size{rows: 50_000, kills: 199, factor: 2}
	}
	return size{rows: 500, kills: 5, factor: 6000} // a second, 100 minutes, a year
}

// batch is how many rows a process commits at once: single ones, as is usual, in every other.
func batch(process int) int {
	if process%2 == 1 {
		return 1
	}
	return 5
}

// ahead is how many transactions a process may have begun of which it has not told.
const ahead = 8

// asProgram is set in the environment of the test where it is to be the program.
const asProgram = "ULID_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestSQLite(t *testing.T)     { test(t, db.SQLite) }
func TestPostgreSQL(t *testing.T) { test(t, db.PostgreSQL) }

// test lets all processes insert their rows while they are killed again and again.
func test(t *testing.T, d *db.Database) {
	events := openEvents(t, d)
	ctx, cancel := beforeDeadline(t)
	defer cancel(nil)
	var unheard [processes]int
	begin := time.Now()
	s := sizeOfRun()
	var group sync.WaitGroup
	for i := range processes {
		group.Go(func() {
			var err error
			if unheard[i], err = events.pester(ctx, i+1, s); err != nil {
				cancel(fmt.Errorf("process %d: %w", i+1, err))
			}
		})
	}
	group.Wait()
	took := time.Since(begin)
	if ctx.Err() != nil {
		t.Fatal(context.Cause(ctx))
	}
	if n := events.disordered(t, processes, s.rows); n != 0 {
		t.Errorf("%d rows are out of order", n)
	}
	// A conflict would have ended the process with an error.
	t.Logf("%d processes, %d rows in %v; %d kills and restarts, %d of them with the clock set back; commits of which the "+
		"killed process had not told: %d; 0 key conflicts, 0 rows out of order", processes, processes*s.rows,
		took.Round(100*time.Millisecond), processes*s.kills, processes*((s.kills+1)/2), unheard)
}

// events is an empty table for the program.
type events struct{ *db.DB }

func openEvents(t *testing.T, d *db.Database) events {
	column, parameters := "uuid", ""
	if d == db.SQLite {
		// To wait while another process writes. A power cut is not to be survived.
		column, parameters = "TEXT", "_pragma=busy_timeout(300000)&_txlock=immediate&_pragma=journal_mode(wal)"
	}
	e := events{d.Open(t, parameters)}
	e.Run(`CREATE TABLE event (id ` + column + ` PRIMARY KEY, process INTEGER NOT NULL, seq INTEGER NOT NULL)`)
	e.Run(`CREATE INDEX event_seq ON event (process, seq)`)
	return e
}

// disordered returns how many rows have an ID not greater than that of the same process's row before. It fails the test
// unless each process has that many rows, and their numbers have no gap.
func (e events) disordered(t *testing.T, processes, each int) (n int) {
	t.Helper()
	var rows []struct {
		ID           ulid.ULID
		Process, Seq int
	}
	db.Check(t, e.Select(&rows, `SELECT id, process, seq FROM event ORDER BY process, seq`))
	if len(rows) != processes*each {
		t.Fatalf("there are %d rows, want %d", len(rows), processes*each)
	}
	for i, r := range rows {
		if r.Process != i/each+1 || r.Seq != i%each+1 {
			t.Fatalf("row %d is number %d of process %d", i, r.Seq, r.Process)
		}
		if r.Seq > 1 && r.ID.Compare(rows[i-1].ID) <= 0 {
			n++
		}
	}
	return n
}

// pester runs the program until it has inserted all rows, and kills it now and then. Every other time it is started again
// with its clock set back further than the last time. It returns how many commits took place although the process was
// killed before it told of them.
func (e events) pester(ctx context.Context, process int, s size) (unheard int, err error) {
	random := rand.New(rand.NewPCG(1, uint64(process)))
	told := 0
	var back time.Duration
	for kills := 0; ; kills++ {
		killAt := never
		if kills < s.kills {
			// The last part is more than the process can insert until it is killed.
			part := s.rows / (s.kills + 1)
			killAt = kills*part + 1 + random.IntN(part)
		}
		var clock time.Duration
		if kills%2 == 1 {
			back = min(max(time.Second, back*s.factor), 365*24*time.Hour)
			clock = -back
		}
		l, err := e.live(ctx, killAt, func() { time.Sleep(time.Duration(random.Int64N(2e6))) },
			"-process", strconv.Itoa(process), "-rows", strconv.Itoa(s.rows),
			"-batch", strconv.Itoa(batch(process)), "-clock", clock.String())
		switch {
		case err != nil:
			return unheard, err
		case l.found == told:
		case l.found == min(told+batch(process), s.rows): // a commit was under way when it was killed
			unheard++
		default:
			return unheard, fmt.Errorf("it had told of %d rows, but %d were in the table", told, l.found)
		}
		if !l.killed && kills < s.kills {
			return unheard, fmt.Errorf("it was killed %d times while it inserted, not %d times", kills, s.kills)
		}
		if !l.killed {
			return unheard, nil
		}
		told = l.told
	}
}

const never = 1 << 30

// A life is one run of the program.
type life struct {
	found  int // its rows in the table when it began
	told   int // those when it last told of them
	killed bool
}

// live runs the program until it ends. If it has inserted a row, and told of killAt rows in the
// table, it is killed as soon as wait returns.
func (e events) live(ctx context.Context, killAt int, wait func(), args ...string) (l life, err error) {
	self, err := os.Executable()
	if err != nil {
		return l, err
	}
	cmd := exec.CommandContext(ctx, self, append([]string{"-driver", e.DriverName(), "-dsn", e.DSN}, args...)...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, inErr := cmd.StdinPipe()
	stdout, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
		return l, err
	}
	l.found = -1
	kill := false
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if l.told, err = strconv.Atoi(lines.Text()); err != nil {
			cmd.Process.Kill()
			break
		}
		switch {
		case l.found < 0:
			l.found = l.told
			stdin.Write(make([]byte, ahead))
		case l.told < killAt:
			stdin.Write(make([]byte, 1))
		case !kill:
			kill = true
			wait()
			cmd.Process.Kill() // SIGKILL, where there is such a thing
		}
	}
	ended := cmd.Wait()
	if kill && ended != nil && ctx.Err() == nil && stderr.Len() == 0 {
		l.killed, ended = true, nil
	}
	if err = errors.Join(err, ended); err != nil {
		err = fmt.Errorf("%w: %s", err, stderr.Bytes())
	}
	return l, err
}

// beforeDeadline returns a context that ends soon enough before go test would kill the test, and
// with it whatever would end the processes.
func beforeDeadline(t *testing.T) (context.Context, context.CancelCauseFunc) {
	ctx := t.Context()
	if deadline, ok := t.Deadline(); ok {
		var cancel func()
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-10*time.Second))
		t.Cleanup(cancel)
	}
	return context.WithCancelCause(ctx)
}

// A row that the database refuses ends the process, and its error comes to light.
func TestConflict(t *testing.T) {
	ctx, cancel := beforeDeadline(t)
	defer cancel(nil)
	for _, batch := range []string{"1", "2"} {
		e := openEvents(t, db.SQLite)
		e.Run(`CREATE UNIQUE INDEX event_process ON event (process)`)
		_, err := e.live(ctx, never, nil, "-rows", "2", "-batch", batch)
		if err == nil || !strings.Contains(err.Error(), "UNIQUE constraint failed") {
			t.Errorf("in a batch of %s the second row of a process gives %v", batch, err)
		}
	}
}

// Without After, and the clock set back, the order is lost: the flags do what they say.
func TestWithoutAfter(t *testing.T) {
	page.Fact(t, "docs/recipes.md", "restart-loses-order")
	e := openEvents(t, db.SQLite)
	ctx, cancel := beforeDeadline(t)
	defer cancel(nil)
	const lost = "-noafter -clock=-1h"
	for i, flags := range []string{"-clock=0", "-clock=-1h", "-noafter", "-clock=-1h", lost} {
		rows := 10 * (i + 1)
		_, err := e.live(ctx, never, nil, append(strings.Fields(flags), "-rows", strconv.Itoa(rows))...)
		db.Check(t, err)
		if n := e.disordered(t, 1, rows); (n == 1) != (flags == lost) || n > 1 {
			t.Errorf("after a run with %s %d rows are out of order", flags, n)
		}
	}
}

// PostgreSQL goes on with a statement when the process that sent it has been killed, and commits
// it. The next process must not read its rows back before.
func TestPostgreSQLKilledWhileItCommits(t *testing.T) {
	e := openEvents(t, db.PostgreSQL)
	ctx, cancel := beforeDeadline(t)
	defer cancel(nil)
	e.Run(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(2); RETURN NEW; END'`)
	e.Run(`CREATE TRIGGER wait BEFORE INSERT ON event FOR EACH ROW WHEN (NEW.seq = 3) EXECUTE FUNCTION wait()`)

	first, err := e.live(ctx, 2, func() { time.Sleep(time.Second) }, "-rows", "5") // killed while the trigger waits
	db.Check(t, err)
	second, err := e.live(ctx, never, nil, "-rows", "5", "-clock", "-1h")
	db.Check(t, err)
	if !first.killed || first.told != 2 || second.found != 3 {
		t.Errorf("killed (%v) when it had told of %d rows, 2 expected; then found %d, want 3", first.killed, first.told, second.found)
	}
	if n := e.disordered(t, 1, 5); n != 0 {
		t.Errorf("%d rows are out of order", n)
	}
}
