package recipes

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// openEvents returns a database with an empty table of events.
func openEvents(t *testing.T) *sqlx.DB {
	t.Helper()
	db := sqlx.MustOpen("pgx", db.Own(t, "ULID_POSTGRES", ""))
	t.Cleanup(func() { db.Close() })
	run(t, db, schema)
	return db
}

const insertEvent = "INSERT INTO events (id, name) VALUES ($1, $2)"

// naive reads the obvious tail: what comes after the last ID.
func naive(t *testing.T, db *sqlx.DB, last *ulid.AsUUID) (names []string) {
	t.Helper()
	var events []Event
	check(t, db.Select(&events, "SELECT id, name FROM events WHERE id > $1 ORDER BY id", *last))
	for _, e := range events {
		names, *last = append(names, e.Name), e.ID
	}
	return names
}

func names(t *testing.T, db *sqlx.DB, after *Position) (names []string) {
	t.Helper()
	events, err := ReadEvents(t.Context(), db.DB, *after, 100)
	check(t, err)
	for _, e := range events {
		names, *after = append(names, e.Name), e.Position
	}
	return names
}

// wait calls a function until it returns true, which another test's transaction may delay.
func wait(t *testing.T, until func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !until(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not within a minute")
		}
	}
}

// The event with the lesser ID is committed last. The obvious tail never sees it.
func TestLateCommit(t *testing.T) {
	db := openEvents(t)
	slow := db.MustBegin()
	defer slow.Rollback()
	slow.MustExec(insertEvent, ulid.AsUUID(ulid.Make()), "late")
	db.MustExec(insertEvent, ulid.AsUUID(ulid.Make()), "early")

	var last ulid.AsUUID
	var after Position
	if got := naive(t, db, &last); !slices.Equal(got, []string{"early"}) {
		t.Errorf("id > last reads %q before the commit, want early", got)
	}
	if got := names(t, db, &after); got != nil {
		t.Errorf("ReadEvents reads %q before the commit, want nothing", got)
	}
	check(t, slow.Commit())
	if got := naive(t, db, &last); got != nil {
		t.Errorf("id > last reads %q after the commit: then it loses nothing", got)
	}
	var got []string
	wait(t, func() bool { got = append(got, names(t, db, &after)...); return len(got) >= 2 })
	if !slices.Equal(got, []string{"late", "early"}) {
		t.Errorf("ReadEvents reads %q, want late, early", got)
	}
	if got := names(t, db, &after); got != nil {
		t.Errorf("then ReadEvents reads %q, want nothing", got)
	}
}

// The rows of a dump have the numbers of another server. They stay hidden, and new ones come before the last position.
func TestRestored(t *testing.T) {
	const again = "UPDATE events SET xact = pg_current_xact_id()"
	const latest = "SELECT id FROM events ORDER BY id DESC LIMIT 1"
	page.Contains(t, "docs/queries.md", "`"+again+"`")
	page.Contains(t, "docs/queries.md", "`"+latest+"`")
	db := openEvents(t)
	last := Position{Xact: 1 << 40, ID: ulid.AsUUID(ulid.Make())}
	db.MustExec("INSERT INTO events VALUES ($1, $2, 'restored')", last.ID, last.Xact)
	id := ulid.AsUUID(ulid.Make())
	db.MustExec(insertEvent, id, "new")
	var beginning Position
	wait(t, func() bool { return slices.Equal(names(t, db, &beginning), []string{"new"}) })
	if got := names(t, db, &last); got != nil {
		t.Errorf("ReadEvents goes on with %q: then nothing need be done", got)
	}
	db.MustExec(again)
	beginning = Position{}
	wait(t, func() bool { return slices.Equal(names(t, db, &beginning), []string{"restored", "new"}) })
	var got ulid.AsUUID
	if err := db.Get(&got, latest); err != nil || got != id {
		t.Errorf("the latest ID is %v, %v, want %v", got, err, id)
	}
}

// A transaction that writes delays the events, even in another database. One that reads does not.
func TestDelay(t *testing.T) {
	db := openEvents(t)
	other, err := sqlx.Open("pgx", strings.Replace(os.Getenv("ULID_POSTGRES"), "/ulid?", "/postgres?", 1))
	check(t, err)
	defer other.Close()
	tx := other.MustBegin()
	defer tx.Rollback()
	var after Position
	see := func() bool { return len(names(t, db, &after)) > 0 }

	tx.MustExec("SELECT 1 FROM pg_class")
	db.MustExec(insertEvent, ulid.AsUUID(ulid.Make()), "during a transaction that reads")
	wait(t, see)

	tx.MustExec("SELECT pg_current_xact_id()")
	db.MustExec(insertEvent, ulid.AsUUID(ulid.Make()), "during one that writes")
	time.Sleep(300 * time.Millisecond)
	if see() {
		t.Error("the event is read while an older transaction writes")
	}
	check(t, tx.Commit())
	wait(t, see)
}

// Each committed event is read once, whatever the order of the commits.
func TestReadEvents(t *testing.T) {
	const writers, each = 6, 50
	db := openEvents(t)
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range each {
				tx := db.MustBegin()
				for part := range 2 {
					tx.MustExec(insertEvent, ulid.AsUUID(ulid.Make()), fmt.Sprintf("%d.%d.%d", w, i, part))
					time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
				}
				end := tx.Commit
				if i%10 == 9 {
					end = tx.Rollback
				}
				if err := end(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	const want = writers * each * 9 / 10 * 2
	seen := map[string]int{}
	var after Position
	var last ulid.AsUUID
	naively := 0
	wait(t, func() bool {
		for _, name := range names(t, db, &after) {
			seen[name]++
		}
		naively += len(naive(t, db, &last))
		return len(seen) >= want
	})
	group.Wait()
	naively += len(naive(t, db, &last))
	for name, n := range seen {
		if n != 1 {
			t.Errorf("%s was read %d times", name, n)
		}
	}
	if more := names(t, db, &after); more != nil || len(seen) != want {
		t.Errorf("read %d events and then %q, want %d", len(seen), more, want)
	}
	if naively >= want {
		t.Errorf("id > last read %d events of %d: it missed none, so this test has no late commits", naively, want)
	}
}
