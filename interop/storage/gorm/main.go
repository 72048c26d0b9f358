package gorm

import (
	"fmt"
	"log"
	"time"

	"github.com/glebarez/sqlite"
	"gorm.io/gorm"

	"github.com/seed-961d0905/ulid"
)

func main() {
	const dsn = "file::memory:?cache=shared&_pragma=foreign_keys(1)"
	db, err := gorm.Open(sqlite.Open(dsn), &gorm.Config{})
	if err != nil {
		log.Fatal(err)
	}
	if err := run(db); err != nil {
		log.Fatal(err)
	}
}

func run(db *gorm.DB) error {
	if err := db.AutoMigrate(&User{}, &Doc{}); err != nil {
		return err
	}
	start := time.Now()

	// Create
	ann := User{Email: "ann@example.com"}
	if err := db.Create(&ann).Error; err != nil {
		return err
	}
	draft := Doc{Title: "Draft", OwnerID: ann.ID}
	if err := db.Create(&draft).Error; err != nil {
		return err
	}
	fmt.Println("created", draft.ID)

	// First, into a new variable
	var found Doc
	err := db.Preload("Owner").First(&found, "id = ?", draft.ID).Error
	if err != nil {
		return err
	}
	fmt.Println("found", found.Title, "of", found.Owner.Email)

	// Find by time
	var docs []Doc
	from, to := ulid.FirstAt(start), ulid.FirstAt(start.Add(time.Hour))
	err = db.Order("id").
		Find(&docs, "id >= ? AND id < ?", DocID(from), DocID(to)).Error
	if err != nil {
		return err
	}
	fmt.Println("created within an hour:", len(docs))

	// Update
	result := db.Model(&Doc{}).Where("id = ?", draft.ID).
		Update("title", "Final")
	if result.Error != nil {
		return result.Error
	}
	fmt.Println("updated", result.RowsAffected)

	// Delete
	result = db.Delete(&Doc{}, "id = ?", draft.ID)
	if result.Error != nil {
		return result.Error
	}
	fmt.Println("deleted", result.RowsAffected)
	return nil
}
