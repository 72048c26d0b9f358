package ulid

import (
	"bytes"
	"fmt"
	"math/big"
	"reflect"
	"slices"
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

func checkUUID(t *testing.T, text string) {
	t.Helper()
	want, wantOK := referenceParseUUID(text)
	wantErr := referenceUUIDError(text)
	if wantOK != (wantErr == nil) {
		t.Fatalf("%q matches the pattern: %t, but %v", text, wantOK, wantErr)
	}
	if id, err := ParseUUID(text); id != UUID(want) || !isExactly(err, wantErr) {
		t.Fatalf("ParseUUID(%q) = %s, %v; want %s, %v", text, id, err, want, wantErr)
	}
}

// Each type has every method of ULID, and each method is tested, of all types.
func TestMethods(t *testing.T) {
	all, table := reflect.TypeFor[*ULID](), idTypes[0].results(known, known)
	for i := range all.NumMethod() {
		name := all.Method(i).Name
		if table[name] == nil && !slices.Contains(ownTest, name) {
			t.Errorf("ULID.%s has no test: add it to results, or write one and name the method in ownTest", name)
		}
		for _, typ := range idTypes[1:] {
			if _, has := reflect.TypeOf(typ.pointer(known)).MethodByName(name); has == slices.Contains(leftOut, name) {
				t.Errorf("either %s or leftOut must have ULID's method %s: add it, or name it in leftOut", typ.name, name)
			}
		}
	}
	for _, typ := range idTypes[1:] { // a MarshalJSON, Format, LogValue … would write another text than String
		own := reflect.TypeOf(typ.pointer(known))
		for i := range own.NumMethod() {
			if _, has := all.MethodByName(own.Method(i).Name); !has {
				t.Errorf("%s has the method %s, which ULID lacks", typ.name, own.Method(i).Name)
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
	for _, typ := range idTypes {
		for _, id := range ids {
			for _, other := range ids {
				typ.checkMethods(t, id, other)
			}
		}
	}
}

// leftOut has the methods of ULID that the other types do not have, because they are for fields.
var leftOut = []string{"AppendBinary", "Bytes", "Next"}

// ownTest has the methods of ULID that have a test of their own.
var ownTest = []string{"GoString", "Next", "Scan", "UnmarshalBinary", "UnmarshalText", "Value"}

// results has what the methods of an ID return, with arguments from checkMethods.
func (typ idType) results(id, other ULID) map[string][]any {
	text, n := typ.text(id), new(big.Int).SetBytes(id[:6])
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
func (typ idType) checkMethods(t *testing.T, id, other ULID) {
	t.Helper()
	for name, want := range typ.results(id, other) {
		method := reflect.ValueOf(typ.of(id)).MethodByName(name)
		if !method.IsValid() {
			if reflect.ValueOf(typ.pointer(id)).MethodByName(name).IsValid() {
				t.Errorf("%s has %s only by a pointer", typ.name, name)
			}
			continue // TestMethods knows why
		}
		var args []reflect.Value
		switch name {
		case "Compare":
			args = []reflect.Value{reflect.ValueOf(typ.of(other))}
		case "AppendText", "AppendBinary":
			args = []reflect.Value{reflect.ValueOf([]byte("id="))}
		}
		var got []any
		for _, result := range method.Call(args) {
			got = append(got, result.Interface())
		}
		reflect.ValueOf(typ.of(other)).MethodByName(name).Call(args) // must not change what the first call returned
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s(%s).%s = %v, want %v", typ.name, id, name, got, want)
		}
	}
}

// %#v is Go code.
func TestGoString(t *testing.T) {
	for _, typ := range idTypes {
		want := `ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")`
		switch typ.name {
		case "UUID":
			want = `ulid.MustParseUUID("01563df3-6481-d676-4c61-efb99302bd5b")`
		case "AsUUID", "AsBinary":
			want = "ulid." + typ.name + "(" + want + ")"
		}
		if got := fmt.Sprintf("%#v %#v", typ.of(known), typ.pointer(known)); got != want+" "+want {
			t.Errorf("got  %s\nwant %[2]s %[2]s", got, want)
		}
	}
}
