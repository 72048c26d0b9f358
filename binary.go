package ulid

import (
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
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
		return sizeError{len(data), "bytes", "16"}
	}
	copy(id[:], data)
	return nil
}

// uuidSize is the length of the UUID format, in characters.
const uuidSize = 36

// ParseUUID parses a ULID in the UUID format of RFC 9562: 36 characters, in upper or lower
// case, without braces. It accepts every version and variant. It returns the errors of [Parse], but
// never [ErrOverflow].
func ParseUUID(s string) (ULID, error) {
	var id ULID
	err := decodeUUID(&id, []byte(s))
	return id, err
}

// MustParseUUID is like [ParseUUID] but panics on an error. The panic quotes s.
func MustParseUUID(s string) ULID {
	id, err := ParseUUID(s)
	if err != nil {
		panic(fmt.Errorf("%w in MustParseUUID(%q)", err, s))
	}
	return id
}

// decodeUUID sets id from the UUID format, or returns an error and leaves it as it was. It checks
// and packs eight digits at once, as the bytes of a word, which is faster than to look up each.
// It takes a pointer, as decode does, so that the compiler can inline ParseUUID.
func decodeUUID(id *ULID, text []byte) error {
	if len(text) != uuidSize {
		return uuidSizeError(text)
	}
	s := (*[uuidSize]byte)(text)
	a := binary.LittleEndian.Uint64(s[0:])
	b := uint64(binary.LittleEndian.Uint32(s[9:])) | uint64(binary.LittleEndian.Uint32(s[14:]))<<32
	c := uint64(binary.LittleEndian.Uint32(s[19:])) | uint64(binary.LittleEndian.Uint32(s[24:]))<<32
	d := binary.LittleEndian.Uint64(s[28:])
	badA, badB, badC, badD := notHex(a), notHex(b), notHex(c), notHex(d)
	if badA|badB|badC|badD != 0 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return uuidError(s, badA, badB, badC, badD)
	}
	binary.LittleEndian.PutUint64(id[:8], packHex(a)|packHex(b)<<32)
	binary.LittleEndian.PutUint64(id[8:], packHex(c)|packHex(d)<<32)
	return nil
}

// uuidSizeError says why ParseUUID refused a text of the wrong length.
func uuidSizeError(text []byte) error {
	if len(text) == EncodedSize {
		return textSizeError(text, "36; Parse reads the 26 of a ULID")
	}
	return textSizeError(text, "36")
}

const ones = 0x01_01_01_01_01_01_01_01 // a 1 in each byte, to multiply a byte by

// notHex marks the bytes of w that are not hexadecimal digits: it sets their highest bit, and
// clears all other bits. The first mark is exact. Those after it may not be, because a sum
// carries out of a byte of 0x80 or more, which is marked itself.
func notHex(w uint64) uint64 {
	// The highest bit of c+0x80-min is set if c >= min. It differs in the two sums of a range
	// if c is between them.
	lower := w | 0x20*ones
	digit := (w + (0x80-'0')*ones) ^ (w + (0x7f-'9')*ones)
	letter := (lower + (0x80-'a')*ones) ^ (lower + (0x7f-'f')*ones)
	return (^(digit | letter) | w) & (0x80 * ones)
}

// packHex returns the four bytes that eight hexadecimal digits stand for, the first one lowest.
func packHex(w uint64) uint64 {
	// The low four bits of 'A' are 1, nine below its value. Only letters have bit 6.
	w = w&(0x0f*ones) + (w>>6&ones)*9
	w = (w<<4 | w>>8) & 0x00ff_00ff_00ff_00ff
	w = (w | w>>8) & 0x0000_ffff_0000_ffff
	return (w | w>>16) & 0xffff_ffff
}

// uuidError says where decodeUUID found a character that it refused. The marks of each word
// save it a second pass over the text.
func uuidError(s *[uuidSize]byte, badA, badB, badC, badD uint64) error {
	var i int
	switch {
	case badA != 0:
		i = bits.TrailingZeros64(badA) / 8
	case s[8] != '-':
		i = 8
	case uint32(badB) != 0:
		i = 9 + bits.TrailingZeros64(badB)/8
	case s[13] != '-':
		i = 13
	case badB != 0:
		i = 10 + bits.TrailingZeros64(badB)/8 // with the hyphen between its halves
	case s[18] != '-':
		i = 18
	case uint32(badC) != 0:
		i = 19 + bits.TrailingZeros64(badC)/8
	case s[23] != '-':
		i = 23
	case badC != 0:
		i = 20 + bits.TrailingZeros64(badC)/8
	default:
		i = 28 + bits.TrailingZeros64(badD)/8
	}
	return InvalidCharacterError{Offset: i, Char: s[i]}
}

// UUIDString returns the UUID format of RFC 9562, 36 characters in lower case. The digits of
// the version and the variant are arbitrary if id was not generated, or by [New] with a source of
// its 80 bits.
func (id ULID) UUIDString() string {
	var text [uuidSize]byte
	encodeUUID(&text, &id)
	return string(text[:])
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

// Scan sets the ULID from what [ULID.Value] returns, 26 characters in a string or []byte, as [Parse]
// does. NULL becomes the zero ULID. To tell NULL apart, scan into a *ULID or a [database/sql.Null].
//
// Anything else is an error, because queries with a ULID miss rows of another format. Text or bytes of
// another length are an [ErrDataSize], which names the type to use if they have the format of
// [AsUUID], [AsBinary] or a typed ID. A value of another Go type is an [ErrScanValue].
func (id *ULID) Scan(src any) error { return scanText(id, src, EncodedSize) }

// scanText sets id from a string or []byte of the given size.
func scanText(id *ULID, src any, size int) error {
	var text []byte
	switch src := src.(type) {
	case nil:
		*id = ULID{}
		return nil
	case string:
		text = []byte(src)
	case []byte:
		text = src
	default:
		return fmt.Errorf("%w %T, want a string or []byte", ErrScanValue, src)
	}
	switch {
	case len(text) != size:
		return textSizeError(text, strconv.Itoa(size)+formatHint(src))
	case size == uuidSize:
		return decodeUUID(id, text)
	default:
		return id.UnmarshalText(text)
	}
}

// formatHint names the type that reads a string or []byte, for the end of an error message. It judges
// by the content, because a text that a column has cut may have the length of another format.
func formatHint(src any) string {
	text, isText := src.(string)
	if data, ok := src.([]byte); ok && len(data) <= maxPrefixed { // a longer one is not copied
		text = string(data)
	}
	switch {
	case isULID(text):
		return "; ULID strings are for ULID or TextColumn"
	case isUUID(text):
		return "; UUIDs are for AsUUID or UUIDColumn"
	case isPrefixed(text):
		return "; IDs with a prefix are for PrefixColumn"
	case !isText && len(text) == len(ULID{}) && text[0] == 1: // an ID of the years 2004 to 2039
		return "; 16 bytes are for AsBinary or BinaryColumn"
	}
	return ""
}

func isULID(text string) bool {
	_, err := Parse(text)
	return err == nil
}

func isUUID(text string) bool {
	_, err := ParseUUID(text)
	return err == nil
}

// maxPrefixed is the length of the longest string of a typed ID.
const maxPrefixed = 63 + len("_") + EncodedSize

// isPrefixed reports whether text is that of a typed ID with a prefix, which has no capital letter.
func isPrefixed(text string) bool {
	at := len(text) - EncodedSize
	if at < 2 || len(text) > maxPrefixed || !isULID(text[at:]) || text != strings.ToLower(text) {
		return false
	}
	prefix, found := strings.CutSuffix(text[:at], "_")
	return found && strings.Trim(prefix, "abcdefghijklmnopqrstuvwxyz_") == "" &&
		!strings.HasPrefix(prefix, "_") && !strings.HasSuffix(prefix, "_")
}

// Value returns what String returns. The zero ULID is stored like any other, not as NULL.
func (id ULID) Value() (driver.Value, error) { return id.String(), nil }

// AsBinary is a ULID that database/sql stores as 16 bytes, for bytea, BINARY(16) and BLOB
// columns. Use it for fields, and AsBinary(id) for every argument: a ULID in its place can
// silently match no row, or with < and NOT IN every row.
//
// Only Value and Scan differ from ULID's, so in JSON it is still 26 characters. Convert it to ULID
// for Next, which it lacks.
type AsBinary ULID

// Value returns the 16 bytes.
func (id AsBinary) Value() (driver.Value, error) { return id[:], nil }

// String is like [ULID.String].
func (id AsBinary) String() string { return ULID(id).String() }

// GoString returns Go code for the ID, as in ulid.AsBinary(ulid.MustParse("01ARZ3NDEKTSV4RRFFQ69G5FAV")).
func (id AsBinary) GoString() string { return "ulid.AsBinary(" + ULID(id).GoString() + ")" }

// UUIDString is like [ULID.UUIDString].
func (id AsBinary) UUIDString() string { return ULID(id).UUIDString() }

// Bytes is like [ULID.Bytes].
func (id AsBinary) Bytes() []byte { return id[:] }

// Time is like [ULID.Time].
func (id AsBinary) Time() time.Time { return ULID(id).Time() }

// IsZero is like [ULID.IsZero].
func (id AsBinary) IsZero() bool { return ULID(id).IsZero() }

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

// Scan is like [ULID.Scan], but reads a []byte of 16 bytes.
func (id *AsBinary) Scan(src any) error {
	const want = "16 bytes"
	switch src := src.(type) {
	case nil:
		*id = AsBinary{}
		return nil
	case []byte:
		if len(src) != len(id) {
			return textSizeError(src, want+formatHint(src))
		}
		copy(id[:], src)
		return nil
	case string:
		if len(src) != len(id) {
			return textSizeError(src, want+formatHint(src))
		}
		// It is rather a text that a column cut than 16 bytes.
	}
	return fmt.Errorf("%w %T, want a []byte", ErrScanValue, src)
}

// AsUUID is a ULID that database/sql stores in UUID format, for uuid columns. Use it for
// fields, and AsUUID(id) for every argument. As with [AsBinary], only Value and Scan differ from
// ULID's.
type AsUUID ULID

// Value returns what UUIDString returns.
func (id AsUUID) Value() (driver.Value, error) { return ULID(id).UUIDString(), nil }

// String is like [ULID.String].
func (id AsUUID) String() string { return ULID(id).String() }

// GoString returns Go code for the ID, as in ulid.AsUUID(ulid.MustParse("01ARZ3NDEKTSV4RRFFQ69G5FAV")).
func (id AsUUID) GoString() string { return "ulid.AsUUID(" + ULID(id).GoString() + ")" }

// UUIDString is like [ULID.UUIDString].
func (id AsUUID) UUIDString() string { return ULID(id).UUIDString() }

// Bytes is like [ULID.Bytes].
func (id AsUUID) Bytes() []byte { return id[:] }

// Time is like [ULID.Time].
func (id AsUUID) Time() time.Time { return ULID(id).Time() }

// IsZero is like [ULID.IsZero].
func (id AsUUID) IsZero() bool { return ULID(id).IsZero() }

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

// Scan is like [ULID.Scan], but reads 36 characters, as [ParseUUID] does.
func (id *AsUUID) Scan(src any) error { return scanText((*ULID)(id), src, uuidSize) }
