package recipes

import "github.com/seed-961d0905/ulid/typed"

// page: UserID

type user struct{ typed.UUIDColumn }

func (user) Prefix() string { return "user" }

type UserID = typed.ID[user]

func NewUserID() UserID                    { return typed.Make[user]() }
func ParseUserID(s string) (UserID, error) { return typed.Parse[user](s) }
