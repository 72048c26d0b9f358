package shop

import (
	"context"
	"time"

	"github.com/seed-961d0905/ulid"

	"example.com/shop/ent"
	"example.com/shop/ent/order"
	"example.com/shop/ent/user"
	"example.com/shop/key"
)

// page: Create
func Buy(ctx context.Context, client *ent.Client, email string, cents int) (*ent.Order, error) {
	u, err := client.User.Create().SetEmail(email).Save(ctx)
	if err != nil {
		return nil, err
	}
	return client.Order.Create().SetUserID(u.ID).SetCents(cents).Save(ctx)
}

// page: Find
// FindOrder returns the order whose ID a client sent, such as
// order_01h455vb4pex5vsknk084sn02q, with its user.
func FindOrder(ctx context.Context, client *ent.Client, text string) (*ent.Order, error) {
	id, err := key.ParseOrderID(text)
	if err != nil {
		return nil, err
	}
	return client.Order.Query().Where(order.ID(id)).WithUser().Only(ctx)
}

// page: Upsert
// SetName creates the user if the email is new, and otherwise renames the one who has it.
func SetName(ctx context.Context, client *ent.Client, email, name string) error {
	return client.User.Create().SetEmail(email).SetName(name).
		OnConflictColumns(user.FieldEmail).UpdateNewValues().
		Exec(ctx)
}

// page: Between
func OrdersBetween(
	ctx context.Context, client *ent.Client, from, to time.Time,
) ([]*ent.Order, error) {
	first, end := key.OrderID(ulid.FirstAt(from)), key.OrderID(ulid.FirstAt(to))
	return client.Order.Query().
		Where(order.IDGTE(first), order.IDLT(end)).
		Order(order.ByID()).
		All(ctx)
}

// page: Page
// OrdersAfter returns the orders of a user that follow an ID: the zero ID for the first page,
// and then the last ID of the page before. The last page has fewer than 50.
func OrdersAfter(
	ctx context.Context, client *ent.Client, of key.UserID, last key.OrderID,
) ([]*ent.Order, error) {
	return client.Order.Query().
		Where(order.UserID(of), order.IDGT(last)).
		Order(order.ByID()).
		Limit(50).
		All(ctx)
}

// page: Generator
// UseGenerator makes g generate the IDs of all further orders.
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
