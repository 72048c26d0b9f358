// Package ulid generates, parses and stores ULIDs, 128-bit identifiers that sort by creation
// time.
//
// A ULID is 48 bits of Unix time in milliseconds and 80 bits of entropy, written as 26 characters
// of Crockford's Base32. See https://github.com/ulid/spec.
//
//	id := ulid.Make()         // 01M7ZPQKK9YWAK56HQEYD33WCP
//	s := id.String()          // 26 characters
//	id, err := ulid.Parse(s)  // an error for anything that is not a ULID
//	when := id.Timestamp()    // to the millisecond
//
// [Make] is what almost every program needs. It returns no error, and its random bits come from
// crypto/rand or a ChaCha8 that it seeded. Each ID is greater than every ID that it returned, in
// any goroutine, before the call began, even if the clock is set back.
//
// A [Generator] has its own clock or source of entropy, and can generate IDs greater than those
// of another process. [New] generates an ID with a given time. [AsUUID] and [AsBinary] change
// how database/sql stores a ULID: use one of the types for a column and all its arguments,
// because another one can silently match no row, or with < and NOT IN every row. [FirstAt] and
// [LastAt] are the start and the end of a range of time.
//
// All functions, Generators and [MonotonicEntropy] are safe for concurrent use. If goroutines
// share a Generator, its Clock must be safe too. So must a reader that they use through more
// than one Generator, [MonotonicEntropy] or call of [New]. On error the result is the zero
// ULID, and a method that sets a ULID leaves it unchanged.
//
// A ULID is not a secret, and shows when it was generated. Use [crypto/rand.Text] for a session
// key. Every guarantee, with its limits, is in
// https://github.com/seed-961d0905/ulid/blob/main/docs/guarantees.md.
package ulid

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"
)

// A ULID is a Universally Unique Lexicographically Sortable Identifier. Bytes 0 to 5 are the
// Unix time in milliseconds and bytes 6 to 15 the entropy, both big-endian. The zero value is
// the smallest ULID.
//
// Any [16]byte type converts to a ULID and back, as in ulid.ULID(u) and uuid.UUID(id).
// AppendText, MarshalText, AppendBinary, MarshalBinary and Value never fail.
type ULID [16]byte

// Zero is the zero ULID, unless a program has changed it.
//
// Deprecated: use ULID{} or [ULID.IsZero].
var Zero ULID

const (
	maxTime     = 1<<48 - 1 // milliseconds
	entropySize = 10        // bytes
)

// The errors of this package, for [errors.Is]. Those that oklog/ulid has keep its messages.
var (
	// ErrDataSize means that the input has the wrong length.
	ErrDataSize = errors.New("ulid: bad data size when unmarshaling")

	// ErrInvalidCharacters means that a character is wrong. Every such error that this package
	// returns is an InvalidCharacterError.
	ErrInvalidCharacters = errors.New("ulid: bad data characters when unmarshaling")

	// ErrOverflow means that a string is greater than 7ZZZZZZZZZZZZZZZZZZZZZZZZZ, the largest
	// ULID.
	ErrOverflow = errors.New("ulid: overflow when unmarshaling")

	// ErrBufferSize means that the buffer to write to has the wrong length.
	ErrBufferSize = errors.New("ulid: bad buffer size when marshaling")

	// ErrBigTime means that a timestamp is greater than MaxTime.
	ErrBigTime = errors.New("ulid: time too big")

	// ErrMonotonicOverflow means that the next step would overflow the 80 bits of a
	// MonotonicEntropy. New returns it until the millisecond changes.
	ErrMonotonicOverflow = errors.New("ulid: monotonic entropy overflow")

	// ErrAhead means that the timestamp of an ID is further ahead of the clock than the caller of
	// Generator.AdvancePast allows.
	ErrAhead = errors.New("ulid: timestamp too far ahead of the clock")

	// ErrScanValue means that Scan cannot read the value's type.
	ErrScanValue = errors.New("ulid: source value must be a string or byte slice")
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

// Unwrap returns [ErrInvalidCharacters].
func (e InvalidCharacterError) Unwrap() error { return ErrInvalidCharacters }

// defaultGenerator makes the IDs of Make and Fill, uuidv7Generator those of MakeUUIDv7 and
// FillUUIDv7.
var (
	defaultGenerator Generator
	uuidv7Generator  = Generator{UUIDv7: true}
)

// Make returns a new ULID with the current time. It is greater than every ULID that Make or
// [Fill] returned, in any goroutine of this process, before the call began. IDs from other
// sources sort by timestamp only.
//
// Each ID has 64 random bits of its own, from crypto/rand or a ChaCha8 that it seeded, below a
// 16-bit counter. If the clock is set back, timestamps stay at the latest time seen until it has
// caught up. They move on without the clock only if more than 2¹⁵ IDs are made before it passes
// their millisecond.
//
// Make waits neither for the clock nor for another goroutine. It allocates nothing but a ChaCha8
// for each processor, and sometimes a new one after a garbage collection. It panics in about the
// last 66 seconds before [MaxTime]. Like [crypto/rand.Read], it ends the process
// if the system has no randomness. A replacement of [crypto/rand.Reader] must be safe for
// concurrent use, and must not generate IDs with this package, because that would never end.
func Make() ULID {
	var id ULID
	if _, err := defaultGenerator.makeTo(&id); err != nil {
		panic(err)
	}
	return id
}

// Fill sets every element of ids to a new ULID, in increasing order. It is like calling [Make]
// for each, but many times as fast. Up to 256 of them share a number of the counter, so a long
// slice does not move timestamps ahead. In place of up to 8 random bits these have their index,
// which leaves 56 at least. IDs that other goroutines make meanwhile may sort between them.
func Fill(ids []ULID) {
	if err := defaultGenerator.Fill(ids); err != nil {
		panic(err)
	}
}

// MakeUUIDv7 is like [Make], but each ID is also a valid version 7 UUID (RFC 9562), with 58
// random bits below the counter. Its IDs are ordered with those of [FillUUIDv7], but with Make's
// they sort by timestamp only.
func MakeUUIDv7() ULID {
	var id ULID
	if _, err := uuidv7Generator.makeTo(&id); err != nil {
		panic(err)
	}
	return id
}

// FillUUIDv7 is like [Fill], but generates IDs as [MakeUUIDv7] does, with 50 random bits at least.
func FillUUIDv7(ids []ULID) {
	if err := uuidv7Generator.Fill(ids); err != nil {
		panic(err)
	}
}

// New returns a ULID with the given Unix time in milliseconds and 10 bytes from entropy. Use
// [crypto/rand.Reader] for random IDs, or [Monotonic] to keep order. A nil entropy means ten
// zero bytes, so the ID is not unique. (In a Generator or Monotonic, nil means crypto/rand.)
//
// The error is [ErrBigTime] if ms is greater than [MaxTime], and otherwise entropy's. It is
// [io.EOF] or [io.ErrUnexpectedEOF] if entropy ends early, [io.ErrNoProgress] if entropy
// repeatedly returns 0, nil, and another one if entropy returns an impossible count.
func New(ms uint64, entropy io.Reader) (id ULID, err error) {
	if ms > maxTime {
		return id, ErrBigTime
	}
	var n uint128 // the entropy
	switch e := entropy.(type) {
	case nil:
	case *MonotonicEntropy:
		// The next case would do, but its call through an interface moves p to the heap.
		n, err = e.next(ms)
	case MonotonicReader:
		var p [entropySize]byte
		err = e.MonotonicRead(ms, p[:])
		n = entropyNumber(p[:])
	default:
		if isSystem(e) {
			n = systemEntropy()
		} else {
			n, err = entropyFrom(e, make([]byte, entropySize))
		}
	}
	if err != nil {
		return ULID{}, err
	}
	n.hi |= ms << 16
	n.put(&id)
	return id, nil
}

// MustNew is like [New] but panics on an error.
func MustNew(ms uint64, entropy io.Reader) ULID {
	id, err := New(ms, entropy)
	if err != nil {
		panic(err)
	}
	return id
}

// Time returns the timestamp in milliseconds since the Unix epoch.
func (id ULID) Time() uint64 {
	return binary.BigEndian.Uint64(id[:8]) >> 16
}

// Timestamp returns the timestamp as a local time.
func (id ULID) Timestamp() time.Time { return Time(id.Time()) }

// SetTime sets the timestamp to ms, or returns [ErrBigTime].
func (id *ULID) SetTime(ms uint64) error {
	if ms > maxTime {
		return ErrBigTime
	}
	id.setTime(ms)
	return nil
}

func (id *ULID) setTime(ms uint64) {
	binary.BigEndian.PutUint32(id[:4], uint32(ms>>16))
	binary.BigEndian.PutUint16(id[4:6], uint16(ms))
}

// Entropy returns a copy of the 10 bytes of entropy. In an ID from [Make] the first two are its
// counter.
func (id ULID) Entropy() []byte { return id[6:] }

// SetEntropy sets the 10 bytes of entropy, or returns [ErrDataSize].
func (id *ULID) SetEntropy(e []byte) error {
	if len(e) != entropySize {
		return ErrDataSize
	}
	copy(id[6:], e)
	return nil
}

// IsZero reports whether id is the zero ULID.
func (id ULID) IsZero() bool { return id == ULID{} }

// IsUUIDv7 reports whether id has the version and variant of a UUID of version 7. About one ID
// in 32 from [Make] does, by chance, and one in 64 whose 80 bits are all random.
func (id ULID) IsUUIDv7() bool { return id[6]>>4 == 7 && id[8]>>6 == 2 }

// Now returns the current time in milliseconds since the Unix epoch.
func Now() uint64 { return Timestamp(time.Now()) }

// Timestamp converts t to milliseconds since the Unix epoch, rounding down. For a time before
// 1970, or too late for a uint64, it returns [math.MaxUint64], for which [New] returns
// [ErrBigTime].
func Timestamp(t time.Time) uint64 {
	hi, seconds := bits.Mul64(uint64(t.Unix()), 1000) // before 1970 this overflows
	ms, carry := bits.Add64(seconds, uint64(t.Nanosecond())/1e6, 0)
	if hi != 0 || carry != 0 {
		return math.MaxUint64
	}
	return ms
}

// Time converts milliseconds since the Unix epoch to a local time.
func Time(ms uint64) time.Time {
	return time.Unix(int64(ms/1000), int64(ms%1000)*int64(time.Millisecond))
}

// MaxTime returns the greatest timestamp, 2⁴⁸-1 milliseconds, in the year 10889.
func MaxTime() uint64 { return maxTime }

// FirstAt returns the smallest ULID with the millisecond of t: the zero ULID if t is before
// 1970, and the largest ULID if it is after [MaxTime]. For times up
// to MaxTime, this condition selects the IDs from the millisecond of one time until before that of
// another:
//
//	id >= FirstAt(from) AND id < FirstAt(to)
func FirstAt(t time.Time) ULID { return bound(t, uint128{}) }

// LastAt returns the largest ULID with the millisecond of t, or what FirstAt returns if t is
// out of range. It bounds a range that includes the millisecond of its end:
//
//	id BETWEEN FirstAt(from) AND LastAt(to)
func LastAt(t time.Time) ULID { return bound(t, largest) }

// bound returns the ULID with the time of t and the given entropy, or the one at the end of the
// range that t is beyond.
func bound(t time.Time, entropy uint128) (id ULID) {
	if t.Unix() < 0 {
		return ULID{}
	}
	ms := Timestamp(t)
	if ms > maxTime {
		largest.put(&id)
		return id
	}
	entropy.put(&id)
	id.setTime(ms)
	return id
}

// Compare returns -1 if id is less than other, 0 if they are equal and +1 if id is greater.
// Bytes, and strings in one case, sort the same way.
func (id ULID) Compare(other ULID) int {
	// Comparing two words is faster than a call of bytes.Compare.
	if c := cmp.Compare(binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(other[:8])); c != 0 {
		return c
	}
	return cmp.Compare(binary.BigEndian.Uint64(id[8:]), binary.BigEndian.Uint64(other[8:]))
}

// Next returns the smallest ULID greater than id, or id and false if there is none.
func (id ULID) Next() (next ULID, ok bool) {
	n := id.uint128()
	if n == largest {
		return id, false
	}
	n.add(1).put(&next)
	return next, true
}

// What follows is kept only so that code written for oklog/ulid compiles.

// ParseStrict is [Parse].
//
// Deprecated: use [Parse].
//
//go:fix inline
func ParseStrict(s string) (ULID, error) { return Parse(s) }

// MustParseStrict is [MustParse].
//
// Deprecated: use [MustParse].
//
//go:fix inline
func MustParseStrict(s string) ULID { return MustParse(s) }

var defaultEntropy MonotonicEntropy

// DefaultEntropy returns a [MonotonicEntropy] that the process shares. [Make] does not use it.
//
// Deprecated: use [Make] or [Monotonic].
func DefaultEntropy() io.Reader { return &defaultEntropy }

// MustNewDefault is [MustNew] with the [Timestamp] of t and [DefaultEntropy].
//
// Deprecated: use [Make] or [MustNew].
func MustNewDefault(t time.Time) ULID { return MustNew(Timestamp(t), &defaultEntropy) }

// LockedMonotonicReader guards a MonotonicReader with a mutex.
//
// Deprecated: a [MonotonicEntropy] has its own mutex.
type LockedMonotonicReader struct {
	mu sync.Mutex
	MonotonicReader
}

// Read calls the MonotonicReader's Read under the mutex.
func (r *LockedMonotonicReader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.MonotonicReader.Read(p)
}

// MonotonicRead calls the MonotonicReader's MonotonicRead under the mutex.
func (r *LockedMonotonicReader) MonotonicRead(ms uint64, p []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.MonotonicReader.MonotonicRead(ms, p)
}

// MarshalTextTo writes what String returns to the 26 bytes of dst.
//
// Deprecated: use [ULID.AppendText].
func (id ULID) MarshalTextTo(dst []byte) error {
	if len(dst) != EncodedSize {
		return ErrBufferSize
	}
	encode((*[EncodedSize]byte)(dst), &id)
	return nil
}

// MarshalBinaryTo writes the ULID to the 16 bytes of dst.
//
// Deprecated: use [ULID.AppendBinary].
func (id ULID) MarshalBinaryTo(dst []byte) error {
	if len(dst) != len(id) {
		return ErrBufferSize
	}
	copy(dst, id[:])
	return nil
}
