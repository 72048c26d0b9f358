//go:build goexperiment.jsonv2 && go1.27

// Go 1.26 has encoding/json/v2 with GOEXPERIMENT=jsonv2 only, and then go vet of Go 1.27 would object to its use here.

package encoders

import (
	"encoding/json/v2"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/golden"
)

func TestJSONv2(t *testing.T) {
	c := codecs[0] // whose texts are the same
	c.name = "encoding/json/v2"
	c.marshal = func(v any) ([]byte, error) { return json.Marshal(v) }
	c.unmarshal = func(b []byte, v any) error { return json.Unmarshal(b, v) }
	table := golden.New(t, c.name, "Go 1.27 and later")
	testCodec[ulid.ULID](t, c, table)
	testCodec[typedID](t, c.typed(), table)
}
