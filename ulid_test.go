package ulid

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/big"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"
)

// The specification's layout: 48 bits of milliseconds, then 80 of entropy, big-endian.
func TestLayout(t *testing.T) {
	id := MustNew(0x010203040506, bytes.NewReader([]byte{7, 8, 9, 10, 11, 12, 13, 14, 15, 16}))
	if want := (ULID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}); id != want {
		t.Errorf("New = %x, want %x", id[:], want[:])
	}
	if got := id.Time(); got != 0x010203040506 {
		t.Errorf("Time() = %#x", got)
	}
	entropy := id.Entropy()
	if want := []byte{7, 8, 9, 10, 11, 12, 13, 14, 15, 16}; !bytes.Equal(entropy, want) {
		t.Errorf("Entropy() = %x, want %x", entropy, want)
	}
	entropy[0]++
	if id[6] != 7 {
		t.Error("Entropy() is not a copy")
	}
}

func TestErrors(t *testing.T) {
	all := []error{ErrDataSize, ErrInvalidCharacters, ErrOverflow, ErrBufferSize, ErrBigTime, ErrMonotonicOverflow, ErrScanValue}
	for i, err := range all {
		if !strings.HasPrefix(err.Error(), "ulid: ") {
			t.Errorf("%q does not name the package", err)
		}
		for _, other := range all[:i] {
			if errors.Is(err, other) {
				t.Errorf("%q matches %q", err, other)
			}
		}
	}
}

func TestInvalidCharacterError(t *testing.T) {
	for _, tt := range []struct {
		err  InvalidCharacterError
		want string
	}{
		{InvalidCharacterError{25, 'U'}, `ulid: invalid character 'U' at offset 25`},
		{InvalidCharacterError{0, '\''}, `ulid: invalid character '\'' at offset 0`},
		{InvalidCharacterError{1, '\n'}, `ulid: invalid character '\n' at offset 1`},
		{InvalidCharacterError{2, 0}, `ulid: invalid character '\x00' at offset 2`},
		{InvalidCharacterError{3, 0x80}, `ulid: invalid character '\x80' at offset 3`}, // a byte, not U+0080
		{InvalidCharacterError{4, 0xe9}, `ulid: invalid character '\xe9' at offset 4`}, // a byte, not é
	} {
		t.Run(strconv.QuoteToASCII(string([]byte{tt.err.Char})), func(t *testing.T) {
			if got := tt.err.Error(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if !errors.Is(tt.err, ErrInvalidCharacters) {
				t.Error("it does not match ErrInvalidCharacters")
			}
		})
	}
	// The message quotes one byte, whichever it is, and stays short.
	for c := range 256 {
		message := InvalidCharacterError{math.MaxInt, byte(c)}.Error()
		quoted := message[len("ulid: invalid character "):strings.LastIndex(message, " at ")]
		if char, err := strconv.Unquote(quoted); err != nil || char != string([]byte{byte(c)}) || len(message) > 70 {
			t.Errorf("of %#x: %s", c, message)
		}
	}
}

// The generators of the package have the settings that the documentation promises. Every test
// that changes them restores them, so this holds before and after any other.
func TestShippedSettings(t *testing.T) {
	for _, tt := range []struct {
		name   string
		g      *Generator
		uuidv7 bool
	}{
		{"Make", &defaultGenerator, false},
		{"MakeUUIDv7", &uuidv7Generator, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if g := tt.g; g.Entropy != nil || g.Clock != nil || g.wall != nil || g.MaxStep != 0 || !g.After.IsZero() || g.UUIDv7 != tt.uuidv7 {
				t.Errorf("the Generator has Entropy %v, Clock set: %t, MaxStep %d, After %s, UUIDv7 %t",
					g.Entropy, g.Clock != nil || g.wall != nil, g.MaxStep, g.After, g.UUIDv7)
			}
		})
	}
	if m := &defaultEntropy; m.Reader != nil || m.inc != 0 {
		t.Errorf("DefaultEntropy has the reader %v and an inc of %d", m.Reader, m.inc)
	}
}

func TestMake(t *testing.T) {
	for _, tt := range []struct {
		name   string
		make   func() ULID
		uuidv7 bool
	}{
		{"Make", Make, false},
		{"MakeUUIDv7", MakeUUIDv7, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			last := tt.make()
			for range 100_000 {
				before, id, after := Now(), tt.make(), Now()
				if id.Compare(last) <= 0 {
					t.Fatalf("%s after %s", id, last)
				}
				if tt.uuidv7 && !slowIsUUIDv7(id) {
					t.Fatalf("%s is no UUIDv7", id.UUIDString())
				}
				// The clock may have been slewed by a few µs since it was last read.
				if ms := id.Time(); ms+1 < before || ms > after+1 {
					t.Fatalf("%s was made at %d, between %d and %d", id, ms, before, after)
				}
				last = id
			}
		})
	}
}

func TestFill(t *testing.T) {
	last := Make()
	for _, n := range []int{0, 1, 2, 1000} {
		ids := make([]ULID, n)
		Fill(ids)
		for i, id := range append(ids, Make()) {
			if id.Compare(last) <= 0 {
				t.Fatalf("Fill of %d: element %d is %s, after %s", n, i, id, last)
			}
			last = id
		}
	}
}

// Past the year 10889 there is no ULID to return.
func TestMakePanicsAtTheEndOfTime(t *testing.T) {
	keep(t, &defaultGenerator)
	defaultGenerator.last, defaultGenerator.started, defaultGenerator.window = largest, true, 0
	mustPanic(t, "Make", func() { Make() })
	ids := []ULID{known}
	mustPanic(t, "Fill", func() { Fill(ids) })
	if ids[0] != (ULID{}) {
		t.Errorf("Fill left %s", ids[0])
	}

	keep(t, &uuidv7Generator)
	uuidv7Generator.last, uuidv7Generator.started, uuidv7Generator.window = largest, true, 0
	uuidv7Generator.last.setUUIDv7()
	mustPanic(t, "MakeUUIDv7", func() { MakeUUIDv7() })
}

func TestNew(t *testing.T) {
	failure := errors.New("no entropy")
	ten := strings.NewReader("0123456789")
	other := func(m *MonotonicEntropy) io.Reader { return &LockedMonotonicReader{MonotonicReader: m} }
	for _, tt := range []struct {
		name    string
		ms      uint64
		entropy io.Reader
		want    string // hexadecimal
		err     error
	}{
		{"nil", 1, nil, "00000000000100000000000000000000", nil},
		{"reader", knownMS, ten, "01563df3648130313233343536373839", nil},
		{"largest time", 1<<48 - 1, nil, "ffffffffffff00000000000000000000", nil},
		{"Monotonic", 1, Monotonic(constant(0xab), 1), "000000000001abababababababababab", nil},
		{"another MonotonicReader", 1, other(Monotonic(constant(0xab), 1)), "000000000001abababababababababab", nil},
		{"MonotonicReader that writes the millisecond", 0x0102, millisecondReader{}, "00000000010200000000000000000102", nil},
		{"one byte at a time", 1, iotest.OneByteReader(constant(1)), "00000000000101010101010101010101", nil},
		{"data with EOF", 1, iotest.DataErrReader(strings.NewReader("0123456789")), "00000000000130313233343536373839", nil},
		{"99 empty reads", 1, &hesitant{99}, "00000000000101010101010101010101", nil},
		{"99 empty reads before each byte", 1, &sparse{times: 99}, "00000000000101010101010101010101", nil},
		{"99 empty reads, then one byte at a time", 1, iotest.OneByteReader(&hesitant{99}), "00000000000101010101010101010101", nil},

		{"time too large", 1 << 48, nil, "", ErrBigTime},                          // 49 bits
		{"time too large, with entropy", 1 << 48, constant(0xab), "", ErrBigTime}, // the time is checked first
		{"time before 1970", Timestamp(time.Unix(-1, 0)), nil, "", ErrBigTime},    // it converts to MaxUint64
		{"failing", 1, iotest.ErrReader(failure), "", failure},                    // the reader's own error
		{"empty", 1, strings.NewReader(""), "", io.EOF},                           // as io.ReadFull
		{"short", 1, strings.NewReader("012345678"), "", io.ErrUnexpectedEOF},     // 9 bytes, as io.ReadFull
		{"empty reads for ever", 1, liar(0), "", io.ErrNoProgress},                // an io.Reader should not return 0, nil
		{"negative count", 1, liar(-1), "", errRead},                              // an io.Reader must not
		{"count too large", 1, liar(11), "", errRead},                             // nor this
		{"greatest count, after 3 bytes", 1, io.MultiReader(strings.NewReader("012"), liar(math.MaxInt)), "", errRead},
		{"failing Monotonic", 1, Monotonic(iotest.ErrReader(failure), 1), "", failure}, // through the type's own path
		{"another failing MonotonicReader", 1, other(Monotonic(iotest.ErrReader(failure), 1)), "", failure},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var want ULID
			if tt.err == nil {
				want = mustHex(tt.want)
			}
			id, err := New(tt.ms, tt.entropy)
			if id != want || err != tt.err {
				t.Errorf("New = %x, %v; want %x, %v", id[:], err, want[:], tt.err)
			}
			if tt.err != nil {
				// A reader that is used up fails again.
				mustPanic(t, "MustNew", func() { MustNew(tt.ms, tt.entropy) })
			}
		})
	}
}

// millisecondReader is a MonotonicReader that writes the millisecond. Its Read panics.
type millisecondReader struct{ io.Reader }

func (millisecondReader) MonotonicRead(ms uint64, p []byte) error {
	binary.BigEndian.PutUint64(p[2:], ms)
	return nil
}

// A time that is too large is refused before the entropy is read.
func TestNewChecksTheTimeFirst(t *testing.T) {
	reads := 0
	counting := readerFunc(func(p []byte) (int, error) { reads++; return 0, errFaulty })
	clock := &fakeClock{time.UnixMilli(1 << 48)}
	for name, newID := range map[string]func() (ULID, error){
		"reader":    func() (ULID, error) { return New(1<<48, counting) },
		"Monotonic": func() (ULID, error) { return New(1<<48, Monotonic(counting, 0)) },
		"another MonotonicReader": func() (ULID, error) {
			return New(1<<48, &LockedMonotonicReader{MonotonicReader: Monotonic(counting, 0)})
		},
		"Generator": (&Generator{Clock: clock.now, Entropy: counting}).Make,
	} {
		t.Run(name, func(t *testing.T) {
			if id, err := newID(); err != ErrBigTime || id != (ULID{}) || reads > 0 {
				t.Errorf("%s, %v after %d reads; want ErrBigTime and none", id, err, reads)
			}
		})
	}
}

// Entropy of a type that cannot be compared does not panic.
func TestUncomparableEntropy(t *testing.T) {
	type uncomparable struct {
		constant
		_ []byte
	}
	entropy := uncomparable{constant: 7}
	for name, newID := range map[string]func() (ULID, error){
		"New":       func() (ULID, error) { return New(knownMS, entropy) },
		"Generator": (&Generator{Entropy: entropy}).Make,
		"Monotonic": func() (ULID, error) { return New(knownMS, Monotonic(entropy, 0)) },
	} {
		t.Run(name, func(t *testing.T) {
			if id, err := newID(); err != nil || id[15] != 7 {
				t.Errorf("%s, %v", id, err)
			}
		})
	}
}

func TestSetTimeAndEntropy(t *testing.T) {
	id := known
	if err := id.SetTime(1 << 48); err != ErrBigTime || id != known {
		t.Errorf("SetTime(MaxTime+1) = %v, and %s became %s", err, known, id)
	}
	for _, size := range []int{0, 9, 11} {
		if err := id.SetEntropy(make([]byte, size)); err != ErrDataSize || id != known {
			t.Errorf("SetEntropy of %d bytes = %v, and %s became %s", size, err, known, id)
		}
	}
	if err := id.SetTime(1<<48 - 1); err != nil || id.Time() != MaxTime() {
		t.Errorf("SetTime(MaxTime) = %v, and the ULID is %x", err, id[:])
	}
	if err := id.SetTime(0x010203040506); err != nil || id != mustHex("010203040506d6764c61efb99302bd5b") {
		t.Errorf("SetTime = %v, and the ULID is %x", err, id[:])
	}
	if err := id.SetEntropy([]byte("0123456789")); err != nil || id != mustHex("01020304050630313233343536373839") {
		t.Errorf("SetEntropy = %v, and the ULID is %x", err, id[:])
	}
}

func TestIsUUIDv7(t *testing.T) {
	// The example of RFC 9562, appendix A.6.
	id, err := ParseUUID("017F22E2-79B0-7CC3-98C4-DC0C0C07398F")
	if err != nil || !id.IsUUIDv7() || id.Time() != 1645557742000 {
		t.Errorf("the RFC's example: %t, %d ms, %v", id.IsUUIDv7(), id.Time(), err)
	}
	for a := range 256 {
		for b := range 256 {
			id[6], id[8] = byte(a), byte(b)
			if got, want := id.IsUUIDv7(), slowIsUUIDv7(id); got != want {
				t.Fatalf("%s.IsUUIDv7() = %t", id.UUIDString(), got)
			}
		}
	}
}

// Timestamp, Time, MaxTime, FirstAt and LastAt, within the range of a ULID and outside.
func TestTime(t *testing.T) {
	const (
		first, last             = "01ARYZ6S410000000000000000", "01ARYZ6S41ZZZZZZZZZZZZZZZZ"
		endFirst                = "7ZZZZZZZZZ0000000000000000"
		zeroID                  = "00000000000000000000000000"
		secondsOfUint64         = (1<<64 - 1) / 1000 // 2⁶⁴ ms is 616 ms later
		secondsOfUint64Exceeded = secondsOfUint64 + 1
	)
	end := time.UnixMilli(1<<48 - 1)
	for _, tt := range []struct {
		name        string
		t           time.Time
		ms          uint64
		first, last string
	}{
		{"2016", time.UnixMilli(knownMS), knownMS, first, last},
		{"2016, the last ns of the ms", time.UnixMilli(knownMS).Add(999_999), knownMS, first, last},
		{"1970", time.Unix(0, 0), 0, zeroID, "0000000000ZZZZZZZZZZZZZZZZ"},
		{"MaxTime", end, 1<<48 - 1, endFirst, largestID},
		{"MaxTime, the last ns of the ms", end.Add(999_999), 1<<48 - 1, endFirst, largestID},

		{"1 ns before 1970", time.Unix(0, -1), math.MaxUint64, zeroID, zeroID},                      // a negative second
		{"zero time", time.Time{}, math.MaxUint64, zeroID, zeroID},                                  // the year 1
		{"long before 1970", time.Unix(math.MinInt64/2, 0), math.MaxUint64, zeroID, zeroID},         // the product overflows
		{"1 ms after MaxTime", end.Add(time.Millisecond), 1 << 48, largestID, largestID},            // 49 bits
		{"2⁶⁴-2 ms", time.Unix(secondsOfUint64, 614e6), math.MaxUint64 - 1, largestID, largestID},   // fits a uint64
		{"2⁶⁴-1 ms", time.Unix(secondsOfUint64, 615e6), math.MaxUint64, largestID, largestID},       // fits, and means too late
		{"2⁶⁴ ms", time.Unix(secondsOfUint64, 616e6), math.MaxUint64, largestID, largestID},         // the sum overflows
		{"2⁶⁴+384 ms", time.Unix(secondsOfUint64Exceeded, 0), math.MaxUint64, largestID, largestID}, // the product overflows
		{"long after MaxTime", time.Unix(math.MaxInt64/2, 0), math.MaxUint64, largestID, largestID}, // the product overflows
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Timestamp(tt.t); got != tt.ms {
				t.Errorf("Timestamp(%v) = %d, want %d", tt.t, got, tt.ms)
			}
			if got := FirstAt(tt.t).String(); got != tt.first {
				t.Errorf("FirstAt(%v) = %s, want %s", tt.t, got, tt.first)
			}
			if got := LastAt(tt.t).String(); got != tt.last {
				t.Errorf("LastAt(%v) = %s, want %s", tt.t, got, tt.last)
			}
			if tt.ms > MaxTime() {
				return
			}
			if got := Time(tt.ms); !got.Equal(tt.t.Truncate(time.Millisecond)) {
				t.Errorf("Time(%d) = %v, want %v", tt.ms, got, tt.t)
			}
			if got := MustNew(tt.ms, nil).Timestamp(); got != Time(tt.ms) || got.Location() != time.Local {
				t.Errorf("Timestamp() = %v, want %v in local time", got, Time(tt.ms))
			}
		})
	}
	if got, want := MaxTime(), Timestamp(time.Date(10889, 8, 2, 5, 31, 50, 655e6, time.UTC)); got != want {
		t.Errorf("MaxTime() = %d, want %d", got, want)
	}
	if before, now, after := time.Now().UnixMilli(), int64(Now()), time.Now().UnixMilli(); now < before || now > after {
		t.Errorf("Now() = %d, between %d and %d", now, before, after)
	}
}

// Bytes, text, UUID notation and Compare have one order.
func TestOrder(t *testing.T) {
	ids := sortedSamples()
	for i, id := range ids {
		if id.IsZero() != (i == 0) {
			t.Errorf("%s.IsZero() = %t", id, id.IsZero())
		}
		text, uuid := id.String(), id.UUIDString()
		for _, other := range ids {
			want := bytes.Compare(id[:], other[:])
			if got := id.Compare(other); got != want {
				t.Fatalf("%s.Compare(%s) = %d, want %d", id, other, got, want)
			}
			if got := cmp.Compare(text, other.String()); got != want {
				t.Fatalf("text of %s and %s compares %d, want %d", id, other, got, want)
			}
			if got := cmp.Compare(uuid, other.UUIDString()); got != want {
				t.Fatalf("UUID notation of %s and %s compares %d, want %d", id, other, got, want)
			}
		}
	}
}

func TestNextAndPrev(t *testing.T) {
	one := big.NewInt(1)
	for _, id := range sortedSamples() {
		n := new(big.Int).SetBytes(id[:])
		next, ok := id.Next()
		if want := n.Cmp(maxULID) < 0; ok != want {
			t.Errorf("%s.Next() ok = %t", id, ok)
		} else if ok && new(big.Int).SetBytes(next[:]).Cmp(new(big.Int).Add(n, one)) != 0 || !ok && next != id {
			t.Errorf("%s.Next() = %s", id, next)
		}
		prev, ok := id.Prev()
		if want := n.Sign() > 0; ok != want {
			t.Errorf("%s.Prev() ok = %t", id, ok)
		} else if ok && new(big.Int).SetBytes(prev[:]).Cmp(new(big.Int).Sub(n, one)) != 0 || !ok && prev != id {
			t.Errorf("%s.Prev() = %s", id, prev)
		}
	}
}

// sortedSamples returns the samples in order, each once.
func sortedSamples() []ULID {
	ids := samples()
	slices.SortFunc(ids, ULID.Compare)
	return slices.Compact(ids)
}

// The names of oklog/ulid that have a better one here.

func TestParseStrict(t *testing.T) {
	if id, err := ParseStrict(knownText); id != known || err != nil {
		t.Errorf("ParseStrict = %s, %v", id, err)
	}
	if _, err := ParseStrict("oLARYZ6S41TSV4RRFFQ69G5FAV"); err != (InvalidCharacterError{0, 'o'}) {
		t.Errorf("ParseStrict of a text for ParseLenient: %v", err)
	}
	if id := MustParseStrict(knownText); id != known {
		t.Errorf("MustParseStrict = %s", id)
	}
	mustPanic(t, "MustParseStrict", func() { MustParseStrict(knownText[1:]) })
}

// DefaultEntropy and MustNewDefault share a source: used by turns, they keep one order.
func TestDefaultEntropy(t *testing.T) {
	last := MustNewDefault(time.UnixMilli(knownMS))
	for range 100 {
		id := MustNew(knownMS, DefaultEntropy())
		next := MustNewDefault(time.UnixMilli(knownMS))
		if id.Time() != knownMS || next.Time() != knownMS || id.Compare(last) <= 0 || next.Compare(id) <= 0 {
			t.Fatalf("DefaultEntropy gave %s after %s, and MustNewDefault %s", id, last, next)
		}
		last = next
	}
	mustPanic(t, "MustNewDefault", func() { MustNewDefault(time.UnixMilli(1 << 48)) })
}

func TestLockedMonotonicReader(t *testing.T) {
	locked := &LockedMonotonicReader{MonotonicReader: Monotonic(strings.NewReader("0123456789abc"), 1)}
	p := make([]byte, 10)
	if err := locked.MonotonicRead(1, p); err != nil || string(p) != "0123456789" {
		t.Errorf("MonotonicRead = %q, %v", p, err)
	}
	if n, err := locked.Read(p); err != nil || string(p[:n]) != "abc" {
		t.Errorf("Read = %q, %v", p[:n], err)
	}
}

func TestLockedMonotonicReaderLocks(t *testing.T) {
	reader := new(unguarded)
	locked := &LockedMonotonicReader{MonotonicReader: reader}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			p := make([]byte, 10)
			for range 100 {
				locked.MonotonicRead(1, p)
				locked.Read(p)
			}
		})
	}
	group.Wait()
	if n := reader.overlaps.Load(); n > 0 {
		t.Errorf("%d calls overlap", n)
	}
}

// unguarded is a MonotonicReader that counts the calls that overlap with another.
type unguarded struct{ calls, overlaps atomic.Int64 }

func (u *unguarded) Read(p []byte) (int, error) {
	if u.calls.Add(1) > 1 {
		u.overlaps.Add(1)
	}
	runtime.Gosched()
	u.calls.Add(-1)
	return len(p), nil
}

func (u *unguarded) MonotonicRead(_ uint64, p []byte) error {
	_, err := u.Read(p)
	return err
}

func TestMarshalTo(t *testing.T) {
	text, binary := make([]byte, 26), make([]byte, 16)
	if err := known.MarshalTextTo(text); err != nil || string(text) != knownText {
		t.Errorf("MarshalTextTo = %q, %v", text, err)
	}
	if err := known.MarshalBinaryTo(binary); err != nil || ULID(binary) != known {
		t.Errorf("MarshalBinaryTo = %x, %v", binary, err)
	}
	for _, size := range []int{0, 15, 17, 25, 27} {
		buf := bytes.Repeat([]byte{1}, size)
		if err := known.MarshalTextTo(buf); err != ErrBufferSize {
			t.Errorf("MarshalTextTo of %d bytes = %v", size, err)
		}
		if err := known.MarshalBinaryTo(buf); err != ErrBufferSize {
			t.Errorf("MarshalBinaryTo of %d bytes = %v", size, err)
		}
		if !bytes.Equal(buf, bytes.Repeat([]byte{1}, size)) {
			t.Errorf("a buffer of %d bytes was written to", size)
		}
	}
}
