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
		field.String("id").GoType(ulid.ULID{}).DefaultFunc(ulid.Make).SchemaType(text),
		field.String("name"),
	}
}
