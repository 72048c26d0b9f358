// Package oklog proves that the module oklog does what oklog/ulid does: the same calls of both give the same results,
// and oklog/ulid's own tests pass. What is meant to differ is tested in the module.
package oklog

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	theirs "github.com/oklog/ulid/v2"

	ours "github.com/seed-961d0905/ulid/oklog"
)

// A library is oklog/ulid, or the module in its place, with functions that return bytes in place of its own type.
type library struct {
	new             func(ms uint64, entropy io.Reader) ([16]byte, error)
	mustNew         func(ms uint64, entropy io.Reader) [16]byte
	mustNewDefault  func(t time.Time) [16]byte
	parse           func(s string) ([16]byte, error)
	parseStrict     func(s string) ([16]byte, error)
	mustParse       func(s string) [16]byte
	mustParseStrict func(s string) [16]byte
	getters         func(id [16]byte) getters
	setters         func(id *[16]byte) setters
	isZero          func(id, zero [16]byte) bool // if the variable Zero has this value
	time            func(ms uint64) time.Time
	timestamp       func(t time.Time) uint64
	monotonic       map[string]func(entropy io.Reader, inc uint64) monotonicReader
	errors          []error
}

type monotonicReader interface {
	Read(p []byte) (n int, err error)
	MonotonicRead(ms uint64, p []byte) error
}

var oklogULID = library{
	new:             func(ms uint64, r io.Reader) ([16]byte, error) { return plain(theirs.New(ms, r)) },
	mustNew:         func(ms uint64, r io.Reader) [16]byte { return theirs.MustNew(ms, r) },
	mustNewDefault:  func(t time.Time) [16]byte { return theirs.MustNewDefault(t) },
	parse:           func(s string) ([16]byte, error) { return plain(theirs.Parse(s)) },
	parseStrict:     func(s string) ([16]byte, error) { return plain(theirs.ParseStrict(s)) },
	mustParse:       func(s string) [16]byte { return theirs.MustParse(s) },
	mustParseStrict: func(s string) [16]byte { return theirs.MustParseStrict(s) },
	getters:         func(id [16]byte) getters { return theirs.ULID(id) },
	setters:         func(id *[16]byte) setters { return (*theirs.ULID)(id) },
	isZero: func(id, zero [16]byte) bool {
		theirs.Zero = zero
		defer func() { theirs.Zero = theirs.ULID{} }()
		return theirs.ULID(id).IsZero()
	},
	time:      theirs.Time,
	timestamp: theirs.Timestamp,
	monotonic: map[string]func(io.Reader, uint64) monotonicReader{
		"Monotonic": func(r io.Reader, inc uint64) monotonicReader { return theirs.Monotonic(r, inc) },
		"literal":   func(r io.Reader, _ uint64) monotonicReader { return &theirs.MonotonicEntropy{Reader: r} },
		"locked": func(r io.Reader, inc uint64) monotonicReader {
			return &theirs.LockedMonotonicReader{MonotonicReader: theirs.Monotonic(r, inc)}
		},
	},
	errors: []error{
		theirs.ErrDataSize, theirs.ErrInvalidCharacters, theirs.ErrBufferSize, theirs.ErrBigTime, theirs.ErrOverflow,
		theirs.ErrMonotonicOverflow, theirs.ErrScanValue,
	},
}

var module = library{
	new:             func(ms uint64, r io.Reader) ([16]byte, error) { return plain(ours.New(ms, r)) },
	mustNew:         func(ms uint64, r io.Reader) [16]byte { return ours.MustNew(ms, r) },
	mustNewDefault:  func(t time.Time) [16]byte { return ours.MustNewDefault(t) },
	parse:           func(s string) ([16]byte, error) { return plain(ours.Parse(s)) },
	parseStrict:     func(s string) ([16]byte, error) { return plain(ours.ParseStrict(s)) },
	mustParse:       func(s string) [16]byte { return ours.MustParse(s) },
	mustParseStrict: func(s string) [16]byte { return ours.MustParseStrict(s) },
	getters:         func(id [16]byte) getters { return ours.ULID(id) },
	setters:         func(id *[16]byte) setters { return (*ours.ULID)(id) },
	isZero: func(id, zero [16]byte) bool {
		ours.Zero = zero
		defer func() { ours.Zero = ours.ULID{} }()
		return ours.ULID(id).IsZero()
	},
	time:      ours.Time,
	timestamp: ours.Timestamp,
	monotonic: map[string]func(io.Reader, uint64) monotonicReader{
		"Monotonic": func(r io.Reader, inc uint64) monotonicReader { return ours.Monotonic(r, inc) },
		"literal":   func(r io.Reader, _ uint64) monotonicReader { return &ours.MonotonicEntropy{Reader: r} },
		"locked": func(r io.Reader, inc uint64) monotonicReader {
			return &ours.LockedMonotonicReader{MonotonicReader: ours.Monotonic(r, inc)}
		},
	},
	errors: []error{
		ours.ErrDataSize, ours.ErrInvalidCharacters, ours.ErrBufferSize, ours.ErrBigTime, ours.ErrOverflow,
		ours.ErrMonotonicOverflow, ours.ErrScanValue,
	},
}

func plain[ID ~[16]byte](id ID, err error) ([16]byte, error) { return id, err }

// same calls a function with both libraries, and fails the test if it does not print the same.
func same(t *testing.T, what any, f func(l library) string) {
	t.Helper()
	want, got := f(oklogULID), f(module)
	if got != want {
		t.Errorf("%.200v:\n%.500s, but with oklog/ulid\n%.500s", what, got, want)
	}
}

// name prints an error: which of the library's own it is, or its type and text. These sentinels are compared by ==, as
// programs do.
func (l library) name(err error) string {
	at := slices.IndexFunc(l.errors, func(e error) bool { return e == err })
	if at >= 0 {
		return fmt.Sprintf("sentinel %d %v", at, err)
	}
	return fmt.Sprintf("%T %v", err, err)
}

// panicOf returns the error with which a function panics.
func (l library) panicOf(f func()) (result string) {
	defer func() {
		err, _ := recover().(error)
		result = l.name(err)
	}()
	f()
	return "no panic"
}

// before is what a variable holds before something is read into it.
var before = [16]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}

// texts are strings around the format of a ULID, valid ones and garbage.
func texts(random *rand.Rand) (all []string) {
	// Every byte at every position.
	bases := []string{"01ARYZ6S41TSV4RRFFQ69G5FAV", "00000000000000000000000000", "7zzzzzzzzzzzzzzzzzzzzzzzzz"}
	for _, base := range bases {
		for at := range base {
			for c := range 256 {
				all = append(all, base[:at]+string([]byte{byte(c)})+base[at+1:])
			}
		}
		for n := range 60 {
			all = append(all, (base + base + base)[:n])
		}
	}
	const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ0123456789abcdefghjkmnpqrstvwxyz"
	for range 10_000 {
		b := make([]byte, 26)
		random.Read(b)
		for i := range b {
			if random.Intn(4) > 0 {
				b[i] = alphabet[random.Intn(len(alphabet))]
			}
		}
		all = append(all, string(b))
	}
	return append(all, "01563df3-6481-d676-4c61-efb99302bd5b", "0000000000XX000COMPACTHEAD", "０1ARYZ6S41TSV4RRFFQ69G5F")
}

func TestSameReading(t *testing.T) {
	for _, text := range texts(rand.New(rand.NewSource(1))) {
		same(t, fmt.Sprintf("%q", text), func(l library) string {
			id, err := l.parse(text)
			strict, strictErr := l.parseStrict(text)
			result := fmt.Sprintln(id, l.name(err), strict, l.name(strictErr))
			for _, set := range []func(setters) error{
				func(id setters) error { return id.UnmarshalText([]byte(text)) },
				func(id setters) error { return id.UnmarshalBinary([]byte(text)) },
				func(id setters) error { return id.SetEntropy([]byte(text)) },
				func(id setters) error { return id.Scan(text) },
				func(id setters) error { return id.Scan([]byte(text)) },
			} {
				id := before
				err := set(l.setters(&id))
				result += fmt.Sprintln(id, l.name(err))
			}
			result += l.panicOf(func() { result += fmt.Sprintln(l.mustParse(text)) })
			return result + l.panicOf(func() { result += fmt.Sprintln(l.mustParseStrict(text)) })
		})
	}
}

// What no text is: NULL, other types of the same kinds, and 16 bytes.
func TestSameScan(t *testing.T) {
	type text string
	type named []byte
	for _, src := range []any{
		nil, []byte(nil), 44, 4.4, true, time.Unix(0, 0), [16]byte{5}, theirs.ULID{5}, &theirs.ULID{5}, new(string),
		text("01ARYZ6S41TSV4RRFFQ69G5FAV"), named("0123456789ABCDEF"), "0123456789ABCDEF", []byte("0123456789ABCDEF"),
	} {
		same(t, fmt.Sprintf("%T %v", src, src), func(l library) string {
			id := before
			err := l.setters(&id).Scan(src)
			return fmt.Sprintln(id, l.name(err))
		})
	}
}

// getters and setters are the methods of a ULID but Compare.
type getters interface {
	String() string
	Bytes() []byte
	Entropy() []byte
	IsZero() bool
	MarshalBinary() ([]byte, error)
	MarshalBinaryTo(dst []byte) error
	MarshalText() ([]byte, error)
	MarshalTextTo(dst []byte) error
	Time() uint64
	Timestamp() time.Time
	Value() (driver.Value, error)
}

type setters interface {
	Scan(src any) error
	SetEntropy(e []byte) error
	SetTime(ms uint64) error
	UnmarshalBinary(data []byte) error
	UnmarshalText(text []byte) error
}

func TestSameMethods(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	ids := [][16]byte{{}, {15: 1}, {0: 0xFF}, before, theirs.MustNew(theirs.MaxTime(), nil)}
	for range 300 {
		var id [16]byte
		random.Read(id[:])
		ids = append(ids, id)
	}
	for i, id := range ids {
		same(t, id, func(l library) string {
			got := l.getters(id)
			text, err := got.MarshalText()
			binary, err2 := got.MarshalBinary()
			value, err3 := got.Value()
			result := fmt.Sprintln(got, got.Bytes(), got.Entropy(), got.IsZero(), got.Time(), got.Timestamp())
			result += fmt.Sprintf("%s %x %T %x %v\n", text, binary, value, value, errors.Join(err, err2, err3))
			for n := range 40 {
				text, binary := make([]byte, n), make([]byte, n)
				err, err2 := got.MarshalTextTo(text), got.MarshalBinaryTo(binary)
				result += fmt.Sprintf("%q %s %x %s\n", text, l.name(err), binary, l.name(err2))
			}
			// What a method returned is the caller's.
			for _, b := range [][]byte{got.Bytes(), got.Entropy(), text, binary, value.([]byte)} {
				b[0]++
			}
			result += fmt.Sprint(got, l.isZero(id, before), l.isZero(id, [16]byte{}))
			for _, verb := range []string{"%v", "%+v", "%s", "%q", "%d", "%x", "%X", "%b"} {
				result += fmt.Sprintf(verb, got)
			}
			return result
		})
		other := ids[(i+1)%len(ids)]
		for _, other := range [][16]byte{other, id, {}} {
			if want, got := theirs.ULID(id).Compare(other), ours.ULID(id).Compare(other); got != want {
				t.Errorf("Compare of %v and %v is %d, want %d", id, other, got, want)
			}
		}
	}
}

func TestSameTimes(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	times := []time.Time{{}, time.Unix(-1, 999_999_999), time.Unix(1<<62, 5), time.Unix(-1<<62, 5)}
	numbers := []uint64{0, 1, 1<<48 - 1, 1 << 48, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64}
	for range 5_000 {
		times = append(times, time.Unix(random.Int63()>>random.Intn(63)-1000, random.Int63n(1e9)))
		numbers = append(numbers, random.Uint64()>>random.Intn(64))
	}
	for _, at := range times {
		same(t, at, func(l library) string {
			result := fmt.Sprintln(l.timestamp(at), l.timestamp(at.UTC()))
			return result + l.panicOf(func() {
				id := l.mustNewDefault(at)
				result += fmt.Sprintln(id[:6])
			})
		})
	}
	for _, ms := range numbers {
		same(t, ms, func(l library) string {
			id := before
			err := l.setters(&id).SetTime(ms)
			return fmt.Sprintln(id, l.name(err), l.time(ms), l.time(ms).Location())
		})
	}
	if ours.MaxTime() != theirs.MaxTime() {
		t.Errorf("MaxTime is %d", ours.MaxTime())
	}
	if earliest, now := theirs.Now(), ours.Now(); now < earliest || now > theirs.Now() {
		t.Errorf("Now is %d after %d", now, earliest)
	}
}

// A reader returns the text, in pieces and with an error in place of EOF if it has them.
type source struct {
	text   string
	pieces bool
	err    error
}

func (s source) reader() io.Reader {
	var r io.Reader = strings.NewReader(s.text)
	if s.err != nil {
		r = io.MultiReader(r, iotest.ErrReader(s.err))
	}
	if s.pieces {
		r = iotest.OneByteReader(r)
	}
	return r
}

// A recorder is a MonotonicReader of a program's own, which fails after 3 bytes.
type recorder struct {
	io.Reader
	calls string
}

func (r *recorder) MonotonicRead(ms uint64, p []byte) error {
	r.calls += fmt.Sprintln(ms, len(p))
	copy(p, "abc")
	return io.ErrClosedPipe
}

func TestSameNew(t *testing.T) {
	for _, ms := range []uint64{0, 1, 1469918176385, 1<<48 - 1, 1 << 48, math.MaxUint64} {
		same(t, ms, func(l library) string {
			id, err := l.new(ms, nil)
			result := fmt.Sprintln(id, l.name(err), l.panicOf(func() { l.mustNew(ms, nil) }))
			for n := range 12 {
				for _, s := range []source{{}, {pieces: true}, {err: io.ErrClosedPipe}} {
					s.text = "0123456789ABCDEF"[:n]
					id, err := l.new(ms, s.reader())
					result += fmt.Sprintln(id, l.name(err))
					result += l.panicOf(func() { result += fmt.Sprintln(l.mustNew(ms, s.reader())) })
				}
			}
			r := &recorder{}
			id, err = l.new(ms, r)
			return result + fmt.Sprintln(id, l.name(err), r.calls)
		})
	}
}

// onlyReader hides that a source has other methods.
type onlyReader struct{ io.Reader }

// A program may expect the IDs that a seed gave it, and what is left of the source.
func TestSameMonotonic(t *testing.T) {
	random := func() io.Reader { return rand.New(rand.NewSource(1)) }
	after := func(text string) io.Reader { return io.MultiReader(strings.NewReader(text), random()) }
	sources := map[string]func() io.Reader{
		"math/rand":  random,
		"bytes":      func() io.Reader { return onlyReader{random()} },
		"one by one": func() io.Reader { return iotest.OneByteReader(random()) },
		"zeros":      func() io.Reader { return after(strings.Repeat("\x00", 100)) },
		"a carry":    func() io.Reader { return after("\x00\x01\xff\xff\xff\xff\xff\xff\xff\xfe") },
		"ends early": func() io.Reader { return strings.NewReader("0123456789ABCDEFGHIJKLMNOPQ") },
		"fails":      source{text: "0123456789AB", err: io.ErrClosedPipe}.reader,
		"empty":      source{}.reader,
	}
	steps := []uint64{
		0, 1, 2, 3, 7, 8, 200, 255, 256, 257, 65535, 65536, 1 << 24, 1<<32 - 1, 1 << 40, 1<<56 - 1, math.MaxInt64,
	}
	for name, open := range sources {
		for _, inc := range steps {
			for kind := range module.monotonic {
				same(t, fmt.Sprint(kind, " of ", name, " ", inc), func(l library) string {
					entropy := open()
					return l.useMonotonic(l.monotonic[kind](entropy, inc), entropy)
				})
			}
		}
	}
}

// useMonotonic prints the IDs of a source, and what it leaves of the reader.
func (l library) useMonotonic(monotonic monotonicReader, entropy io.Reader) string {
	var result strings.Builder
	for _, ms := range []uint64{0, 0, 0, 1, 1, 1, 1, 2, 1, 1, 2, 2, 3, 3, 3, 1 << 48, 3, math.MaxUint64} {
		id, err := l.new(ms, monotonic)
		fmt.Fprintln(&result, id, l.name(err))
	}
	p := make([]byte, 12) // 2 more than the entropy
	for range 2 {
		err := monotonic.MonotonicRead(5, p)
		fmt.Fprintln(&result, p, l.name(err))
	}
	for _, r := range []io.Reader{monotonic, entropy} {
		n, err := io.ReadFull(r, p)
		fmt.Fprintln(&result, p, n, l.name(err))
	}
	return result.String()
}
