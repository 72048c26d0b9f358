// page: Order
package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"

	"example.com/shop/key"
)

type Order struct{ ent.Schema }

func (Order) Fields() []ent.Field {
	return []ent.Field{
		alias("OrderID", field.UUID("id", key.OrderID{}).Default(key.NewOrderID)),
		alias("UserID", field.UUID("user_id", key.UserID{})),
		field.Int("cents"),
	}
}

func (Order) Edges() []ent.Edge {
	return []ent.Edge{
		edge.From("user", User.Type).Ref("orders").Field("user_id").Unique().Required(),
	}
}

// The database rejects an order whose ID is zero.
func (Order) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Checks(map[string]string{
		"orders_id_not_zero": "id <> '00000000-0000-0000-0000-000000000000'",
	})}
}
