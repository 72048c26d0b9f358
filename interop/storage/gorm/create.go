package gorm

import (
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/seed-961d0905/ulid/typed"
)

// page: upsert

func upsertUser(db *gorm.DB, email string) (User, error) {
	onConflict := clause.OnConflict{
		Columns:   []clause.Column{{Name: "email"}},
		DoNothing: true,
	}
	u := User{Email: email}
	if err := db.Clauses(onConflict).Create(&u).Error; err != nil {
		return User{}, err
	}

	// u.ID may be in no row.
	var row User
	err := db.First(&row, "email = ?", email).Error
	return row, err
}

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

// page: save

// Wrong: if d.ID is that of somebody
// else's document, owner takes it over.
func saveDocWrong(db *gorm.DB, owner UserID, d Doc) error {
	d.OwnerID = owner
	return db.Where("owner_id = ?", owner).Save(&d).Error
}

// Right: update the columns that the
// request may change.
func saveTitle(db *gorm.DB, owner UserID, id DocID, title string) error {
	result := db.Model(&Doc{}).
		Where("id = ? AND owner_id = ?", id, owner).
		Update("title", title)
	if result.Error == nil && result.RowsAffected == 0 {
		return gorm.ErrRecordNotFound
	}
	return result.Error
}

// page: soft delete

type note struct{ typed.TextColumn }

type Note struct {
	Row[note]
	Name      string `gorm:"size:100;uniqueIndex"`
	CreatedAt time.Time
	DeletedAt gorm.DeletedAt `gorm:"index"`
}

// page: end
