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
// Order: each ULID from [Make] or [Fill] is greater than every one that either returned, in
// any goroutine, before the call began. [MakeUUIDv7] has an order of its own, and so has each
// [Generator]. IDs of different orders sort by timestamp only. IDs of different processes do
// too, as far as their clocks agree. A clock that is set back disturbs the order between
// them. Bytes, text and [ULID.Compare] give the same order. Texts of mixed case do not sort
// as their ULIDs do.
//
// Uniqueness: IDs of one order never repeat. IDs of different orders, or processes, rely on
// their random bits.
//
// Randomness: the first ID of a millisecond has 80 bits straight from crypto/rand, or 74 in a
// UUIDv7. A later ID of the same millisecond is the last one plus a random step of up to 2³²,
// drawn from a ChaCha8 that crypto/rand seeded. A Generator with an Entropy, MaxStep or After
// draws as those fields say. Copies of a running virtual machine may make the same IDs until
// a millisecond has passed and their clocks have passed the last ID.
//
// Clock: the timestamp is the clock's millisecond, or 1970 if the clock is before that. The
// timestamps of one order never go back. While the clock is behind the last ID, that ID is
// incremented and keeps its timestamp. The wall clock is reread after at most a millisecond,
// or one tick of the monotonic clock if that is longer. A step of the clock, or the time that
// a machine was suspended, may be noticed that late.
//
// Overflow: an increment never changes the timestamp. If the random bits overflow, the next
// ID takes the next millisecond and fresh random bits. [Monotonic], for callers that supply
// the time, returns [ErrMonotonicOverflow] instead.
//
// Concurrency: all functions, [Generator] and [MonotonicEntropy] are safe for concurrent use.
// A Generator's Clock must be too if the Generator is. A reader must be if more than one
// Generator, MonotonicEntropy or call of [New] uses it at a time. A call holds the lock of its
// source while it makes one ID. Fill holds it for at most 1,024. Methods that modify a ULID
// must not run concurrently with other uses of it.
//
// Failure: Make, Fill and MakeUUIDv7 return no error. They panic if the clock is past
// [MaxTime], in the year 10889. They do not wait for the clock. The only I/O that they wait
// for is the system's randomness. The process ends if crypto/rand.Reader fails, as
// [crypto/rand.Read] says. The Must functions panic on an error. Nothing else panics, except
// on a nil pointer or interface, or when a caller's reader or clock panics. On error a result
// is zero and a receiver is unchanged, except where a method says otherwise.
//
// # Where a ULID is the wrong choice
//
// Do not use a ULID as a secret: URLs and logs show it, and the IDs next to it are close. Use
// [crypto/rand.Text] for a session key or a password-reset link. Use a random UUID if the
// creation time must stay hidden.
//
// # Text
//
// A valid text matches ^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$. This package writes
// upper case.
package ulid

import (
	"cmp"
	"crypto/rand"
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

// A ULID is a Universally Unique Lexicographically Sortable Identifier: bytes 0 to 5
// are the Unix time in milliseconds, bytes 6 to 15 are the entropy, both big-endian.
//
// ULIDs are comparable with == and may be map keys. The zero value is a valid ULID, the
// smallest. A ULID converts to and from every UUID type whose underlying type is [16]byte:
// uuid.UUID(id) and ulid.ULID(u) lose nothing.
type ULID [16]byte

// Zero is the zero ULID. It is here for code written for oklog/ulid; this package
// never reads it. [ULID.IsZero] says whether an ID is zero.
var Zero ULID

const (
	maxTime     = 1<<48 - 1 // milliseconds
	entropySize = 10        // bytes
)

// The errors of this package. Compare with [errors.Is]: an error may wrap one of them. A
// function that reads from a caller's reader also returns that reader's errors, and [io.EOF],
// [io.ErrUnexpectedEOF] or [io.ErrNoProgress] if the reader gave too little. The texts of these
// errors are those of oklog/ulid, because programs compare them.
var (
	// ErrDataSize means that the input has the wrong length. Text has 26 characters, UUID
	// notation 36, binary 16 bytes, entropy 10 bytes.
	ErrDataSize = errors.New("ulid: bad data size when unmarshaling")

	// ErrInvalidCharacters means that a character is not allowed at its position.
	// Functions return it as an [InvalidCharacterError].
	ErrInvalidCharacters = errors.New("ulid: bad data characters when unmarshaling")

	// ErrOverflow means that a text is greater than 7ZZZZZZZZZZZZZZZZZZZZZZZZZ, the
	// largest ULID: 26 characters hold 130 bits, a ULID has 128.
	ErrOverflow = errors.New("ulid: overflow when unmarshaling")

	// ErrBufferSize means that the buffer to write into has the wrong length.
	ErrBufferSize = errors.New("ulid: bad buffer size when marshaling")

	// ErrBigTime means that a time is after [MaxTime]. A time before 1970 gives it too,
	// because [Timestamp] converts it to [math.MaxUint64].
	ErrBigTime = errors.New("ulid: time too big")

	// ErrMonotonicOverflow means that the next step would overflow the 80 bits of entropy.
	// It comes from a [MonotonicEntropy], also through [New].
	ErrMonotonicOverflow = errors.New("ulid: monotonic entropy overflow")

	// ErrScanValue means that Scan got a type that it does not read. Scan wraps it with the
	// name of the type.
	ErrScanValue = errors.New("ulid: source value must be a string or byte slice")
)

// InvalidCharacterError says which byte of a text is wrong, and where. It wraps
// [ErrInvalidCharacters]. Functions return it as a value, not as a pointer.
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

// Make returns a new ULID with the current time and random bits that crypto/rand provides or
// seeds. It is greater than every ULID that Make or [Fill] returned, in any goroutine of this
// process, before the call began. Make shares no order with [MakeUUIDv7], [DefaultEntropy] or
// [MustNewDefault].
//
// Make allocates nothing and does not wait for the clock. It panics if the clock is past
// [MaxTime].
func Make() (id ULID) {
	if err := defaultGenerator.next(&id); err != nil {
		panic(err)
	}
	return id
}

// Fill sets every element of ids to a new ULID, in increasing order. It is like calling [Make]
// once for each element. For many elements it is several times faster, because it locks and
// reads the clock once for every 1,024. Other goroutines may get IDs that lie between those of
// ids. Fill panics if the clock is past [MaxTime].
func Fill(ids []ULID) {
	if err := defaultGenerator.Fill(ids); err != nil {
		panic(err)
	}
}

// MakeUUIDv7 is like [Make], but each ID is also a valid UUID of version 7 (RFC 9562), for
// [ULID.UUIDString], [AsUUID] and the UUID types of other packages. It has 74 random bits
// instead of 80.
//
// Each ID is greater than every one that MakeUUIDv7 returned, in any goroutine, before the
// call began. IDs of Make and MakeUUIDv7 sort by timestamp only. After the clock was set back
// their timestamps may differ.
func MakeUUIDv7() (id ULID) {
	if err := uuidv7Generator.next(&id); err != nil {
		panic(err)
	}
	return id
}

// New returns a ULID with the given Unix time in milliseconds and 10 bytes from entropy, for
// callers that supply the time. New does not affect Make.
//
// A nil entropy means zero entropy: the ULID is the same each time. Use [crypto/rand.Reader] for
// random IDs. If entropy is a [MonotonicReader], such as [Monotonic] returns, New calls its
// MonotonicRead.
//
// The error is [ErrBigTime] if ms is greater than [MaxTime]. Otherwise it is that of the
// reader: [io.EOF] or [io.ErrUnexpectedEOF] if it ended early, [io.ErrNoProgress] if it kept
// returning nothing, [ErrMonotonicOverflow] from a [MonotonicEntropy]. New is safe for
// concurrent use if entropy is.
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

// MustNew is like [New] but panics on an error.
func MustNew(ms uint64, entropy io.Reader) ULID {
	id, err := New(ms, entropy)
	if err != nil {
		panic(err)
	}
	return id
}

// Time returns the timestamp of the ULID, in milliseconds since the Unix epoch. For a
// [time.Time] use [ULID.Timestamp].
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

// Entropy returns a copy of the 10 bytes of entropy. Those of a UUIDv7 include its version and
// variant.
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

// IsUUIDv7 reports whether id has the version and the variant of a UUID of version 7 (RFC 9562).
// One plain ULID in 64 has them by chance.
func (id ULID) IsUUIDv7() bool { return id[6]>>4 == 7 && id[8]>>6 == 2 }

// Now returns the current time in milliseconds since the Unix epoch.
func Now() uint64 { return Timestamp(time.Now()) }

// Timestamp converts t to milliseconds since the Unix epoch, rounding down. A time before
// 1970, or too late for a uint64, gives [math.MaxUint64]. A result greater than [MaxTime] fits
// into no ULID: [New] and [ULID.SetTime] refuse it with [ErrBigTime].
func Timestamp(t time.Time) uint64 {
	hi, seconds := bits.Mul64(uint64(t.Unix()), 1000) // before 1970 this overflows
	ms, carry := bits.Add64(seconds, uint64(t.Nanosecond())/1e6, 0)
	if hi != 0 || carry != 0 {
		return math.MaxUint64
	}
	return ms
}

// Time converts milliseconds since the Unix epoch to a local time. Timestamp(Time(ms)) is ms.
func Time(ms uint64) time.Time {
	return time.Unix(int64(ms/1000), int64(ms%1000)*int64(time.Millisecond))
}

// MaxTime returns the greatest timestamp a ULID can hold, in milliseconds since the Unix
// epoch: 2⁴⁸-1, which is 10889-08-02 05:31:50.655 UTC.
func MaxTime() uint64 { return maxTime }

// FirstAt returns the smallest ULID with the millisecond of t. Use it to query a range of times
// that excludes its end: id >= FirstAt(from) AND id < FirstAt(to). For a range without an end,
// leave the second condition out. Both ends are whole milliseconds.
//
// A time before 1970 gives the zero ULID. A time after [MaxTime] gives the largest ULID.
func FirstAt(t time.Time) ULID { return bound(t, uint128{}) }

// LastAt returns the largest ULID with the millisecond of t. Use it to query a range of times
// that includes its end: id BETWEEN FirstAt(from) AND LastAt(to).
//
// A time before 1970 gives the zero ULID. A time after [MaxTime] gives the largest ULID.
func LastAt(t time.Time) ULID { return bound(t, largest) }

// bound returns the ULID with the time of t and the entropy of that of e.
func bound(t time.Time, e uint128) (id ULID) {
	switch ms := Timestamp(t); {
	case t.Unix() < 0:
	case ms > maxTime:
		largest.put(&id)
	default:
		e.put(&id)
		id.setTime(ms)
	}
	return id
}

// Compare returns -1 if id is less than other, 0 if they are equal, and +1 if id is
// greater. The order is that of the bytes and of the text. It suits [slices.SortFunc]
// as ulid.ULID.Compare.
func (id ULID) Compare(other ULID) int {
	// Two words instead of bytes.Compare. This saves a fifth of the time.
	if c := cmp.Compare(binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(other[:8])); c != 0 {
		return c
	}
	return cmp.Compare(binary.BigEndian.Uint64(id[8:]), binary.BigEndian.Uint64(other[8:]))
}

// Next returns the smallest ULID greater than id. If id is the largest ULID, Next returns id
// and false.
func (id ULID) Next() (next ULID, ok bool) {
	n := id.uint128()
	if n == largest {
		return id, false
	}
	n.addOne().put(&next)
	return next, true
}

// Prev returns the largest ULID less than id. If id is zero, Prev returns id and false.
func (id ULID) Prev() (prev ULID, ok bool) {
	n := id.uint128()
	if n == (uint128{}) {
		return id, false
	}
	n.subOne().put(&prev)
	return prev, true
}

// What follows is kept only so that code written for oklog/ulid compiles.

// ParseStrict is [Parse].
//
// Deprecated: use [Parse], which is strict.
//
//go:fix inline
func ParseStrict(s string) (ULID, error) { return Parse(s) }

// MustParseStrict is [MustParse].
//
// Deprecated: use [MustParse], which is strict.
//
//go:fix inline
func MustParseStrict(s string) ULID { return MustParse(s) }

var defaultEntropy MonotonicEntropy

// DefaultEntropy returns a [MonotonicEntropy] that the process shares. Unlike in oklog/ulid,
// [Make] does not use it, so IDs of the two have no order within a millisecond.
//
// Deprecated: use [Make], or [Monotonic] for a source of your own.
func DefaultEntropy() io.Reader { return &defaultEntropy }

// MustNewDefault is [MustNew] with the [Timestamp] of t and [DefaultEntropy]. Unlike in
// oklog/ulid, its IDs and those of [Make] have no order within a millisecond.
//
// Deprecated: use [Make], or [MustNew] with the [Timestamp] of t.
func MustNewDefault(t time.Time) ULID { return MustNew(Timestamp(t), &defaultEntropy) }

// LockedMonotonicReader guards a MonotonicReader with a mutex. Its zero value is not usable.
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
// Deprecated: use [ULID.AppendText], which grows the slice if needed.
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
// Deprecated: use [ULID.AppendBinary], which grows the slice if needed.
func (id ULID) MarshalBinaryTo(dst []byte) error {
	if len(dst) != len(id) {
		return ErrBufferSize
	}
	copy(dst, id[:])
	return nil
}
