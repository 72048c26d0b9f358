// page: Delete
package shop

import (
	"context"

	"example.com/shop/ent"
	"example.com/shop/ent/order"
	"example.com/shop/key"
)

// DeleteOrder returns an error for which ent.IsNotFound is true if there is no such order.
func DeleteOrder(ctx context.Context, client *ent.Client, id key.OrderID) error {
	return client.Order.DeleteOneID(id).Exec(ctx)
}

// DeleteOrders deletes those of the list, and returns how many there were. An empty list
// deletes none.
func DeleteOrders(ctx context.Context, client *ent.Client, ids []key.OrderID) (int, error) {
	return client.Order.Delete().Where(order.IDIn(ids...)).Exec(ctx)
}
