package recipes

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/url"
	"reflect"
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

// Not in MySQL and MariaDB, because the query has $1.
func TestListItems(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) { testListItems[ulid.ULID](t, db.SQLite, "TEXT") })
	t.Run("PostgreSQL", func(t *testing.T) { testListItems[ulid.ULID](t, db.PostgreSQL, `text COLLATE "C"`) })
	t.Run("PostgreSQL, uuid", func(t *testing.T) { testListItems[ulid.AsUUID](t, db.PostgreSQL, "uuid") })
}

func testListItems[Column ~[16]byte](t *testing.T, d *db.Database, column string) {
	conn := d.Open(t, "")
	conn.Run("CREATE TABLE items (id " + column + " PRIMARY KEY, name text)")
	ids := make([]ulid.ULID, 13)
	ulid.Fill(ids)
	ids[0] = ulid.ULID{}
	ids[12] = ulid.LastAt(ulid.Time(ulid.MaxTime()))
	var items []Item
	for i, id := range ids {
		for limit := 1; limit <= 5; limit++ {
			walk[Column](t, conn, items, limit)
		}
		item := Item{id, fmt.Sprint(i)}
		conn.Run("INSERT INTO items VALUES (?, ?)", Column(item.ID), item.Name)
		items = append(items, item)
	}
	walk[Column](t, conn, items, 3)
	testEmptyPages[Column](t, conn)
}

// walk goes through all pages forwards, and back again.
func walk[Column ~[16]byte](t *testing.T, conn *db.DB, items []Item, limit int) {
	t.Helper()
	want := slices.Collect(slices.Chunk(items, limit))
	if want == nil {
		want = [][]Item{nil} // the first page, which is empty
	}
	var pages []Page
	cursor := ""
	for i := range want {
		page, err := ListItems[Column](t.Context(), conn.DB.DB, cursor, limit)
		if err != nil || !slices.Equal(page.Items, want[i]) {
			t.Fatalf("page %d of %d, %d a page, is %+v, %v; want %+v", i, len(want), limit, page, err, want[i])
		}
		isFirst, isLast := i == 0, i == len(want)-1
		if (page.Prev == "") != isFirst || (page.Next == "") != isLast {
			t.Fatalf("page %d of %d, %d a page, leads to %q and %q", i, len(want), limit, page.Prev, page.Next)
		}
		pages = append(pages, page)
		cursor = page.Next
	}
	for i := len(pages) - 1; i > 0; i-- {
		page, err := ListItems[Column](t.Context(), conn.DB.DB, pages[i].Prev, limit)
		if err != nil || !reflect.DeepEqual(page, pages[i-1]) {
			t.Fatalf("backwards page %d is %+v, %v; want %+v", i-1, page, err, pages[i-1])
		}
	}
}

// testEmptyPages deletes all rows but those of the second page. There are then an empty page before it and another
// after it, and both lead back.
func testEmptyPages[Column ~[16]byte](t *testing.T, conn *db.DB) {
	list := func(cursor string) Page {
		page, err := ListItems[Column](t.Context(), conn.DB.DB, cursor, 5)
		db.Check(t, err)
		return page
	}
	second := list(list("").Next)
	first, last := second.Items[0].ID, second.Items[4].ID
	conn.Run("DELETE FROM items WHERE id NOT BETWEEN ? AND ?", Column(first), Column(last))
	for _, cursor := range []string{second.Prev, second.Next} {
		empty := list(cursor)
		if empty.Items != nil || (empty.Prev == "") == (empty.Next == "") {
			t.Fatalf("the page without rows is %+v", empty)
		}
		back := list(empty.Prev + empty.Next)
		if !slices.Equal(back.Items, second.Items) {
			t.Errorf("from %+v the way back is to %+v", empty, back)
		}
	}
}

func TestBadCursor(t *testing.T) {
	id := ulid.Make()
	encode := base64.RawURLEncoding.EncodeToString
	for _, cursor := range []string{
		"x",
		id.String(),
		encode(id[:]),                          // without a direction
		encode(append([]byte{'='}, id[:]...)),  // with another one
		encode(append([]byte("<<"), id[:]...)), // with two
		formatCursor('>', ulid.ULID{})[:22] + "B", // with bits that belong to no byte
	} {
		_, err := ListItems[ulid.ULID](t.Context(), nil, cursor, 10)
		if err == nil || err.Error() != "invalid cursor" {
			t.Errorf("%q: %v", cursor, err)
		}
	}
}

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
		var items []Item
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

// nextItems reads each row once, as the page goes on from page to page.
func TestNextItems(t *testing.T) {
	conn := db.PostgreSQL.Open(t, "")
	conn.Run("CREATE TABLE items (id uuid PRIMARY KEY, name text)")
	want := make([]item, 120)
	for i := range want {
		want[i] = item{newKey(), fmt.Sprint(i)}
		conn.Run("INSERT INTO items VALUES (?, ?)", want[i].ID, want[i].Name)
	}
	var got []item
	var last ulid.AsUUID
	for len(got) < len(want) {
		items, err := nextItems(t.Context(), conn.DB.DB, last)
		if err != nil || len(items) == 0 {
			t.Fatalf("after %d items come %v, %v", len(got), items, err)
		}
		got = append(got, items...)
		last = items[len(items)-1].ID
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d items, want %d", len(got), len(want))
	}
	conn.Run("UPDATE items SET name = NULL WHERE id = ?", want[0].ID)
	if items, err := nextItems(t.Context(), conn.DB.DB, ulid.AsUUID{}); err == nil {
		t.Errorf("a name that cannot be read is no error, but gives %v", items)
	}
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
	if got := page.Code(t, "docs/new-rows.md", "tail"); got != newEvents {
		t.Errorf("docs/queries.md has the query\n%s", got)
	}
	for _, part := range []string{"xact xid8 NOT NULL DEFAULT pg_current_xact_id()", "(xact, id)"} {
		page.Contains(t, "docs/new-rows.md", "`"+part+"`")
		if !strings.Contains(schema, part) {
			t.Errorf("the schema lacks %s", part)
		}
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
	const latest = "SELECT id FROM events ORDER BY id DESC LIMIT 1"
	page.Contains(t, "docs/new-rows.md", "`"+again+"`")
	page.Contains(t, "docs/new-rows.md", "`"+latest+"`")
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
	if got := r.Text(latest); got != id.UUIDString() {
		t.Errorf("the latest ID is %s, want %s", got, id.UUIDString())
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
