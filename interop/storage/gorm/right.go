package gorm

import (
	"context"

	"gorm.io/gorm"

	"github.com/seed-961d0905/ulid/typed"
)

// Right: with = and IN, a zero ID, an empty list and nil match no row.
// Check the errors, as run does.
func right(ctx context.Context, db *gorm.DB, owner UserID,
	s string, d Doc, ids []DocID, editor *UserID, n int) error {

	own := db.Where("owner_id = ?", owner).Session(&gorm.Session{})

	id, err := typed.Parse[doc](s)
	if err != nil {
		return err
	}
	own.Delete(&Doc{}, "id = ?", id)
	own.Model(&Doc{}).Where("id = ?", d.ID).Update("title", d.Title)

	// An empty list deletes nothing, even with NOT IN. But NOT IN
	// with a zero ID, or one of another kind, deletes all.
	own.Delete(&Doc{}, "id IN ?", ids)
	own.Delete(&Doc{}, "id NOT IN ?", ids)

	gorm.G[Doc](db).Where("owner_id = ? AND id = ?", owner, id).Delete(ctx)
	own.Where("title = ? OR id = ?", d.Title, id).Delete(&Doc{})

	// For NULL write "editor_id IS NULL".
	var docs []Doc
	own.Find(&docs, "editor_id = ?", editor)
	own.Limit(min(max(n, 1), 100)).Find(&docs)
	return nil
}
