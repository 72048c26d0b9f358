//go:build go1.27

package interop

import (
	"testing"
	"uuid"
)

// TestOrderStd records nothing: the matrix is made with a Go that has no package uuid.
func TestOrderStd(t *testing.T) {
	newLib("Go 1.27 `uuid.NewV7`", kept, lost, uuid.NewV7, uuid.UUID.Compare).check(t)
}
