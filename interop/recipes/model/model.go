// Package model has the recipe of docs/gorm.md, which interop/storage/gorm runs.
package model

import (
	"gorm.io/gorm"

	"github.com/seed-961d0905/ulid"
)

type UserID struct{ ulid.ULID }
type DocID struct{ ulid.ULID }

const column = "char(26) character set ascii collate ascii_bin" // MySQL, MariaDB

func (UserID) GormDataType() string { return column }
func (DocID) GormDataType() string  { return column }

type User struct {
	ID   UserID `json:"id"`
	Name string `json:"name"`
}

type Doc struct {
	ID       DocID   `json:"id"`
	Title    string  `json:"title"`
	OwnerID  UserID  `json:"owner_id" gorm:"not null;index"`
	Owner    *User   `json:"owner,omitempty"`
	EditorID *UserID `json:"editor_id" gorm:"index"` // NULL and null if nil
	Editor   *User   `json:"editor,omitempty"`
}

func (u *User) BeforeCreate(*gorm.DB) error { return makeIfZero(&u.ID.ULID) }
func (d *Doc) BeforeCreate(*gorm.DB) error  { return makeIfZero(&d.ID.ULID) }

func makeIfZero(id *ulid.ULID) error {
	if id.IsZero() {
		*id = ulid.Make()
	}
	return nil
}
