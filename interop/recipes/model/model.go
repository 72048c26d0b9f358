// Package model has the recipe of docs/gorm.md, which interop/storage/gorm runs.
package model

import (
	"gorm.io/gorm"

	"github.com/seed-961d0905/ulid/typed"
)

// page: Row

// A Row is the base of a model. It makes the ID when the row is created.
type Row[K typed.Kind] struct {
	ID typed.ID[K] `json:"id" gorm:"not null"` // without the tag a key in SQLite may be NULL
}

func (r *Row[K]) BeforeCreate(*gorm.DB) error {
	if r.ID.IsZero() {
		r.ID = typed.Make[K]()
	}
	return nil
}

type user struct{ typed.TextColumn }
type doc struct{ typed.TextColumn }
type UserID = typed.ID[user]
type DocID = typed.ID[doc]

type User struct {
	Row[user]
	Email string `json:"email" gorm:"size:320;uniqueIndex"`
}

type Doc struct {
	Row[doc]
	Title    string  `json:"title"`
	OwnerID  UserID  `json:"owner_id" gorm:"not null;index"`
	Owner    *User   `json:"owner,omitempty"`
	EditorID *UserID `json:"editor_id" gorm:"index"` // NULL and null if nil
	Editor   *User   `json:"editor,omitempty"`
}
