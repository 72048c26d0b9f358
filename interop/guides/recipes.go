package guides

import (
	"bytes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/seed-961d0905/ulid"
)

// page: Shard

// Shard returns a number from 0 to n-1, always the same for an ID. If n is 16, it is
// id[15] % 16.
func Shard[ID ~[16]byte](id ID, n uint32) uint32 {
	return binary.BigEndian.Uint32(id[12:]) % n
}

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

// page: OldID

// OldID returns the same ID for the same row each time. The name, such as "orders/42",
// belongs to one row.
func OldID(name string, created time.Time) (ulid.ULID, error) {
	sum := sha256.Sum256([]byte(name))
	return ulid.New(created, bytes.NewReader(sum[:]))
}
