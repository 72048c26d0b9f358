// page: Totals
package shop

import (
	"context"

	"example.com/shop/ent"
	"example.com/shop/ent/order"
	"example.com/shop/key"
)

type Total struct {
	UserID key.UserID `json:"user_id"` // the name of the column
	Cents  int        `json:"cents"`
}

// Totals returns what each user has spent.
func Totals(ctx context.Context, client *ent.Client) (list []Total, err error) {
	err = client.Order.Query().
		GroupBy(order.FieldUserID).
		Aggregate(ent.As(ent.Sum(order.FieldCents), "cents")).
		Scan(ctx, &list)
	return list, err
}
