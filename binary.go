package ulid

// The binary form of 16 bytes, and the UUID format with the type UUID.

import (
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
		return sizeError{len(data), "16"}
	}
	copy(id[:], data)
	return nil
}

// uuidSize is the length of the UUID format, in characters.
const uuidSize = 36

// UUIDString returns the UUID format of RFC 9562, 36 characters in lower case. IDs from [Make], [Fill],
// [MakeAt] and a [Generator] have the digits of version 7. In others they are arbitrary.
//
// The module pgxulid recognizes types of IDs by this method.
func (id ULID) UUIDString() string {
	var text [uuidSize]byte
	encodeUUID(&text, &id)
	return string(text[:])
}

// UUID is a ULID whose text is the 36 characters of a UUID: in JSON and logs, and as database/sql stores it, for
// uuid columns. It reads no other text. Use it where clients or other programs expect UUIDs, as a google/uuid
// service's do, and UUID(id) for every argument. If JSON and logs should show 26 characters, use [AsUUID].
//
// Like [AsBinary], it lacks Next, Bytes and AppendBinary.
type UUID ULID

// ParseUUID parses the UUID format of RFC 9562: 36 characters, in upper or lower case, without
// braces. It accepts every version and variant. It returns the errors of [Parse], but never
// [ErrOverflow]. To get a ULID, convert the result, as in ulid.ULID(u).
func ParseUUID(s string) (UUID, error) {
	var id UUID
	err := id.UnmarshalText([]byte(s))
	return id, err
}

// MustParseUUID is like [ParseUUID] but panics on an error. The panic quotes s.
func MustParseUUID(s string) UUID {
	id, err := ParseUUID(s)
	if err != nil {
		panic(fmt.Errorf("%w in MustParseUUID(%q)", err, s))
	}
	return id
}

// String is like [ULID.UUIDString].
func (id UUID) String() string { return ULID(id).UUIDString() }

// GoString returns Go code for the ID, as in ulid.MustParseUUID("01563e3a-b5d3-d676-4c61-efb99302bd5b").
func (id UUID) GoString() string { return `ulid.MustParseUUID("` + id.String() + `")` }

// UUIDString is like [ULID.UUIDString].
func (id UUID) UUIDString() string { return ULID(id).UUIDString() }

// Time is like [ULID.Time].
func (id UUID) Time() time.Time { return ULID(id).Time() }

// IsZero is like [ULID.IsZero].
func (id UUID) IsZero() bool { return ULID(id).IsZero() }

// Compare is like [ULID.Compare].
func (id UUID) Compare(other UUID) int { return ULID(id).Compare(ULID(other)) }

// AppendText appends what String returns to b.
func (id UUID) AppendText(b []byte) ([]byte, error) {
	var text [uuidSize]byte
	encodeUUID(&text, (*ULID)(&id))
	return append(b, text[:]...), nil
}

// MarshalText returns what String returns, for JSON and other encoders.
func (id UUID) MarshalText() ([]byte, error) { return id.AppendText(make([]byte, 0, uuidSize)) }

// UnmarshalText sets the UUID to the one that [ParseUUID] returns for text.
func (id *UUID) UnmarshalText(text []byte) error { return decodeUUID((*ULID)(id), text) }

// MarshalBinary is like [ULID.MarshalBinary].
func (id UUID) MarshalBinary() ([]byte, error) { return ULID(id).MarshalBinary() }

// UnmarshalBinary is like [ULID.UnmarshalBinary].
func (id *UUID) UnmarshalBinary(data []byte) error { return (*ULID)(id).UnmarshalBinary(data) }

// decodeUUID sets id from the UUID format, or returns an error and leaves it as it was. It checks
// and packs eight digits at once, as the bytes of a word, which is faster than looking up each.
func decodeUUID(id *ULID, text []byte) error {
	if len(text) != uuidSize {
		return sizeError{len(text), "36"}
	}
	s := (*[uuidSize]byte)(text)
	a := binary.LittleEndian.Uint64(s[0:])
	b := uint64(binary.LittleEndian.Uint32(s[9:])) | uint64(binary.LittleEndian.Uint32(s[14:]))<<32
	c := uint64(binary.LittleEndian.Uint32(s[19:])) | uint64(binary.LittleEndian.Uint32(s[24:]))<<32
	d := binary.LittleEndian.Uint64(s[28:])
	if notHex(a)|notHex(b)|notHex(c)|notHex(d) != 0 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return uuidError(s)
	}
	binary.LittleEndian.PutUint64(id[:8], packHex(a)|packHex(b)<<32)
	binary.LittleEndian.PutUint64(id[8:], packHex(c)|packHex(d)<<32)
	return nil
}

const ones = 0x01_01_01_01_01_01_01_01 // a 1 in each byte, to multiply a byte by

// notHex returns 0 if each byte of w is a hexadecimal digit.
func notHex(w uint64) uint64 {
	// The highest bit of c+0x80-min is set if c >= min. It differs in the two sums of a range
	// if c is between them.
	lower := w | 0x20*ones
	digit := (w + (0x80-'0')*ones) ^ (w + (0x7f-'9')*ones)
	letter := (lower + (0x80-'a')*ones) ^ (lower + (0x7f-'f')*ones)
	return (^(digit | letter) | w) & (0x80 * ones) // a byte of 0x80 or more is none, whatever the sums say
}

// packHex returns the four bytes that eight hexadecimal digits stand for, the first one lowest.
func packHex(w uint64) uint64 {
	// The low four bits of 'A' are 1, nine below its value. Only letters have bit 6.
	w = w&(0x0f*ones) + (w>>6&ones)*9
	w = (w<<4 | w>>8) & 0x00ff_00ff_00ff_00ff
	w = (w | w>>8) & 0x0000_ffff_0000_ffff
	return (w | w>>16) & 0xffff_ffff
}

// uuidError says which character decodeUUID refused.
func uuidError(s *[uuidSize]byte) error {
	i := 0
	for i < len(s)-1 && isUUIDCharacter(s[i], i) {
		i++
	}
	return InvalidCharacterError{Offset: i, Char: s[i]}
}

func isUUIDCharacter(c byte, offset int) bool {
	switch offset {
	case 8, 13, 18, 23:
		return c == '-'
	}
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// encodeUUID writes the UUID format of id to dst.
func encodeUUID(dst *[uuidSize]byte, id *ULID) {
	putHex(dst[0:], id[0])
	putHex(dst[2:], id[1])
	putHex(dst[4:], id[2])
	putHex(dst[6:], id[3])
	dst[8] = '-'
	putHex(dst[9:], id[4])
	putHex(dst[11:], id[5])
	dst[13] = '-'
	putHex(dst[14:], id[6])
	putHex(dst[16:], id[7])
	dst[18] = '-'
	putHex(dst[19:], id[8])
	putHex(dst[21:], id[9])
	dst[23] = '-'
	putHex(dst[24:], id[10])
	putHex(dst[26:], id[11])
	putHex(dst[28:], id[12])
	putHex(dst[30:], id[13])
	putHex(dst[32:], id[14])
	putHex(dst[34:], id[15])
}

// putHex writes the two digits of b to dst, by one load and one store of 16 bits.
func putHex(dst []byte, b byte) {
	i := int(b)
	binary.LittleEndian.PutUint16(dst, uint16(hexPairs[2*i])|uint16(hexPairs[2*i+1])<<8)
}

// hexPairs holds the two hexadecimal digits of every byte.
const hexPairs = "" +
	"000102030405060708090a0b0c0d0e0f" +
	"101112131415161718191a1b1c1d1e1f" +
	"202122232425262728292a2b2c2d2e2f" +
	"303132333435363738393a3b3c3d3e3f" +
	"404142434445464748494a4b4c4d4e4f" +
	"505152535455565758595a5b5c5d5e5f" +
	"606162636465666768696a6b6c6d6e6f" +
	"707172737475767778797a7b7c7d7e7f" +
	"808182838485868788898a8b8c8d8e8f" +
	"909192939495969798999a9b9c9d9e9f" +
	"a0a1a2a3a4a5a6a7a8a9aaabacadaeaf" +
	"b0b1b2b3b4b5b6b7b8b9babbbcbdbebf" +
	"c0c1c2c3c4c5c6c7c8c9cacbcccdcecf" +
	"d0d1d2d3d4d5d6d7d8d9dadbdcdddedf" +
	"e0e1e2e3e4e5e6e7e8e9eaebecedeeef" +
	"f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
