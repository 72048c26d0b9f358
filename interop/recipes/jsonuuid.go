package recipes

import "github.com/seed-961d0905/ulid"

// page: UUID

// A UUID is a ULID in UUID format, in JSON and in a uuid column.
type UUID struct{ ulid.AsUUID }

func (id UUID) String() string                      { return id.UUIDString() }
func (id UUID) AppendText(b []byte) ([]byte, error) { return id.AppendUUID(b), nil }
func (id UUID) MarshalText() ([]byte, error)        { return id.AppendText(nil) }

func (id *UUID) UnmarshalText(text []byte) error {
	parsed, err := ulid.ParseUUID(string(text))
	if err == nil {
		id.AsUUID = ulid.AsUUID(parsed)
	}
	return err
}
