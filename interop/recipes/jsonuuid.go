package recipes

import (
	"database/sql/driver"

	"github.com/seed-961d0905/ulid"
)

// page: UUID

// A UUID is a ULID in UUID format, in JSON and in a uuid column.
type UUID ulid.ULID

func (id UUID) String() string               { return ulid.ULID(id).UUIDString() }
func (id UUID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }
func (id UUID) Value() (driver.Value, error) { return id.String(), nil }
func (id *UUID) Scan(src any) error          { return (*ulid.ULID)(id).Scan(src) }

func (id *UUID) UnmarshalText(text []byte) error {
	parsed, err := ulid.ParseUUID(string(text))
	if err == nil {
		*id = UUID(parsed)
	}
	return err
}
