package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"

	"example.com/shop/key"
)

// Mistaken has fields that the page warns of.
type Mistaken struct{ ent.Schema }

func (Mistaken) Fields() []ent.Field {
	return []ent.Field{
		alias("UserID", field.String("user_id").GoType(key.UserID{}).Optional()),
		alias("UserID", field.String("short").GoType(key.UserID{}).MaxLen(26).Optional()),
	}
}
