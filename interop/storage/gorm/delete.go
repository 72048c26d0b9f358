package gorm

import "gorm.io/gorm"

// deleteUser deletes a user and the user's documents. Those that
// the user only edited have no editor any more.
func deleteUser(db *gorm.DB, id UserID) error {
	return db.Transaction(func(tx *gorm.DB) error {
		err := tx.Delete(&Doc{}, "owner_id = ?", id).Error
		if err != nil {
			return err
		}
		err = tx.Model(&Doc{}).Where("editor_id = ?", id).
			Update("editor_id", nil).Error
		if err != nil {
			return err
		}
		result := tx.Delete(&User{}, "id = ?", id)
		if result.Error == nil && result.RowsAffected == 0 {
			return gorm.ErrRecordNotFound // the documents stay
		}
		return result.Error
	})
}
