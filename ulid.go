// Package ulid makes, reads and stores ULIDs: 128-bit identifiers that sort by
// the time they were made and need no coordination between those who make them.
//
// A ULID is 48 bits of Unix time in milliseconds followed by 80 random bits,
// both big-endian, and is written as 26 characters of Crockford's Base32. The
// format is that of the ULID specification, https://github.com/ulid/spec.
//
//	id := ulid.Make()             // 01JD4S3H6G7Z8QK5X0V2M9RBNT
//	id, err := ulid.Parse(text)   // strict: what is not a ULID is an error
//	when := id.Timestamp()        // to the millisecond
//
// # What is guaranteed
//
// Order: a ULID from [Make] or [Fill] is always greater than every one that the two
// returned before in this process, in whichever goroutine, except where nothing
// ordered the calls. The same holds for the IDs of [MakeUUIDv7], and for those of
// one [Generator]. IDs of several processes or Generators are ordered by the
// millisecond in which they were made, except as far as their clocks disagree. Text,
// bytes and [ULID.Compare] always give the same order, except for text in lower case,
// which this package reads but never writes.
//
// Randomness: the 80 bits of the first ID of a millisecond, 74 in a UUIDv7, always come
// straight from crypto/rand, except from a Generator that was given another Entropy. A
// later ID of the same millisecond is always the last one, or After, plus a random step
// of up to 2³², drawn from a ChaCha8 that crypto/rand seeded, except from a Generator
// that was given an Entropy or a MaxStep. So two copies of a virtual machine may make the
// same IDs until their clocks have passed the last one.
//
// Clock: the timestamp is always the clock's millisecond, except when the clock has
// stepped back or the last ID already stands at a later millisecond; then the last
// ID is incremented until the clock has caught up. The wall clock is read again when
// the monotonic clock has gone on by a millisecond at the most; so a step of the clock,
// or the time that a machine was suspended, shows up to a millisecond late.
//
// Overflow: an increment always stays within the random bits. When it would not, Make
// and Generator go on in the next millisecond with fresh random bits; [Monotonic], which
// is the specification's source for a caller who owns the clock, always returns
// [ErrMonotonicOverflow].
//
// Concurrency: every function, [Generator] and [MonotonicEntropy] may always be used
// by several goroutines at once, except that a reader or clock handed to them must
// bear it too where several of them share it. A ULID itself is a plain value.
//
// Failure: Make, Fill and MakeUUIDv7 never fail and never wait, except past the year
// 10889, where they panic. Nothing else panics but the functions whose names begin with
// Must, and what a caller hands over that panics itself, such as a nil pointer. An error
// always leaves a Generator or a receiver as it was, and what was to be returned or
// filled zero.
//
// # Where a ULID is the wrong choice
//
// A ULID is no secret: it is unique and hard to guess, but it is shown in URLs and
// logs, and whoever knows one knows that its neighbours are near. Take
// [crypto/rand.Text] for a session key or a password-reset link. A ULID shows when
// it was made; where that must not be seen, a random UUID is better.
//
// # Text
//
// A valid text matches ^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$. It is written in
// upper case.
package ulid

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"
)

// A ULID is a Universally Unique Lexicographically Sortable Identifier: bytes 0 to 5
// are the Unix time in milliseconds, bytes 6 to 15 are the entropy, both big-endian.
//
// ULIDs are comparable with == and may be map keys. The zero value is a valid ULID,
// the smallest. Being an array of 16 bytes, a ULID converts from and to the UUID
// types that are one too: uuid.UUID(id) and ulid.ULID(u) lose nothing.
type ULID [16]byte

// Zero is the zero ULID. It is here for code written for oklog/ulid; this package
// never reads it. [ULID.IsZero] says whether an ID is zero.
var Zero ULID

const (
	maxTime     = 1<<48 - 1 // milliseconds
	entropySize = 10        // bytes
)

// The errors of this package. Every other error it returns either matches one of
// them with [errors.Is] or comes from a reader that the caller passed.
var (
	// ErrDataSize means that the input has the wrong length: for text 26 characters
	// are wanted, for UUID notation 36, for binary 16 bytes, for entropy 10 bytes.
	ErrDataSize = errors.New("ulid: wrong data size")

	// ErrInvalidCharacters means that a text has a character that cannot stand where
	// it does. The error that matches it is an [InvalidCharacterError].
	ErrInvalidCharacters = errors.New("ulid: invalid characters")

	// ErrOverflow means that a text is greater than 7ZZZZZZZZZZZZZZZZZZZZZZZZZ, the
	// largest ULID: 26 characters hold 130 bits, a ULID has 128.
	ErrOverflow = errors.New("ulid: text is greater than the largest ULID")

	// ErrBufferSize means that the buffer to write into has the wrong length.
	ErrBufferSize = errors.New("ulid: wrong buffer size")

	// ErrBigTime means that a time lies after [MaxTime], in the year 10889. A time
	// before 1970 gives it too once [Timestamp] has converted it.
	ErrBigTime = errors.New("ulid: time out of range")

	// ErrMonotonicOverflow means that the next step of the entropy would leave the 80
	// bits of the millisecond. Only [MonotonicEntropy] gives it.
	ErrMonotonicOverflow = errors.New("ulid: monotonic entropy overflow")

	// ErrScanValue means that Scan got a type it does not read.
	ErrScanValue = errors.New("ulid: unsupported type for Scan")
)

// InvalidCharacterError says which byte of a text is wrong, and where. With
// [errors.Is] it matches [ErrInvalidCharacters].
type InvalidCharacterError struct {
	Offset int  // in bytes, from the beginning of the input
	Char   byte // the offending byte
}

// Error returns a message such as: ulid: invalid character 'U' at offset 25.
func (e InvalidCharacterError) Error() string {
	char := fmt.Sprintf(`'\x%02x'`, e.Char)
	if e.Char < utf8.RuneSelf {
		char = strconv.QuoteRune(rune(e.Char))
	}
	return "ulid: invalid character " + char + " at offset " + strconv.Itoa(e.Offset)
}

// Unwrap returns [ErrInvalidCharacters].
func (e InvalidCharacterError) Unwrap() error { return ErrInvalidCharacters }

// defaultGenerator stands behind Make and Fill, uuidv7Generator behind MakeUUIDv7.
var (
	defaultGenerator Generator
	uuidv7Generator  = Generator{UUIDv7: true}
)

// Make returns a new ULID with the current time: greater than every ULID that Make and
// [Fill] have returned before in this process, and random from crypto/rand. It is for
// application code, may be called by several goroutines at once and allocates nothing.
//
// Make never fails and never waits. It panics when the clock stands past the year 10889.
func Make() (id ULID) {
	if err := defaultGenerator.next(&id); err != nil {
		panic(err)
	}
	return id
}

// Fill sets every element of ids to a new ULID, in increasing order, as so many calls
// of [Make] would, but with one reading of the clock and one lock: a sixth of the
// time for a batch. Like Make it never fails, and panics past the year 10889.
func Fill(ids []ULID) {
	if err := defaultGenerator.Fill(ids); err != nil {
		panic(err)
	}
}

// MakeUUIDv7 is [Make] for a ULID that is a UUID of version 7 as well (RFC 9562): in
// [ULID.UUIDString], or converted to a UUID type, whatever reads UUIDs takes it. It has 74 random
// bits instead of 80 and is greater than every ULID that MakeUUIDv7 has returned before in this
// process; among those of Make it sorts by its millisecond.
//
// It is a function and not only the field of a [Generator], because an application that wants
// such IDs wants them everywhere, in one order, and would have to hand that Generator round.
func MakeUUIDv7() (id ULID) {
	if err := uuidv7Generator.next(&id); err != nil {
		panic(err)
	}
	return id
}

// New returns a ULID with exactly the given Unix time in milliseconds and 10 bytes from
// entropy, for a caller who owns the clock. It neither uses nor disturbs the order
// that [Make] keeps.
//
// A nil entropy means zero entropy. A [MonotonicReader], such as [Monotonic] returns,
// is asked through its MonotonicRead.
//
// The error is [ErrBigTime] if ms is greater than [MaxTime], or else that of the reader:
// [io.EOF] or [io.ErrUnexpectedEOF] if it ended early, [io.ErrNoProgress] if it kept
// returning nothing. With an error the ULID is zero. New may be called by several
// goroutines at once if the reader may.
func New(ms uint64, entropy io.Reader) (id ULID, err error) {
	if ms > maxTime {
		return id, ErrBigTime
	}
	switch e := entropy.(type) {
	case nil:
	case *MonotonicEntropy:
		// Not through MonotonicRead: a slice handed to an interface would put id on
		// the heap.
		var n uint128
		n, err = e.next(ms)
		n.put(&id)
	case MonotonicReader:
		var p [entropySize]byte
		err = e.MonotonicRead(ms, p[:])
		copy(id[6:], p[:])
	default:
		if isSystem(e) {
			// Not through the reader, for the same reason.
			var p [entropySize]byte
			rand.Read(p[:])
			copy(id[6:], p[:])
			break
		}
		var p [entropySize]byte
		err = readFull(e, p[:])
		copy(id[6:], p[:])
	}
	if err != nil {
		return ULID{}, err
	}
	id.setTime(ms)
	return id, nil
}

// MustNew is [New] for a call that cannot fail; it panics if it does.
func MustNew(ms uint64, entropy io.Reader) ULID {
	id, err := New(ms, entropy)
	if err != nil {
		panic(err)
	}
	return id
}

// Time returns the timestamp of the ULID, in milliseconds since the Unix epoch.
func (id ULID) Time() uint64 {
	return binary.BigEndian.Uint64(id[:8]) >> 16
}

// Timestamp returns the timestamp of the ULID, to the millisecond and in local time.
func (id ULID) Timestamp() time.Time { return Time(id.Time()) }

// SetTime sets the timestamp, in milliseconds since the Unix epoch, and leaves the
// entropy alone. It returns [ErrBigTime] if ms is greater than [MaxTime].
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

// Entropy returns a copy of the 10 bytes of entropy.
func (id ULID) Entropy() []byte { return id[6:] }

// SetEntropy sets the entropy and leaves the timestamp alone. It returns [ErrDataSize]
// if e is not 10 bytes long.
func (id *ULID) SetEntropy(e []byte) error {
	if len(e) != entropySize {
		return ErrDataSize
	}
	copy(id[6:], e)
	return nil
}

// IsZero reports whether id is the zero ULID.
func (id ULID) IsZero() bool { return id == ULID{} }

// IsUUIDv7 reports whether id has the version and the variant of a UUID of version 7. One plain
// ULID in 64 has them by chance.
func (id ULID) IsUUIDv7() bool { return id[6]>>4 == 7 && id[8]>>6 == 2 }

// Now returns the current time in milliseconds since the Unix epoch.
func Now() uint64 { return Timestamp(time.Now()) }

// Timestamp converts t to milliseconds since the Unix epoch, discarding what is finer.
// A time that no ULID can hold, before 1970 or after [MaxTime], gives a number greater
// than MaxTime, which [New] and [ULID.SetTime] refuse with [ErrBigTime].
func Timestamp(t time.Time) uint64 { return uint64(unixMilli(t)) }

// unixMilli is t.UnixMilli without the wrapping around of far years: before 1970 it is
// negative, after MaxTime it is greater than maxTime.
func unixMilli(t time.Time) int64 {
	switch s := t.Unix(); {
	case s < 0:
		return -1
	case s > maxTime/1000:
		return maxTime + 1
	}
	return t.UnixMilli()
}

// Time converts milliseconds since the Unix epoch to a local time.
func Time(ms uint64) time.Time {
	return time.Unix(int64(ms/1000), int64(ms%1000)*int64(time.Millisecond))
}

// MaxTime returns the greatest timestamp a ULID can hold, in milliseconds since the Unix
// epoch: 2⁴⁸-1, which is 10889-08-02 05:31:50.655 UTC.
func MaxTime() uint64 { return maxTime }

// FirstAt returns the smallest ULID with the millisecond of t. With it a time range
// becomes a range of keys: id >= FirstAt(from) AND id < FirstAt(to).
//
// A time before 1970 gives the zero ULID, one after [MaxTime] the largest ULID.
func FirstAt(t time.Time) ULID { return bound(t, uint128{}) }

// LastAt returns the largest ULID with the millisecond of t. A time before 1970 gives
// the zero ULID, one after [MaxTime] the largest ULID.
func LastAt(t time.Time) ULID { return bound(t, largest) }

// bound returns the ULID with the time of t and the entropy of that of e.
func bound(t time.Time, e uint128) (id ULID) {
	switch ms := unixMilli(t); {
	case ms < 0:
	case ms > maxTime:
		largest.put(&id)
	default:
		e.put(&id)
		id.setTime(uint64(ms))
	}
	return id
}

// Compare returns -1 if id is less than other, 0 if they are equal, and +1 if id is
// greater. The order is that of the bytes and of the text. It suits [slices.SortFunc]
// as ulid.ULID.Compare.
func (id ULID) Compare(other ULID) int {
	// Two words instead of bytes.Compare: this buys a fifth of the time.
	a, b := word(&id, 0), word(&other, 0)
	if a == b {
		a, b = word(&id, 8), word(&other, 8)
	}
	if a == b {
		return 0
	}
	if a < b {
		return -1
	}
	return 1
}

// word returns the eight bytes of id from i on, as a big-endian number. It is one load, and
// stays one where Compare is inlined; that of encoding/binary does not with Go 1.27, and costs
// a third more.
func word(id *ULID, i int) uint64 {
	return uint64(id[i])<<56 | uint64(id[i+1])<<48 | uint64(id[i+2])<<40 | uint64(id[i+3])<<32 |
		uint64(id[i+4])<<24 | uint64(id[i+5])<<16 | uint64(id[i+6])<<8 | uint64(id[i+7])
}

// Next returns the smallest ULID greater than id. Its ok is false, and the ULID is id
// itself, if id is the largest.
func (id ULID) Next() (next ULID, ok bool) {
	n := id.uint128()
	if n == largest {
		return id, false
	}
	var carry uint64
	n.lo, carry = bits.Add64(n.lo, 1, 0)
	n.hi += carry
	n.put(&next)
	return next, true
}

// Prev returns the largest ULID less than id. Its ok is false, and the ULID is id
// itself, if id is zero.
func (id ULID) Prev() (prev ULID, ok bool) {
	n := id.uint128()
	if n == (uint128{}) {
		return id, false
	}
	var borrow uint64
	n.lo, borrow = bits.Sub64(n.lo, 1, 0)
	n.hi -= borrow
	n.put(&prev)
	return prev, true
}

// What follows is kept only so that code written for oklog/ulid compiles.

// ParseStrict is [Parse].
//
// Deprecated: Parse is strict here; use [Parse].
func ParseStrict(s string) (ULID, error) { return Parse(s) }

// MustParseStrict is [MustParse].
//
// Deprecated: MustParse is strict here; use [MustParse].
func MustParseStrict(s string) ULID { return MustParse(s) }

var defaultEntropy MonotonicEntropy

// DefaultEntropy returns the [MonotonicEntropy] that the process shares. It may be used
// by several goroutines at once.
//
// Deprecated: use [Make], or [Monotonic] for a source of your own.
func DefaultEntropy() io.Reader { return &defaultEntropy }

// MustNewDefault is [MustNew] with the time of t and [DefaultEntropy].
//
// Deprecated: use [Make], or [MustNew] with the [Timestamp] of t.
func MustNewDefault(t time.Time) ULID { return MustNew(Timestamp(t), &defaultEntropy) }

// LockedMonotonicReader guards a MonotonicReader with a mutex.
//
// Deprecated: [MonotonicEntropy] has a mutex of its own; use it as it is.
type LockedMonotonicReader struct {
	mu sync.Mutex
	MonotonicReader
}

// Read reads from the MonotonicReader while it holds the mutex.
func (r *LockedMonotonicReader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.MonotonicReader.Read(p)
}

// MonotonicRead calls the MonotonicReader while it holds the mutex.
func (r *LockedMonotonicReader) MonotonicRead(ms uint64, p []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.MonotonicReader.MonotonicRead(ms, p)
}

// MarshalTextTo writes the text of the ULID to dst. It returns [ErrBufferSize] if dst is
// not 26 bytes long.
//
// Deprecated: use [ULID.AppendText], which makes room where there is none.
func (id ULID) MarshalTextTo(dst []byte) error {
	if len(dst) != EncodedSize {
		return ErrBufferSize
	}
	encode((*[EncodedSize]byte)(dst), &id)
	return nil
}

// MarshalBinaryTo writes the bytes of the ULID to dst. It returns [ErrBufferSize] if dst
// is not 16 bytes long.
//
// Deprecated: use [ULID.AppendBinary], which makes room where there is none.
func (id ULID) MarshalBinaryTo(dst []byte) error {
	if len(dst) != len(id) {
		return ErrBufferSize
	}
	copy(dst, id[:])
	return nil
}
