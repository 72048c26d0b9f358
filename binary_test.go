package ulid

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

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
		t.Run(base, func(t *testing.T) {
			for i := range base {
				for c := range 256 {
					text := base[:i] + string([]byte{byte(c)}) + base[i+1:]
					checkUUID(t, text)
					if _, err := ParseUUID(text); err != nil && err != (InvalidCharacterError{i, byte(c)}) {
						t.Fatalf("ParseUUID(%q) = %v", text, err)
					}
				}
			}
		})
	}
}

func TestParseUUID(t *testing.T) {
	bad := func(offset int, c byte) error { return InvalidCharacterError{offset, c} }
	for _, tt := range []struct {
		text string
		want error
	}{
		{knownUUID, nil},
		{"01563DF3-6481-D676-4C61-EFB99302BD5B", nil},
		{"01563df3-6481-D676-4c61-eFb99302bD5b", nil},
		{"", ErrDataSize},
		{knownUUID[1:], ErrDataSize},                                // 35 characters
		{knownUUID + "0", ErrDataSize},                              // 37
		{"{" + knownUUID + "}", ErrDataSize},                        // as Microsoft writes it
		{"urn:uuid:" + knownUUID, ErrDataSize},                      // as a URN
		{strings.ReplaceAll(knownUUID, "-", ""), ErrDataSize},       // without hyphens
		{knownText, ErrDataSize},                                    // for Parse
		{knownUUID[:35] + "g", bad(35, 'g')},                        // a digit of Base32, not of hexadecimal
		{"01563df3_6481-d676-4c61-efb99302bd5b", bad(8, '_')},       // not a hyphen
		{"01563df-36481-d676-4c61-efb99302bd5b", bad(7, '-')},       // a hyphen too early
		{"0156-df3-6481-d676-4c61-efb99302bd5g", bad(4, '-')},       // the first of two
		{"01563df3-6481-d676-4c61-efb99302bd5 ", bad(35, ' ')},      // no space is skipped
		{"01563df3-6481-d676-4c61-efb99302bd\u00e9", bad(34, 0xc3)}, // 36 bytes of UTF-8
	} {
		t.Run(fmt.Sprintf("%+q", tt.text), func(t *testing.T) {
			want := known
			if tt.want != nil {
				want = ULID{}
			}
			if id, err := ParseUUID(tt.text); err != tt.want || id != want {
				t.Errorf("ParseUUID = %s, %v; want %v", id, err, tt.want)
			}
		})
	}
}

func TestScan(t *testing.T) {
	type named string
	type array [16]byte
	bad := func(offset int, c byte) error { return InvalidCharacterError{offset, c} }
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
		{"AsUUID", AsUUID(known), known, nil},
		{"AsBinary", AsBinary(known), known, nil},
		{"another array of 16 bytes", array(known), known, nil}, // as the UUID types of Go

		{"16 bytes in a string", string(known[:]), ULID{}, ErrDataSize}, // more likely a cut-off text
		{"empty string", "", ULID{}, ErrDataSize},                       // not NULL
		{"no bytes", []byte{}, ULID{}, ErrDataSize},
		{"nil bytes", []byte(nil), ULID{}, ErrDataSize},         // not NULL either: drivers give nil for that
		{"27 characters", knownText + " ", ULID{}, ErrDataSize}, // as a CHAR(27) column pads it
		{"17 bytes", append(known.Bytes(), 0), ULID{}, ErrDataSize},
		{"braced UUID", "{" + knownUUID + "}", ULID{}, ErrDataSize},
		{"wrong character", knownText[:25] + "U", ULID{}, bad(25, 'U')},
		{"wrong character as bytes", []byte("!" + knownText[1:]), ULID{}, bad(0, '!')},
		{"look-alike", "O" + knownText[1:], ULID{}, bad(0, 'O')}, // for ParseLenient only
		{"wrong character in UUID", knownUUID[:35] + "g", ULID{}, bad(35, 'g')},
		{"overflow", "8" + knownText[1:], ULID{}, ErrOverflow},
		{"overflow as bytes", []byte("8" + knownText[1:]), ULID{}, ErrOverflow},
		{"int64", int64(1), ULID{}, ErrScanValue}, // one of the types of driver.Value
		{"float64", 1.5, ULID{}, ErrScanValue},    // and the others
		{"bool", true, ULID{}, ErrScanValue},
		{"time", time.Now(), ULID{}, ErrScanValue},
		{"named string", named(knownText), ULID{}, ErrScanValue}, // no type that a driver returns
		{"json.Number", json.Number(knownText), ULID{}, ErrScanValue},
		{"sql.RawBytes", sql.RawBytes(knownText), ULID{}, ErrScanValue},
		{"pointer", &known, ULID{}, ErrScanValue},
		{"17 bytes in an array", [17]byte{}, ULID{}, ErrScanValue},
		{"16 numbers", [16]int8{}, ULID{}, ErrScanValue},
		{"struct of 16 bytes", struct{ ULID }{known}, ULID{}, ErrScanValue},
	} {
		t.Run(tt.name, func(t *testing.T) {
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
					t.Errorf("Scan = %v, want %v", err, tt.err)
				}
				if tt.err == ErrScanValue && !strings.HasSuffix(err.Error(), fmt.Sprintf(": %T", tt.src)) {
					t.Errorf("%q does not name the type", err)
				}
			}
			if id != want || ULID(asBinary) != want || ULID(asUUID) != want {
				t.Errorf("Scan set %s, %s, %s; want %s", id, asBinary, asUUID, want)
			}
		})
	}
}

// The driver may overwrite the bytes of a row after Scan.
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

func TestValue(t *testing.T) {
	for _, tt := range []struct {
		name   string
		valuer driver.Valuer
		want   any
	}{
		{"ULID", known, knownText},
		{"AsBinary", AsBinary(known), known.Bytes()},
		{"AsUUID", AsUUID(known), knownUUID},
		{"zero ULID", ULID{}, "00000000000000000000000000"}, // not NULL
	} {
		t.Run(tt.name, func(t *testing.T) {
			value, err := tt.valuer.Value()
			if err != nil || !reflect.DeepEqual(value, tt.want) {
				t.Errorf("Value() = %T %[1]v, %v; want %T %[3]v", value, err, tt.want)
			}
		})
	}
}

// Scan of each type reads what Value of any of them returns.
func TestScanReadsValue(t *testing.T) {
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

// AsBinary and AsUUID have every method of ULID that reads. All but Value return what that of
// ULID returns.
func TestAsHasTheMethodsOfULID(t *testing.T) {
	for _, tt := range []struct {
		name      string
		id, other ULID
	}{
		{"less", known, MustParse(largestID)},
		{"greater", MustParse(largestID), known},
		{"zero", ULID{}, ULID{}},
	} {
		t.Run("AsBinary, "+tt.name, func(t *testing.T) {
			checkMethods(t, tt.id, tt.other, AsBinary(tt.id), AsBinary(tt.other))
		})
		t.Run("AsUUID, "+tt.name, func(t *testing.T) {
			checkMethods(t, tt.id, tt.other, AsUUID(tt.id), AsUUID(tt.other))
		})
	}
}

// checkMethods calls the methods of id, and those of as, which is the same ID of another type.
func checkMethods(t *testing.T, id, other ULID, as, asOther any) {
	left := []string{"Next", "Prev", "MarshalTextTo", "MarshalBinaryTo"}
	got, want := reflect.ValueOf(as), reflect.ValueOf(id)
	for i := range want.NumMethod() {
		name := want.Type().Method(i).Name
		method := got.MethodByName(name)
		if slices.Contains(left, name) {
			if method.IsValid() {
				t.Errorf("%T has %s: amend its comment", as, name)
			}
			continue
		}
		if !method.IsValid() {
			t.Errorf("%T has no %s", as, name)
			continue
		}
		var args, wantArgs []reflect.Value
		switch name {
		case "Value":
			continue // TestValue
		case "Compare":
			args, wantArgs = []reflect.Value{reflect.ValueOf(asOther)}, []reflect.Value{reflect.ValueOf(other)}
		case "AppendText", "AppendBinary":
			args = []reflect.Value{reflect.ValueOf([]byte("id="))}
			wantArgs = args
		}
		result, wantResult := method.Call(args), want.Method(i).Call(wantArgs)
		for i := range wantResult {
			if got, want := result[i].Interface(), wantResult[i].Interface(); !reflect.DeepEqual(got, want) {
				t.Errorf("%T.%s = %v, want %v", as, name, got, want)
			}
		}
	}
	// The methods of a pointer too, which set.
	left = append(left, "SetTime", "SetEntropy")
	pointer := reflect.PointerTo(got.Type())
	for i := range reflect.TypeFor[*ULID]().NumMethod() {
		name := reflect.TypeFor[*ULID]().Method(i).Name
		if _, has := pointer.MethodByName(name); has == slices.Contains(left, name) {
			t.Errorf("*%T has %s: %t", as, name, has)
		}
	}
}

// AsBinary and AsUUID read text and bytes as a ULID does. TestScan has their Scan.
func TestAsUnmarshals(t *testing.T) {
	type readable interface {
		UnmarshalText([]byte) error
		UnmarshalBinary([]byte) error
	}
	var (
		binary AsBinary
		uuid   AsUUID
	)
	other := MustParse(largestID)
	for _, tt := range []struct {
		name string
		id   readable
		got  func() ULID
	}{
		{"AsBinary", &binary, func() ULID { return ULID(binary) }},
		{"AsUUID", &uuid, func() ULID { return ULID(uuid) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.id.UnmarshalText([]byte(knownText)); err != nil || tt.got() != known {
				t.Errorf("UnmarshalText = %v, and the ULID is %s", err, tt.got())
			}
			if err := tt.id.UnmarshalText([]byte(knownText[1:])); err != ErrDataSize || tt.got() != known {
				t.Errorf("UnmarshalText of 25 characters = %v, and the ULID is %s", err, tt.got())
			}
			if err := tt.id.UnmarshalBinary(known[1:]); err != ErrDataSize || tt.got() != known {
				t.Errorf("UnmarshalBinary of 15 bytes = %v, and the ULID is %s", err, tt.got())
			}
			if err := tt.id.UnmarshalBinary(other[:]); err != nil || tt.got() != other {
				t.Errorf("UnmarshalBinary = %v, and the ULID is %s", err, tt.got())
			}
		})
	}
}

func checkUUID(t *testing.T, text string) {
	t.Helper()
	want, ok := slowParseUUID(text)
	id, err := ParseUUID(text)
	if id != want || (err == nil) != ok {
		t.Fatalf("ParseUUID(%q) = %s, %v; want %s, and ok is %t", text, id, err, want, ok)
	}
}
