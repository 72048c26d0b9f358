// Package schema is what ent generates ../gen from.
package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"

	"github.com/seed-961d0905/ulid"
)

// User has a ULID as its key and, optionally, those of others.
type User struct{ ent.Schema }

func (User) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Table("ent_users")}
}

func (User) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").GoType(ulid.ULID{}).MaxLen(26).DefaultFunc(ulid.Make),
		field.String("manager_id").GoType(ulid.ULID{}).MaxLen(26).Optional().Nillable(),
		field.String("owner_id").GoType(ulid.ULID{}).MaxLen(26).Optional(),
	}
}

func (User) Edges() []ent.Edge {
	return []ent.Edge{
		edge.To("reports", User.Type).From("manager").Field("manager_id").Unique(),
	}
}
