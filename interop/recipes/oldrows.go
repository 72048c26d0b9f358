package recipes

import (
	"bytes"
	"crypto/sha256"
	"time"

	"github.com/seed-961d0905/ulid"
)

// page: OldID

// OldID returns the same ID for the same row each time. The name, such as "orders/42",
// belongs to one row.
func OldID(name string, created time.Time) (ulid.ULID, error) {
	sum := sha256.Sum256([]byte(name))
	return ulid.New(ulid.Timestamp(created), bytes.NewReader(sum[:]))
}

// page: OldUUIDv7

// OldUUIDv7 is like OldID, but the ID is also a UUID of version 7.
func OldUUIDv7(name string, created time.Time) (ulid.ULID, error) {
	sum := sha256.Sum256([]byte(name))
	g := ulid.Generator{
		UUIDv7:  true,
		Clock:   func() time.Time { return created },
		Entropy: bytes.NewReader(sum[:]),
	}
	return g.Make()
}
