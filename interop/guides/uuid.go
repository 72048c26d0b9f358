package guides

import (
	"database/sql/driver"

	"github.com/seed-961d0905/ulid"
)

// page: PublicID

// A PublicID is 36 characters in JSON, logs and SQL, as with google/uuid. Requests may have 26.
type PublicID ulid.ULID

func (id PublicID) String() string               { return ulid.ULID(id).UUIDString() }
func (id PublicID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }
func (id PublicID) Value() (driver.Value, error) { return id.String(), nil }
func (id *PublicID) Scan(src any) error          { return (*ulid.AsUUID)(id).Scan(src) }

func (id *PublicID) UnmarshalText(text []byte) error {
	parse := ulid.Parse
	if len(text) == 36 {
		parse = ulid.ParseUUID
	}
	parsed, err := parse(string(text))
	if err == nil {
		*id = PublicID(parsed)
	}
	return err
}

// page: end
