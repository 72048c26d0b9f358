// page: Device
package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"

	"example.com/shop/key"
)

type Device struct{ ent.Schema }

func (Device) Fields() []ent.Field {
	return []ent.Field{
		alias("DeviceID", field.UUID("id", key.DeviceID{}).Default(key.NewDeviceID).SchemaType(text)),
		alias("DeviceID", field.UUID("old_id", key.DeviceID{}).Optional().Nillable().SchemaType(text)),
	}
}

func (Device) Edges() []ent.Edge {
	return []ent.Edge{edge.To("replaced_by", Device.Type).From("old").Field("old_id").Unique()}
}

func (Device) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Checks(map[string]string{
		"devices_id_not_zero": "id <> '00000000000000000000000000'",
	})}
}
