package gorm

import (
	"gorm.io/gorm"

	"github.com/seed-961d0905/ulid/typed"
)

// page: string

// Wrong: if s is empty, this deletes
// all documents of the owner.
func deleteByStringWrong(db *gorm.DB, owner UserID, s string) error {
	return db.Where("owner_id = ?", owner).Delete(&Doc{}, s).Error
}

// Right: parse the string.
func deleteByString(db *gorm.DB, owner UserID, s string) error {
	id, err := typed.Parse[doc](s)
	if err != nil {
		return err
	}
	return db.Where("owner_id = ?", owner).
		Delete(&Doc{}, "id = ?", id).Error
}

// page: struct

// Wrong: if d.ID is zero, this deletes
// all documents of the owner.
func deleteDocWrong(db *gorm.DB, owner UserID, d Doc) error {
	return db.Where("owner_id = ?", owner).Delete(&d).Error
}

// Right: a zero ID deletes nothing.
func deleteDoc(db *gorm.DB, owner UserID, d Doc) error {
	return db.Where("owner_id = ?", owner).
		Delete(&Doc{}, "id = ?", d.ID).Error
}

// page: list

// Wrong: if ids is empty, this deletes
// all documents of the owner.
func deleteDocsWrong(db *gorm.DB, owner UserID, ids []DocID) error {
	return db.Where("owner_id = ?", owner).Delete(&Doc{}, ids).Error
}

// Right: an empty list deletes nothing.
func deleteDocs(db *gorm.DB, owner UserID, ids []DocID) error {
	return db.Where("owner_id = ?", owner).
		Delete(&Doc{}, "id IN ?", ids).Error
}

// page: pointer

// Wrong: if editor is nil, this finds
// every document.
func docsOfWrong(db *gorm.DB, editor *UserID) ([]Doc, error) {
	var docs []Doc
	err := db.Find(&docs, Doc{EditorID: editor}).Error
	return docs, err
}

// Right: nil finds nothing. For NULL
// write "editor_id IS NULL".
func docsOf(db *gorm.DB, editor *UserID) ([]Doc, error) {
	var docs []Doc
	err := db.Find(&docs, "editor_id = ?", editor).Error
	return docs, err
}
