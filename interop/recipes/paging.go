package recipes

import (
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"slices"

	"github.com/seed-961d0905/ulid"
)

type Item struct {
	ID   ulid.ULID `json:"id"`
	Name string    `json:"name"`
}

// Prev and Next of a Page are empty if there is no such page. After rows were deleted, they may lead to an empty page.
type Page struct {
	Items []Item `json:"items"`
	Prev  string `json:"prev,omitempty"`
	Next  string `json:"next,omitempty"`
}

// ListItems returns the page at a cursor, in the order of the IDs. "" is the first page. Column is the Go type of the column.
func ListItems[Column ~[16]byte](ctx context.Context, db *sql.DB, cursor string, limit int) (page Page, err error) {
	query, backwards, id := "SELECT id, name FROM items WHERE id >= $1 ORDER BY id LIMIT $2", false, ulid.ULID{}
	if cursor != "" {
		if backwards, id, err = parseCursor(cursor); err != nil {
			return page, err
		}
	}
	if backwards {
		query = "SELECT id, name FROM items WHERE id < $1 ORDER BY id DESC LIMIT $2"
	}
	rows, err := db.QueryContext(ctx, query, Column(id), limit+1) // one more, to see whether there is one
	if err != nil {
		return page, err
	}
	defer rows.Close()
	for rows.Next() {
		var item Item
		if err := rows.Scan(&item.ID, &item.Name); err != nil {
			return Page{}, err
		}
		page.Items = append(page.Items, item)
	}
	if err := rows.Err(); err != nil {
		return Page{}, err
	}
	more := len(page.Items) > limit
	page.Items = page.Items[:min(len(page.Items), limit)]
	hasPrev, hasNext := cursor != "", more
	if backwards {
		hasPrev, hasNext = more, true
		slices.Reverse(page.Items)
	}
	first, after := id, id // of an empty page, which has the way back
	if n := len(page.Items); n > 0 {
		first = page.Items[0].ID
		after, _ = page.Items[n-1].ID.Next() // nothing follows the last ID of all
	}
	if hasPrev {
		page.Prev = formatCursor('<', first)
	}
	if hasNext {
		page.Next = formatCursor('>', after)
	}
	return page, nil
}

func formatCursor(direction byte, id ulid.ULID) string {
	return base64.RawURLEncoding.EncodeToString(append([]byte{direction}, id[:]...))
}

func parseCursor(s string) (backwards bool, id ulid.ULID, err error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || len(b) != 1+len(id) || b[0] != '<' && b[0] != '>' {
		return false, id, errors.New("invalid cursor")
	}
	return b[0] == '<', ulid.ULID(b[1:]), nil
}

// page: nextItems

type item struct {
	ID   ulid.AsUUID
	Name string
}

func nextItems(ctx context.Context, db *sql.DB, last ulid.AsUUID) (items []item, err error) {
	rows, err := db.QueryContext(ctx, "SELECT id, name FROM items WHERE id > $1 ORDER BY id LIMIT 50", last)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for row := (item{}); err == nil && rows.Next(); items = append(items, row) {
		err = rows.Scan(&row.ID, &row.Name)
	}
	return items, errors.Join(err, rows.Err())
}
