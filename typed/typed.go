// Package typed gives each kind of ID a Go type of its own, so that the compiler rejects an order's
// ID where a user's belongs. A few lines declare a kind:
//
//	type UserKind struct{ typed.UUIDColumn } // how SQL stores the IDs
//
//	func (UserKind) Prefix() string { return "user" } // or "" for none
//
//	type UserID = typed.ID[UserKind]
//
//	func NewUserID() UserID { return typed.Make[UserKind]() } // user_01h455vb4pex5vsknk084sn02q
//
// The string of an ID, as in JSON, logs and URLs, is the prefix, an underscore and the ULID in
// lower case. This is the format of a TypeID (version 0.3 of its specification). Without a prefix,
// it is the string of the ULID.
//
// # Databases
//
// The column that the kind embeds decides what [ID.Value] returns. [ID.Scan] reads no other
// format:
//
//	PrefixColumn  what String returns   user_01h455vb4pex5vsknk084sn02q
//	TextColumn    26 characters         01H455VB4PEX5VSKNK084SN02Q
//	UUIDColumn    UUID format           01890a5d-ac96-774b-bcce-b302099a8057
//	BinaryColumn  16 bytes
//
// The compiler does not check the arguments of a query. Pass IDs of the column's kind only: with
// another type or a string, a condition such as id < ? can match every row. The examples of
// [ID.String] and [FirstAt] show how.
//
// [Make] calls [ulid.Make], so IDs of all kinds are in one order, and each is a UUID of version 7,
// as the specification of TypeIDs requires. To generate many at once, pass a slice of IDs to
// [ulid.Fill]. With a [ulid.Generator], write UserID(g.Make()), and pass a slice to [ulid.FillFrom].
//
// All functions are safe for concurrent use.
package typed

import (
	"bytes"
	"cmp"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/seed-961d0905/ulid"
)

// A Kind is what IDs identify, such as users. It is a struct type that embeds [PrefixColumn],
// [TextColumn], [UUIDColumn] or [BinaryColumn] and has no other field:
//
//	type UserKind struct{ typed.UUIDColumn }
//
// It also declares Prefix, which returns the prefix of the strings of its IDs, or "" for none:
//
//	func (UserKind) Prefix() string { return "user" }
//
// A prefix consists of 1 to 63 lower-case letters and underscores, and begins and ends with a
// letter. With any other prefix, or none with a PrefixColumn, every function and method that uses it
// panics: Make, Parse, String and more.
//
// Two kinds with the same prefix parse each other's strings, without an error. A type that is defined
// from a kind, as in type AdminKind UserKind, is not a kind, because it does not inherit the Prefix. Write
// type AdminKind struct{ typed.UUIDColumn }, and a Prefix of its own.
//
// A kind whose name is not exported works too, but code generators such as gqlgen cannot write its ID
// type.
type Kind interface {
	~struct{ PrefixColumn } | ~struct{ TextColumn } | ~struct{ UUIDColumn } | ~struct{ BinaryColumn }
	Prefix() string // the same in each call; "" for none
	column
}

// A column says how SQL stores the IDs of a kind. Each type of column has all of it, or its kinds do not compile.
type column interface {
	value(prefix string, id ulid.ULID) driver.Value
	scan(prefix string, id *ulid.ULID, src any) error // which wraps no error that Parse returns
	gormDataType(prefix string) string
	needsPrefix() bool
}

// PrefixColumn stores the IDs of the kinds that embed it as [ID.String] returns them, so the database
// has the strings of URLs and logs. The prefix is in every row, so it must stay the same.
type PrefixColumn struct{}

func (PrefixColumn) value(prefix string, id ulid.ULID) driver.Value { return textOf(prefix, id) }
func (PrefixColumn) gormDataType(prefix string) string {
	return fmt.Sprintf("char(%d)", textSize(prefix))
}
func (PrefixColumn) needsPrefix() bool { return true }

func (PrefixColumn) scan(prefix string, id *ulid.ULID, src any) error {
	var text []byte
	switch src := src.(type) {
	case string:
		text = []byte(src)
	case []byte:
		text = src
	default: // an error
		return id.Scan(src)
	}
	err := unmarshal(prefix, id, text)
	if err == nil {
		return nil
	}
	if other := errorOfOtherColumn(src); other != nil {
		return other
	}
	return errors.New(err.Error()) // of the same text, and wraps nothing
}

// TextColumn stores the IDs of the kinds that embed it as 26 characters in SQL, like [ulid.ULID].
type TextColumn struct{}

func (TextColumn) value(_ string, id ulid.ULID) driver.Value   { return id.String() }
func (TextColumn) scan(_ string, id *ulid.ULID, src any) error { return id.Scan(src) }
func (TextColumn) gormDataType(string) string                  { return "char(26)" }
func (TextColumn) needsPrefix() bool                           { return false }

// UUIDColumn stores the IDs of the kinds that embed it in UUID format in SQL, like [ulid.AsUUID].
// The column has the type uuid in PostgreSQL, and char(36) elsewhere.
type UUIDColumn struct{}

func (UUIDColumn) value(_ string, id ulid.ULID) driver.Value   { return id.UUIDString() }
func (UUIDColumn) scan(_ string, id *ulid.ULID, src any) error { return (*ulid.AsUUID)(id).Scan(src) }
func (UUIDColumn) gormDataType(string) string                  { return "uuid" }
func (UUIDColumn) needsPrefix() bool                           { return false }

// BinaryColumn stores the IDs of the kinds that embed it as 16 bytes in SQL, like [ulid.AsBinary].
type BinaryColumn struct{}

func (BinaryColumn) value(_ string, id ulid.ULID) driver.Value { return id[:] }
func (BinaryColumn) scan(_ string, id *ulid.ULID, src any) error {
	return (*ulid.AsBinary)(id).Scan(src)
}
func (BinaryColumn) gormDataType(string) string { return "bytes" }
func (BinaryColumn) needsPrefix() bool          { return false }

// An ID is a [ulid.ULID] that identifies something of the kind K. IDs of one kind are compared with
// == or [ID.Compare], and can be keys of a map. The compiler rejects IDs of different kinds in an
// assignment, a call or a comparison.
//
// A conversion turns a ULID into an ID, as in UserID(u), and [ID.ULID] returns the ULID. The
// compiler accepts UserID(orderID) too.
//
// BSON, DynamoDB and Firestore store the 16 bytes of an ID, which an ID of another kind reads without
// an error: pass them id.String().
type ID[K Kind] ulid.ULID

// Make returns a new ID. It calls [ulid.Make].
func Make[K Kind]() ID[K] {
	prefixOf[K]() // so that a wrong one is found at once
	return ID[K](ulid.Make())
}

// FirstAt returns the smallest ID of the millisecond of t, as [ulid.FirstAt] does. In a query it is
// the start of a range of time, and the FirstAt of a later time is its end:
//
//	WHERE id >= $1 AND id < $2
func FirstAt[K Kind](t time.Time) ID[K] { return ID[K](ulid.FirstAt(t)) }

// LastAt returns the largest ID of the millisecond of t, as [ulid.LastAt] does.
func LastAt[K Kind](t time.Time) ID[K] { return ID[K](ulid.LastAt(t)) }

// Parse parses the string of an ID, as [ID.String] returns it. For a kind with a prefix, s must
// have that prefix, an underscore and the ULID in lower case, as the specification of TypeIDs
// demands. For a kind without one, s must be a ULID in either case, as [ulid.Parse] accepts it.
//
// The error names the kind by its prefix, or by its Go type if it has none, and says what is wrong, as in
//
//	user ID: prefix "order", want "user"
//	user ID: length 7, want 31
//
// It is safe to send back: it quotes nothing of s except one wrong character, or the prefix if s is
// the ID of another kind. It wraps [ulid.ErrSyntax], and [ulid.ErrOverflow] for an ID that is too large
// or an [ulid.InvalidCharacterError] for a wrong character.
func Parse[K Kind](s string) (id ID[K], err error) {
	err = id.UnmarshalText([]byte(s))
	return id, err
}

// MustParse is like [Parse] but panics on an error. The panic quotes s.
func MustParse[K Kind](s string) ID[K] {
	id, err := Parse[K](s)
	if err != nil {
		panic(fmt.Errorf("%w in MustParse(%q)", err, s))
	}
	return id
}

// String returns the ID as JSON, logs and URLs show it: the prefix, an underscore and the ULID in
// lower case, or, for a kind without a prefix, what [ulid.ULID.String] returns.
//
// Don't pass it to a query, because only a [PrefixColumn] has the prefix: pass the ID itself.
func (id ID[K]) String() string {
	return textOf(prefixOf[K](), id.ULID())
}

// textOf returns the string of an ID.
func textOf(prefix string, id ulid.ULID) string {
	return string(appendText(make([]byte, 0, maxText), prefix, id))
}

// GoString returns Go code for the ID, as in typed.MustParse[main.UserKind]("user_01h455vb4pex5vsknk084sn02q"),
// which fmt prints for %#v.
func (id ID[K]) GoString() string {
	var kind K
	return fmt.Sprintf("typed.MustParse[%T](%q)", kind, id.String())
}

// AppendText appends what [ID.String] returns to b. The error is always nil.
func (id ID[K]) AppendText(b []byte) ([]byte, error) {
	return appendText(b, prefixOf[K](), id.ULID()), nil
}

func appendText(b []byte, prefix string, id ulid.ULID) []byte {
	if prefix == "" {
		b, _ = id.AppendText(b)
		return b
	}
	b, _ = id.AppendText(append(append(b, prefix...), '_'))
	lower(b[len(b)-ulid.EncodedSize:])
	return b
}

// MarshalText returns what [ID.String] returns, for JSON and other encoders. The error is always
// nil.
func (id ID[K]) MarshalText() ([]byte, error) {
	return id.AppendText(make([]byte, 0, textSize(prefixOf[K]())))
}

// UnmarshalText sets the ID to the one that [Parse] returns for text. On error id is unchanged.
func (id *ID[K]) UnmarshalText(text []byte) error {
	return wrap[K](unmarshal(prefixOf[K](), (*ulid.ULID)(id), text))
}

// unmarshal sets id from the text of an ID with the prefix. The error does not name the kind.
func unmarshal(prefix string, id *ulid.ULID, text []byte) error {
	if len(text) != textSize(prefix) || !hasPrefix(text, prefix) {
		return wrongText(prefix, text)
	}
	start := len(text) - ulid.EncodedSize
	digits := text[start:]
	if prefix != "" && !isLower(digits) {
		return caseError(digits, start)
	}
	return shifted(id.UnmarshalText(digits), start)
}

// caseError returns the error for digits that isLower rejects. They begin at the offset start.
func caseError(digits []byte, start int) error {
	upper := slices.IndexFunc(digits, func(c byte) bool { return c&0x20 == 0 }) // as in caseBits
	err := new(ulid.ULID).UnmarshalText(digits)
	if wrong, ok := err.(ulid.InvalidCharacterError); ok && wrong.Offset <= upper {
		return shifted(wrong, start)
	}
	return fmt.Errorf("%w, want lower case", ulid.InvalidCharacterError{Offset: start + upper, Char: digits[upper]})
}

// shifted returns the error for a text that begins at the offset start.
func shifted(err error, start int) error {
	if wrong, ok := err.(ulid.InvalidCharacterError); ok {
		wrong.Offset += start
		return wrong
	}
	return err
}

// MarshalBinary returns what [ID.String] returns, because 16 bytes would not show the kind: an ID that
// gob, CBOR or go-redis stored is read by IDs of its kind only, if the kind has a prefix. For the
// bytes, convert the ID to a [ulid.ULID].
func (id ID[K]) MarshalBinary() ([]byte, error) { return id.MarshalText() }

// UnmarshalBinary is like [ID.UnmarshalText].
func (id *ID[K]) UnmarshalBinary(data []byte) error { return id.UnmarshalText(data) }

// Value returns what SQL stores: the ID in the format of the kind's column. It never returns nil, so
// the zero ID is not NULL. For a column that may be NULL, use a pointer to an ID.
func (id ID[K]) Value() (driver.Value, error) {
	var kind K
	return kind.value(prefixOf[K](), id.ULID()), nil
}

// Scan sets the ID from what [ID.Value] returns for the kind's column: 26 characters, 36 characters or
// the string with the prefix, in a string or []byte, or 16 bytes in a []byte.
//
// Anything else, NULL included, is an error that leaves id unchanged. For NULL use a pointer or a sql.Null.
// If the value has the format of another column, the error names that column. Like an error of
// [ulid.ULID.Scan], it wraps none that [Parse] returns.
func (id *ID[K]) Scan(src any) error {
	var kind K
	return wrap[K](kind.scan(prefixOf[K](), (*ulid.ULID)(id), src))
}

// errorOfOtherColumn returns the error with which a type of the library that does not read src names the one that
// does, or nil if none does.
func errorOfOtherColumn(src any) error {
	if new(ulid.ULID).Scan(src) == nil {
		return new(ulid.AsUUID).Scan(src)
	}
	if new(ulid.AsUUID).Scan(src) == nil || new(ulid.AsBinary).Scan(src) == nil && !isCut(src) {
		return new(ulid.ULID).Scan(src)
	}
	return nil
}

// isCut reports whether a []byte of 16 is the text of an ID that a column has cut, rather than 16 bytes.
func isCut(src any) bool {
	data, _ := src.([]byte)
	return !bytes.ContainsFunc(data, func(r rune) bool { return r < ' ' || r > '~' })
}

// GormDataType tells gorm the type of the kind's column: "char(26)", "uuid", "bytes", or for a
// [PrefixColumn] a char of the length of its strings, such as "char(31)".
func (id ID[K]) GormDataType() string {
	var kind K
	return kind.gormDataType(prefixOf[K]())
}

// ULID returns the ID without its kind.
func (id ID[K]) ULID() ulid.ULID { return ulid.ULID(id) }

// UUIDString returns the ID in UUID format, as [ulid.ULID.UUIDString] does.
func (id ID[K]) UUIDString() string { return id.ULID().UUIDString() }

// Time returns the time of the ID, as [ulid.ULID.Time] does.
func (id ID[K]) Time() time.Time { return id.ULID().Time() }

// IsZero reports whether id is the zero ID.
func (id ID[K]) IsZero() bool { return id.ULID().IsZero() }

// Compare returns -1 if id sorts before other, +1 if it sorts after it, and 0 if they are equal.
func (id ID[K]) Compare(other ID[K]) int { return id.ULID().Compare(other.ULID()) }

const (
	maxPrefix = 63
	maxText   = maxPrefix + 1 + ulid.EncodedSize // of an ID of any kind
)

// prefixOf returns the prefix of a kind. It panics if the prefix is wrong.
func prefixOf[K Kind]() string {
	var kind K
	prefix := kind.Prefix()
	if prefix == "" && !kind.needsPrefix() {
		return ""
	}
	if !isPrefix(prefix) {
		const want = "1 to 63 letters a to z, and underscores between them"
		panic(fmt.Sprintf("typed: the prefix %q of %T is not "+want, prefix, kind))
	}
	return prefix
}

func isPrefix(s string) bool {
	for i := range len(s) {
		if (s[i] < 'a' || s[i] > 'z') && (s[i] != '_' || i == 0 || i == len(s)-1) {
			return false
		}
	}
	return 0 < len(s) && len(s) <= maxPrefix
}

// textSize returns the length of a string with the prefix, or without one.
func textSize(prefix string) int {
	if prefix == "" {
		return ulid.EncodedSize
	}
	return len(prefix) + 1 + ulid.EncodedSize
}

// hasPrefix reports whether a text of the right length begins with the prefix and an underscore.
func hasPrefix(text []byte, prefix string) bool {
	return prefix == "" || string(text[:len(prefix)]) == prefix && text[len(prefix)] == '_'
}

// caseBits is the bit that makes a letter lower case, in each byte of a word. Digits have it
// anyway.
const caseBits = 0x20_20_20_20_20_20_20_20

// lower makes the text of a ULID lower case, eight characters at once.
func lower(text []byte) {
	_ = text[:ulid.EncodedSize]
	lowerWord(text[0:])
	lowerWord(text[8:])
	lowerWord(text[16:])
	lowerWord(text[18:]) // with six that are lower case by now
}

func lowerWord(text []byte) {
	binary.NativeEndian.PutUint64(text, binary.NativeEndian.Uint64(text)|caseBits)
}

// isLower reports whether each character has the bit of lower case. Then none is a capital.
func isLower(text []byte) bool {
	_ = text[:ulid.EncodedSize]
	a, b := binary.NativeEndian.Uint64(text[0:]), binary.NativeEndian.Uint64(text[8:])
	c, d := binary.NativeEndian.Uint64(text[16:]), binary.NativeEndian.Uint64(text[18:])
	return a&b&c&d&caseBits == caseBits
}

// wrongText returns the error for a text whose length or prefix is wrong. It names the prefix
// of text only if text is the ID of another kind.
func wrongText(want string, text []byte) error {
	got, isID := cutPrefix(text)
	if !isID && len(text) != textSize(want) {
		return sizeError{len(text), textSize(want)}
	}
	return prefixError{got, want, isID}
}

// cutPrefix returns the prefix of text if text is an ID of any kind.
func cutPrefix(text []byte) (prefix string, isID bool) {
	if len(text) > maxText {
		return "", false // it is neither searched nor copied
	}
	at := bytes.LastIndexByte(text, '_')
	rest := text[at+1:]
	if _, err := ulid.Parse(string(rest)); err != nil {
		return "", false
	}
	if at < 0 {
		return "", true
	}
	prefix = string(text[:at])
	if !isPrefix(prefix) || !isLower(rest) {
		return "", false
	}
	return prefix, true
}

// A kindError puts the kind before an error. It formats its message only when asked for it, because
// that takes longer than rejecting an input.
type kindError[K Kind] struct{ err error }

func (e kindError[K]) Error() string {
	return nameOf[K]() + ": " + strings.TrimPrefix(e.err.Error(), "ulid: ")
}

func (e kindError[K]) Unwrap() error { return e.err }

// nameOf returns what errors call the IDs of a kind: by its prefix or else by its type.
func nameOf[K Kind]() string {
	return cmp.Or(prefixOf[K](), reflect.TypeFor[K]().Name()) + " ID"
}

// wrap puts the kind before an error of the library, if there is one.
func wrap[K Kind](err error) error {
	if err != nil {
		err = kindError[K]{err}
	}
	return err
}

type prefixError struct {
	got, want string // "" for none
	isID      bool   // got is the prefix of an ID; otherwise it is unknown
}

func (e prefixError) Error() string {
	what := "wrong prefix"
	if e.isID {
		what = "prefix " + quote(e.got)
	}
	return what + ", want " + quote(e.want)
}

func (e prefixError) Unwrap() error { return ulid.ErrSyntax }

// A sizeError has the text of package ulid for a wrong length.
type sizeError struct{ got, want int }

func (e sizeError) Error() string { return fmt.Sprintf("length %d, want %d", e.got, e.want) }

func (e sizeError) Unwrap() error { return ulid.ErrSyntax }

// quote returns a prefix as error messages show it.
func quote(prefix string) string {
	if prefix == "" {
		return "none"
	}
	return `"` + prefix + `"` // it has letters and underscores only
}
