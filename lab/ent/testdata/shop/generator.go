// page: Generator
package shop

import (
	"github.com/seed-961d0905/ulid"

	"example.com/shop/ent/order"
	"example.com/shop/key"
)

// UseGenerator makes g generate the IDs of all later orders.
func UseGenerator(g *ulid.Generator) error {
	if _, err := key.OrderIDFrom(g); err != nil {
		return err // such as a Generator without UUIDv7
	}
	order.DefaultID = func() key.OrderID {
		id, err := key.OrderIDFrom(g)
		if err != nil {
			panic(err)
		}
		return id
	}
	return nil
}
