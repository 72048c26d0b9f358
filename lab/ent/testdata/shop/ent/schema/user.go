// page: User
package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"

	"example.com/shop/key"
)

type User struct{ ent.Schema }

func (User) Fields() []ent.Field {
	return []ent.Field{
		alias("UserID", field.UUID("id", key.UserID{}).Default(key.NewUserID)),
		field.String("email").Unique(),
		field.String("name").Default(""),
		alias("UserID", field.UUID("invited_by", key.UserID{}).Optional().Nillable()),
	}
}

func (User) Edges() []ent.Edge {
	return []ent.Edge{
		edge.To("orders", Order.Type),
		edge.To("invited", User.Type).From("inviter").Field("invited_by").Unique(),
	}
}
