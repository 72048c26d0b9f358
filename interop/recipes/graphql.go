package recipes

import (
	"fmt"
	"io"
	"strconv"

	"github.com/seed-961d0905/ulid"
)

// page: MarshalULID

type quoted string

func (q quoted) MarshalGQL(w io.Writer) { io.WriteString(w, strconv.Quote(string(q))) }

// MarshalULID returns a graphql.Marshaler.
func MarshalULID(id ulid.ULID) interface{ MarshalGQL(io.Writer) } {
	return quoted(id.String())
}

func UnmarshalULID(v any) (ulid.ULID, error) {
	s, ok := v.(string)
	if !ok {
		return ulid.ULID{}, fmt.Errorf("a ULID is a string, not %T", v)
	}
	return ulid.Parse(s)
}
