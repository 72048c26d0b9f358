// Package ulid generates, parses and stores ULIDs, 128-bit identifiers that sort by creation
// time. IDs from [Make] are also UUIDs of version 7.
//
// A ULID is 48 bits of Unix time in milliseconds and 80 more bits, written as 26 characters of
// Crockford's Base32. See https://github.com/ulid/spec.
//
//	id := ulid.Make()         // 01M7ZPQKK9EYA9HNHQEYD33WCP
//	s := id.String()          // 26 characters
//	id, err := ulid.Parse(s)  // an error for anything that is not a ULID
//	when := id.Time()         // to the millisecond
//
// [Make] is what almost every program needs. It returns no error, and its random bits come from
// crypto/rand. Each ID is greater than every ID that Make returned, in any goroutine, before the call
// began, even if the clock is set back.
//
// A [Generator] has its own clock or source of random bits, and can generate IDs greater than those of
// another process. [MakeAt] generates an ID with a given time. All these are UUIDs of version 7.
//
// [New] and a [Monotonic] generate the ULIDs of the specification, with 80 bits of entropy and without a
// UUID version. A Monotonic is the specification's monotonic source, which increments these bits within a
// millisecond, in order across goroutines.
//
// [AsUUID] and [AsBinary] change how database/sql stores a ULID. A [UUID] has 36 characters in JSON and
// logs too. Use one type for a column and for all arguments compared with it: an argument of another type
// can match no row, or every row, without an error. [FirstAt] and [LastAt] are the start and the end of a
// range of time.
//
// All functions, Generators and Monotonics are safe for concurrent use. A Clock that goroutines share must be
// safe too, and so must a reader that they pass to New. A Generator calls its Source, and a Monotonic reads its
// entropy, under a lock, so these must be safe only if something else uses them too. On error the result is the
// zero ULID, and a method that sets a ULID leaves it unchanged.
//
// A ULID is not a secret, and shows when it was generated. Use [crypto/rand.Text] for a session
// key. Every guarantee, with its limits, is in
// https://github.com/seed-961d0905/ulid/blob/main/docs/guarantees.md.
package ulid

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strconv"
	"time"
	"unicode/utf8"
)

// A ULID is a Universally Unique Lexicographically Sortable Identifier. Bytes 0 to 5 are the
// Unix time in milliseconds, big-endian. Bytes 6 to 15 are random, but in a UUID of version 7 they also
// have the version, the variant and a fraction of the millisecond. The zero value is the smallest ULID.
//
// Any [16]byte type converts to a ULID and back, as in ulid.ULID(u) and uuid.UUID(id). For text use
// [Parse], and for a []byte [ULID.UnmarshalBinary]: ulid.ULID([]byte("01AR…")) compiles, and takes the
// first 16 characters for bytes.
//
// AppendText, MarshalText, AppendBinary, MarshalBinary and Value never fail.
type ULID [16]byte

const (
	maxTime     = 1<<48 - 1 // milliseconds
	entropySize = 10        // bytes
)

// The errors of this package, for [errors.Is]. What a function returns may say more, as in
// "ulid: length 25, want 26".
var (
	// ErrSyntax means that the input is not an ID. Every error of a parser or an Unmarshal method wraps
	// it: a wrong length, a wrong character, the wrong prefix of a typed ID, and ErrOverflow. For a JSON
	// value that is not a string, encoding/json has an error of its own.
	ErrSyntax = errors.New("ulid: invalid syntax")

	// ErrOverflow means that a string is greater than the largest ULID. It wraps ErrSyntax.
	ErrOverflow error = syntaxError("ulid: greater than 7ZZZZZZZZZZZZZZZZZZZZZZZZZ, the largest ULID")

	// ErrTimeRange means that no ULID can have the time.
	ErrTimeRange = errors.New("ulid: time is not from 1970 to 10889-08-02")

	// ErrMonotonicOverflow means that a step would overflow the 80 bits of a Monotonic. A later
	// millisecond ends it.
	ErrMonotonicOverflow = errors.New("ulid: monotonic entropy overflow")

	// ErrAhead means that the time of an ID is further ahead of the clock than the caller of
	// Generator.AdvancePast allows.
	ErrAhead = errors.New("ulid: too far ahead of the clock")
)

// InvalidCharacterError says which byte of the input is wrong. Use [errors.As] with a variable of
// this type, not of a pointer to it.
type InvalidCharacterError struct {
	Offset int // in bytes
	Char   byte
}

// Error names the byte and its offset.
func (e InvalidCharacterError) Error() string {
	char := fmt.Sprintf(`'\x%02x'`, e.Char)
	if e.Char < utf8.RuneSelf {
		char = strconv.QuoteRune(rune(e.Char))
	}
	return "ulid: invalid character " + char + " at offset " + strconv.Itoa(e.Offset)
}

// Unwrap returns [ErrSyntax].
func (e InvalidCharacterError) Unwrap() error { return ErrSyntax }

// A syntaxError is its text, and wraps ErrSyntax.
type syntaxError string

func (e syntaxError) Error() string { return string(e) }

func (e syntaxError) Unwrap() error { return ErrSyntax }

// A sizeError says how long the input is, in bytes, and how long it should be.
type sizeError struct {
	got  int
	want string
}

func (e sizeError) Error() string {
	switch e {
	case sizeError{uuidSize, "26"}:
		return e.short() + "; ParseUUID reads the UUID format"
	case sizeError{EncodedSize, "36"}:
		return e.short() + "; Parse reads the 26 of a ULID"
	}
	return e.short()
}

// short returns the error without the name of a parser.
func (e sizeError) short() string { return fmt.Sprintf("ulid: length %d, want %s", e.got, e.want) }

func (e sizeError) Unwrap() error { return ErrSyntax }

// defaultGenerator makes the IDs of Make and Fill.
var defaultGenerator Generator

// Make returns a new ULID with the current time, which is also a UUID of version 7 (RFC 9562). It
// is greater than every ULID that Make or [Fill] returned, in any goroutine of this process,
// before the call began. IDs from other sources sort by their time, as far as clocks agree.
//
// An ID has the time to a quarter of a microsecond, and then 58 random bits from crypto/rand.
// [Generator] says what the time is if the clock has not moved on, or was set back.
//
// Make does not wait for the clock, has no mutex and allocates nothing itself. It panics with
// [ErrTimeRange] when the time of a ULID ends, in August 10889. Like [crypto/rand.Read], it ends the
// process if the system has no randomness. A program that replaces [crypto/rand.Reader] needs a reader
// that is safe for concurrent use and does not call Make.
func Make() ULID { return defaultGenerator.Make() }

// Fill sets every element of ids to a new ID, in increasing order. It is like calling [Make] for
// each, but several times as fast for ten IDs or more. The times of the IDs are 15 ns apart, so a million IDs
// span 15 ms, and the last ones may be ahead of the clock. The element type may be any [16]byte type, such as
// [AsUUID].
func Fill[ID ~[16]byte](ids []ID) { FillFrom(&defaultGenerator, ids) }

// MakeAt returns a new ULID with the time t. Use it to give an ID to an old row. Like an ID from [Make]
// it is a UUID of version 7, and has the time to a quarter of a microsecond. Its random bits are from
// crypto/rand, so IDs of the same time are in no order. MakeAt does not affect Make.
//
// The error is [ErrTimeRange] if t is before 1970 or after the last millisecond of a ULID, in August
// 10889.
func MakeAt(t time.Time) (ULID, error) {
	tick, ok := tickAt(t)
	if !ok {
		return ULID{}, ErrTimeRange
	}
	var buf [bitsSize]byte
	rand.Read(buf[:]) // which never fails
	random := binary.BigEndian.Uint64(buf[:])
	var id ULID
	layout((tick&^15)|(random&15), random, id[:])
	return id, nil
}

// New returns a ULID of the ULID specification: the millisecond of t, and 80 bits of entropy, or of
// crypto/rand if entropy is nil. To give an ID to an old row use [MakeAt], which returns a UUID of version
// 7 as Make does. IDs from New sort by their millisecond, and in no order below that. For order within a
// millisecond, use a [Monotonic].
//
// The error is [ErrTimeRange], as for MakeAt, or that of [io.ReadFull], which reads 10 bytes of entropy.
func New(t time.Time, entropy io.Reader) (ULID, error) {
	ms, ok := unixMilli(t)
	if !ok {
		return ULID{}, ErrTimeRange
	}
	p := make([]byte, entropySize)
	if err := readFrom(entropy, p); err != nil {
		return ULID{}, err
	}
	return newID(ms, p), nil
}

// newID returns the ULID with the given millisecond and 10 bytes of entropy.
func newID(ms uint64, entropy []byte) (id ULID) {
	binary.BigEndian.PutUint64(id[:8], ms<<16)
	copy(id[6:], entropy)
	return id
}

// Time returns the time of id as a local time, to the millisecond.
func (id ULID) Time() time.Time { return time.UnixMilli(int64(id.ms())) }

func (id *ULID) ms() uint64 { return binary.BigEndian.Uint64(id[:8]) >> 16 }

// unixMilli returns the time of a ULID for t, in milliseconds. For a time that no ULID can have, it
// returns the nearest one and false.
func unixMilli(t time.Time) (ms uint64, ok bool) {
	seconds := t.Unix()
	switch {
	case seconds < 0:
		return 0, false
	case seconds > maxTime/1000:
		return maxTime, false
	}
	ms = uint64(seconds)*1000 + uint64(t.Nanosecond())/1e6
	return min(ms, maxTime), ms <= maxTime
}

// IsZero reports whether id is the zero ULID. encoding/json then omits a field with the option omitzero,
// but never with omitempty.
func (id ULID) IsZero() bool { return id == ULID{} }

// FirstAt returns the smallest ULID with the millisecond of t: the zero ULID if t is before
// 1970, and the largest ULID if it is after the last millisecond of a ULID, in August 10889. This
// condition selects the IDs from one time until before another, in whole milliseconds:
//
//	id >= FirstAt(from) AND id < FirstAt(to)
//
// Pass both as the type of the column, such as AsUUID(FirstAt(from)).
func FirstAt(t time.Time) ULID { return clamped(t, uint128{}) }

// LastAt returns the largest ULID with the millisecond of t. If t is out of range, it returns what FirstAt
// does. It bounds a range that includes the millisecond of its end:
//
//	id BETWEEN FirstAt(from) AND LastAt(to)
func LastAt(t time.Time) ULID { return clamped(t, uint128{0xFFFF, 1<<64 - 1}) }

// clamped returns the ULID with the time of t and the given entropy, or the one at the end of the
// range that t is beyond.
func clamped(t time.Time, entropy uint128) (id ULID) {
	ms, ok := unixMilli(t)
	switch {
	case ok:
		entropy.hi |= ms << 16
		entropy.put(&id)
	case ms > 0: // after the last time
		uint128{1<<64 - 1, 1<<64 - 1}.put(&id)
	}
	return id
}

// Compare returns -1 if id is less than other, 0 if they are equal and +1 if id is greater. The 16
// bytes sort in this order, and so do strings if all are upper case or all lower case.
func (id ULID) Compare(other ULID) int {
	// Comparing two words is faster than a call of bytes.Compare.
	if c := cmp.Compare(binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(other[:8])); c != 0 {
		return c
	}
	return cmp.Compare(binary.BigEndian.Uint64(id[8:]), binary.BigEndian.Uint64(other[8:]))
}

// Next returns the smallest ULID greater than id, or id and false if there is none.
func (id ULID) Next() (next ULID, ok bool) {
	id.uint128().add(1).put(&next)
	if next.IsZero() {
		return id, false
	}
	return next, true
}

// readFrom fills p from entropy, or from crypto/rand if that is nil.
func readFrom(entropy io.Reader, p []byte) error {
	if entropy == nil {
		rand.Read(p) // which never fails
		return nil
	}
	_, err := io.ReadFull(entropy, p)
	return err
}

// uint128 is a ULID as a number: 48 bits of time, 16 and 64 of entropy.
type uint128 struct{ hi, lo uint64 }

func (id *ULID) uint128() uint128 {
	return uint128{binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(id[8:])}
}

func (n uint128) put(id *ULID) {
	binary.BigEndian.PutUint64(id[:8], n.hi)
	binary.BigEndian.PutUint64(id[8:], n.lo)
}

// add returns n + m, and wraps around.
func (n uint128) add(m uint64) uint128 {
	lo, carry := bits.Add64(n.lo, m, 0)
	return uint128{n.hi + carry, lo}
}
