// Package gorm has the code that docs/tools.md gives for gorm.
package gorm

import (
	"gorm.io/gorm"

	"github.com/seed-961d0905/ulid/typed"
)

// page: kind

type DocKind struct{ typed.UUIDColumn } // in MySQL, MariaDB and SQLite: typed.PrefixColumn

func (DocKind) Prefix() string { return "doc" }

type DocID = typed.ID[DocKind]

// page: gorm

// Row is the base of every model. It generates the ID of a new row.
type Row[K typed.Kind] struct {
	ID typed.ID[K] `gorm:"not null"` // without the tag, SQLite takes NULL
}

func (r *Row[K]) BeforeCreate(*gorm.DB) error {
	if r.ID.IsZero() {
		r.ID = typed.Make[K]()
	}
	return nil
}

type Doc struct {
	Row[DocKind]
	Title    string
	ParentID *DocID `gorm:"index"` // nil for NULL
	Parent   *Doc
}
