package ulid

import (
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"time"
)

// Bytes returns a copy of the 16 bytes.
func (id ULID) Bytes() []byte { return id[:] }

// AppendBinary appends the 16 bytes to b.
func (id ULID) AppendBinary(b []byte) ([]byte, error) { return append(b, id[:]...), nil }

// MarshalBinary returns a copy of the 16 bytes.
func (id ULID) MarshalBinary() ([]byte, error) { return id[:], nil }

// UnmarshalBinary sets the ULID from its 16 bytes.
func (id *ULID) UnmarshalBinary(data []byte) error {
	if len(data) != len(id) {
		return ErrDataSize
	}
	copy(id[:], data)
	return nil
}

// uuidSize is the length of UUID notation, in characters.
const uuidSize = 36

// ParseUUID reads a ULID from the UUID notation of RFC 9562, 36 characters in either case,
// without braces. It takes every version and variant. The errors are those of [Parse].
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

// UUIDString returns the UUID notation of RFC 9562, 36 characters in lower case. Any version
// and variant may result.
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

// Scan sets the ULID from a database value.
//
//   - NULL gives the zero ULID. To tell NULL apart, scan into a *ULID or a
//     [database/sql.Null].
//   - A string or []byte of 26 characters is read by [Parse], one of 36 by [ParseUUID].
//   - A []byte of 16, a [16]byte and a ULID are copied.
//   - A string or []byte of another length gives [ErrDataSize], as does a string of 16.
//   - Any other type gives an error that names it and wraps [ErrScanValue].
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

// Value returns the text. The zero ULID is stored as text too, not as NULL.
func (id ULID) Value() (driver.Value, error) { return id.String(), nil }

// AsBinary is a ULID that database/sql stores as 16 bytes, for bytea, BINARY(16) and BLOB
// columns. Use it for fields, and AsBinary(id) for arguments.
//
// Only Value differs from that of [ULID]. JSON has 26 characters. Use ULID(id) for Next, Prev,
// SetTime and SetEntropy.
type AsBinary ULID

// Value returns the 16 bytes.
func (id AsBinary) Value() (driver.Value, error) { return id[:], nil }

func (id AsBinary) String() string { return ULID(id).String() }

func (id AsBinary) UUIDString() string { return ULID(id).UUIDString() }

func (id AsBinary) Bytes() []byte { return id[:] }

func (id AsBinary) Time() uint64 { return ULID(id).Time() }

func (id AsBinary) Timestamp() time.Time { return ULID(id).Timestamp() }

func (id AsBinary) Entropy() []byte { return ULID(id).Entropy() }

func (id AsBinary) IsZero() bool { return ULID(id).IsZero() }

func (id AsBinary) IsUUIDv7() bool { return ULID(id).IsUUIDv7() }

func (id AsBinary) Compare(other AsBinary) int { return ULID(id).Compare(ULID(other)) }

func (id AsBinary) AppendText(b []byte) ([]byte, error) { return ULID(id).AppendText(b) }

func (id AsBinary) MarshalText() ([]byte, error) { return ULID(id).MarshalText() }

func (id *AsBinary) UnmarshalText(text []byte) error { return (*ULID)(id).UnmarshalText(text) }

func (id AsBinary) AppendBinary(b []byte) ([]byte, error) { return ULID(id).AppendBinary(b) }

func (id AsBinary) MarshalBinary() ([]byte, error) { return ULID(id).MarshalBinary() }

func (id *AsBinary) UnmarshalBinary(data []byte) error { return (*ULID)(id).UnmarshalBinary(data) }

func (id *AsBinary) Scan(src any) error { return (*ULID)(id).Scan(src) }

// AsUUID is like [AsBinary], but database/sql stores it in UUID notation, for uuid
// columns.
type AsUUID ULID

// Value returns the UUID notation.
func (id AsUUID) Value() (driver.Value, error) { return ULID(id).UUIDString(), nil }

func (id AsUUID) String() string { return ULID(id).String() }

func (id AsUUID) UUIDString() string { return ULID(id).UUIDString() }

func (id AsUUID) Bytes() []byte { return id[:] }

func (id AsUUID) Time() uint64 { return ULID(id).Time() }

func (id AsUUID) Timestamp() time.Time { return ULID(id).Timestamp() }

func (id AsUUID) Entropy() []byte { return ULID(id).Entropy() }

func (id AsUUID) IsZero() bool { return ULID(id).IsZero() }

func (id AsUUID) IsUUIDv7() bool { return ULID(id).IsUUIDv7() }

func (id AsUUID) Compare(other AsUUID) int { return ULID(id).Compare(ULID(other)) }

func (id AsUUID) AppendText(b []byte) ([]byte, error) { return ULID(id).AppendText(b) }

func (id AsUUID) MarshalText() ([]byte, error) { return ULID(id).MarshalText() }

func (id *AsUUID) UnmarshalText(text []byte) error { return (*ULID)(id).UnmarshalText(text) }

func (id AsUUID) AppendBinary(b []byte) ([]byte, error) { return ULID(id).AppendBinary(b) }

func (id AsUUID) MarshalBinary() ([]byte, error) { return ULID(id).MarshalBinary() }

func (id *AsUUID) UnmarshalBinary(data []byte) error { return (*ULID)(id).UnmarshalBinary(data) }

func (id *AsUUID) Scan(src any) error { return (*ULID)(id).Scan(src) }
