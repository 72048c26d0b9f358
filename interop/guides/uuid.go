package guides

import "github.com/seed-961d0905/ulid"

// page: PublicID

// A PublicID is written as 36 characters, as clients of google/uuid expect, and is read
// from 36 or 26.
type PublicID ulid.ULID

func (id PublicID) MarshalText() ([]byte, error) {
	return []byte(ulid.ULID(id).UUIDString()), nil
}

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
