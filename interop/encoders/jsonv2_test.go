//go:build goexperiment.jsonv2 && go1.27

// Go 1.26 has encoding/json/v2 with GOEXPERIMENT=jsonv2 only, and then go vet of Go 1.27
// would object to its use here.

package encoders

import (
	"bytes"
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
	in, out := map[prefixed.UserID]prefixed.UserID{prefixed.NewUserID(): prefixed.NewUserID()}, map[prefixed.UserID]prefixed.UserID{}
	encoded, err := json.Marshal(in)
	if err != nil || bytes.Count(encoded, []byte(`"user_`)) != 2 || json.Unmarshal(encoded, &out) != nil || !maps.Equal(out, in) {
		t.Errorf("%v came out as %s, %v, and back as %v", in, encoded, err, out)
	}
}
