package gorm

import (
	"time"

	"gorm.io/gorm"

	"github.com/seed-961d0905/ulid/typed"
)

func run(db *gorm.DB) error {
	if err := db.AutoMigrate(&User{}, &Doc{}); err != nil {
		return err
	}
	ann := User{Email: "ann@example.com"}
	if err := db.Create(&ann).Error; err != nil {
		return err
	}
	draft := Doc{Title: "Draft", OwnerID: ann.ID}
	if err := db.Create(&draft).Error; err != nil {
		return err
	}

	var found Doc // a new variable
	err := db.Preload("Owner").First(&found, "id = ?", draft.ID).Error
	if err != nil {
		return err
	}

	// The documents of the last hour.
	var docs []Doc
	from := typed.FirstAt[doc](time.Now().Add(-time.Hour))
	if err := db.Order("id").Find(&docs, "id >= ?", from).Error; err != nil {
		return err
	}

	result := db.Model(&Doc{}).Where("id = ?", draft.ID).
		Update("title", "Final")
	if result.Error != nil {
		return result.Error
	}
	return db.Delete(&Doc{}, "id = ?", draft.ID).Error
}
