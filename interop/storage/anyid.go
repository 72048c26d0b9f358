package storage

import (
	"database/sql/driver"
	"errors"
	"strings"

	"github.com/seed-961d0905/ulid"
)

// An AnyID is read from a column that holds several formats: 26 characters, 36, the 32 digits of a UUID, or 16 bytes.
// To store it or to query with it, convert it to the Go type of the column, as in ulid.AsUUID(id).
type AnyID ulid.ULID

var errNoFormat = errors.New("an AnyID has no format: convert it, as in ulid.AsUUID(id)")

// Value returns an error, because a driver would have to guess the format. The string beside it is for gorm, which in
// some conditions ignores the error, and turns nil into IS NULL.
func (AnyID) Value() (driver.Value, error) { return "", errNoFormat }

// MarshalText returns an error too, because bun writes a list of IDs as JSON.
func (AnyID) MarshalText() ([]byte, error) { return nil, errNoFormat }

func (id *AnyID) Scan(src any) error {
	var text string
	switch src := src.(type) {
	case nil:
		return errors.New("an AnyID cannot be NULL: use a *AnyID")
	case string:
		text = src
	case []byte:
		text = string(src)
		if len(src) == 16 && !isPrintable(text) {
			return (*ulid.AsBinary)(id).Scan(src)
		}
	}
	switch len(text) {
	case 32: // as Django and SQLAlchemy store a UUID
		text = strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-")
		return (*ulid.AsUUID)(id).Scan(text)
	case 36:
		return (*ulid.AsUUID)(id).Scan(text)
	}
	return (*ulid.ULID)(id).Scan(src)
}

// isPrintable reports whether 16 bytes are more likely a string that a column has truncated than an ID, which is never
// printable before the year 3089.
func isPrintable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}
