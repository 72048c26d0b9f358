package gorm

import (
	"errors"

	"gorm.io/gorm"
)

// put changes the title of an owner's document, or creates it with the
// ID that the client chose. If the ID is another owner's, it fails.
func put(db *gorm.DB, owner UserID, id DocID, title string) error {
	if id.IsZero() {
		return errors.New("zero ID")
	}
	result := db.Model(&Doc{}).
		Where("id = ? AND owner_id = ?", id, owner).
		Update("title", title)
	if result.Error != nil || result.RowsAffected > 0 {
		return result.Error
	}
	d := Doc{Row: Row[doc]{ID: id}, Title: title, OwnerID: owner}
	return db.Create(&d).Error
}
