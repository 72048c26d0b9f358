package gorm

import (
	"encoding/json"
	"errors"

	"gorm.io/gorm"
)

// rename decodes what a request may change, and names the columns.
func rename(db *gorm.DB, owner UserID, id DocID, body []byte) error {
	var request struct {
		Title string `json:"title"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return err
	}
	if request.Title == "" {
		return errors.New("no title")
	}
	result := db.Model(&Doc{}).
		Where("id = ? AND owner_id = ?", id, owner).
		Update("title", request.Title)
	if result.Error == nil && result.RowsAffected == 0 {
		return gorm.ErrRecordNotFound
	}
	return result.Error
}
