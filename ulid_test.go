package ulid

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/bits"
	mathrand "math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// The oracle: the codec once more, slow and obvious, with math/big.

var maxULID = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(1))

func oracleParse(s string) (id ULID, err error) {
	if len(s) != 26 {
		return id, ErrDataSize
	}
	n := new(big.Int)
	for i, c := range []byte(s) {
		value := strings.IndexByte("0123456789ABCDEFGHJKMNPQRSTVWXYZ", c)
		if 'a' <= c && c <= 'z' {
			value = strings.IndexByte("0123456789ABCDEFGHJKMNPQRSTVWXYZ", c-'a'+'A')
		}
		if value < 0 {
			return id, InvalidCharacterError{Offset: i, Char: c}
		}
		n.Mul(n, big.NewInt(32)).Add(n, big.NewInt(int64(value)))
	}
	if n.Cmp(maxULID) > 0 {
		return id, ErrOverflow
	}
	n.FillBytes(id[:])
	return id, nil
}

func oracleString(id ULID) string {
	n := new(big.Int).SetBytes(id[:])
	text := make([]byte, 26)
	for i := range text {
		digit := new(big.Int)
		n.DivMod(n, big.NewInt(32), digit)
		text[25-i] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[digit.Int64()]
	}
	return string(text)
}

// oracleLenient returns the text that ParseLenient should read s as, and for each of its
// characters the offset in s.
func oracleLenient(s string) (text string, offsets []int) {
	for i, c := range []byte(s) {
		switch c {
		case '-':
			continue
		case 'I', 'i', 'L', 'l':
			c = '1'
		case 'O', 'o':
			c = '0'
		}
		text += string([]byte{c})
		offsets = append(offsets, i)
	}
	return text, offsets
}

var uuidPattern = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)

func oracleUUID(s string) (id ULID, ok bool) {
	if !uuidPattern.MatchString(s) {
		return id, false
	}
	n, _ := new(big.Int).SetString(strings.ReplaceAll(s, "-", ""), 16)
	n.FillBytes(id[:])
	return id, true
}

// samples are the IDs that the round trips go through: the ends, one before a carry, every
// single bit, and random ones.
func samples() []ULID {
	ids := []ULID{{}, mustHex("ffffffffffffffffffffffffffffffff"), known, mustHex("01563e3ab5d3d676ffffffffffffffff")}
	for bit := range 128 {
		var id ULID
		id[bit/8] = 0x80 >> (bit % 8)
		ids = append(ids, id)
	}
	random := seeded(1)
	for range 1000 {
		var id ULID
		random.Read(id[:])
		ids = append(ids, id)
	}
	return ids
}

const (
	knownText = "01ARYZ6S41TSV4RRFFQ69G5FAV"
	knownUUID = "01563df3-6481-d676-4c61-efb99302bd5b"
	knownMS   = 1469918176385
	largestID = "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"
)

var known = mustHex("01563df36481d6764c61efb99302bd5b")

func mustHex(s string) (id ULID) {
	if n, err := hex.Decode(id[:], []byte(s)); n != 16 || err != nil {
		panic(s)
	}
	return id
}

// seeded returns a reader of random bytes that are the same in every run.
func seeded(n byte) *mathrand.ChaCha8 { return mathrand.NewChaCha8([32]byte{n}) }

// constant is a reader of the same byte for ever.
type constant byte

func (c constant) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(c)
	}
	return len(p), nil
}

// long is whether the variants that take minutes are wanted.
var long = os.Getenv("ULID_LONG") == "1"

func mustPanic(t *testing.T, name string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if recover() == nil {
			t.Errorf("%s did not panic", name)
		}
	}()
	f()
}

// What a ULID is: ulid.go

func TestKnownVectors(t *testing.T) {
	for _, tt := range []struct {
		text, hex string
		ms        uint64
	}{
		{knownText, "01563df36481d6764c61efb99302bd5b", knownMS}, // oklog/ulid's README
		{"01ARZ3NDEKTSV4RRFFQ69G5FAV", "01563e3ab5d3d6764c61efb99302bd5b", 1469922850259},
		{"21850M2GA1850M2GA1850M2GA1", strings.Repeat("41", 16), 0x414141414141}, // 16 times 'A'
		{"00000000000000000000000000", strings.Repeat("00", 16), 0},
		{largestID, strings.Repeat("ff", 16), 1<<48 - 1},
	} {
		id, err := Parse(tt.text)
		if err != nil || id != mustHex(tt.hex) {
			t.Errorf("Parse(%s) = %x, %v; want %s", tt.text, id[:], err, tt.hex)
		}
		if got := mustHex(tt.hex).String(); got != tt.text {
			t.Errorf("String() = %s, want %s", got, tt.text)
		}
		if got := id.Time(); got != tt.ms {
			t.Errorf("%s.Time() = %d, want %d", tt.text, got, tt.ms)
		}
	}
	if got := known.UUIDString(); got != knownUUID {
		t.Errorf("UUIDString() = %s, want %s", got, knownUUID)
	}
	if id, err := ParseLenient("oLARYZ6-S41TSV4RRF-FQ69G5FAV"); id != known || err != nil {
		t.Errorf("ParseLenient = %s, %v; want %s", id, err, known)
	}
}

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
	for err, want := range map[error]string{
		InvalidCharacterError{25, 'U'}:   `ulid: invalid character 'U' at offset 25`,
		InvalidCharacterError{0, '\''}:   `ulid: invalid character '\'' at offset 0`,
		InvalidCharacterError{1, '\n'}:   `ulid: invalid character '\n' at offset 1`,
		InvalidCharacterError{2, 0}:      `ulid: invalid character '\x00' at offset 2`,
		InvalidCharacterError{3, 0x80}:   `ulid: invalid character '\x80' at offset 3`,
		InvalidCharacterError{4, '\xe9'}: `ulid: invalid character '\xe9' at offset 4`,
	} {
		if got := err.Error(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if !errors.Is(err, ErrInvalidCharacters) {
			t.Errorf("%v does not match ErrInvalidCharacters", err)
		}
	}
	// Whatever the character: it alone, and not at length.
	for c := range 256 {
		message := InvalidCharacterError{math.MaxInt, byte(c)}.Error()
		if char, err := strconv.Unquote(message[len("ulid: invalid character "):strings.LastIndex(message, " at ")]); err != nil || char != string([]byte{byte(c)}) || len(message) > 70 {
			t.Errorf("of %#x: %s", c, message)
		}
	}
	all := []error{ErrDataSize, ErrInvalidCharacters, ErrOverflow, ErrBufferSize, ErrBigTime, ErrMonotonicOverflow, ErrScanValue}
	for i, err := range all {
		if !strings.HasPrefix(err.Error(), "ulid: ") {
			t.Errorf("%q does not say that it is ours", err)
		}
		for _, other := range all[:i] {
			if errors.Is(err, other) {
				t.Errorf("%q matches %q", err, other)
			}
		}
	}
}

func TestMake(t *testing.T) {
	last := Make()
	for range 100_000 {
		before, id, after := Now(), Make(), Now()
		if id.Compare(last) <= 0 {
			t.Fatalf("%s after %s", id, last)
		}
		// The clock may have been slewed by a few µs since it was last read.
		if ms := id.Time(); ms+1 < before || ms > after+1 {
			t.Fatalf("%s was made at %d, between %d and %d", id, ms, before, after)
		}
		last = id
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

// Past the year 10889 Make and Fill have nothing left to return.
func TestMakePanicsAtTheEndOfTime(t *testing.T) {
	keep(t, &defaultGenerator)
	defaultGenerator.last, defaultGenerator.started, defaultGenerator.window = largest, true, 0
	mustPanic(t, "Make", func() { Make() })
	ids := []ULID{known}
	mustPanic(t, "Fill", func() { Fill(ids) })
	if ids[0] != (ULID{}) {
		t.Errorf("Fill left %s", ids[0])
	}
}

func TestNew(t *testing.T) {
	failure := errors.New("no entropy")
	ten := strings.NewReader("0123456789")
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
		{"time too large", 1 << 48, nil, "", ErrBigTime},
		{"time too large, with entropy", 1 << 48, constant(0xab), "", ErrBigTime},
		{"time before 1970", Timestamp(time.Unix(-1, 0)), nil, "", ErrBigTime},
		{"monotonic", 1, Monotonic(constant(0xab), 1), "000000000001abababababababababab", nil},
		{"monotonic of another type", 1, &LockedMonotonicReader{MonotonicReader: Monotonic(constant(0xab), 1)}, "000000000001abababababababababab", nil},
		{"asked for the millisecond", 0x0102, millisecondReader{}, "00000000010200000000000000000102", nil},
		{"one byte at a time", 1, iotest.OneByteReader(constant(1)), "00000000000101010101010101010101", nil},
		{"data with EOF", 1, iotest.DataErrReader(strings.NewReader("0123456789")), "00000000000130313233343536373839", nil},
		{"count too large", 1, io.MultiReader(strings.NewReader("\x00\x00\x00"), liar(math.MaxInt)), "00000000000100000000000000000000", nil},
		{"nothing at first", 1, &hesitant{99}, "00000000000101010101010101010101", nil},
		{"nothing at first, then one byte at a time", 1, iotest.OneByteReader(&hesitant{99}), "00000000000101010101010101010101", nil},
		{"failing", 1, iotest.ErrReader(failure), "", failure},
		{"empty", 1, strings.NewReader(""), "", io.EOF},
		{"short", 1, strings.NewReader("012345678"), "", io.ErrUnexpectedEOF},
		{"nothing, for ever", 1, liar(0), "", io.ErrNoProgress},
		{"negative count", 1, liar(-1), "", io.ErrNoProgress},
		{"failing monotonic", 1, Monotonic(iotest.ErrReader(failure), 1), "", failure},
		{"failing monotonic of another type", 1, &LockedMonotonicReader{MonotonicReader: Monotonic(iotest.ErrReader(failure), 1)}, "", failure},
	} {
		var want ULID
		if tt.err == nil {
			want = mustHex(tt.want)
		}
		id, err := New(tt.ms, tt.entropy)
		if id != want || err != tt.err {
			t.Errorf("%s: New = %x, %v; want %x, %v", tt.name, id[:], err, want[:], tt.err)
		}
		if tt.err != nil {
			// The readers that are used up here fail the same way again.
			mustPanic(t, tt.name+": MustNew", func() { MustNew(tt.ms, tt.entropy) })
		}
	}
}

// millisecondReader is a MonotonicReader that gives the millisecond, and panics when it is read.
type millisecondReader struct{ io.Reader }

func (millisecondReader) MonotonicRead(ms uint64, p []byte) error {
	binary.BigEndian.PutUint64(p[2:], ms)
	return nil
}

// hesitant is a reader that returns nothing so many times.
type hesitant struct{ times int }

func (h *hesitant) Read(p []byte) (int, error) {
	if h.times--; h.times >= 0 {
		return 0, nil
	}
	return constant(1).Read(p)
}

// liar is a reader that writes nothing and returns a count of its own.
type liar int

func (l liar) Read([]byte) (int, error) { return int(l), nil }

func TestNewFromSystem(t *testing.T) {
	seen := map[ULID]bool{}
	var set, clear [10]byte
	for range 1000 {
		id := MustNew(knownMS, rand.Reader)
		if id.Time() != knownMS || seen[id] {
			t.Fatalf("New = %s", id)
		}
		seen[id] = true
		for i, b := range id.Entropy() {
			set[i] |= b
			clear[i] |= ^b
		}
	}
	if all := [10]byte(bytes.Repeat([]byte{0xff}, 10)); set != all || clear != all {
		t.Errorf("of the 80 bits only %x were ever set and %x ever clear", set, clear)
	}
}

func TestTime(t *testing.T) {
	end := time.UnixMilli(1<<48 - 1)
	for _, tt := range []struct {
		t           time.Time
		ms          uint64
		first, last string
	}{
		{time.UnixMilli(knownMS), knownMS, "01ARYZ6S410000000000000000", "01ARYZ6S41ZZZZZZZZZZZZZZZZ"},
		{time.UnixMilli(knownMS).Add(999_999), knownMS, "01ARYZ6S410000000000000000", "01ARYZ6S41ZZZZZZZZZZZZZZZZ"},
		{time.Unix(0, 0), 0, "00000000000000000000000000", "0000000000ZZZZZZZZZZZZZZZZ"},
		{end, 1<<48 - 1, "7ZZZZZZZZZ0000000000000000", largestID},
		{end.Add(999_999), 1<<48 - 1, "7ZZZZZZZZZ0000000000000000", largestID},
		// Outside, an instant and an age away.
		{time.Unix(0, -1), math.MaxUint64, "00000000000000000000000000", "00000000000000000000000000"},
		{time.Time{}, math.MaxUint64, "00000000000000000000000000", "00000000000000000000000000"},
		{time.Unix(math.MinInt64/2, 0), math.MaxUint64, "00000000000000000000000000", "00000000000000000000000000"},
		{end.Add(time.Millisecond), 1 << 48, largestID, largestID},
		{time.Unix((1<<64-1)/1000, 614e6), math.MaxUint64 - 1, largestID, largestID}, // 2⁶⁴ - 2 ms
		{time.Unix((1<<64-1)/1000, 615e6), math.MaxUint64, largestID, largestID},
		{time.Unix((1<<64-1)/1000, 616e6), math.MaxUint64, largestID, largestID}, // 2⁶⁴ ms
		{time.Unix(1<<64/1000+1, 0), math.MaxUint64, largestID, largestID},
		{time.Unix(math.MaxInt64/2, 0), math.MaxUint64, largestID, largestID},
	} {
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
			continue
		}
		if got := Time(tt.ms); !got.Equal(tt.t.Truncate(time.Millisecond)) {
			t.Errorf("Time(%d) = %v, want %v", tt.ms, got, tt.t)
		}
		if got := MustNew(tt.ms, nil).Timestamp(); got != Time(tt.ms) || got.Location() != time.Local {
			t.Errorf("Timestamp() = %v, want %v in local time", got, Time(tt.ms))
		}
	}
	if got, want := MaxTime(), Timestamp(time.Date(10889, 8, 2, 5, 31, 50, 655e6, time.UTC)); got != want {
		t.Errorf("MaxTime() = %d, want %d", got, want)
	}
	if before, now, after := time.Now().UnixMilli(), int64(Now()), time.Now().UnixMilli(); now < before || now > after {
		t.Errorf("Now() = %d, between %d and %d", now, before, after)
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

// Text order, byte order and Compare agree, and so do Next and Prev.
func TestOrder(t *testing.T) {
	ids := samples()
	slices.SortFunc(ids, ULID.Compare)
	ids = slices.Compact(ids)
	for i, id := range ids {
		if id.IsZero() != (i == 0) {
			t.Errorf("%s.IsZero() = %t", id, id.IsZero())
		}
		for _, other := range ids {
			want := bytes.Compare(id[:], other[:])
			if got := id.Compare(other); got != want {
				t.Fatalf("%s.Compare(%s) = %d, want %d", id, other, got, want)
			}
			if got := cmp.Compare(id.String(), other.String()); got != want {
				t.Fatalf("text of %s and %s compares %d, want %d", id, other, got, want)
			}
			if got := cmp.Compare(id.UUIDString(), other.UUIDString()); got != want {
				t.Fatalf("UUID notation of %s and %s compares %d, want %d", id, other, got, want)
			}
		}
	}
	one := big.NewInt(1)
	for _, id := range ids {
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

// The names of oklog/ulid that have a better one here.
func TestCompatibility(t *testing.T) {
	if id, err := ParseStrict(knownText); id != known || err != nil {
		t.Errorf("ParseStrict = %s, %v", id, err)
	}
	if id := MustParseStrict(knownText); id != known {
		t.Errorf("MustParseStrict = %s", id)
	}
	mustPanic(t, "MustParseStrict", func() { MustParseStrict(knownText[1:]) })

	// By turns, since two sources would not keep one order.
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

	locked := &LockedMonotonicReader{MonotonicReader: Monotonic(strings.NewReader("0123456789abc"), 1)}
	p := make([]byte, 10)
	if err := locked.MonotonicRead(1, p); err != nil || string(p) != "0123456789" {
		t.Errorf("MonotonicRead = %q, %v", p, err)
	}
	if n, err := locked.Read(p); err != nil || string(p[:n]) != "abc" {
		t.Errorf("Read = %q, %v", p[:n], err)
	}

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

// Text: encoding.go

// The tables hold what the alphabet says.
func TestTables(t *testing.T) {
	var want strings.Builder
	for _, a := range Encoding {
		for _, b := range Encoding {
			want.WriteRune(a)
			want.WriteRune(b)
		}
	}
	if pairs != want.String() {
		t.Error("pairs differs from the alphabet")
	}
	for c, value := range values {
		want := strings.IndexByte(Encoding, byte(c))
		if want < 0 && 'a' <= c && c <= 'z' {
			want = strings.IndexByte(Encoding, byte(c-'a'+'A'))
		}
		if value != int64(want) {
			t.Errorf("values[%q] = %d, want %d", c, value, want)
		}
	}
	if Encoding != "0123456789ABCDEFGHJKMNPQRSTVWXYZ" {
		t.Errorf("the alphabet is %s", Encoding)
	}
}

// Every byte at every position, in texts of upper, lower and mixed case, of small and large
// value.
func TestParseEveryByteEverywhere(t *testing.T) {
	for _, base := range []string{knownText, strings.ToLower(knownText), "00000000000000000000000000", largestID, strings.ToLower(largestID), "7hJkMnPqRsTvWxYz0123456789"} {
		for i := range base {
			for c := range 256 {
				text := base[:i] + string([]byte{byte(c)}) + base[i+1:]
				want, wantErr := oracleParse(text)
				checkParse(t, text, want, wantErr)
				checkLenient(t, text)
				checkLenient(t, "-"+text[:8]+"--"+text[8:13]+"-"+text[13:]+"-")
			}
		}
	}
}

// checkParse checks every strict reader of text.
func checkParse(t *testing.T, text string, want ULID, wantErr error) {
	t.Helper()
	id, err := Parse(text)
	if id != want || err != wantErr {
		t.Fatalf("Parse(%q) = %s, %v; want %s, %v", text, id, err, want, wantErr)
	}
	if wantErr != nil {
		want = known // unchanged
	}
	id = known
	if err := id.UnmarshalText([]byte(text)); id != want || err != wantErr {
		t.Fatalf("UnmarshalText(%q) = %v, and the ULID is %s; want %v, %s", text, err, id, wantErr, want)
	}
}

func checkLenient(t *testing.T, s string) {
	t.Helper()
	text, offsets := oracleLenient(s)
	want, wantErr := oracleParse(text)
	if bad, ok := wantErr.(InvalidCharacterError); ok {
		bad.Offset = offsets[bad.Offset]
		wantErr = bad
	}
	if id, err := ParseLenient(s); id != want || err != wantErr {
		t.Fatalf("ParseLenient(%q) = %s, %v; want %s, %v", s, id, err, want, wantErr)
	}
}

// Two wrong characters do not make up for each other.
func TestParseTwoWrongCharacters(t *testing.T) {
	for i := range knownText {
		for j := range i {
			text := []byte(knownText)
			text[i], text[j] = 'U', '!'
			want, wantErr := oracleParse(string(text))
			checkParse(t, string(text), want, wantErr)
			checkLenient(t, string(text))
		}
	}
}

// Every length but 26, and the lengths of the other forms among them.
func TestParseLength(t *testing.T) {
	for size := range 100 {
		if size == 26 {
			continue
		}
		text := strings.Repeat("1", size)
		checkParse(t, text, ULID{}, ErrDataSize)
		checkLenient(t, text)
	}
	checkLenient(t, strings.Repeat("-", 1000)+knownText)
}

// The overflow of the first character, through every decoder.
func TestOverflow(t *testing.T) {
	for _, text := range []string{"80000000000000000000000000", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "GZZZZZZZZZZZZZZZZZZZZZZZZZ", "ZZZZZZZZZZZZZZZZZZZZZZZZZZ", "zzzzzzzzzzzzzzzzzzzzzzzzzz"} {
		id := known
		for name, err := range map[string]error{
			"Parse":         second(Parse(text)),
			"ParseLenient":  second(ParseLenient("-" + text)),
			"UnmarshalText": id.UnmarshalText([]byte(text)),
			"JSON":          json.Unmarshal([]byte(`"`+text+`"`), &id),
			"Scan string":   id.Scan(text),
			"Scan []byte":   id.Scan([]byte(text)),
		} {
			if !errors.Is(err, ErrOverflow) {
				t.Errorf("%s of %s: %v, want %v", name, text, err, ErrOverflow)
			}
		}
		if id != known {
			t.Errorf("%s changed the receiver to %s", text, id)
		}
	}
	// A wrong character is reported before the overflow, as it may be its cause.
	if _, err := Parse("8ZZZZZZZZZZZZZZZZZZZZZZZZU"); err != (InvalidCharacterError{25, 'U'}) {
		t.Errorf("got %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestMustParse(t *testing.T) {
	if id := MustParse(knownText); id != known {
		t.Errorf("MustParse = %s", id)
	}
	for text, want := range map[string]error{
		"":                     ErrDataSize,
		knownText[1:]:          ErrDataSize,
		"8" + knownText[1:]:    ErrOverflow,
		"U" + knownText[1:]:    ErrInvalidCharacters,
		"\"\n" + knownText[2:]: ErrInvalidCharacters,
	} {
		func() {
			defer func() {
				// A program that ends with it must show which constant is wrong.
				err, _ := recover().(error)
				if !errors.Is(err, want) || !strings.HasSuffix(err.Error(), fmt.Sprintf(" in MustParse(%q)", text)) {
					t.Errorf("MustParse(%q) panics with %v, want %v and the text", text, err, want)
				}
			}()
			MustParse(text)
		}()
	}
}

var textPattern = regexp.MustCompile(`^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$`) // as in the package's doc

func TestTextRoundTrip(t *testing.T) {
	for _, id := range samples() {
		text := id.String()
		if want := oracleString(id); text != want || !textPattern.MatchString(text) {
			t.Fatalf("String() = %s, want %s", text, want)
		}
		checkParse(t, text, id, nil)
		checkParse(t, strings.ToLower(text), id, nil)
		checkLenient(t, text)
		if b, err := id.MarshalText(); string(b) != text || err != nil {
			t.Fatalf("MarshalText() = %q, %v; want %s", b, err, text)
		}
		if got := fmt.Sprint(id); got != text {
			t.Fatalf("fmt prints %s, want %s", got, text)
		}
	}
}

// Append keeps what stands before, writes within the capacity there is, and grows once.
func TestAppend(t *testing.T) {
	for name, tt := range map[string]struct {
		append func([]byte) ([]byte, error)
		want   string
	}{
		"AppendText":            {known.AppendText, knownText},
		"AppendBinary":          {known.AppendBinary, string(known[:])},
		"AsBinary.AppendText":   {AsBinary(known).AppendText, knownText},
		"AsBinary.AppendBinary": {AsBinary(known).AppendBinary, string(known[:])},
		"AsUUID.AppendText":     {AsUUID(known).AppendText, knownText},
		"AsUUID.AppendBinary":   {AsUUID(known).AppendBinary, string(known[:])},
	} {
		for room := range 40 {
			prefix := append(make([]byte, 0, 3+room), "id="...)
			got, err := tt.append(prefix)
			if string(got) != "id="+tt.want || err != nil {
				t.Fatalf("%s with room for %d = %q, %v", name, room, got, err)
			}
			if inPlace := &got[0] == &prefix[0]; inPlace != (room >= len(tt.want)) {
				t.Errorf("%s with room for %d: in place is %t", name, room, inPlace)
			}
		}
		if got, err := tt.append(nil); string(got) != tt.want || err != nil {
			t.Errorf("%s(nil) = %q, %v", name, got, err)
		}
	}
}

type document struct {
	ID      ULID         `json:"id"`
	Parent  *ULID        `json:"parent"`
	Omitted ULID         `json:"omitted,omitzero"`
	ByID    map[ULID]int `json:"byID"`
	Binary  AsBinary     `json:"binary"`
	UUID    AsUUID       `json:"uuid"`
	Zero1   AsBinary     `json:"zero1,omitzero"`
	Zero2   AsUUID       `json:"zero2,omitzero"`
}

func TestJSON(t *testing.T) {
	doc := document{ID: known, ByID: map[ULID]int{known: 1}, Binary: AsBinary(known), UUID: AsUUID(known)}
	const want = `{"id":"01ARYZ6S41TSV4RRFFQ69G5FAV","parent":null,"byID":{"01ARYZ6S41TSV4RRFFQ69G5FAV":1},` +
		`"binary":"01ARYZ6S41TSV4RRFFQ69G5FAV","uuid":"01ARYZ6S41TSV4RRFFQ69G5FAV"}`
	text, err := json.Marshal(doc)
	if err != nil || string(text) != want {
		t.Fatalf("Marshal = %s, %v\nwant %s", text, err, want)
	}
	var back document
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if back.ID != known || back.Parent != nil || back.ByID[known] != 1 || back.Binary != AsBinary(known) || back.UUID != AsUUID(known) {
		t.Errorf("Unmarshal = %+v", back)
	}

	for _, text := range []string{`""`, `"` + knownText[1:] + `"`, `"U1ARYZ6S41TSV4RRFFQ69G5FAV"`, `1`, `{}`, `[1]`, `{"U1ARYZ6S41TSV4RRFFQ69G5FAV":1}`} {
		id, byID := known, map[ULID]int{}
		if err := json.Unmarshal([]byte(text), &id); err == nil || id != known {
			t.Errorf("Unmarshal of %s: %v, and the ULID is %s", text, err, id)
		}
		if err := json.Unmarshal([]byte(text), &byID); text != "{}" && (err == nil || len(byID) != 0) {
			t.Errorf("Unmarshal of %s as a map: %v, and it holds %v", text, err, byID)
		}
	}

	// null sets a pointer to nil and, as encoding/json has it, leaves a value alone.
	id, pointer := known, &known
	if err := json.Unmarshal([]byte("null"), &id); err != nil || id != known {
		t.Errorf("null: %v, and the ULID is %s", err, id)
	}
	if err := json.Unmarshal([]byte("null"), &pointer); err != nil || pointer != nil {
		t.Errorf("null: %v, and the pointer is %v", err, pointer)
	}
}

func TestXML(t *testing.T) {
	type element struct {
		Attr ULID `xml:"attr,attr"`
		Body ULID
	}
	text, err := xml.Marshal(element{known, known})
	const want = `<element attr="01ARYZ6S41TSV4RRFFQ69G5FAV"><Body>01ARYZ6S41TSV4RRFFQ69G5FAV</Body></element>`
	if err != nil || string(text) != want {
		t.Fatalf("Marshal = %s, %v\nwant %s", text, err, want)
	}
	var back element
	if err := xml.Unmarshal(text, &back); err != nil || back != (element{known, known}) {
		t.Errorf("Unmarshal = %+v, %v", back, err)
	}
}

// The 16 bytes elsewhere: binary.go

func TestBinaryRoundTrip(t *testing.T) {
	for _, id := range samples() {
		data, err := id.MarshalBinary()
		if err != nil || !bytes.Equal(data, id[:]) {
			t.Fatalf("MarshalBinary() = %x, %v; want %x", data, err, id[:])
		}
		var back ULID
		if err := back.UnmarshalBinary(data); err != nil || back != id {
			t.Fatalf("UnmarshalBinary = %v, and the ULID is %s; want %s", err, back, id)
		}
		if got := id.Bytes(); !bytes.Equal(got, id[:]) {
			t.Fatalf("Bytes() = %x, want %x", got, id[:])
		}
	}
	for size := range 40 {
		id := known
		if err := id.UnmarshalBinary(make([]byte, size)); size != 16 && (err != ErrDataSize || id != known) {
			t.Errorf("UnmarshalBinary of %d bytes = %v, and the ULID is %s", size, err, id)
		}
	}
}

func TestGob(t *testing.T) {
	type message struct {
		ID     ULID
		Binary AsBinary
		UUID   AsUUID
		ByID   map[ULID]int
	}
	want := message{known, AsBinary(known), AsUUID(known), map[ULID]int{known: 1}}
	var buf bytes.Buffer
	if err := gob.NewEncoder(&buf).Encode(want); err != nil {
		t.Fatal(err)
	}
	var back message
	if err := gob.NewDecoder(&buf).Decode(&back); err != nil {
		t.Fatal(err)
	}
	if back.ID != want.ID || back.Binary != want.Binary || back.UUID != want.UUID || back.ByID[known] != 1 {
		t.Errorf("got %+v, want %+v", back, want)
	}
}

func TestUUIDRoundTrip(t *testing.T) {
	for _, id := range samples() {
		text := id.UUIDString()
		want := fmt.Sprintf("%x-%x-%x-%x-%x", id[0:4], id[4:6], id[6:8], id[8:10], id[10:16])
		if text != want {
			t.Fatalf("UUIDString() = %s, want %s", text, want)
		}
		checkUUID(t, text)
		checkUUID(t, strings.ToUpper(text))
	}
	// The example of RFC 9562, appendix A.6: its time is read right.
	if id, err := ParseUUID("017F22E2-79B0-7CC3-98C4-DC0C0C07398F"); err != nil || id.Time() != 1645557742000 {
		t.Errorf("ParseUUID = %d ms, %v", id.Time(), err)
	}
}

func TestParseUUIDEveryByteEverywhere(t *testing.T) {
	for _, base := range []string{knownUUID, ULID{}.UUIDString()} {
		for i := range base {
			for c := range 256 {
				text := base[:i] + string([]byte{byte(c)}) + base[i+1:]
				checkUUID(t, text)
				if _, err := ParseUUID(text); err != nil && err != (InvalidCharacterError{i, byte(c)}) {
					t.Fatalf("ParseUUID(%q) = %v", text, err)
				}
			}
		}
	}
	// The first of two is reported.
	if _, err := ParseUUID("0156-df3-6481-d676-4c61-efb99302bd5g"); err != (InvalidCharacterError{4, '-'}) {
		t.Errorf("got %v", err)
	}
}

func TestParseUUIDLength(t *testing.T) {
	for _, text := range []string{"", knownUUID[1:], knownUUID + "0", "{" + knownUUID + "}", "urn:uuid:" + knownUUID, strings.ReplaceAll(knownUUID, "-", "")} {
		if id, err := ParseUUID(text); err != ErrDataSize || id != (ULID{}) {
			t.Errorf("ParseUUID(%q) = %s, %v", text, id, err)
		}
	}
}

func checkUUID(t *testing.T, text string) {
	t.Helper()
	want, ok := oracleUUID(text)
	id, err := ParseUUID(text)
	if id != want || (err == nil) != ok {
		t.Fatalf("ParseUUID(%q) = %s, %v; want %s, and ok is %t", text, id, err, want, ok)
	}
}

func TestScan(t *testing.T) {
	type text string // not what a driver returns
	for _, tt := range []struct {
		name string
		src  any
		want ULID
		err  error
	}{
		{"NULL", nil, ULID{}, nil},
		{"text", knownText, known, nil},
		{"lower-case text", strings.ToLower(knownText), known, nil},
		{"text as bytes", []byte(knownText), known, nil},
		{"UUID", knownUUID, known, nil},
		{"upper-case UUID", strings.ToUpper(knownUUID), known, nil},
		{"UUID as bytes", []byte(knownUUID), known, nil},
		{"bytes", known[:], known, nil},
		{"array", [16]byte(known), known, nil},
		{"ULID", known, known, nil},
		{"16 bytes in a string", string(known[:]), ULID{}, ErrDataSize},
		{"empty string", "", ULID{}, ErrDataSize},
		{"no bytes", []byte{}, ULID{}, ErrDataSize},
		{"nil bytes", []byte(nil), ULID{}, ErrDataSize},
		{"27 characters", knownText + " ", ULID{}, ErrDataSize},
		{"17 bytes", append(known.Bytes(), 0), ULID{}, ErrDataSize},
		{"braced UUID", "{" + knownUUID + "}", ULID{}, ErrDataSize},
		{"wrong character", knownText[:25] + "U", ULID{}, InvalidCharacterError{25, 'U'}},
		{"wrong character as bytes", []byte("!" + knownText[1:]), ULID{}, InvalidCharacterError{0, '!'}},
		{"wrong character in UUID", knownUUID[:35] + "g", ULID{}, InvalidCharacterError{35, 'g'}},
		{"overflow", "8" + knownText[1:], ULID{}, ErrOverflow},
		{"int64", int64(1), ULID{}, ErrScanValue},
		{"float64", 1.5, ULID{}, ErrScanValue},
		{"bool", true, ULID{}, ErrScanValue},
		{"time", time.Now(), ULID{}, ErrScanValue},
		{"named string", text(knownText), ULID{}, ErrScanValue},
		{"json.Number", json.Number(knownText), ULID{}, ErrScanValue},
		{"sql.RawBytes", sql.RawBytes(knownText), ULID{}, ErrScanValue},
		{"pointer", &known, ULID{}, ErrScanValue},
	} {
		before := MustParse(largestID)
		want := tt.want
		if tt.err != nil {
			want = before // unchanged
		}
		var (
			id       = before
			asBinary = AsBinary(before)
			asUUID   = AsUUID(before)
		)
		for _, err := range []error{id.Scan(tt.src), asBinary.Scan(tt.src), asUUID.Scan(tt.src)} {
			if !errors.Is(err, tt.err) {
				t.Errorf("%s: Scan = %v, want %v", tt.name, err, tt.err)
			}
			if tt.err == ErrScanValue && !strings.HasSuffix(err.Error(), fmt.Sprintf(": %T", tt.src)) {
				t.Errorf("%s: %q does not name the type", tt.name, err)
			}
		}
		if id != want || ULID(asBinary) != want || ULID(asUUID) != want {
			t.Errorf("%s: Scan set %s, %s, %s; want %s", tt.name, id, asBinary, asUUID, want)
		}
	}
}

// A scanned value does not hold on to what the driver may write to again.
func TestScanCopies(t *testing.T) {
	var id ULID
	row := known.Bytes()
	if err := id.Scan(row); err != nil {
		t.Fatal(err)
	}
	clear(row)
	if id != known {
		t.Errorf("the ULID became %s", id)
	}
}

// Whatever reads refuses 10 MB in constant memory, and with a message that is short and holds
// nothing of them.
func TestHugeInput(t *testing.T) {
	const size = 10 << 20
	const secret = "SECRET0!"
	huge := strings.Repeat(secret, size/len(secret))
	digits := strings.Repeat("0", size) // every character is valid
	hyphens := strings.Repeat("-", size)
	text := func(s string) any { return struct{ text string }{s} } // a type that Scan does not read
	var (
		id      = known
		binary  = AsBinary(known)
		uuid    = AsUUID(known)
		m       = Monotonic(nil, 0)
		asJSON  = func(s string) []byte { return []byte(`"` + s + `"`) }
		byID    map[ULID]int
		escaped = strings.Repeat(`\u0053`, size/6)
	)
	for _, s := range []string{huge, digits, hyphens} {
		b := []byte(s)
		quoted, key, unread := asJSON(s), []byte(`{"`+s+`":1}`), text(s)
		for _, tt := range []struct {
			name string
			read func() error
			want error
			most uint64 // bytes to be allocated: next to nothing, but the runtime may take some too
		}{
			{"Parse", func() error { return second(Parse(s)) }, ErrDataSize, 10_000},
			{"ParseLenient", func() error { return second(ParseLenient(s)) }, ErrDataSize, 10_000},
			{"ParseUUID", func() error { return second(ParseUUID(s)) }, ErrDataSize, 10_000},
			{"UnmarshalText", func() error { return id.UnmarshalText(b) }, ErrDataSize, 10_000},
			{"UnmarshalBinary", func() error { return id.UnmarshalBinary(b) }, ErrDataSize, 10_000},
			{"SetEntropy", func() error { return id.SetEntropy(b) }, ErrDataSize, 10_000},
			{"MonotonicRead", func() error { return m.MonotonicRead(1, b) }, ErrBufferSize, 10_000},
			{"Scan of a string", func() error { return id.Scan(s) }, ErrDataSize, 10_000},
			{"Scan of bytes", func() error { return id.Scan(b) }, ErrDataSize, 10_000},
			{"Scan of another type", func() error { return id.Scan(unread) }, ErrScanValue, 10_000},
			{"AsBinary.Scan", func() error { return binary.Scan(s) }, ErrDataSize, 10_000},
			{"AsUUID.Scan", func() error { return uuid.Scan(b) }, ErrDataSize, 10_000},
			{"JSON", func() error { return json.Unmarshal(quoted, &id) }, ErrDataSize, 10_000},
			{"JSON, key", func() error { return json.Unmarshal(key, &byID) }, ErrDataSize, 10_000},
			{"JSON, escaped", func() error { return json.Unmarshal(asJSON(escaped), &id) }, ErrDataSize, 3 * size},
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := tt.read()
			runtime.ReadMemStats(&after)
			if !errors.Is(err, tt.want) {
				t.Fatalf("%s = %v, want %v", tt.name, err, tt.want)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > tt.most {
				t.Errorf("%s allocates %d bytes, want %d at the most", tt.name, used, tt.most)
			}
			if message := err.Error(); len(message) > 100 || strings.Contains(message, secret[:3]) {
				t.Errorf("%s: %q", tt.name, message)
			}
		}
	}
	if id != known || binary != AsBinary(known) || uuid != AsUUID(known) || len(byID) > 0 {
		t.Errorf("something was read: %s, %s, %s, %v", id, binary, uuid, byID)
	}
	// Hyphens are all that may be many.
	if id, err := ParseLenient(hyphens + knownText + hyphens); id != known || err != nil {
		t.Errorf("ParseLenient = %s, %v", id, err)
	}
	if _, err := ParseLenient(hyphens + "!" + knownText[1:]); err != error(InvalidCharacterError{size, '!'}) {
		t.Errorf("ParseLenient = %v", err)
	}
}

func TestValue(t *testing.T) {
	for _, tt := range []struct {
		valuer driver.Valuer
		want   any
	}{
		{known, knownText},
		{AsBinary(known), known.Bytes()},
		{AsUUID(known), knownUUID},
		{ULID{}, "00000000000000000000000000"},
	} {
		value, err := tt.valuer.Value()
		if err != nil || fmt.Sprintf("%T %[1]v", value) != fmt.Sprintf("%T %[1]v", tt.want) {
			t.Errorf("%T: Value() = %T %[2]v, %v; want %T %[4]v", tt.valuer, value, err, tt.want)
		}
	}
	// Whatever Value gives, Scan of all three types reads.
	for _, id := range samples() {
		for _, valuer := range []driver.Valuer{id, AsBinary(id), AsUUID(id)} {
			value, err := valuer.Value()
			var (
				plain  ULID
				binary AsBinary
				uuid   AsUUID
			)
			if err := errors.Join(err, plain.Scan(value), binary.Scan(value), uuid.Scan(value)); err != nil {
				t.Fatal(err)
			}
			if plain != id || ULID(binary) != id || ULID(uuid) != id {
				t.Fatalf("%T of %s came back as %s, %s, %s", valuer, id, plain, binary, uuid)
			}
		}
	}
}

// AsBinary and AsUUID print and marshal as a ULID does.
func TestAs(t *testing.T) {
	type like interface {
		fmt.Stringer
		IsZero() bool
		MarshalText() ([]byte, error)
		MarshalBinary() ([]byte, error)
	}
	for _, id := range []like{known, AsBinary(known), AsUUID(known)} {
		text, err1 := id.MarshalText()
		binary, err2 := id.MarshalBinary()
		if id.String() != knownText || string(text) != knownText || !bytes.Equal(binary, known[:]) || id.IsZero() || err1 != nil || err2 != nil {
			t.Errorf("%T: %s, %s, %x, %v, %v", id, id, text, binary, err1, err2)
		}
	}
	if !(AsBinary{}).IsZero() || !(AsUUID{}).IsZero() {
		t.Error("a zero value is not zero")
	}
	type readable interface {
		UnmarshalText([]byte) error
		UnmarshalBinary([]byte) error
	}
	var (
		binary AsBinary
		uuid   AsUUID
	)
	for _, id := range []readable{&binary, &uuid} {
		if err := id.UnmarshalText([]byte(knownText)); err != nil {
			t.Error(err)
		}
		if err := id.UnmarshalText([]byte(knownText[1:])); err != ErrDataSize {
			t.Error(err)
		}
		if err := id.UnmarshalBinary(known[1:]); err != ErrDataSize {
			t.Error(err)
		}
	}
	if ULID(binary) != known || ULID(uuid) != known {
		t.Errorf("UnmarshalText set %s, %s", binary, uuid)
	}
	other := MustParse(largestID)
	for _, id := range []readable{&binary, &uuid} {
		if err := id.UnmarshalBinary(other[:]); err != nil {
			t.Error(err)
		}
	}
	if ULID(binary) != other || ULID(uuid) != other {
		t.Errorf("UnmarshalBinary set %s, %s", binary, uuid)
	}
}

// AsBinary and AsUUID have every method of ULID that reads, and all but Value give what that of
// ULID does.
func TestAsHasTheMethodsOfULID(t *testing.T) {
	left := []string{"Next", "Prev", "MarshalTextTo", "MarshalBinaryTo"} // and what sets: SetTime, SetEntropy
	id, other := known, MustParse(largestID)
	for _, as := range []struct{ id, other any }{{AsBinary(id), AsBinary(other)}, {AsUUID(id), AsUUID(other)}} {
		got, want := reflect.ValueOf(as.id), reflect.ValueOf(id)
		for i := range want.NumMethod() {
			name := want.Type().Method(i).Name
			method := got.MethodByName(name)
			if slices.Contains(left, name) {
				if method.IsValid() {
					t.Errorf("%T has %s: amend its comment", as.id, name)
				}
				continue
			}
			if !method.IsValid() {
				t.Errorf("%T has no %s", as.id, name)
				continue
			}
			var args, wantArgs []reflect.Value
			switch name {
			case "Value":
				continue // TestValue
			case "Compare":
				args, wantArgs = []reflect.Value{reflect.ValueOf(as.other)}, []reflect.Value{reflect.ValueOf(other)}
			case "AppendText", "AppendBinary":
				args = []reflect.Value{reflect.ValueOf([]byte("id="))}
				wantArgs = args
			}
			result, wantResult := method.Call(args), want.Method(i).Call(wantArgs)
			for i := range wantResult {
				if got, want := result[i].Interface(), wantResult[i].Interface(); !reflect.DeepEqual(got, want) {
					t.Errorf("%T.%s = %v, want %v", as.id, name, got, want)
				}
			}
		}
		pointer := reflect.PointerTo(got.Type())
		for i := range reflect.TypeFor[*ULID]().NumMethod() {
			name := reflect.TypeFor[*ULID]().Method(i).Name
			_, has := pointer.MethodByName(name)
			if want := !slices.Contains(append(left, "SetTime", "SetEntropy"), name); has != want {
				t.Errorf("*%T has %s: %t, want %t", as.id, name, has, want)
			}
		}
	}
	// In the other order too, so that Compare is not only ever -1.
	if AsBinary(other).Compare(AsBinary(id)) != 1 || AsUUID(other).Compare(AsUUID(id)) != 1 || AsUUID(id).Compare(AsUUID(id)) != 0 {
		t.Error("Compare has another order than that of ULID")
	}
}

// Order within a millisecond: monotonic.go

// fakeClock is a clock that stands where it is put.
type fakeClock struct{ t time.Time }

func (c *fakeClock) now() time.Time { return c.t }

func mustNext(t *testing.T, g *Generator) ULID {
	t.Helper()
	id, err := g.New()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// Whatever the clock does, the order holds, and the timestamp is the greatest that the clock
// has shown.
func TestGeneratorClock(t *testing.T) {
	begin := time.UnixMilli(knownMS)
	random := mathrand.New(mathrand.NewPCG(1, 2))
	walk := make([]time.Duration, 100_000)
	for i := range walk {
		walk[i] = time.Duration(random.NormFloat64() * float64(time.Duration(1)<<random.IntN(50)))
	}
	for name, moves := range map[string][]time.Duration{
		"stands":          {0, 0, 0},
		"moves on":        {time.Millisecond, time.Millisecond, time.Millisecond},
		"within a ms":     {300 * time.Microsecond, 300 * time.Microsecond, 300 * time.Microsecond},
		"back 1 ms":       {-time.Millisecond, 0, time.Millisecond, time.Millisecond},
		"back 1 h":        {-time.Hour, time.Minute, time.Hour, time.Hour},
		"back 10 years":   {-10 * 365 * 24 * time.Hour, time.Hour, 11 * 365 * 24 * time.Hour},
		"back past 1970":  {-50 * 365 * 24 * time.Hour, time.Hour},
		"forward 10 year": {10 * 365 * 24 * time.Hour, -time.Hour, 0},
		"random walk":     walk,
	} {
		t.Run(name, func(t *testing.T) {
			clock := &fakeClock{begin}
			g := &Generator{Clock: clock.now, Entropy: seeded(1)}
			last := mustNext(t, g)
			latest := uint64(knownMS)
			if last.Time() != latest {
				t.Fatalf("first ID at %d, want %d", last.Time(), latest)
			}
			for i, move := range moves {
				clock.t = clock.t.Add(move)
				if ms := clock.t.UnixMilli(); ms > int64(latest) {
					latest = uint64(ms)
				}
				id := mustNext(t, g)
				if id.Compare(last) <= 0 || id.Time() != latest {
					t.Fatalf("reading %d, %v: %s at %d after %s; want %d", i, clock.t, id, id.Time(), last, latest)
				}
				last = id
			}
		})
	}
}

// A clock before 1970 counts as 1970, where a first ID is random as everywhere.
func TestGeneratorBefore1970(t *testing.T) {
	for _, tt := range []struct {
		at   time.Time
		want string
	}{
		{time.Unix(0, 5e6), "000000000005abababababababababab"},
		{time.Unix(0, 0), "000000000000abababababababababab"},
		{time.Unix(0, -1), "000000000000abababababababababab"},
		{time.Unix(-1, 0), "000000000000abababababababababab"},
		{time.Time{}, "000000000000abababababababababab"},
	} {
		clock := &fakeClock{tt.at}
		g := &Generator{Clock: clock.now, Entropy: constant(0xab)}
		if id := mustNext(t, g); id != mustHex(tt.want) {
			t.Errorf("%v: %x, want %s", tt.at, id[:], tt.want)
		}
	}
}

// A clock that panics leaves no lock behind.
func TestClockPanics(t *testing.T) {
	g := &Generator{Clock: func() time.Time { panic("no time") }}
	mustPanic(t, "New", func() { g.New() })
	mustPanic(t, "Fill", func() { g.Fill(make([]ULID, 2)) })
	if !g.mu.TryLock() {
		t.Error("a lock was left behind")
	}
}

func TestGeneratorPastTheEnd(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(1<<48 - 1)}
	g := &Generator{Clock: clock.now, Entropy: constant(0), MaxStep: 1}
	first := mustNext(t, g)
	if first.Time() != MaxTime() {
		t.Fatalf("ID at %d", first.Time())
	}
	clock.t = clock.t.Add(time.Millisecond)
	for range 3 {
		ids := []ULID{known, known}
		if id, err := g.New(); err != ErrBigTime || id != (ULID{}) {
			t.Errorf("New = %s, %v", id, err)
		}
		if err := g.Fill(ids); err != ErrBigTime || ids[0] != (ULID{}) || ids[1] != (ULID{}) {
			t.Errorf("Fill = %v, %v", ids, err)
		}
	}
	clock.t = clock.t.Add(-time.Hour)
	if got, want := mustNext(t, g), first; got.Compare(want) <= 0 || got.Time() != MaxTime() {
		t.Errorf("after the errors: %s, then %s", want, got)
	}
}

// The last of the 2⁸⁰ IDs of a millisecond, and the one after it.
func TestGeneratorOverflow(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(knownMS)}
	last, _ := LastAt(clock.t).Prev()
	for name, entropy := range map[string]io.Reader{"system": nil, "reader": constant(0xab)} {
		g := &Generator{Clock: clock.now, Entropy: entropy, MaxStep: 1, After: last}
		if id := mustNext(t, g); id != LastAt(clock.t) {
			t.Errorf("%s: %s, want %s", name, id, LastAt(clock.t))
		}
		next := mustNext(t, g)
		if next.Time() != knownMS+1 || next == FirstAt(Time(knownMS+1)) {
			t.Errorf("%s: %s after the last of the millisecond", name, next)
		}
		if id := mustNext(t, g); id.Time() != knownMS+1 || id.Compare(next) <= 0 {
			t.Errorf("%s: %s, then %s", name, next, id)
		}

		g = &Generator{Clock: clock.now, Entropy: entropy, MaxStep: 1, After: last}
		ids := make([]ULID, 3)
		if err := g.Fill(ids); err != nil || ids[0] != LastAt(clock.t) || ids[1].Time() != knownMS+1 || ids[2].Compare(ids[1]) <= 0 {
			t.Errorf("%s: Fill = %s, %v", name, ids, err)
		}

		// Into the last millisecond of all.
		g = &Generator{Clock: clock.now, Entropy: entropy, MaxStep: 1, After: MustParse("7ZZZZZZZZYZZZZZZZZZZZZZZZZ")}
		if id, err := g.New(); err != nil || id.Time() != MaxTime() {
			t.Errorf("%s: %s, %v", name, id, err)
		}

		// There is nowhere to go from there, and nothing changes.
		g = &Generator{Clock: clock.now, Entropy: entropy, MaxStep: 1, After: MustParse("7ZZZZZZZZZZZZZZZZZZZZZZZZY")}
		if id, err := g.New(); err != nil || id.String() != largestID {
			t.Errorf("%s: %s, %v", name, id, err)
		}
		for range 3 {
			if id, err := g.New(); err != ErrBigTime || id != (ULID{}) {
				t.Errorf("%s: %s, %v after the largest ULID", name, id, err)
			}
		}
		g = &Generator{Clock: clock.now, Entropy: entropy, MaxStep: 1, After: MustParse("7ZZZZZZZZZZZZZZZZZZZZZZZZX")}
		ids = []ULID{known, known, known}
		if err := g.Fill(ids); err != ErrBigTime || ids[0] != (ULID{}) || ids[1] != (ULID{}) || ids[2] != (ULID{}) {
			t.Errorf("%s: Fill = %v, %v", name, ids, err)
		}
		// Those that were made for Fill are lost.
		if id, err := g.New(); err != ErrBigTime || id != (ULID{}) {
			t.Errorf("%s: after the error of Fill: %s, %v", name, id, err)
		}
	}
}

func TestGeneratorAfter(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(knownMS)}
	for _, tt := range []struct {
		after string
		want  string
	}{
		{"", "01ARYZ6S41NENTQAXBNENTQAXB"},                           // no floor: constant entropy
		{"01ARYZ6S40ZZZZZZZZZZZZZZZZ", "01ARYZ6S41NENTQAXBNENTQAXB"}, // a floor already passed
		{"01ARYZ6S410000000000000000", "01ARYZ6S410000000000000001"}, // in the current millisecond
		{"01ARYZ6S41ZZZZZZZZZZZZZZZY", "01ARYZ6S41ZZZZZZZZZZZZZZZZ"},
		{"01ARYZ6S41ZZZZZZZZZZZZZZZZ", "01ARYZ6S42NENTQAXBNENTQAXB"},
		{"02ARYZ6S410000000000000000", "02ARYZ6S410000000000000001"}, // in the future
	} {
		g := &Generator{Clock: clock.now, Entropy: constant(0xab), MaxStep: 1}
		if tt.after != "" {
			g.After = MustParse(tt.after)
		}
		if id := mustNext(t, g); id.String() != tt.want {
			t.Errorf("after %q: %s, want %s", tt.after, id, tt.want)
		}
	}
	// A restarted process whose clock has been set back.
	first := &Generator{}
	ids := make([]ULID, 100)
	if err := first.Fill(ids); err != nil {
		t.Fatal(err)
	}
	last := ids[99]
	second := &Generator{After: last, Clock: func() time.Time { return time.Now().Add(-time.Hour) }}
	for range 100 {
		id := mustNext(t, second)
		if id.Compare(last) <= 0 {
			t.Fatalf("%s after %s", id, last)
		}
		last = id
	}
}

// Zero entropy is a value like any other: the next ID is its increment, not another draw.
func TestZeroEntropyIsAValue(t *testing.T) {
	clock := &fakeClock{time.Unix(0, 0)}
	g := &Generator{Clock: clock.now, Entropy: constant(0), MaxStep: 1}
	m := Monotonic(constant(0), 1)
	for i := range byte(3) {
		want := ULID{15: i}
		if id := mustNext(t, g); id != want {
			t.Errorf("Generator: %s, want %s", id, want)
		}
		if id := MustNew(0, m); id != want {
			t.Errorf("Monotonic: %s, want %s", id, want)
		}
	}
}

// failing is a reader that gives n bytes of 0xab and then fails.
func failing(n int, err error) io.Reader {
	return io.MultiReader(io.LimitReader(constant(0xab), int64(n)), iotest.ErrReader(err))
}

// replaceable is a reader that can be exchanged under a Generator.
type replaceable struct{ io.Reader }

// A reader that fails at whichever byte gives no ID and changes nothing.
func TestEntropyFails(t *testing.T) {
	failure := errors.New("no entropy")
	clock := &fakeClock{time.UnixMilli(knownMS)}
	for n := range 10 + 16 {
		// With enough for the first ID of a millisecond, the step to the second fails.
		reader := &replaceable{failing(n, failure)}
		g := &Generator{Clock: clock.now, Entropy: reader}
		m := Monotonic(failing(n, failure), 0)
		last := ULID{}
		if n >= 10 {
			last = mustNext(t, g)
			MustNew(knownMS, m)
		}
		if id, err := g.New(); err != failure || id != (ULID{}) {
			t.Errorf("%d bytes: New = %s, %v", n, id, err)
		}
		if id, err := New(knownMS, m); err != failure || id != (ULID{}) {
			t.Errorf("%d bytes: Monotonic = %s, %v", n, id, err)
		}
		if g.last != last.uint128() || g.started != (n >= 10) {
			t.Errorf("%d bytes: the state has changed to %v", n, g.last)
		}
		reader.Reader = constant(0)
		if id := mustNext(t, g); id.Compare(last) <= 0 || id.Time() != knownMS {
			t.Errorf("%d bytes: next is %s, after %s", n, id, last)
		}
	}

	for n := range 10 {
		if id, err := New(knownMS, failing(n, failure)); err != failure || id != (ULID{}) {
			t.Errorf("%d bytes: New = %s, %v", n, id, err)
		}
	}

	for n := range 10 + 16 + 16 {
		reader := &replaceable{failing(n, failure)}
		g := &Generator{Clock: clock.now, Entropy: reader}
		ids := []ULID{known, known, known}
		if err := g.Fill(ids); err != failure || ids[0] != (ULID{}) || ids[1] != (ULID{}) || ids[2] != (ULID{}) {
			t.Errorf("%d bytes: Fill = %v, %v", n, ids, err)
		}
		// What was made for ids before the error is lost, and not made again.
		var lost ULID
		if g.last.put(&lost); g.started != (n >= 10) {
			t.Errorf("%d bytes: started is %t", n, g.started)
		}
		reader.Reader = constant(0xab)
		if err := g.Fill(ids); err != nil || n < 10 && ids[0] != mustHex("01563df36481abababababababababab") || ids[0].Compare(lost) <= 0 || ids[2].Compare(ids[1]) <= 0 {
			t.Errorf("%d bytes: the next Fill = %s after %s, %v", n, ids, lost, err)
		}
	}

	for name, tt := range map[string]struct {
		reader io.Reader
		err    error
	}{
		"empty":         {strings.NewReader(""), io.EOF},
		"short":         {strings.NewReader("012345678"), io.ErrUnexpectedEOF},
		"nothing":       {liar(0), io.ErrNoProgress},
		"negative":      {liar(-1), io.ErrNoProgress},
		"nothing after": {io.MultiReader(strings.NewReader("012"), liar(0)), io.ErrNoProgress},
	} {
		if id, err := (&Generator{Entropy: tt.reader}).New(); err != tt.err || id != (ULID{}) {
			t.Errorf("%s: New = %s, %v; want %v", name, id, err, tt.err)
		}
	}
}

// A reader that panics leaves no lock behind.
func TestEntropyPanics(t *testing.T) {
	reader := &replaceable{} // a nil dereference
	g := &Generator{Entropy: reader}
	m := Monotonic(reader, 0)
	mustPanic(t, "Generator.New", func() { g.New() })
	mustPanic(t, "Generator.Fill", func() { g.Fill(make([]ULID, 2)) })
	mustPanic(t, "New", func() { New(1, m) })
	mustPanic(t, "Read", func() { m.Read(make([]byte, 1)) })
	reader.Reader = constant(1)
	mustNext(t, g)
	MustNew(1, m)
}

// A reader that blocks holds up its own Generator or Monotonic, and nobody else.
func TestEntropyBlocks(t *testing.T) {
	entered, release := make(chan bool, 100), make(chan bool)
	reader := readerFunc(func(p []byte) (int, error) {
		entered <- true
		<-release
		return constant(1).Read(p)
	})
	g, m := &Generator{Entropy: reader}, Monotonic(reader, 0)
	ids := make(chan ULID)
	for range 2 {
		go func() { ids <- mustNext(t, g) }()
		go func() { ids <- MustNew(1, m) }()
	}
	<-entered
	<-entered
	if g.mu.TryLock() || m.mu.TryLock() {
		t.Error("read without the lock")
	}
	last := Make()
	for range 1000 {
		id := Make()
		if id.Compare(last) <= 0 {
			t.Errorf("%s after %s", id, last)
		}
		last = id
		mustNext(t, new(Generator))
	}
	close(release)
	seen := map[ULID]bool{}
	for range 4 {
		seen[<-ids] = true
	}
	if len(seen) != 4 {
		t.Errorf("4 IDs, of which %d differ", len(seen))
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A reader that returns the same bytes for ever makes no ID twice, whatever the steps and the clock.
func TestEntropyRepeats(t *testing.T) {
	for _, b := range []constant{0, 1, 0x7f, 0x80, 0xff} {
		for _, maxStep := range []uint32{0, 1, 2, math.MaxUint32} {
			for _, uuidv7 := range []bool{false, true} {
				clock := &fakeClock{time.UnixMilli(knownMS)}
				g := &Generator{Clock: clock.now, Entropy: b, MaxStep: maxStep, UUIDv7: uuidv7}
				last := ULID{}
				for i := range 1000 {
					ids := make([]ULID, 1+i%3)
					if err := g.Fill(ids); err != nil {
						t.Fatal(err)
					}
					for _, id := range append(ids, mustNext(t, g)) {
						if id.Compare(last) <= 0 {
							t.Fatalf("bytes %#x, MaxStep %d, UUIDv7 %t: %s after %s", b, maxStep, uuidv7, id, last)
						}
						last = id
					}
					if i%10 == 0 {
						clock.t = clock.t.Add(time.Millisecond)
					}
				}
			}
		}
	}
}

// faulty is a reader that does everything wrong, one after the other. It may be shared.
type faulty struct {
	mu     sync.Mutex
	random *mathrand.Rand
}

var errFaulty = errors.New("faulty")

func (f *faulty) Read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch n := f.random.IntN(len(p) + 1); f.random.IntN(12) {
	case 0:
		return 0, nil
	case 1:
		return liar(-n).Read(p)
	case 2:
		return liar(len(p) + n).Read(p)
	case 3:
		return constant(0xab).Read(p[:n]) // short
	case 4:
		n, _ := constant(0xab).Read(p[:n])
		return n, errFaulty
	case 5:
		n, _ := constant(0xab).Read(p)
		return n, errFaulty // all the same
	case 6:
		n, _ := constant(0xab).Read(p[:n])
		return n, io.EOF
	case 7:
		panic(errFaulty)
	case 8:
		runtime.Goexit()
	case 9:
		runtime.Gosched()
	}
	return constant(0x7f).Read(p) // the same for ever
}

// Several goroutines share a Generator, and it shares a faulty reader with another and with
// a Monotonic. Errors and panics come through; no ID is made twice, no lock stays behind.
func TestSharedFaultyEntropy(t *testing.T) {
	entropy := &faulty{random: mathrand.New(seeded(13))}
	var ms atomic.Int64
	ms.Store(knownMS)
	clock := func() time.Time { return time.UnixMilli(ms.Load()) }
	g := &Generator{Entropy: entropy, Clock: clock}
	v7 := &Generator{Entropy: entropy, Clock: clock, UUIDv7: true}
	m := Monotonic(entropy, 0)
	for name, newID := range map[string]func() (ULID, error){
		"Generator": g.New,
		"UUIDv7":    v7.New,
		"Generator, filled": func() (ULID, error) {
			ids := make([]ULID, 1)
			err := g.Fill(ids)
			return ids[0], err
		},
		"Monotonic": func() (ULID, error) { return New(knownMS, m) },
	} {
		var (
			newest                  atomic.Pointer[ULID]
			mu                      sync.Mutex
			seen                    = map[ULID]bool{}
			made, failed, abandoned int
			group                   sync.WaitGroup
		)
		newest.Store(new(ULID))
		for range 2000 {
			group.Go(func() {
				var (
					id       ULID
					err      error
					returned bool
				)
				floor := *newest.Load()
				defer func() {
					recovered := recover()
					mu.Lock()
					defer mu.Unlock()
					switch {
					case !returned: // it has panicked, or ended its goroutine
						abandoned++
						if recovered != nil && recovered != errFaulty {
							t.Errorf("%s: panic with %v", name, recovered)
						}
					case err != nil:
						failed++
						if err != errFaulty && err != io.EOF && err != io.ErrUnexpectedEOF || id != (ULID{}) {
							t.Errorf("%s: %s, %v", name, id, err)
						}
					default:
						made++
						if seen[id] || id.Compare(floor) <= 0 {
							t.Errorf("%s: %s after %s, seen before: %t", name, id, floor, seen[id])
						}
						seen[id] = true
						publish(&newest, &id)
					}
				}()
				id, err = newID()
				returned = true
				ms.Add(1)
			})
		}
		group.Wait()
		if made < 100 || failed < 100 || abandoned < 100 {
			t.Errorf("%s: %d IDs, %d errors, %d panics: want at least 100 of each", name, made, failed, abandoned)
		}
	}
	if !g.mu.TryLock() || !v7.mu.TryLock() || !m.mu.TryLock() {
		t.Error("a lock was left behind")
	}
}

// The steps are uniform in [1, MaxStep], for the system's entropy and for a reader's.
func TestStep(t *testing.T) {
	const n = 20_000
	for name, entropy := range map[string]io.Reader{"system": nil, "reader": seeded(1)} {
		for _, maxStep := range []uint64{0, 1, 2, 3, 257, 1<<32 - 1, 1 << 32, math.MaxUint64} {
			limit := cmp.Or(maxStep, 1<<32)
			clock := &fakeClock{time.UnixMilli(knownMS)}
			steps := map[string]func() ULID{}
			if maxStep <= math.MaxUint32 {
				g := &Generator{Clock: clock.now, Entropy: entropy, MaxStep: uint32(maxStep), After: FirstAt(clock.t)}
				steps["Generator"] = func() ULID { return mustNext(t, g) }
				f := &Generator{Clock: clock.now, Entropy: entropy, MaxStep: uint32(maxStep), After: FirstAt(clock.t)}
				filled := make([]ULID, n+1)
				if err := f.Fill(filled); err != nil {
					t.Fatal(err)
				}
				steps["Fill"] = func() ULID { id := filled[0]; filled = filled[1:]; return id }
			}
			m := Monotonic(io.MultiReader(bytes.NewReader(make([]byte, 10)), seeded(2)), maxStep)
			steps["Monotonic"] = func() ULID { return MustNew(knownMS, m) }

			for source, next := range steps {
				first := next()
				last := first.uint128()
				seen := map[uint64]int{}
				sum := 0.0
				before := uint64(0)
				for range n {
					id := next()
					number := id.uint128()
					step, borrow := bits.Sub64(number.lo, last.lo, 0)
					if high := number.hi - last.hi - borrow; high != 0 || step == 0 || step > limit {
						t.Fatalf("%s, %s, MaxStep %d: a step of %d·2⁶⁴ + %d", source, name, maxStep, high, step)
					}
					// By chance, in one of 200,000 runs at the most.
					if limit >= 1<<32-1 && step == before {
						t.Fatalf("%s, %s, MaxStep %d: the step %d twice running", source, name, maxStep, step)
					}
					last, before = number, step
					sum += float64(step)
					if limit <= 257 {
						seen[step]++
					}
				}
				// Six standard deviations: one run in 500 million fails for nothing.
				l := float64(limit)
				mean, deviation := (l+1)/2, math.Sqrt((l*l-1)/12/n)
				if got := sum / n; math.Abs(got-mean) > 6*deviation {
					t.Errorf("%s, %s, MaxStep %d: mean step %g, want %g ± %g", source, name, maxStep, got, mean, 6*deviation)
				}
				if limit <= 257 {
					expected := n / l
					for step := uint64(1); step <= limit; step++ {
						if d := math.Abs(float64(seen[step]) - expected); d > 6*math.Sqrt(expected)+1e-9 && limit > 1 {
							t.Errorf("%s, %s, MaxStep %d: step %d came %d times, want about %g", source, name, maxStep, step, seen[step], expected)
						}
					}
				}
			}
		}
	}
}

// scale is the whole part of n·(hi·2⁶⁴+lo)/2¹²⁸.
func TestScale(t *testing.T) {
	random := mathrand.New(seeded(3))
	values := []uint64{0, 1, 2, 3, 1 << 32, 1<<63 - 1, 1 << 63, math.MaxUint64}
	for range 20 {
		values = append(values, random.Uint64())
	}
	for _, hi := range values {
		for _, lo := range values {
			for _, n := range values {
				want := new(big.Int).SetUint64(hi)
				want.Lsh(want, 64).Or(want, new(big.Int).SetUint64(lo))
				want.Mul(want, new(big.Int).SetUint64(n)).Rsh(want, 128)
				if got := scale(hi, lo, n); got != want.Uint64() {
					t.Fatalf("scale(%d, %d, %d) = %d, want %d", hi, lo, n, got, want)
				}
			}
		}
	}
}

// A step is made of 128 bits, of the system's as of a reader's.
func TestStepTakes128Bits(t *testing.T) {
	var r random
	r.seeded = true
	r.chacha.Seed([32]byte{1})
	hi, lo := seeded(1), new(mathrand.ChaCha8)
	*lo = *hi
	lo.Uint64()
	const maxStep = 1<<63 + 12345
	for i := range 100 {
		want := 1 + scale(hi.Uint64(), lo.Uint64(), maxStep)
		hi.Uint64()
		lo.Uint64()
		if got := r.systemStep(maxStep); got != want {
			t.Fatalf("a step of %d, want %d", got, want)
		}
		p := make([]byte, 16)
		seeded(byte(i)).Read(p)
		want = 1 + scale(binary.BigEndian.Uint64(p[:8]), binary.BigEndian.Uint64(p[8:]), maxStep)
		if got, err := r.step(bytes.NewReader(p), maxStep); got != want || err != nil {
			t.Fatalf("a step of %d, %v; want %d", got, err, want)
		}
	}
}

// A step of up to 2³² is half a word of a ChaCha8 that is seeded once: first the lower half, then
// the upper, be it zero.
func TestStepTakesHalfAWord(t *testing.T) {
	var r random
	r.ready(0)
	words := r.chacha
	for range 100 {
		word := words.Uint64()
		if low, high := r.systemStep(0), r.systemStep(0); low != 1+word&(1<<32-1) || high != 1+word>>32 {
			t.Fatalf("steps of %#x and %#x, of a word of %#x", low, high, word)
		}
	}
	r.systemStep(0)
	r.half &^= 1<<32 - 1
	if step := r.systemStep(0); step != 1 {
		t.Errorf("an upper half of zero: a step of %d", step)
	}
}

// Statistics. Each test gives a z that is normal, of mean 0 and deviation 1, if the bits are
// random. The significance of each is 10⁻⁹: by chance |z| exceeds 6.11 once in a thousand
// million times. What is seeded does not even do that.
const maxZ = 6.11

// A tally counts what the tests of a stream of values of some bytes each need.
type tally struct {
	n       int
	last    []byte
	values  [10][256]uint32 // of each byte
	changes [10][256]uint32 // of each byte: its difference from that of the value before
	across  [10][256]uint32 // of each byte: its difference from the next byte
}

func (y *tally) add(p []byte) {
	next := p[0]
	for i := len(p) - 1; i >= 0; i-- {
		y.values[i][p[i]]++
		y.across[i][p[i]^next]++
		if y.n > 0 {
			y.changes[i][p[i]^y.last[i]]++
		}
		next = p[i]
	}
	y.last = append(y.last[:0], p...)
	y.n++
}

// worst returns the test that fits randomness least: of the frequency of every bit, of its
// runs (those of Wald and Wolfowitz, as NIST SP 800-22 has them in 2.3), and the chi-squares
// of every byte and its differences.
func (y *tally) worst() (name string, z float64) {
	test := func(what string, i int, result float64) {
		if !(math.Abs(result) <= math.Abs(z)) { // or not a number
			name, z = fmt.Sprintf("%s %d", what, i), result
		}
	}
	n := float64(y.n)
	for i := range len(y.last) {
		for bit := range 8 {
			var ones, changes uint32
			for b := range uint32(256) {
				ones += y.values[i][b] * (b >> bit & 1)
				changes += y.changes[i][b] * (b >> bit & 1)
			}
			test("frequency of bit", 8*i+bit, (2*float64(ones)-n)/math.Sqrt(n))
			p := float64(ones) / n
			test("runs of bit", 8*i+bit, (1+float64(changes)-2*n*p*(1-p))/(2*math.Sqrt(n)*p*(1-p)))
		}
		test("chi-square of byte", i, chiSquare(y.values[i][:]))
		test("chi-square of the changes of byte", i, chiSquare(y.changes[i][:]))
		test("chi-square across byte", i, chiSquare(y.across[i][:]))
	}
	return name, z
}

func (y *tally) check(t *testing.T, name string) {
	t.Helper()
	worst, z := y.worst()
	t.Logf("%s: %d tests of %d values; the greatest z is %.2f, %s", name, 19*len(y.last), y.n, z, worst)
	if !(math.Abs(z) <= maxZ) {
		t.Errorf("%s: not random", name)
	}
}

// chiSquare returns the chi-square of equally likely counts, made normal by the cube root of
// Wilson and Hilferty.
func chiSquare(counts []uint32) float64 {
	n := uint32(0)
	for _, count := range counts {
		n += count
	}
	expected, sum := float64(n)/float64(len(counts)), 0.0
	for _, count := range counts {
		d := float64(count) - expected
		sum += d * d / expected
	}
	freedom := float64(len(counts) - 1)
	spread := 2 / (9 * freedom)
	return (math.Cbrt(sum/freedom) - (1 - spread)) / math.Sqrt(spread)
}

// statisticsOf is over how many IDs the statistics go.
func statisticsOf() int {
	if testing.Short() {
		return 200_000
	}
	return 10_000_000
}

// The 80 bits of the first ID of each millisecond.
func TestStatisticsOfEntropy(t *testing.T) {
	for name, entropy := range map[string]io.Reader{"seeded": seeded(17), "system": nil} {
		clock := &fakeClock{time.UnixMilli(knownMS)}
		g := &Generator{Clock: clock.now, Entropy: entropy}
		y := new(tally)
		for range statisticsOf() {
			clock.t = clock.t.Add(time.Millisecond)
			id := mustNext(t, g)
			y.add(id[6:])
		}
		y.check(t, name)
	}
}

// The steps that Fill takes: those of the system's ChaCha8, seeded here, and those that are
// made of a reader's bytes. TestQuickPath compares the steps of New with the same ChaCha8.
func TestStatisticsOfSteps(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(knownMS)}
	for name, entropy := range map[string]io.Reader{"system": nil, "reader": seeded(19)} {
		for _, maxStep := range []uint32{0, 1 << 24, 1000} {
			g := &Generator{Clock: clock.now, Entropy: entropy, MaxStep: maxStep, After: FirstAt(clock.t)}
			g.random.chacha.Seed([32]byte{23})
			g.random.seeded = true
			var (
				y     = new(tally)
				ids   = make([]ULID, 1000)
				last  = g.After.uint128()
				steps = make([]uint32, 1000)
			)
			n := statisticsOf()
			if maxStep > 0 {
				n /= 10
			}
			for range n / len(ids) {
				if err := g.Fill(ids); err != nil {
					t.Fatal(err)
				}
				for _, id := range ids {
					number := id.uint128()
					step := number.lo - last.lo // modulo 2⁶⁴, whatever the carry
					last = number
					switch maxStep {
					case 1000:
						if step == 0 || step > 1000 {
							t.Fatalf("a step of %d", step)
						}
						steps[step-1]++
					case 1 << 24:
						y.add(binary.BigEndian.AppendUint64(nil, step-1)[5:])
					default:
						if step == 0 || step > 1<<32 {
							t.Fatalf("a step of %d", step)
						}
						y.add(binary.BigEndian.AppendUint64(nil, step-1)[4:])
					}
				}
			}
			name := fmt.Sprintf("%s, MaxStep %d", name, maxStep)
			if maxStep == 1000 {
				z := chiSquare(steps)
				t.Logf("%s: chi-square of %d steps: z = %.2f", name, n, z)
				if math.Abs(z) > maxZ || steps[999] == 0 {
					t.Errorf("%s: chi-square: z = %.2f, and %d steps are the greatest", name, z, steps[999])
				}
				continue
			}
			y.check(t, name)
		}
	}
}

// The statistics must find what is not random, and say what it is.
func TestStatisticsFindFaults(t *testing.T) {
	random := mathrand.New(seeded(29))
	for want, spoil := range map[string]func(p, last []byte){
		"frequency of bit 26": func(p, _ []byte) {
			if random.IntN(20) == 0 {
				p[3] |= 1 << 2
			}
		},
		"runs of bit 7": func(p, last []byte) {
			if random.IntN(20) == 0 {
				p[0] = p[0]&0x7f | last[0]&0x80
			}
		},
		"chi-square of byte 9": func(p, _ []byte) { p[9] = max(p[9], 1) },
		"chi-square of the changes of byte 2": func(p, last []byte) {
			if p[2] == last[2] {
				p[2]++
			}
		},
		"chi-square across byte 4": func(p, _ []byte) {
			if p[4] == p[5] {
				p[5]++
			}
		},
	} {
		y, p, last := new(tally), make([]byte, 10), make([]byte, 10)
		for range 100_000 {
			binary.BigEndian.PutUint64(p, random.Uint64())
			binary.BigEndian.PutUint16(p[8:], uint16(random.Uint64()))
			spoil(p, last)
			y.add(p)
			copy(last, p)
		}
		if got, z := y.worst(); got != want || math.Abs(z) <= maxZ {
			t.Errorf("found %s, z = %.2f; want %s", got, z, want)
		}
	}
}

// The greatest step is reached and never passed, the least is 1.
func TestStepBounds(t *testing.T) {
	for _, maxStep := range []uint64{0, 1, 2, 3, 1000, 1<<32 - 1, 1 << 32, 1<<32 + 1, 1 << 63, math.MaxUint64} {
		limit := cmp.Or(maxStep, 1<<32)
		for _, tt := range []struct {
			entropy constant
			want    uint64
		}{{0, 1}, {0xff, limit}} {
			var r random
			if step, err := r.step(tt.entropy, maxStep); step != tt.want || err != nil {
				t.Errorf("MaxStep %d, bytes %#x: a step of %d, %v; want %d", maxStep, tt.entropy, step, err, tt.want)
			}
		}
	}
	// The same of the system's, whose ChaCha8 gives half a word to a step of up to 2³².
	for half, want := range map[uint64]uint64{0: 1, 1<<32 - 1: 1 << 32} {
		r := random{seeded: true, half: half | 1<<32}
		if step := r.systemStep(0); step != want {
			t.Errorf("half a word of %#x: a step of %d, want %d", half, step, want)
		}
	}
}

// The steps of two Generators differ: each is seeded for itself.
func TestGeneratorsDiffer(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(knownMS)}
	seen := map[ULID]bool{}
	for range 1000 {
		g := &Generator{Clock: clock.now, After: FirstAt(clock.t)} // without fresh bits: steps only
		seen[mustNext(t, g)] = true
	}
	if len(seen) < 990 {
		t.Errorf("1,000 generators made %d IDs", len(seen))
	}
}

// The same reader makes the same IDs.
func TestGeneratorIsReproducible(t *testing.T) {
	var runs [2][]ULID
	for i := range runs {
		clock := &fakeClock{time.UnixMilli(knownMS)}
		g := &Generator{Clock: clock.now, Entropy: seeded(7)}
		for range 10 {
			runs[i] = append(runs[i], mustNext(t, g), mustNext(t, g))
			clock.t = clock.t.Add(time.Millisecond)
		}
	}
	if !slices.Equal(runs[0], runs[1]) {
		t.Errorf("%s differs from %s", runs[0], runs[1])
	}
}

// isUUIDv7 is IsUUIDv7 as RFC 9562 draws it: the version is the first digit of the third group,
// the variant the upper half of the first digit of the fourth.
func isUUIDv7(id ULID) bool {
	text := id.UUIDString()
	return text[14] == '7' && strings.ContainsRune("89ab", rune(text[19]))
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
			if got, want := id.IsUUIDv7(), isUUIDv7(id); got != want {
				t.Fatalf("%s.IsUUIDv7() = %t", id.UUIDString(), got)
			}
		}
	}
}

// The RFC's example once more, made from its own random bits: 12 bits of rand_a, 62 of rand_b.
func TestUUIDv7Layout(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(1645557742000)}
	for entropy, want := range map[string]string{
		// What stands where the version and the variant go makes no difference.
		"0cc318c4dc0c0c07398f": "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
		"fcc3d8c4dc0c0c07398f": "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
		"7cc398c4dc0c0c07398f": "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
		// The other bits are the entropy's.
		"00000000000000000000": "017f22e2-79b0-7000-8000-000000000000",
		"ffffffffffffffffffff": "017f22e2-79b0-7fff-bfff-ffffffffffff",
	} {
		p, err := hex.DecodeString(entropy)
		if err != nil {
			t.Fatal(err)
		}
		g := &Generator{Clock: clock.now, Entropy: bytes.NewReader(p), UUIDv7: true}
		if got := mustNext(t, g).UUIDString(); got != want {
			t.Errorf("%s gives %s, want %s", entropy, got, want)
		}
	}
}

// random74 returns the 74 random bits of a UUIDv7 as a number.
func random74(id ULID) *big.Int {
	a := int64(id[6]&0x0f)<<8 | int64(id[7])
	b := new(big.Int).SetBytes(append([]byte{id[8] & 0x3f}, id[9:]...))
	return b.Add(b, new(big.Int).Lsh(big.NewInt(a), 62))
}

// Steps of every size carry over the variant and, where they must, end at the version: the 74
// bits count on as one number.
func TestUUIDv7Steps(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(knownMS)}
	ms := FirstAt(clock.t).UUIDString()[:13]
	for _, tt := range []struct {
		after string // without its time
		want  string // after a step of 1; "" if the millisecond is used up
	}{
		{"-7000-8000-000000000000", "-7000-8000-000000000001"},
		{"-7000-bfff-ffffffffffff", "-7001-8000-000000000000"},
		{"-7fff-bfff-fffffffffffe", "-7fff-bfff-ffffffffffff"},
		{"-7fff-bfff-ffffffffffff", ""},
		{"-70ff-bfff-ffffffffffff", "-7100-8000-000000000000"},
		// A plain ULID: in the next millisecond, whatever its bits.
		{"-0000-0000-000000000001", ""},
		{"-7000-0000-000000000000", ""},
		{"-7000-c000-000000000000", ""},
		{"-ffff-ffff-ffffffffffff", ""},
	} {
		after, err := ParseUUID(ms + tt.after)
		if err != nil {
			t.Fatal(err)
		}
		g := &Generator{Clock: clock.now, Entropy: constant(0xff), MaxStep: 1, After: after, UUIDv7: true}
		want := ms + tt.want
		if tt.want == "" {
			want = FirstAt(Time(knownMS + 1)).UUIDString()[:13] + "-7fff-bfff-ffffffffffff"
		}
		if id := mustNext(t, g); id.UUIDString() != want {
			t.Errorf("after %s: %s, want %s", after.UUIDString(), id.UUIDString(), want)
		}
	}

	// The greatest step there can be, 2³², and the uniformity of all.
	for _, maxStep := range []uint32{0, 1, 2, 257, math.MaxUint32} {
		limit := new(big.Int).SetUint64(cmp.Or(uint64(maxStep), 1<<32))
		for name, entropy := range map[string]io.Reader{"system": nil, "reader": seeded(1), "greatest": constant(0xff)} {
			first, err := ParseUUID(ms + "-7000-8000-000000000000")
			if err != nil {
				t.Fatal(err)
			}
			g := &Generator{Clock: clock.now, Entropy: entropy, MaxStep: maxStep, After: first, UUIDv7: true}
			last, sum := first, new(big.Int)
			const n = 2000
			for range n {
				id := mustNext(t, g)
				step := new(big.Int).Sub(random74(id), random74(last))
				if step.Sign() <= 0 || step.Cmp(limit) > 0 || !isUUIDv7(id) || id.Time() != knownMS || id.Compare(last) <= 0 {
					t.Fatalf("%s, MaxStep %d: a step of %d from %s to %s", name, maxStep, step, last.UUIDString(), id.UUIDString())
				}
				if name == "greatest" && step.Cmp(limit) != 0 {
					t.Fatalf("MaxStep %d: the greatest step is %d", maxStep, step)
				}
				sum.Add(sum, step)
				last = id
			}
			if name == "greatest" {
				continue
			}
			l, _ := new(big.Float).SetInt(limit).Float64()
			total, _ := new(big.Float).SetInt(sum).Float64()
			mean, deviation := (l+1)/2, math.Sqrt((l*l-1)/12/n)
			if got := total / n; math.Abs(got-mean) > 6*deviation {
				t.Errorf("%s, MaxStep %d: mean step %g, want %g ± %g", name, maxStep, got, mean, 6*deviation)
			}
		}
	}
}

// Whatever the clock does, as for plain ULIDs.
func TestUUIDv7Clock(t *testing.T) {
	random := mathrand.New(mathrand.NewPCG(3, 4))
	clock := &fakeClock{time.UnixMilli(knownMS)}
	after := MustParse("01ARYZ6S41ZZZZZZZZZZZZZZZZ") // a plain ULID of this millisecond
	g := &Generator{Clock: clock.now, Entropy: seeded(1), After: after, UUIDv7: true}
	last, latest := after, uint64(knownMS+1)
	for i := range 100_000 {
		id := mustNext(t, g)
		if id.Compare(last) <= 0 || id.Time() != latest || !isUUIDv7(id) {
			t.Fatalf("reading %d, %v: %s at %d after %s; want %d", i, clock.t, id.UUIDString(), id.Time(), last, latest)
		}
		last = id
		clock.t = clock.t.Add(time.Duration(random.NormFloat64() * float64(time.Duration(1)<<random.IntN(50))))
		latest = max(latest, uint64(max(clock.t.UnixMilli(), 0)))
	}
}

func TestUUIDv7Overflow(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(knownMS)}
	last, err := ParseUUID(FirstAt(clock.t).UUIDString()[:13] + "-7fff-bfff-fffffffffffe")
	if err != nil {
		t.Fatal(err)
	}
	for name, entropy := range map[string]io.Reader{"system": nil, "reader": constant(0xab)} {
		g := &Generator{Clock: clock.now, Entropy: entropy, MaxStep: 1, After: last, UUIDv7: true}
		ids := make([]ULID, 3)
		if err := g.Fill(ids); err != nil {
			t.Fatal(err)
		}
		for i, id := range ids {
			if wantMS := knownMS + uint64(min(i, 1)); !isUUIDv7(id) || id.Time() != wantMS || i > 0 && id.Compare(ids[i-1]) <= 0 {
				t.Errorf("%s: ID %d is %s at %d, want %d", name, i, id.UUIDString(), id.Time(), wantMS)
			}
		}
		// In the last millisecond of all.
		g = &Generator{Clock: clock.now, Entropy: entropy, MaxStep: 1, After: MustParse(largestID), UUIDv7: true}
		if id, err := g.New(); err != ErrBigTime || id != (ULID{}) {
			t.Errorf("%s: %s, %v after the largest ULID", name, id, err)
		}
	}
}

// On the quick path too: the window is open, and the last ID is the last of its millisecond.
func TestUUIDv7OverflowInWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &Generator{UUIDv7: true, MaxStep: 1}
		time.Sleep(time.Microsecond) // on the stroke of a millisecond the window stays shut
		if mustNext(t, g); g.window == 0 {
			t.Fatal("the window is shut")
		}
		g.last.hi |= 0x7fff
		g.last.lo = 1<<63 | 1<<62 - 1
		last, ms := ULID{}, g.last.ms()
		g.last.put(&last)
		if id := mustNext(t, g); id.Time() != ms+1 || !isUUIDv7(id) || id.Compare(last) <= 0 {
			t.Errorf("%s after %s", id.UUIDString(), last.UUIDString())
		}
	})
}

func TestMakeUUIDv7(t *testing.T) {
	last := MakeUUIDv7()
	for range 100_000 {
		before, id, after := Now(), MakeUUIDv7(), Now()
		if id.Compare(last) <= 0 || !isUUIDv7(id) {
			t.Fatalf("%s after %s", id.UUIDString(), last.UUIDString())
		}
		if ms := id.Time(); ms+1 < before || ms > after+1 {
			t.Fatalf("%s was made at %d, between %d and %d", id, ms, before, after)
		}
		last = id
	}
	keep(t, &uuidv7Generator)
	uuidv7Generator.last, uuidv7Generator.window = largest, 0
	uuidv7Generator.last.setUUIDv7()
	mustPanic(t, "MakeUUIDv7", func() { MakeUUIDv7() })
}

// Monotonic as the specification has it.
func TestMonotonicIncrements(t *testing.T) {
	first := MustParse("01BX5ZZKBKACTAV9WEVGEMMVRZ")
	m := Monotonic(bytes.NewReader(first.Entropy()), 1)
	for _, want := range []string{"01BX5ZZKBKACTAV9WEVGEMMVRZ", "01BX5ZZKBKACTAV9WEVGEMMVS0", "01BX5ZZKBKACTAV9WEVGEMMVS1"} {
		if id, err := New(first.Time(), m); id.String() != want || err != nil {
			t.Errorf("New = %s, %v; want %s", id, err, want)
		}
	}
	// Carry through every byte.
	m = Monotonic(bytes.NewReader(mustHex("00000000000000ffffffffffffffffff").Entropy()), 1)
	MustNew(1, m)
	if id := MustNew(1, m); id != mustHex("00000000000101000000000000000000") {
		t.Errorf("the carry gives %x", id[:])
	}
}

func TestMonotonicOverflow(t *testing.T) {
	last := MustParse("01BX5ZZKBKZZZZZZZZZZZZZZZZ")
	for name, m := range map[string]*MonotonicEntropy{
		"1":         Monotonic(io.MultiReader(bytes.NewReader(last.Entropy()), constant(0xab)), 1),
		"MaxUint64": Monotonic(io.MultiReader(bytes.NewReader(last.Entropy()), constant(0xab)), math.MaxUint64),
	} {
		if id := MustNew(last.Time(), m); id != last {
			t.Fatalf("%s: New = %s", name, id)
		}
		for range 3 {
			p := []byte("unchanged!")
			if err := m.MonotonicRead(last.Time(), p); err != ErrMonotonicOverflow || string(p) != "unchanged!" {
				t.Errorf("%s: MonotonicRead = %q, %v", name, p, err)
			}
			if id, err := New(last.Time(), m); err != ErrMonotonicOverflow || id != (ULID{}) {
				t.Errorf("%s: New = %s, %v", name, id, err)
			}
		}
		if id := MustNew(last.Time()+1, m); id.Time() != last.Time()+1 || !bytes.Equal(id.Entropy(), bytes.Repeat([]byte{0xab}, 10)) {
			t.Errorf("%s: %x in the next millisecond", name, id[:])
		}
		// Any other millisecond draws anew, an earlier one too.
		if id := MustNew(last.Time(), m); id.Time() != last.Time() || !bytes.Equal(id.Entropy(), bytes.Repeat([]byte{0xab}, 10)) {
			t.Errorf("%s: %x in the first millisecond again", name, id[:])
		}
	}
}

// After the first step that does not fit, a smaller one is not tried: the order in which the IDs
// of a millisecond run out does not depend on luck, nor on the reader.
func TestMonotonicOverflowPersists(t *testing.T) {
	// A reader that ends with the step that does not fit.
	ending := Monotonic(io.LimitReader(constant(0xff), 10+16), 0)
	MustNew(1, ending)
	for range 3 {
		if _, err := New(1, ending); err != ErrMonotonicOverflow {
			t.Errorf("New = %v", err)
		}
	}
	for seed := range byte(20) {
		near := mustHex("000000000000ffffffffffff80000000") // 2³¹ before the end, with steps of up to 2³²
		m := Monotonic(io.MultiReader(bytes.NewReader(near.Entropy()), seeded(seed)), 0)
		overflows := 0
		for range 100 {
			switch _, err := New(1, m); {
			case err == ErrMonotonicOverflow:
				overflows++
			case err != nil || overflows > 0:
				t.Fatalf("seed %d: %v after %d overflows", seed, err, overflows)
			}
		}
		if overflows == 0 {
			t.Errorf("seed %d: no overflow", seed)
		}
		for range 2 {
			if _, err := New(2, m); err != nil {
				t.Errorf("seed %d: %v in the next millisecond", seed, err)
			}
		}
	}
}

func TestMonotonicRead(t *testing.T) {
	m := Monotonic(strings.NewReader("0123456789raw"), 1)
	for _, size := range []int{0, 9, 11, 16} {
		if err := m.MonotonicRead(1, make([]byte, size)); err != ErrBufferSize {
			t.Errorf("MonotonicRead of %d bytes = %v", size, err)
		}
	}
	p := make([]byte, 10)
	for _, want := range []string{"0123456789", "012345678:", "012345678;"} {
		// Any ms will do, also one that no ULID can hold.
		if err := m.MonotonicRead(math.MaxUint64, p); err != nil || string(p) != want {
			t.Errorf("MonotonicRead = %q, %v; want %q", p, err, want)
		}
	}
	if n, err := m.Read(p); string(p[:n]) != "raw" || err != nil {
		t.Errorf("Read = %q, %v", p[:n], err)
	}
	if _, err := m.Read(p); err != io.EOF {
		t.Errorf("Read at the end = %v", err)
	}
}

// A reader that a test has put in the place of crypto/rand.Reader may fail.
func TestReplacedSystemReader(t *testing.T) {
	failure := errors.New("no entropy")
	defer func(reader io.Reader) { rand.Reader = reader }(rand.Reader)
	rand.Reader = iotest.ErrReader(failure)
	if id, err := New(1, rand.Reader); err != failure || id != (ULID{}) {
		t.Errorf("New = %s, %v", id, err)
	}
	if id, err := (&Generator{Entropy: rand.Reader}).New(); err != failure || id != (ULID{}) {
		t.Errorf("Generator.New = %s, %v", id, err)
	}
}

// Monotonic without a reader, and its zero value, take the system's entropy.
func TestMonotonicOfSystem(t *testing.T) {
	for name, m := range map[string]*MonotonicEntropy{"zero": {}, "nil": Monotonic(nil, 0), "crypto/rand": Monotonic(rand.Reader, 0)} {
		last := MustNew(1, m)
		for range 1000 {
			id := MustNew(1, m)
			if id.Compare(last) <= 0 || id.Time() != 1 {
				t.Fatalf("%s: %s after %s", name, id, last)
			}
			last = id
		}
		if !m.random.seeded {
			t.Errorf("%s: the steps are not those of a ChaCha8", name)
		}
		p := make([]byte, 32)
		if n, err := m.Read(p); n != 32 || err != nil || bytes.Equal(p, make([]byte, 32)) {
			t.Errorf("%s: Read = %x, %v", name, p[:n], err)
		}
		if !m.mu.TryLock() {
			t.Errorf("%s: a lock was left behind", name)
		}
	}
}

// Across goroutines: through Make, Fill and MakeUUIDv7, and a shared Generator both ways.
func TestOrderAcrossGoroutines(t *testing.T) {
	n := 2_000_000
	if testing.Short() {
		n /= 10
	}
	if long {
		n = 100_000_000 // keeps 1.6 GB of IDs
	}
	shared := new(Generator)
	newest := make([]atomic.Pointer[ULID], 3)
	checkAcrossGoroutines(t, n, []source{
		{1, single(func() (ULID, error) { return Make(), nil }), &newest[0]},
		{10, func(ids []ULID) error { Fill(ids); return nil }, &newest[0]}, // one order with Make
		{1, single(shared.New), &newest[1]},
		{10, shared.Fill, &newest[1]},
		{1, single(func() (ULID, error) { return MakeUUIDv7(), nil }), &newest[2]},
	})
}

// A source makes IDs, a batch at a time. Sources with the same newest keep one order.
type source struct {
	batch  int
	fill   func([]ULID) error
	newest *atomic.Pointer[ULID]
}

func single(newID func() (ULID, error)) func([]ULID) error {
	return func(ids []ULID) (err error) {
		for i := range ids {
			if ids[i], err = newID(); err != nil {
				return err
			}
		}
		return nil
	}
}

// checkAcrossGoroutines has 8 goroutines make n IDs, from each source in turn. Each looks at
// the newest ID that any of them has published, makes some, and all must be greater. None may
// be made twice, also by different sources.
func checkAcrossGoroutines(t *testing.T, n int, sources []source) {
	t.Helper()
	const workers = 8
	for _, s := range sources {
		s.newest.CompareAndSwap(nil, new(ULID))
	}
	all := make([]ULID, n)
	var (
		disordered atomic.Int64
		group      sync.WaitGroup
	)
	for w := range workers {
		own := all[w*n/workers : (w+1)*n/workers]
		group.Go(func() {
			for turn := w; len(own) > 0; turn++ {
				s := sources[turn%len(sources)]
				ids := own[:min(s.batch, len(own))]
				own = own[len(ids):]
				floor := *s.newest.Load()
				if err := s.fill(ids); err != nil {
					t.Error(err)
					return
				}
				for _, id := range ids {
					if id.Compare(floor) <= 0 {
						disordered.Add(1)
					}
					floor = id
				}
				publish(s.newest, &ids[len(ids)-1])
			}
		})
	}
	group.Wait()
	slices.SortFunc(all, ULID.Compare)
	duplicates := n - len(slices.Compact(all))
	t.Logf("%d IDs of %d goroutines: %d duplicates, %d not greater than one before", n, workers, duplicates, disordered.Load())
	if duplicates > 0 || disordered.Load() > 0 {
		t.Error("want none")
	}
}

// publish makes id the newest, unless a newer one is.
func publish(newest *atomic.Pointer[ULID], id *ULID) {
	for {
		old := newest.Load()
		if old.Compare(*id) >= 0 || newest.CompareAndSwap(old, id) {
			return
		}
	}
}

// One Monotonic under several goroutines: no ID twice, and each goroutine's in order.
func TestMonotonicAcrossGoroutines(t *testing.T) {
	const workers, perWorker = 8, 10_000
	m := Monotonic(rand.Reader, 0)
	all := make([]ULID, workers*perWorker)
	var group sync.WaitGroup
	for w := range workers {
		own := all[w*perWorker : (w+1)*perWorker]
		group.Go(func() {
			for i := range own {
				own[i] = MustNew(knownMS, m)
				if i > 0 && own[i].Compare(own[i-1]) <= 0 {
					t.Errorf("%s after %s", own[i], own[i-1])
				}
			}
		})
	}
	group.Wait()
	slices.SortFunc(all, ULID.Compare)
	if distinct := len(slices.Compact(all)); distinct != workers*perWorker {
		t.Errorf("%d distinct IDs of %d", distinct, workers*perWorker)
	}
}

// unguarded is a MonotonicReader that bears one goroutine at a time.
type unguarded struct{ n uint64 }

func (u *unguarded) Read(p []byte) (int, error) {
	u.n++
	return len(p), nil
}

func (u *unguarded) MonotonicRead(_ uint64, p []byte) error {
	_, err := u.Read(p)
	return err
}

func TestLockedMonotonicReaderLocks(t *testing.T) {
	const workers, perWorker = 8, 20_000
	reader := new(unguarded)
	locked := &LockedMonotonicReader{MonotonicReader: reader}
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			p := make([]byte, 10)
			for range perWorker {
				locked.MonotonicRead(1, p)
				locked.Read(p)
			}
		})
	}
	group.Wait()
	if reader.n != 2*workers*perWorker {
		t.Errorf("%d calls of %d counted", reader.n, 2*workers*perWorker)
	}
}

// The system clock, in a bubble where it moves only when it is told to. It stands at the
// beginning of 2000 there, so the Generators from outside see it step back by years.
func TestSystemClock(t *testing.T) {
	outside := new(Generator)
	before := mustNext(t, outside)
	synctest.Test(t, func(t *testing.T) {
		fresh := new(Generator)
		last := mustNext(t, fresh)
		for range 1000 {
			for _, wait := range []time.Duration{0, 0, 300 * time.Microsecond, 699 * time.Microsecond, time.Millisecond, time.Second, time.Hour} {
				time.Sleep(wait)
				id := mustNext(t, fresh)
				if id.Compare(last) <= 0 || id.Time() != Now() {
					t.Fatalf("%s at %d, after %s; the clock shows %d", id, id.Time(), last, Now())
				}
				last = id
			}
		}
		for range 1000 {
			id := mustNext(t, outside)
			if id.Compare(before) <= 0 || id.Time() != before.Time() {
				t.Fatalf("%s in the bubble, after %s outside", id, before)
			}
			before = id
			time.Sleep(700 * time.Microsecond)
		}
	})
	// The bubble has left nothing behind: the true time is read at once.
	time.Sleep(2 * time.Millisecond)
	now := Now()
	if id := mustNext(t, outside); id.Compare(before) <= 0 || id.Time() < now {
		t.Errorf("%s at %d after the bubble; the clock shows %d", id, id.Time(), now)
	}
}

// The clock is read again when its millisecond is over, and not before.
func TestClockWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := new(Generator)
		time.Sleep(250 * time.Microsecond)
		mustNext(t, g)
		if g.window != 750*time.Microsecond {
			t.Errorf("the window is %v", g.window)
		}
		opened := g.opened
		time.Sleep(749_999 * time.Nanosecond)
		if mustNext(t, g); g.opened != opened {
			t.Error("the clock was read within the window")
		}
		// On the stroke of a millisecond, where a clock of whole milliseconds always is.
		time.Sleep(time.Nanosecond)
		if mustNext(t, g); g.opened == opened || g.window != 0 {
			t.Errorf("the clock was not read after the window; it is %v", g.window)
		}
		time.Sleep(time.Microsecond)
		if mustNext(t, g); g.window != 999*time.Microsecond {
			t.Errorf("the window is %v", g.window)
		}
	})
	// However long ago it was read: its millisecond does not come back, whatever bits of a
	// Duration were lost.
	for shift := 20; shift < 63; shift++ {
		synctest.Test(t, func(t *testing.T) {
			g := new(Generator)
			time.Sleep(250 * time.Microsecond)
			mustNext(t, g)
			time.Sleep(1 << shift)
			if id := mustNext(t, g); id.Time() != Now() {
				t.Errorf("%v later: %s at %d; the clock shows %d", time.Duration(1<<shift), id, id.Time(), Now())
			}
		})
	}
	// A clock or entropy of the caller's is never left out.
	for _, g := range []*Generator{{Clock: time.Now}, {Entropy: constant(1)}} {
		if mustNext(t, g); g.window != 0 {
			t.Errorf("the window is %v", g.window)
		}
	}
}

// A machine has a wall clock and a monotonic clock that can be set apart. The monotonic one is
// that of a testing/synctest bubble, and moves when the machine sleeps; the wall clock stands
// in for time.Now.
type machine struct {
	wallUnit, monoUnit time.Duration // what the clocks count in
	awake, asleep      time.Duration // since it was switched on
	offset             time.Duration // of the wall clock: steps, and what slewing has added
	slew               float64       // by how much the wall clock runs fast

	read   bool          // the wall clock has been read
	readAt time.Duration // by the monotonic clock, when the wall clock was last read
	latest int64         // the greatest millisecond that was read
}

// now is what the wall clock shows.
func (m *machine) now() time.Time {
	return time.UnixMilli(knownMS).Add((m.awake + m.asleep).Truncate(m.wallUnit) + m.offset)
}

func (m *machine) monotonic() time.Duration { return m.awake.Truncate(m.monoUnit) }

func (m *machine) wall() time.Time {
	now := m.now()
	m.read, m.readAt, m.latest = true, m.monotonic(), max(m.latest, now.UnixMilli())
	return now
}

func (m *machine) pass(d time.Duration) {
	before := m.monotonic()
	m.awake += d
	m.offset += time.Duration(m.slew * float64(d))
	time.Sleep(m.monotonic() - before)
}

// On the path that Make takes, with clocks of every resolution there is, stepped, slewed and
// suspended at random: the order always holds; the timestamp is the greatest millisecond
// that the wall clock has shown to Make; and Make reads it again before the monotonic clock
// has gone on by a millisecond. Where the wall clock was not disturbed since, nor stands behind
// the last ID, the timestamp is off by a millisecond at the most, and by what the clocks count in.
func TestClockFaults(t *testing.T) {
	keep(t, &defaultGenerator)
	keep(t, &uuidv7Generator)
	const ns, µs, ms = time.Nanosecond, time.Microsecond, time.Millisecond
	for _, tt := range []struct {
		wallUnit, monoUnit time.Duration
		maxError           int64 // in ms
	}{
		{ns, ns, 1},
		{µs, ns, 1},             // macOS
		{500 * µs, 500 * µs, 1}, // Windows, with a fast timer
		{ms, 5 * µs, 1},         // JavaScript
		// A clock of 15.6 ms is so far off itself. Windows, with an ordinary timer:
		{15_625 * µs, 15_625 * µs, 17},
		{15_625 * µs, 100 * ns, 17},
		{ns, 15_625 * µs, 17},
	} {
		t.Run(fmt.Sprintf("wall clock of %v, monotonic clock of %v", tt.wallUnit, tt.monoUnit), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				random := mathrand.New(seeded(11))
				made, unread, undisturbed, greatest := 0, 0, 0, int64(0)
				for round := range 200 {
					m := &machine{wallUnit: tt.wallUnit, monoUnit: tt.monoUnit}
					m.pass(time.Duration(random.Int64N(int64(time.Hour))))
					newID := Make
					if defaultGenerator = (Generator{wall: m.wall}); round%2 == 1 {
						newID = MakeUUIDv7
						uuidv7Generator = Generator{wall: m.wall, UUIDv7: true}
					}
					// A round of small faults leaves the wall clock near the last ID.
					faults := int64(1) << random.IntN(54) // ns: up to half a year
					last, disturbed := ULID{}, false
					for range 500 {
						switch random.IntN(100) {
						case 0:
							m.offset += time.Duration(random.NormFloat64() * float64(faults))
							disturbed = true
						case 1:
							m.asleep += time.Duration(random.Int64N(faults))
							disturbed = true
						case 2:
							m.slew = 0.1 * (2*random.Float64() - 1) // chrony's limit, 200 times that of NTP
						case 3, 4, 5:
							m.pass(time.Duration(random.Int64N(int64(20 * ms))))
						case 6, 7, 8:
							// To just before and just after the stroke of a millisecond.
							m.pass(max(0, ms-time.Duration(m.now().Nanosecond())%ms+time.Duration(random.IntN(5)-2)))
						default:
							m.pass(time.Duration(random.Int64N(int64(20 * µs))))
						}
						m.read = false
						id := newID()
						made++
						if m.read {
							disturbed = false
						} else {
							unread++
						}
						if id.Compare(last) <= 0 {
							t.Fatalf("round %d: %s after %s", round, id, last)
						}
						if id.Time() != uint64(max(m.latest, 0)) {
							t.Fatalf("round %d: %s at %d, but the wall clock has shown %d", round, id, id.Time(), m.latest)
						}
						if since := m.monotonic() - m.readAt; since >= ms {
							t.Fatalf("round %d: the wall clock was last read %v ago", round, since)
						}
						if now := m.now().UnixMilli(); !disturbed && now >= m.latest {
							undisturbed++
							greatest = max(greatest, now-m.latest)
						}
						last = id
					}
				}
				t.Logf("%d IDs, %d without reading the wall clock; of %d after which it was undisturbed the timestamp is off by %d ms at the most",
					made, unread, undisturbed, greatest)
				if greatest > tt.maxError || unread < made/4 || undisturbed < made/4 {
					t.Errorf("want an error of %d ms at the most, and a quarter of the others at least", tt.maxError)
				}
			})
		})
	}
}

// The wall clock jumps at every reading, and several goroutines read it.
func TestClockFaultsAcrossGoroutines(t *testing.T) {
	keep(t, &defaultGenerator)
	var readings atomic.Int64
	defaultGenerator = Generator{wall: func() time.Time {
		readings.Add(1)
		at := time.Now().Truncate(time.Millisecond).Add(time.Duration(mathrand.NormFloat64() * float64(time.Hour)))
		return at.Add(time.Millisecond - 5*time.Microsecond) // to be read again soon
	}}
	newest := new(atomic.Pointer[ULID])
	checkAcrossGoroutines(t, 200_000, []source{
		{1, single(func() (ULID, error) { return Make(), nil }), newest},
		{10, func(ids []ULID) error { Fill(ids); return nil }, newest},
	})
	if readings.Load() < 10_000 {
		t.Errorf("the clock was read %d times", readings.Load())
	}
}

// What must not allocate, and what may once.
func TestAllocs(t *testing.T) {
	var (
		g         Generator
		m         = Monotonic(rand.Reader, 0)
		ofReader  = Monotonic(seeded(1), 0)
		id        ULID
		ids       = make([]ULID, 100)
		text      = []byte(knownText)
		buf       = make([]byte, 0, 64)
		err       error
		s         string
		bad, over = knownText[1:], "8" + knownText[1:]
	)
	// Nothing, but under the race detector.
	system := testing.AllocsPerRun(100, func() {
		var p [10]byte
		rand.Read(p[:])
	})
	for _, tt := range []struct {
		name string
		want float64
		f    func()
	}{
		{"Make", 0, func() { id = Make() }},
		{"MakeUUIDv7", 0, func() { id = MakeUUIDv7() }},
		{"Fill", 0, func() { Fill(ids) }},
		{"Generator.New", 0, func() { id, err = g.New() }},
		{"Generator.Fill", 0, func() { err = g.Fill(ids) }},
		{"New, nil", 0, func() { id, err = New(1, nil) }},
		{"New, crypto/rand", system, func() { id, err = New(1, rand.Reader) }},
		{"New, Monotonic", 0, func() { id, err = New(1, m) }},
		{"New, Monotonic of a reader", 0, func() { id, err = New(1, ofReader) }},
		{"Parse", 0, func() { id, err = Parse(knownText) }},
		{"Parse, length", 0, func() { id, err = Parse(bad) }},
		{"Parse, overflow", 0, func() { id, err = Parse(over) }},
		{"ParseLenient", 0, func() { id, err = ParseLenient(knownText) }},
		{"ParseUUID", 0, func() { id, err = ParseUUID(knownUUID) }},
		{"UnmarshalText", 0, func() { err = id.UnmarshalText(text) }},
		{"AppendText", 0, func() { buf, err = id.AppendText(buf[:0]) }},
		{"AppendBinary", 0, func() { buf, err = id.AppendBinary(buf[:0]) }},
		{"Compare", 0, func() { sinkInt = id.Compare(known) }},
		{"String", 1, func() { s = id.String() }},
		{"MarshalText", 1, func() { text, err = id.MarshalText() }},
		{"UUIDString", 1, func() { s = id.UUIDString() }},
	} {
		if got := testing.AllocsPerRun(100, tt.f); got != tt.want {
			t.Errorf("%s allocates %g times, want %g", tt.name, got, tt.want)
		}
	}
	sinkID, sinkError, sinkString = id, err, s
}

// What comments and the speed rely on is inlined.
func TestInlining(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil || slices.Contains([]string{"js", "wasip1"}, runtime.GOOS) {
		t.Skipf("needs to run the go command: run this test on a system where it can be (%v)", err)
	}
	build := exec.Command(goTool, "build", "-gcflags=-m", ".")
	build.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOOS=linux", "GOARCH=amd64")
	out, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	can := map[string]bool{}
	for _, match := range regexp.MustCompile(` can inline (\S+)`).FindAllSubmatch(out, -1) {
		can[string(match[1])] = true
	}
	for _, name := range []string{
		"Make", "MakeUUIDv7", "Fill", "(*Generator).New", "MustNew",
		"Parse", "ULID.String", "ULID.AppendText", "(*ULID).UnmarshalText", "ParseUUID",
		"ULID.Time", "ULID.Timestamp", "ULID.IsZero", "ULID.IsUUIDv7", "ULID.Next", "ULID.Prev",
		// Within the library.
		"(*Generator).increment", "(*uint128).add", "(*uint128).carryUUIDv7", "uint128.put", "(*ULID).uint128",
		"encodePair", "hexDigits", "isSystem", "scale",
	} {
		if !can[name] {
			t.Errorf("%s is not inlined any more", name)
		}
	}
}

// Fuzz targets: each against its oracle.

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", knownText, strings.ToLower(knownText), largestID, "80000000000000000000000000", knownText[:25] + "U", knownText + "\x00", strings.Repeat("é", 13)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, wantErr := oracleParse(s)
		checkParse(t, s, want, wantErr)
		if wantErr == nil && want.String() != strings.ToUpper(s) {
			t.Errorf("%s came back as %s", s, want)
		}
		if wantErr == nil != textPattern.MatchString(s) {
			t.Errorf("%q: %v, but the pattern says otherwise", s, wantErr)
		}
	})
}

func FuzzParseLenient(f *testing.F) {
	for _, s := range []string{"", knownText, "oLARYZ6-S41TSV4RRF-FQ69G5FAV", "--" + largestID + "--", "iIlLoO" + knownText[6:], "U-" + knownText[1:]} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkLenient(t, s) })
}

func FuzzParseUUID(f *testing.F) {
	for _, s := range []string{"", knownUUID, strings.ToUpper(knownUUID), knownText, "{" + knownUUID + "}", strings.Repeat("-", 36)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkUUID(t, s)
		if id, err := ParseUUID(s); err == nil && id.UUIDString() != strings.ToLower(s) {
			t.Errorf("%s came back as %s", s, id.UUIDString())
		}
	})
}

func FuzzScan(f *testing.F) {
	for kind := range byte(7) {
		for _, s := range []string{"", knownText, knownUUID, string(known[:]), "8" + knownText[1:]} {
			f.Add(kind, s)
		}
	}
	f.Fuzz(func(t *testing.T, kind byte, s string) {
		want, wantErr := ULID{}, error(nil)
		readText := func() {
			switch len(s) {
			case 36:
				var ok bool
				if want, ok = oracleUUID(s); !ok {
					wantErr = ErrInvalidCharacters
				}
			default:
				want, wantErr = oracleParse(s)
			}
		}
		var src any
		switch kind {
		case 0: // NULL
		case 1:
			src = s
			readText()
		case 2:
			src = []byte(s)
			if len(s) == 16 {
				want = ULID([]byte(s))
			} else {
				readText()
			}
		case 3:
			src, wantErr = int64(len(s)), ErrScanValue
		case 4:
			src, wantErr = float64(len(s)), ErrScanValue
		case 5:
			src, wantErr = s == "", ErrScanValue
		default:
			src, wantErr = struct{ s string }{s}, ErrScanValue
		}
		if wantErr != nil {
			want = known // unchanged
		}
		id := known
		if err := id.Scan(src); !errors.Is(err, wantErr) || id != want {
			t.Errorf("Scan(%T %q) = %v, and the ULID is %s; want %v, %s", src, s, err, id, wantErr, want)
		}
	})
}

func FuzzBinary(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(known.Bytes())
	f.Add(bytes.Repeat([]byte{0xff}, 17))
	f.Fuzz(func(t *testing.T, data []byte) {
		id := known
		err := id.UnmarshalBinary(data)
		if len(data) != 16 {
			if err != ErrDataSize || id != known {
				t.Errorf("UnmarshalBinary of %d bytes = %v, and the ULID is %s", len(data), err, id)
			}
			return
		}
		if back, _ := id.MarshalBinary(); err != nil || !bytes.Equal(back, data) {
			t.Errorf("%x came back as %x, %v", data, back, err)
		}
		if back, err := Parse(id.String()); back != id || err != nil {
			t.Errorf("%x came back from text as %s, %v", data, back, err)
		}
		if back, err := ParseUUID(id.UUIDString()); back != id || err != nil {
			t.Errorf("%x came back from UUID notation as %s, %v", data, back, err)
		}
	})
}

// A slowGenerator is a Generator with a reader once more, slow and obvious: a time and a
// number of 80 random bits, or 74.
type slowGenerator struct {
	uuidv7  bool
	limit   *big.Int // the greatest step
	entropy io.Reader
	started bool
	ms      int64
	number  *big.Int
}

func newSlowGenerator(uuidv7 bool, maxStep uint32, after ULID, entropy io.Reader) *slowGenerator {
	s := &slowGenerator{uuidv7: uuidv7, entropy: entropy, limit: new(big.Int).SetUint64(cmp.Or(uint64(maxStep), 1<<32))}
	if after.IsZero() {
		return s
	}
	s.started, s.ms = true, int64(after.Time())
	switch {
	case !uuidv7:
		s.number = new(big.Int).SetBytes(after.Entropy())
	case isUUIDv7(after):
		s.number = random74(after)
	default:
		s.number = new(big.Int).Sub(s.numbers(), big.NewInt(1)) // the greatest
	}
	return s
}

// numbers returns how many random numbers there are.
func (s *slowGenerator) numbers() *big.Int {
	if s.uuidv7 {
		return new(big.Int).Lsh(big.NewInt(1), 74)
	}
	return new(big.Int).Lsh(big.NewInt(1), 80)
}

func (s *slowGenerator) next(ms int64) (id ULID, err error) {
	ms = max(ms, 0)
	if ms > maxTime {
		return id, ErrBigTime
	}
	number := new(big.Int)
	if s.started && ms <= s.ms {
		step := big.NewInt(1)
		if s.limit.Cmp(step) != 0 {
			var p [16]byte
			if _, err := io.ReadFull(s.entropy, p[:]); err != nil {
				return id, err
			}
			scaled := new(big.Int).SetBytes(p[:])
			step.Add(step, scaled.Mul(scaled, s.limit).Rsh(scaled, 128))
		}
		if number.Add(s.number, step); number.Cmp(s.numbers()) < 0 {
			ms = s.ms
		} else if ms = s.ms + 1; ms > maxTime {
			return id, ErrBigTime
		}
	}
	if !s.started || ms > s.ms {
		var p [10]byte
		if _, err := io.ReadFull(s.entropy, p[:]); err != nil {
			return id, err
		}
		if number.SetBytes(p[:]); s.uuidv7 {
			id := ULID(append(make([]byte, 6), p[:]...))
			number = random74(id)
		}
	}
	s.started, s.ms, s.number = true, ms, number
	if err := id.SetTime(uint64(ms)); err != nil {
		panic(err)
	}
	var p [10]byte
	if s.uuidv7 {
		a, b := new(big.Int).Rsh(number, 62), new(big.Int).And(number, big.NewInt(1<<62-1))
		number = a.Lsh(a.Or(a, big.NewInt(0x7000)), 64).Or(a, b.Or(b, new(big.Int).SetUint64(1<<63)))
	}
	copy(id[6:], number.FillBytes(p[:]))
	return id, nil
}

// FuzzGenerator has a Generator and its slow twin follow a script: how far the clock moves,
// and how many IDs are made then, by New or by Fill.
func FuzzGenerator(f *testing.F) {
	f.Add(false, uint64(0), uint64(knownMS), []byte(nil), []byte{0, 1, 2, 3, 0x84, 0xff}, []byte("0123456789abcdefghijklmnopqrstuvwxyz"), byte(1))
	f.Add(true, uint64(1), uint64(0), known.Bytes(), []byte{9, 8, 7, 0xf0, 0x11}, []byte(nil), byte(0xff))
	f.Add(true, uint64(math.MaxUint64), uint64(maxTime-1), bytes.Repeat([]byte{0xff}, 15), []byte{1, 1, 1, 1}, bytes.Repeat([]byte{0xff}, 300), byte(0))
	moves := [16]time.Duration{0, 1, 999_999, 1e6, 1_000_001, 2e6, 1e9, 3600e9, -1, -999_999, -1e6, -2e6, -1e9, -3600e9, math.MaxInt64, math.MinInt64}
	f.Fuzz(func(t *testing.T, uuidv7 bool, maxStep, ms uint64, after, script, entropy []byte, rest byte) {
		// After the entropy comes an error, or the same byte for ever.
		reader := func() io.Reader {
			if rest == 0 {
				return bytes.NewReader(entropy)
			}
			return io.MultiReader(bytes.NewReader(entropy), constant(rest))
		}
		g := &Generator{UUIDv7: uuidv7, MaxStep: uint32(maxStep), Entropy: reader()}
		copy(g.After[:], after)
		slow := newSlowGenerator(uuidv7, g.MaxStep, g.After, reader())
		clock := &fakeClock{time.UnixMilli(int64(ms & (1<<49 - 1)))}
		g.Clock = clock.now
		last := g.After
		for i, b := range script[:min(len(script), 200)] {
			clock.t = clock.t.Add(moves[b>>4])
			if n := int(b & 15); n > 0 {
				ids, want := make([]ULID, n), make([]ULID, n)
				err, wantErr := g.Fill(ids), error(nil)
				for i := range want {
					if want[i], wantErr = slow.next(clock.t.UnixMilli()); wantErr != nil {
						clear(want)
						break
					}
				}
				if err != wantErr || !slices.Equal(ids, want) {
					t.Fatalf("%d: Fill = %s, %v; want %s, %v", i, ids, err, want, wantErr)
				}
				if err == nil {
					last = ids[n-1]
				}
				continue
			}
			id, err := g.New()
			want, wantErr := slow.next(clock.t.UnixMilli())
			if id != want || err != wantErr {
				t.Fatalf("%d: New = %s, %v; want %s, %v", i, id, err, want, wantErr)
			}
			if err == nil && id.Compare(last) <= 0 {
				t.Fatalf("%d: %s after %s", i, id, last)
			}
			if err == nil {
				last = id
			}
		}
	})
}
