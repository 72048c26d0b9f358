//go:build go1.27

package order

import (
	"testing"
	"uuid"
)

// TestOrderOfStandard is TestOrder for the package that Go has from 1.27 on.
func TestOrderOfStandard(t *testing.T) {
	measure(t, "Go 1.27 uuid.NewV7", uuid.NewV7, uuid.UUID.Compare, kept, lost)
}
