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
	db := d.Open(t, "")
	db.Run("CREATE TABLE items (id " + column + " PRIMARY KEY, name text)")
	var items []Item
	for range 13 {
		for limit := 1; limit <= 5; limit++ {
			walk[Column](t, db, items, limit)
		}
		item := Item{ulid.Make(), fmt.Sprint(len(items))}
		switch len(items) {
		case 0:
			item.ID = ulid.ULID{}
		case 12:
			item.ID = ulid.LastAt(ulid.Time(ulid.MaxTime()))
		}
		db.Run("INSERT INTO items VALUES (?, ?)", Column(item.ID), item.Name)
		items = append(items, item)
	}
	walk[Column](t, db, items, 3)

	// Deletes leave an empty page before the second one, and another after it.
	list := func(cursor string) Page {
		page, err := ListItems[Column](t.Context(), db.DB.DB, cursor, 5)
		if err != nil {
			t.Fatal(err)
		}
		return page
	}
	second := list(list("").Next)
	db.Run("DELETE FROM items WHERE id NOT BETWEEN ? AND ?", Column(second.Items[0].ID), Column(second.Items[4].ID))
	for _, cursor := range []string{second.Prev, second.Next} {
		page := list(cursor)
		way := page.Prev + page.Next
		if back := list(way); page.Items != nil || way == "" || !slices.Equal(back.Items, second.Items) {
			t.Errorf("from %+v the way back is to %+v", page, back)
		}
	}
}

// walk goes through all pages forwards, and back again.
func walk[Column ~[16]byte](t *testing.T, db *db.DB, items []Item, limit int) {
	t.Helper()
	var pages []Page
	cursor := ""
	for i, isLast := 0, false; !isLast; i++ {
		page, err := ListItems[Column](t.Context(), db.DB.DB, cursor, limit)
		end := min((i+1)*limit, len(items))
		isLast = end == len(items)
		if err != nil || !slices.Equal(page.Items, items[i*limit:end]) || (page.Prev == "") != (i == 0) || (page.Next == "") != isLast {
			t.Fatalf("page %d, of %d of %d items, is %+v, %v", i, limit, len(items), page, err)
		}
		pages, cursor = append(pages, page), page.Next
	}
	for i := len(pages) - 1; i > 0; i-- {
		if page, err := ListItems[Column](t.Context(), db.DB.DB, pages[i].Prev, limit); err != nil || !reflect.DeepEqual(page, pages[i-1]) {
			t.Fatalf("backwards page %d is %+v, %v; want %+v", i-1, page, err, pages[i-1])
		}
	}
}

func TestBadCursor(t *testing.T) {
	id := ulid.Make()
	encode := base64.RawURLEncoding.EncodeToString
	for _, cursor := range []string{"x", id.String(), encode(id[:]), encode(append([]byte{'='}, id[:]...)),
		encode(append([]byte{'<', '<'}, id[:]...)), formatCursor('>', ulid.ULID{})[:22] + "B"} {
		if _, err := ListItems[ulid.ULID](t.Context(), nil, cursor, 10); err == nil || err.Error() != "invalid cursor" {
			t.Errorf("%q: %v", cursor, err)
		}
	}
}

// The statement of the page reads each row once, in pages of 50, and backwards by the change that the page names.
func TestForward(t *testing.T) {
	const back, largest = "`id < $1 ORDER BY id DESC`", `ulid.MustParse("7ZZZZZZZZZZZZZZZZZZZZZZZZZ")`
	page.Contains(t, "docs/queries.md", back)
	page.Contains(t, "docs/queries.md", "`"+largest+"`")
	forward := page.Code(t, "docs/queries.md", "page")
	backward := strings.Replace(forward, "id > $1 ORDER BY id", strings.Trim(back, "`"), 1)
	db.Each(t, func(t *testing.T, d *db.Database) {
		db := d.Open(t, "")
		db.Run("CREATE TABLE items (id char(26) PRIMARY KEY, name text)")
		ids := make([]ulid.ULID, 120)
		ulid.Fill(ids)
		for i, id := range ids {
			db.Run("INSERT INTO items VALUES (?, ?)", id, fmt.Sprint(i))
		}
		read := func(query string, last ulid.ULID) (got []ulid.ULID) {
			var items []Item
			for page := 0; page == 0 || len(items) == 50; page++ {
				items = nil
				if err := db.Select(&items, db.Rebind(strings.Replace(query, "$1", "?", 1)), last); err != nil {
					t.Fatal(err)
				}
				for _, item := range items {
					got, last = append(got, item.ID), item.ID
				}
			}
			return got
		}
		if got := read(forward, ulid.ULID{}); !slices.Equal(got, ids) {
			t.Errorf("forwards come %d IDs, %s", len(got), got)
		}
		slices.Reverse(ids)
		if got := read(backward, ulid.MustParse("7ZZZZZZZZZZZZZZZZZZZZZZZZZ")); !slices.Equal(got, ids) {
			t.Errorf("backwards come %d IDs, %s", len(got), got)
		}
	})
}

// nextItems reads each row once, as the page goes on from page to page.
func TestNextItems(t *testing.T) {
	db := db.PostgreSQL.Open(t, "")
	db.Run("CREATE TABLE items (id uuid PRIMARY KEY, name text)")
	want := make([]item, 120)
	for i := range want {
		want[i] = item{newKey(), fmt.Sprint(i)}
		db.Run("INSERT INTO items VALUES (?, ?)", want[i].ID, want[i].Name)
	}
	var got []item
	for n, last := 50, (ulid.AsUUID{}); n == 50; last = got[len(got)-1].ID {
		items, err := nextItems(t.Context(), db.DB.DB, last)
		if n = len(items); err != nil || n == 0 {
			t.Fatal(n, err)
		}
		got = append(got, items...)
	}
	db.Run("UPDATE items SET name = NULL WHERE id = ?", want[0].ID)
	if _, err := nextItems(t.Context(), db.DB.DB, ulid.AsUUID{}); err == nil || !slices.Equal(got, want) {
		t.Errorf("%d items, want %d; a name that cannot be read is error %v", len(got), len(want), err)
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
	if got := page.Code(t, "docs/queries.md", "tail"); got != newEvents {
		t.Errorf("docs/queries.md has the query\n%s", got)
	}
	for _, part := range []string{"xact xid8 NOT NULL DEFAULT pg_current_xact_id()", "(xact, id)"} {
		page.Contains(t, "docs/queries.md", "`"+part+"`")
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
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		events, err := ReadEvents(r.t.Context(), r.DB.DB.DB, r.after, 100)
		db.Check(r.t, err)
		for _, e := range events {
			r.late = r.late || e.ID.Compare(r.after.ID) < 0
			names, r.after = append(names, e.Name), e.Position
		}
		if len(names) >= n || time.Now().After(end) {
			return names
		}
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
	page.Contains(t, "docs/queries.md", "A reader that asks for `id > last` **never sees some rows**, without an error.")
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
	page.Contains(t, "docs/queries.md", "`"+query+"`")
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
	const again = "UPDATE events SET xact = pg_current_xact_id()"
	const latest = "SELECT id FROM events ORDER BY id DESC LIMIT 1"
	page.Contains(t, "docs/queries.md", "`"+again+"`")
	page.Contains(t, "docs/queries.md", "`"+latest+"`")
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
				tx := r.MustBegin()
				for part := range 2 {
					tx.MustExec(insertEvent, newKey(), fmt.Sprintf("%d.%d.%d", w, i, part))
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
	names := r.read(want)
	group.Wait()
	names = append(names, r.read(0)...)
	n := len(names)
	slices.Sort(names)
	if names = slices.Compact(names); n != want || len(names) != want {
		t.Errorf("%d events were read, %d of them different, want %d", n, len(names), want)
	}
	if !r.late {
		t.Error("the events came in the order of their IDs, so this test has no late commits")
	}
}
