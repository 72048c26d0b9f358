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

const (
	itemsFrom   = "SELECT id, name FROM items WHERE id >= $1 ORDER BY id LIMIT $2"
	itemsBefore = "SELECT id, name FROM items WHERE id < $1 ORDER BY id DESC LIMIT $2"
)

// ListItems returns the page at a cursor, in the order of the IDs. "" is the first page. Column is the Go type of the
// column.
func ListItems[Column ~[16]byte](ctx context.Context, db *sql.DB, cursor string, limit int) (Page, error) {
	backwards, id, err := parseCursor(cursor)
	if err != nil {
		return Page{}, err
	}
	query := itemsFrom
	if backwards {
		query = itemsBefore
	}
	items, err := queryItems(ctx, db, query, Column(id), limit+1) // one more, to see whether there is one
	if err != nil {
		return Page{}, err
	}
	more := len(items) > limit
	items = items[:min(len(items), limit)]
	hasPrev, hasNext := cursor != "", more
	if backwards {
		hasPrev, hasNext = more, true
		slices.Reverse(items)
	}
	first, after := id, id // of an empty page, which has the way back
	if n := len(items); n > 0 {
		first = items[0].ID
		after, _ = items[n-1].ID.Next() // nothing follows the last ID of all
	}
	page := Page{Items: items}
	if hasPrev {
		page.Prev = formatCursor('<', first)
	}
	if hasNext {
		page.Next = formatCursor('>', after)
	}
	return page, nil
}

func queryItems(ctx context.Context, db *sql.DB, query string, args ...any) ([]Item, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var items []Item
	for rows.Next() {
		var item Item
		if err := rows.Scan(&item.ID, &item.Name); err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, rows.Err()
}

func formatCursor(direction byte, id ulid.ULID) string {
	return base64.RawURLEncoding.EncodeToString(append([]byte{direction}, id[:]...))
}

func parseCursor(s string) (backwards bool, id ulid.ULID, err error) {
	if s == "" {
		return false, ulid.ULID{}, nil
	}
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

func nextItems(ctx context.Context, db *sql.DB, last ulid.AsUUID) ([]item, error) {
	rows, err := db.QueryContext(ctx, "SELECT id, name FROM items WHERE id > $1 ORDER BY id LIMIT 50", last)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var items []item
	for rows.Next() {
		var row item
		if err := rows.Scan(&row.ID, &row.Name); err != nil {
			return nil, err
		}
		items = append(items, row)
	}
	return items, rows.Err()
}
