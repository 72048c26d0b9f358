package gorm

import (
	"gorm.io/gorm"

	"github.com/seed-961d0905/ulid"
)

type Event struct {
	ID   ulid.AsUUID `gorm:"type:uuid"`
	Name string
}

func (e *Event) BeforeCreate(*gorm.DB) error {
	if e.ID.IsZero() {
		e.ID = ulid.AsUUID(ulid.MakeUUIDv7())
	}
	return nil
}
