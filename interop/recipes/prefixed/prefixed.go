// Package prefixed is a recipe of docs/recipes.md.
package prefixed

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/seed-961d0905/ulid"
)

// A TypeID is an ID with a prefix that says what it is of, such as user_01h455vb4pex5vsknk084sn02q.
type TypeID struct {
	Prefix string
	ID     ulid.ULID
}

var validPrefix = regexp.MustCompile(`^([a-z]([a-z_]{0,61}[a-z])?)?$`)

// NewTypeID returns a new TypeID. It panics if prefix is not a valid one.
func NewTypeID(prefix string) TypeID {
	if !validPrefix.MatchString(prefix) {
		panic("invalid prefix " + prefix)
	}
	return TypeID{prefix, ulid.MakeUUIDv7()}
}

func ParseTypeID(s string) (TypeID, error) {
	i := strings.LastIndexByte(s, '_')
	prefix, suffix := s[:max(i, 0)], s[i+1:]
	id, err := ulid.Parse(suffix)
	switch {
	case err != nil:
		return TypeID{}, fmt.Errorf("TypeID: %w", err)
	case i == 0 || !validPrefix.MatchString(prefix):
		return TypeID{}, errors.New("TypeID: invalid prefix")
	case suffix != strings.ToLower(suffix):
		return TypeID{}, errors.New("TypeID: upper case")
	}
	return TypeID{prefix, id}, nil
}

func (t TypeID) String() string {
	suffix := strings.ToLower(t.ID.String())
	if t.Prefix == "" {
		return suffix
	}
	return t.Prefix + "_" + suffix
}

func (t TypeID) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

func (t *TypeID) UnmarshalText(text []byte) error {
	parsed, err := ParseTypeID(string(text))
	if err == nil {
		*t = parsed
	}
	return err
}
