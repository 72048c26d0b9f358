// page: List
package shop

import (
	"context"
	"strconv"

	"entgo.io/ent/dialect/sql"

	"example.com/shop/ent"
	"example.com/shop/ent/order"
	"example.com/shop/key"
)

// ListOrders returns a page of a user's orders, newest first, and the cursor of the next
// page, which is "" after the last one. cursor and limit come from a request; both may be "".
func ListOrders(
	ctx context.Context, client *ent.Client, of key.UserID, cursor, limit string,
) (orders []*ent.Order, next string, err error) {
	n, err := strconv.Atoi(limit)
	if err != nil || n < 1 {
		n = 50
	}
	n = min(n, 100)
	query := client.Order.Query().Where(order.UserID(of))
	if cursor != "" {
		last, err := key.ParseOrderID(cursor)
		if err != nil {
			return nil, "", err
		}
		query.Where(order.IDLT(last))
	}
	// One more than the page shows whether another page follows.
	orders, err = query.Order(order.ByID(sql.OrderDesc())).Limit(n + 1).All(ctx)
	if err != nil || len(orders) <= n {
		return orders, "", err
	}
	return orders[:n], orders[n-1].ID.String(), nil
}
