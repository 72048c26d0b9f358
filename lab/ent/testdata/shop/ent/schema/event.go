// page: Event
package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"

	"github.com/seed-961d0905/ulid"
)

type Event struct{ ent.Schema }

func (Event) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", ulid.AsUUID{}).Default(newID),
		field.String("name"),
	}
}

func newID() ulid.AsUUID { return ulid.AsUUID(ulid.MakeUUIDv7()) }
