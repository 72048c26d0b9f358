package gorm

import (
	"encoding/json"

	"gorm.io/gorm"
)

// Wrong: if the body has an id, the document gets that ID.
// If it has an ownerID, the document changes its owner.
func renameWrong(db *gorm.DB, owner UserID, id DocID, body []byte) error {
	var d Doc
	if err := json.Unmarshal(body, &d); err != nil {
		return err
	}
	return db.Model(&Doc{}).
		Where("id = ? AND owner_id = ?", id, owner).
		Updates(d).Error
}

// Right: decode what the request may change, and name the columns.
func rename(db *gorm.DB, owner UserID, id DocID, body []byte) error {
	var request struct {
		Title string `json:"title"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return err
	}
	result := db.Model(&Doc{}).
		Where("id = ? AND owner_id = ?", id, owner).
		Update("title", request.Title)
	if result.Error == nil && result.RowsAffected == 0 {
		return gorm.ErrRecordNotFound
	}
	return result.Error
}
