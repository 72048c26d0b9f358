//go:build go1.27

package neighbours

import (
	"strconv"
	"strings"
	"testing"
	"uuid"
)

func TestStandard(t *testing.T) {
	newV7 := func() (uuid.UUID, error) { return uuid.NewV7(), nil }
	p := peer[uuid.UUID]{"Go 1.27 uuid", plain, uuid.Parse, uuid.UUID.String, newV7}
	p.test(t)

	// It reads no part of a UUID; so the version, the variant and the time are those of its text.
	version := func(u uuid.UUID) byte { return u.String()[14] }
	variant := func(u uuid.UUID) bool { return strings.Contains("89ab", u.String()[19:20]) }
	p.testUUIDv7(t, versionAndVariant(version, '7', variant, true),
		func(u uuid.UUID) (uint64, error) {
			s := u.String()
			return strconv.ParseUint(s[:8]+s[9:13], 16, 64)
		})
}
