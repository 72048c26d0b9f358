// Package ulid takes the place of github.com/oklog/ulid/v2 in a program and in all of its dependencies, without a
// change of their code:
//
//	go mod edit -replace github.com/oklog/ulid/v2=github.com/seed-961d0905/ulid/oklog@v1.0.0
//	go mod tidy
//
// It has the names of oklog/ulid and no others, and its ULID is stored in SQL as the same 16 bytes. What differs is
// that Make and DefaultEntropy keep their order in all goroutines and use crypto/rand, that everything that reads a
// ULID rejects what is not one, that Scan sets the zero ULID for NULL, and the types and texts of errors. It is for
// programs that have rows, APIs or dependencies with oklog/ulid's IDs. New code uses github.com/seed-961d0905/ulid,
// whose ULID is stored as a string: convert with ulid.ULID(id), and read the [guide] first.
//
// [guide]: https://github.com/seed-961d0905/ulid/blob/main/docs/migrating.md
package ulid

//lint:file-ignore SA1019 It has the deprecated names, because oklog/ulid has them.

import (
	"database/sql/driver"
	"io"
	"time"

	"github.com/seed-961d0905/ulid"
)

// A ULID is a ULID that database/sql stores as 16 bytes, as oklog/ulid does.
type ULID ulid.ULID

// Types that no row holds are those of github.com/seed-961d0905/ulid.
type (
	MonotonicReader       = ulid.MonotonicReader
	MonotonicEntropy      = ulid.MonotonicEntropy
	LockedMonotonicReader = ulid.LockedMonotonicReader
)

const (
	EncodedSize = ulid.EncodedSize
	Encoding    = ulid.Encoding
)

// Zero is the zero ULID, unless a program has changed it.
var Zero ULID

// The errors are those of github.com/seed-961d0905/ulid.
var (
	ErrDataSize          = ulid.ErrDataSize
	ErrInvalidCharacters = ulid.ErrInvalidCharacters
	ErrBufferSize        = ulid.ErrBufferSize
	ErrBigTime           = ulid.ErrBigTime
	ErrOverflow          = ulid.ErrOverflow
	ErrMonotonicOverflow = ulid.ErrMonotonicOverflow
	ErrScanValue         = ulid.ErrScanValue
)

// Make returns a new ULID with the current time. It is greater than every ULID that it returned before the call.
func Make() ULID { return ULID(ulid.Make()) }

// New returns a ULID with the given time in milliseconds and 10 bytes from entropy.
func New(ms uint64, entropy io.Reader) (ULID, error) {
	id, err := ulid.New(ms, entropy)
	return ULID(id), err
}

// MustNew is like New but panics on an error.
func MustNew(ms uint64, entropy io.Reader) ULID { return ULID(ulid.MustNew(ms, entropy)) }

// MustNewDefault is MustNew with the Timestamp of t and DefaultEntropy.
func MustNewDefault(t time.Time) ULID { return ULID(ulid.MustNewDefault(t)) }

// DefaultEntropy returns a monotonic source that the process shares.
func DefaultEntropy() io.Reader { return ulid.DefaultEntropy() }

// Monotonic returns a source for New whose entropy increases within a millisecond.
func Monotonic(entropy io.Reader, inc uint64) *MonotonicEntropy { return ulid.Monotonic(entropy, inc) }

// Parse parses the 26 characters of a ULID, in upper or lower case. Unlike oklog/ulid's it is strict.
func Parse(s string) (ULID, error) {
	id, err := ulid.Parse(s)
	return ULID(id), err
}

// ParseStrict is Parse.
func ParseStrict(s string) (ULID, error) { return Parse(s) }

// MustParse is like Parse but panics on an error. It also takes the three constants of Prometheus that are not ULIDs.
func MustParse(s string) ULID {
	if text, ok := constants[s]; ok {
		s = text
	}
	return MustParseStrict(s)
}

// MustParseStrict is like Parse but panics on an error.
func MustParseStrict(s string) ULID { return ULID(ulid.MustParse(s)) }

// constants are strings in dependencies that are not ULIDs but that oklog/ulid takes, each with the string of the same
// bytes.
var constants = map[string]string{
	"0000000000XX000COMPACTHEAD": "0000000000XX000FZMPACTHEAD", // Prometheus
	"0000000000XXSELECTEDSERIES": "0000000000XXSFZECTEDSESZES", // Prometheus from 0.315 on
	"0000000000XXXXXXXSTALEHEAD": "0000000000XXXXXXXSTBZEHEAD", // Prometheus in Loki 3.7
}

// Now returns the current time in milliseconds since the Unix epoch.
func Now() uint64 { return ulid.Now() }

// Time converts milliseconds since the Unix epoch to a local time.
func Time(ms uint64) time.Time { return ulid.Time(ms) }

// Timestamp converts t to milliseconds since the Unix epoch.
func Timestamp(t time.Time) uint64 { return ulid.Timestamp(t) }

// MaxTime returns the greatest timestamp, in the year 10889.
func MaxTime() uint64 { return ulid.MaxTime() }

// Value returns the 16 bytes.
func (id ULID) Value() (driver.Value, error) { return id[:], nil }

// Scan sets the ULID from a database value: 26 characters, UUID format or 16 bytes. NULL becomes the zero ULID.
func (id *ULID) Scan(src any) error { return (*ulid.ULID)(id).Scan(src) }

// String returns the 26 characters, in upper case.
func (id ULID) String() string { return ulid.ULID(id).String() }

// Bytes returns a copy of the 16 bytes.
func (id ULID) Bytes() []byte { return id[:] }

// Time returns the timestamp in milliseconds since the Unix epoch.
func (id ULID) Time() uint64 { return ulid.ULID(id).Time() }

// Timestamp returns the timestamp as a local time.
func (id ULID) Timestamp() time.Time { return ulid.ULID(id).Timestamp() }

// SetTime sets the timestamp, or returns ErrBigTime.
func (id *ULID) SetTime(ms uint64) error { return (*ulid.ULID)(id).SetTime(ms) }

// Entropy returns a copy of the 10 bytes of entropy.
func (id ULID) Entropy() []byte { return ulid.ULID(id).Entropy() }

// SetEntropy sets the 10 bytes of entropy, or returns ErrDataSize.
func (id *ULID) SetEntropy(e []byte) error { return (*ulid.ULID)(id).SetEntropy(e) }

// IsZero reports whether id is the zero ULID.
func (id ULID) IsZero() bool { return ulid.ULID(id).IsZero() }

// Compare returns -1, 0 or +1.
func (id ULID) Compare(other ULID) int { return ulid.ULID(id).Compare(ulid.ULID(other)) }

// MarshalText returns the 26 characters.
func (id ULID) MarshalText() ([]byte, error) { return ulid.ULID(id).MarshalText() }

// MarshalTextTo writes the 26 characters to dst.
func (id ULID) MarshalTextTo(dst []byte) error { return ulid.ULID(id).MarshalTextTo(dst) }

// UnmarshalText is like Parse.
func (id *ULID) UnmarshalText(text []byte) error { return (*ulid.ULID)(id).UnmarshalText(text) }

// MarshalBinary returns a copy of the 16 bytes.
func (id ULID) MarshalBinary() ([]byte, error) { return id[:], nil }

// MarshalBinaryTo writes the 16 bytes to dst.
func (id ULID) MarshalBinaryTo(dst []byte) error { return ulid.ULID(id).MarshalBinaryTo(dst) }

// UnmarshalBinary sets the ULID from its 16 bytes.
func (id *ULID) UnmarshalBinary(data []byte) error { return (*ulid.ULID)(id).UnmarshalBinary(data) }
