package gorm

import (
	"context"

	"gorm.io/gorm"
)

// Wrong: no statement returns an error.
func wrong(ctx context.Context, db *gorm.DB, owner UserID,
	s string, d Doc, ids []DocID, id DocID, editor *UserID, n int) {

	// Without Session, own would keep the conditions of each statement.
	own := db.Where("owner_id = ?", owner).Session(&gorm.Session{})

	// s is "": deletes all documents of the owner.
	// s is "1=1) OR (1=1": deletes everybody's.
	own.Delete(&Doc{}, s)

	// d.ID is zero: deletes, and changes, all of the owner's.
	own.Delete(&d)
	own.Updates(&d)

	// ids is empty: deletes all of the owner's.
	own.Delete(&Doc{}, ids)
	own.Not(ids).Delete(&Doc{})

	// Deletes a document of anybody: G forgets the condition of own.
	gorm.G[Doc](own).Where("id = ?", id).Delete(ctx)

	// Deletes a document of anybody: Or leaves the conditions before it.
	own.Where("title = ?", s).Or("id = ?", id).Delete(&Doc{})

	// editor is nil: finds everybody's.
	var docs []Doc
	db.Find(&docs, Doc{EditorID: editor})

	// n is -1: finds everybody's, however many there are.
	db.Limit(n).Find(&docs)

	// s is "": finds the first user.
	var u User
	db.Where(User{Email: s}).FirstOrCreate(&u)
}
