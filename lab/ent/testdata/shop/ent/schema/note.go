// page: Note
package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"

	"github.com/seed-961d0905/ulid"
)

type Note struct{ ent.Schema }

func (Note) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", ulid.ULID{}).Default(ulid.Make).SchemaType(text),
		field.String("name"),
	}
}
