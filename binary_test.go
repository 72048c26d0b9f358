package ulid

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// UnmarshalText reads 26 characters, and UnmarshalBinary 16 bytes. Neither reads what only Scan
// does, or takes null for no ID.
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

func TestScan(t *testing.T) {
	for _, tt := range []struct {
		name string
		src  any
		want ULID
	}{
		{"NULL", nil, ULID{}},
		{"text", knownText, known},
		{"text as bytes", []byte(knownText), known},
		{"UUID", knownUUID, known},
		{"UUID as bytes", []byte(knownUUID), known},
		{"bytes", known[:], known},
		{"array", [16]byte(known), known},
		{"zero array", [16]byte{}, ULID{}}, // not NULL, but read as it is
	} {
		t.Run(tt.name, func(t *testing.T) { testScan(t, tt.src, tt.want, nil) })
	}
}

func TestScanRefuses(t *testing.T) {
	type named string
	type element byte
	bad := func(offset int, c byte) error { return InvalidCharacterError{offset, c} }
	for _, tt := range []struct {
		name string
		src  any
		err  error
	}{
		{"16 bytes in a string", string(known[:]), ErrDataSize}, // more likely a cut-off text
		{"empty string", "", ErrDataSize},                       // not NULL
		{"no bytes", []byte{}, ErrDataSize},
		{"nil bytes", []byte(nil), ErrDataSize},         // not NULL either: drivers give nil for that
		{"27 characters", knownText + " ", ErrDataSize}, // as a CHAR(27) column pads it
		{"UUID without hyphens", strings.ReplaceAll(knownUUID, "-", ""), ErrDataSize},
		{"UUID in braces", "{" + knownUUID + "}", ErrDataSize},
		{"17 bytes", append(known.Bytes(), 0), ErrDataSize},
		{"wrong character", knownText[:25] + "U", bad(25, 'U')},
		{"wrong character as bytes", []byte("!" + knownText[1:]), bad(0, '!')},
		{"look-alike", "O" + knownText[1:], bad(0, 'O')}, // for ParseLenient only
		{"wrong character in UUID", knownUUID[:35] + "g", bad(35, 'g')},
		{"overflow", "8" + knownText[1:], ErrOverflow},
		{"int64", int64(1), ErrScanValue},
		{"time", time.Now(), ErrScanValue},
		{"named string", named(knownText), ErrScanValue}, // no type that a driver returns
		{"sql.RawBytes", sql.RawBytes(knownText), ErrScanValue},
		{"pointer", &known, ErrScanValue},
		{"ULID", known, ErrScanValue}, // no type that a driver returns
		{"17 bytes in an array", [17]byte{}, ErrScanValue},
		{"16 numbers", [16]int8{}, ErrScanValue},
		{"16 bytes of another type", [16]element{}, ErrScanValue},
		{"struct of 16 bytes", struct{ ULID }{known}, ErrScanValue},
	} {
		t.Run(tt.name, func(t *testing.T) { testScan(t, tt.src, MustParse(largestID), tt.err) })
	}
}

// testScan scans src into the largest ULID, by each type.
func testScan(t *testing.T, src any, want ULID, wantErr error) {
	var (
		id       = MustParse(largestID)
		asBinary = AsBinary(id)
		asUUID   = AsUUID(id)
	)
	for _, err := range []error{id.Scan(src), asBinary.Scan(src), asUUID.Scan(src)} {
		if !errors.Is(err, wantErr) {
			t.Errorf("Scan = %v, want %v", err, wantErr)
		}
		namesType := strings.HasSuffix(fmt.Sprint(err), fmt.Sprintf("the type %T, want a string, []byte or [16]byte", src))
		if wantErr == ErrScanValue && !namesType {
			t.Errorf("Scan = %v, which does not name the type %T", err, src)
		}
	}
	if id != want || ULID(asBinary) != want || ULID(asUUID) != want {
		t.Errorf("Scan set %s, %s, %s; want %s", id, asBinary, asUUID, want)
	}
}

// Scan of each type reads what Value of any of them returns.
func TestValue(t *testing.T) {
	for _, id := range samples() {
		for _, tt := range []struct {
			valuer driver.Valuer
			want   any
		}{
			{id, referenceString(id)}, // the zero ULID too, not NULL
			{AsBinary(id), id[:]},
			{AsUUID(id), referenceUUIDString(id)},
		} {
			value, err := tt.valuer.Value()
			if err != nil || !reflect.DeepEqual(value, tt.want) {
				t.Fatalf("Value() of %T = %T %[2]v, %v; want %T %[4]v", tt.valuer, value, err, tt.want)
			}
			var (
				plain    ULID
				asBinary AsBinary
				asUUID   AsUUID
			)
			if err := errors.Join(plain.Scan(value), asBinary.Scan(value), asUUID.Scan(value)); err != nil {
				t.Fatalf("Scan of %T %[1]v: %v", value, err)
			}
			if plain != id || ULID(asBinary) != id || ULID(asUUID) != id {
				t.Fatalf("Scan of %T %[1]v set %s, %s, %s; want %s", value, plain, asBinary, asUUID, id)
			}
		}
	}
}

// AsBinary and AsUUID have every method of ULID that reads. All but Value return what the method of
// ULID returns.
func TestAsHasTheMethodsOfULID(t *testing.T) {
	ids := []ULID{
		{},
		{15: 1}, // the time alone is zero
		known,
		referenceLayout(1<<40, 12345),
		MustParse(largestID),
	}
	for _, as := range []reflect.Type{reflect.TypeFor[*AsBinary](), reflect.TypeFor[*AsUUID]()} {
		if missing := missingMethods(as); !slices.Equal(missing, leftOut) {
			t.Errorf("%v lacks the methods %v of ULID, and leftOut says %v", as, missing, leftOut)
		}
	}
	if t.Failed() {
		return
	}
	for _, id := range ids {
		for _, other := range ids {
			checkMethods(t, id, other, AsBinary(id), AsBinary(other))
			checkMethods(t, id, other, AsUUID(id), AsUUID(other))
		}
	}
}

// leftOut has the method of ULID that AsBinary and AsUUID do not have, which is of a bound for a query.
var leftOut = []string{"Next"}

// missingMethods returns the names of the methods that ULID has and a type has not.
func missingMethods(as reflect.Type) (names []string) {
	all := reflect.TypeFor[*ULID]()
	for i := range all.NumMethod() {
		name := all.Method(i).Name
		if _, ok := as.MethodByName(name); !ok {
			names = append(names, name)
		}
	}
	return names
}

// checkMethods calls the methods of id, and those of as, which is the same ID of another type.
func checkMethods(t *testing.T, id, other ULID, as, asOther any) {
	t.Helper()
	want, got := reflect.ValueOf(id), reflect.ValueOf(as)
	for i := range want.NumMethod() {
		name := want.Type().Method(i).Name
		if name == "Value" || name == "GoString" || slices.Contains(leftOut, name) {
			continue // TestValue and TestGoString have these
		}
		var args, wantArgs []reflect.Value
		switch name {
		case "Compare":
			args, wantArgs = []reflect.Value{reflect.ValueOf(asOther)}, []reflect.Value{reflect.ValueOf(other)}
		case "AppendText", "AppendBinary":
			args = []reflect.Value{reflect.ValueOf([]byte("id="))}
			wantArgs = args
		}
		if want.Method(i).Type().NumIn() != len(args) {
			t.Fatalf("checkMethods has no arguments for the method %s", name)
		}
		results, wantResults := got.MethodByName(name).Call(args), want.Method(i).Call(wantArgs)
		for i := range wantResults {
			if got, want := results[i].Interface(), wantResults[i].Interface(); !reflect.DeepEqual(got, want) {
				t.Errorf("%T(%s).%s = %v, want %v", as, id, name, got, want)
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
	if id, err := ParseUUID(text); id != want || !errors.Is(err, wantErr) {
		t.Fatalf("ParseUUID(%q) = %s, %v; want %s, %v", text, id, err, want, wantErr)
	}
}
