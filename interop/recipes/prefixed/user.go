// Package prefixed has the recipe of docs/types.md whose UserID has a prefix.
package prefixed

import (
	"errors"
	"strings"

	"github.com/seed-961d0905/ulid"
)

// A UserID is written as a TypeID with the prefix user. SQL has the bare ULID.
type UserID struct{ ulid.ULID }

func NewUserID() UserID { return UserID{ulid.MakeUUIDv7()} }

func ParseUserID(s string) (id UserID, err error) {
	suffix, ok := strings.CutPrefix(s, "user_")
	if !ok || suffix != strings.ToLower(suffix) {
		return id, errors.New("not an ID of a user")
	}
	id.ULID, err = ulid.Parse(suffix)
	return id, err
}

func (id UserID) String() string                      { return "user_" + strings.ToLower(id.ULID.String()) }
func (id UserID) AppendText(b []byte) ([]byte, error) { return append(b, id.String()...), nil }
func (id UserID) MarshalText() ([]byte, error)        { return []byte(id.String()), nil }
func (id *UserID) UnmarshalText(text []byte) error {
	parsed, err := ParseUserID(string(text))
	if err == nil {
		*id = parsed
	}
	return err
}
