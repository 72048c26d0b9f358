//go:build go1.27

package interop

import (
	"testing"
	"uuid"
)

func TestOrderAcrossGoroutinesStd(t *testing.T) {
	reportDisorder(t, "std-v7", uuid.NewV7, uuid.UUID.Compare)
}
