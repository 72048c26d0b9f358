// page: Struct
package key

import (
	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/typed"
)

type user struct{ typed.UUIDColumn }

func (user) Prefix() string { return "user" }

type UserID struct{ typed.ID[user] }

func NewUserID() UserID            { return UserID{typed.Make[user]()} }
func UserIDOf(id ulid.ULID) UserID { return UserID{typed.ID[user](id)} }

func ParseUserID(s string) (UserID, error) {
	id, err := typed.Parse[user](s)
	return UserID{id}, err
}

func (id UserID) Compare(other UserID) int { return id.ID.Compare(other.ID) }
