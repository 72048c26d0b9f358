package recipes

import (
	"sync/atomic"
	"time"

	"github.com/seed-961d0905/ulid"
)

// page: NewCoarse

// NewCoarse returns a Generator with a coarse clock, which a goroutine reads once a
// millisecond.
func NewCoarse() *ulid.Generator {
	var now atomic.Int64
	now.Store(time.Now().UnixMilli()) // before the first ID
	go func() {
		for range time.Tick(time.Millisecond) {
			now.Store(time.Now().UnixMilli())
		}
	}()
	return &ulid.Generator{Clock: func() time.Time { return time.UnixMilli(now.Load()) }}
}
