package ulid

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"testing"
	"time"
)

// vectorFile is testdata/vectors.json, as testdata/README.md describes it. It is there for other implementations.
// What these tests add is that it stays true: the other tests find what is wrong with this package.
type vectorFile struct {
	Valid       []vector
	Invalid     []vector
	Lenient     []vector
	Times       []vector
	Clamped     []vector
	Order       []vector
	Monotonic   []vector
	UUID        []vector
	InvalidUUID []vector `json:"invalid_uuid"`
}

// A vector is a case of any section. Every section has some of the fields.
type vector struct {
	Name string

	Text, Canonical, Hex, UUID string

	Bytes    string // in the place of Text, if the input is not Unicode
	MS       int64
	Decimal  string // in the place of MS, if that is past 2⁵³
	First    string
	Last     string
	A, B     string
	Compare  int
	Version7 bool

	refusal

	Entropy any // of a monotonic source the reads, and otherwise 10 bytes
	Calls   []struct {
		MS         int64
		ID, Reason string
	}
}

// A refusal says why an input is refused. Without a Reason it is not.
type refusal struct {
	Reason string
	Offset int // of the wrong character
}

func TestVectors(t *testing.T) {
	f := readVectors(t)
	for _, section := range []struct {
		name  string
		cases []vector
		test  func(*testing.T, vector)
	}{
		{"valid", f.Valid, testValid},
		{"invalid", f.Invalid, testInvalid},
		{"lenient", f.Lenient, testLenient},
		{"times", f.Times, testTimes},
		{"clamped", f.Clamped, testBounds},
		{"order", f.Order, testOrder},
		{"monotonic", f.Monotonic, testMonotonic},
		{"uuid", f.UUID, testUUID},
		{"invalid_uuid", f.InvalidUUID, testInvalidUUID},
	} {
		if len(section.cases) == 0 {
			t.Errorf("%s has no cases", section.name)
		}
		for _, v := range section.cases {
			t.Run(section.name+"/"+v.Name, func(t *testing.T) { section.test(t, v) })
		}
	}
}

func readVectors(t testing.TB) *vectorFile {
	text, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var f vectorFile
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	return &f
}

// input returns the text, or the bytes in its place.
func (v vector) input(t testing.TB) string { return v.Text + string(mustBytes(t, v.Bytes)) }

// err returns the error for which the input is refused.
func (r refusal) err(t *testing.T, input string) error {
	switch r.Reason {
	case "":
		return nil
	case "length":
		return ErrSyntax
	case "character":
		return InvalidCharacterError{r.Offset, input[r.Offset]}
	case "overflow":
		return ErrOverflow
	case "time":
		return ErrTimeRange
	}
	t.Fatalf("unknown reason %q", r.Reason)
	return nil
}

func testValid(t *testing.T, v vector) {
	id := ULID(mustBytes(t, v.Hex))
	checkParse(t, v.Text, id, nil)
	checkReads(t, "ParseLenient", ParseLenient, v.Text, id, nil)
	checkReads(t, "ParseUUID", ParseUUID, v.UUID, UUID(id), nil)
	got := vector{Canonical: id.String(), UUID: id.UUIDString(), MS: int64(id.ms()), Entropy: hex.EncodeToString(id[6:])}
	if got.Canonical != v.Canonical || got.UUID != v.UUID || got.MS != v.MS || got.Entropy != v.Entropy {
		t.Errorf("got  %+v\nwant %+v", got, v)
	}
}

func testInvalid(t *testing.T, v vector) {
	input := v.input(t)
	checkParse(t, input, ULID{}, v.err(t, input))
}

func testLenient(t *testing.T, v vector) {
	var want ULID
	if v.Reason == "" {
		want = MustParse(v.Canonical)
	}
	checkReads(t, "ParseLenient", ParseLenient, v.Text, want, v.err(t, v.Text))
}

func testInvalidUUID(t *testing.T, v vector) {
	input := v.input(t)
	checkReads(t, "ParseUUID", ParseUUID, input, UUID{}, v.err(t, input))
}

func checkReads[T ULID | UUID](
	t *testing.T, name string, read func(string) (T, error), text string, want T, wantErr error,
) {
	t.Helper()
	if id, err := read(text); id != want || !isExactly(err, wantErr) {
		t.Errorf("%s(%q) = %v, %v; want %v, %v", name, text, id, err, want, wantErr)
	}
}

func testTimes(t *testing.T, v vector) {
	ms := v.MS
	if v.Decimal != "" {
		ms = math.MaxInt64 // the greatest that time.UnixMilli takes
	}
	id, err := New(time.UnixMilli(ms), constant(0))
	if err != v.err(t, "") {
		t.Errorf("New = %s, %v; want %v", id, err, v.Reason)
	}
	if err == nil {
		testBounds(t, v)
		if id.String() != v.First {
			t.Errorf("New = %s, want %s", id, v.First)
		}
	}
}

func testBounds(t *testing.T, v vector) {
	at := time.UnixMilli(v.MS)
	if first, last := FirstAt(at).String(), LastAt(at).String(); first != v.First || last != v.Last {
		t.Errorf("from %s to %s, want from %s to %s", first, last, v.First, v.Last)
	}
}

func testOrder(t *testing.T, v vector) {
	if got := MustParse(v.A).Compare(MustParse(v.B)); got != v.Compare {
		t.Errorf("Compare = %d, want %d", got, v.Compare)
	}
}

func testMonotonic(t *testing.T, v vector) {
	var entropy []byte
	for _, read := range v.Entropy.([]any) {
		entropy = append(entropy, mustBytes(t, read.(string))...)
	}
	reader := bytes.NewReader(entropy)
	source := NewMonotonic(reader, 1)
	for i, call := range v.Calls {
		var want ULID
		var wantErr error = ErrMonotonicOverflow
		if call.Reason == "" {
			want, wantErr = MustParse(call.ID), nil
		}
		if id, err := source.New(time.UnixMilli(call.MS)); id != want || !isExactly(err, wantErr) {
			t.Errorf("call %d: New = %s, %v; want %s, %v", i, id, err, want, wantErr)
		}
	}
	if reader.Len() > 0 {
		t.Errorf("%d bytes of entropy are left", reader.Len())
	}
}

func testUUID(t *testing.T, v vector) {
	id := MustParse(v.Text)
	checkReads(t, "ParseUUID", ParseUUID, v.UUID, UUID(id), nil)
	if id.UUIDString() != v.Canonical || int64(id.ms()) != v.MS || isUUIDv7(id) != v.Version7 {
		t.Errorf("%s is at %d, a UUIDv7: %t; want %+v", id.UUIDString(), id.ms(), isUUIDv7(id), v)
	}
}

func mustBytes(t testing.TB, s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
