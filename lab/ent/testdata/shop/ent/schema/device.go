package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect"
	"entgo.io/ent/schema/field"

	"example.com/shop/key"
)

// page: Device
type Device struct{ ent.Schema }

func (Device) Fields() []ent.Field {
	return []ent.Field{
		alias("DeviceID", field.String("id").GoType(key.DeviceID{}).
			DefaultFunc(key.NewDeviceID).SchemaType(text)),
	}
}

// text makes a column of 26 characters that sorts by bytes. In SQLite ent's default does.
var text = map[string]string{
	dialect.Postgres: "text collate ucs_basic",
	dialect.MySQL:    "char(26)", // ent adds: collate utf8mb4_bin
}

// page: Mistaken

// Mistaken has fields that the page warns of.
type Mistaken struct{ ent.Schema }

func (Mistaken) Fields() []ent.Field {
	return []ent.Field{
		alias("UserID", field.String("user_id").GoType(key.UserID{}).Optional()),
		alias("UserID", field.String("short").GoType(key.UserID{}).MaxLen(26).Optional()),
	}
}
