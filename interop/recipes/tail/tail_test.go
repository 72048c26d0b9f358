package tail

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/internal/servers"
)

// open returns a database whose schema is the test's own.
func open(t *testing.T) *sql.DB {
	t.Helper()
	admin, err := sql.Open("pgx", servers.DSN(t, "ULID_POSTGRES"))
	if err != nil {
		t.Fatal(err)
	}
	name := "tail_" + ulid.Make().String()
	if _, err := admin.Exec(`CREATE SCHEMA "` + name + `"`); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("pgx", servers.DSN(t, "ULID_POSTGRES")+"&search_path="+`"`+name+`"`)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		db.Close()
		if _, err := admin.Exec(`DROP SCHEMA "` + name + `" CASCADE`); err != nil {
			t.Error(err)
		}
		admin.Close()
	})
	if _, err := db.Exec(schema); err != nil {
		t.Fatal(err)
	}
	return db
}

type executor interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}

func insert(t *testing.T, in executor, name string) {
	t.Helper()
	if _, err := in.ExecContext(t.Context(), "INSERT INTO events (id, name) VALUES ($1, $2)", ulid.AsUUID(ulid.Make()), name); err != nil {
		t.Fatal(err)
	}
}

// naive is the obvious tail: what comes after the last ID.
func naive(t *testing.T, db *sql.DB, last *ulid.AsUUID) (names []string) {
	t.Helper()
	rows, err := db.Query("SELECT id, name FROM events WHERE id > $1 ORDER BY id", *last)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(last, &name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

func names(t *testing.T, db *sql.DB, after *Position) (names []string) {
	t.Helper()
	events, err := ReadEvents(t.Context(), db, *after, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		names, *after = append(names, e.Name), e.Position
	}
	return names
}

// The event with the lesser ID is committed last. The obvious tail never sees it.
func TestLateCommit(t *testing.T) {
	db := open(t)
	slow, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Rollback()
	insert(t, slow, "late")
	insert(t, db, "early")

	var last ulid.AsUUID
	var after Position
	check := func(got []string, want ...string) {
		t.Helper()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("read %q; want %q", got, want)
		}
	}
	check(naive(t, db, &last), "early")
	check(names(t, db, &after))
	if err := slow.Commit(); err != nil {
		t.Fatal(err)
	}
	check(naive(t, db, &last)) // nothing, now and ever
	// Another test's transaction may still be open.
	got := names(t, db, &after)
	for end := time.Now().Add(time.Minute); len(got) < 2 && time.Now().Before(end); got = append(got, names(t, db, &after)...) {
		time.Sleep(10 * time.Millisecond)
	}
	check(got, "late", "early")
	check(names(t, db, &after))
}

// A transaction that writes delays the events, even in another database. One that reads does not.
func TestDelay(t *testing.T) {
	db := open(t)
	other, err := sql.Open("pgx", strings.Replace(servers.DSN(t, "ULID_POSTGRES"), "/ulid?", "/postgres?", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for query, delays := range map[string]bool{"SELECT pg_current_xact_id() || current_database()": true, "SELECT current_database()": false} {
		tx, err := other.Begin()
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		var database string
		if err := tx.QueryRow(query).Scan(&database); err != nil || !strings.HasSuffix(database, "postgres") {
			t.Fatalf("%s, %v", database, err)
		}
		var after Position
		insert(t, db, "new")
		seen := false
		wait := time.Minute // for what others write meanwhile
		if delays {
			wait = 300 * time.Millisecond
		}
		for end := time.Now().Add(wait); !seen && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			seen = len(names(t, db, &after)) > 0
		}
		if seen == delays {
			t.Errorf("after %s the event was read: %t", query, seen)
		}
		tx.Rollback()
		if _, err := db.Exec("TRUNCATE events"); err != nil {
			t.Fatal(err)
		}
	}
}

// Each committed event is read once, whatever the order of the commits.
func TestReadEvents(t *testing.T) {
	const writers, each = 6, 50
	db := open(t)
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range each {
				tx, err := db.Begin()
				if err != nil {
					t.Error(err)
					return
				}
				for part := range 2 {
					if _, err := tx.Exec("INSERT INTO events (id, name) VALUES ($1, $2)", ulid.AsUUID(ulid.Make()), fmt.Sprintf("%d.%d.%d", w, i, part)); err != nil {
						t.Error(err)
					}
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
	var written sync.WaitGroup
	done := make(chan bool)
	written.Go(func() { group.Wait(); close(done) })

	const want = writers * each * 9 / 10 * 2
	seen := map[string]int{}
	var after Position
	var last ulid.AsUUID
	naively := 0
	for deadline := time.Now().Add(time.Minute); len(seen) < want && time.Now().Before(deadline); {
		for _, name := range names(t, db, &after) {
			seen[name]++
		}
		naively += len(naive(t, db, &last))
	}
	<-done
	written.Wait()
	naively += len(naive(t, db, &last))
	for name, n := range seen {
		if n != 1 {
			t.Errorf("%s was read %d times", name, n)
		}
	}
	if len(seen) != want {
		t.Errorf("read %d events; want %d", len(seen), want)
	}
	if more := names(t, db, &after); more != nil {
		t.Errorf("then read %q", more)
	}
	if naively >= want {
		t.Errorf("id > last read %d events of %d: it missed none, so this test has no late commits", naively, want)
	}
	t.Logf("id > last read %d of %d events", naively, want)
}
