package guides

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/typed"
)

// A Generator continues after the last row, although that is of a clock ahead, in a table of each format.
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
	table := db.SQLite.Open(t, "")
	table.Run("CREATE TABLE events (id TEXT NOT NULL)")
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

// A row without an ID, such as one before its backfill, comes first in PostgreSQL's descending order.
func TestResumeSkipsNull(t *testing.T) {
	table := db.PostgreSQL.Open(t, "")
	last := ulid.LastAt(time.Now().Add(30 * time.Second))
	table.Run("CREATE TABLE events (id uuid)")
	table.Run("INSERT INTO events (id) VALUES (?), (NULL)", ulid.AsUUID(last))
	var g ulid.Generator
	db.Check(t, Resume[ulid.AsUUID](t.Context(), table.DB.DB, &g, time.Minute))
	if id := g.Make(); id.Compare(last) <= 0 {
		t.Errorf("after %s comes %s", last, id)
	}
}

// The ID of an answer is greater than that of its question, although that is of a clock ahead.
func TestFollow(t *testing.T) {
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
