package gorm

import (
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

func upsertUser(db *gorm.DB, email string) (User, error) {
	onConflict := clause.OnConflict{
		Columns:   []clause.Column{{Name: "email"}},
		DoNothing: true,
	}
	u := User{Email: email}
	if err := db.Clauses(onConflict).Create(&u).Error; err != nil {
		return User{}, err
	}

	// u.ID may be in no row. In a transaction MySQL reads old rows,
	// but with the lock it reads the newest.
	var row User
	forUpdate := clause.Locking{Strength: clause.LockingStrengthUpdate}
	err := db.Clauses(forUpdate).First(&row, "email = ?", email).Error
	return row, err
}
