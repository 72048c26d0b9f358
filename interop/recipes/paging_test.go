package recipes

import (
	"database/sql"
	"encoding/base64"
	"fmt"
	"slices"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/seed-961d0905/ulid"
)

func TestListItems(t *testing.T) {
	onEach(t, func(t *testing.T, db *sqlx.DB) {
		column, ok := map[string]string{"sqlite": "TEXT", "pgx": `text COLLATE "C"`}[db.DriverName()]
		if !ok {
			return // the query has $1
		}
		run(t, db, "CREATE TEMPORARY TABLE items (id "+column+" PRIMARY KEY, name text)")
		ids := make([]ulid.ULID, 12)
		ulid.Fill(ids)
		for n := range len(ids) + 1 {
			for limit := 1; limit <= 5; limit++ {
				walk(t, db.DB, ids[:n], limit)
			}
			if n < len(ids) {
				run(t, db, "INSERT INTO items VALUES (?, ?)", ids[n], fmt.Sprint(n))
			}
		}
	})
}

// walk goes through all pages forwards, and back again.
func walk(t *testing.T, db *sql.DB, ids []ulid.ULID, limit int) {
	t.Helper()
	var pages []Page
	for cursor := ""; ; cursor = pages[len(pages)-1].Next {
		page, err := ListItems(t.Context(), db, cursor, limit)
		check(t, err)
		if (page.Prev != "") != (len(pages) > 0) {
			t.Fatalf("page %d has the cursor %q to the one before", len(pages), page.Prev)
		}
		pages = append(pages, page)
		if page.Next == "" {
			break
		}
	}
	var got []ulid.ULID
	for i, page := range pages {
		if i < len(pages)-1 && len(page.Items) != limit {
			t.Fatalf("page %d has %d items of %d", i, len(page.Items), limit)
		}
		for _, item := range page.Items {
			if item.Name != fmt.Sprint(len(got)) {
				t.Fatalf("item %d is %s", len(got), item.Name)
			}
			got = append(got, item.ID)
		}
	}
	if !slices.Equal(got, ids) {
		t.Fatalf("%d items in pages of %d: %s; want %s", len(ids), limit, got, ids)
	}

	page := pages[len(pages)-1]
	for i := len(pages) - 2; i >= 0; i-- {
		var err error
		if page, err = ListItems(t.Context(), db, page.Prev, limit); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(page.Items, pages[i].Items) || page.Next != pages[i].Next || page.Prev != pages[i].Prev {
			t.Fatalf("backwards page %d is %+v; want %+v", i, page, pages[i])
		}
	}
	if page.Prev != "" {
		t.Fatalf("there is a page before the first: %s", page.Prev)
	}
}

func TestBadCursor(t *testing.T) {
	id := ulid.Make()
	encode := base64.RawURLEncoding.EncodeToString
	for _, cursor := range []string{"x", encode(id[:]), encode(append([]byte{'='}, id[:]...)), encode(append([]byte{'<', '<'}, id[:]...)), id.String()} {
		if _, err := ListItems(t.Context(), nil, cursor, 10); err == nil || err.Error() != "invalid cursor" {
			t.Errorf("%q: %v", cursor, err)
		}
	}
}
