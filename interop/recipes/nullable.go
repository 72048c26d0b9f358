package recipes

import (
	"database/sql/driver"

	"github.com/seed-961d0905/ulid"
)

// page: Task

type Task struct {
	ID       ulid.ULID  // NOT NULL; the program makes it
	ParentID *ulid.ULID // NULL if nil; sql.Null[ulid.ULID] works too, but is an object in JSON
	OwnerID  OptionalID // NULL if zero
}

func NewTask() Task { return Task{ID: ulid.Make()} }

// An OptionalID is stored as NULL if it is zero. NULL is read as zero.
type OptionalID struct{ ulid.ULID }

func (id OptionalID) Value() (driver.Value, error) {
	if id.IsZero() {
		return nil, nil
	}
	return id.ULID.Value()
}
