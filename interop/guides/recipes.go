package guides

import (
	"crypto/cipher"
	"fmt"
	"time"

	"github.com/seed-961d0905/ulid"
)

// page: Hide

// Hide encrypts an ID for others to see. The block comes from aes.NewCipher(key).
func Hide(block cipher.Block, id ulid.ULID) (hidden ulid.ULID) {
	block.Encrypt(hidden[:], id[:])
	return hidden
}

// Reveal undoes Hide.
func Reveal(block cipher.Block, hidden ulid.ULID) (id ulid.ULID) {
	block.Decrypt(id[:], hidden[:])
	return id
}

// page: inOrder

// inOrder returns a function that generates IDs with g. Call it in one goroutine, for each old
// row in order, and generate nothing else with g.
func inOrder(g *ulid.Generator) func(created time.Time) (ulid.ULID, error) {
	var now time.Time
	g.Clock = func() time.Time { return now }
	return func(created time.Time) (ulid.ULID, error) {
		if _, err := ulid.MakeAt(created); err != nil { // no ULID has this time
			return ulid.ULID{}, err
		}
		now = created
		id := g.Make()
		if id.Time().Sub(created) > time.Minute {
			return ulid.ULID{}, fmt.Errorf("the row of %v follows one of %v", created, id.Time())
		}
		return id, nil
	}
}
