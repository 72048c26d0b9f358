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
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// TestLive runs the conversion of the page under writers that never stop. No statement of theirs may fail, and in the end each
// row must be as its writer last knew it. The page has the times of a million rows.
func TestLive(t *testing.T) {
	d := postgresDB
	db := d.Open(t, "")
	schema := db.Text(`SELECT current_schema()`)
	converted, role := schema+"_converted", schema+"_service"
	db.Script(d.SQL)
	db.Run(`CREATE ROLE ` + role)
	t.Cleanup(func() { db.Run(`DROP OWNED BY ` + role + `; DROP ROLE ` + role) })
	tables := d.code(t, "columns") + d.code(t, "references") + `
		CREATE INDEX ON items_text (event_id);
		ALTER TABLE items_text ADD UNIQUE (event_id, n), DROP CONSTRAINT items_text_event_id_fkey,
			ADD FOREIGN KEY (event_id) REFERENCES events_text ON DELETE CASCADE;
		INSERT INTO events_text SELECT ulid_to_text(ulid_make()), '' FROM generate_series(1, ` + cmp.Or(os.Getenv("ULID_LIVE_ROWS"), "10000") + `);
		INSERT INTO events_text SELECT lower(ulid_to_text(ulid_make())), '' FROM generate_series(1, 100);
		INSERT INTO events_text SELECT ulid_make(), 'hidden' FROM generate_series(1, 100); -- new code that was deployed too early
		INSERT INTO items_text SELECT id, 1 FROM events_text; INSERT INTO items_text VALUES (NULL, 2)`
	db.Run(tables + `; ALTER TABLE events_text ENABLE ROW LEVEL SECURITY; CREATE POLICY visible ON events_text USING (note <> 'hidden');
		CREATE FUNCTION made() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.id = ulid_to_text(ulid_make()); RETURN NEW; END';
		CREATE TRIGGER made BEFORE INSERT ON events_text FOR EACH ROW WHEN (NEW.note = 'made') EXECUTE FUNCTION made();
		GRANT USAGE ON SCHEMA ` + schema + ` TO ` + role + `;
		GRANT SELECT, INSERT, UPDATE, DELETE ON events_text, items_text TO ` + role)
	want := map[ulid.ULID]string{}
	rows := db.Rows(`SELECT id, note FROM events_text`)
	for i, id := range idsOf(t, rows) {
		want[id] = text(rows[i][1])
	}

	before := db.DSN + "&role=" + role
	after := strings.Replace(before, "search_path=", "search_path="+converted+",", 1)
	writers := make([]*writer, 4)
	for i := range writers {
		writers[i] = &writer{t: t, n: 10 + i, clients: []client{open(t, before, texts), open(t, after, uuids)}, rows: map[ulid.ULID]string{}}
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
			code := strings.NewReplacer("converted", converted, "service", role).Replace(page.Code(t, d.Page, "postgres: live: "+part))
			for steps := step.FindAllString(code, -1); len(steps) > 0; {
				if err := db.Try(steps[0]); err == nil {
					steps = steps[1:]
				} else if db.Run("ROLLBACK; SET lock_timeout = '200ms'"); !strings.Contains(err.Error(), "lock timeout") {
					t.Fatalf("%v in\n%s", err, steps[0])
				}
			}
			t.Logf("%s took %v, and a statement meanwhile %v at most", part, time.Since(begin), time.Duration(longest.Load()))
		}
		time.Sleep(300 * time.Millisecond)
	}
	with([]string{"expand", "fill", "keys"}, 0)
	const question = `SELECT pg_typeof(id) FROM events_text LIMIT 1`
	page.Contains(t, d.Page, question)
	for _, code := range []struct{ dsn, column string }{{before, "text"}, {after, "uuid"}} {
		service := d.At(t, d.Drivers[0], code.dsn)
		service.Run(`INSERT INTO events_text (note) VALUES ('made')`)
		if got := service.Text(question); got != code.column {
			t.Fatalf("the type of id is %s, want %s", got, code.column)
		}
		wantIDs(t, service, nil, `SELECT id FROM events_text WHERE note = 'hidden' -- by a policy`)
	}
	wantIDs(t, db, nil, `SELECT id FROM events_text WHERE note = 'made' AND id_new IS DISTINCT FROM ulid_to_uuid(id)`)
	db.Run(`DELETE FROM events_text WHERE note = 'made'`)
	wantTables(t, db, converted+","+schema)
	with(nil, 0, 1)
	with(nil, 0) // a rollback
	with([]string{"contract"}, 1)
	for _, w := range writers {
		maps.Copy(want, w.rows)
	}
	wantKeys(t, db, "text", uuids, slices.Collect(maps.Keys(want)))
	rows = db.Rows(`SELECT id, note FROM events_text JOIN items_text ON event_id = id`)
	for i, id := range idsOf(t, rows) {
		if got := text(rows[i][1]); got != want[id] {
			t.Errorf("the note of %v is %q, want %q", id, got, want[id])
		}
	}
	db.Run(`INSERT INTO events_text DEFAULT VALUES; DROP TABLE events, items_text, items_bytea, events_text, events_bytea; ` + tables)
	begin := time.Now()
	db.Run(d.code(t, "text to uuid"))
	t.Logf("%d rows; without writers, in one transaction: %v", len(rows), time.Since(begin))
}

// A step of a block is run by itself: a transaction, or another statement.
var step = regexp.MustCompile(`(?ms)^BEGIN;.*?^COMMIT;$|^DO .*?^END \$\$;$|^\S.*?;$`)

var longest atomic.Int64 // nanoseconds that a statement of a writer took

// A client runs a statement with IDs as a version of the code has them, and returns the number of rows.
type client func(query string, args []any) (int64, error)

// open returns a client that uses pgx or database/sql by chance.
func open(t *testing.T, dsn string, column kind) client {
	conn, err := pgx.Connect(t.Context(), dsn)
	check(t, err)
	t.Cleanup(func() { conn.Close(context.Background()) })
	db := db.Connect(t, "pgx", dsn)
	return func(query string, args []any) (int64, error) {
		begin := time.Now()
		defer func() { longest.Store(max(longest.Load(), int64(time.Since(begin)))) }()
		args = slices.Clone(args)
		for i, arg := range args {
			if id, ok := arg.(ulid.ULID); ok {
				args[i] = column.value(id)
			}
		}
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

// A writer knows the rows that it has written. An item that refers to nothing has its number.
type writer struct {
	t       *testing.T
	n       int
	clients []client
	rows    map[ulid.ULID]string
}

// step makes a row, and changes or deletes one that it finds as it is known. Each statement is of one of the versions.
func (w *writer) step(versions []int, n int) bool {
	do := func(query string, args ...any) bool {
		count, err := w.clients[versions[rand.IntN(len(versions))]](query, args)
		if err != nil || count != 1 {
			w.t.Errorf("%d rows, %v, by %s with %q", count, err, query, args)
		}
		return err == nil && count == 1
	}
	const upsert = `INSERT INTO events_text (id, note) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET note = excluded.note`
	const item = `INSERT INTO items_text (event_id, n) VALUES ($1, 1) ON CONFLICT (event_id, n) DO UPDATE SET n = excluded.n`
	id, first := ulid.Make(), ulid.Make()
	w.rows[id] = ""
	ok := do(upsert, first, "") && do(`UPDATE events_text SET id = $2 WHERE id = $1`, first, id) && do(item, id) && do(item, id)
	for id, note := range w.rows { // any
		ok = ok && do(`SELECT FROM events_text JOIN items_text ON event_id = id WHERE id = $1 AND note = $2`, id, note) &&
			do(`UPDATE items_text SET event_id = NULL, n = $2 WHERE event_id = $1`, id, w.n) &&
			do(`UPDATE items_text SET event_id = $1, n = 1 WHERE event_id IS NULL AND n = $2`, id, w.n)
		if n%3 == 0 { // its item goes with it
			delete(w.rows, id)
			return ok && do(`WITH gone AS (DELETE FROM events_text WHERE id = $1 RETURNING id) SELECT FROM gone WHERE id = $1`, id)
		}
		w.rows[id] += "."
		return ok && do(upsert, id, w.rows[id]) && do(`UPDATE events_text SET note = $2 WHERE id = $1`, id, w.rows[id])
	}
	return ok
}
