package ulid

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"reflect"
	"strconv"
	"testing"
	"time"
)

// vectorFile is testdata/vectors.json, as testdata/README.md describes it. The tests in
// lab/vectors compare every field with an oracle.
type vectorFile struct {
	About       string
	Format      int
	Counts      map[string]int
	Valid       []vector
	Invalid     []vector
	Lenient     []vector
	Times       []vector
	Clamped     []vector
	Order       []vector
	Monotonic   []monotonicRun
	UUID        []vector
	InvalidUUID []vector `json:"invalid_uuid"`
}

// A vector is a case of any section but monotonic. Every section has some of the fields.
type vector struct {
	Name, Why, Source string

	Text, Canonical, Hex, UUID, Entropy string

	Bytes    string // in the place of Text, if the input is not Unicode
	MS       int64
	Decimal  string // in the place of MS, if that is past 2⁵³
	First    string
	Last     string
	A, B     string
	Compare  int
	Version7 bool

	Reason string // why the input is refused, or empty
	Offset int    // of the wrong character

	// How an implementation that counts characters refuses the input. This package counts bytes.
	ByCharacters any `json:"by_characters"`
}

type monotonicRun struct {
	Name, Why, Source string

	Entropy []string
	Calls   []struct {
		MS         uint64
		ID, Reason string
	}
}

// An oracle that knows nothing of this package has made the vectors.
func TestVectors(t *testing.T) {
	f := readVectors(t)
	if f.Format != 1 {
		t.Fatalf("format %d, want 1", f.Format)
	}
	runVectors(t, f, "valid", f.Valid, testValidText)
	runVectors(t, f, "invalid", f.Invalid, testInvalidText)
	runVectors(t, f, "lenient", f.Lenient, testLenientText)
	runVectors(t, f, "times", f.Times, testTimeVector)
	runVectors(t, f, "clamped", f.Clamped, testClampedTime)
	runVectors(t, f, "order", f.Order, testOrderedPair)
	runVectors(t, f, "monotonic", f.Monotonic, testMonotonicRun)
	runVectors(t, f, "uuid", f.UUID, testUUIDNotation)
	runVectors(t, f, "invalid_uuid", f.InvalidUUID, testInvalidUUID)
}

func readVectors(t testing.TB) *vectorFile {
	text, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var f vectorFile
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		t.Fatal(err)
	}
	return &f
}

func runVectors[V any](
	t *testing.T, f *vectorFile, section string, cases []V, test func(*testing.T, V),
) {
	if got, want := len(cases), f.Counts[section]; got != want || got == 0 {
		t.Errorf("%s has %d cases, and the file says %d", section, got, want)
	}
	for _, c := range cases {
		t.Run(section+"/"+reflect.ValueOf(c).FieldByName("Name").String(), func(t *testing.T) {
			test(t, c)
			if t.Failed() {
				t.Logf("the case is %+v", c)
			}
		})
	}
}

// input returns the text, or the bytes in its place.
func (v vector) input(t testing.TB) string {
	b, err := hex.DecodeString(v.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return v.Text + string(b)
}

// err returns the error for which the input is refused.
func (v vector) err(t *testing.T) error {
	switch v.Reason {
	case "":
		return nil
	case "length":
		return ErrDataSize
	case "character":
		return InvalidCharacterError{v.Offset, v.input(t)[v.Offset]}
	case "overflow":
		return ErrOverflow
	case "time":
		return ErrBigTime
	}
	t.Fatalf("unknown reason %q", v.Reason)
	return nil
}

func testValidText(t *testing.T, v vector) {
	id := mustHex(v.Hex)
	checkParse(t, v.Text, id, nil)
	if got, err := ParseLenient(v.Text); got != id || err != nil {
		t.Errorf("ParseLenient = %s, %v; want %s", got, err, id)
	}
	if got, err := ParseUUID(v.UUID); got != id || err != nil {
		t.Errorf("ParseUUID = %s, %v; want %s", got, err, id)
	}
	if got, err := New(uint64(v.MS), bytes.NewReader(id.Entropy())); got != id || err != nil {
		t.Errorf("New = %s, %v; want %s", got, err, id)
	}
	if got := id.String(); got != v.Canonical {
		t.Errorf("String() = %s, want %s", got, v.Canonical)
	}
	if got := id.UUIDString(); got != v.UUID {
		t.Errorf("UUIDString() = %s, want %s", got, v.UUID)
	}
	if got := id.Time(); got != uint64(v.MS) {
		t.Errorf("Time() = %d, want %d", got, v.MS)
	}
	if got := hex.EncodeToString(id.Entropy()); got != v.Entropy {
		t.Errorf("Entropy() = %s, want %s", got, v.Entropy)
	}
}

func testInvalidText(t *testing.T, v vector) { checkParse(t, v.input(t), ULID{}, v.err(t)) }

func testLenientText(t *testing.T, v vector) {
	var want ULID
	if v.Reason == "" {
		want = MustParse(v.Canonical)
	}
	if id, err := ParseLenient(v.Text); id != want || err != v.err(t) {
		t.Errorf("ParseLenient = %s, %v; want %s, %v", id, err, want, v.err(t))
	}
}

func testTimeVector(t *testing.T, v vector) {
	ms := uint64(v.MS)
	if v.Decimal != "" {
		decimal, err := strconv.ParseUint(v.Decimal, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		ms = decimal
	}
	var first, last ULID
	if v.Reason == "" {
		first, last = MustParse(v.First), MustParse(v.Last)
	}
	if id, err := New(ms, nil); id != first || err != v.err(t) {
		t.Errorf("New = %s, %v; want %s, %v", id, err, first, v.err(t))
	}
	if id, err := New(ms, constant(0xff)); id != last || err != v.err(t) {
		t.Errorf("New = %s, %v; want %s, %v", id, err, last, v.err(t))
	}
	if v.Reason != "" {
		return
	}
	at := time.UnixMilli(v.MS)
	if got := last.Timestamp(); !got.Equal(at) {
		t.Errorf("Timestamp() = %v, want %v", got, at)
	}
	for _, at := range []time.Time{at, at.Add(time.Millisecond - time.Nanosecond)} {
		checkBounds(t, at, v)
		if got := Timestamp(at); got != ms {
			t.Errorf("Timestamp(%v) = %d, want %d", at, got, ms)
		}
	}
}

func testClampedTime(t *testing.T, v vector) {
	at := time.UnixMilli(v.MS)
	checkBounds(t, at, v)
	want := uint64(v.MS)
	if v.MS < 0 {
		want = math.MaxUint64
	}
	if got := Timestamp(at); got != want {
		t.Errorf("Timestamp(%v) = %d, want %d", at, got, want)
	}
}

func checkBounds(t *testing.T, at time.Time, v vector) {
	t.Helper()
	if got := FirstAt(at).String(); got != v.First {
		t.Errorf("FirstAt(%v) = %s, want %s", at, got, v.First)
	}
	if got := LastAt(at).String(); got != v.Last {
		t.Errorf("LastAt(%v) = %s, want %s", at, got, v.Last)
	}
}

func testOrderedPair(t *testing.T, v vector) {
	a, b := MustParse(v.A), MustParse(v.B)
	if got := a.Compare(b); got != v.Compare {
		t.Errorf("%s.Compare(%s) = %d, want %d", a, b, got, v.Compare)
	}
}

func testMonotonicRun(t *testing.T, run monotonicRun) {
	var entropy []byte
	for _, s := range run.Entropy {
		b, err := hex.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		entropy = append(entropy, b...)
	}
	reader := bytes.NewReader(entropy)
	source := Monotonic(reader, 1)
	for i, call := range run.Calls {
		var want ULID
		var wantErr error = ErrMonotonicOverflow
		if call.Reason == "" {
			want, wantErr = MustParse(call.ID), nil
		}
		if id, err := New(call.MS, source); id != want || err != wantErr {
			t.Errorf("call %d: New = %s, %v; want %s, %v", i, id, err, want, wantErr)
		}
	}
	if reader.Len() > 0 {
		t.Errorf("%d bytes of entropy are left", reader.Len())
	}
}

func testUUIDNotation(t *testing.T, v vector) {
	id, err := ParseUUID(v.UUID)
	if want := MustParse(v.Text); id != want || err != nil {
		t.Errorf("ParseUUID = %s, %v; want %s", id, err, want)
	}
	if got := id.UUIDString(); got != v.Canonical {
		t.Errorf("UUIDString() = %s, want %s", got, v.Canonical)
	}
	if got := id.Time(); got != uint64(v.MS) {
		t.Errorf("Time() = %d, want %d", got, v.MS)
	}
	if got := id.IsUUIDv7(); got != v.Version7 {
		t.Errorf("IsUUIDv7() = %t, want %t", got, v.Version7)
	}
}

func testInvalidUUID(t *testing.T, v vector) {
	if id, err := ParseUUID(v.input(t)); id != (ULID{}) || err != v.err(t) {
		t.Errorf("ParseUUID = %s, %v; want %v", id, err, v.err(t))
	}
}
