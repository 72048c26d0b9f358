// Package schema is what ent generates the folder gen from.
package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"

	"github.com/seed-961d0905/ulid"
)

// User has a ULID as its key and, optionally, those of others.
type User struct{ ent.Schema }

func (User) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Table("users")}
}

func (User) Fields() []ent.Field {
	// A key takes no collation from an annotation, and a SchemaType no quotes. PostgreSQL's ucs_basic is
	// "C" in a UTF-8 database. The tables that ent makes in MySQL sort by bytes anyway.
	types := map[string]string{dialect.Postgres: "text collate ucs_basic"}
	return []ent.Field{
		field.String("id").GoType(ulid.ULID{}).MaxLen(26).DefaultFunc(ulid.Make).SchemaType(types),
		field.String("manager_id").GoType(ulid.ULID{}).MaxLen(26).Optional().Nillable().SchemaType(types),
		field.String("owner_id").GoType(ulid.ULID{}).MaxLen(26).Optional().SchemaType(types),
	}
}

func (User) Edges() []ent.Edge {
	return []ent.Edge{
		edge.To("reports", User.Type).From("manager").Field("manager_id").Unique(),
	}
}
