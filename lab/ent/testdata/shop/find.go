// page: Find
package shop

import (
	"context"

	"example.com/shop/ent"
	"example.com/shop/ent/order"
	"example.com/shop/key"
)

// FindOrder returns the order whose ID a client sent, such as
// order_01h455vb4pex5vsknk084sn02q, with its user.
func FindOrder(ctx context.Context, client *ent.Client, s string) (*ent.Order, error) {
	id, err := key.ParseOrderID(s)
	if err != nil {
		return nil, err
	}
	return client.Order.Query().Where(order.ID(id)).WithUser().Only(ctx)
}
