package ulid

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// Each error is itself alone, but ErrOverflow is an ErrSyntax too.
func TestErrors(t *testing.T) {
	all := []error{
		ErrSyntax, ErrOverflow, ErrTimeRange, ErrAhead, ErrMonotonicOverflow,
	}
	for i, err := range all {
		for j, other := range all {
			if got, want := errors.Is(err, other), i == j || err == ErrOverflow && other == ErrSyntax; got != want {
				t.Errorf("errors.Is(%v, %v) = %t, want %t", err, other, got, want)
			}
		}
	}
}

// What users pass by mistake, and what they are told. No message has more of the input than one character.
func TestMessages(t *testing.T) {
	for _, tt := range []struct {
		err  error
		is   error
		want string
	}{
		{errorOf(Parse("")), ErrSyntax, "length 0, want 26"},
		{errorOf(Parse(knownText[1:])), ErrSyntax, "length 25, want 26"},
		{errorOf(Parse(knownText + "\n")), ErrSyntax, "length 27, want 26"},
		{errorOf(Parse(knownText[:25] + "é")), ErrSyntax, "length 27, want 26"},
		{errorOf(Parse("é" + strings.Repeat("0", 1<<20))), ErrSyntax, "length 1048578, want 26"},
		{errorOf(Parse(knownUUID)), ErrSyntax, "length 36, want 26; ParseUUID reads the UUID format"},
		{errorOf(Parse("O" + knownText[1:])), ErrSyntax, "invalid character 'O' at offset 0"},
		{errorOf(Parse("8" + knownText[1:])), ErrOverflow, "greater than 7ZZZZZZZZZZZZZZZZZZZZZZZZZ, the largest ULID"},
		{new(ULID).UnmarshalText([]byte(knownUUID)), ErrSyntax,
			"length 36, want 26; ParseUUID reads the UUID format"},
		{errorOf(ParseLenient("01-23")), ErrSyntax, "length 4, want 26 without hyphens"},
		{errorOf(ParseUUID(knownText)), ErrSyntax, "length 26, want 36; Parse reads the 26 of a ULID"},
		{errorOf(ParseUUID("{" + knownUUID + "}")), ErrSyntax, "length 38, want 36"},
		{errorOf(ParseUUID(knownUUID[:35] + "g")), ErrSyntax, "invalid character 'g' at offset 35"},
		{errorOf(ParseLenient(strings.Repeat("0", 36))), ErrSyntax, "length 36, want 26 without hyphens"},
		{new(ULID).UnmarshalBinary([]byte(knownText)), ErrSyntax, "length 26, want 16"},
		{new(ULID).UnmarshalBinary([]byte(knownUUID)), ErrSyntax, "length 36, want 16"},
		{errorOf(MakeAt(time.Time{})), ErrTimeRange, "time is not from 1970 to 10889-08-02"},
	} {
		if got := fmt.Sprint(tt.err); got != "ulid: "+tt.want {
			t.Errorf("got  %s\nwant ulid: %s", got, tt.want)
		}
		if !errors.Is(tt.err, tt.is) {
			t.Errorf("%v does not match %v", tt.err, tt.is)
		}
	}
}

func errorOf[T any](_ T, err error) error { return err }

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
		if !errors.Is(err, ErrSyntax) || errors.Is(err, ErrOverflow) {
			t.Errorf("%v must match ErrSyntax, and not ErrOverflow", err)
		}
	}
}

// Every bit of an ID from MakeAt is that of the time, or of 8 bytes of crypto/rand. In one from New, 10 bytes of the
// reader, or of crypto/rand, follow the millisecond. Neither changes the Generator of Make.
func TestEveryBitAt(t *testing.T) {
	system := record(t)
	g := &defaultGenerator
	last := g.last.Load()
	end := time.UnixMilli(maxTime)
	for _, at := range []time.Time{
		time.Unix(0, 0), time.UnixMilli(knownMS), time.Now(), end, end.Add(999_999),
	} {
		for _, part := range []time.Duration{0, 1, 15, 16, 244, 245, 500_000, 999_984, 999_985, 999_999} {
			at := at.Truncate(time.Millisecond).Add(part).In(time.FixedZone("", 3600))
			for range 20 {
				id, err := MakeAt(at)
				if err != nil {
					t.Fatal(err)
				}
				random := binary.BigEndian.Uint64(system.mustHaveRead(t, 8))
				checkID(t, id, referenceLayout(referenceTick(at)/16*16+random%16, random))
			}
			for _, reader := range []io.Reader{nil, rand.Reader} {
				id := mustNew(t, at, reader)
				checkID(t, id, mustHex(fmt.Sprintf("%012x%x", at.UnixMilli(), system.mustHaveRead(t, 10))))
			}
			system.mustEnd(t)
		}
	}
	if g.last.Load() != last {
		t.Error("MakeAt or New has changed the Generator of Make")
	}
}

func TestNew(t *testing.T) {
	type uncomparable struct {
		constant
		_ []byte
	}
	for _, tt := range []struct {
		name    string
		ms      int64
		entropy io.Reader
		want    string // in hexadecimal, time and entropy
	}{
		{"reader", knownMS, strings.NewReader("0123456789"), "01563df36481" + "30313233343536373839"},
		{"largest time", 1<<48 - 1, constant(0), "ffffffffffff" + "00000000000000000000"},
		{"one byte at a time", 1, iotest.OneByteReader(constant(1)), "000000000001" + "01010101010101010101"},
		{"data with EOF", 1, iotest.DataErrReader(strings.NewReader("0123456789")), "000000000001" + "30313233343536373839"},
		{"not comparable", 1, uncomparable{constant: 7}, "000000000001" + "07070707070707070707"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			at := time.UnixMilli(tt.ms).Add(999_999)
			if id, err := New(at, tt.entropy); id != mustHex(tt.want) || err != nil {
				t.Errorf("New = %x, %v; want %s, nil", id[:], err, tt.want)
			}
		})
	}
}

func TestNewFails(t *testing.T) {
	failure := errors.New("no entropy")
	failing := iotest.ErrReader(failure)
	ends := readerFunc(func(p []byte) (int, error) { return copy(p, "012"), io.EOF })
	late, at := time.UnixMilli(1<<48), time.UnixMilli(knownMS)
	unread := readerFunc(func([]byte) (int, error) {
		t.Error("the entropy is read, although the time is too large")
		return 0, errFaulty
	})
	for _, tt := range []struct {
		name    string
		t       time.Time
		entropy io.Reader
		want    error
	}{
		{"time too late", late, nil, ErrTimeRange}, // 49 bits
		{"time before 1970", time.Unix(0, -1), nil, ErrTimeRange},
		{"time too late for a reader", late, unread, ErrTimeRange},
		{"failing", at, failing, failure}, // the reader's own error
		{"nothing", at, strings.NewReader(""), io.EOF},
		{"3 bytes", at, ends, io.ErrUnexpectedEOF},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if id, err := New(tt.t, tt.entropy); !id.IsZero() || err != tt.want {
				t.Errorf("New = %s, %v; want zero, %v", id, err, tt.want)
			}
			if id, err := MakeAt(tt.t); tt.want == ErrTimeRange && (!id.IsZero() || err != tt.want) {
				t.Errorf("MakeAt = %s, %v; want zero, %v", id, err, tt.want)
			}
			if id, err := NewMonotonic(tt.entropy, 1).New(tt.t); !id.IsZero() || err != tt.want {
				t.Errorf("New of a Monotonic = %s, %v; want zero, %v", id, err, tt.want)
			}
		})
	}
}

// The process ends if the reader in the place of crypto/rand.Reader fails.
func TestSystemReaderFails(t *testing.T) {
	fails := map[string]func(){
		"MakeAt":    func() { MakeAt(time.Now()) },
		"New":       func() { New(time.Now(), nil) },
		"Monotonic": func() { new(Monotonic).New(time.Now()) },
		"Make":      func() { Make() },
		"Fill":      func() { Fill(make([]ULID, 2)) },
	}
	if f := fails[os.Getenv("ULID_TEST_FAIL")]; f != nil {
		rand.Reader = iotest.ErrReader(errFaulty)
		f()
		t.Fatal("it went on without entropy")
	}
	executable, err := os.Executable()
	if err == nil {
		err = exec.Command(executable, "-test.list", "^$").Run()
	}
	if err != nil {
		t.Skip("the test cannot start itself, as in WebAssembly, so run it on a system of its own: ", err)
	}
	for name := range fails {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(executable, "-test.run", "^TestSystemReaderFails$")
			cmd.Env = append(os.Environ(), "ULID_TEST_FAIL="+name)
			out, err := cmd.CombinedOutput()
			want := "fatal error: crypto/rand: failed to read random data"
			if err == nil || !bytes.Contains(out, []byte(want)) {
				t.Errorf("got %v, want %q in\n%s", err, want, out)
			}
		})
	}
}

// Time, FirstAt and LastAt, within the range of a ULID and outside.
func TestTime(t *testing.T) {
	in2016, end := time.UnixMilli(knownMS), time.UnixMilli(1<<48-1)
	smallest := ULID{}.String()
	for _, tt := range []struct {
		name        string
		t           time.Time
		first, last string
	}{
		{"2016", in2016, "01ARYZ6S410000000000000000", "01ARYZ6S41ZZZZZZZZZZZZZZZZ"},
		{"the last ns", in2016.Add(999_999), "01ARYZ6S410000000000000000", "01ARYZ6S41ZZZZZZZZZZZZZZZZ"},
		{"1970", time.Unix(0, 0), smallest, "0000000000ZZZZZZZZZZZZZZZZ"},
		{"the end", end, "7ZZZZZZZZZ0000000000000000", largestID},
		{"its last ns", end.Add(999_999), "7ZZZZZZZZZ0000000000000000", largestID},

		{"before 1970", time.Unix(0, -1), smallest, smallest}, // a negative second
		{"the zero time", time.Time{}, smallest, smallest},    // the year 1
		{"long before", time.Unix(math.MinInt64/2, 0), smallest, smallest},

		{"after the end", end.Add(time.Millisecond), largestID, largestID}, // 49 bits
		{"2⁶⁴ ms", time.Unix(math.MaxUint64/1000, 616e6), largestID, largestID},
		{"long after", time.Unix(math.MaxInt64/2, 0), largestID, largestID},
	} {
		t.Run(tt.name, func(t *testing.T) {
			elsewhere := tt.t.In(time.FixedZone("", -3600))
			first, last := FirstAt(elsewhere), LastAt(elsewhere)
			if first.String() != tt.first || last.String() != tt.last {
				t.Errorf("from %s to %s, want from %s to %s", first, last, tt.first, tt.last)
			}
			id, err := New(tt.t, constant(0))
			isOut := tt.first == tt.last
			if isOut != (err == ErrTimeRange) || !isOut && id != first {
				t.Errorf("New = %s, %v; want an error: %t, otherwise %s", id, err, isOut, first)
			}
			if _, err := MakeAt(tt.t); isOut != (err == ErrTimeRange) {
				t.Errorf("MakeAt = %v, want an error: %t", err, isOut)
			}
			at := tt.t.Truncate(time.Millisecond)
			for _, id := range []ULID{first, last} {
				if got := id.Time(); err == nil && (!got.Equal(at) || got.Location() != time.Local) {
					t.Errorf("%s.Time() = %v, want %v in local time", id, got, at)
				}
			}
		})
	}
}

// Bytes, text, UUID notation and Compare have one order.
func TestOrder(t *testing.T) {
	ids := samples()
	slices.SortFunc(ids, ULID.Compare)
	ids = slices.Compact(ids)
	for i, id := range ids {
		if got, want := id.IsZero(), i == 0; got != want {
			t.Fatalf("%s.IsZero() = %t, want %t", id, got, want)
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
			t.Fatalf("%s.Next() = %s, %t; want %s, %t", id, next, ok, want, wantOK)
		}
	}
}

// Only what returns a string or a slice allocates, and only once. Huge input is not copied.
func TestAllocs(t *testing.T) {
	var (
		g         Generator
		own       = Generator{Source: seeded(1)}
		at        = time.UnixMilli(1)
		m         = new(Monotonic)
		ofReader  = NewMonotonic(seeded(1), 0)
		id        = known
		ids       = make([]ULID, 100)
		text      = []byte(knownText)
		buf       = make([]byte, 0, 64)
		huge      = strings.Repeat("-", 1<<17)
		value     = any(knownText)
		hugeValue = any(huge)
	)
	system := cryptoRandAllocs() // 0, but more under the race detector
	for _, tt := range []struct {
		name string
		want float64
		f    func()
	}{
		{"Make", system, func() { sinkID = Make() }},
		{"Fill", system, func() { Fill(ids) }},
		{"Generator.Make", system, func() { sinkID = g.Make() }},
		{"FillFrom", system, func() { FillFrom(&g, ids) }},
		{"Generator.Make, Source", system, func() { sinkID = own.Make() }},
		{"FillFrom, Source", system, func() { FillFrom(&own, ids) }},
		{"MakeAt", system, func() { sinkID, sinkError = MakeAt(at) }},
		{"New, nil", 1, func() { sinkID, sinkError = New(at, nil) }},
		{"New, crypto/rand", 1, func() { sinkID, sinkError = New(at, rand.Reader) }},
		{"New, Monotonic", 0, func() { sinkID, sinkError = m.New(at) }},
		{"New, Monotonic of a reader", 0, func() { sinkID, sinkError = ofReader.New(at) }},
		{"Parse", 0, func() { sinkID, sinkError = Parse(knownText) }},
		{"Parse, overflow", 0, func() { sinkID, sinkError = Parse("8" + knownText[1:]) }},
		{"ParseLenient", 0, func() { sinkID, sinkError = ParseLenient(knownText) }},
		{"ParseUUID", 0, func() { _, sinkError = ParseUUID(knownUUID) }},
		{"Parse, length", 1, func() { sinkID, sinkError = Parse(huge) }},
		{"ParseLenient, length", 1, func() { sinkID, sinkError = ParseLenient(huge) }},
		{"ParseUUID, length", 1, func() { _, sinkError = ParseUUID(huge) }},
		{"Scan, length", 3, func() { sinkError = id.Scan(hugeValue) }},
		{"UnmarshalText", 0, func() { sinkError = id.UnmarshalText(text) }},
		{"AppendText", 0, func() { buf, sinkError = id.AppendText(buf[:0]) }},
		{"AppendBinary", 0, func() { buf, sinkError = id.AppendBinary(buf[:0]) }},
		{"Scan, text", 0, func() { sinkError = id.Scan(value) }},
		{"Compare", 0, func() { sinkInt = id.Compare(known) }},
		{"String", 1, func() { sinkString = id.String() }},
		{"MarshalText", 1, func() { text, sinkError = id.MarshalText() }},
		{"UUIDString", 1, func() { sinkString = id.UUIDString() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := 0.0
			if err := panicOf(func() { got = testing.AllocsPerRun(100, tt.f) }); err != nil {
				t.Fatalf("panics with %v", err)
			}
			if got != tt.want {
				t.Errorf("allocates %g times, want %g", got, tt.want)
			}
		})
	}
}

// cryptoRandAllocs returns what crypto/rand allocates: something under the race detector.
func cryptoRandAllocs() float64 {
	return testing.AllocsPerRun(100, func() {
		var p [10]byte
		rand.Read(p[:])
	})
}
