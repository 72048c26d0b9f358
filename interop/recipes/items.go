package recipes

import (
	"context"
	"database/sql"

	"github.com/seed-961d0905/ulid"
)

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
