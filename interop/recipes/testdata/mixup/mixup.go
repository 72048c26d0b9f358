// Package mixup does not compile: TestMixup compares what the compiler says with the page.
package mixup

import "github.com/seed-961d0905/ulid/typed"

type (
	user  struct{ typed.UUIDColumn }
	order struct{ typed.UUIDColumn }

	UserID  = typed.ID[user]
	OrderID = typed.ID[order]
)

type Order struct {
	ID     OrderID
	UserID UserID
}

// page: refund

func refund(user UserID, order OrderID) error { return nil }

func handle(o Order) error {
	return refund(o.ID, o.UserID)
}
