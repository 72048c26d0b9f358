// page: Keys
package key

import "github.com/seed-961d0905/ulid/typed"

type user struct{ typed.UUIDColumn }
type order struct{ typed.UUIDColumn }

func (user) Prefix() string  { return "user" } // user_01h455vb4pex5vsknk084sn02q
func (order) Prefix() string { return "order" }

type UserID = typed.ID[user]
type OrderID = typed.ID[order]

func NewUserID() UserID                      { return typed.Make[user]() }
func NewOrderID() OrderID                    { return typed.Make[order]() }
func ParseUserID(s string) (UserID, error)   { return typed.Parse[user](s) }
func ParseOrderID(s string) (OrderID, error) { return typed.Parse[order](s) }
