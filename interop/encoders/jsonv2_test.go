//go:build goexperiment.jsonv2 && go1.27

// Go 1.26 has encoding/json/v2 with GOEXPERIMENT=jsonv2 only, and then go vet of Go 1.27 would object to its use here.

package encoders

import (
	"encoding/json/v2"
	"testing"

	"github.com/seed-961d0905/ulid"
)

func TestJSONv2(t *testing.T) {
	e := encoder{
		name:      "encoding/json/v2",
		marshal:   func(v any) ([]byte, error) { return json.Marshal(v) },
		unmarshal: func(b []byte, v any) error { return json.Unmarshal(b, v) },
		clears:    true,
	}
	testEncoder[ulid.ULID](t, e)
	testEncoder[typedID](t, e)
}
