package ulid

// The 16 bytes elsewhere: binary marshalling, the UUID format, and SQL with the types AsBinary, AsUUID and UUID.

import (
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
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
		return sizeError{len(data), "16"}
	}
	copy(id[:], data)
	return nil
}

// uuidSize is the length of the UUID format, in characters.
const uuidSize = 36

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

// UUIDString returns the UUID format of RFC 9562, 36 characters in lower case. IDs from [Make], [Fill],
// [MakeAt] and a [Generator] have the digits of version 7. In others they are arbitrary.
//
// The module pgxulid recognizes types of IDs by this method.
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

// A format is what a row has: IDs as SQL stores them, or NULL. It is also the error of a Scan that reads another.
type format string

func (f format) Error() string { return "ulid: this is " + string(f) }

const (
	unknownFormat format = ""
	nullFormat    format = "NULL, which a pointer or a sql.Null reads"
	textFormat    format = "a ULID string, which ULID and TextColumn read"
	uuidFormat    format = "a UUID string, which AsUUID, UUID and UUIDColumn read"
	binaryFormat  format = "16 bytes, which AsBinary and BinaryColumn read"
	prefixFormat  format = "a string with a prefix, which PrefixColumn reads"
)

// Scan sets the ULID from what [ULID.Value] returns, 26 characters in a string or []byte, in upper or
// lower case. NULL is an error: the zero ULID in its place would be written back as an ID. Where a column may
// be NULL, as after a LEFT JOIN, use a *ULID or a sql.Null[ULID].
//
// Anything else is an error too, because queries with a ULID miss rows of another format. If the value
// has the format of [AsUUID], [AsBinary] or a typed ID, the error names the type that reads it. For a
// []byte of 16 printable characters it names none, because that is more likely a truncated text.
//
// An error of Scan is about a stored row, so it wraps none of the errors of [Parse]. A handler can
// answer those with the status 400, and this one with 500.
func (id *ULID) Scan(src any) error { return scan(id, src, textFormat) }

// scan sets id from a value of the format want.
func scan(id *ULID, src any, want format) error {
	var data []byte
	switch src := src.(type) {
	case nil:
		return nullFormat
	case string:
		data = []byte(src)
	case []byte:
		data = src
	default:
		return fmt.Errorf("ulid: cannot scan an ID from a value of type %T", src)
	}
	var err error
	switch want {
	case textFormat:
		err = id.UnmarshalText(data)
	case uuidFormat:
		err = decodeUUID(id, data)
	case binaryFormat:
		err = errWantBytes
		if _, isText := src.(string); !isText {
			err = id.UnmarshalBinary(data)
		}
	default:
		return errors.New("ulid: no Scan reads this format")
	}
	if err != nil {
		return scanErrorOf(src, err)
	}
	return nil
}

// scanErrorOf returns the error for a string or []byte that a Scan does not read: its format, or if it has none the
// reason.
func scanErrorOf(src any, reason error) error {
	if found := formatOf(src); found != unknownFormat {
		return found
	}
	return scanError{reason}
}

// A scanError has the text of an error and does not wrap it. It leaves out which function would parse the text, because
// that is no help for a row.
type scanError struct{ reason error }

func (e scanError) Error() string {
	if size, ok := e.reason.(sizeError); ok {
		return size.short()
	}
	return e.reason.Error()
}

// formatOf returns the format of a string or []byte. The length is not enough: the string of a typed ID can be as long
// as a UUID, and a text that a column has cut as long as 16 bytes.
func formatOf(src any) format {
	text, isText := src.(string)
	if data, ok := src.([]byte); ok && len(data) <= maxPrefixed { // a longer one is not copied
		text = string(data)
	}
	switch {
	case isULID(text):
		return textFormat
	case isUUID(text):
		return uuidFormat
	case isPrefixed(text):
		return prefixFormat
	case !isText && len(text) == len(ULID{}) && !isPrintable(text):
		return binaryFormat
	}
	return unknownFormat
}

func isULID(text string) bool {
	return len(text) == EncodedSize && decode(new(ULID), (*[EncodedSize]byte)([]byte(text))) == nil
}

func isUUID(text string) bool {
	return decodeUUID(new(ULID), []byte(text)) == nil
}

// isPrintable reports whether text has printable ASCII characters only. The 16 bytes of an ID from before the year 3089
// are never all printable.
func isPrintable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
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

// Value returns what String returns. The zero ULID is stored like any other, not as NULL. For NULL, pass a
// nil *ULID.
func (id ULID) Value() (driver.Value, error) { return id.String(), nil }

// AsBinary is a ULID that database/sql stores as 16 bytes, for bytea, BINARY(16) and BLOB
// columns. Use it for fields, and AsBinary(id) for every argument: a ULID in its place can
// silently match no row, or with < and NOT IN every row.
//
// Elsewhere it is like a ULID: it prints, and marshals to text and JSON, as 26 characters. It lacks
// Next, Bytes and AppendBinary. Convert it to ULID for these.
type AsBinary ULID

// Value returns the 16 bytes.
func (id AsBinary) Value() (driver.Value, error) { return id[:], nil }

// String is like [ULID.String].
func (id AsBinary) String() string { return ULID(id).String() }

// GoString returns Go code for the ID, as in ulid.AsBinary(ulid.MustParse("01ARZ3NDEKTSV4RRFFQ69G5FAV")).
func (id AsBinary) GoString() string { return "ulid.AsBinary(" + ULID(id).GoString() + ")" }

// UUIDString is like [ULID.UUIDString].
func (id AsBinary) UUIDString() string { return ULID(id).UUIDString() }

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

// MarshalBinary is like [ULID.MarshalBinary].
func (id AsBinary) MarshalBinary() ([]byte, error) { return ULID(id).MarshalBinary() }

// UnmarshalBinary is like [ULID.UnmarshalBinary].
func (id *AsBinary) UnmarshalBinary(data []byte) error { return (*ULID)(id).UnmarshalBinary(data) }

// Scan is like [ULID.Scan], but reads a []byte of 16. A text that a column has truncated to 16 characters
// is read as another ID, without an error.
func (id *AsBinary) Scan(src any) error { return scan((*ULID)(id), src, binaryFormat) }

// errWantBytes is about any string, also one of 16, which is more likely a truncated text than 16 bytes.
var errWantBytes = errors.New("ulid: cannot scan an ID from a string, want a []byte of 16")

// AsUUID is a ULID that has 26 characters in JSON and logs, but that database/sql stores as the 36 characters
// of a UUID, for uuid columns. Use it for fields, and AsUUID(id) for every argument. If JSON and logs
// should show 36 characters too, use [UUID], which stores the same.
type AsUUID ULID

// Value returns what UUIDString returns.
func (id AsUUID) Value() (driver.Value, error) { return ULID(id).UUIDString(), nil }

// String is like [ULID.String].
func (id AsUUID) String() string { return ULID(id).String() }

// GoString returns Go code for the ID, as in ulid.AsUUID(ulid.MustParse("01ARZ3NDEKTSV4RRFFQ69G5FAV")).
func (id AsUUID) GoString() string { return "ulid.AsUUID(" + ULID(id).GoString() + ")" }

// UUIDString is like [ULID.UUIDString].
func (id AsUUID) UUIDString() string { return ULID(id).UUIDString() }

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

// MarshalBinary is like [ULID.MarshalBinary].
func (id AsUUID) MarshalBinary() ([]byte, error) { return ULID(id).MarshalBinary() }

// UnmarshalBinary is like [ULID.UnmarshalBinary].
func (id *AsUUID) UnmarshalBinary(data []byte) error { return (*ULID)(id).UnmarshalBinary(data) }

// Scan is like [ULID.Scan], but reads 36 characters, as [ParseUUID] does.
func (id *AsUUID) Scan(src any) error { return scan((*ULID)(id), src, uuidFormat) }

// UUID is a ULID that has the 36 characters of a UUID everywhere: in JSON and logs, and as database/sql stores
// it, for uuid columns. It reads no other format. Use it where clients or other programs expect UUIDs, as a
// google/uuid service's do, and UUID(id) for every argument. If JSON and logs should show 26 characters,
// use [AsUUID].
//
// Like [AsBinary], it lacks Next, Bytes and AppendBinary.
type UUID ULID

// Value returns what String returns.
func (id UUID) Value() (driver.Value, error) { return id.String(), nil }

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

// Scan is like [AsUUID.Scan].
func (id *UUID) Scan(src any) error { return scan((*ULID)(id), src, uuidFormat) }
