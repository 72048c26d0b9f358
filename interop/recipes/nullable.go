package recipes

import (
	"database/sql/driver"

	"github.com/seed-961d0905/ulid"
)

// An OptionalID is stored as NULL if it is zero. NULL is read as zero.
type OptionalID struct{ ulid.ULID }

func (id OptionalID) Value() (driver.Value, error) {
	if id.IsZero() {
		return nil, nil
	}
	return id.ULID.Value()
}
