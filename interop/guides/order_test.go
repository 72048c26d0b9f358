package guides

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/typed"
)

// These variables of the environment make the test binary a writer.
const (
	writerDSN   = "ULID_WRITER_DSN"
	writerClock = "ULID_WRITER_CLOCK" // what to add to the time
)

func TestMain(m *testing.M) {
	dsn := os.Getenv(writerDSN)
	if dsn == "" {
		os.Exit(m.Run())
	}
	clock, err := time.ParseDuration(os.Getenv(writerClock))
	if err == nil {
		err = write(dsn, clock)
	}
	fmt.Fprintln(os.Stderr, "writer:", err)
	os.Exit(1)
}

// write inserts rows, and prints the ID of each, until it is killed or nobody reads what it prints.
func write(dsn string, clock time.Duration) error {
	table, err := sql.Open("sqlite", dsn)
	if err != nil {
		return err
	}
	g := ulid.Generator{Clock: func() time.Time { return time.Now().Add(clock) }}
	if err := Resume[ulid.ULID](context.Background(), table, &g, 24*time.Hour); err != nil {
		return err
	}
	for {
		id := g.Make()
		if _, err := table.Exec("INSERT INTO events (id) VALUES (?)", id); err != nil {
			return err
		}
		if _, err := fmt.Println(id); err != nil {
			return err
		}
	}
}

// A writer is killed again and again, and started again with another clock. Its rows stay in the order of their IDs.
func TestResumeAfterKills(t *testing.T) {
	page.Fact(t, "docs/order.md", "ids-continue-after-a-restart")
	table := openEvents(t)
	before := 0
	for life := range 20 {
		clock := [...]time.Duration{0, -time.Second, -time.Hour, -time.Minute}[life%4]
		runUntilKilled(t, table.DSN, clock, 1+rand.IntN(50))
		rows := table.Count("SELECT count(*) FROM events")
		if rows == before {
			t.Fatalf("the writer of life %d has inserted no row", life)
		}
		before = rows
	}
	const wrong = "SELECT count(*) FROM events AS e JOIN events AS next ON next.seq = e.seq + 1 WHERE next.id <= e.id"
	if n := table.Count(wrong); n != 0 {
		t.Errorf("%d of %d rows have an ID that is not greater than that of the row before", n, before)
	}
}

// openEvents makes a table whose seq is the order in which its rows were inserted.
func openEvents(t *testing.T) *db.DB {
	table := db.SQLite.Open(t, "_pragma=busy_timeout(60000)&_pragma=journal_mode(wal)")
	table.Run("CREATE TABLE events (seq INTEGER PRIMARY KEY, id TEXT NOT NULL)")
	return table
}

// runUntilKilled starts a writer, and kills it at a random moment after it has printed some IDs.
func runUntilKilled(t *testing.T, dsn string, clock time.Duration, printed int) {
	t.Helper()
	self, err := os.Executable()
	db.Check(t, err)
	writer := exec.CommandContext(t.Context(), self)
	writer.Env = append(os.Environ(), writerDSN+"="+dsn, writerClock+"="+clock.String())
	var stderr bytes.Buffer
	writer.Stderr = &stderr
	stdout, err := writer.StdoutPipe()
	db.Check(t, err)
	db.Check(t, writer.Start())
	lines := bufio.NewScanner(stdout)
	for range printed {
		lines.Scan()
	}
	time.Sleep(rand.N(time.Millisecond))
	db.Check(t, writer.Process.Kill())
	writer.Wait()
	if stderr.Len() > 0 {
		t.Fatalf("it was not killed, but ended: %s", &stderr)
	}
}

// TestResume has tables of IDs of each format.
func TestResume(t *testing.T) {
	testResume[ulid.ULID](t)
	testResume[ulid.AsUUID](t)
	testResume[ulid.AsBinary](t)
	testResume[typed.ID[eventKind]](t)
}

type eventKind struct{ typed.PrefixColumn }

func (eventKind) Prefix() string { return "event" }

func testResume[ID ~[16]byte](t *testing.T) {
	t.Helper()
	table := openEvents(t)
	resume := func(g *ulid.Generator, limit time.Duration) error {
		return Resume[ID](t.Context(), table.DB.DB, g, limit)
	}
	var g ulid.Generator
	if err := resume(&g, 0); err != nil {
		t.Errorf("an empty table: %v", err)
	}
	last := ulid.LastAt(time.Now().Add(30 * time.Second)) // as if the clock had been set back since
	table.Run("INSERT INTO events (id) VALUES (?), (?)", ID(last), ID(ulid.Make()))
	if err := resume(&g, time.Second); !errors.Is(err, ulid.ErrAhead) {
		t.Errorf("an ID that is 30 s ahead: %v, want ErrAhead", err)
	}
	db.Check(t, resume(&g, time.Minute))
	if id := g.Make(); id.Compare(last) <= 0 {
		t.Errorf("after %s comes %s", last, id)
	}
	table.Run("DROP TABLE events")
	if resume(&g, time.Minute) == nil {
		t.Error("a query that fails is no error")
	}
}

// The ID of an answer is greater than that of its question, although that is of a clock ahead.
func TestFollow(t *testing.T) {
	page.Fact(t, "docs/order.md", "effects-sort-after-causes")
	for _, ahead := range []time.Duration{10 * time.Second, 20 * time.Second} {
		question := ulid.LastAt(time.Now().Add(ahead))
		follow(question)
		if answer := ids.Make(); answer.Compare(question) <= 0 {
			t.Errorf("%s is answered by %s", question, answer)
		}
	}
}

// A question that is too far ahead is logged, and answered by the clock.
func TestFollowTooFarAhead(t *testing.T) {
	var log strings.Builder
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	question := ulid.FirstAt(time.Now().Add(time.Hour))
	follow(question)
	if answer := ids.Make(); time.Until(answer.Time()) > maxSkew {
		t.Errorf("%s is answered by %s", question, answer)
	}
	if want := "cause=" + question.String(); !strings.Contains(log.String(), want) {
		t.Errorf("the log has %q, want %s", &log, want)
	}
}
