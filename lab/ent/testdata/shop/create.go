// page: Create
package shop

import (
	"context"

	"example.com/shop/ent"
)

func Buy(ctx context.Context, client *ent.Client, email string, cents int) (*ent.Order, error) {
	u, err := client.User.Create().SetEmail(email).Save(ctx)
	if err != nil {
		return nil, err
	}
	return client.Order.Create().SetUserID(u.ID).SetCents(cents).Save(ctx)
}
