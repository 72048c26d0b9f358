package ulid

import (
	"database/sql/driver"
	"encoding/hex"
	"fmt"
)

// Bytes returns a copy of the 16 bytes of the ULID.
func (id ULID) Bytes() []byte { return id[:] }

// AppendBinary appends the 16 bytes of the ULID to b and returns the longer slice. The
// error is always nil. It implements [encoding.BinaryAppender].
func (id ULID) AppendBinary(b []byte) ([]byte, error) { return append(b, id[:]...), nil }

// MarshalBinary returns the 16 bytes of the ULID. The error is always nil. It implements
// [encoding.BinaryMarshaler], by which encoding/gob and others write a ULID.
func (id ULID) MarshalBinary() ([]byte, error) { return id[:], nil }

// UnmarshalBinary sets the ULID from its 16 bytes. If there are not 16 it returns
// [ErrDataSize] and leaves the ULID as it was. It implements
// [encoding.BinaryUnmarshaler].
func (id *ULID) UnmarshalBinary(data []byte) error {
	if len(data) != len(id) {
		return ErrDataSize
	}
	copy(id[:], data)
	return nil
}

// uuidSize is the length of UUID notation, in characters.
const uuidSize = 36

// ParseUUID reads a ULID from the UUID notation of RFC 9562: 36 characters, hexadecimal
// digits of either case in groups of 8-4-4-4-12. The version and variant may be any, so
// it reads what [ULID.UUIDString] wrote and every UUID; the time of a version 7 UUID is
// that of [ULID.Time].
//
// The error is [ErrDataSize] if the length is wrong, or else an [InvalidCharacterError]
// for the first character that cannot stand where it does. With an error the ULID is zero.
func ParseUUID(s string) (ULID, error) { return parseUUID([]byte(s)) }

// uuidOffsets says where in UUID notation the two digits of each byte stand.
var uuidOffsets = [16]int{0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34}

func parseUUID(s []byte) (id ULID, err error) {
	if len(s) != uuidSize {
		return id, ErrDataSize
	}
	// The digits of Base32 that are less than 16 are those of hexadecimal.
	all := int64(0)
	for i, offset := range uuidOffsets {
		hi, lo := values[s[offset]], values[s[offset+1]]
		all |= hi | lo
		id[i] = byte(hi<<4 | lo)
	}
	if uint64(all) > 15 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return ULID{}, uuidError(s)
	}
	return id, nil
}

// uuidError says where parseUUID found a character that it refused.
func uuidError(s []byte) error {
	i := 0
	for isUUIDChar(s[i], i) {
		i++
	}
	return InvalidCharacterError{Offset: i, Char: s[i]}
}

func isUUIDChar(c byte, offset int) bool {
	switch offset {
	case 8, 13, 18, 23:
		return c == '-'
	}
	return uint64(values[c]) <= 15
}

// UUIDString returns the ULID in the UUID notation of RFC 9562: 36 characters, lower case,
// sorting as the ULIDs do. The version and variant bits are whatever the ULID has there.
func (id ULID) UUIDString() string {
	text := make([]byte, 0, uuidSize)
	text = hex.AppendEncode(text, id[0:4])
	text = append(text, '-')
	text = hex.AppendEncode(text, id[4:6])
	text = append(text, '-')
	text = hex.AppendEncode(text, id[6:8])
	text = append(text, '-')
	text = hex.AppendEncode(text, id[8:10])
	text = append(text, '-')
	text = hex.AppendEncode(text, id[10:16])
	return string(text)
}

// Scan sets the ULID from a database value. It implements [database/sql.Scanner].
//
//   - NULL gives the zero ULID. To tell the two apart, scan into a *ULID field or a
//     [database/sql.Null].
//   - A string or []byte of 26 characters is read as [Parse] does, one of 36 as
//     [ParseUUID] does.
//   - A []byte of 16 is taken as it is, and so are a [16]byte and a ULID.
//   - A string or []byte of any other length gives [ErrDataSize], the empty one and a
//     string of 16 included.
//   - Any other type gives an error that names it and matches [ErrScanValue].
//
// With an error the ULID stays as it was.
func (id *ULID) Scan(src any) error {
	switch src := src.(type) {
	case nil:
		*id = ULID{}
		return nil
	case string:
		if len(src) == len(id) {
			return ErrDataSize // a cut-off text is more likely than a binary string
		}
		return id.scanBytes([]byte(src))
	case []byte:
		return id.scanBytes(src)
	case [16]byte:
		*id = src
		return nil
	case ULID:
		*id = src
		return nil
	}
	return fmt.Errorf("%w: %T", ErrScanValue, src)
}

func (id *ULID) scanBytes(b []byte) error {
	switch len(b) {
	case len(id):
		return id.UnmarshalBinary(b)
	case uuidSize:
		parsed, err := parseUUID(b)
		if err != nil {
			return err
		}
		*id = parsed
		return nil
	}
	return id.UnmarshalText(b)
}

// Value returns the text of the ULID: the one form that drivers, ORMs and databases treat
// alike. For a column of 16 bytes convert the ULID to [AsBinary], for a uuid column to
// [AsUUID]. The error is always nil. It implements [database/sql/driver.Valuer].
func (id ULID) Value() (driver.Value, error) { return id.String(), nil }

// AsBinary is a ULID that database/sql stores as 16 bytes, for bytea, BINARY(16) and BLOB
// columns: AsBinary(id) as an argument, or the type of a field. It differs from [ULID] in
// Value only; it prints, marshals and scans as one, and converts to one with ULID(b).
type AsBinary ULID

// Value returns the 16 bytes of the ULID. The error is always nil.
func (id AsBinary) Value() (driver.Value, error) { return id[:], nil }

// String returns the text of the ULID, as [ULID.String].
func (id AsBinary) String() string { return ULID(id).String() }

// IsZero reports whether the ULID is zero.
func (id AsBinary) IsZero() bool { return ULID(id).IsZero() }

// AppendText is [ULID.AppendText].
func (id AsBinary) AppendText(b []byte) ([]byte, error) { return ULID(id).AppendText(b) }

// MarshalText is [ULID.MarshalText].
func (id AsBinary) MarshalText() ([]byte, error) { return ULID(id).MarshalText() }

// UnmarshalText is [ULID.UnmarshalText].
func (id *AsBinary) UnmarshalText(text []byte) error { return (*ULID)(id).UnmarshalText(text) }

// AppendBinary is [ULID.AppendBinary].
func (id AsBinary) AppendBinary(b []byte) ([]byte, error) { return ULID(id).AppendBinary(b) }

// MarshalBinary is [ULID.MarshalBinary].
func (id AsBinary) MarshalBinary() ([]byte, error) { return ULID(id).MarshalBinary() }

// UnmarshalBinary is [ULID.UnmarshalBinary].
func (id *AsBinary) UnmarshalBinary(data []byte) error { return (*ULID)(id).UnmarshalBinary(data) }

// Scan is [ULID.Scan].
func (id *AsBinary) Scan(src any) error { return (*ULID)(id).Scan(src) }

// AsUUID is a ULID that database/sql stores in UUID notation, for uuid columns: AsUUID(id)
// as an argument, or the type of a field. It differs from [ULID] in Value only; it prints,
// marshals and scans as one, and converts to one with ULID(u).
type AsUUID ULID

// Value returns the ULID in UUID notation. The error is always nil.
func (id AsUUID) Value() (driver.Value, error) { return ULID(id).UUIDString(), nil }

// String returns the text of the ULID, as [ULID.String].
func (id AsUUID) String() string { return ULID(id).String() }

// IsZero reports whether the ULID is zero.
func (id AsUUID) IsZero() bool { return ULID(id).IsZero() }

// AppendText is [ULID.AppendText].
func (id AsUUID) AppendText(b []byte) ([]byte, error) { return ULID(id).AppendText(b) }

// MarshalText is [ULID.MarshalText].
func (id AsUUID) MarshalText() ([]byte, error) { return ULID(id).MarshalText() }

// UnmarshalText is [ULID.UnmarshalText].
func (id *AsUUID) UnmarshalText(text []byte) error { return (*ULID)(id).UnmarshalText(text) }

// AppendBinary is [ULID.AppendBinary].
func (id AsUUID) AppendBinary(b []byte) ([]byte, error) { return ULID(id).AppendBinary(b) }

// MarshalBinary is [ULID.MarshalBinary].
func (id AsUUID) MarshalBinary() ([]byte, error) { return ULID(id).MarshalBinary() }

// UnmarshalBinary is [ULID.UnmarshalBinary].
func (id *AsUUID) UnmarshalBinary(data []byte) error { return (*ULID)(id).UnmarshalBinary(data) }

// Scan is [ULID.Scan].
func (id *AsUUID) Scan(src any) error { return (*ULID)(id).Scan(src) }
