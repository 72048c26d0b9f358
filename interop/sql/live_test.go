package sql

import (
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
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
// row must be as its writer last knew it. The page has the times of a million rows.
func TestLive(t *testing.T) {
	dsn := servers.Own(t, "ULID_POSTGRES", "")
	converted := "converted_" + strings.ToLower(ulid.Make().String())
	db := connect(t, "pgx", dsn)
	exec(t, db.DB, page.Text(t, "interop/sql/postgres.sql"))
	tables := postgresDB.code(t, "columns") + postgresDB.code(t, "references") + `
		CREATE INDEX ON items_text (event_id);
		INSERT INTO events_text SELECT ulid_to_text(ulid_make()), '' FROM generate_series(1, ` + cmp.Or(os.Getenv("ULID_LIVE_ROWS"), "10000") + `);
		INSERT INTO events_text SELECT lower(ulid_to_text(ulid_make())), '' FROM generate_series(1, 100);
		INSERT INTO events_text SELECT ulid_make(), '' FROM generate_series(1, 100); -- new code that was deployed too early
		INSERT INTO items_text SELECT id, 1 FROM events_text; INSERT INTO items_text VALUES (NULL, 2)`
	exec(t, db.DB, tables)
	want := map[ulid.ULID]string{}
	for _, id := range idsOf(t, fetch(t, db, `SELECT id FROM events_text ORDER BY id`)) {
		want[id] = ""
	}

	writers := make([]*writer, 4)
	for i := range writers {
		after := strings.Replace(dsn, "search_path=", "search_path="+converted+",", 1)
		writers[i] = &writer{t: t, clients: []client{open(t, dsn, texts), open(t, after, uuids)}, rows: map[ulid.ULID]string{}}
	}
	// with runs parts of the page while the service has one version of its code, old (0) or new (1), or both.
	with := func(parts []string, versions ...int) {
		ctx, stop := context.WithCancel(t.Context())
		var group sync.WaitGroup
		defer group.Wait()
		defer stop()
		for _, w := range writers {
			group.Go(func() {
				for n := 0; ctx.Err() == nil && w.step(versions, n); n++ {
				}
			})
		}
		time.Sleep(300 * time.Millisecond)
		for _, part := range parts {
			begin := time.Now()
			longest.Store(0)
			code := strings.ReplaceAll(page.Code(t, "docs/postgresql.md", "postgres: live: "+part), "converted", converted)
			for steps := step.FindAllString(code, -1); len(steps) > 0; {
				if _, err := db.Exec(steps[0]); err == nil {
					steps = steps[1:]
				} else if exec(t, db.DB, "ROLLBACK"); !strings.Contains(err.Error(), "lock timeout") {
					t.Fatalf("%v in\n%s", err, steps[0])
				}
			}
			t.Logf("%s took %v, and a statement meanwhile %v at most", part, time.Since(begin), time.Duration(longest.Load()))
		}
		time.Sleep(300 * time.Millisecond)
	}
	with([]string{"expand", "fill", "keys"}, 0)
	with(nil, 0, 1)
	with(nil, 0) // a rollback
	with(nil, 0, 1)
	with([]string{"contract"}, 1)

	for _, w := range writers {
		maps.Copy(want, w.rows)
	}
	wantKeys(t, db, "text", uuids, slices.Collect(maps.Keys(want)))
	rows := fetch(t, db, `SELECT id, note FROM events_text JOIN items_text ON event_id = id`)
	for i, id := range idsOf(t, rows) {
		if got := text(rows[i][1]); got != want[id] {
			t.Errorf("the note of %v is %q, want %q", id, got, want[id])
		}
	}
	exec(t, db.DB, `INSERT INTO events_text DEFAULT VALUES; DROP TABLE events, items_text, items_bytea, events_text, events_bytea; `+tables)
	begin := time.Now()
	exec(t, db.DB, postgresDB.code(t, "text to uuid"))
	t.Logf("%d rows; without writers, in one transaction: %v", len(rows), time.Since(begin))
}

// A step of a block is run by itself: a transaction, or another statement.
var step = regexp.MustCompile(`(?ms)^BEGIN;.*?^COMMIT;$|^DO .*?^END \$\$;$|^\S.*?;$`)

var longest atomic.Int64 // nanoseconds that a statement of a writer took

// A client runs a statement with an ID as a version of the code has it, and returns the number of rows.
type client func(query string, id ulid.ULID, args ...any) (int64, error)

// open returns a client that uses pgx or database/sql by chance.
func open(t *testing.T, dsn string, column kind) client {
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	db := connect(t, "pgx", dsn)
	return func(query string, id ulid.ULID, args ...any) (int64, error) {
		begin := time.Now()
		defer func() { longest.Store(max(longest.Load(), int64(time.Since(begin)))) }()
		args = append([]any{column.value(id)}, args...)
		if rand.IntN(2) == 0 {
			tag, err := conn.Exec(t.Context(), query, args...)
			return tag.RowsAffected(), err
		}
		result, err := db.Exec(query, args...)
		if err != nil {
			return 0, err
		}
		return result.RowsAffected()
	}
}

// A writer knows the rows that it has written.
type writer struct {
	t       *testing.T
	clients []client
	rows    map[ulid.ULID]string
}

// step makes a row, and changes or deletes one that it finds as it is known. Each statement is of one of the versions.
func (w *writer) step(versions []int, n int) bool {
	do := func(query string, id ulid.ULID, args ...any) bool {
		count, err := w.clients[versions[rand.IntN(len(versions))]](query, id, args...)
		if err != nil || count != 1 {
			w.t.Errorf("%d rows, %v, by %s of %v with %q", count, err, query, id, args)
		}
		return err == nil && count == 1
	}
	id := ulid.Make()
	w.rows[id] = ""
	ok := do(`INSERT INTO events_text (id, note) VALUES ($1, '')`, id) && do(`INSERT INTO items_text (event_id, n) VALUES ($1, 1)`, id)
	for id, note := range w.rows { // any
		ok = ok && do(`SELECT FROM events_text JOIN items_text ON event_id = id WHERE id = $1 AND note = $2`, id, note)
		if n%3 == 0 {
			delete(w.rows, id)
			return ok && do(`DELETE FROM items_text WHERE event_id = $1`, id) && do(`DELETE FROM events_text WHERE id = $1`, id)
		}
		w.rows[id] += "."
		return ok && do(`UPDATE events_text SET note = $2 WHERE id = $1`, id, w.rows[id])
	}
	return ok
}
