package typed

import (
	"bytes"
	"crypto/rand"
	"database/sql/driver"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
)

// Kinds of each column, with and without a prefix. The texts of nine are as long as a UUID.
type (
	plain   struct{ TextColumn }
	uuid    struct{ UUIDColumn }
	raw     struct{ BinaryColumn }
	user    struct{ UUIDColumn }
	order   struct{ TextColumn }
	doc     struct{ BinaryColumn }
	nine    struct{ TextColumn }
	member  struct{ PrefixColumn }
	vector  struct{ PrefixColumn }
	vector2 struct{ UUIDColumn }
)

func (user) Prefix() string    { return "user" }
func (order) Prefix() string   { return "order" }
func (doc) Prefix() string     { return "doc" }
func (nine) Prefix() string    { return "ninechars" }
func (member) Prefix() string  { return "member" }
func (vector) Prefix() string  { return "prefix" }
func (vector2) Prefix() string { return "pre_fix" }

const (
	text  = "01h455vb4pex5vsknk084sn02q"
	hex   = "01890a5d-ac96-774b-bcce-b302099a8057"
	zeros = "00000000000000000000000000"
)

var known = ulid.MustParseUUID(hex)

// TestValid has the valid cases of version 0.3 of the TypeID specification, spec/valid.yml.
func TestValid(t *testing.T) {
	for text, want := range map[string]string{
		zeros:                                "00000000-0000-0000-0000-000000000000",
		"00000000000000000000000001":         "00000000-0000-0000-0000-000000000001",
		"0000000000000000000000000a":         "00000000-0000-0000-0000-00000000000a",
		"0000000000000000000000000g":         "00000000-0000-0000-0000-000000000010",
		"00000000000000000000000010":         "00000000-0000-0000-0000-000000000020",
		"7zzzzzzzzzzzzzzzzzzzzzzzzz":         "ffffffff-ffff-ffff-ffff-ffffffffffff",
		"prefix_0123456789abcdefghjkmnpqrs":  "0110c853-1d09-52d8-d73e-1194e95b5f19",
		"prefix_" + text:                     hex,
		"pre_fix_00000000000000000000000000": "00000000-0000-0000-0000-000000000000",
	} {
		var got, back string
		var err error
		switch {
		case strings.HasPrefix(text, "prefix_"):
			got, back, err = roundTrip[vector](text)
		case strings.HasPrefix(text, "pre_fix_"):
			got, back, err = roundTrip[vector2](text)
		default: // without a prefix the text is the one of a ULID, in upper case
			got, back, err = roundTrip[plain](text)
			back = strings.ToLower(back)
		}
		if err != nil || got != want || back != text {
			t.Errorf("%s is read as %s, %v, and written as %s, want %s", text, got, err, back, want)
		}
	}
}

func roundTrip[K Kind](text string) (uuid, back string, err error) {
	id, err := Parse[K](text)
	return id.UUIDString(), id.String(), err
}

// TestInvalid has the invalid cases of the specification, spec/invalid.yml, and more, with their errors.
func TestInvalid(t *testing.T) {
	long := strings.Repeat("abcdefghijklmnopqrstuvwxyz", 3)[:64] + "_" + zeros
	for text, want := range map[string]struct {
		message string
		err     error
	}{
		"PREFIX_" + zeros:                    {`wrong prefix, want "prefix"`, ulid.ErrInvalidCharacters},
		"12345_" + zeros:                     {"32 characters, want 33", ulid.ErrDataSize},
		"pre.fix_" + zeros:                   {"34 characters, want 33", ulid.ErrDataSize},
		"préfix_" + zeros:                    {"34 characters, want 33", ulid.ErrDataSize},
		"  prefix_" + zeros:                  {"35 characters, want 33", ulid.ErrDataSize},
		long:                                 {"91 characters, want 33", ulid.ErrDataSize},
		"_" + zeros:                          {"27 characters, want 33", ulid.ErrDataSize},
		"_":                                  {"1 characters, want 33", ulid.ErrDataSize},
		"prefix_1234567890123456789012345":   {"32 characters, want 33", ulid.ErrDataSize},
		"prefix_123456789012345678901234567": {"34 characters, want 33", ulid.ErrDataSize},
		"prefix_1234567890123456789012345 ":  {"invalid character ' ' at offset 32", ulid.ErrInvalidCharacters},
		"prefix_0123456789ABCDEFGHJKMNPQRS": {
			"invalid character 'A' at offset 17, want lower case", ulid.ErrInvalidCharacters,
		},
		"prefix_123456789-123456789-123456":   {"invalid character '-' at offset 16", ulid.ErrInvalidCharacters},
		"prefix_ooooooiiiiiiuuuuuuulllllll":   {"invalid character 'o' at offset 7", ulid.ErrInvalidCharacters},
		"prefix_i23456789ol23456789oi23456":   {"invalid character 'i' at offset 7", ulid.ErrInvalidCharacters},
		"prefix_123456789-0123456789-0123456": {"35 characters, want 33", ulid.ErrDataSize},
		"prefix_8zzzzzzzzzzzzzzzzzzzzzzzzz": {
			"greater than 7ZZZZZZZZZZZZZZZZZZZZZZZZZ, the largest ULID", ulid.ErrOverflow,
		},
		"_prefix_" + zeros: {"34 characters, want 33", ulid.ErrDataSize},
		"prefix__" + zeros: {"34 characters, want 33", ulid.ErrDataSize},
		"prefix_":          {"7 characters, want 33", ulid.ErrDataSize},
		"":                 {"0 characters, want 33", ulid.ErrDataSize},

		"garbage":        {"7 characters, want 33", ulid.ErrDataSize},
		hex:              {"36 characters, want 33", ulid.ErrDataSize},
		zeros:            {`prefix none, want "prefix"`, ulid.ErrInvalidCharacters},
		"order_" + zeros: {`prefix "order", want "prefix"`, ulid.ErrInvalidCharacters},
		ID[longest]{}.String(): {
			fmt.Sprintf(`prefix %q, want "prefix"`, longest{}.Prefix()), ulid.ErrInvalidCharacters,
		},
		"prefix-" + zeros:                   {`wrong prefix, want "prefix"`, ulid.ErrInvalidCharacters},
		"prefix_prefix_" + zeros:            {`prefix "prefix_prefix", want "prefix"`, ulid.ErrInvalidCharacters},
		"prefix_01h455vb4pex5_vsknk084sn02": {"invalid character '_' at offset 20", ulid.ErrInvalidCharacters},
		"prefix_" + zeros[1:] + "Z": {
			"invalid character 'Z' at offset 32, want lower case", ulid.ErrInvalidCharacters,
		},
		"prefix_Z" + zeros[2:] + "!": {
			"invalid character 'Z' at offset 7, want lower case", ulid.ErrInvalidCharacters,
		},
		"orders_" + strings.ToUpper(text): {`wrong prefix, want "prefix"`, ulid.ErrInvalidCharacters},
		"prefix\x00" + zeros:              {`wrong prefix, want "prefix"`, ulid.ErrInvalidCharacters},
	} {
		checkInvalid(t, text, "prefix ID: "+want.message, want.err)
	}
}

func checkInvalid(t *testing.T, text, want string, wantErr error) {
	t.Helper()
	got, err := Parse[vector](text)
	if err == nil || err.Error() != want || !errors.Is(err, wantErr) || !got.IsZero() {
		t.Fatalf("Parse(%q) = %v, %v, want %v", text, got, err, want)
	}
	var wrong ulid.InvalidCharacterError
	isCharacter := strings.Contains(want, "invalid character")
	if errors.As(err, &wrong) != isCharacter || isCharacter && text[wrong.Offset] != wrong.Char {
		t.Errorf("the error of Parse(%q) is %#v", text, wrong)
	}
	id := ID[vector](known)
	if err := id.UnmarshalText([]byte(text)); err == nil || err.Error() != want || id.ULID() != known {
		t.Errorf("UnmarshalText(%q) = %v and leaves %v, want %v", text, err, id, want)
	}
	if text == hex || text == zeros {
		return // TestScan has the hint that Scan adds
	}
	for _, src := range []any{text, []byte(text)} { // the kind has a PrefixColumn
		if err := id.Scan(src); err == nil || err.Error() != want || !errors.Is(err, wantErr) || id.ULID() != known {
			t.Errorf("Scan(%q) = %v and leaves %v, want %v", src, err, id, want)
		}
	}
}

// TestInvalidWithoutPrefix has the same for a kind without a prefix.
func TestInvalidWithoutPrefix(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "plain ID: 0 characters, want 26",
		"plain_" + zeros:    `plain ID: prefix "plain", want none`,
		zeros[1:] + "U":     "plain ID: invalid character 'U' at offset 25",
		"8" + zeros[1:]:     "plain ID: greater than 7ZZZZZZZZZZZZZZZZZZZZZZZZZ, the largest ULID",
		"plain_" + text[6:]: "plain ID: invalid character 'l' at offset 1",
	} {
		if id, err := Parse[plain](text); err == nil || err.Error() != want || !id.IsZero() {
			t.Errorf("Parse(%q) = %v, %v, want %s", text, id, err, want)
		}
	}
}

// TestCase shows that letters are written in lower case, and read in no other, at each place.
func TestCase(t *testing.T) {
	const largest = "prefix_7zzzzzzzzzzzzzzzzzzzzzzzzz"
	if got := ID[vector](ulid.MustParse("7ZZZZZZZZZZZZZZZZZZZZZZZZZ")).String(); got != largest {
		t.Errorf("the largest ID is %s, want %s", got, largest)
	}
	for i := len("prefix_"); i < len(largest); i++ {
		bad := []byte("prefix_" + text)
		bad[i] = 'Z'
		var wrong ulid.InvalidCharacterError
		_, err := Parse[vector](string(bad))
		if !errors.As(err, &wrong) || wrong != (ulid.InvalidCharacterError{Offset: i, Char: 'Z'}) {
			t.Fatalf("Parse(%q) = %v, want the character 'Z' at offset %d", bad, err, i)
		}
	}
}

// TestForms has the text, the bytes and the value of SQL of each kind.
func TestForms(t *testing.T) {
	testForms[plain](t, strings.ToUpper(text), strings.ToUpper(text), "char(26)")
	testForms[order](t, "order_"+text, strings.ToUpper(text), "char(26)")
	testForms[nine](t, "ninechars_"+text, strings.ToUpper(text), "char(26)")
	testForms[uuid](t, strings.ToUpper(text), hex, "uuid")
	testForms[user](t, "user_"+text, hex, "uuid")
	testForms[raw](t, strings.ToUpper(text), known[:], "bytes")
	testForms[doc](t, "doc_"+text, known[:], "bytes")
	testForms[member](t, "member_"+text, "member_"+text, "char(33)")
	testForms[longest](t, longest{}.Prefix()+"_"+text, longest{}.Prefix()+"_"+text, "char(90)")
}

func testForms[K Kind](t *testing.T, text string, value any, gorm string) {
	t.Helper()
	id := ID[K](known)
	appended, err := id.AppendText([]byte("x"))
	if id.String() != text || string(appended) != "x"+text || err != nil || fmt.Sprint(id) != text {
		t.Errorf("the text is %s, %s, %v, want %s", id, appended, err, text)
	}
	if got, err := id.Value(); err != nil || fmt.Sprintf("%T %[1]v", got) != fmt.Sprintf("%T %[1]v", value) {
		t.Errorf("Value = %v, %v, want %v", got, err, value)
	}
	if got := id.GormDataType(); got != gorm {
		t.Errorf("GormDataType = %s, want %s", got, gorm)
	}
	if id.ULID() != known {
		t.Errorf("%v is not %v", id, known)
	}
	if MustParse[K](text) != id {
		t.Errorf("%s is read as %v", text, MustParse[K](text))
	}
	if got, err := (ID[K]{}).Value(); err != nil || fmt.Sprintf("%T", got) != fmt.Sprintf("%T", value) {
		t.Errorf("Value of the zero ID = %v, %v, want a %T", got, err, value)
	}
	testEncoders(t, id, text)
}

// testEncoders has JSON, the keys of its objects, and gob.
func testEncoders[K Kind](t *testing.T, id ID[K], text string) {
	t.Helper()
	type all struct {
		ID   ID[K]
		Null *ID[K]
		Zero ID[K] `json:",omitzero"`
		Map  map[ID[K]]ID[K]
	}
	in := all{ID: id, Map: map[ID[K]]ID[K]{id: id}}
	b, err := json.Marshal(in)
	if want := fmt.Sprintf(`{"ID":%q,"Null":null,"Map":{%[1]q:%[1]q}}`, text); err != nil || string(b) != want {
		t.Errorf("in JSON %s, %v, want %s", b, err, want)
	}
	var out all
	if err := json.Unmarshal(b, &out); err != nil || out.ID != id || out.Map[id] != id {
		t.Errorf("from JSON %v, %v, want %v", out, err, in)
	}
	var buf bytes.Buffer
	var got ID[K]
	err = errors.Join(gob.NewEncoder(&buf).Encode(id), gob.NewDecoder(&buf).Decode(&got))
	if err != nil || got != id {
		t.Errorf("by gob %v, %v", got, err)
	}
	for _, n := range []int{0, 15, 17} {
		err := got.UnmarshalBinary(make([]byte, n))
		if !errors.Is(err, ulid.ErrDataSize) || !strings.Contains(err.Error(), " ID: ") || got != id {
			t.Errorf("UnmarshalBinary of %d bytes = %v, %v", n, got, err)
		}
	}
}

// TestScan reads the format of each column, and rejects what the columns of other kinds hold.
func TestScan(t *testing.T) {
	const (
		useText   = "; ULID strings are for ULID or TextColumn"
		useUUID   = "; UUIDs are for AsUUID or UUIDColumn"
		useBinary = "; 16 bytes are for AsBinary or BinaryColumn"
		usePrefix = "; IDs with a prefix are for PrefixColumn"
	)
	upper := strings.ToUpper(text)
	for _, tt := range []struct {
		src                                any
		ofPrefix, ofText, ofUUID, ofBinary string // the errors, or "" if the kind's column holds it
	}{
		{
			src:      "member_" + text,
			ofText:   "33 characters, want 26" + usePrefix,
			ofUUID:   "33 characters, want 36" + usePrefix,
			ofBinary: "33 characters, want 16 bytes" + usePrefix,
		},
		{
			src:      "order_" + text,
			ofPrefix: `prefix "order", want "member"`,
			ofText:   "32 characters, want 26" + usePrefix,
			ofUUID:   "32 characters, want 36" + usePrefix,
			ofBinary: "32 characters, want 16 bytes" + usePrefix,
		},
		{
			src:      "ninechars_" + text, // as long as a UUID
			ofPrefix: `prefix "ninechars", want "member"`,
			ofText:   "36 characters, want 26" + usePrefix,
			ofUUID:   "invalid character 'n' at offset 0",
			ofBinary: "36 characters, want 16 bytes" + usePrefix,
		},
		{
			src:      "member_" + upper,
			ofPrefix: "invalid character 'H' at offset 9, want lower case",
			ofText:   "33 characters, want 26",
			ofUUID:   "33 characters, want 36",
			ofBinary: "33 characters, want 16 bytes",
		},
		{
			src:      upper,
			ofPrefix: "26 characters, want 33" + useText,
			ofUUID:   "26 characters, want 36" + useText,
			ofBinary: "26 characters, want 16 bytes" + useText,
		},
		{
			src:      text,
			ofPrefix: "26 characters, want 33" + useText,
			ofUUID:   "26 characters, want 36" + useText,
			ofBinary: "26 characters, want 16 bytes" + useText,
		},
		{
			src:      hex,
			ofPrefix: "36 characters, want 33" + useUUID,
			ofText:   "36 characters, want 26" + useUUID,
			ofBinary: "36 characters, want 16 bytes" + useUUID,
		},
		{
			src:      known[:],
			ofPrefix: "16 characters, want 33" + useBinary,
			ofText:   "16 bytes, want 26" + useBinary,
			ofUUID:   "16 bytes, want 36" + useBinary,
		},
		{
			src:      string(known[:]),
			ofPrefix: "16 characters, want 33",
			ofText:   "16 bytes, want 26",
			ofUUID:   "16 bytes, want 36",
			ofBinary: "cannot scan the type string, want a []byte",
		},
		{ // cut by a column
			src:      "member_" + text[:9],
			ofPrefix: "16 characters, want 33",
			ofText:   "16 characters, want 26",
			ofUUID:   "16 characters, want 36",
			ofBinary: "cannot scan the type string, want a []byte",
		},
		{ // cut by a column
			src:      "member_" + text[:25],
			ofPrefix: "32 characters, want 33",
			ofText:   "32 characters, want 26",
			ofUUID:   "32 characters, want 36",
			ofBinary: "32 characters, want 16 bytes",
		},
		{ // padded by a longer CHAR
			src:      "member_" + text + " ",
			ofPrefix: "34 characters, want 33",
			ofText:   "34 characters, want 26",
			ofUUID:   "34 characters, want 36",
			ofBinary: "34 characters, want 16 bytes",
		},
		{ // not NULL
			src:      "",
			ofPrefix: "0 characters, want 33",
			ofText:   "0 characters, want 26",
			ofUUID:   "0 characters, want 36",
			ofBinary: "0 characters, want 16 bytes",
		},
		{
			src:      []byte(nil), // drivers give nil for NULL
			ofPrefix: "0 characters, want 33",
			ofText:   "0 characters, want 26",
			ofUUID:   "0 characters, want 36",
			ofBinary: "0 characters, want 16 bytes",
		},
		{
			src:      int64(1),
			ofPrefix: "cannot scan the type int64, want a string or []byte",
			ofText:   "cannot scan the type int64, want a string or []byte",
			ofUUID:   "cannot scan the type int64, want a string or []byte",
			ofBinary: "cannot scan the type int64, want a []byte",
		},
		{
			src:      time.Time{},
			ofPrefix: "cannot scan the type time.Time, want a string or []byte",
			ofText:   "cannot scan the type time.Time, want a string or []byte",
			ofUUID:   "cannot scan the type time.Time, want a string or []byte",
			ofBinary: "cannot scan the type time.Time, want a []byte",
		},
		{
			src:      [16]byte(known),
			ofPrefix: "cannot scan the type [16]uint8, want a string or []byte",
			ofText:   "cannot scan the type [16]uint8, want a string or []byte",
			ofUUID:   "cannot scan the type [16]uint8, want a string or []byte",
			ofBinary: "cannot scan the type [16]uint8, want a []byte",
		},
	} {
		srcs := []any{tt.src}
		if s, ok := tt.src.(string); ok && len(s) != len(known) { // TestScanCut has 16 bytes
			srcs = append(srcs, []byte(s))
		}
		for _, src := range srcs {
			testScan[member](t, src, "member ID: ", tt.ofPrefix)
			testScan[order](t, src, "order ID: ", tt.ofText)
			testScan[plain](t, src, "plain ID: ", tt.ofText)
			testScan[user](t, src, "user ID: ", tt.ofUUID)
			testScan[uuid](t, src, "uuid ID: ", tt.ofUUID)
			testScan[doc](t, src, "doc ID: ", tt.ofBinary)
			testScan[raw](t, src, "raw ID: ", tt.ofBinary)
		}
		if t.Failed() {
			return // the others would say the same
		}
	}
	testScan[member](t, make([]byte, 16), "member ID: ", "16 characters, want 33") // of 1970
}

// testScan scans src over the ID of the row before. With a message, that is the error, which leaves
// the old ID.
func testScan[K Kind](t *testing.T, src any, name, message string) {
	t.Helper()
	old := ID[K](ulid.MustParse("7ZZZZZZZZZZZZZZZZZZZZZZZZZ"))
	id := old
	err := id.Scan(src)
	if message == "" {
		if err != nil || id.ULID() != known {
			t.Errorf("%sScan(%T %.60[2]q) = %v, and it is %v, want %v", name, src, err, id, ID[K](known))
		}
		return
	}
	if err == nil || err.Error() != name+message || !errors.Is(err, errorOf(message)) || id != old {
		t.Errorf("%sScan(%T %.60[2]q) = %v, and it is %v, want %q", name, src, err, id, message)
	}
}

// errorOf returns the error of the library that one with the message matches.
func errorOf(message string) error {
	switch {
	case strings.HasPrefix(message, "cannot scan"):
		return ulid.ErrScanValue
	case strings.HasPrefix(message, "invalid character"), strings.HasPrefix(message, "prefix"):
		return ulid.ErrInvalidCharacters
	}
	return ulid.ErrDataSize
}

// TestScanCut has texts that a column cut to 16 characters, as bytes. Only a BinaryColumn takes them for an ID.
func TestScanCut(t *testing.T) {
	for _, text := range []string{"member_" + text[:9], text[:16], hex[:16], "________________"} {
		testScan[member](t, []byte(text), "member ID: ", "16 characters, want 33")
		testScan[order](t, []byte(text), "order ID: ", "16 characters, want 26")
		testScan[user](t, []byte(text), "user ID: ", "16 characters, want 36")
		var id ID[doc]
		if err := id.Scan([]byte(text)); err != nil || string(id.Bytes()) != text {
			t.Errorf("Scan(%q) = %v, %v", text, id, err)
		}
	}
}

// TestScanZero reads NULL, which gives the zero ID, and the zero ID, which is not NULL.
func TestScanZero(t *testing.T) {
	testScanZero[member](t)
	testScanZero[plain](t)
	testScanZero[user](t)
	testScanZero[doc](t)
}

func testScanZero[K Kind](t *testing.T) {
	t.Helper()
	stored, _ := ID[K]{}.Value()
	for _, src := range []any{nil, stored} {
		id := ID[K](known)
		if err := id.Scan(src); err != nil || !id.IsZero() {
			t.Errorf("%T.Scan(%v) = %v, and it is %v, want nil, zero", id, src, err, id)
		}
	}
	if stored == nil {
		t.Errorf("%T stores the zero ID as NULL", ID[K]{})
	}
}

// TestHasTheMethodsOfULID shows that an ID has every method of a ULID that reads, and that those
// whose result is not the kind's return what the ULID's do.
func TestHasTheMethodsOfULID(t *testing.T) {
	ids := []ulid.ULID{
		{},
		{15: 1}, // the time alone is zero
		known,   // a UUIDv7
		ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV"),
		ulid.MustParse("7ZZZZZZZZZZZZZZZZZZZZZZZZY"), // the time alone is the largest
		ulid.MustParse("7ZZZZZZZZZZZZZZZZZZZZZZZZZ"),
	}
	all, id := reflect.TypeFor[*ulid.ULID](), reflect.TypeFor[*ID[user]]()
	for i := range all.NumMethod() {
		name := all.Method(i).Name
		_, has := id.MethodByName(name)
		if _, left := leftOut[name]; has == left {
			t.Errorf("either ID or leftOut must have ULID's method %s: add it, or name it in leftOut", name)
		}
	}
	if t.Failed() {
		return
	}
	for _, id := range ids {
		for _, other := range ids {
			checkMethods[user](t, id, other)
			checkMethods[plain](t, id, other)
		}
	}
}

// leftOut names the methods of ULID that ID does not have.
var leftOut = map[string]string{
	"Next": "of a bound for a query, where FirstAt and LastAt do; otherwise of id.ULID()",
}

// ofTheKind has the methods that have the kind's text or value, which TestForms, TestGoString and TestScan have.
var ofTheKind = []string{
	"String", "GoString", "AppendText", "MarshalText", "Value", "UnmarshalText", "UnmarshalBinary", "Scan",
}

// checkMethods calls the methods of id, and those of the same ID of a kind.
func checkMethods[K Kind](t *testing.T, id, other ulid.ULID) {
	t.Helper()
	as := ID[K](id)
	want, got := reflect.ValueOf(&id), reflect.ValueOf(&as)
	for i := range want.NumMethod() {
		name := want.Type().Method(i).Name
		if _, left := leftOut[name]; left || slices.Contains(ofTheKind, name) {
			continue
		}
		var args, wantArgs []reflect.Value
		switch name {
		case "Compare":
			args, wantArgs = []reflect.Value{reflect.ValueOf(ID[K](other))}, []reflect.Value{reflect.ValueOf(other)}
		case "AppendBinary":
			args = []reflect.Value{reflect.ValueOf([]byte("id="))}
			wantArgs = args
		}
		if want.Method(i).Type().NumIn() != len(args) {
			t.Fatalf("add the arguments of the method %s to checkMethods", name)
		}
		results, wantResults := got.MethodByName(name).Call(args), want.Method(i).Call(wantArgs)
		for i := range wantResults {
			if got, want := results[i].Interface(), wantResults[i].Interface(); !reflect.DeepEqual(got, want) {
				t.Fatalf("%T(%s).%s = %v, want %v", as, id, name, got, want)
			}
		}
	}
}

// TestGoString shows that %#v is Go code.
func TestGoString(t *testing.T) {
	got := fmt.Sprintf("%#v", []any{ID[user](known), ID[plain](known)})
	const want = `[]interface {}{typed.MustParse[typed.user]("user_01h455vb4pex5vsknk084sn02q"), ` +
		`typed.MustParse[typed.plain]("01H455VB4PEX5VSKNK084SN02Q")}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestMake shows that IDs of all kinds are of now and in one order, and that those of ulid.Fill are too.
func TestMake(t *testing.T) {
	before := time.Now().Truncate(time.Millisecond)
	var ids []ulid.ULID
	for n := range 10 {
		users, docs := make([]ID[user], n), make([]ID[doc], n)
		ids = append(ids, Make[user]().ULID(), Make[doc]().ULID(), Make[plain]().ULID())
		ulid.Fill(users)
		ulid.Fill(docs)
		for _, id := range users {
			ids = append(ids, id.ULID())
		}
		for _, id := range docs {
			ids = append(ids, id.ULID())
		}
	}
	for i := range ids[1:] {
		if ids[i].Compare(ids[i+1]) != -1 {
			t.Fatalf("%v comes after %v", ids[i+1], ids[i])
		}
	}
	first, last := ID[user](ids[0]).Time(), ids[len(ids)-1].Time()
	if first.Before(before) || last.After(time.Now().Add(time.Second)) {
		t.Errorf("they are of %v to %v, want of %v and a second at most", first, last, before)
	}
	at := known.Time()
	if FirstAt[user](at).ULID() != ulid.FirstAt(at) || LastAt[user](at).ULID() != ulid.LastAt(at) {
		t.Errorf("the ends of the millisecond are %v and %v", FirstAt[user](at), LastAt[user](at))
	}
}

// TestFrom shows that the IDs are those of the Generator.
func TestFrom(t *testing.T) {
	g, twin := newGenerator(), newGenerator()
	var ids []ID[user]
	var want []ulid.ULID
	for _, n := range []int{0, 1, 63, 64, 65, 300} {
		more, wantMore := make([]ID[user], n), make([]ulid.ULID, n)
		if err := errors.Join(FillFrom(g, more), twin.Fill(wantMore)); err != nil {
			t.Fatal(err)
		}
		ids, want = append(ids, more...), append(want, wantMore...)
	}
	for range 3 {
		id, err := From[user](g)
		wantID, wantErr := twin.Make()
		if err != nil || wantErr != nil {
			t.Fatal(err, wantErr)
		}
		ids, want = append(ids, id), append(want, wantID)
	}
	for i := range ids {
		if ids[i].ULID() != want[i] {
			t.Fatalf("ID %d is %v, want %v", i, ids[i], ID[user](want[i]))
		}
	}
}

// newGenerator returns a Generator that makes the same IDs each time.
func newGenerator() *ulid.Generator {
	return &ulid.Generator{Entropy: zeroReader{}, Clock: known.Time}
}

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestFromFails shows that an error of the Generator comes back, with zeros.
func TestFromFails(t *testing.T) {
	g := newGenerator()
	for _, n := range []int{3, 300} {
		g.Entropy = io.LimitReader(zeroReader{}, int64(n)*8-4) // an ID takes 8 bytes
		ids := slices.Repeat([]ID[user]{ID[user](known)}, n)
		if err := FillFrom(g, ids); err != io.ErrUnexpectedEOF || !slices.Equal(ids, make([]ID[user], n)) {
			t.Errorf("FillFrom of %d makes %v …, %v; want zeros, %v", n, ids[:3], err, io.ErrUnexpectedEOF)
		}
	}
	if id, err := From[user](g); err != io.EOF || !id.IsZero() {
		t.Errorf("From = %v, %v; want zero, %v", id, err, io.EOF)
	}
}

// Kinds whose prefix the specification refuses, and one at its limit.
type (
	upper      struct{ TextColumn }
	underscore struct{ PrefixColumn }
	tooLong    struct{ UUIDColumn }
	longest    struct{ PrefixColumn }
	empty      struct{ PrefixColumn }
)

func (empty) Prefix() string      { return "" }
func (upper) Prefix() string      { return "User" }
func (underscore) Prefix() string { return "user_" }
func (tooLong) Prefix() string    { return strings.Repeat("a", 64) }
func (longest) Prefix() string {
	return "abcdefghi_klmnopqrst_vwxyzabcdefghi_klmnopqrst_vwxyzabcdefghijk"
}

// TestKind shows that a prefix which the specification refuses is found by whatever is called first.
func TestKind(t *testing.T) {
	testKind[upper](t, "\"User\" of typed.upper")
	testKind[underscore](t, "\"user_\" of typed.underscore")
	testKind[tooLong](t, "of typed.tooLong")
	testKind[empty](t, "\"\" of typed.empty")
	for _, bad := range []string{"_a", "a_", "a-b", "a1", "1", "a1b", "ä", "a b", "a{b", "A", "aB", "_"} {
		if isPrefix(bad) {
			t.Errorf("%q is accepted", bad)
		}
	}
	if id := Make[longest](); MustParse[longest](id.String()) != id {
		t.Errorf("%v does not come back", id)
	}
}

func testKind[K Kind](t *testing.T, want string) {
	for name, call := range map[string]func(){
		"Make":     func() { Make[K]() },
		"From":     func() { From[K](newGenerator()) },
		"FillFrom": func() { FillFrom[K](newGenerator(), nil) },
		"Parse":    func() { Parse[K](zeros) },
		"String":   func() { _ = ID[K]{}.String() },
		"Scan":     func() { _ = new(ID[K]).Scan("a_b").Error() },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("%s panics with %s, want %s", name, got, want)
				}
			}()
			call()
		}()
	}
}

// TestNoKind shows which types the compiler refuses as a kind: those whose zero value has no column, such as pointers,
// and those with a PrefixColumn and no prefix.
func TestNoKind(t *testing.T) {
	const source = `package typed
		type user struct{ UUIDColumn }
		type pointer = *user
		type withField struct{ UUIDColumn; n int }
		type twoColumns struct{ PrefixColumn; TextColumn }

		type member struct{ PrefixColumn }
		func (member) Prefix() string { return "member" }
		type guest member // inherits no method
		type bare struct{ PrefixColumn }
		type misspelt struct{ PrefixColumn }
		func (misspelt) Prefx() string { return "misspelt" }
		type byPointer struct{ PrefixColumn }
		func (*byPointer) Prefix() string { return "pointer" }`
	files := token.NewFileSet()
	code, err := parser.ParseFile(files, "typed.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := parser.ParseFile(files, "kinds.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{Error: func(error) {}} // it finds no imports, and Kind needs none
	pkg, _ := config.Check("typed", files, []*ast.File{code, kinds}, nil)
	kind := pkg.Scope().Lookup("Kind").Type().Underlying().(*types.Interface)
	for name, want := range map[string]bool{
		"user": true, "pointer": false, "withField": false, "twoColumns": false,
		"member": true, "guest": false, "bare": false, "misspelt": false, "byPointer": false,
	} {
		if got := types.Satisfies(pkg.Scope().Lookup(name).Type(), kind); got != want {
			t.Errorf("%s is a kind: %t, want %t", name, got, want)
		}
	}
}

// TestNames shows how errors name kinds without a prefix, and that the prefix alone tells kinds apart.
func TestNames(t *testing.T) {
	type local struct{ TextColumn }
	_, errLocal := Parse[local]("")
	_, errAnonymous := Parse[struct{ TextColumn }]("")
	_, errAdmin := Parse[admin]("user_" + zeros)
	for want, err := range map[string]error{
		"local ID: 0 characters, want 26":    errLocal,
		"ID: 0 characters, want 26":          errAnonymous,
		`admin ID: prefix "user", want none`: errAdmin,
	} {
		if err == nil || err.Error() != want {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
	if id, err := Parse[guest]("user_" + text); err != nil || id.ULID() != known {
		t.Errorf("the ID of a kind with the same prefix is read as %v, %v", id, err)
	}
}

// admin does not inherit the prefix of user, and guest has the same.
type (
	admin user
	guest struct{ TextColumn }
)

func (guest) Prefix() string { return "user" }

// TestLongInput shows that what is too long to be an ID is neither copied nor searched.
func TestLongInput(t *testing.T) {
	testLongInput[user](t)
	testLongInput[plain](t)
	testLongInput[member](t)
	testLongInput[doc](t)
}

func testLongInput[K Kind](t *testing.T) {
	long := bytes.Repeat([]byte("a"), 1<<25)
	s := string(long)
	var id ID[K]
	value, _ := id.Value()
	wantText := fmt.Sprintf("%s: %d characters, want %d", nameOf[K](), len(s), len(id.String()))
	wantStored := fmt.Sprintf("%s: %d characters, want %d", nameOf[K](), len(s), reflect.ValueOf(value).Len())
	if _, ok := value.([]byte); ok {
		wantStored += " bytes"
	}
	for name, read := range map[string]func() error{
		"Parse": func() error {
			_, err := Parse[K](s)
			return err
		},
		"UnmarshalText": func() error { return id.UnmarshalText(long) },
		"Scan string":   func() error { return id.Scan(s) },
		"Scan []byte":   func() error { return id.Scan(long) },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := read()
		runtime.ReadMemStats(&after)
		want := wantText
		if strings.HasPrefix(name, "Scan") {
			want = wantStored
		}
		if err == nil || err.Error() != want || !errors.Is(err, ulid.ErrDataSize) {
			t.Errorf("%T: %s returns %v, want %s", id, name, err, want)
		}
		if size := after.TotalAlloc - before.TotalAlloc; size > 1<<20 {
			t.Errorf("%T: %s allocates %d bytes", id, name, size)
		}
	}
}

func TestMustParse(t *testing.T) {
	defer func() {
		const want = `user ID: 3 characters, want 31 in MustParse("bad")`
		if err, _ := recover().(error); fmt.Sprint(err) != want || !errors.Is(err, ulid.ErrDataSize) {
			t.Errorf("it panics with %v, want %s", err, want)
		}
	}()
	MustParse[user]("bad")
}

func TestAllocs(t *testing.T) {
	id, b, ids := Make[longest](), make([]byte, 0, 100), make([]ID[longest], 100)
	g := new(ulid.Generator)
	s := id.String()
	text := []byte(s)
	var srcString, srcBytes any = s, text
	lost := 0.0 // the race detector lets ulid's pool lose ChaCha8s; it also makes crypto/rand allocate
	if testing.AllocsPerRun(100, func() { rand.Read(make([]byte, 8)) }) > 0 {
		lost = 2
	}
	for name, tt := range map[string]struct {
		want float64
		call func()
	}{
		"Make":          {0, func() { Make[longest]() }},
		"Fill":          {0, func() { ulid.Fill(ids) }},
		"From":          {0, func() { From[longest](g) }},
		"FillFrom":      {0, func() { FillFrom(g, ids) }},
		"AppendText":    {0, func() { id.AppendText(b) }},
		"Parse":         {0, func() { Parse[longest](s) }},
		"UnmarshalText": {0, func() { id.UnmarshalText(text) }},
		"Scan string":   {0, func() { id.Scan(srcString) }},
		"Scan []byte":   {0, func() { id.Scan(srcBytes) }},
		"Compare":       {0, func() { id.Compare(id) }},
		"String":        {1, func() { _ = id.String() }},
		"MarshalText":   {1, func() { id.MarshalText() }},
		// What database/sql calls: a string or slice, and the interface that holds it.
		"Value of a prefix": {2, func() { value, _ = id.Value() }},
		"Value of text":     {2, func() { value, _ = ID[order](known).Value() }},
		"Value of a UUID":   {2, func() { value, _ = ID[user](known).Value() }},
		"Value of bytes":    {2, func() { value, _ = ID[doc](known).Value() }},
		// Its text is not made: two errors, one in the other, and the other prefix.
		"another kind": {3, func() { Parse[user]("order_01h455vb4pex5vsknk084sn02q") }},
	} {
		if n := testing.AllocsPerRun(100, tt.call); n < tt.want || n > tt.want+lost {
			t.Errorf("%s allocates %v times, want %v", name, n, tt.want)
		}
	}
}

var value driver.Value // so that it is on the heap

// FuzzParse compares Parse with the obvious way.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "user_" + text, "user_" + zeros, "user__" + text, "ninechars_" + text,
		text, strings.ToUpper(text), hex,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		fuzzParse[plain](t, s)
		fuzzParse[user](t, s)
		fuzzParse[nine](t, s)
	})
}

func fuzzParse[K Kind](t *testing.T, s string) {
	var want ulid.ULID
	var kind K
	err := errors.New("no prefix")
	rest := s
	ok := kind.Prefix() == ""
	if !ok {
		rest, ok = strings.CutPrefix(s, kind.Prefix()+"_")
		ok = ok && rest == strings.ToLower(rest)
	}
	if ok {
		want, err = ulid.Parse(rest)
	}
	got, gotErr := Parse[K](s)
	if got.ULID() != want || (gotErr == nil) != (err == nil) {
		t.Errorf("Parse(%q) = %v, %v, want %v, %v", s, got, gotErr, want, err)
	}
}
