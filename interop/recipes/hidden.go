package recipes

import (
	"crypto/cipher"

	"github.com/seed-961d0905/ulid"
)

// page: Hide

// Hide returns what others see of an ID. The block comes from aes.NewCipher(key).
func Hide(block cipher.Block, id ulid.ULID) (hidden ulid.ULID) {
	block.Encrypt(hidden[:], id[:])
	return hidden
}

// Reveal undoes Hide.
func Reveal(block cipher.Block, hidden ulid.ULID) (id ulid.ULID) {
	block.Decrypt(id[:], hidden[:])
	return id
}
