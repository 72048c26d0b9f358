package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"

	"github.com/seed-961d0905/ulid"
)

// page: Event
type Event struct{ ent.Schema }

func (Event) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", ulid.AsUUID{}).Default(newID),
		field.String("name"),
	}
}

func newID() ulid.AsUUID { return ulid.AsUUID(ulid.Make()) }

// page: Note
type Note struct{ ent.Schema }

func (Note) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").GoType(ulid.ULID{}).DefaultFunc(ulid.Make).SchemaType(text),
		field.String("name"),
	}
}
