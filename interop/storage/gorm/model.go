// Package gorm has the code of docs/gorm.md, and its tests prove the page.
package gorm

import (
	"gorm.io/gorm"

	"github.com/seed-961d0905/ulid/typed"
)

// For PostgreSQL. In MySQL, MariaDB and SQLite
// embed typed.TextColumn instead.
type user struct{ typed.UUIDColumn }
type doc struct{ typed.UUIDColumn }

type UserID = typed.ID[user]
type DocID = typed.ID[doc]

// Row is the base of every model. It generates the ID of a new row.
type Row[K typed.Kind] struct {
	// Without the tag, a key in SQLite may be NULL.
	ID typed.ID[K] `gorm:"not null"`
}

func (r *Row[K]) BeforeCreate(*gorm.DB) error {
	if r.ID.IsZero() {
		r.ID = typed.Make[K]()
	}
	return nil
}

type User struct {
	Row[user]
	Email string `gorm:"size:320;uniqueIndex"`
	Docs  []Doc  `gorm:"foreignKey:OwnerID"`
}

type Doc struct {
	Row[doc]
	Title    string
	OwnerID  UserID `gorm:"not null;index"`
	Owner    *User
	EditorID *UserID `gorm:"index"` // nil for NULL
	Editor   *User
}
