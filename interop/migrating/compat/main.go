// Compat uses every exported name of github.com/oklog/ulid/v2 and prints types, values and errors.
// TestSameOutput also runs it with the import path of this library, and both must print the same. What
// docs/migrating.md says differs is left out.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
)

// Programs embed the types, implement and convert them, and size arrays by the constant.
type (
	row struct {
		ulid.ULID
		Previous *ulid.ULID `json:",omitempty"`
	}
	counter struct{ ulid.MonotonicReader }
	wrapped ulid.ULID
	text    [ulid.EncodedSize]byte
)

const alphabet string = ulid.Encoding

var (
	_ ulid.MonotonicReader = counter{}
	_ ulid.MonotonicReader = (*ulid.MonotonicEntropy)(nil)
	_ ulid.MonotonicReader = (*ulid.LockedMonotonicReader)(nil)
)

// The type of each function and method is part of what must be the same.
var functions = []any{
	ulid.Make, ulid.New, ulid.MustNew, ulid.MustNewDefault, ulid.DefaultEntropy, ulid.Monotonic,
	ulid.Parse, ulid.ParseStrict, ulid.MustParse, ulid.MustParseStrict,
	ulid.Now, ulid.Time, ulid.Timestamp, ulid.MaxTime,
	ulid.ULID.Bytes, ulid.ULID.Compare, ulid.ULID.Entropy, ulid.ULID.IsZero, ulid.ULID.MarshalBinary,
	ulid.ULID.MarshalBinaryTo, ulid.ULID.MarshalText, ulid.ULID.MarshalTextTo, ulid.ULID.String,
	ulid.ULID.Time, ulid.ULID.Timestamp, ulid.ULID.Value,
	(*ulid.ULID).Scan, (*ulid.ULID).SetEntropy, (*ulid.ULID).SetTime,
	(*ulid.ULID).UnmarshalBinary, (*ulid.ULID).UnmarshalText,
	ulid.MonotonicReader.MonotonicRead, ulid.MonotonicReader.Read,
	(*ulid.MonotonicEntropy).MonotonicRead, (*ulid.MonotonicEntropy).Read,
	(*ulid.LockedMonotonicReader).MonotonicRead, (*ulid.LockedMonotonicReader).Read,
}

const (
	known = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
	lower = "01arz3ndektsv4rrffq69g5fav"
	short = "01ARZ3NDEKTSV4RRFFQ69G5FA"
	large = "8ZZZZZZZZZZZZZZZZZZZZZZZZZ"
	wrong = "01ARZ3NDEKTSV4RRFFQ69G5FAU"
)

func main() {
	// The test reads from this line which library was used.
	fmt.Println(reflect.TypeFor[ulid.ULID]().PkgPath())
	for _, f := range functions {
		fmt.Printf("%T\n", f)
	}
	reading()
	writing()
	timing()
	making()
	refusing()
}

func reading() {
	fmt.Println(ulid.Parse(known))
	fmt.Println(ulid.ParseStrict(lower))
	fmt.Println(ulid.MustParse(lower), ulid.MustParseStrict(known))
	id := ulid.MustParse(known)
	var a, b, c, d, e ulid.ULID
	fmt.Println(a.UnmarshalText([]byte(lower)), a)
	fmt.Println(b.UnmarshalBinary(id.Bytes()), b)
	fmt.Println(c.Scan(known), c.Scan([]byte(known)), c)
	fmt.Println(d.Scan(id.Bytes()), d)
	fmt.Println(e.Scan(nil), e, e.IsZero(), e == ulid.Zero)
	var r row
	fmt.Println(json.Unmarshal([]byte(`"`+known+`"`), &r), r)
}

func writing() {
	id := ulid.MustParse(known)
	fmt.Printf("%v %s %d %x %X %q\n", id, id, id, id, id, id)
	fmt.Println(id.Bytes(), id.Entropy(), id.IsZero(), id.Compare(ulid.Zero), ulid.Zero.Compare(id), id.Compare(id))
	fmt.Println(id.MarshalText())
	fmt.Println(id.MarshalBinary())
	var t text
	var p [len(id)]byte
	fmt.Println(id.MarshalTextTo(t[:]), string(t[:]), id.MarshalBinaryTo(p[:]), p)
	// Only the type of what Value returns differs.
	_, err := id.Value()
	fmt.Println(err, ulid.ULID(wrapped(id)), len(alphabet))
	j, err := json.Marshal(map[ulid.ULID]*ulid.ULID{id: &id, ulid.Zero: nil})
	fmt.Println(string(j), err)
}

func timing() {
	id := ulid.MustParse(known)
	fmt.Println(id.Time(), id.Timestamp(), ulid.Time(id.Time()), ulid.Timestamp(id.Timestamp()), ulid.MaxTime())
	for _, ms := range []uint64{0, 1, ulid.MaxTime() + 1, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64} {
		fmt.Println(ulid.Timestamp(ulid.Time(ms)), ulid.Time(ms).UTC())
	}
	fmt.Println(id.SetTime(ulid.MaxTime()), id, id.SetEntropy([]byte("0123456789")), id)
	before := ulid.Now()
	fmt.Println(ulid.Make().Time() >= before)
}

func making() {
	const ms = 1469918176385
	digits := func() io.Reader { return strings.NewReader(strings.Repeat("0123456789", 100)) }
	fmt.Println(ulid.New(ms, nil))
	fmt.Println(ulid.New(ms, digits()))
	fmt.Println(ulid.MustNew(ms, digits()), ulid.MustNewDefault(ulid.Time(ms)).Time())
	fmt.Println(ulid.New(ms, &ulid.MonotonicEntropy{Reader: digits()}))

	one := ulid.Monotonic(digits(), 1)
	fmt.Println(ulid.MustNew(ms, one), ulid.MustNew(ms, one), ulid.MustNew(ms+1, one), ulid.MustNew(ms, one))
	many := counter{ulid.Monotonic(digits(), 0)}
	first := ulid.MustNew(ms, many)
	fmt.Println(first, first.Compare(ulid.MustNew(ms, many)))

	locked := &ulid.LockedMonotonicReader{MonotonicReader: ulid.Monotonic(digits(), 1)}
	entropy := make([]byte, 10)
	fmt.Println(locked.MonotonicRead(ms, entropy), string(entropy))
	fmt.Println(locked.MonotonicReader.MonotonicRead(ms, entropy), string(entropy))
	for _, r := range []io.Reader{one, one.Reader, locked, ulid.DefaultEntropy()} {
		fmt.Println(io.ReadFull(r, entropy))
	}
	id := ulid.MustNew(ms, ulid.DefaultEntropy())
	fmt.Println(id.Compare(ulid.MustNew(ms, ulid.DefaultEntropy())))
}

// refusing prints the errors that programs compare, by their texts or with ==.
func refusing() {
	fmt.Println(ulid.ErrBigTime, ulid.ErrBufferSize, ulid.ErrDataSize, ulid.ErrInvalidCharacters,
		ulid.ErrMonotonicOverflow, ulid.ErrOverflow, ulid.ErrScanValue)
	id := ulid.MustParse(known)
	got := func(what string, err, sentinel error) {
		fmt.Printf("%s: %v, the sentinel itself: %t\n", what, err, err == sentinel)
	}
	got("Parse of 25 characters", errorOf(ulid.Parse(short)), ulid.ErrDataSize)
	got("ParseStrict of 25 characters", errorOf(ulid.ParseStrict(short)), ulid.ErrDataSize)
	got("UnmarshalText of 25 characters", id.UnmarshalText([]byte(short)), ulid.ErrDataSize)
	got("UnmarshalBinary of 15 bytes", id.UnmarshalBinary(make([]byte, 15)), ulid.ErrDataSize)
	got("SetEntropy of 9 bytes", id.SetEntropy(make([]byte, 9)), ulid.ErrDataSize)
	got("Scan of no character", id.Scan(""), ulid.ErrDataSize)
	got("Scan of 25 characters", id.Scan(short), ulid.ErrDataSize)
	got("Scan of 15 bytes", id.Scan(make([]byte, 15)), ulid.ErrDataSize)
	got("JSON of 25 characters", json.Unmarshal([]byte(`"`+short+`"`), &id), ulid.ErrDataSize)
	got("MarshalTextTo of 25 bytes", id.MarshalTextTo(make([]byte, 25)), ulid.ErrBufferSize)
	got("MarshalBinaryTo of 17 bytes", id.MarshalBinaryTo(make([]byte, 17)), ulid.ErrBufferSize)
	got("New after MaxTime", errorOf(ulid.New(ulid.MaxTime()+1, nil)), ulid.ErrBigTime)
	got("SetTime after MaxTime", id.SetTime(ulid.MaxTime()+1), ulid.ErrBigTime)
	got("MustNew after MaxTime", panicOf(func() { ulid.MustNew(ulid.MaxTime()+1, nil) }), ulid.ErrBigTime)
	got("MustNewDefault before 1970", panicOf(func() { ulid.MustNewDefault(time.Unix(-1, 0)) }), ulid.ErrBigTime)
	got("Parse of 8ZZZ…", errorOf(ulid.Parse(large)), ulid.ErrOverflow)
	got("ParseStrict of 8ZZZ…", errorOf(ulid.ParseStrict(large)), ulid.ErrOverflow)
	got("UnmarshalText of 8ZZZ…", id.UnmarshalText([]byte(large)), ulid.ErrOverflow)
	got("Scan of 8ZZZ…", id.Scan(large), ulid.ErrOverflow)
	full := ulid.Monotonic(bytes.NewReader(bytes.Repeat([]byte{0xFF}, 100)), 1)
	fmt.Println(ulid.New(1, full))
	got("New after the last entropy", errorOf(ulid.New(1, full)), ulid.ErrMonotonicOverflow)
	got("New from an empty reader", errorOf(ulid.New(1, strings.NewReader(""))), io.EOF)
	got("New from a reader of 9 bytes", errorOf(ulid.New(1, strings.NewReader("012345678"))), io.ErrUnexpectedEOF)
	fmt.Println(id) // as it was

	// These errors have texts of their own in this library, but match the sentinel.
	fmt.Println("ParseStrict of a U:", errors.Is(errorOf(ulid.ParseStrict(wrong)), ulid.ErrInvalidCharacters))
	fmt.Println("Scan of an int:", errors.Is(id.Scan(1), ulid.ErrScanValue))
	fmt.Println("MustParse of 25 characters:", errors.Is(panicOf(func() { ulid.MustParse(short) }), ulid.ErrDataSize))
	panicked := panicOf(func() { ulid.MustParseStrict(wrong) })
	fmt.Println("MustParseStrict of a U:", errors.Is(panicked, ulid.ErrInvalidCharacters))
}

func errorOf(_ ulid.ULID, err error) error { return err }

func panicOf(f func()) (err error) {
	defer func() { err = recover().(error) }()
	f()
	return nil
}
