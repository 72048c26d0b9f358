// Package tools shows what docs/tools.md says of ULIDs in encoders, bun and sqlx. The folders below it have gorm and
// sqlc.
package tools

import (
	"database/sql/driver"

	"github.com/seed-961d0905/ulid"
)

// page: UUID

// A UUID is a ULID in UUID format, in JSON and logs as in a uuid column.
type UUID ulid.ULID

func ParseUUID(s string) (UUID, error) {
	id, err := ulid.ParseUUID(s)
	return UUID(id), err
}

func (id UUID) String() string               { return ulid.ULID(id).UUIDString() }
func (id UUID) IsZero() bool                 { return id == UUID{} }
func (id UUID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }
func (id UUID) Value() (driver.Value, error) { return id.String(), nil }
func (id *UUID) Scan(src any) error          { return (*ulid.AsUUID)(id).Scan(src) }

func (id *UUID) UnmarshalText(text []byte) error {
	parsed, err := ParseUUID(string(text))
	if err != nil {
		return err
	}
	*id = parsed
	return nil
}

// page: end
