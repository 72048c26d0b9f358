package recipes

import (
	"bytes"
	"crypto/sha256"
	"time"

	"github.com/seed-961d0905/ulid"
)

// page: OldID

// OldID returns the same ID for the same row each time. The name, such as "orders/42", belongs to one row.
func OldID(name string, created time.Time) (ulid.ULID, error) {
	sum := sha256.Sum256([]byte(name))
	return ulid.New(ulid.Timestamp(created), bytes.NewReader(sum[:]))
}
