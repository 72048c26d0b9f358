// Package ulid stands in for github.com/oklog/ulid/v2 in a module graph. Its types are those of
// github.com/seed-961d0905/ulid, so code that imports either path shares them.
package ulid

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
func Monotonic(entropy io.Reader, inc uint64) *MonotonicEntropy { return ulid.Monotonic(entropy, inc) }

func Parse(s string) (ULID, error)        { return ulid.Parse(s) }
func ParseStrict(s string) (ULID, error)  { return ulid.Parse(s) }
func ParseLenient(s string) (ULID, error) { return ulid.ParseLenient(s) }
func ParseUUID(s string) (ULID, error)    { return ulid.ParseUUID(s) }
func MustParseStrict(s string) ULID       { return ulid.MustParse(s) }

// MustParse takes the constants too.
func MustParse(s string) ULID {
	if text, ok := constants[s]; ok {
		s = text
	}
	return ulid.MustParse(s)
}

// constants are texts in dependencies that are no ULIDs but that oklog/ulid takes, each with the text of the same bytes.
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
