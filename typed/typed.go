// Package typed gives each kind of ID its own Go type, so that the compiler tells a user's ID
// from an order's, and a prefix if you want one:
//
//	type user struct{ typed.UUIDColumn }
//
//	func (user) Prefix() string { return "user" }
//
//	type UserID = typed.ID[user]
//
//	func NewUserID() UserID { return typed.Make[user]() } // user_01h455vb4pex5vsknk084sn02q
//
// With a prefix, the text of an ID is a TypeID, in the form of version 0.3 of its
// specification: the prefix, an underscore, and the ULID in lower case. Without one, it is the
// text of the ULID. In SQL and in binary forms an ID has no prefix.
//
// For a kind with a [UUIDColumn], [Make] and [Fill] return UUIDs of version 7 (RFC 9562),
// because other programs expect them in such a column, and the specification of TypeIDs asks
// for them. They have 74 random bits instead of 80. The IDs of all these kinds have one order,
// apart from the one of other IDs: see [ulid.MakeUUIDv7].
//
// All functions are safe for concurrent use.
package typed

import (
	"bytes"
	"cmp"
	"database/sql/driver"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/seed-961d0905/ulid"
)

// A Kind is what IDs identify. It is a struct type that embeds [TextColumn], [UUIDColumn] or
// [BinaryColumn], and has its own method Prefix if its texts are to have one.
//
// A prefix consists of 1 to 63 lower-case letters and underscores, and begins and ends with a
// letter. With any other prefix, what uses it panics: Make, Parse, String and more.
type Kind interface {
	Prefix() string // always the same; "" for none
	column() string
}

// TextColumn is for a kind whose IDs are stored in SQL as the 26 characters of
// [ulid.ULID.String].
type TextColumn struct{ noPrefix }

// UUIDColumn is for a kind whose IDs are stored in SQL in UUID notation, as for a column of
// type uuid.
type UUIDColumn struct{ noPrefix }

// BinaryColumn is for a kind whose IDs are stored in SQL as 16 bytes.
type BinaryColumn struct{ noPrefix }

func (TextColumn) column() string   { return textColumn }
func (UUIDColumn) column() string   { return uuidColumn }
func (BinaryColumn) column() string { return binaryColumn }

// The columns, in gorm's words.
const (
	textColumn   = "char(26)"
	uuidColumn   = "uuid"
	binaryColumn = "bytes"
)

const maxPrefix = 63

type noPrefix struct{}

func (noPrefix) Prefix() string { return "" }

// An ID identifies something of the kind K. IDs are comparable, and sort as ULIDs do. To make
// one of a [ulid.ULID], convert it: UserID(id).
type ID[K Kind] ulid.ULID

// Make returns a new ID, as [ulid.Make] does, or as [ulid.MakeUUIDv7] does for a kind with a
// [UUIDColumn].
func Make[K Kind]() ID[K] {
	prefixOf[K]() // so that a wrong one is found at once
	if (ID[K]{}).GormDataType() == uuidColumn {
		return ID[K](ulid.MakeUUIDv7())
	}
	return ID[K](ulid.Make())
}

// Fill makes an ID for each element of ids, in order, as [ulid.Fill] or [ulid.FillUUIDv7] does.
func Fill[K Kind](ids []ID[K]) {
	prefixOf[K]()
	var piece [128]ulid.ULID // on the stack, unless ulid.Fill were called through a variable
	for len(ids) > 0 {
		made := piece[:min(len(ids), len(piece))]
		if (ID[K]{}).GormDataType() == uuidColumn {
			ulid.FillUUIDv7(made)
		} else {
			ulid.Fill(made)
		}
		for i, id := range made {
			ids[i] = ID[K](id)
		}
		ids = ids[len(made):]
	}
}

// FirstAt returns the smallest ID of the millisecond of t, as [ulid.FirstAt] does.
func FirstAt[K Kind](t time.Time) ID[K] { return ID[K](ulid.FirstAt(t)) }

// LastAt returns the largest ID of the millisecond of t, as [ulid.LastAt] does.
func LastAt[K Kind](t time.Time) ID[K] { return ID[K](ulid.LastAt(t)) }

// Parse parses what [ID.String] returns. It accepts a text with a prefix in lower case only, as
// the TypeID specification demands, and one without a prefix in either case, as [ulid.Parse]
// does.
//
// An error says what is wrong. It quotes nothing of s except one character, or the prefix if s
// is the ID of another kind. It wraps [ulid.ErrDataSize] for a wrong length, [ulid.ErrOverflow]
// for an ID that is too large, and [ulid.ErrInvalidCharacters] for a wrong character or prefix.
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

// String returns the text: the prefix, an underscore and the ULID in lower case, or the ULID as
// [ulid.ULID.String] writes it.
func (id ID[K]) String() string {
	text, _ := id.AppendText(make([]byte, 0, maxPrefix+1+ulid.EncodedSize))
	return string(text)
}

// AppendText appends the text of [ID.String] to b. The error is always nil.
func (id ID[K]) AppendText(b []byte) ([]byte, error) {
	prefix := prefixOf[K]()
	if prefix == "" {
		return id.ULID().AppendText(b)
	}
	b, _ = id.ULID().AppendText(append(append(b, prefix...), '_'))
	for i := len(b) - ulid.EncodedSize; i < len(b); i++ {
		b[i] |= 'a' - 'A' // a bit that digits have anyway
	}
	return b, nil
}

// MarshalText returns the text of [ID.String]. The error is always nil.
func (id ID[K]) MarshalText() ([]byte, error) {
	return id.AppendText(make([]byte, 0, len(prefixOf[K]())+1+ulid.EncodedSize))
}

// UnmarshalText sets the ID from its text, as [Parse] does.
func (id *ID[K]) UnmarshalText(text []byte) error {
	prefix, start := prefixOf[K](), 0
	if prefix != "" {
		start = len(prefix) + 1
	}
	if len(text) != start+ulid.EncodedSize || start > 0 && (string(text[:start-1]) != prefix || text[start-1] != '_') {
		return wrongText[K](string(text))
	}
	for i, c := range text[start:] {
		if start > 0 && 'A' <= c && c <= 'Z' {
			wrong := ulid.InvalidCharacterError{Offset: start + i, Char: c}
			return kindError[K](wrong, "invalid character %q at offset %d, want lower case", c, wrong.Offset)
		}
	}
	err := (*ulid.ULID)(id).UnmarshalText(text[start:])
	if wrong, ok := err.(ulid.InvalidCharacterError); ok {
		wrong.Offset += start
		err = wrong
	}
	return wrap[K](err)
}

// AppendBinary appends the 16 bytes of the ULID to b. The error is always nil.
func (id ID[K]) AppendBinary(b []byte) ([]byte, error) { return append(b, id[:]...), nil }

// MarshalBinary returns the 16 bytes of the ULID. The error is always nil.
func (id ID[K]) MarshalBinary() ([]byte, error) { return id[:], nil }

// UnmarshalBinary sets the ID from the 16 bytes of a ULID.
func (id *ID[K]) UnmarshalBinary(data []byte) error {
	return wrap[K]((*ulid.ULID)(id).UnmarshalBinary(data))
}

// Value returns the ULID in the form of the kind's column, without the prefix. The zero ID is
// not NULL.
func (id ID[K]) Value() (driver.Value, error) {
	switch id.GormDataType() {
	case uuidColumn:
		return id.UUIDString(), nil
	case binaryColumn:
		return id[:], nil
	}
	return id.ULID().String(), nil
}

// Scan sets the ID from a database value: the text of [ID.String], or whatever [ulid.ULID.Scan]
// accepts. NULL gives the zero ID.
func (id *ID[K]) Scan(src any) error {
	text, _ := src.([]byte)
	if s, ok := src.(string); ok {
		text = []byte(s)
	}
	// A length would not do: a prefix of nine letters makes 36 characters, as many as a UUID
	// has. Nor is every underscore one that follows a prefix: 16 bytes may have it.
	if len(text) != len(id) && bytes.IndexByte(text, '_') >= 0 {
		return id.UnmarshalText(text)
	}
	return wrap[K]((*ulid.ULID)(id).Scan(src))
}

// GormDataType returns the type of the kind's column for gorm: "char(26)", "uuid" or "bytes".
func (id ID[K]) GormDataType() string {
	var kind K
	return kind.column()
}

// ULID returns the ID without its kind.
func (id ID[K]) ULID() ulid.ULID { return ulid.ULID(id) }

// UUIDString returns the UUID notation, as [ulid.ULID.UUIDString] does.
func (id ID[K]) UUIDString() string { return id.ULID().UUIDString() }

// Time returns the Unix time in milliseconds, as [ulid.ULID.Time] does.
func (id ID[K]) Time() uint64 { return id.ULID().Time() }

// Timestamp returns the time, as [ulid.ULID.Timestamp] does.
func (id ID[K]) Timestamp() time.Time { return id.ULID().Timestamp() }

// IsZero reports whether id is the zero ID.
func (id ID[K]) IsZero() bool { return id.ULID().IsZero() }

// Compare returns -1, 0 or +1, as id sorts before, with or after other.
func (id ID[K]) Compare(other ID[K]) int { return id.ULID().Compare(other.ULID()) }

// prefixOf returns the prefix of a kind. It panics if the prefix is wrong.
func prefixOf[K Kind]() string {
	var kind K
	prefix := kind.Prefix()
	if prefix != "" && !isPrefix(prefix) {
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

// wrongText returns the error for a text whose prefix or length is wrong. It names the prefix
// of s only if s is an ID.
func wrongText[K Kind](s string) error {
	prefix, want := prefixOf[K](), len(ID[K]{}.String())
	at := strings.LastIndexByte(s, '_')
	switch _, err := ulid.Parse(s[at+1:]); {
	case err == nil && (at < 0 || isPrefix(s[:at]) && s == strings.ToLower(s)):
		return kindError[K](ulid.ErrInvalidCharacters, "prefix %s, want %s", quote(s[:max(at, 0)]), quote(prefix))
	case len(s) != want:
		return kindError[K](ulid.ErrDataSize, "%d characters, want %d", len(s), want)
	}
	return kindError[K](ulid.ErrInvalidCharacters, "wrong prefix, want %q", prefix)
}

// quote returns a prefix for the text of an error.
func quote(prefix string) string {
	if prefix == "" {
		return "none"
	}
	return fmt.Sprintf("%q", prefix)
}

// A textError is an error of the library that says more.
type textError struct {
	text string
	error
}

func (e textError) Error() string { return e.text }
func (e textError) Unwrap() error { return e.error }

// kindError returns err with a text that begins with the prefix of the kind, or else its type.
func kindError[K Kind](err error, format string, args ...any) error {
	kind := cmp.Or(prefixOf[K](), reflect.TypeFor[K]().Name())
	return textError{kind + " ID: " + fmt.Sprintf(format, args...), err}
}

// wrap puts the kind before an error of the library.
func wrap[K Kind](err error) error {
	if err != nil {
		err = kindError[K](err, "%v", err)
	}
	return err
}
