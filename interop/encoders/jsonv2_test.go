//go:build goexperiment.jsonv2 && go1.27

// Go 1.26 has encoding/json/v2 with GOEXPERIMENT=jsonv2 only, and then go vet of Go 1.27
// would object to its use here.

package encoders

import (
	"encoding/json/v2"
	"maps"
	"testing"

	"github.com/seed-961d0905/ulid/interop/recipes/prefixed"
)

func TestJSONv2(t *testing.T) {
	c := codec{
		name:      "encoding/json/v2",
		marshal:   func(v any) ([]byte, error) { return json.Marshal(v) },
		unmarshal: func(b []byte, v any) error { return json.Unmarshal(b, v) },
		form:      asText,
		id:        `"` + text + `"`,
		user:      `{"ID":"` + text + `","Ref":"` + text + `","None":null}`,
		mapKey:    `{"` + text + `":1}`,
		tag:       "omitzero",
		null:      zeroes,
	}
	t.Run(c.name, c.test)
}

// The recipe whose IDs have a prefix.
func TestJSONv2Prefixed(t *testing.T) {
	id := prefixed.NewUserID()
	in := map[prefixed.UserID]prefixed.UserID{id: id}
	encoded, err := json.Marshal(in)
	if want := `{"` + id.String() + `":"` + id.String() + `"}`; err != nil || string(encoded) != want {
		t.Errorf("%s, %v, want %s", encoded, err, want)
	}
	var out map[prefixed.UserID]prefixed.UserID
	if err := json.Unmarshal(encoded, &out); err != nil || !maps.Equal(out, in) {
		t.Errorf("%s came back as %v, %v", encoded, out, err)
	}
	if err := json.Unmarshal([]byte("null"), &id); err != nil || !id.IsZero() {
		t.Errorf("null was read as %s, %v", id, err)
	}
}
