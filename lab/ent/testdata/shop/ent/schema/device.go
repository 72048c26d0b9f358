// page: Device
package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"

	"example.com/shop/key"
)

type Device struct{ ent.Schema }

func (Device) Fields() []ent.Field {
	return []ent.Field{
		alias("DeviceID", field.String("id").GoType(key.DeviceID{}).
			DefaultFunc(key.NewDeviceID).SchemaType(text)),
	}
}
