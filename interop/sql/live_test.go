package sql

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/internal/page"
	"github.com/seed-961d0905/ulid/interop/internal/servers"
)

// TestLive runs the conversion of the page under writers that never stop. No statement of theirs may fail, and in the end each
// row must be as its writer last knew it. The page has the times that it logs of a million rows.
func TestLive(t *testing.T) {
	dsn := servers.Own(t, "ULID_POSTGRES", "")
	converted := "converted_" + strings.ToLower(ulid.Make().String())
	db := connect(t, "pgx", dsn)
	exec(t, db.DB, page.Text(t, "interop/sql/postgres.sql"))
	tables := postgresDB.code(t, "columns") + postgresDB.code(t, "references") + `
		CREATE INDEX ON items_text (event_id);
		INSERT INTO events_text SELECT ulid_to_text(ulid_make()), 'before' FROM generate_series(1, ` + cmp.Or(os.Getenv("ULID_LIVE_ROWS"), "10000") + `);
		INSERT INTO events_text SELECT lower(ulid_to_text(ulid_make())), 'before' FROM generate_series(1, 100);
		INSERT INTO events_text SELECT ulid_make(), 'before' FROM generate_series(1, 100); -- new code that was deployed too early
		INSERT INTO items_text SELECT id, 1 FROM events_text; INSERT INTO items_text VALUES (NULL, 2)`
	exec(t, db.DB, tables)
	want := map[ulid.ULID]string{}
	for _, id := range idsOf(t, fetch(t, db, `SELECT id FROM events_text ORDER BY id`)) {
		want[id] = "before"
	}

	s := &service{t: t, rows: want}
	defer s.group.Wait()
	defer s.deploy()
	s.deploy(0)
	for _, open := range []func(t *testing.T, dsn string, column kind) client{openPgx, openSQL, openPgx, openSQL} {
		clients := []client{open(t, dsn, texts), open(t, strings.Replace(dsn, "search_path=", "search_path="+converted+",", 1), uuids)}
		s.group.Go(func() { s.write(clients) })
	}
	migrate := func(part string) {
		begin := time.Now()
		s.longest.Store(0)
		for _, step := range steps(page.Code(t, "docs/postgresql.md", "postgres: live: "+part)) {
			_, err := db.Exec(strings.ReplaceAll(step, "converted", converted))
			for ; err != nil; _, err = db.Exec(strings.ReplaceAll(step, "converted", converted)) {
				if !strings.Contains(err.Error(), "lock timeout") || time.Since(begin) > time.Minute {
					t.Fatalf("%v in\n%s", err, step)
				}
				exec(t, db.DB, "ROLLBACK")
			}
		}
		t.Logf("%s took %v, and a statement meanwhile %v at most", part, time.Since(begin), time.Duration(s.longest.Load()))
	}
	s.deploy(0)
	migrate("expand")
	migrate("fill")
	migrate("keys")
	s.deploy(0, 1)
	s.deploy(0) // a rollback
	s.deploy(0, 1)
	s.deploy(1)
	migrate("contract")
	s.deploy(1)
	s.deploy()
	s.group.Wait()

	wantKeys(t, db, "text", uuids, slices.Collect(maps.Keys(want)))
	rows := fetch(t, db, `SELECT id, note FROM events_text JOIN items_text ON event_id = id`)
	for i, id := range idsOf(t, rows) {
		if got := text(rows[i][1]); got != want[id] {
			t.Errorf("the note of %v is %q, want %q", id, got, want[id])
		}
	}
	t.Logf("%d rows", len(rows))
	exec(t, db.DB, `INSERT INTO events_text DEFAULT VALUES; DROP TABLE events, items_text, items_bytea, events_text, events_bytea; `+tables)
	begin := time.Now()
	exec(t, db.DB, postgresDB.code(t, "text to uuid"))
	t.Logf("without writers, in one transaction: %v", time.Since(begin))
}

// steps splits a block into what is run by itself: transactions, and other statements.
func steps(code string) (list []string) {
	step := ""
	for line := range strings.Lines(code) {
		step += line
		whole := strings.HasSuffix(step, ";\n") && strings.Count(step, "$$")%2 == 0
		if line == "COMMIT;\n" || whole && !strings.HasPrefix(step, "BEGIN;\n") {
			list, step = append(list, step), ""
		}
	}
	return list
}

// A client runs a statement with an ID as a version of the code has it, and returns the number of rows.
type client func(query string, id ulid.ULID, args ...any) (int64, error)

func openPgx(t *testing.T, dsn string, column kind) client {
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return func(query string, id ulid.ULID, args ...any) (int64, error) {
		tag, err := conn.Exec(t.Context(), query, append([]any{column.value(id)}, args...)...)
		return tag.RowsAffected(), err
	}
}

func openSQL(t *testing.T, dsn string, column kind) client {
	db := connect(t, "pgx", dsn)
	return func(query string, id ulid.ULID, args ...any) (int64, error) {
		result, err := db.Exec(query, append([]any{column.value(id)}, args...)...)
		if err != nil {
			return 0, err
		}
		return result.RowsAffected()
	}
}

// A service is several writers, and the versions of the code of which each statement picks one. With none they stop.
type service struct {
	t        *testing.T
	group    sync.WaitGroup
	longest  atomic.Int64 // time that a statement took
	lock     sync.RWMutex // of the others
	versions []int
	rows     map[ulid.ULID]string
}

// deploy returns when no other version has run for a while.
func (s *service) deploy(versions ...int) {
	s.lock.Lock()
	s.versions = versions
	s.lock.Unlock()
	time.Sleep(300 * time.Millisecond)
}

func (s *service) write(clients []client) {
	rows := map[ulid.ULID]string{}
	for n := 0; s.change(clients, rows, n); n++ {
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	maps.Copy(s.rows, rows)
}

// change makes a row, and looks up, changes and sometimes deletes a row of this writer.
func (s *service) change(clients []client, rows map[ulid.ULID]string, n int) bool {
	s.lock.RLock()
	defer s.lock.RUnlock()
	do := func(query string, id ulid.ULID, args ...any) bool {
		begin := time.Now()
		count, err := clients[s.versions[rand.IntN(len(s.versions))]](query, id, args...)
		s.longest.Store(max(s.longest.Load(), int64(time.Since(begin))))
		if err != nil || count != 1 {
			s.t.Errorf("%d rows, %v, by %s of %v with %q", count, err, query, id, args)
		}
		return err == nil && count == 1
	}
	id, note := ulid.Make(), fmt.Sprint(n)
	if len(s.versions) == 0 || !do(`INSERT INTO events_text (id, note) VALUES ($1, $2)`, id, note) ||
		!do(`INSERT INTO items_text (event_id, n) VALUES ($1, 1)`, id) {
		return false
	}
	rows[id] = note
	for id, note := range rows { // any
		rows[id] = note + "."
		if !do(`SELECT FROM events_text JOIN items_text ON event_id = id WHERE id = $1 AND note = $2`, id, note) ||
			!do(`UPDATE events_text SET note = $2 WHERE id = $1`, id, rows[id]) {
			return false
		}
		if n%3 == 0 {
			delete(rows, id)
			return do(`DELETE FROM items_text WHERE event_id = $1`, id) && do(`DELETE FROM events_text WHERE id = $1`, id)
		}
		break
	}
	return true
}
