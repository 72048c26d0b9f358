package recipes

import "encoding/binary"

// page: Shard

// Shard returns a number from 0 to n-1, always the same for an ID. If n is 16, it is
// id[15] % 16.
func Shard[ID ~[16]byte](id ID, n uint32) uint32 {
	return binary.BigEndian.Uint32(id[12:]) % n
}
