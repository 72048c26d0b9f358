// Package ulid takes the place of github.com/oklog/ulid/v2 in a program and in all of its dependencies, without a
// change of their code:
//
//	go mod edit -replace github.com/oklog/ulid/v2=github.com/seed-961d0905/ulid/oklog@v1.0.0
//	go mod tidy
//
// It has the names of oklog/ulid 2.1.2. It reads, writes, stores, accepts and rejects what oklog/ulid does. These are
// different:
//
//   - [Make] keeps its order in all goroutines and when the clock is set back. Its bits come from crypto/rand, and its
//     IDs are UUIDs of version 7.
//   - [DefaultEntropy] keeps its order in all goroutines too, and also uses crypto/rand.
//   - A [MonotonicEntropy] does not wrap around or panic, and several goroutines may use it. So it has a mutex, and
//     go vet reports a copy of one.
//   - The package cmd/ulid is missing.
//
// The command go install path@version rejects a program with the line. Such a program imports this package instead. A
// library does neither: it imports oklog/ulid, and leaves the line to programs.
//
// New code uses github.com/seed-961d0905/ulid, whose ULID is stored as a string. The README has a table of the names
// there for those of this package.
package ulid

import (
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/seed-961d0905/ulid"
)

// A ULID is an ID of 48 bits of time and 80 bits of entropy. In SQL it is stored as 16 bytes.
type ULID [16]byte

const (
	// EncodedSize is the length of a ULID's string in characters.
	EncodedSize = 26

	// Encoding is the alphabet of the string.
	Encoding = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

	entropySize = 10
	maxTime     = 1<<48 - 1
)

// Zero is the zero ULID, unless a program has changed it.
var Zero ULID

// Functions and methods return these errors themselves and never wrap them, so == finds them. The texts are those of
// oklog/ulid.
var (
	ErrDataSize          = errors.New("ulid: bad data size when unmarshaling")
	ErrInvalidCharacters = errors.New("ulid: bad data characters when unmarshaling")
	ErrBufferSize        = errors.New("ulid: bad buffer size when marshaling")
	ErrBigTime           = errors.New("ulid: time too big")
	ErrOverflow          = errors.New("ulid: overflow when unmarshaling")
	ErrMonotonicOverflow = errors.New("ulid: monotonic entropy overflow")
	ErrScanValue         = errors.New("ulid: source value must be a string or byte slice")
)

// Make returns a new ULID with the current time, which is also a UUID of version 7. It is greater than every ULID that
// Make returned before, in any goroutine. It does not use [DefaultEntropy].
func Make() ULID {
	return ULID(ulid.Make())
}

// New returns a ULID with the given time in milliseconds since the Unix epoch. Its entropy is what a [MonotonicReader]
// returns for that time, 10 bytes from any other reader, and zeros if entropy is nil.
//
// The error is [ErrBigTime] if ms is greater than [MaxTime], and otherwise that of entropy. The ULID then has what was
// read before the error.
func New(ms uint64, entropy io.Reader) (ULID, error) {
	var id ULID
	err := id.SetTime(ms)
	if err == nil && entropy != nil {
		err = readEntropy(entropy, ms, id[6:])
	}
	return id, err
}

func readEntropy(entropy io.Reader, ms uint64, p []byte) error {
	if monotonic, ok := entropy.(MonotonicReader); ok {
		return monotonic.MonotonicRead(ms, p)
	}
	_, err := io.ReadFull(entropy, p)
	return err
}

// MustNew is like [New] but panics with the error.
func MustNew(ms uint64, entropy io.Reader) ULID { return must(New(ms, entropy)) }

// MustNewDefault is [MustNew] with the [Timestamp] of t and [DefaultEntropy].
func MustNewDefault(t time.Time) ULID { return MustNew(Timestamp(t), defaultEntropy) }

func must(id ULID, err error) ULID {
	if err != nil {
		panic(err)
	}
	return id
}

// Parse parses the 26 characters of a ULID, in upper or lower case. It accepts any other character as well, of which
// it makes the same bits as oklog/ulid.
//
// The error is [ErrDataSize] if the length is wrong, and [ErrOverflow] if the first character is greater than 7.
func Parse(s string) (ULID, error) {
	var id ULID
	err := id.UnmarshalText([]byte(s))
	return id, err
}

// ParseStrict is like [Parse], but returns [ErrInvalidCharacters] for a character that is not in [Encoding], in upper
// or lower case.
func ParseStrict(s string) (ULID, error) {
	id, err := ulid.Parse(s)
	switch {
	case err == nil:
		return ULID(id), nil
	case len(s) != EncodedSize:
		return ULID{}, ErrDataSize
	case errors.Is(err, ulid.ErrOverflow):
		return ULID{}, ErrOverflow
	}
	return ULID{}, ErrInvalidCharacters
}

// MustParse is like [Parse] but panics with the error.
func MustParse(s string) ULID { return must(Parse(s)) }

// MustParseStrict is like [ParseStrict] but panics with the error.
func MustParseStrict(s string) ULID { return must(ParseStrict(s)) }

// UnmarshalText is like [Parse]. On an error the ULID stays as it was.
func (id *ULID) UnmarshalText(text []byte) error {
	if len(text) != EncodedSize {
		return ErrDataSize
	}
	if text[0] > '7' {
		return ErrOverflow
	}
	if (*ulid.ULID)(id).UnmarshalText(text) != nil {
		*id = decodeAny(text)
	}
	return nil
}

// decodeAny decodes text with characters that are not in the alphabet. oklog/ulid takes each of them for the number
// 255, whose upper three bits run into the characters before it, but not from one byte into another. They do so only
// if the character's own five bits lie in two bytes.
func decodeAny(text []byte) ULID {
	var b [1 + len(ULID{})]byte // the first two of the 130 bits are in a byte of their own
	for i, c := range text {
		last := 5 * (EncodedSize - 1 - i) // counted from the lowest bit
		at, shift := len(b)-1-last/8, last%8
		v := uint16(value(c)) << shift
		b[at] |= byte(v)
		if shift+5 > 8 {
			b[at-1] |= byte(v >> 8)
		}
	}
	return ULID(b[1:])
}

// value returns the number of a character, or 255, which is byte(-1).
func value(c byte) byte {
	if 'a' <= c && c <= 'z' {
		c -= 'a' - 'A'
	}
	return byte(strings.IndexByte(Encoding, c))
}

// UnmarshalBinary sets the ULID from its 16 bytes, or returns [ErrDataSize].
func (id *ULID) UnmarshalBinary(data []byte) error {
	if len(data) != len(id) {
		return ErrDataSize
	}
	*id = ULID(data)
	return nil
}

// Scan sets the ULID from a string or a []byte of 26 characters, or a []byte of 16 bytes. NULL leaves it as it was. The
// error is that of [Parse], or [ErrScanValue] for any other type.
func (id *ULID) Scan(src any) error {
	switch src := src.(type) {
	case nil:
		return nil
	case string:
		return id.UnmarshalText([]byte(src))
	case []byte:
		if len(src) == len(id) {
			return id.UnmarshalBinary(src)
		}
		return id.UnmarshalText(src)
	}
	return ErrScanValue
}

// Value returns the 16 bytes.
func (id ULID) Value() (driver.Value, error) { return id[:], nil }

// String returns the 26 characters, in upper case.
func (id ULID) String() string { return ulid.ULID(id).String() }

// MarshalText returns the 26 characters.
func (id ULID) MarshalText() ([]byte, error) { return ulid.ULID(id).MarshalText() }

// MarshalTextTo writes the 26 characters to dst, or returns [ErrBufferSize] if dst has another length.
func (id ULID) MarshalTextTo(dst []byte) error {
	if len(dst) != EncodedSize {
		return ErrBufferSize
	}
	_, err := ulid.ULID(id).AppendText(dst[:0])
	return err
}

// MarshalBinary returns a copy of the 16 bytes.
func (id ULID) MarshalBinary() ([]byte, error) { return id[:], nil }

// MarshalBinaryTo writes the 16 bytes to dst, or returns [ErrBufferSize] if dst has another length.
func (id ULID) MarshalBinaryTo(dst []byte) error {
	if len(dst) != len(id) {
		return ErrBufferSize
	}
	copy(dst, id[:])
	return nil
}

// Bytes returns a copy of the 16 bytes.
func (id ULID) Bytes() []byte { return id[:] }

// Compare returns -1 if id is less than other, 0 if they are equal and +1 if id is greater.
func (id ULID) Compare(other ULID) int { return ulid.ULID(id).Compare(ulid.ULID(other)) }

// IsZero reports whether id is [Zero].
func (id ULID) IsZero() bool { return id == Zero }

// Time returns the time in milliseconds since the Unix epoch.
func (id ULID) Time() uint64 { return binary.BigEndian.Uint64(id[:8]) >> 16 }

// Timestamp returns the time as a local time.
func (id ULID) Timestamp() time.Time { return Time(id.Time()) }

// SetTime sets the time, or returns [ErrBigTime] if ms is greater than [MaxTime].
func (id *ULID) SetTime(ms uint64) error {
	if ms > maxTime {
		return ErrBigTime
	}
	binary.BigEndian.PutUint32(id[:4], uint32(ms>>16))
	binary.BigEndian.PutUint16(id[4:6], uint16(ms))
	return nil
}

// Entropy returns a copy of the 10 bytes after the time.
func (id ULID) Entropy() []byte { return id[6:] }

// SetEntropy sets the 10 bytes after the time, or returns [ErrDataSize] if e has another length.
func (id *ULID) SetEntropy(e []byte) error {
	if len(e) != entropySize {
		return ErrDataSize
	}
	copy(id[6:], e)
	return nil
}

// Now returns the current time in milliseconds since the Unix epoch.
func Now() uint64 { return Timestamp(time.Now()) }

// Time converts milliseconds since the Unix epoch to a local time.
func Time(ms uint64) time.Time {
	// time.UnixMilli takes an int64, and so no ms above math.MaxInt64.
	return time.Unix(int64(ms/1000), int64(ms%1000)*int64(time.Millisecond))
}

// Timestamp converts t to milliseconds since the Unix epoch, rounding down. A time before 1970 becomes a number
// greater than [MaxTime].
func Timestamp(t time.Time) uint64 { return uint64(t.UnixMilli()) }

// MaxTime returns the greatest time of a ULID, in the year 10889.
func MaxTime() uint64 { return maxTime }
