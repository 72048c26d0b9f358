package recipes

import "github.com/seed-961d0905/ulid"

// WrongID writes its prefix up to Go 1.26 only, because it has no AppendText.
type WrongID struct{ ulid.ULID }

func (id WrongID) MarshalText() ([]byte, error) { return []byte("inv_" + id.String()), nil }

// RightID always writes it.
type RightID struct{ ulid.ULID }

func (id RightID) AppendText(b []byte) ([]byte, error) {
	return id.ULID.AppendText(append(b, "inv_"...))
}
func (id RightID) MarshalText() ([]byte, error) { return id.AppendText(nil) }
