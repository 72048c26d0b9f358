//go:build go1.27

package uuids

import (
	"strconv"
	"testing"
	"uuid"
)

// TestStandard has a type that reads no part of a UUID, so the version, the variant and the time are those of its text.
func TestStandard(t *testing.T) {
	peer[uuid.UUID]{
		uuid.Parse, uuid.UUID.String, func() (uuid.UUID, error) { return uuid.NewV7(), nil },
		func(u uuid.UUID) string {
			variant := map[byte]string{'8': "RFC 9562", '9': "RFC 9562", 'a': "RFC 9562", 'b': "RFC 9562"}
			return u.String()[14:15] + " " + variant[u.String()[19]]
		},
		"7 RFC 9562",
		func(u uuid.UUID) (uint64, error) {
			s := u.String()
			return strconv.ParseUint(s[:8]+s[9:13], 16, 64)
		},
	}.test(t)
}
