package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
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

// asProgram is set in the environment of the test where it is to be a program: the one of this folder, or asService.
const (
	asProgram = "ULID_TEST_AS_PROGRAM"
	asService = "service"
)

func TestMain(m *testing.M) {
	switch os.Getenv(asProgram) {
	case "":
		os.Exit(m.Run())
	case asService:
		serviceMain()
	default:
		main()
	}
}

func TestSQLite(t *testing.T)     { testKills(t, db.SQLite) }
func TestPostgreSQL(t *testing.T) { testKills(t, db.PostgreSQL) }

// testKills lets all processes insert their rows while they are killed again and again.
func testKills(t *testing.T, d *db.Database) {
	events := openEvents(t, d)
	ctx, cancel := beforeDeadline(t)
	defer cancel(nil)
	var unheard [processes]int
	begin := time.Now()
	s := sizeOfRun()
	var group sync.WaitGroup
	for i := range processes {
		group.Go(func() {
			n, err := events.pester(ctx, i+1, s)
			if err != nil {
				cancel(fmt.Errorf("process %d: %w", i+1, err))
			}
			unheard[i] = n
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

// pester runs the program until it has inserted all rows, and kills it now and then. Every other time it is started
// again with its clock set back further than the last time. It returns how many commits took place although the process
// was killed before it told of them.
func (e events) pester(ctx context.Context, process int, s size) (unheard int, err error) {
	random := rand.New(rand.NewPCG(1, uint64(process)))
	pause := func() { time.Sleep(time.Duration(random.Int64N(2e6))) }
	args := []string{
		"-process", strconv.Itoa(process),
		"-rows", strconv.Itoa(s.rows),
		"-batch", strconv.Itoa(batch(process)),
	}
	part := s.rows / (s.kills + 1) // the last one is more than the process can insert until it is killed
	told := 0
	var back time.Duration
	for kills := range s.kills + 1 {
		killAt := never
		if kills < s.kills {
			killAt = kills*part + 1 + random.IntN(part)
		}
		var clock time.Duration
		if kills%2 == 1 {
			back = min(max(time.Second, back*s.factor), 365*24*time.Hour)
			clock = -back
		}
		l, err := e.live(ctx, killAt, pause, append(args, "-clock", clock.String())...)
		if err != nil {
			return unheard, err
		}
		switch l.found {
		case told:
		case min(told+batch(process), s.rows): // a commit was under way when it was killed
			unheard++
		default:
			return unheard, fmt.Errorf("it had told of %d rows, but %d were in the table", told, l.found)
		}
		if !l.killed && kills < s.kills {
			return unheard, fmt.Errorf("it was killed %d times while it inserted, not %d times", kills, s.kills)
		}
		told = l.told
	}
	return unheard, nil
}

const never = 1 << 30

// A life is one run of the program.
type life struct {
	found  int // its rows in the table when it began, or -1 until it has told of them
	told   int // those when it last told of them
	killed bool
}

// live runs the program until it ends. If it has inserted a row, and told of killAt rows in the table, it is killed as
// soon as wait returns.
func (e events) live(ctx context.Context, killAt int, wait func(), args ...string) (life, error) {
	self, err := os.Executable()
	if err != nil {
		return life{}, err
	}
	cmd := exec.CommandContext(ctx, self, append([]string{"-driver", e.DriverName(), "-dsn", e.DSN}, args...)...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, inErr := cmd.StdinPipe()
	stdout, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
		return life{}, err
	}
	l := life{found: -1}
	wrong := l.follow(stdin, stdout, killAt, func() {
		wait()
		cmd.Process.Kill() // SIGKILL, where there is such a thing
	})
	if wrong != nil {
		cmd.Process.Kill()
	}
	ended := cmd.Wait()
	l.killed = l.killed && ended != nil && ctx.Err() == nil && stderr.Len() == 0 // or it ended before
	if l.killed {
		ended = nil
	}
	if err := errors.Join(wrong, ended); err != nil {
		return l, fmt.Errorf("%w: %s", err, stderr.Bytes())
	}
	return l, nil
}

// follow reads what the program tells, and lets it go on. Once it has inserted a row, and told of killAt rows, it is
// killed.
func (l *life) follow(stdin io.Writer, stdout io.Reader, killAt int, kill func()) error {
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			return err
		}
		l.told = n
		switch {
		case l.found < 0:
			l.found = n
			stdin.Write(make([]byte, ahead))
		case n < killAt:
			stdin.Write(make([]byte, 1))
		case !l.killed:
			l.killed = true
			kill()
		}
	}
	return nil
}

// beforeDeadline returns a context that ends soon enough before go test would kill the test, and with it whatever would
// end the processes.
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

// Without AdvancePast, and the clock set back, the order is lost: the flags do what they say.
func TestWithoutAdvancePast(t *testing.T) {
	page.Fact(t, "docs/order.md", "restart-loses-order")
	e := openEvents(t, db.SQLite)
	ctx, cancel := beforeDeadline(t)
	defer cancel(nil)
	lost := []string{"-forget", "-clock=-1h"}
	for i, flags := range [][]string{{"-clock=0", "-batch=3"}, {"-clock=-1h"}, {"-forget"}, {"-clock=-1h"}, lost} {
		rows := 10 * (i + 1)
		_, err := e.live(ctx, never, nil, append(flags, "-rows", strconv.Itoa(rows))...)
		db.Check(t, err)
		want := 0
		if slices.Equal(flags, lost) {
			want = 1
		}
		if n := e.disordered(t, 1, rows); n != want {
			t.Errorf("after a run with %s %d rows are out of order, want %d", flags, n, want)
		}
	}
}

// PostgreSQL goes on with a statement when the process that sent it has been killed, and commits it. The next process
// must not read its rows back before.
func TestPostgreSQLKilledWhileItCommits(t *testing.T) {
	e := openEvents(t, db.PostgreSQL)
	ctx, cancel := beforeDeadline(t)
	defer cancel(nil)
	e.Run(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(2); RETURN NEW; END'`)
	e.Run(`CREATE TRIGGER wait BEFORE INSERT ON event FOR EACH ROW WHEN (NEW.seq = 3) EXECUTE FUNCTION wait()`)

	whileItWaits := func() { time.Sleep(time.Second) }
	first, err := e.live(ctx, 2, whileItWaits, "-rows", "5")
	db.Check(t, err)
	second, err := e.live(ctx, never, nil, "-rows", "5", "-clock", "-1h")
	db.Check(t, err)
	if !first.killed || first.told != 2 {
		t.Errorf("killed (%v) when it had told of %d rows, want 2", first.killed, first.told)
	}
	if second.found != 3 {
		t.Errorf("the second process found %d rows, want 3", second.found)
	}
	if n := e.disordered(t, 1, 5); n != 0 {
		t.Errorf("%d rows are out of order", n)
	}
}
