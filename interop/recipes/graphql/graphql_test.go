package graphql

import (
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
)

const text = "01ARYZ6S41TSV4RRFFQ69G5FAV"

func TestScalar(t *testing.T) {
	id := ulid.MustParse(text)
	var w strings.Builder
	MarshalULID(id).MarshalGQL(&w)
	if w.String() != `"`+text+`"` {
		t.Error(w.String())
	}
	if got, err := UnmarshalULID(text); err != nil || got != id {
		t.Errorf("%s, %v", got, err)
	}
	for _, bad := range []any{nil, 7, int64(7), []byte(text), "", text[:25] + "U"} {
		if got, err := UnmarshalULID(bad); err == nil || !got.IsZero() {
			t.Errorf("%v is %s, %v", bad, got, err)
		}
	}
}
