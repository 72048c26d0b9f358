package recipes

import (
	"sync"

	"github.com/seed-961d0905/ulid"
)

// page: NewID

var generators = sync.Pool{New: func() any { return new(ulid.Generator) }}

// NewID is for any number of goroutines. Its IDs sort by their millisecond only.
func NewID() (ulid.ULID, error) {
	g := generators.Get().(*ulid.Generator)
	defer generators.Put(g)
	return g.Make()
}
