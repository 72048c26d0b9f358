package ulid

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A type reads its own format. The error for another one names the type that reads it, whatever the lengths are.
// UnmarshalText reads what the type writes, and UnmarshalBinary the 16 bytes.
func TestFormats(t *testing.T) {
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
		for _, typ := range idTypes {
			for _, src := range sources {
				message := ""
				if typ.stores != tt.format {
					message = "this is " + string(tt.format)
				}
				testScan(t, typ, src, tt.id, message)
			}
			data := fmt.Appendf(nil, "%s", tt.src)
			testUnmarshal(t, typ, "UnmarshalText", data, tt.id, typ.writes == tt.format)
			testUnmarshal(t, typ, "UnmarshalBinary", data, tt.id, tt.format == binaryFormat)
		}
		if t.Failed() {
			return // the others would say the same
		}
	}
	for _, typ := range idTypes {
		for _, bad := range []string{
			"", "null", // which is no ID
			knownText[1:], knownUUID[1:], "{" + knownUUID + "}", "urn:uuid:" + knownUUID, fmt.Sprintf("%x", known[:]),
		} {
			testUnmarshal(t, typ, "UnmarshalText", []byte(bad), known, false)
			testUnmarshal(t, typ, "UnmarshalBinary", []byte(bad), known, false)
		}
		id := typ.pointer(known)
		if err := json.Unmarshal([]byte("null"), id); err != nil || ulidOf(id) != known { // no type has an UnmarshalJSON
			t.Errorf("JSON null = %v, and sets a %s to %s; want nil, unchanged", err, typ.name, ulidOf(id))
		}
	}
}

// testUnmarshal checks that a method reads the ID, or leaves the old one with the error of its parser.
func testUnmarshal(t *testing.T, typ idType, method string, data []byte, want ULID, reads bool) {
	t.Helper()
	var wantErr error
	switch {
	case method == "UnmarshalBinary":
		wantErr = new(ULID).UnmarshalBinary(data)
	case typ.writes == uuidFormat:
		_, wantErr = ParseUUID(string(data))
	default:
		_, wantErr = Parse(string(data))
	}
	old := MustParse(largestID)
	if !reads {
		want = old
	}
	id := typ.pointer(old)
	err := reflect.ValueOf(id).MethodByName(method).Interface().(func([]byte) error)(data)
	if ulidOf(id) != want || errors.Is(err, ErrSyntax) == reads || !reflect.DeepEqual(err, wantErr) {
		t.Errorf("%s.%s(%q) = %v, and sets %s; want %v, %s", typ.name, method, data, err, ulidOf(id), wantErr, want)
	}
}

// ulidOf returns the ULID behind a pointer to an ID of any type.
func ulidOf(pointer any) ULID {
	return reflect.ValueOf(pointer).Elem().Convert(reflect.TypeFor[ULID]()).Interface().(ULID)
}

// The error for what has no format says what came and what the type reads.
func TestScanNoFormat(t *testing.T) {
	const noBytes = "cannot scan an ID from a string, want a []byte of 16"
	lengths := func(n int) map[format]string {
		return map[format]string{
			textFormat:   fmt.Sprintf("length %d, want 26", n),
			uuidFormat:   fmt.Sprintf("length %d, want 36", n),
			binaryFormat: fmt.Sprintf("length %d, want 16", n),
		}
	}
	for text, want := range map[string]map[format]string{
		"":                      lengths(0), // not NULL
		knownText[:25]:          lengths(25),
		knownText + " ":         lengths(27), // of a CHAR(27)
		"{" + knownUUID + "}":   lengths(38),
		"urn:uuid:" + knownUUID: lengths(45),
		knownText[:25] + "U": {
			textFormat:   "invalid character 'U' at offset 25",
			uuidFormat:   "length 26, want 36",
			binaryFormat: "length 26, want 16",
		},
		"8" + knownText[1:]: {
			textFormat:   "greater than 7ZZZZZZZZZZZZZZZZZZZZZZZZZ, the largest ULID",
			uuidFormat:   "length 26, want 36",
			binaryFormat: "length 26, want 16",
		},
		knownUUID[:35] + "g": {
			textFormat:   "length 36, want 26",
			uuidFormat:   "invalid character 'g' at offset 35",
			binaryFormat: "length 36, want 16",
		},
		// What a user could bring into a row.
		strings.Repeat("a", 10<<20) + "_" + knownText: lengths(10485787),
		// A column may have cut a text to 16 characters. AsBinary cannot tell.
		knownText[:16]:          lengths(16),
		knownUUID[:16]:          lengths(16),
		"workspace_01aryz":      lengths(16),
		"01ARYZ6S41TS    ":      lengths(16),
		strings.Repeat("~", 16): lengths(16),
	} {
		for _, typ := range idTypes {
			ofBytes, ofString, id := want[typ.stores], want[typ.stores], known
			if typ.stores == binaryFormat {
				ofString = noBytes
			}
			if typ.stores == binaryFormat && len(text) == 16 {
				ofBytes, id = "", ULID([]byte(text))
			}
			testScan(t, typ, []byte(text), id, ofBytes)
			testScan(t, typ, text, id, ofString)
		}
	}
	for _, typ := range idTypes {
		// Drivers that give bytes as a string would give texts as bytes.
		message := lengths(16)[typ.stores]
		if typ.stores == binaryFormat {
			message = noBytes
		}
		testScan(t, typ, string(known[:]), known, message)
		testScan(t, typ, []byte(nil), known, lengths(0)[typ.stores]) // drivers give nil for NULL, and not this
		testScan(t, typ, nil, known, "this is NULL, which a pointer or a sql.Null reads")
	}
	for _, src := range []any{knownText, known[:]} {
		id := MustParse(largestID)
		if err := scan(&id, src, prefixFormat); err == nil || id.String() != largestID {
			t.Errorf("scan of a format that no type of this package stores = %v, and sets %s", err, id)
		}
	}
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
		knownText, lower, knownUUID, "a_" + lower, "a__b_" + lower, strings.Repeat("a", 63) + "_" + lower,
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
	for _, typ := range idTypes {
		id := typ.pointer(known).(sql.Scanner)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := id.Scan(huge)
		runtime.ReadMemStats(&after)
		if size := after.TotalAlloc - before.TotalAlloc; err == nil || size > 1<<20 {
			t.Errorf("%T.Scan of %d bytes = %v, and allocates %d bytes", id, len(huge), err, size)
		}
	}
}

// The types of values that are no text and no bytes, most of which no driver returns.
func TestScanType(t *testing.T) {
	type named string
	type element byte
	sources := []any{
		int64(1), 1.5, true, time.Now(),
		named(knownText), sql.RawBytes(knownText), &known,
		[16]byte(known), [17]byte{}, [16]int8{}, [16]element{}, struct{ ULID }{known},
	}
	for _, typ := range idTypes {
		sources = append(sources, typ.of(known))
	}
	for _, src := range sources {
		for _, typ := range idTypes {
			testScan(t, typ, src, known, fmt.Sprintf("cannot scan an ID from a value of type %T", src))
		}
	}
}

// testScan scans src over the ID of the row before. With a message, that is the error, which leaves the old ID and
// wraps nothing: code that answers the errors of Parse with the status 400 must not do so here.
func testScan(t *testing.T, typ idType, src any, want ULID, message string) {
	t.Helper()
	old := MustParse(largestID)
	if message != "" {
		want = old
		message = "ulid: " + message
	}
	id := typ.pointer(old)
	err := id.(sql.Scanner).Scan(src)
	shown := fmt.Sprintf("%s.Scan(%s)", typ.name, show(src))
	if got := ulidOf(id); got != want {
		t.Errorf("%s sets %s, want %s", shown, got, want)
	}
	switch {
	case message == "" && err != nil:
		t.Errorf("%s = %v, want nil", shown, err)
	case message != "" && (err == nil || err.Error() != message):
		t.Errorf("%s = %v, want %s", shown, err, message)
	case errors.Unwrap(err) != nil || kindOf(err) != kindOf(nil):
		t.Errorf("%s = %v, which wraps another; want nothing", shown, err)
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
	for _, id := range samples() { // the zero ULID too, not NULL
		stored := map[format]any{
			textFormat: referenceString(id), uuidFormat: referenceUUIDString(id), binaryFormat: id[:],
		}
		for _, typ := range idTypes {
			value, err := typ.of(id).(driver.Valuer).Value()
			if want := stored[typ.stores]; err != nil || !reflect.DeepEqual(value, want) {
				t.Fatalf("Value() of %s %s = %T %[3]v, %v; want %T %[5]v", typ.name, id, value, err, want)
			}
			testScan(t, typ, value, id, "")
		}
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
