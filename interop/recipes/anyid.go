package recipes

import (
	"database/sql"
	"encoding"
	"fmt"
)

// page: Key

// A Bytes16 converts to a ulid.ULID and back.
type Bytes16 interface{ ~[16]byte }

// A Key can be compared, printed and written as JSON.
type Key interface {
	comparable
	fmt.Stringer
	encoding.TextMarshaler
}

// A Readable[T] is a *T that can be parsed and read from a database.
type Readable[T any] interface {
	*T
	encoding.TextUnmarshaler
	sql.Scanner
}

// ParseID parses an ID of any type, as in ParseID[UserID](s).
func ParseID[T any, P Readable[T]](s string) (id T, err error) {
	err = P(&id).UnmarshalText([]byte(s))
	return id, err
}
