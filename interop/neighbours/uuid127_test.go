//go:build go1.27

package neighbours

import (
	"testing"
	"uuid"
)

func TestStandard(t *testing.T) {
	newV7 := func() (uuid.UUID, error) { return uuid.NewV7(), nil }
	peer[uuid.UUID]{"Go 1.27 uuid", plain, uuid.Parse, uuid.UUID.String, newV7}.test(t)
}
