package recipes

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/typed"
)

// A row is of the tables of these tests.
type row struct {
	ID   ulid.ULID
	Name string
}

func (r row) id() ulid.ULID { return r.ID }

// inColumn has the Go types of columns.
var inColumn = map[string]func(ulid.ULID) any{
	"ULID":     func(id ulid.ULID) any { return id },
	"AsUUID":   func(id ulid.ULID) any { return ulid.AsUUID(id) },
	"AsBinary": func(id ulid.ULID) any { return ulid.AsBinary(id) },
}

// A lister returns the page at a cursor.
type lister func(cursor string, limit int) (Page[row], error)

// In every column of every database, while the table grows from no row to 13.
func TestReadPage(t *testing.T) {
	page.Fact(t, "docs/queries.md", "short-page-is-not-the-last")
	db.Each(t, func(t *testing.T, d *db.Database) {
		for _, column := range d.Columns {
			if value := inColumn[column.GoType]; value != nil {
				t.Run(column.SQL, func(t *testing.T) { testReadPage(t, d.Open(t, ""), column.SQL, value) })
			}
		}
	})
}

func testReadPage(t *testing.T, conn *db.DB, column string, value func(ulid.ULID) any) {
	conn.Run("CREATE TABLE items (id " + column + " PRIMARY KEY, name varchar(20))")
	list := func(cursor string, limit int) (Page[row], error) {
		c, err := ParseCursor(cursor, Oldest)
		db.Check(t, err)
		return ReadPage(c, limit, row.id, func(c Cursor, n int) (rows []row, err error) {
			query := "SELECT id, name FROM items WHERE id >= ? ORDER BY id LIMIT ?"
			if c.Down {
				query = "SELECT id, name FROM items WHERE id < ? ORDER BY id DESC LIMIT ?"
			}
			return rows, conn.Select(&rows, conn.Rebind(query), value(c.ID), n)
		})
	}
	ids := make([]ulid.ULID, 13)
	ulid.Fill(ids)
	ids[0] = ulid.ULID{} // which somebody forgot to set
	var rows []row
	for i, id := range ids {
		for limit := 1; limit <= 5; limit++ {
			walk(t, list, rows, limit)
		}
		r := row{id, fmt.Sprint(i)}
		conn.Run("INSERT INTO items VALUES (?, ?)", value(r.ID), r.Name)
		rows = append(rows, r)
	}
	walk(t, list, rows, 3)
	walk(t, list, rows, 100)
	walkDown(t, list, rows, 5)
	testEmptyPages(t, conn, list, value)
	testLimits(t, conn, list, value)
}

// walk goes through all pages upwards, and back again.
func walk(t *testing.T, list lister, rows []row, limit int) {
	t.Helper()
	want := slices.Collect(slices.Chunk(rows, limit))
	if want == nil {
		want = [][]row{{}} // the first page, which is empty
	}
	var pages []Page[row]
	cursor := ""
	for i := range want {
		page, err := list(cursor, limit)
		if err != nil || !reflect.DeepEqual(page.Items, want[i]) {
			t.Fatalf("page %d of %d, %d a page, is %+v, %v; want %+v", i, len(want), limit, page, err, want[i])
		}
		isFirst, isLast := i == 0, i == len(want)-1
		if (page.Older == "") != isFirst || (page.Newer == "") != isLast {
			t.Fatalf("page %d of %d, %d a page, leads to %q and %q", i, len(want), limit, page.Older, page.Newer)
		}
		pages = append(pages, page)
		cursor = page.Newer
	}
	for i := len(pages) - 1; i > 0; i-- {
		page, err := list(pages[i].Older, limit)
		if err != nil || !reflect.DeepEqual(page, pages[i-1]) {
			t.Fatalf("backwards page %d is %+v, %v; want %+v", i-1, page, err, pages[i-1])
		}
	}
}

// walkDown begins with the newest rows.
func walkDown(t *testing.T, list lister, rows []row, limit int) {
	t.Helper()
	var got []row
	cursor := Newest.String()
	for cursor != "" && len(got) <= len(rows) {
		page, err := list(cursor, limit)
		if err != nil || (page.Newer == "") != (cursor == Newest.String()) {
			t.Fatalf("at %s the page is %+v, %v", cursor, page, err)
		}
		got = append(page.Items, got...)
		cursor = page.Older
	}
	if !slices.Equal(got, rows) {
		t.Errorf("from the newest come %+v, want %+v", got, rows)
	}
}

// testEmptyPages deletes all rows but those of the second page. There are then an empty page before it and another
// after it, and both lead back.
func testEmptyPages(t *testing.T, conn *db.DB, list lister, value func(ulid.ULID) any) {
	must := func(cursor string) Page[row] {
		page, err := list(cursor, 5)
		db.Check(t, err)
		return page
	}
	second := must(must("").Newer)
	conn.Run("DELETE FROM items WHERE id < ? OR id > ?", value(second.Items[0].ID), value(second.Items[4].ID))
	for _, cursor := range []string{second.Older, second.Newer} {
		empty := must(cursor)
		if len(empty.Items) > 0 || (empty.Older == "") == (empty.Newer == "") {
			t.Fatalf("the page without rows is %+v", empty)
		}
		back := must(empty.Older + empty.Newer)
		if !slices.Equal(back.Items, second.Items) {
			t.Errorf("from %+v the way back is to %+v", empty, back)
		}
	}
}

// testLimits tries what a client may ask for, with an empty table and with more rows than any page has.
func testLimits(t *testing.T, conn *db.DB, list lister, value func(ulid.ULID) any) {
	conn.Run("DELETE FROM items")
	limits := map[int]int{math.MinInt: 50, -1: 50, 0: 50, 1: 1, 100: 100, 101: 100, math.MaxInt: 100}
	for limit := range limits {
		for _, cursor := range []string{"", Newest.String()} {
			page, err := list(cursor, limit)
			text, _ := json.Marshal(page)
			if err != nil || string(text) != `{"items":[]}` {
				t.Errorf("with a limit of %d an empty table gives %s, %v", limit, text, err)
			}
		}
	}
	ids := make([]ulid.ULID, 110)
	ulid.Fill(ids)
	for _, id := range ids {
		conn.Run("INSERT INTO items VALUES (?, 'one of many')", value(id))
	}
	// A client that asks for more than a page has goes on although the page is short.
	walk(t, func(cursor string, _ int) (Page[row], error) { return list(cursor, 200) }, named(ids, "one of many"), 100)
	for limit, want := range limits {
		up, err := list("", limit)
		if err != nil || len(up.Items) != want || up.Newer == "" || up.Items[0].ID != ids[0] {
			t.Errorf("with a limit of %d come %d items, %v", limit, len(up.Items), err)
		}
		down, err := list(Newest.String(), limit)
		if err != nil || len(down.Items) != want || down.Older == "" || down.Items[want-1].ID != ids[109] {
			t.Errorf("with a limit of %d come %d items from the newest, %v", limit, len(down.Items), err)
		}
	}
}

// named returns rows of the same name.
func named(ids []ulid.ULID, name string) (rows []row) {
	for _, id := range ids {
		rows = append(rows, row{id, name})
	}
	return rows
}

// The query of the page, whose cursor leads to nobody else's rows, and not to those of another table either.
func TestListItems(t *testing.T) {
	conn := db.PostgreSQL.Open(t, "")
	conn.Run("CREATE TABLE items (id uuid PRIMARY KEY, owner_id uuid NOT NULL, name text)")
	owners := []ulid.AsUUID{newKey(), newKey()}
	var foreign []Cursor
	var ids []ulid.AsUUID // of the first owner
	for i := range 24 {
		id := newKey()
		if i%2 == 0 {
			ids = append(ids, id)
		}
		conn.Run("INSERT INTO items VALUES (?, ?, ?)", id, owners[i%2], fmt.Sprint(i%2))
		between := ulid.Make() // of another table
		foreign = append(foreign, Cursor{ulid.ULID(id), i%3 == 0}, Cursor{between, i%3 == 0})
	}
	for _, c := range foreign {
		page, err := ListItems(t.Context(), conn.DB.DB, owners[0], c, 100)
		db.Check(t, err)
		var got, want []ulid.AsUUID
		for _, i := range page.Items {
			got = append(got, i.ID)
		}
		for _, id := range ids {
			if (id.Compare(ulid.AsUUID(c.ID)) < 0) == c.Down {
				want = append(want, id)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("at %v comes %v, want %v", c, got, want)
		}
	}
	var n int
	for c := Oldest; ; {
		page, err := ListItems(t.Context(), conn.DB.DB, owners[1], c, 5)
		db.Check(t, err)
		n += len(page.Items)
		if page.Newer == "" {
			break
		}
		c, err = ParseCursor(page.Newer, Oldest)
		db.Check(t, err)
	}
	if n != 12 {
		t.Errorf("%d items, want 12", n)
	}
	conn.Run("UPDATE items SET name = NULL")
	if page, err := ListItems(t.Context(), conn.DB.DB, owners[0], Oldest, 5); err == nil {
		t.Errorf("names that cannot be read give %v", page)
	}
}

// A gorm query of typed IDs is another function for the same ReadPage. (SQLite's dialect of gorm brings a driver that
// cannot be in one program with the one of these tests.)
func TestReadPageWithGorm(t *testing.T) {
	type Doc struct{ ID typed.ID[order] }
	for _, d := range []*db.Database{db.PostgreSQL, db.MariaDB, db.MySQL} {
		t.Run(d.Name, func(t *testing.T) {
			conn := d.Open(t, "")
			var dialector gorm.Dialector = mysql.New(mysql.Config{Conn: conn.DB.DB})
			if d == db.PostgreSQL {
				dialector = postgres.New(postgres.Config{Conn: conn.DB.DB})
			}
			g, err := gorm.Open(dialector, &gorm.Config{Logger: logger.Discard})
			db.Check(t, err)
			db.Check(t, g.AutoMigrate(&Doc{}))
			var rows []row
			for range 12 {
				doc := Doc{typed.Make[order]()}
				db.Check(t, g.Create(&doc).Error)
				rows = append(rows, row{ID: doc.ID.ULID()})
			}
			list := func(cursor string, limit int) (Page[row], error) {
				c, err := ParseCursor(cursor, Oldest)
				db.Check(t, err)
				return ReadPage(c, limit, row.id, func(c Cursor, n int) (rows []row, err error) {
					var docs []Doc
					if c.Down {
						err = g.Where("id < ?", typed.ID[order](c.ID)).Order("id DESC").Limit(n).Find(&docs).Error
					} else {
						err = g.Where("id >= ?", typed.ID[order](c.ID)).Order("id").Limit(n).Find(&docs).Error
					}
					for _, doc := range docs {
						rows = append(rows, row{ID: doc.ID.ULID()})
					}
					return rows, err
				})
			}
			walk(t, list, rows, 5)
			walkDown(t, list, rows, 5)
		})
	}
}

func TestParseCursor(t *testing.T) {
	id := ulid.Make()
	for _, c := range []Cursor{Oldest, Newest, {id, true}, {id, false}} {
		if got, err := ParseCursor(c.String(), Cursor{}); got != c || err != nil {
			t.Errorf("%v is read as %v, %v", c, got, err)
		}
		if got, err := ParseCursor("", c); got != c || err != nil {
			t.Errorf("the empty string is read as %v, %v, want %v", got, err, c)
		}
	}
	s := id.String()
	for _, bad := range []string{
		"-", "--" + s, "+" + s, "<" + s, "x", " " + s, s + "-", s[1:], s + "0", s[:25] + "U", "8" + s[1:], id.UUIDString(),
		"user_" + strings.ToLower(s), "PgAAAAAAAAAAAAAAAAAAAAA", `{"id":7}`,
	} {
		if got, err := ParseCursor(bad, Newest); err == nil || got != (Cursor{}) {
			t.Errorf("%q is read as %v, %v", bad, got, err)
		}
	}
	failed := errors.New("no connection")
	page, err := ReadPage(Oldest, 5, row.id, func(Cursor, int) ([]row, error) { return []row{{ID: id}}, failed })
	if err != failed || page.Items != nil {
		t.Errorf("a query that fails gives %v, %v", page, err)
	}
}
