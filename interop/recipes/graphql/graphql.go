// Package graphql is a recipe of docs/recipes.md.
package graphql

import (
	"fmt"
	"io"
	"strconv"

	"github.com/99designs/gqlgen/graphql"

	"github.com/seed-961d0905/ulid"
)

func MarshalULID(id ulid.ULID) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) { io.WriteString(w, strconv.Quote(id.String())) })
}

func UnmarshalULID(v any) (ulid.ULID, error) {
	s, ok := v.(string)
	if !ok {
		return ulid.ULID{}, fmt.Errorf("%T is no ULID", v)
	}
	return ulid.Parse(s)
}
