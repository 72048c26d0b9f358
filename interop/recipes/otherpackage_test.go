package recipes_test

import (
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/recipes"
	"github.com/seed-961d0905/ulid/typed"
)

// Another package can do without the name of the kind all that docs/typed.md lists for it.
func TestOtherPackage(t *testing.T) {
	id := recipes.NewUserID()
	if got, err := recipes.ParseUserID(id.String()); got != id || err != nil {
		t.Errorf("%v is parsed as %v, %v", id, got, err)
	}

	from := time.Now().Add(-time.Minute)
	if first := recipes.UserID(ulid.FirstAt(from)); first.Compare(id) >= 0 || first.Time() != ulid.Timestamp(from) {
		t.Errorf("a range that begins at %v does not contain %v", first, id)
	}

	list := make([]recipes.UserID, 3)
	typed.Fill(list)
	g := &ulid.Generator{UUIDv7: true, Clock: func() time.Time { return from }}
	imported := make([]recipes.UserID, 3)
	if err := typed.FillFrom(g, imported); err != nil {
		t.Error(err)
	}
	for i, id := range append(imported, list...) {
		if !id.IsUUIDv7() || id.Timestamp().Before(from.Truncate(time.Millisecond)) {
			t.Errorf("element %d is %v", i, id)
		}
	}
	if typed.FillFrom(new(ulid.Generator), imported) == nil {
		t.Error("a Generator without UUIDv7 fills IDs for a uuid column")
	}
}
