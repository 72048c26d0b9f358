package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"

	"example.com/shop/key"
)

// Mistaken has a field that the page warns of, and a list of IDs.
type Mistaken struct{ ent.Schema }

func (Mistaken) Fields() []ent.Field {
	return []ent.Field{
		alias("DeviceID", field.String("device_id").GoType(key.DeviceID{}).SchemaType(text)),
		field.JSON("list", key.DeviceIDs{}).Optional(),
	}
}
