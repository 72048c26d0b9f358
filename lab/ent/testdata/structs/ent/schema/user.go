package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"

	"example.com/shop/key"
)

type User struct{ ent.Schema }

func (User) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", key.UserID{}).Default(key.NewUserID),
		field.UUID("invited_by", key.UserID{}).Optional().Nillable(),
	}
}
