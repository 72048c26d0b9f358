package recipes

import "github.com/seed-961d0905/ulid"

// UserID and OrderID are distinct types: the compiler does not let you use one for the other.
type UserID struct{ ulid.ULID }

type OrderID struct{ ulid.ULID }

func NewUserID() UserID { return UserID{ulid.Make()} }

func ParseUserID(s string) (UserID, error) {
	id, err := ulid.Parse(s)
	return UserID{id}, err
}
