package storage

import "github.com/seed-961d0905/ulid"

// An AnyID is read from a column that holds several formats. To store it, name one: ulid.AsBinary(id).
type AnyID ulid.ULID

func (id *AnyID) Scan(src any) error {
	switch src := src.(type) {
	case string:
		if len(src) == 36 {
			return (*ulid.AsUUID)(id).Scan(src)
		}
	case []byte:
		switch len(src) {
		case 16:
			return (*ulid.AsBinary)(id).Scan(src)
		case 36:
			return (*ulid.AsUUID)(id).Scan(src)
		}
	}
	return (*ulid.ULID)(id).Scan(src)
}
