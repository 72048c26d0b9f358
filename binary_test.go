package ulid

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// UnmarshalText reads 26 characters, and UnmarshalBinary 16 bytes, whatever the type's Scan reads.
// Neither takes null for no ID.
func TestUnmarshalReadsOneForm(t *testing.T) {
	forms := []string{
		knownText, string(known[:]), knownUUID, "", "null", knownText[1:], strings.ReplaceAll(knownUUID, "-", ""),
	}
	before := MustParse(largestID)
	plain, asBinary, asUUID := before, AsBinary(before), AsUUID(before)
	for _, id := range []interface {
		UnmarshalText([]byte) error
		UnmarshalBinary([]byte) error
		String() string
	}{&plain, &asBinary, &asUUID} {
		check := func(method string, read func([]byte) error, form, good string) {
			t.Helper()
			plain, asBinary, asUUID = before, AsBinary(before), AsUUID(before)
			want, wantErr := largestID, ErrDataSize
			if form == good {
				want, wantErr = knownText, nil
			}
			if err := read([]byte(form)); !errors.Is(err, wantErr) || id.String() != want {
				t.Errorf("%T.%s(%q) = %v, and the ULID is %s; want %v, %s", id, method, form, err, id, wantErr, want)
			}
		}
		for _, form := range forms {
			check("UnmarshalText", id.UnmarshalText, form, knownText)
			check("UnmarshalBinary", id.UnmarshalBinary, form, string(known[:]))
		}
	}
}

func TestParseUUIDEveryByteEverywhere(t *testing.T) {
	for _, base := range []string{knownUUID, "00000000-0000-0000-0000-000000000000"} {
		for i := range base {
			for c := range 256 {
				checkUUID(t, base[:i]+string([]byte{byte(c)})+base[i+1:])
			}
		}
	}
}

// The first is reported, whatever it carries into the other.
func TestParseUUIDTwoWrongCharacters(t *testing.T) {
	for i := range knownUUID {
		for j := range i {
			for _, bad := range []string{"!g", "\xff/", "\xb0-"} {
				checkUUID(t, knownUUID[:j]+bad[:1]+knownUUID[j+1:i]+bad[1:]+knownUUID[i+1:])
			}
		}
	}
}

// Each type reads its own format. The error for anything else says what came and what the type reads,
// and names the type for a value in the format of another.
func TestScanText(t *testing.T) {
	const (
		prefixed = "user_01aryz6s41tsv4rrffq69g5fav"
		useText  = "; ULID strings are for ULID or TextColumn"
		useUUID  = "; UUIDs are for AsUUID or UUIDColumn"
		usePref  = "; IDs with a prefix are for PrefixColumn"
	)
	for _, tt := range []struct {
		text                   string
		ulid, asUUID, asBinary string // the errors, or "" if it is read
	}{
		{
			text:     knownText,
			asUUID:   "26 characters, want 36" + useText,
			asBinary: "26 characters, want 16 bytes" + useText,
		},
		{
			text:     strings.ToLower(knownText),
			asUUID:   "26 characters, want 36" + useText,
			asBinary: "26 characters, want 16 bytes" + useText,
		},
		{
			text:     knownUUID,
			ulid:     "36 characters, want 26" + useUUID,
			asBinary: "36 characters, want 16 bytes" + useUUID,
		},
		{
			text:     strings.ToUpper(knownUUID),
			ulid:     "36 characters, want 26" + useUUID,
			asBinary: "36 characters, want 16 bytes" + useUUID,
		},
		{
			text:     prefixed,
			ulid:     "31 characters, want 26" + usePref,
			asUUID:   "31 characters, want 36" + usePref,
			asBinary: "31 characters, want 16 bytes" + usePref,
		},
		{ // as long as a UUID, and none
			text:     "ninechars_01aryz6s41tsv4rrffq69g5fav",
			ulid:     "36 characters, want 26" + usePref,
			asUUID:   "invalid character 'n' at offset 0",
			asBinary: "36 characters, want 16 bytes" + usePref,
		},
		{ // not NULL
			text:     "",
			ulid:     "0 characters, want 26",
			asUUID:   "0 characters, want 36",
			asBinary: "0 characters, want 16 bytes",
		},
		{ // cut by a column
			text:     knownText[:25],
			ulid:     "25 characters, want 26",
			asUUID:   "25 characters, want 36",
			asBinary: "25 characters, want 16 bytes",
		},
		{ // padded by a CHAR(27) column
			text:     knownText + " ",
			ulid:     "27 characters, want 26",
			asUUID:   "27 characters, want 36",
			asBinary: "27 characters, want 16 bytes",
		},
		{
			text:     strings.ReplaceAll(knownUUID, "-", ""),
			ulid:     "32 characters, want 26",
			asUUID:   "32 characters, want 36",
			asBinary: "32 characters, want 16 bytes",
		},
		{
			text:     "{" + knownUUID + "}",
			ulid:     "38 characters, want 26",
			asUUID:   "38 characters, want 36",
			asBinary: "38 characters, want 16 bytes",
		},
		{
			text:     knownText[:25] + "U",
			ulid:     "invalid character 'U' at offset 25",
			asUUID:   "26 characters, want 36",
			asBinary: "26 characters, want 16 bytes",
		},
		{ // for ParseLenient only
			text:     "O" + knownText[1:],
			ulid:     "invalid character 'O' at offset 0",
			asUUID:   "26 characters, want 36",
			asBinary: "26 characters, want 16 bytes",
		},
		{
			text:     "8" + knownText[1:],
			ulid:     "greater than 7ZZZZZZZZZZZZZZZZZZZZZZZZZ, the largest ULID",
			asUUID:   "26 characters, want 36",
			asBinary: "26 characters, want 16 bytes",
		},
		{
			text:     knownUUID[:35] + "g",
			ulid:     "36 characters, want 26",
			asUUID:   "invalid character 'g' at offset 35",
			asBinary: "36 characters, want 16 bytes",
		},
		{
			text:     strings.Repeat("é", 13),
			ulid:     "invalid character '\\xc3' at offset 0",
			asUUID:   "26 bytes, want 36",
			asBinary: "26 bytes, want 16 bytes",
		},
		{ // what a user could bring into a row
			text:     strings.Repeat("a", 10<<20) + prefixed,
			ulid:     "10485791 characters, want 26",
			asUUID:   "10485791 characters, want 36",
			asBinary: "10485791 characters, want 16 bytes",
		},
	} {
		for _, src := range []any{tt.text, []byte(tt.text)} {
			testScan[ULID](t, src, known, tt.ulid)
			testScan[AsUUID](t, src, known, tt.asUUID)
			testScan[AsBinary](t, src, known, tt.asBinary)
		}
		if t.Failed() {
			return // the others would say the same
		}
	}
}

// A []byte of 16 bytes is an ID for AsBinary only, which cannot tell that a column cut a text or has
// another order.
func TestScanBinary(t *testing.T) {
	const use = "; 16 bytes are for AsBinary or BinaryColumn"
	cut := []byte(knownText[:16])
	swapped := slices.Concat( // as SQL Server's uniqueidentifier
		[]byte{known[3], known[2], known[1], known[0], known[5], known[4], known[7], known[6]}, known[8:])
	for _, tt := range []struct {
		data []byte
		came string
		use  string
	}{
		{data: known[:], came: "16 bytes", use: use},
		{data: cut, came: "16 characters"},
		{data: swapped, came: "16 bytes"},
		{data: make([]byte, 16), came: "16 characters"},
	} {
		testScan[ULID](t, tt.data, known, tt.came+", want 26"+tt.use)
		testScan[AsUUID](t, tt.data, known, tt.came+", want 36"+tt.use)
		testScan[AsBinary](t, tt.data, ULID(tt.data), "")

		testScan[ULID](t, string(tt.data), known, tt.came+", want 26")
		testScan[AsUUID](t, string(tt.data), known, tt.came+", want 36")
		testScan[AsBinary](t, string(tt.data), known, "cannot scan the type string, want a []byte")
	}
	for _, data := range [][]byte{known[:15], append(known.Bytes(), 0)} {
		got := fmt.Sprint(len(data), " bytes, want ")
		testScan[ULID](t, data, known, got+"26")
		testScan[AsUUID](t, data, known, got+"36")
		testScan[AsBinary](t, data, known, got+"16 bytes")
	}
	// Drivers give nil for NULL, and not this.
	testScan[ULID](t, []byte(nil), known, "0 characters, want 26")
	testScan[AsUUID](t, []byte(nil), known, "0 characters, want 36")
	testScan[AsBinary](t, []byte(nil), known, "0 characters, want 16 bytes")
}

// The hint is right for each format with each character changed to each byte, left out, or doubled.
func TestFormatHint(t *testing.T) {
	prefixed := regexp.MustCompile(`^[a-z]([a-z_]{0,61}[a-z])?_[0-7][0-9a-hjkmnp-tv-z]{25}$`)
	check := func(text string) {
		t.Helper()
		want := ""
		_, textErr := referenceParse(text)
		_, isUUID := referenceParseUUID(text)
		switch {
		case textErr == nil:
			want = "; ULID strings are for ULID or TextColumn"
		case isUUID:
			want = "; UUIDs are for AsUUID or UUIDColumn"
		case prefixed.MatchString(text):
			want = "; IDs with a prefix are for PrefixColumn"
		}
		if got, ofBytes := formatHint(text), formatHint([]byte(text)); got != want || ofBytes != want {
			t.Fatalf("the hint for %q is %q, and for its bytes %q; want %q", text, got, ofBytes, want)
		}
	}
	lower := strings.ToLower(knownText)
	for _, text := range []string{
		knownText, lower, knownUUID, "a_" + lower, "user_" + lower, strings.Repeat("a", 63) + "_" + lower,
	} {
		check(text)
		for i := range text {
			check(text[:i] + text[i+1:])
			check(text[:i] + text[i:i+1] + text[i:])
			for c := range 128 {
				check(text[:i] + string(rune(c)) + text[i+1:])
			}
		}
	}
}

func TestScanNull(t *testing.T) {
	testScan[ULID](t, nil, ULID{}, "")
	testScan[AsUUID](t, nil, ULID{}, "")
	testScan[AsBinary](t, nil, ULID{}, "")
}

// The types of values that are no text and no bytes, most of which no driver returns.
func TestScanType(t *testing.T) {
	type named string
	type element byte
	for _, src := range []any{
		int64(1), 1.5, true, time.Now(),
		named(knownText), sql.RawBytes(knownText), &known, known, AsUUID(known), AsBinary(known),
		[16]byte(known), [17]byte{}, [16]int8{}, [16]element{}, struct{ ULID }{known},
	} {
		message := fmt.Sprintf("cannot scan the type %T, want a ", src)
		testScan[ULID](t, src, known, message+"string or []byte")
		testScan[AsUUID](t, src, known, message+"string or []byte")
		testScan[AsBinary](t, src, known, message+"[]byte")
	}
}

// testScan scans src over the ID of the row before. With a message, that is the error, which leaves
// the old ID.
func testScan[T ~[16]byte](t *testing.T, src any, want ULID, message string) {
	t.Helper()
	old := MustParse(largestID)
	if message != "" {
		want = old
		message = "ulid: " + message
	}
	id := T(old)
	err := any(&id).(sql.Scanner).Scan(src)
	if ULID(id) != want {
		t.Errorf("%T.Scan(%s) sets %s, want %s", id, show(src), ULID(id), want)
	}
	if message == "" {
		if err != nil {
			t.Errorf("%T.Scan(%s) = %v, want nil", id, show(src), err)
		}
		return
	}
	if err == nil || err.Error() != message || !errors.Is(err, errorOf(message)) {
		t.Errorf("%T.Scan(%s) = %v; want %q", id, show(src), err, message)
	}
}

// show returns what a driver gives, for a message.
func show(src any) string {
	switch src.(type) {
	case string, []byte:
		return fmt.Sprintf("%T %.60[1]q", src)
	}
	return fmt.Sprintf("%#v", src)
}

// errorOf returns the error that one with the message matches.
func errorOf(message string) error {
	for _, err := range []error{ErrScanValue, ErrInvalidCharacters, ErrOverflow} {
		if strings.HasPrefix(message, err.Error()) {
			return err
		}
	}
	return ErrDataSize
}

// Scan of each type reads what its Value returns.
func TestValue(t *testing.T) {
	for _, id := range samples() {
		testValue(t, id, referenceString(id)) // the zero ULID too, not NULL
		testValue(t, AsBinary(id), id[:])
		testValue(t, AsUUID(id), referenceUUIDString(id))
	}
}

// Each call of Value returns memory of its own, because a query can have several IDs as its arguments.
func TestValueIsCopy(t *testing.T) {
	first, _ := AsBinary(known).Value()
	AsBinary{}.Value()
	if !reflect.DeepEqual(first, known[:]) {
		t.Errorf("after another call, Value() returned %x, want %x", first, known[:])
	}
}

func testValue[T ~[16]byte](t *testing.T, id T, want any) {
	t.Helper()
	value, err := any(id).(driver.Valuer).Value()
	if err != nil || !reflect.DeepEqual(value, want) {
		t.Fatalf("Value() of %T = %T %[2]v, %v; want %T %[4]v", id, value, err, want)
	}
	var got T
	if err := any(&got).(sql.Scanner).Scan(value); err != nil || got != id {
		t.Fatalf("Scan of %T %[1]v = %v, %v; want %v", value, got, err, id)
	}
}

// AsBinary and AsUUID have every method of ULID, and each is tested, of all three types.
func TestAsHasTheMethodsOfULID(t *testing.T) {
	all, table := reflect.TypeFor[*ULID](), resultsOf(known, known)
	for i := range all.NumMethod() {
		name := all.Method(i).Name
		if table[name] == nil && !slices.Contains(ownTest, name) {
			t.Errorf("ULID.%s has no test: add it to resultsOf, or write one and name the method in ownTest", name)
		}
		for _, as := range []reflect.Type{reflect.TypeFor[*AsBinary](), reflect.TypeFor[*AsUUID]()} {
			if _, has := as.MethodByName(name); has == slices.Contains(leftOut, name) {
				t.Errorf("either %v or leftOut must have ULID's method %s: add it, or name it in leftOut", as, name)
			}
		}
	}
	ids := []ULID{
		{},
		{15: 1}, // the time alone is zero
		known,
		referenceLayout(1<<40, 12345),
		MustParse(largestID),
	}
	for _, id := range ids {
		for _, other := range ids {
			want := resultsOf(id, other)
			checkMethods(t, id, other, want)
			checkMethods(t, AsBinary(id), AsBinary(other), want)
			checkMethods(t, AsUUID(id), AsUUID(other), want)
		}
	}
}

// leftOut has the method of ULID that AsBinary and AsUUID do not have, which is of a bound for a query.
var leftOut = []string{"Next"}

// ownTest has the methods of ULID that have a test of their own.
var ownTest = []string{"GoString", "Next", "Scan", "UnmarshalBinary", "UnmarshalText", "Value"}

// resultsOf has what the methods of an ID return, with arguments from checkMethods.
func resultsOf(id, other ULID) map[string][]any {
	text, n := referenceString(id), new(big.Int).SetBytes(id[:6])
	return map[string][]any{
		"AppendBinary":  {[]byte("id=" + string(id[:])), nil},
		"AppendText":    {[]byte("id=" + text), nil},
		"Bytes":         {id[:]},
		"Compare":       {bytes.Compare(id[:], other[:])},
		"IsZero":        {id == ULID{}},
		"MarshalBinary": {id[:], nil},
		"MarshalText":   {[]byte(text), nil},
		"String":        {text},
		"Time":          {time.UnixMilli(n.Int64())},
		"UUIDString":    {referenceUUIDString(id)},
	}
}

// checkMethods calls those of the methods that the type has.
func checkMethods[T ~[16]byte](t *testing.T, id, other T, want map[string][]any) {
	t.Helper()
	for name, want := range want {
		method := reflect.ValueOf(id).MethodByName(name)
		if !method.IsValid() {
			continue // TestAsHasTheMethodsOfULID reports it
		}
		var args []reflect.Value
		switch name {
		case "Compare":
			args = []reflect.Value{reflect.ValueOf(other)}
		case "AppendText", "AppendBinary":
			args = []reflect.Value{reflect.ValueOf([]byte("id="))}
		}
		var got []any
		for _, result := range method.Call(args) {
			got = append(got, result.Interface())
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%T(%s).%s = %v, want %v", id, ULID(id), name, got, want)
		}
	}
}

func referenceUUIDString(id ULID) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[0:4], id[4:6], id[6:8], id[8:10], id[10:16])
}

func checkUUID(t *testing.T, text string) {
	t.Helper()
	want, wantOK := referenceParseUUID(text)
	wantErr := referenceUUIDError(text)
	if wantOK != (wantErr == nil) {
		t.Fatalf("%q matches the pattern: %t, but %v", text, wantOK, wantErr)
	}
	if id, err := ParseUUID(text); id != want || !errors.Is(err, wantErr) {
		t.Fatalf("ParseUUID(%q) = %s, %v; want %s, %v", text, id, err, want, wantErr)
	}
}
