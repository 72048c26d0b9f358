package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/schema/field"

	"example.com/shop/key"
)

// Ticket has defaults, of which an upsert keeps only the immutable one.
type Ticket struct{ ent.Schema }

func (Ticket) Fields() []ent.Field {
	return []ent.Field{
		alias("OrderID", field.UUID("id", key.OrderID{}).Default(key.NewOrderID)),
		field.String("code").Unique(),
		field.String("seat").Default(""),
		field.Time("printed").Default(time.Now),
		alias("UserID", field.UUID("holder", key.UserID{}).Default(key.NewUserID)),
		alias("UserID", field.UUID("issuer", key.UserID{}).Default(key.NewUserID).Immutable()),
	}
}
