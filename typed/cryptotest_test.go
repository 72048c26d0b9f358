//go:build go1.26

package typed

import (
	cryptorand "crypto/rand"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/cryptotest"

	"github.com/seed-961d0905/ulid"
)

// TestSameIDs shows with which Entropy a Generator makes the same IDs again, also those that are
// not the first of their millisecond: with one of its own, and with the reader of cryptotest if
// it is hidden in a struct, so that the Generator reads all its bits.
func TestSameIDs(t *testing.T) {
	for name, newEntropy := range map[string]func() io.Reader{
		"ChaCha8": func() io.Reader { return rand.NewChaCha8([32]byte{}) },
		"cryptotest": func() io.Reader {
			cryptotest.SetGlobalRandom(t, 1)
			return struct{ io.Reader }{cryptorand.Reader}
		},
	} {
		ids := func() []ID[user] {
			Make[user]() // which uses random bits as well
			g := &ulid.Generator{
				UUIDv7:  true,
				Clock:   known.Timestamp,
				Entropy: newEntropy(),
			}
			made := make([]ID[user], 10)
			for i := range made {
				var err error
				made[i], err = From[user](g)
				if err != nil {
					t.Fatal(err)
				}
			}
			return made
		}
		if first, again := ids(), ids(); !slices.Equal(first, again) {
			t.Errorf("with %s the IDs are %v, then %v", name, first, again)
		}
	}
}
