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
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

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
	checkUUID(t, "01234567-89AB-CDEF-abcd-ef0123456!89") // after each digit
	for i := range knownUUID {
		for j := range i {
			for _, bad := range []string{"!g", "\xff/", "\xb0-"} {
				checkUUID(t, knownUUID[:j]+bad[:1]+knownUUID[j+1:i]+bad[1:]+knownUUID[i+1:])
			}
		}
	}
}

// A type reads its own format. The error for another one names the type that reads it, whatever the lengths are.
func TestScanFormats(t *testing.T) {
	lower := strings.ToLower(knownText)
	v4, del := mustHex("9f3c2a2fb4d84e2fa1b2c3d4e5f6a7b8"), mustHex("6161616161616161616161616161617f")
	for _, tt := range []struct {
		src    any
		format format
		id     ULID
	}{
		{knownText, textFormat, known},
		{lower, textFormat, known},
		{knownUUID, uuidFormat, known},
		{strings.ToUpper(knownUUID), uuidFormat, known},
		{"u_" + lower, prefixFormat, known},
		{"users_" + lower, prefixFormat, known},
		{"workspace_" + lower, prefixFormat, known}, // as long as a UUID
		{strings.Repeat("a", 63) + "_" + lower, prefixFormat, known},
		{known[:], binaryFormat, known},
		{make([]byte, 16), binaryFormat, ULID{}},
		{v4[:], binaryFormat, v4}, // without a control character
		{del[:], binaryFormat, del},
		{mustHex("01020304050670008000000000000000").Bytes(), binaryFormat, mustHex("01020304050670008000000000000000")},
	} {
		sources := []any{tt.src}
		if text, ok := tt.src.(string); ok {
			sources = append(sources, []byte(text))
		}
		for _, src := range sources {
			message := func(reads format) string {
				if reads == tt.format {
					return ""
				}
				return "this is " + string(tt.format)
			}
			testScan[ULID](t, src, tt.id, message(textFormat))
			testScan[AsUUID](t, src, tt.id, message(uuidFormat))
			testScan[AsBinary](t, src, tt.id, message(binaryFormat))
		}
		if t.Failed() {
			return // the others would say the same
		}
	}
}

// The error for what has no format says what came and what the type reads.
func TestScanNoFormat(t *testing.T) {
	const noBytes = "cannot scan 16 bytes from a string"
	for text, want := range map[string]struct{ ulid, asUUID, asBinary string }{
		"":                    {"length 0, want 26", "length 0, want 36", "length 0, want 16"}, // not NULL
		knownText[:25]:        {"length 25, want 26", "length 25, want 36", "length 25, want 16"},
		knownText + " ":       {"length 27, want 26", "length 27, want 36", "length 27, want 16"}, // of a CHAR(27)
		"{" + knownUUID + "}": {"length 38, want 26", "length 38, want 36", "length 38, want 16"},
		knownText[:25] + "U": {
			"invalid character 'U' at offset 25", "length 26, want 36; Parse reads the 26 of a ULID", "length 26, want 16",
		},
		"8" + knownText[1:]: {
			"greater than 7ZZZZZZZZZZZZZZZZZZZZZZZZZ, the largest ULID",
			"length 26, want 36; Parse reads the 26 of a ULID", "length 26, want 16",
		},
		knownUUID[:35] + "g": {
			"length 36, want 26; ParseUUID reads the UUID format", "invalid character 'g' at offset 35",
			"length 36, want 16",
		},
		// What a user could bring into a row.
		strings.Repeat("a", 10<<20) + "_" + knownText: {
			"length 10485787, want 26", "length 10485787, want 36", "length 10485787, want 16",
		},
	} {
		testScan[ULID](t, text, known, want.ulid)
		testScan[AsUUID](t, text, known, want.asUUID)
		testScan[AsBinary](t, text, known, noBytes)
		testScan[ULID](t, []byte(text), known, want.ulid)
		testScan[AsUUID](t, []byte(text), known, want.asUUID)
		testScan[AsBinary](t, []byte(text), known, want.asBinary)
	}
	// A column may have cut a text to 16 characters. AsBinary cannot tell.
	for _, cut := range []string{
		knownText[:16], knownUUID[:16], "workspace_01aryz", "01ARYZ6S41TS    ", strings.Repeat("~", 16),
	} {
		testScan[ULID](t, []byte(cut), known, "length 16, want 26")
		testScan[AsUUID](t, []byte(cut), known, "length 16, want 36")
		testScan[AsBinary](t, []byte(cut), ULID([]byte(cut)), "")
	}
	// Drivers that give bytes as a string would give texts as bytes.
	testScan[ULID](t, string(known[:]), known, "length 16, want 26")
	testScan[AsUUID](t, string(known[:]), known, "length 16, want 36")
	testScan[AsBinary](t, string(known[:]), known, noBytes)
	// Drivers give nil for NULL, and not this.
	testScan[ULID](t, []byte(nil), known, "length 0, want 26")
}

// The format is right with each character changed to each byte, left out, or doubled.
func TestFormatOf(t *testing.T) {
	prefixed := regexp.MustCompile(`^[a-z]([a-z_]{0,61}[a-z])?_[0-7][0-9a-hjkmnp-tv-z]{25}$`)
	failed := 0
	check := func(text string) {
		want := unknownFormat
		_, textErr := referenceParse(text)
		_, isUUID := referenceParseUUID(text)
		switch {
		case textErr == nil:
			want = textFormat
		case isUUID:
			want = uuidFormat
		case prefixed.MatchString(text):
			want = prefixFormat
		}
		got, ofBytes := formatOf(text), formatOf([]byte(text))
		if got == want && ofBytes == want {
			return
		}
		failed++
		if failed <= 3 {
			t.Errorf("%q has the format %q, and as bytes %q; want %q", text, got, ofBytes, want)
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
	if failed > 3 {
		t.Errorf("and %d more", failed-3)
	}
}

// What a user could bring into a row is not copied.
func TestScanOfHugeBytes(t *testing.T) {
	huge := bytes.Repeat([]byte("a"), 1<<25)
	for _, id := range []sql.Scanner{new(ULID), new(AsUUID), new(AsBinary)} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := id.Scan(huge)
		runtime.ReadMemStats(&after)
		if size := after.TotalAlloc - before.TotalAlloc; err == nil || size > 1<<20 {
			t.Errorf("%T.Scan of %d bytes = %v, and allocates %d bytes", id, len(huge), err, size)
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
		message := fmt.Sprintf("cannot scan an ID from a value of type %T", src)
		testScan[ULID](t, src, known, message)
		testScan[AsUUID](t, src, known, message)
		testScan[AsBinary](t, src, known, message)
	}
}

// testScan scans src over the ID of the row before. With a message, that is the error, which leaves the old ID and
// wraps nothing: code that answers the errors of Parse with the status 400 must not do so here.
func testScan[T ~[16]byte](t *testing.T, src any, want ULID, message string) {
	t.Helper()
	old := MustParse(largestID)
	if message != "" {
		want = old
		message = "ulid: " + message
	}
	id := T(old)
	err := any(&id).(sql.Scanner).Scan(src)
	shown := fmt.Sprintf("%T.Scan(%s)", id, show(src))
	if ULID(id) != want {
		t.Errorf("%s sets %s, want %s", shown, ULID(id), want)
	}
	switch {
	case message == "" && err != nil:
		t.Errorf("%s = %v, want nil", shown, err)
	case message != "" && (err == nil || err.Error() != message):
		t.Errorf("%s = %v, want %s", shown, err, message)
	case errors.Unwrap(err) != nil:
		t.Errorf("%s = %v, which wraps %v; want nothing", shown, err, errors.Unwrap(err))
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
	checkUnmarshal[ULID](t)
	checkUnmarshal[AsBinary](t)
	checkUnmarshal[AsUUID](t)
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

// leftOut has the methods of ULID that AsBinary and AsUUID do not have, because they are SQL's types.
var leftOut = []string{"AppendBinary", "Bytes", "Next"}

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
			if reflect.ValueOf(&id).MethodByName(name).IsValid() {
				t.Errorf("%T has %s only by a pointer", id, name)
			}
			continue // TestAsHasTheMethodsOfULID knows why
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

// checkUnmarshal checks that UnmarshalText reads 26 characters, whatever the type's Scan reads, and UnmarshalBinary
// 16 bytes. Neither takes null for no ID.
func checkUnmarshal[T ~[16]byte](t *testing.T) {
	t.Helper()
	forms := []string{knownText, string(known[:]), knownUUID, "", "null", knownText[1:], fmt.Sprintf("%x", known[:])}
	before := T(MustParse(largestID))
	for name, good := range map[string]string{"UnmarshalText": knownText, "UnmarshalBinary": string(known[:])} {
		for _, form := range forms {
			id, want := before, before
			var wantErr error = ErrSyntax
			if form == good {
				want, wantErr = T(known), nil
			}
			unmarshal := reflect.ValueOf(&id).MethodByName(name).Interface().(func([]byte) error)
			if err := unmarshal([]byte(form)); !isExactly(err, wantErr) || id != want {
				t.Errorf("%T.%s(%q) = %v, and sets %s; want %v, %s", id, name, form, err, ULID(id), wantErr, ULID(want))
			}
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
	if id, err := ParseUUID(text); id != want || !isExactly(err, wantErr) {
		t.Fatalf("ParseUUID(%q) = %s, %v; want %s, %v", text, id, err, want, wantErr)
	}
}
