package gorm

import (
	"time"

	"gorm.io/gorm"

	"github.com/seed-961d0905/ulid/typed"
)

type note struct{ typed.TextColumn }

type Note struct {
	Row[note]
	Name      string `gorm:"size:100;uniqueIndex"`
	CreatedAt time.Time
	DeletedAt gorm.DeletedAt `gorm:"index"`
}
