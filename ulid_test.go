package ulid

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// The texts are those of oklog/ulid, which programs compare. It has no ErrAhead.
func TestErrors(t *testing.T) {
	texts := map[error]string{
		ErrDataSize:          "ulid: bad data size when unmarshaling",
		ErrInvalidCharacters: "ulid: bad data characters when unmarshaling",
		ErrOverflow:          "ulid: overflow when unmarshaling",
		ErrBufferSize:        "ulid: bad buffer size when marshaling",
		ErrBigTime:           "ulid: time too big",
		ErrAhead:             "ulid: timestamp too far ahead of the clock",
		ErrMonotonicOverflow: "ulid: monotonic entropy overflow",
		ErrScanValue:         "ulid: source value must be a string or byte slice",
	}
	for err, want := range texts {
		if got := err.Error(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		for other := range texts {
			if errors.Is(err, other) != (err == other) {
				t.Errorf("%v matches %v", err, other)
			}
		}
	}
}

func TestInvalidCharacterError(t *testing.T) {
	for _, tt := range []struct {
		offset int
		char   byte
		want   string
	}{
		{25, 'U', `ulid: invalid character 'U' at offset 25`},
		{0, '\'', `ulid: invalid character '\'' at offset 0`},
		{1, '\n', `ulid: invalid character '\n' at offset 1`},
		{2, 0, `ulid: invalid character '\x00' at offset 2`},
		{3, 0x7f, `ulid: invalid character '\x7f' at offset 3`},
		{4, 0x80, `ulid: invalid character '\x80' at offset 4`}, // a byte, not U+0080
		{5, 0xe9, `ulid: invalid character '\xe9' at offset 5`}, // a byte, not é
	} {
		var err error = InvalidCharacterError{tt.offset, tt.char}
		if got := err.Error(); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
		if !errors.Is(err, ErrInvalidCharacters) {
			t.Errorf("%v does not match ErrInvalidCharacters", err)
		}
	}
}

// The generators of the package have the settings that the documentation promises. Every test
// that changes them restores them, so this holds before and after any other.
func TestShippedSettings(t *testing.T) {
	for g, uuidv7 := range map[*Generator]bool{&defaultGenerator: false, &uuidv7Generator: true} {
		got := fmt.Sprint(g.Entropy, g.Clock == nil, g.wall == nil, g.UUIDv7)
		if want := fmt.Sprint(nil, true, true, uuidv7); got != want {
			t.Errorf("Entropy, no Clock, no wall, UUIDv7 are %s, want %s", got, want)
		}
	}
	if m := &defaultEntropy; m.Reader != nil || m.inc != 0 {
		t.Errorf("DefaultEntropy has the reader %v and an inc of %d, want none and 0", m.Reader, m.inc)
	}
}

// Past the year 10889 there is no ULID to return.
func TestMakePanicsAtTheEndOfTime(t *testing.T) {
	for _, g := range []*Generator{&defaultGenerator, &uuidv7Generator} {
		keep(t, g)
		g.last.Store(endOfTime)
	}
	ids, ofUUIDv7 := []ULID{known}, []ULID{known}
	mustPanic(t, "Make", func() { Make() })
	mustPanic(t, "MakeUUIDv7", func() { MakeUUIDv7() })
	mustPanic(t, "Fill", func() { Fill(ids) })
	mustPanic(t, "FillUUIDv7", func() { FillUUIDv7(ofUUIDv7) })
	if ids[0] != (ULID{}) || ofUUIDv7[0] != (ULID{}) {
		t.Errorf("Fill left %s, FillUUIDv7 %s; want the zero ULID", ids[0], ofUUIDv7[0])
	}
}

func TestNew(t *testing.T) {
	type uncomparable struct {
		constant
		_ []byte
	}
	ofUncomparable := Monotonic(uncomparable{constant: 7}, 0)
	for _, tt := range []struct {
		name    string
		ms      uint64
		entropy io.Reader
		want    string // in hexadecimal, time and entropy
	}{
		{"nil", 1, nil, "000000000001" + "00000000000000000000"},
		{"reader", knownMS, strings.NewReader("0123456789"), "01563df36481" + "30313233343536373839"},
		{"largest time", 1<<48 - 1, nil, "ffffffffffff" + "00000000000000000000"},
		{"Monotonic", 1, Monotonic(constant(0xab), 1), "000000000001" + "abababababababababab"},
		{"another MonotonicReader", 0x102, millisecondReader{}, "000000000102" + "00000000000000000102"},
		{"one byte at a time", 1, iotest.OneByteReader(constant(1)), "000000000001" + "01010101010101010101"},
		{"99 empty reads before each byte", 1, &sparse{times: 99}, "000000000001" + "01010101010101010101"},
		{"data with EOF", 1, withEOF("0123456789"), "000000000001" + "30313233343536373839"},
		{"not comparable", 1, uncomparable{constant: 7}, "000000000001" + "07070707070707070707"},
		{"Monotonic, not comparable", 1, ofUncomparable, "000000000001" + "07070707070707070707"},
		{"one that calls New", 1, callsNew{}, "000000000001" + "01010101010101010101"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if id, err := New(tt.ms, tt.entropy); id != mustHex(tt.want) || err != nil {
				t.Errorf("New = %x, %v; want %s, nil", id[:], err, tt.want)
			}
		})
	}
	if got, want := MustNew(1, constant(2)), mustHex("00000000000102020202020202020202"); got != want {
		t.Errorf("MustNew = %s, want %s", got, want)
	}
	if Zero != (ULID{}) {
		t.Errorf("New has written to Zero, which is %s", Zero)
	}
}

func TestNewFails(t *testing.T) {
	failure := errors.New("no entropy")
	failing := iotest.ErrReader(failure)
	ends := readerFunc(func(p []byte) (int, error) { return copy(p, "012"), io.EOF })
	before1970 := Timestamp(time.Unix(-1, 0)) // which is MaxUint64
	unread := readerFunc(func([]byte) (int, error) {
		t.Error("the entropy is read, although the time is too large")
		return 0, errFaulty
	})
	for _, tt := range []struct {
		name    string
		ms      uint64
		entropy io.Reader
		want    error
	}{
		{"time too large", 1 << 48, nil, ErrBigTime}, // 49 bits
		{"time before 1970", before1970, nil, ErrBigTime},
		{"time too large for a reader", 1 << 48, unread, ErrBigTime},
		{"time too large for a Monotonic", 1 << 48, Monotonic(unread, 0), ErrBigTime},
		{"failing", 1, failing, failure}, // the reader's own error
		{"failing Monotonic", 1, Monotonic(failing, 1), failure},
		{"another failing MonotonicReader", 1, millisecondReader{failing}, failure},
		{"greatest count", 1, liar(math.MaxInt), errRead},
		{"nothing", 1, strings.NewReader(""), io.EOF},
		{"3 bytes", 1, ends, io.ErrUnexpectedEOF},
		{"3 bytes for a Monotonic", 1, Monotonic(ends, 1), io.ErrUnexpectedEOF},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if id, err := New(tt.ms, tt.entropy); !id.IsZero() || err != tt.want {
				t.Errorf("New = %s, %v; want zero, %v", id, err, tt.want)
			}
			if got := panicOf(func() { MustNew(tt.ms, tt.entropy) }); got != tt.want {
				t.Errorf("MustNew panics with %v, want %v", got, tt.want)
			}
		})
	}
	// Not an ID of ten zero bytes.
	mustPanic(t, "New of a nil *MonotonicEntropy", func() { New(1, (*MonotonicEntropy)(nil)) })
}

// withEOF returns a reader that gives io.EOF beside the last bytes.
func withEOF(s string) io.Reader { return iotest.DataErrReader(strings.NewReader(s)) }

// callsNew is a reader that calls New.
type callsNew struct{}

func (callsNew) Read(p []byte) (int, error) {
	MustNew(1, constant(2))
	return constant(1).Read(p)
}

// millisecondReader is a MonotonicReader that writes the millisecond, and fails if its reader does.
type millisecondReader struct{ io.Reader }

func (r millisecondReader) MonotonicRead(ms uint64, p []byte) error {
	binary.BigEndian.PutUint64(p[2:], ms)
	if r.Reader == nil {
		return nil
	}
	_, err := r.Read(nil)
	return err
}

func TestSetTimeAndEntropy(t *testing.T) {
	id := known
	check := func(call string, err, wantErr error, want string) {
		t.Helper()
		if err != wantErr {
			t.Errorf("%s: %v, want %v", call, err, wantErr)
		}
		if id != mustHex(want) {
			t.Errorf("%s: the ULID is %x, want %s", call, id[:], want)
		}
	}
	unchanged := "01563df36481d6764c61efb99302bd5b"
	check("SetTime(MaxTime+1)", id.SetTime(1<<48), ErrBigTime, unchanged)
	// The Timestamp of a time before 1970.
	check("SetTime(MaxUint64)", id.SetTime(math.MaxUint64), ErrBigTime, unchanged)
	check("SetEntropy of 0 bytes", id.SetEntropy(nil), ErrDataSize, unchanged)
	check("SetEntropy of 9 bytes", id.SetEntropy(make([]byte, 9)), ErrDataSize, unchanged)
	check("SetEntropy of 11 bytes", id.SetEntropy(make([]byte, 11)), ErrDataSize, unchanged)

	check("SetTime(MaxTime)", id.SetTime(1<<48-1), nil, "ffffffffffffd6764c61efb99302bd5b")
	check("SetTime", id.SetTime(0x010203040506), nil, "010203040506d6764c61efb99302bd5b")
	check("SetEntropy", id.SetEntropy([]byte("0123456789")), nil, "01020304050630313233343536373839")
}

// Timestamp, Time, FirstAt and LastAt, within the range of a ULID and outside.
func TestTime(t *testing.T) {
	const (
		secondsOfUint64 = (1<<64 - 1) / 1000 // 2⁶⁴ ms is 616 ms later
		greatest        = math.MaxUint64
	)
	known, end := time.UnixMilli(knownMS), time.UnixMilli(1<<48-1)
	smallest := ULID{}.String()
	for _, tt := range []struct {
		name        string
		t           time.Time
		ms          uint64
		first, last string
	}{
		{"2016", known, knownMS, "01ARYZ6S410000000000000000", "01ARYZ6S41ZZZZZZZZZZZZZZZZ"},
		{"the last ns", known.Add(999_999), knownMS, "01ARYZ6S410000000000000000", "01ARYZ6S41ZZZZZZZZZZZZZZZZ"},
		{"1970", time.Unix(0, 0), 0, smallest, "0000000000ZZZZZZZZZZZZZZZZ"},
		{"MaxTime", end, 1<<48 - 1, "7ZZZZZZZZZ0000000000000000", largestID},
		{"its last ns", end.Add(999_999), 1<<48 - 1, "7ZZZZZZZZZ0000000000000000", largestID},

		{"before 1970", time.Unix(0, -1), greatest, smallest, smallest}, // a negative second
		{"the zero time", time.Time{}, greatest, smallest, smallest},    // the year 1
		{"long before", time.Unix(math.MinInt64/2, 0), greatest, smallest, smallest},

		{"after MaxTime", end.Add(time.Millisecond), 1 << 48, largestID, largestID}, // 49 bits
		{"2⁶⁴-2 ms", time.Unix(secondsOfUint64, 614e6), greatest - 1, largestID, largestID},
		{"2⁶⁴-1 ms", time.Unix(secondsOfUint64, 615e6), greatest, largestID, largestID}, // means too late
		// The sum overflows, and then the product.
		{"2⁶⁴ ms", time.Unix(secondsOfUint64, 616e6), greatest, largestID, largestID},
		{"2⁶⁴+384 ms", time.Unix(secondsOfUint64+1, 0), greatest, largestID, largestID},
		{"long after", time.Unix(math.MaxInt64/2, 0), greatest, largestID, largestID},
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
			if got := Time(tt.ms); tt.ms < greatest && !got.Equal(tt.t.Truncate(time.Millisecond)) {
				t.Errorf("Time(%d) = %v, want %v", tt.ms, got, tt.t)
			}
			if tt.ms > MaxTime() {
				return
			}
			if got := MustNew(tt.ms, nil).Timestamp(); got != Time(tt.ms) || got.Location() != time.Local {
				t.Errorf("Timestamp() = %v, want %v in local time", got, Time(tt.ms))
			}
		})
	}
}

func TestNow(t *testing.T) {
	before := time.Now().UnixMilli()
	now := int64(Now())
	if after := time.Now().UnixMilli(); now < before || now > after {
		t.Errorf("Now() = %d, between %d and %d", now, before, after)
	}
}

// Bytes, text, UUID notation and Compare have one order.
func TestOrder(t *testing.T) {
	ids := sortedSamples()
	Zero = known // which nothing may read
	defer func() { Zero = ULID{} }()
	for i, id := range ids {
		if got, want := id.IsZero(), i == 0; got != want {
			t.Errorf("%s.IsZero() = %t, want %t", id, got, want)
		}
		text, uuid := id.String(), id.UUIDString()
		for _, other := range ids {
			want := bytes.Compare(id[:], other[:])
			if got := id.Compare(other); got != want {
				t.Fatalf("%s.Compare(%s) = %d, want %d", id, other, got, want)
			}
			if got := cmp.Compare(text, other.String()); got != want {
				t.Fatalf("the text of %s and %s compares %d, want %d", id, other, got, want)
			}
			if got := cmp.Compare(uuid, other.UUIDString()); got != want {
				t.Fatalf("the UUID notation of %s and %s compares %d, want %d", id, other, got, want)
			}
		}
	}
}

func TestNext(t *testing.T) {
	for _, id := range samples() {
		n := new(big.Int).SetBytes(id[:])
		want, wantOK := id, id != ULID(bytes.Repeat([]byte{0xff}, 16))
		if wantOK {
			n.Add(n, big.NewInt(1)).FillBytes(want[:])
		}
		if next, ok := id.Next(); next != want || ok != wantOK {
			t.Errorf("%s.Next() = %s, %t; want %s, %t", id, next, ok, want, wantOK)
		}
	}
}

// sortedSamples returns the samples in order, each once.
func sortedSamples() []ULID {
	ids := samples()
	slices.SortFunc(ids, ULID.Compare)
	return slices.Compact(ids)
}

// What is kept for oklog/ulid. checkParse has ParseStrict, and TestMustParse MustParseStrict.

// DefaultEntropy and MustNewDefault share a source: used by turns, they keep one order.
func TestDefaultEntropy(t *testing.T) {
	makers := []func() ULID{
		func() ULID { return MustNewDefault(time.UnixMilli(knownMS)) },
		func() ULID { return MustNew(knownMS, DefaultEntropy()) },
	}
	var last ULID
	for i := range 100 {
		id := makers[i%2]()
		if id.Time() != knownMS {
			t.Fatalf("%s was made at %d, want %d", id, id.Time(), uint64(knownMS))
		}
		if id.Compare(last) <= 0 {
			t.Fatalf("%s after %s", id, last)
		}
		last = id
	}
	mustPanic(t, "MustNewDefault", func() { MustNewDefault(time.UnixMilli(1 << 48)) })
}

func TestLockedMonotonicReader(t *testing.T) {
	// One around another has a lock of its own.
	locked := &LockedMonotonicReader{MonotonicReader: millisecondReader{strings.NewReader("abc")}}
	locked = &LockedMonotonicReader{MonotonicReader: locked}
	p := make([]byte, 10)
	if err := locked.MonotonicRead(0x0102, p); err != nil || !bytes.HasSuffix(p, []byte{1, 2}) {
		t.Errorf("MonotonicRead = %x, %v; want it to end in 0102", p, err)
	}
	if n, err := locked.Read(p); err != nil || string(p[:n]) != "abc" {
		t.Errorf("Read = %q, %v; want abc", p[:n], err)
	}
	if n, err := locked.Read(p); n != 0 || err != io.EOF {
		t.Errorf("Read at the end = %d, %v; want 0, EOF", n, err)
	}
}

// The lock is held while the reader is called, and not after, even if the reader panics.
func TestLockedMonotonicReaderLocks(t *testing.T) {
	locked := new(LockedMonotonicReader)
	for name, read := range map[string]func(){
		"Read":          func() { locked.Read(nil) },
		"MonotonicRead": func() { locked.MonotonicRead(1, nil) },
	} {
		locked.MonotonicReader = probe(func() {
			if locked.mu.TryLock() {
				locked.mu.Unlock()
				t.Errorf("%s does not hold the lock", name)
			}
		})
		read()
		locked.MonotonicReader = nil
		mustPanic(t, name, read)
		if !locked.mu.TryLock() {
			t.Fatalf("%s holds the lock after a panic", name)
		}
		locked.mu.Unlock()
	}
}

// probe is a MonotonicReader that calls the function.
type probe func()

func (f probe) Read([]byte) (int, error)           { f(); return 0, nil }
func (f probe) MonotonicRead(uint64, []byte) error { f(); return nil }

func TestMarshalTo(t *testing.T) {
	for name, tt := range map[string]struct {
		marshal func([]byte) error
		want    []byte
	}{
		"MarshalTextTo":   {known.MarshalTextTo, []byte(knownText)},
		"MarshalBinaryTo": {known.MarshalBinaryTo, known[:]},
	} {
		for size := range 40 {
			got := bytes.Repeat([]byte{1}, size)
			want, wantErr := slices.Clone(got), ErrBufferSize
			if size == len(tt.want) {
				want, wantErr = tt.want, nil
			}
			if err := tt.marshal(got); err != wantErr || !bytes.Equal(got, want) {
				t.Errorf("%s to %d bytes = %q, %v; want %q, %v", name, size, got, err, want, wantErr)
			}
		}
	}
}
