package recipes

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// The statement of the page reads each row once, in pages of 50, and backwards by the change that the page names.
func TestForward(t *testing.T) {
	const doc, back, largest = "docs/queries.md", "id < $1 ORDER BY id DESC", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"
	page.Contains(t, doc, "`"+back+"`")
	page.Contains(t, doc, "`ulid.MustParse(\""+largest+"\")`")
	forward := page.Code(t, doc, "page")
	backward := strings.Replace(forward, "id > $1 ORDER BY id", back, 1)
	db.Each(t, func(t *testing.T, d *db.Database) {
		conn := d.Open(t, "")
		conn.Run("CREATE TABLE items (id char(26) PRIMARY KEY, name text)")
		ids := make([]ulid.ULID, 120)
		ulid.Fill(ids)
		for i, id := range ids {
			conn.Run("INSERT INTO items VALUES (?, ?)", id, fmt.Sprint(i))
		}
		if got := readPages(t, conn, forward, ulid.ULID{}); !slices.Equal(got, ids) {
			t.Errorf("forwards come %d IDs, %s", len(got), got)
		}
		slices.Reverse(ids)
		if got := readPages(t, conn, backward, ulid.MustParse(largest)); !slices.Equal(got, ids) {
			t.Errorf("backwards come %d IDs, %s", len(got), got)
		}
	})
}

// readPages reads one page after the other until one has fewer than 50 rows, or there are too many.
func readPages(t *testing.T, conn *db.DB, query string, last ulid.ULID) (ids []ulid.ULID) {
	t.Helper()
	query = conn.Rebind(strings.Replace(query, "$1", "?", 1))
	for len(ids) < 1000 {
		var items []row
		db.Check(t, conn.Select(&items, query, last))
		for _, item := range items {
			ids = append(ids, item.ID)
		}
		if len(items) < 50 {
			break
		}
		last = ids[len(ids)-1]
	}
	return ids
}

const insertEvent = "INSERT INTO events (id, name) VALUES ($1, $2)"

func newKey() ulid.AsUUID { return ulid.AsUUID(ulid.Make()) }

// A tail reads a table of events as they come.
type tail struct {
	*db.DB
	t     *testing.T
	after Position
	late  bool // whether an event came after one with a greater ID
}

func openTail(t *testing.T) *tail {
	if got := page.Code(t, "docs/new-rows.md", "events"); got != schema {
		t.Errorf("docs/new-rows.md has the table\n%s", got)
	}
	r := &tail{DB: db.PostgreSQL.Open(t, ""), t: t}
	r.SetMaxOpenConns(0) // no limit, because transactions overlap
	r.Run(schema)
	return r
}

// read returns the names of the next events. It waits for n of them, which a transaction of another test may delay.
func (r *tail) read(n int) (names []string) {
	end := time.Now().Add(time.Minute)
	for {
		events, err := ReadEvents(r.t.Context(), r.DB.DB.DB, r.after, 100)
		db.Check(r.t, err)
		for _, e := range events {
			r.late = r.late || e.ID.Compare(r.after.ID) < 0
			r.after = e.Position
			names = append(names, e.Name)
		}
		if len(names) >= n || time.Now().After(end) {
			return names
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (r *tail) want(names ...string) {
	r.t.Helper()
	if got := r.read(len(names)); !slices.Equal(got, names) {
		r.t.Errorf("ReadEvents reads %q, want %q", got, names)
	}
}

// The event with the lesser ID is committed last. The obvious query never finds it.
func TestLateCommit(t *testing.T) {
	page.Fact(t, "docs/new-rows.md", "id-after-last-misses-rows")
	r := openTail(t)
	slow := r.MustBegin()
	defer slow.Rollback()
	slow.MustExec(insertEvent, newKey(), "late")
	last := newKey()
	r.MustExec(insertEvent, last, "early")
	r.want()
	db.Check(t, slow.Commit())
	if n := r.Count("SELECT count(*) FROM events WHERE id > ?", last); n != 0 {
		t.Errorf("id > last finds %d events: then it loses nothing", n)
	}
	r.want("late", "early")
	r.want()
}

// TestBeginNow begins while an older transaction is open, whose row comes.
func TestBeginNow(t *testing.T) {
	const query = "SELECT pg_snapshot_xmin(pg_current_snapshot())"
	page.Contains(t, "docs/new-rows.md", "`"+query+"`")
	r := openTail(t)
	slow := r.MustBegin()
	defer slow.Rollback()
	slow.MustExec(insertEvent, newKey(), "late")
	r.MustExec(insertEvent, newKey(), "early")
	db.Check(t, r.Get(&r.after.Xact, query))
	db.Check(t, slow.Commit())
	r.want("late", "early")
}

// The rows of a dump have the numbers of another server. They stay hidden, and new ones come before the last position.
func TestRestored(t *testing.T) {
	page.Fact(t, "docs/new-rows.md", "restored-rows-are-hidden")
	const again = "UPDATE events SET xact = pg_current_xact_id()"
	page.Contains(t, "docs/new-rows.md", "`"+again+"`")
	r := openTail(t)
	restored, id := Position{Xact: 1 << 40, ID: newKey()}, newKey()
	r.MustExec("INSERT INTO events VALUES ($1, $2, 'restored')", restored.ID, restored.Xact)
	r.MustExec(insertEvent, id, "new")
	r.want("new")
	r.after = restored
	r.want() // which loses new
	r.MustExec(again)
	r.after = Position{}
	r.want("restored", "new")
}

// A page may end within a transaction.
func TestPagesOfEvents(t *testing.T) {
	r := openTail(t)
	tx := r.MustBegin()
	var want, got []string
	for i := range 5 {
		want = append(want, fmt.Sprint(i))
		tx.MustExec(insertEvent, newKey(), want[i])
	}
	db.Check(t, tx.Commit())
	r.want(want...)
	r.after = Position{}
	for range want {
		events, err := ReadEvents(t.Context(), r.DB.DB.DB, r.after, 1)
		db.Check(t, err)
		for _, e := range events {
			r.after = e.Position
			got = append(got, e.Name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("one event at a time comes %q, want %q", got, want)
	}
}

// A transaction that writes delays the events, even in another database. One that reads does not.
func TestDelay(t *testing.T) {
	r := openTail(t)
	address, err := url.Parse(r.DSN)
	db.Check(t, err)
	address.Path = "/postgres"
	tx := sqlx.NewDb(db.Connect(t, "pgx", address.String()), "pgx").MustBegin()
	defer tx.Rollback()

	tx.MustExec("SELECT 1 FROM pg_class")
	r.MustExec(insertEvent, newKey(), "while it reads")
	r.want("while it reads")
	tx.MustExec("SELECT pg_current_xact_id()")
	r.MustExec(insertEvent, newKey(), "while it writes")
	time.Sleep(300 * time.Millisecond)
	r.want()
	db.Check(t, tx.Commit())
	r.want("while it writes")
}

// Each committed event is read once, whatever the order of the commits.
func TestReadEvents(t *testing.T) {
	const writers, each = 6, 50
	r := openTail(t)
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range each {
				if err := r.write(fmt.Sprintf("%d.%d", w, i), i%10 == 9); err != nil {
					t.Error(err)
				}
			}
		})
	}
	const want = writers * each * 9 / 10 * 2
	names := r.read(want)
	group.Wait()
	names = append(names, r.read(0)...)
	n := len(names)
	slices.Sort(names)
	names = slices.Compact(names)
	if n != want || len(names) != want {
		t.Errorf("%d events were read, %d of them different, want %d", n, len(names), want)
	}
	if !r.late {
		t.Error("the events came in the order of their IDs, so this test has no late commits")
	}
}

// write inserts two events in a transaction, which takes its time.
func (r *tail) write(name string, rollback bool) error {
	tx, err := r.Beginx()
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	for part := range 2 {
		if _, err := tx.Exec(insertEvent, newKey(), fmt.Sprintf("%s.%d", name, part)); err != nil {
			return err
		}
		time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
	}
	if rollback {
		return tx.Rollback()
	}
	return tx.Commit()
}

// An end that is missing is no end, but finds nothing, and a query for the latest ID finds the latest.
func TestMissingBound(t *testing.T) {
	const doc = "docs/queries.md"
	page.Fact(t, doc, "missing-end-finds-nothing")
	const latest = "SELECT id FROM events ORDER BY id DESC LIMIT 1"
	page.Contains(t, doc, "`"+latest+"`")
	conn := db.PostgreSQL.Open(t, "")
	conn.Run("CREATE TABLE events (id uuid PRIMARY KEY)")
	id := newKey()
	conn.Run("INSERT INTO events VALUES (?), (?)", id, ulid.AsUUID(ulid.FirstAt(time.Unix(1, 0))))
	query := strings.NewReplacer("$1", "?", "$2", "?").Replace(page.Code(t, doc, "range"))
	first := ulid.AsUUID(ulid.FirstAt(time.Time{}))
	for _, c := range []struct {
		from, to ulid.AsUUID
		want     int
	}{
		{first, ulid.AsUUID(Newest.ID), 2},
		{first, first, 0},
		{ulid.AsUUID(ulid.FirstAt(time.Unix(0, 0))), first, 0},
	} {
		if got := len(conn.Rows(query, c.from, c.to)); got != c.want {
			t.Errorf("from %s to %s there are %d rows, want %d", c.from, c.to, got, c.want)
		}
	}
	if got := conn.Text(latest); got != id.UUIDString() {
		t.Errorf("the latest ID is %s, want %s", got, id.UUIDString())
	}
}

// openOutbox makes an outbox with a message that is committed, and another one, with a smaller ID, in a transaction.
func openOutbox(t *testing.T) (conn *db.DB, slow *sqlx.Tx) {
	conn = db.PostgreSQL.Open(t, "")
	conn.SetMaxOpenConns(0)
	conn.Run("CREATE TABLE outbox (id uuid PRIMARY KEY, body text NOT NULL)")
	slow = conn.MustBegin()
	t.Cleanup(func() { slow.Rollback() })
	slow.MustExec("INSERT INTO outbox VALUES ($1, 'late')", newKey())
	conn.Run("INSERT INTO outbox VALUES (?, 'early')", newKey())
	return conn, slow
}

// No message is lost, whether it is committed late or could not be sent.
func TestRelay(t *testing.T) {
	conn, slow := openOutbox(t)
	var sent []string
	relay := func(failed error) error {
		return Relay(t.Context(), conn.DB.DB, func(_ ulid.AsUUID, body string) error {
			sent = append(sent, body)
			return failed
		})
	}
	if err := relay(io.ErrShortWrite); err != io.ErrShortWrite {
		t.Errorf("send fails and Relay returns %v", err)
	}
	db.Check(t, relay(nil))
	if err := relay(nil); err != sql.ErrNoRows {
		t.Errorf("from an outbox without messages Relay returns %v", err)
	}
	db.Check(t, slow.Commit())
	db.Check(t, relay(nil))
	if want := []string{"early", "early", "late"}; !slices.Equal(sent, want) {
		t.Errorf("sent are %q, want %q", sent, want)
	}
	if n := conn.Count("SELECT count(*) FROM outbox"); n != 0 {
		t.Errorf("%d messages are left", n)
	}
}

// Workers do not wait for each other, and none sends a message of another.
func TestRelays(t *testing.T) {
	const messages, workers = 200, 4
	conn, slow := openOutbox(t)
	db.Check(t, slow.Commit())
	for range messages - 2 {
		conn.Run("INSERT INTO outbox VALUES (?, '')", newKey())
	}
	var sent sync.Map
	var count atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for {
				err := Relay(t.Context(), conn.DB.DB, func(id ulid.AsUUID, _ string) error {
					count.Add(1)
					if _, again := sent.LoadOrStore(id, true); again {
						t.Errorf("%s is sent again", id)
					}
					return nil
				})
				if err == sql.ErrNoRows {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	// One while another is being sent.
	conn.Run("INSERT INTO outbox VALUES (?, 'first'), (?, 'second')", newKey(), newKey())
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	db.Check(t, Relay(ctx, conn.DB.DB, func(_ ulid.AsUUID, first string) error {
		return Relay(ctx, conn.DB.DB, func(_ ulid.AsUUID, second string) error {
			if first+second != "firstsecond" {
				t.Errorf("while %q is sent, %q is", first, second)
			}
			return nil
		})
	}))
	if count.Load() != messages {
		t.Errorf("%d messages were sent, want %d", count.Load(), messages)
	}
}

// The message of a worker that hangs is passed over, until the server ends the worker's session.
func TestHungWorker(t *testing.T) {
	page.Fact(t, "docs/new-rows.md", "hung-worker-keeps-messages")
	const setting = "idle_in_transaction_session_timeout"
	page.Contains(t, "docs/new-rows.md", "`"+setting+"`")
	conn := db.PostgreSQL.Open(t, "")
	conn.SetMaxOpenConns(0)
	conn.Run("CREATE TABLE outbox (id uuid PRIMARY KEY, body text NOT NULL)")
	conn.Run("INSERT INTO outbox VALUES (?, 'first'), (?, 'second')", newKey(), newKey())
	ended := make(chan error)
	hung := db.Connect(t, conn.DriverName(), conn.DSN)
	hung.SetMaxOpenConns(1)
	_, err := hung.Exec("SET " + setting + " = 500")
	db.Check(t, err)
	took := make(chan string)
	go func() {
		ended <- Relay(t.Context(), hung, func(_ ulid.AsUUID, body string) error {
			took <- body
			time.Sleep(1500 * time.Millisecond)
			return nil
		})
	}()
	var sent []string
	send := func(_ ulid.AsUUID, body string) error { sent = append(sent, body); return nil }
	first := <-took
	db.Check(t, Relay(t.Context(), conn.DB.DB, send))
	if err := Relay(t.Context(), conn.DB.DB, send); err != sql.ErrNoRows {
		t.Errorf("while a worker hangs with %q, %q are sent, %v", first, sent, err)
	}
	if err := <-ended; err == nil {
		t.Error("the worker that hung reports no error")
	}
	db.Check(t, Relay(t.Context(), conn.DB.DB, send))
	if want := []string{"second", "first"}; !slices.Equal(sent, want) {
		t.Errorf("sent are %q, want %q", sent, want)
	}
}

// While MySQL and MariaDB send a message at their default isolation, no message with a smaller ID can be inserted.
func TestOutboxLocks(t *testing.T) {
	page.Fact(t, "docs/new-rows.md", "outbox-blocks-inserts")
	for _, d := range []*db.Database{db.MariaDB, db.MySQL} {
		t.Run(d.Name, func(t *testing.T) {
			conn := d.Open(t, "")
			conn.Run("CREATE TABLE outbox (id char(26) PRIMARY KEY, body text)")
			smaller := ulid.Make()
			conn.Run("INSERT INTO outbox VALUES (?, 'one')", ulid.Make())
			conn.Run("SET SESSION innodb_lock_wait_timeout = 1")
			other := db.Connect(t, "mysql", conn.DSN)
			for level, blocks := range map[sql.IsolationLevel]bool{sql.LevelDefault: true, sql.LevelReadCommitted: false} {
				tx, err := other.BeginTx(t.Context(), &sql.TxOptions{Isolation: level})
				db.Check(t, err)
				var id ulid.ULID
				db.Check(t, tx.QueryRow("SELECT id FROM outbox ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED").Scan(&id))
				err = conn.Try("INSERT INTO outbox VALUES (?, 'two')", smaller)
				if (err != nil) != blocks {
					t.Errorf("at level %v the insert returns %v", level, err)
				}
				db.Check(t, tx.Rollback())
				conn.Run("DELETE FROM outbox WHERE body = 'two'")
			}
		})
	}
}

// A message that commits after the worker's SELECT, with a smaller ID, is deleted by id <= $1.
func TestOutboxDeletesUnsent(t *testing.T) {
	page.Fact(t, "docs/new-rows.md", "outbox-deletes-unsent")
	for condition, left := range map[string]int{"id <= $1": 0, "id = ANY(ARRAY[$1::uuid])": 1} {
		conn, slow := openOutbox(t)
		tx, err := conn.DB.DB.BeginTx(t.Context(), &sql.TxOptions{Isolation: sql.LevelReadCommitted})
		db.Check(t, err)
		defer tx.Rollback()
		var id ulid.AsUUID
		var body string
		db.Check(t, tx.QueryRow("SELECT id, body FROM outbox ORDER BY id LIMIT 100 FOR UPDATE SKIP LOCKED").Scan(&id, &body))
		if body != "early" {
			t.Errorf("the worker takes %q", body)
		}
		db.Check(t, slow.Commit())
		_, err = tx.Exec("DELETE FROM outbox WHERE "+condition, id)
		db.Check(t, err)
		db.Check(t, tx.Commit())
		if n := conn.Count("SELECT count(*) FROM outbox"); n != left {
			t.Errorf("after a delete by %s %d messages are left, want %d", condition, n, left)
		}
	}
}

// Workers can take several messages in a transaction, each worker others. Without a transaction they take the same.
func TestOutboxBatches(t *testing.T) {
	page.Fact(t, "docs/new-rows.md", "outbox-needs-transaction")
	page.Contains(t, "docs/new-rows.md", "`LIMIT 100`")
	const one = "SELECT id, body FROM outbox ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED"
	page.Contains(t, "interop/recipes/outbox.go", `"`+one+`"`)
	some := strings.Replace(one, "LIMIT 1 ", "LIMIT 2 ", 1)
	for _, d := range []*db.Database{db.PostgreSQL, db.MariaDB, db.MySQL} {
		t.Run(d.Name, func(t *testing.T) {
			conn := d.Open(t, "")
			conn.SetMaxOpenConns(0)
			conn.Run("CREATE TABLE outbox (id char(26) PRIMARY KEY, body text)")
			ids := make([]ulid.ULID, 5)
			ulid.Fill(ids)
			for _, id := range ids {
				conn.Run("INSERT INTO outbox VALUES (?, '')", id)
			}
			var taken []ulid.ULID
			for range 3 {
				tx, err := conn.BeginTxx(t.Context(), &sql.TxOptions{Isolation: sql.LevelReadCommitted})
				db.Check(t, err)
				defer tx.Rollback()
				var rows []struct {
					ID   ulid.ULID
					Body string
				}
				db.Check(t, tx.Select(&rows, some))
				for _, row := range rows {
					taken = append(taken, row.ID)
				}
			}
			if !slices.Equal(taken, ids) {
				t.Errorf("three transactions take %s, want %s", taken, ids)
			}
		})
		t.Run(d.Name+" without transactions", func(t *testing.T) {
			conn := d.Open(t, "")
			conn.Run("CREATE TABLE outbox (id char(26) PRIMARY KEY, body text)")
			conn.Run("INSERT INTO outbox VALUES (?, '')", ulid.Make())
			other := db.Connect(t, conn.DriverName(), conn.DSN)
			var id ulid.ULID
			var body string
			db.Check(t, conn.QueryRow(one).Scan(&id, &body))
			db.Check(t, other.QueryRow(one).Scan(&id, &body)) // and not sql.ErrNoRows
		})
	}
}
