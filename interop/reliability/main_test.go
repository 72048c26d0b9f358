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

	"github.com/jmoiron/sqlx"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
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

func TestSQLite(t *testing.T)     { test(t, newSQLite(t)) }
func TestPostgreSQL(t *testing.T) { test(t, newPostgreSQL(t)) }

// test lets all processes insert their rows while they are killed again and again.
func test(t *testing.T, db database) {
	ctx, cancel := beforeDeadline(t)
	defer cancel(nil)
	var all [processes]history
	begin := time.Now()
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() {
			var err error
			if all[i], err = db.pester(ctx, i+1, sizeOfRun()); err != nil {
				cancel(fmt.Errorf("process %d: %w", i+1, err))
			}
		})
	}
	wg.Wait()
	took := time.Since(begin)
	if ctx.Err() != nil {
		t.Fatal(context.Cause(ctx))
	}

	var sum history
	for i, h := range all {
		if want := sizeOfRun().kills; h.kills != want {
			t.Errorf("process %d was killed %d times while it inserted, not %d times", i+1, h.kills, want)
		}
		sum.kills += h.kills
		sum.setBack += h.setBack
		sum.unheard += h.unheard
		sum.back = max(sum.back, h.back)
	}
	rows, err := db.rows()
	check(t, err)
	found := inspect(rows, processes, sizeOfRun().rows)
	if found != (faults{}) {
		t.Errorf("%+v", found)
	}
	// A conflict would have ended the process with an error.
	t.Logf("%d processes, %d rows in %v; %d kills and restarts, %d of them with the clock set back, by up to %v; "+
		"%d commits took place of which the killed process had not told; 0 key conflicts, %d rows out of order",
		processes, len(rows), took.Round(100*time.Millisecond), sum.kills, sum.setBack, sum.back, sum.unheard, found.disordered)
}

// A history is what became of a process.
type history struct {
	kills   int           // each while it inserted rows, and followed by a restart
	setBack int           // restarts with the clock set back
	back    time.Duration // how far the last time, which is the furthest
	unheard int           // commits that took place, though it was killed before it told of them
}

// pester runs the program until it has inserted all rows, and kills it now and then. Every other
// time it is started again with its clock set back further than the last time.
func (db database) pester(ctx context.Context, process int, s size) (h history, err error) {
	random := rand.New(rand.NewPCG(1, uint64(process)))
	var clock time.Duration
	for told := 0; ; {
		killAt := never
		if h.kills < s.kills {
			// The last part is more than the process can insert until it is killed.
			part := s.rows / (s.kills + 1)
			killAt = h.kills*part + 1 + random.IntN(part)
		}
		l, err := db.live(ctx, killAt, func() { time.Sleep(time.Duration(random.Int64N(2e6))) },
			"-process", strconv.Itoa(process), "-rows", strconv.Itoa(s.rows),
			"-batch", strconv.Itoa(batch(process)), "-clock", clock.String())
		if err != nil {
			return h, err
		}
		// A commit under way when the process was killed may have taken place or not.
		if l.found != told && l.found != min(told+batch(process), s.rows) {
			return h, fmt.Errorf("it had told of %d rows, but %d were in the table", told, l.found)
		}
		if l.found > told {
			h.unheard++
		}
		if !l.killed {
			return h, nil
		}
		told = l.told
		h.kills++
		clock = 0
		if h.kills%2 == 1 {
			h.setBack++
			h.back = min(max(time.Second, h.back*s.factor), 365*24*time.Hour)
			clock = -h.back
		}
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
func (db database) live(ctx context.Context, killAt int, wait func(), args ...string) (l life, err error) {
	self, err := os.Executable()
	if err != nil {
		return l, err
	}
	cmd := exec.CommandContext(ctx, self, append([]string{"-driver", db.driver, "-dsn", db.dsn}, args...)...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return l, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return l, err
	}
	if err := cmd.Start(); err != nil {
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

// A database has an empty table for the program.
type database struct {
	*sqlx.DB
	driver, dsn string
}

func newSQLite(t *testing.T) database {
	// To wait while another process writes. A power cut is not to be survived.
	const parameters = "_pragma=busy_timeout(300000)&_txlock=immediate&_pragma=journal_mode(wal)"
	return newDatabase(t, "sqlite", db.Own(t, "", parameters), "TEXT")
}

func newPostgreSQL(t *testing.T) database {
	return newDatabase(t, "pgx", db.Own(t, "ULID_POSTGRES", ""), "uuid")
}

func newDatabase(t *testing.T, driver, dsn, column string) database {
	t.Helper()
	db, err := sqlx.Open(driver, dsn)
	check(t, err)
	t.Cleanup(func() { db.Close() })
	for _, create := range []string{
		`CREATE TABLE event (id ` + column + ` PRIMARY KEY, process INTEGER NOT NULL, seq INTEGER NOT NULL)`,
		`CREATE INDEX event_seq ON event (process, seq)`,
	} {
		if _, err := db.Exec(create); err != nil {
			t.Fatal(err)
		}
	}
	return database{db, driver, dsn}
}

// A row is the one with the number seq of those that the process inserted.
type row struct {
	ID           ulid.ULID
	Process, Seq int
}

// rows returns all rows, those of each process in the order in which it inserted them.
func (db database) rows() (rows []row, err error) {
	err = db.Select(&rows, `SELECT id, process, seq FROM event ORDER BY process, seq`)
	return rows, err
}

// faults counts what is wrong with the rows of a table.
type faults struct {
	misnumbered int // gaps, rows that are there twice, and rows of nobody
	disordered  int // rows with an ID not greater than that of the row before
	repeated    int // IDs that are there twice
}

// inspect looks for faults in rows, which are in the order of process and number. There should be
// perProcess rows of each process.
func inspect(rows []row, processes, perProcess int) (f faults) {
	seen := map[ulid.ULID]bool{}
	last := map[int]row{} // of each process
	for _, r := range rows {
		before, ok := last[r.Process]
		if r.Process < 1 || r.Process > processes || r.Seq != before.Seq+1 {
			f.misnumbered++
		}
		if ok && r.ID.Compare(before.ID) <= 0 {
			f.disordered++
		}
		if seen[r.ID] {
			f.repeated++
		}
		seen[r.ID] = true
		last[r.Process] = r
	}
	for p := range processes {
		if last[p+1].Seq != perProcess {
			f.misnumbered++
		}
	}
	return f
}

func TestInspect(t *testing.T) {
	var ids [6]ulid.ULID
	ulid.Fill(ids[:])
	for _, test := range []struct {
		name string
		rows []row
		want faults
	}{
		{"in order", []row{{ids[0], 1, 1}, {ids[3], 1, 2}, {ids[1], 2, 1}, {ids[2], 2, 2}}, faults{}},
		{"first row missing", []row{{ids[3], 1, 2}, {ids[1], 2, 1}, {ids[2], 2, 2}}, faults{misnumbered: 1}},
		{"last row missing", []row{{ids[0], 1, 1}, {ids[1], 2, 1}, {ids[2], 2, 2}}, faults{misnumbered: 1}},
		{"process missing", []row{{ids[0], 1, 1}, {ids[3], 1, 2}}, faults{misnumbered: 1}},
		{"row too many", []row{{ids[0], 1, 1}, {ids[3], 1, 2}, {ids[4], 1, 3}, {ids[1], 2, 1}, {ids[2], 2, 2}}, faults{misnumbered: 1}},
		{"row twice", []row{{ids[0], 1, 1}, {ids[3], 1, 2}, {ids[4], 1, 2}, {ids[1], 2, 1}, {ids[2], 2, 2}}, faults{misnumbered: 1}},
		{"another process", []row{{ids[0], 1, 1}, {ids[3], 1, 2}, {ids[1], 2, 1}, {ids[2], 2, 2}, {ids[4], 3, 1}}, faults{misnumbered: 1}},
		{"out of order", []row{{ids[3], 1, 1}, {ids[0], 1, 2}, {ids[1], 2, 1}, {ids[2], 2, 2}}, faults{disordered: 1}},
		{"same ID in one process", []row{{ids[0], 1, 1}, {ids[0], 1, 2}, {ids[1], 2, 1}, {ids[2], 2, 2}}, faults{disordered: 1, repeated: 1}},
		{"same ID in two", []row{{ids[0], 1, 1}, {ids[3], 1, 2}, {ids[1], 2, 1}, {ids[3], 2, 2}}, faults{repeated: 1}},
	} {
		if got := inspect(test.rows, 2, 2); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

// Without After, and the clock set back, the order is lost: the flags do what they say.
func TestWithoutAfter(t *testing.T) {
	db := newSQLite(t)
	ctx, cancel := beforeDeadline(t)
	defer cancel(nil)
	for i, test := range []struct {
		flag string
		want faults
	}{
		{"-clock=0", faults{}},
		{"-clock=-1h", faults{}},
		{"-noafter", faults{}}, // as the clock is right
		{"-clock=-1h", faults{}},
		{"-noafter -clock=-1h", faults{disordered: 1}},
	} {
		args := append(strings.Fields(test.flag), "-rows", strconv.Itoa(10*(i+1)))
		if _, err := db.live(ctx, never, nil, args...); err != nil {
			t.Fatal(err)
		}
		rows, err := db.rows()
		check(t, err)
		if got := inspect(rows, 1, 10*(i+1)); got != test.want {
			t.Errorf("after a run with %s: %+v, want %+v", test.flag, got, test.want)
		}
	}
}

// A row that the database refuses ends the process, and its error comes to light.
func TestConflict(t *testing.T) {
	ctx, cancel := beforeDeadline(t)
	defer cancel(nil)
	for _, batch := range []string{"1", "2"} {
		db := newSQLite(t)
		if _, err := db.Exec(`CREATE UNIQUE INDEX event_process ON event (process)`); err != nil {
			t.Fatal(err)
		}
		_, err := db.live(ctx, never, nil, "-rows", "2", "-batch", batch)
		if want := "UNIQUE constraint failed"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("second row, of only one that may be there, in a batch of %s: error %v, want one with %q", batch, err, want)
		}
	}
}

// PostgreSQL goes on with a statement when the process that sent it has been killed, and commits
// it. The next process must not read its rows back before.
func TestPostgreSQLKilledWhileItCommits(t *testing.T) {
	db := newPostgreSQL(t)
	ctx, cancel := beforeDeadline(t)
	defer cancel(nil)
	// The third row waits for a lock, which the holder has: the number 0 is that of no process.
	holder, err := db.Conn(ctx)
	check(t, err)
	defer holder.Close()
	for _, statement := range []string{
		`SELECT pg_advisory_lock('event'::regclass::oid::int, 0)`,
		`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
			'BEGIN PERFORM pg_advisory_xact_lock_shared(''event''::regclass::oid::int, 0); RETURN NEW; END'`,
		`CREATE TRIGGER wait BEFORE INSERT ON event FOR EACH ROW WHEN (NEW.seq = 3) EXECUTE FUNCTION wait()`,
	} {
		if _, err := holder.ExecContext(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	// waiting returns once so many sessions wait, for that lock or that of a process.
	waiting := func(want int) error {
		for n := 0; n < want; time.Sleep(time.Millisecond) {
			err := db.QueryRowContext(ctx, `SELECT count(*) FROM pg_locks
				WHERE locktype = 'advisory' AND classid = 'event'::regclass AND NOT granted`).Scan(&n)
			if err != nil {
				return err
			}
		}
		return nil
	}

	var err1, err2, err3 error
	first, err := db.live(ctx, 2, func() { err1 = waiting(1) }, "-rows", "5")
	check(t, errors.Join(err, err1))
	var wg sync.WaitGroup
	wg.Go(func() {
		err2 = waiting(2)
		_, err3 = holder.ExecContext(ctx, `SELECT pg_advisory_unlock('event'::regclass::oid::int, 0)`)
	})
	second, err := db.live(ctx, never, nil, "-rows", "5", "-clock", "-1h")
	if err != nil {
		cancel(nil) // or else nothing would wait for the lock
	}
	wg.Wait()
	check(t, errors.Join(err, err2, err3))
	if !first.killed || first.told != 2 || second.found != 3 {
		t.Errorf("killed (%v) when it had told of %d rows, 2 expected; then found %d, want 3", first.killed, first.told, second.found)
	}
	rows, err := db.rows()
	check(t, err)
	if got := inspect(rows, 1, 5); got != (faults{}) {
		t.Errorf("%+v", got)
	}
}

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
