package sql

import (
	"cmp"
	"errors"
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
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jmoiron/sqlx"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/internal/page"
	"github.com/seed-961d0905/ulid/interop/internal/servers"
)

// TestLive runs the conversion of the page under writers that never stop. No statement of theirs may fail, and in the end each
// row must be as its writer last knew it. The page has the times of a million rows.
func TestLive(t *testing.T) {
	count := cmp.Or(os.Getenv("ULID_LIVE_ROWS"), "10000")
	dsn := servers.Own(t, "ULID_POSTGRES", "")
	converted := "converted_" + strings.ToLower(ulid.Make().String())
	db := connect(t, "pgx", dsn)
	exec(t, db.DB, page.Text(t, "interop/sql/postgres.sql"))
	tables := postgresDB.code(t, "columns") + postgresDB.code(t, "references") + `CREATE INDEX ON items_text (event_id);
		INSERT INTO events_text SELECT ulid_to_text(ulid_make()), 'before' FROM generate_series(1, ` + count + `);
		INSERT INTO events_text SELECT lower(ulid_to_text(ulid_make())), 'before' FROM generate_series(1, 100);
		INSERT INTO events_text SELECT ulid_make(), 'before' FROM generate_series(1, 100); -- new code that was deployed too early
		INSERT INTO items_text SELECT id, 1 FROM events_text; INSERT INTO items_text VALUES (NULL, 2)`
	exec(t, db.DB, tables)
	want := map[ulid.ULID]string{}
	for _, id := range idsOf(t, fetch(t, db, `SELECT id FROM events_text ORDER BY id`)) {
		want[id] = "before"
	}

	var version atomic.Pointer[string]
	var stop atomic.Bool
	var longest atomic.Int64
	var group sync.WaitGroup
	deploy := func(code string) {
		version.Store(&code)
		time.Sleep(300 * time.Millisecond)
	}
	migrate := func(part string) {
		begin := time.Now()
		longest.Store(0)
		for _, step := range steps(page.Code(t, "docs/postgresql.md", "postgres: live: "+part)) {
			tryAgain(t, db, strings.ReplaceAll(step, "converted", converted))
		}
		t.Logf("%s took %v, and a statement meanwhile %v at most", part, time.Since(begin), time.Duration(longest.Load()))
	}
	defer group.Wait()
	defer stop.Store(true)
	var writers []*writer
	for _, driver := range []string{"pgx", "sql", "pgx", "sql"} {
		w := &writer{t: t, longest: &longest, rows: map[ulid.ULID]string{}, clients: map[string]client{
			"old": openClient(t, driver, dsn, texts.value),
			"new": openClient(t, driver, strings.Replace(dsn, "search_path=", "search_path="+converted+",", 1), uuids.value),
		}}
		writers = append(writers, w)
		deploy("old")
		group.Go(func() { w.run(&version, &stop) })
	}
	migrate("expand")
	migrate("fill")
	migrate("keys")
	deploy("old or new")
	deploy("old") // a rollback
	deploy("old or new")
	deploy("new")
	migrate("contract")
	deploy("new")
	stop.Store(true)
	group.Wait()

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
	t.Logf("%d rows", len(rows))
	exec(t, db.DB, `INSERT INTO events_text DEFAULT VALUES; DROP TABLE events, items_text, items_bytea, events_text, events_bytea; `+tables)
	begin := time.Now()
	exec(t, db.DB, postgresDB.code(t, "text to uuid"))
	t.Logf("without writers, in one transaction: %v", time.Since(begin))
}

// steps splits a block into what must be run by itself: a transaction, or a statement.
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

// tryAgain runs a step until it gets its locks in time.
func tryAgain(t *testing.T, db *sqlx.DB, step string) {
	t.Helper()
	for range 100 {
		_, err := db.Exec(step)
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.Code != "55P03" {
			if err != nil {
				t.Fatalf("%v in\n%s", err, step)
			}
			return
		}
		t.Log(err)
		exec(t, db.DB, "ROLLBACK")
	}
	t.Fatalf("no lock for\n%s", step)
}

// A client runs statements through a driver, with IDs as a version of the code has them.
type client struct {
	key  func(ulid.ULID) any
	exec func(query string, args ...any) (rows int64, err error)
	scan func(query string, key any, results ...any) error
}

func openClient(t *testing.T, driver, dsn string, key func(ulid.ULID) any) client {
	if driver == "pgx" {
		conn, err := pgx.Connect(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close(t.Context()) })
		return client{key, func(query string, args ...any) (int64, error) {
			tag, err := conn.Exec(t.Context(), query, args...)
			return tag.RowsAffected(), err
		}, func(query string, key any, results ...any) error {
			return conn.QueryRow(t.Context(), query, key).Scan(results...)
		}}
	}
	db := connect(t, "pgx", dsn)
	return client{key, func(query string, args ...any) (int64, error) {
		result, err := db.Exec(query, args...)
		if err != nil {
			return 0, err
		}
		return result.RowsAffected()
	}, func(query string, key any, results ...any) error { return db.QueryRow(query, key).Scan(results...) }}
}

// A writer knows the rows that it has written.
type writer struct {
	t       *testing.T
	clients map[string]client
	rows    map[ulid.ULID]string
	longest *atomic.Int64 // time that a statement took
	failed  bool
}

// run writes and reads, each time by one of the versions of the code that are deployed.
func (w *writer) run(version *atomic.Pointer[string], stop *atomic.Bool) {
	for n := 0; !w.failed && !stop.Load(); n++ {
		code := func() client {
			versions := strings.Split(*version.Load(), " or ")
			return w.clients[versions[rand.IntN(len(versions))]]
		}
		id, note := ulid.Make(), fmt.Sprint(n)
		w.write(code(), `INSERT INTO events_text (id, note) VALUES ($1, $2)`, id, note)
		w.write(code(), `INSERT INTO items_text (event_id, n) VALUES ($1, $2)`, id, n)
		w.rows[id] = note
		for known := range w.rows { // some row
			var got ulid.ULID
			c := code()
			err := c.scan(`SELECT e.id, e.note FROM events_text e JOIN items_text i ON event_id = id WHERE id = $1`, c.key(known), &got, &note)
			if err != nil || got != known || note != w.rows[known] {
				w.fail("%v is read as %v, %q, %v, want %q", known, got, note, err, w.rows[known])
			}
			w.rows[known] = fmt.Sprint("changed ", n)
			w.write(code(), `UPDATE events_text SET note = $2 WHERE id = $1`, known, w.rows[known])
			if n%3 == 0 && known != id {
				w.write(code(), `DELETE FROM items_text WHERE event_id = $1`, known)
				w.write(code(), `DELETE FROM events_text WHERE id = $1`, known)
				delete(w.rows, known)
			}
			break
		}
	}
}

// write runs a statement that changes one row.
func (w *writer) write(c client, query string, id ulid.ULID, args ...any) {
	begin := time.Now()
	if n, err := c.exec(query, append([]any{c.key(id)}, args...)...); err != nil || n != 1 {
		w.fail("%d rows, %v, by %s for %v", n, err, query, id)
	}
	if took := int64(time.Since(begin)); took > w.longest.Load() {
		w.longest.Store(took)
	}
}

func (w *writer) fail(format string, args ...any) {
	w.failed = true
	w.t.Errorf(format, args...)
}
