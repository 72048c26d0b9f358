package ulid

// IDs in SQL: Scan and Value, the formats of rows, and the types AsBinary and AsUUID.

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"
)

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

// Value returns what String returns.
func (id UUID) Value() (driver.Value, error) { return id.String(), nil }

// Scan is like [AsUUID.Scan].
func (id *UUID) Scan(src any) error { return scan((*ULID)(id), src, uuidFormat) }
