package gorm

import "gorm.io/gorm"

// page: association

func createDoc(db *gorm.DB, title, email string) (Doc, error) {
	var owner User
	if err := db.First(&owner, "email = ?", email).Error; err != nil {
		return Doc{}, err
	}
	d := Doc{Title: title, OwnerID: owner.ID}
	err := db.Create(&d).Error
	return d, err
}
