package gorm

import "gorm.io/gorm"

// page: deleteUser

// deleteUser deletes a user and the documents of the user.
func deleteUser(db *gorm.DB, id UserID) error {
	return db.Transaction(func(tx *gorm.DB) error {
		err := tx.Delete(&Doc{}, "owner_id = ?", id).Error
		if err != nil {
			return err
		}
		return tx.Delete(&User{}, "id = ?", id).Error
	})
}
