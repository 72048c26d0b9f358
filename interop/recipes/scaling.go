package recipes

import (
	"sync"

	"github.com/seed-961d0905/ulid"
)

// Import makes the IDs of its rows, in the order of the rows, with its own Generator.
func Import(rows []string, store func(ulid.ULID, string) error) error {
	var g ulid.Generator
	for _, row := range rows {
		id, err := g.Make()
		if err != nil {
			return err
		}
		if err := store(id, row); err != nil {
			return err
		}
	}
	return nil
}

var generators = sync.Pool{New: func() any { return new(ulid.Generator) }}

// NewID is for any number of goroutines. Its IDs sort by their millisecond only.
func NewID() (ulid.ULID, error) {
	g := generators.Get().(*ulid.Generator)
	defer generators.Put(g)
	return g.Make()
}
