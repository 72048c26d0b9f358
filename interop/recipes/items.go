package recipes

import (
	"context"
	"database/sql"

	"github.com/seed-961d0905/ulid"
)

// page: nextItems

type item struct {
	ID   ulid.AsUUID
	Name string
}

// nextItems returns up to 50 items after the ID last.
func nextItems(ctx context.Context, db *sql.DB, last ulid.AsUUID) ([]item, error) {
	const query = "SELECT id, name FROM items WHERE id > $1 ORDER BY id LIMIT 50"
	rows, err := db.QueryContext(ctx, query, last)
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

// page: ListItems

type Item struct {
	ID   ulid.AsUUID `json:"id"`
	Name string      `json:"name"`
}

// ListItems returns a page of the items of an owner.
func ListItems(
	ctx context.Context, db *sql.DB, owner ulid.AsUUID, c Cursor, limit int,
) (Page[Item], error) {
	id := func(i Item) ulid.ULID { return ulid.ULID(i.ID) }
	return ReadPage(c, limit, id, func(c Cursor, n int) (items []Item, err error) {
		query := `SELECT id, name FROM items
			WHERE owner_id = $1 AND id >= $2 ORDER BY id LIMIT $3`
		if c.Down {
			query = `SELECT id, name FROM items
				WHERE owner_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`
		}
		rows, err := db.QueryContext(ctx, query, owner, ulid.AsUUID(c.ID), n)
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		for rows.Next() {
			var i Item
			if err := rows.Scan(&i.ID, &i.Name); err != nil {
				return nil, err
			}
			items = append(items, i)
		}
		return items, rows.Err()
	})
}
