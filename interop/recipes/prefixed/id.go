// Package prefixed has the recipe of docs/types.md whose IDs have a prefix.
package prefixed

import (
	"fmt"
	"strings"

	"github.com/seed-961d0905/ulid"
)

// An ID is written as a TypeID. SQL has the UUID without the prefix.
type ID[K Kind] struct{ ulid.AsUUID }

// A Kind has the prefix of its IDs, in lower case.
type Kind interface{ Prefix() string }

type userKind struct{}

func (userKind) Prefix() string { return "user" }

type UserID = ID[userKind]

func NewUserID() UserID                           { return newID[userKind]() }
func ParseUserID(s string) (id UserID, err error) { err = id.UnmarshalText([]byte(s)); return id, err }

func newID[K Kind]() ID[K] { return ID[K]{ulid.AsUUID(ulid.MakeUUIDv7())} }

func (id ID[K]) String() string {
	var kind K
	return kind.Prefix() + "_" + strings.ToLower(id.AsUUID.String())
}

func (id ID[K]) AppendText(b []byte) ([]byte, error) { return append(b, id.String()...), nil }
func (id ID[K]) MarshalText() ([]byte, error)        { return []byte(id.String()), nil }

func (id *ID[K]) UnmarshalText(text []byte) error {
	var kind K
	suffix, ok := strings.CutPrefix(string(text), kind.Prefix()+"_")
	if !ok || suffix != strings.ToLower(suffix) {
		return fmt.Errorf("not an ID of a %s", kind.Prefix())
	}
	return id.AsUUID.UnmarshalText([]byte(suffix))
}
