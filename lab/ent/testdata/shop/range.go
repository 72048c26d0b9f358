// page: Range
package shop

import (
	"context"
	"time"

	"github.com/seed-961d0905/ulid"

	"example.com/shop/ent"
	"example.com/shop/ent/order"
	"example.com/shop/key"
)

func OrdersBetween(
	ctx context.Context, client *ent.Client, from, to time.Time,
) ([]*ent.Order, error) {
	first, end := key.OrderID(ulid.FirstAt(from)), key.OrderID(ulid.FirstAt(to))
	return client.Order.Query().
		Where(order.IDGTE(first), order.IDLT(end)).
		Order(order.ByID()).
		All(ctx)
}
