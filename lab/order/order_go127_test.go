//go:build go1.27

package order

import (
	"testing"
	"uuid"

	"github.com/seed-961d0905/ulid/interop/golden"
)

// TestOrderOfStandard is TestOrder for the package that Go has from 1.27 on.
func TestOrderOfStandard(t *testing.T) {
	table := golden.New(t, "Order in Go 1.27", golden.Go())
	compareLibraries(t, table, newLibrary("Go 1.27 `uuid.NewV7`", uuid.NewV7, uuid.UUID.Compare))
}
