package ulid

import (
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"time"
)

// Bytes returns a copy of the 16 bytes of the ULID.
func (id ULID) Bytes() []byte { return id[:] }

// AppendBinary appends the 16 bytes of the ULID to b and returns the extended buffer. The
// error is always nil. It implements [encoding.BinaryAppender].
func (id ULID) AppendBinary(b []byte) ([]byte, error) { return append(b, id[:]...), nil }

// MarshalBinary returns a copy of the 16 bytes of the ULID. The error is always nil. It
// implements [encoding.BinaryMarshaler], which encoding/gob and others use.
func (id ULID) MarshalBinary() ([]byte, error) { return id[:], nil }

// UnmarshalBinary sets the ULID from its 16 bytes. If there are not 16, it returns
// [ErrDataSize] and the ULID is unchanged. It implements [encoding.BinaryUnmarshaler].
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
// digits of either case in groups of 8-4-4-4-12, without braces or prefix. The version and
// variant may be any, so it reads what [ULID.UUIDString] wrote and every UUID. For a UUID of
// version 7, [ULID.Time] is its time.
//
// The error is [ErrDataSize] if the length is wrong. Otherwise it is an
// [InvalidCharacterError] for the first character that is not allowed at its position. On
// error the ULID is zero.
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
	for i := 0; ; i++ {
		ok := uint64(values[s[i]]) <= 15
		switch i {
		case 8, 13, 18, 23:
			ok = s[i] == '-'
		}
		if !ok {
			return InvalidCharacterError{Offset: i, Char: s[i]}
		}
	}
}

// UUIDString returns the ULID in the UUID notation of RFC 9562: 36 characters, lower case,
// sorting as ULIDs do. The version and variant bits are whatever the ULID has there.
func (id ULID) UUIDString() string {
	var text [uuidSize]byte
	n := id.uint128()
	a, b, c, d := hexDigits(n.hi>>32), hexDigits(n.hi), hexDigits(n.lo>>32), hexDigits(n.lo)
	binary.BigEndian.PutUint64(text[0:], a)
	text[8] = '-'
	binary.BigEndian.PutUint32(text[9:], uint32(b>>32))
	text[13] = '-'
	binary.BigEndian.PutUint32(text[14:], uint32(b))
	text[18] = '-'
	binary.BigEndian.PutUint32(text[19:], uint32(c>>32))
	text[23] = '-'
	binary.BigEndian.PutUint32(text[24:], uint32(c))
	binary.BigEndian.PutUint64(text[28:], d)
	return string(text[:])
}

// hexDigits returns the eight lower-case hexadecimal digits of the low 32 bits of w, as the
// bytes of a word. Working on all eight at once takes half the time of encoding/hex.
func hexDigits(w uint64) uint64 {
	// One nibble for each byte.
	w = (w&0xFFFF0000)<<16 | w&0xFFFF
	w = (w<<8 | w) & 0x00FF00FF00FF00FF
	w = (w<<4 | w) & 0x0F0F0F0F0F0F0F0F
	// 1 in each byte whose nibble is greater than 9, and so a letter.
	letters := (w + 0x0606060606060606) >> 4 & 0x0101010101010101
	return w + '0'*0x0101010101010101 + letters*('a'-10-'0')
}

// Scan sets the ULID from a database value. It implements [database/sql.Scanner].
//
//   - NULL gives the zero ULID. Value does not turn it back into NULL. To keep the two
//     apart, use a *ULID or a [database/sql.Null].
//   - A string or []byte of 26 characters is read as [Parse] does, one of 36 as
//     [ParseUUID] does.
//   - A []byte of 16, a [16]byte and a ULID are copied.
//   - A string or []byte of any other length gives [ErrDataSize]. This includes an empty one
//     and a string of 16.
//   - Any other type gives an error that names it and matches [ErrScanValue].
//
// On error the ULID is unchanged.
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

// Value returns the text of the ULID, the one form that drivers, ORMs and databases treat
// alike. The zero ULID is stored as text too, not as NULL. For a column of 16 bytes use
// [AsBinary], for a uuid column [AsUUID]. The error is always nil. It implements
// [database/sql/driver.Valuer].
func (id ULID) Value() (driver.Value, error) { return id.String(), nil }

// AsBinary is a ULID that database/sql stores as 16 bytes, for bytea, BINARY(16) and BLOB
// columns. Use it as the type of a field, or as AsBinary(id) for an argument.
//
// It has the methods of [ULID] except Next, Prev, SetTime, SetEntropy and the deprecated ones.
// Only Value behaves differently: it prints, marshals and scans as a ULID, so JSON has and takes
// the text of 26 characters. Convert it with ULID(b) to call the other methods.
type AsBinary ULID

// Value returns the 16 bytes of the ULID. The error is always nil.
func (id AsBinary) Value() (driver.Value, error) { return id[:], nil }

// String is like [ULID.String].
func (id AsBinary) String() string { return ULID(id).String() }

// UUIDString is like [ULID.UUIDString].
func (id AsBinary) UUIDString() string { return ULID(id).UUIDString() }

// Bytes is like [ULID.Bytes].
func (id AsBinary) Bytes() []byte { return id[:] }

// Time is like [ULID.Time].
func (id AsBinary) Time() uint64 { return ULID(id).Time() }

// Timestamp is like [ULID.Timestamp].
func (id AsBinary) Timestamp() time.Time { return ULID(id).Timestamp() }

// Entropy is like [ULID.Entropy].
func (id AsBinary) Entropy() []byte { return ULID(id).Entropy() }

// IsZero is like [ULID.IsZero].
func (id AsBinary) IsZero() bool { return ULID(id).IsZero() }

// IsUUIDv7 is like [ULID.IsUUIDv7].
func (id AsBinary) IsUUIDv7() bool { return ULID(id).IsUUIDv7() }

// Compare is like [ULID.Compare].
func (id AsBinary) Compare(other AsBinary) int { return ULID(id).Compare(ULID(other)) }

// AppendText is like [ULID.AppendText].
func (id AsBinary) AppendText(b []byte) ([]byte, error) { return ULID(id).AppendText(b) }

// MarshalText is like [ULID.MarshalText].
func (id AsBinary) MarshalText() ([]byte, error) { return ULID(id).MarshalText() }

// UnmarshalText is like [ULID.UnmarshalText].
func (id *AsBinary) UnmarshalText(text []byte) error { return (*ULID)(id).UnmarshalText(text) }

// AppendBinary is like [ULID.AppendBinary].
func (id AsBinary) AppendBinary(b []byte) ([]byte, error) { return ULID(id).AppendBinary(b) }

// MarshalBinary is like [ULID.MarshalBinary].
func (id AsBinary) MarshalBinary() ([]byte, error) { return ULID(id).MarshalBinary() }

// UnmarshalBinary is like [ULID.UnmarshalBinary].
func (id *AsBinary) UnmarshalBinary(data []byte) error { return (*ULID)(id).UnmarshalBinary(data) }

// Scan is like [ULID.Scan].
func (id *AsBinary) Scan(src any) error { return (*ULID)(id).Scan(src) }

// AsUUID is a ULID that database/sql stores in UUID notation, for uuid columns. Use it as the
// type of a field, or as AsUUID(id) for an argument.
//
// It has the methods of [ULID] except Next, Prev, SetTime, SetEntropy and the deprecated ones.
// Only Value behaves differently: it prints, marshals and scans as a ULID, so JSON has and takes
// the text of 26 characters. Convert it with ULID(u) to call the other methods.
type AsUUID ULID

// Value returns the ULID in UUID notation. The error is always nil.
func (id AsUUID) Value() (driver.Value, error) { return ULID(id).UUIDString(), nil }

// String is like [ULID.String].
func (id AsUUID) String() string { return ULID(id).String() }

// UUIDString is like [ULID.UUIDString].
func (id AsUUID) UUIDString() string { return ULID(id).UUIDString() }

// Bytes is like [ULID.Bytes].
func (id AsUUID) Bytes() []byte { return id[:] }

// Time is like [ULID.Time].
func (id AsUUID) Time() uint64 { return ULID(id).Time() }

// Timestamp is like [ULID.Timestamp].
func (id AsUUID) Timestamp() time.Time { return ULID(id).Timestamp() }

// Entropy is like [ULID.Entropy].
func (id AsUUID) Entropy() []byte { return ULID(id).Entropy() }

// IsZero is like [ULID.IsZero].
func (id AsUUID) IsZero() bool { return ULID(id).IsZero() }

// IsUUIDv7 is like [ULID.IsUUIDv7].
func (id AsUUID) IsUUIDv7() bool { return ULID(id).IsUUIDv7() }

// Compare is like [ULID.Compare].
func (id AsUUID) Compare(other AsUUID) int { return ULID(id).Compare(ULID(other)) }

// AppendText is like [ULID.AppendText].
func (id AsUUID) AppendText(b []byte) ([]byte, error) { return ULID(id).AppendText(b) }

// MarshalText is like [ULID.MarshalText].
func (id AsUUID) MarshalText() ([]byte, error) { return ULID(id).MarshalText() }

// UnmarshalText is like [ULID.UnmarshalText].
func (id *AsUUID) UnmarshalText(text []byte) error { return (*ULID)(id).UnmarshalText(text) }

// AppendBinary is like [ULID.AppendBinary].
func (id AsUUID) AppendBinary(b []byte) ([]byte, error) { return ULID(id).AppendBinary(b) }

// MarshalBinary is like [ULID.MarshalBinary].
func (id AsUUID) MarshalBinary() ([]byte, error) { return ULID(id).MarshalBinary() }

// UnmarshalBinary is like [ULID.UnmarshalBinary].
func (id *AsUUID) UnmarshalBinary(data []byte) error { return (*ULID)(id).UnmarshalBinary(data) }

// Scan is like [ULID.Scan].
func (id *AsUUID) Scan(src any) error { return (*ULID)(id).Scan(src) }
