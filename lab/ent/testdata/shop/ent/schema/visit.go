package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"

	"example.com/shop/key"
)

// Visit has nullable fields without Nillable.
type Visit struct{ ent.Schema }

func (Visit) Fields() []ent.Field {
	return []ent.Field{
		alias("UserID", field.UUID("user_id", key.UserID{}).Optional()),
		alias("UserID", field.UUID("guest_id", key.UserID{}).Optional().StructTag(`json:"guest_id,omitzero"`)),
	}
}
