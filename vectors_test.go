package ulid

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// vectorFile is testdata/vectors.json, as docs/vectors.md describes it. Every section has its test in
// TestVectors.
type vectorFile struct {
	About       string         `json:"about"`
	Format      int            `json:"format"`
	Counts      map[string]int `json:"counts"`
	Valid       []validText    `json:"valid"`
	Invalid     []invalidText  `json:"invalid"`
	Lenient     []lenientText  `json:"lenient"`
	Times       []timeVector   `json:"times"`
	Clamped     []timeVector   `json:"clamped"`
	Order       []orderedPair  `json:"order"`
	Monotonic   []monotonicRun `json:"monotonic"`
	UUID        []uuidNotation `json:"uuid"`
	InvalidUUID []invalidText  `json:"invalid_uuid"`
}

type vector struct {
	Name   string `json:"name"`
	Why    string `json:"why"`
	Source string `json:"source"`
}

func (v vector) id() vector { return v }

// refusal is why an input is refused, or empty.
type refusal struct {
	Reason string `json:"reason"`
	Offset *int   `json:"offset"`
}

// check compares with what a function returned. It names the offset as well, where there is one.
func (r refusal) check(t *testing.T, function string, err error) {
	t.Helper()
	want := map[string]error{"": nil, "length": ErrDataSize, "character": ErrInvalidCharacters, "overflow": ErrOverflow}
	sentinel, known := want[r.Reason]
	if !known || (r.Reason == "character") != (r.Offset != nil) {
		t.Fatalf("the vector has the reason %q and the offset %v", r.Reason, r.Offset)
	}
	if !errors.Is(err, sentinel) {
		t.Errorf("%s: %v, want %v", function, err, sentinel)
		return
	}
	var bad InvalidCharacterError
	if r.Offset != nil && (!errors.As(err, &bad) || bad.Offset != *r.Offset) {
		t.Errorf("%s: %v, want offset %d", function, err, *r.Offset)
	}
}

type validText struct {
	vector
	Text      string `json:"text"`
	Canonical string `json:"canonical"`
	Hex       string `json:"hex"`
	UUID      string `json:"uuid"`
	MS        uint64 `json:"ms"`
	Entropy   string `json:"entropy"`
}

type invalidText struct {
	vector
	Text  *string `json:"text"`
	Bytes string  `json:"bytes"`
	refusal
	// How one that counts characters refuses it. This package counts bytes.
	ByCharacters *refusal `json:"by_characters"`
}

type lenientText struct {
	vector
	Text      *string `json:"text"`
	Canonical string  `json:"canonical"`
	refusal
}

type timeVector struct {
	vector
	MS      *int64 `json:"ms"`
	Decimal string `json:"decimal"`
	First   string `json:"first"`
	Last    string `json:"last"`
	Reason  string `json:"reason"`
}

type orderedPair struct {
	vector
	A       string `json:"a"`
	B       string `json:"b"`
	Compare *int   `json:"compare"`
}

type monotonicRun struct {
	vector
	Entropy []string `json:"entropy"`
	Calls   []struct {
		MS     *uint64 `json:"ms"`
		ID     string  `json:"id"`
		Reason string  `json:"reason"`
	} `json:"calls"`
}

type uuidNotation struct {
	vector
	UUID      string  `json:"uuid"`
	Canonical string  `json:"canonical"`
	Text      string  `json:"text"`
	MS        *uint64 `json:"ms"`
	Version7  *bool   `json:"version7"`
}

// readVectors reads the file. An unknown section or field is an error, and so is a section that is empty or has
// another number of cases than the file says.
func readVectors(b []byte) (f vectorFile, err error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return f, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return f, errors.New("something stands after the vectors")
	}
	if f.About == "" || f.Format != 1 {
		return f, errors.New("this is not format 1")
	}
	counted := 0
	for i := range reflect.TypeFor[vectorFile]().NumField() {
		section := reflect.ValueOf(f).Field(i)
		if section.Kind() != reflect.Slice {
			continue
		}
		counted++
		name := reflect.TypeFor[vectorFile]().Field(i).Tag.Get("json")
		if section.Len() == 0 || section.Len() != f.Counts[name] {
			return f, errors.New(name + " has " + strconv.Itoa(section.Len()) + " cases, and the file says " + strconv.Itoa(f.Counts[name]))
		}
	}
	if counted != len(f.Counts) {
		return f, errors.New("the counts name a section that is unknown")
	}
	return f, nil
}

// eachVector runs the test on every case of a section, as a subtest with the name of the case.
func eachVector[V interface{ id() vector }](t *testing.T, section string, cases []V, test func(*testing.T, V)) {
	names := map[string]bool{}
	sources := map[string]bool{"ulid": true, "crockford": true, "rfc9562": true, "library": true}
	for _, c := range cases {
		v := c.id()
		t.Run(section+"/"+v.Name, func(t *testing.T) {
			if v.Name == "" || v.Why == "" || !sources[v.Source] || names[v.Name] {
				t.Fatalf("a name that stands twice, or a field is missing: %+v", v)
			}
			names[v.Name] = true
			test(t, c)
			if t.Failed() {
				t.Log(v.Why)
			}
		})
	}
}

// TestVectors runs testdata/vectors.json. An oracle made it that knows nothing of this package.
func TestVectors(t *testing.T) {
	b, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	f, err := readVectors(b)
	if err != nil {
		t.Fatal(err)
	}
	eachVector(t, "valid", f.Valid, testValidText)
	eachVector(t, "invalid", f.Invalid, testInvalidText)
	eachVector(t, "lenient", f.Lenient, testLenientText)
	eachVector(t, "times", f.Times, testTimeVector)
	eachVector(t, "clamped", f.Clamped, testClampedTime)
	eachVector(t, "order", f.Order, testOrderedPair)
	eachVector(t, "monotonic", f.Monotonic, testMonotonicRun)
	eachVector(t, "uuid", f.UUID, testUUIDNotation)
	eachVector(t, "invalid_uuid", f.InvalidUUID, testInvalidUUID)
}

func testValidText(t *testing.T, c validText) {
	id, err := Parse(c.Text)
	if err != nil {
		t.Fatal(err)
	}
	if got := hex.EncodeToString(id[:]); got != c.Hex {
		t.Errorf("Parse: %s, want %s", got, c.Hex)
	}
	var unmarshaled, scanned, decoded ULID
	quoted, err := json.Marshal(c.Text)
	if err := errors.Join(err, unmarshaled.UnmarshalText([]byte(c.Text)), scanned.Scan(c.Text), json.Unmarshal(quoted, &decoded)); err != nil {
		t.Error(err)
	}
	lenient, err := ParseLenient(c.Text)
	if unmarshaled != id || scanned != id || decoded != id || lenient != id || err != nil {
		t.Errorf("UnmarshalText: %v, Scan: %v, JSON: %v, ParseLenient: %v, %v; want %v", unmarshaled, scanned, decoded, lenient, err, id)
	}
	if id.String() != c.Canonical || id.UUIDString() != c.UUID || id.Time() != c.MS || hex.EncodeToString(id.Entropy()) != c.Entropy {
		t.Errorf("%v, %v, %d, %x, want %+v", id, id.UUIDString(), id.Time(), id.Entropy(), c)
	}
	if text, err := id.AppendText([]byte("-")); string(text) != "-"+c.Canonical || err != nil {
		t.Errorf("AppendText: %s, %v", text, err)
	}
	if back, err := ParseUUID(c.UUID); back != id || err != nil {
		t.Errorf("ParseUUID: %v, %v", back, err)
	}
	if made, err := New(c.MS, bytes.NewReader(id.Entropy())); made != id || err != nil {
		t.Errorf("New: %v, %v", made, err)
	}
	var set ULID
	entropy, err := hex.DecodeString(c.Entropy)
	if err := errors.Join(err, set.SetTime(c.MS), set.SetEntropy(entropy)); err != nil || set != id {
		t.Errorf("SetTime, SetEntropy: %v, %v", set, err)
	}
	if want := c.UUID[14] == '7' && strings.IndexByte("89ab", c.UUID[19]) >= 0; id.IsUUIDv7() != want {
		t.Errorf("IsUUIDv7: %v", !want)
	}
	if zero := strings.Trim(c.Hex, "0") == ""; id.IsZero() != zero {
		t.Errorf("IsZero: %v", !zero)
	}
}

func testInvalidText(t *testing.T, c invalidText) {
	input := c.input(t)
	if c.Reason == "" {
		t.Fatal("there is no reason")
	}
	id, err := Parse(input)
	c.check(t, "Parse", err)
	if !id.IsZero() {
		t.Errorf("Parse returned %v beside the error", id)
	}
	id = known
	c.check(t, "UnmarshalText", id.UnmarshalText([]byte(input)))
	if len(input) != 36 { // which Scan reads as a UUID
		c.check(t, "Scan of a string", id.Scan(input))
		if len(input) != 16 { // which Scan reads as binary
			c.check(t, "Scan of bytes", id.Scan([]byte(input)))
		}
	}
	if c.Bytes == "" { // JSON holds no other
		quoted, err := json.Marshal(input)
		if err != nil {
			t.Fatal(err)
		}
		c.check(t, "JSON", json.Unmarshal(quoted, &id))
	}
	if id != known {
		t.Errorf("the ULID has become %v", id)
	}
}

// input returns the text or the bytes, of which a case has one. It also checks the form of by_characters.
func (c invalidText) input(t *testing.T) string {
	t.Helper()
	if c.Text == nil {
		t.Fatal("there is no text")
	}
	if p := c.ByCharacters; p != nil && (p.Reason != "length" && p.Reason != "character" || (p.Reason == "character") != (p.Offset != nil)) {
		t.Fatalf("by_characters is %+v", p)
	}
	b, err := hex.DecodeString(c.Bytes)
	if err != nil || *c.Text != "" && c.Bytes != "" {
		t.Fatalf("text %q, bytes %q: %v", *c.Text, c.Bytes, err)
	}
	return *c.Text + string(b)
}

func testLenientText(t *testing.T, c lenientText) {
	if c.Text == nil || (c.Canonical == "") == (c.Reason == "") {
		t.Fatalf("a field is missing or too many: %+v", c)
	}
	id, err := ParseLenient(*c.Text)
	c.check(t, "ParseLenient", err)
	if c.Reason == "" && id.String() != c.Canonical || c.Reason != "" && !id.IsZero() {
		t.Errorf("ParseLenient: %v, want %s", id, c.Canonical)
	}
}

func testTimeVector(t *testing.T, c timeVector) {
	if (c.MS == nil) == (c.Decimal == "") || (c.First == "") != (c.Last == "") || (c.First == "") == (c.Reason == "") {
		t.Fatalf("a field is missing or too many: %+v", c)
	}
	var ms uint64
	if c.MS != nil {
		ms = uint64(*c.MS)
	} else if n, err := strconv.ParseUint(c.Decimal, 10, 64); err != nil || n <= 1<<53 {
		t.Fatalf("decimal %s: %v", c.Decimal, err)
	} else {
		ms = n
	}
	first, err := New(ms, nil)
	last, errLast := New(ms, bytes.NewReader(bytes.Repeat([]byte{0xFF}, 10)))
	set := known
	errSet := set.SetTime(ms)
	if c.Reason != "" {
		if c.Reason != "time" {
			t.Fatalf("reason %q", c.Reason)
		}
		if err != ErrBigTime || errLast != ErrBigTime || errSet != ErrBigTime || set != known {
			t.Errorf("New: %v, %v, SetTime: %v", err, errLast, errSet)
		}
		return
	}
	if err := errors.Join(err, errLast, errSet); err != nil {
		t.Fatal(err)
	}
	at := time.UnixMilli(int64(ms))
	if FirstAt(at).String() != c.First || LastAt(at).String() != c.Last || first.String() != c.First || last.String() != c.Last {
		t.Errorf("FirstAt: %v, LastAt: %v, New: %v, %v", FirstAt(at), LastAt(at), first, last)
	}
	end := at.Add(time.Millisecond - time.Nanosecond)
	if FirstAt(end) != first || LastAt(end) != last {
		t.Errorf("at the end of the millisecond FirstAt: %v, LastAt: %v", FirstAt(end), LastAt(end))
	}
	if first.Time() != ms || last.Time() != ms || set.Time() != ms || !last.Timestamp().Equal(at) || Timestamp(at) != ms {
		t.Errorf("Time: %d, %d, %d, Timestamp: %v", first.Time(), last.Time(), set.Time(), last.Timestamp())
	}
}

func testClampedTime(t *testing.T, c timeVector) {
	if c.MS == nil || c.First == "" || c.Last == "" || c.Decimal+c.Reason != "" {
		t.Fatalf("a field is missing or too many: %+v", c)
	}
	at := time.UnixMilli(*c.MS)
	if FirstAt(at).String() != c.First || LastAt(at).String() != c.Last {
		t.Errorf("FirstAt: %v, LastAt: %v", FirstAt(at), LastAt(at))
	}
	if ms := Timestamp(at); ms <= MaxTime() || *c.MS < 0 && ms != math.MaxUint64 {
		t.Errorf("Timestamp: %d", ms)
	}
}

func testOrderedPair(t *testing.T, c orderedPair) {
	if c.Compare == nil {
		t.Fatal("compare is missing")
	}
	a, b := MustParse(c.A), MustParse(c.B)
	got := []int{a.Compare(b), -b.Compare(a), cmp.Compare(a.String(), b.String()), bytes.Compare(a.Bytes(), b.Bytes()),
		cmp.Compare(a.UUIDString(), b.UUIDString())}
	for _, order := range got {
		if order != *c.Compare {
			t.Errorf("Compare, its reverse, texts, bytes and UUID notations: %d, want %d", got, *c.Compare)
			break
		}
	}
	if (a == b) != (*c.Compare == 0) {
		t.Errorf("a == b: %v", a == b)
	}
}

func testMonotonicRun(t *testing.T, c monotonicRun) {
	var entropy []byte
	for _, s := range c.Entropy {
		b, err := hex.DecodeString(s)
		if err != nil || len(b) != entropySize {
			t.Fatalf("entropy %q: %v", s, err)
		}
		entropy = append(entropy, b...)
	}
	if len(entropy) == 0 || len(c.Calls) == 0 {
		t.Fatal("entropy or calls are missing")
	}
	reader, generatorReader := bytes.NewReader(entropy), bytes.NewReader(entropy)
	source := Monotonic(reader, 1)
	var clock time.Time
	g := Generator{Entropy: generatorReader, Clock: func() time.Time { return clock }, MaxStep: 1}
	forGenerator := true // as long as the times do not decrease and nothing overflows
	var last ULID
	for i, call := range c.Calls {
		if call.MS == nil || (call.ID == "") == (call.Reason == "") {
			t.Fatalf("call %d: a field is missing or too many: %+v", i, call)
		}
		id, err := New(*call.MS, source)
		if call.Reason != "" {
			forGenerator = false
			if call.Reason != "overflow" || err != ErrMonotonicOverflow || !id.IsZero() {
				t.Errorf("call %d: %v, %v, want %s", i, id, err, call.Reason)
			}
			continue
		}
		if err != nil || id.String() != call.ID {
			t.Errorf("call %d: %v, %v, want %s", i, id, err, call.ID)
		}
		forGenerator = forGenerator && *call.MS >= last.Time()
		if forGenerator {
			clock = time.UnixMilli(int64(*call.MS))
			if id, err := g.Make(); err != nil || id.String() != call.ID {
				t.Errorf("call %d of the Generator: %v, %v, want %s", i, id, err, call.ID)
			}
		}
		if next, ok := last.Next(); i > 0 && *call.MS == last.Time() && (!ok || next != id) {
			t.Errorf("call %d: Next of the one before is %v", i, next)
		}
		last = id
	}
	if reader.Len() != 0 || forGenerator && generatorReader.Len() != 0 {
		t.Errorf("%d and %d bytes of entropy are left", reader.Len(), generatorReader.Len())
	}
}

func testUUIDNotation(t *testing.T, c uuidNotation) {
	if c.MS == nil || c.Version7 == nil {
		t.Fatalf("a field is missing: %+v", c)
	}
	id, err := ParseUUID(c.UUID)
	var scanned ULID
	if err := errors.Join(err, scanned.Scan(c.UUID)); err != nil || scanned != id {
		t.Fatalf("ParseUUID: %v, Scan: %v, %v", id, scanned, err)
	}
	if id.String() != c.Text || id.UUIDString() != c.Canonical || id.Time() != *c.MS || id.IsUUIDv7() != *c.Version7 {
		t.Errorf("%v, %s, %d, %v, want %+v", id, id.UUIDString(), id.Time(), id.IsUUIDv7(), c)
	}
	if back, err := Parse(c.Text); err != nil || back != id {
		t.Errorf("Parse: %v, %v", back, err)
	}
}

func testInvalidUUID(t *testing.T, c invalidText) {
	input := c.input(t)
	if c.Reason == "" {
		t.Fatal("there is no reason")
	}
	id, err := ParseUUID(input)
	c.check(t, "ParseUUID", err)
	if !id.IsZero() {
		t.Errorf("ParseUUID returned %v beside the error", id)
	}
	id = known
	if len(input) != 26 { // which Scan reads as the text of a ULID
		c.check(t, "Scan", id.Scan(input))
	}
	if id != known {
		t.Errorf("the ULID has become %v", id)
	}
}

// TestReadVectors shows that readVectors finds what is wrong with the file.
func TestReadVectors(t *testing.T) {
	b, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, new string }{
		{"a misspelled field", `"canonical":`, `"cannonical":`},
		{"an unknown section", `"valid": \[`, `"valide": [`},
		{"an empty section", `(?s)"order": \[.*?\n  \]`, `"order": []`},
		{"a section that is gone", `(?s)"order": \[.*?\n  \],`, ``},
		{"a case that is gone", `(?s)"order": \[.*?\n    \},`, `"order": [`},
		{"a count that is gone", `"order": \d+,`, ``},
		{"a count of no section", `"order": \d+,`, `"order": 1, "other": 1,`},
		{"another format", `"format": 1`, `"format": 2`},
		{"something after it", `\n}\n$`, "\n}\n{}"},
		{"a time that is a text", `"ms": (\d+)`, `"ms": "$1"`},
	} {
		broken := regexp.MustCompile(c.old).ReplaceAll(b, []byte(c.new))
		if _, err := readVectors(broken); err == nil || bytes.Equal(broken, b) {
			t.Errorf("%s is not found", c.name)
		}
	}
}
