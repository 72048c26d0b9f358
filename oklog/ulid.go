// Package ulid puts github.com/seed-961d0905/ulid in place of github.com/oklog/ulid/v2 in a whole module graph:
//
//	go mod edit -replace github.com/oklog/ulid/v2=github.com/seed-961d0905/ulid/oklog@v1.0.0
//	go mod tidy
//
// Every import of oklog/ulid then means this package, in your code and in your dependencies. It has all names of
// github.com/seed-961d0905/ulid, and its types are the same types, so code may import either path. Version 1,
// github.com/oklog/ulid, is replaced in the same way. A replace counts in the main module only.
//
// Values are stored in SQL as strings, where oklog/ulid stores 16 bytes, so tests can stay green while old rows are
// gone. Before you run a program with such columns, read the [guide].
//
// New code imports github.com/seed-961d0905/ulid itself.
//
// [guide]: https://github.com/seed-961d0905/ulid/blob/main/docs/migrating.md
package ulid

//lint:file-ignore SA1019 It has the deprecated names, because oklog/ulid has them.

import (
	"io"
	"time"

	"github.com/seed-961d0905/ulid"
)

type (
	ULID                  = ulid.ULID
	AsBinary              = ulid.AsBinary
	AsUUID                = ulid.AsUUID
	Generator             = ulid.Generator
	InvalidCharacterError = ulid.InvalidCharacterError
	MonotonicReader       = ulid.MonotonicReader
	MonotonicEntropy      = ulid.MonotonicEntropy
	LockedMonotonicReader = ulid.LockedMonotonicReader
)

const (
	EncodedSize = ulid.EncodedSize
	Encoding    = ulid.Encoding
)

var (
	Zero = ulid.Zero

	ErrDataSize          = ulid.ErrDataSize
	ErrInvalidCharacters = ulid.ErrInvalidCharacters
	ErrBufferSize        = ulid.ErrBufferSize
	ErrAhead             = ulid.ErrAhead
	ErrBigTime           = ulid.ErrBigTime
	ErrOverflow          = ulid.ErrOverflow
	ErrMonotonicOverflow = ulid.ErrMonotonicOverflow
	ErrScanValue         = ulid.ErrScanValue
)

func Make() ULID                                                { return ulid.Make() }
func New(ms uint64, entropy io.Reader) (ULID, error)            { return ulid.New(ms, entropy) }
func MustNew(ms uint64, entropy io.Reader) ULID                 { return ulid.MustNew(ms, entropy) }
func MustNewDefault(t time.Time) ULID                           { return ulid.MustNewDefault(t) }
func DefaultEntropy() io.Reader                                 { return ulid.DefaultEntropy() }
func Fill(ids []ULID)                                           { ulid.Fill(ids) }
func MakeUUIDv7() ULID                                          { return ulid.MakeUUIDv7() }
func FillUUIDv7(ids []ULID)                                     { ulid.FillUUIDv7(ids) }
func Monotonic(entropy io.Reader, inc uint64) *MonotonicEntropy { return ulid.Monotonic(entropy, inc) }

func Parse(s string) (ULID, error)        { return ulid.Parse(s) }
func ParseStrict(s string) (ULID, error)  { return ulid.Parse(s) }
func ParseLenient(s string) (ULID, error) { return ulid.ParseLenient(s) }
func ParseUUID(s string) (ULID, error)    { return ulid.ParseUUID(s) }
func MustParseStrict(s string) ULID       { return ulid.MustParse(s) }
func MustParseUUID(s string) ULID         { return ulid.MustParseUUID(s) }

// MustParse is like the function of github.com/seed-961d0905/ulid, but also takes the three constants of Prometheus
// that are not ULIDs, as oklog/ulid does.
func MustParse(s string) ULID {
	if text, ok := constants[s]; ok {
		s = text
	}
	return ulid.MustParse(s)
}

// constants are strings in dependencies that are not ULIDs but that oklog/ulid takes, each with the string of the same
// bytes.
var constants = map[string]string{
	"0000000000XX000COMPACTHEAD": "0000000000XX000FZMPACTHEAD", // Prometheus
	"0000000000XXSELECTEDSERIES": "0000000000XXSFZECTEDSESZES", // Prometheus from 0.315 on
	"0000000000XXXXXXXSTALEHEAD": "0000000000XXXXXXXSTBZEHEAD", // Prometheus in Loki 3.7
}

func Now() uint64                  { return ulid.Now() }
func Time(ms uint64) time.Time     { return ulid.Time(ms) }
func Timestamp(t time.Time) uint64 { return ulid.Timestamp(t) }
func FirstAt(t time.Time) ULID     { return ulid.FirstAt(t) }
func LastAt(t time.Time) ULID      { return ulid.LastAt(t) }
func MaxTime() uint64              { return ulid.MaxTime() }
