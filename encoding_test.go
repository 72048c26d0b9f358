package ulid

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// The table of pairs holds what the alphabet says. No other test formats all 1,024 of them.
func TestPairs(t *testing.T) {
	var want strings.Builder
	for _, a := range "0123456789ABCDEFGHJKMNPQRSTVWXYZ" {
		for _, b := range Encoding {
			want.WriteRune(a)
			want.WriteRune(b)
		}
	}
	if pairs != want.String() {
		t.Error("pairs differs from the alphabet")
	}
}

// Every byte at every position, in texts of upper, lower and mixed case, of small and large value.
func TestParseEveryByteEverywhere(t *testing.T) {
	for _, base := range []string{
		knownText, "00000000000000000000000000", strings.ToLower(largestID),
		"7hJkMnPqRsTvWxYz0123456789",
	} {
		for i := range base {
			for c := range 256 {
				text := base[:i] + string([]byte{byte(c)}) + base[i+1:]
				want, wantErr := referenceParse(text)
				checkParse(t, text, want, wantErr)
				checkLenient(t, text)
				checkLenient(t, "-"+text[:8]+"--"+text[8:13]+"-"+text[13:]+"-")
			}
		}
	}
}

// The first is reported, in whichever groups they are.
func TestParseTwoWrongCharacters(t *testing.T) {
	for i := range knownText {
		for j := range i {
			text := []byte(knownText)
			text[i], text[j] = '!', 'U'
			checkParse(t, string(text), ULID{}, InvalidCharacterError{Offset: j, Char: 'U'})
		}
	}
}

// A program that ends with the panic shows which constant is wrong.
func TestMustParse(t *testing.T) {
	for name, mustParse := range map[string]func(string) ULID{
		"MustParse": MustParse, "MustParseStrict": MustParseStrict,
	} {
		if id := mustParse(knownText); id != known {
			t.Errorf("%s = %s, want %s", name, id, known)
		}
		for text, want := range map[string]error{
			knownText[1:]:          ErrDataSize,
			"8" + knownText[1:]:    ErrOverflow,
			"O" + knownText[1:]:    ErrInvalidCharacters, // a look-alike, for ParseLenient only
			"\"\n" + knownText[2:]: ErrInvalidCharacters, // must be quoted in the message
		} {
			err := panicOf(func() { mustParse(text) })
			if !errors.Is(err, want) {
				t.Errorf("%s(%q) panics with %v, want %v", name, text, err, want)
			}
			if quoted := fmt.Sprintf(" in MustParse(%q)", text); !strings.HasSuffix(fmt.Sprint(err), quoted) {
				t.Errorf("%s(%q) panics with %v, want it to end in%s", name, text, err, quoted)
			}
		}
	}
}

func TestMustParseUUID(t *testing.T) {
	if id := MustParseUUID(knownUUID); id != known {
		t.Errorf("MustParseUUID = %s, want %s", id, known)
	}
	err := panicOf(func() { MustParseUUID(knownText) })
	if !errors.Is(err, ErrDataSize) {
		t.Errorf("MustParseUUID of a text panics with %v, want %v", err, ErrDataSize)
	}
	quoted := fmt.Sprintf(" in MustParseUUID(%q)", knownText)
	if !strings.HasSuffix(fmt.Sprint(err), quoted) {
		t.Errorf("MustParseUUID of a text panics with %v, want it to end in%s", err, quoted)
	}
}

// panicOf returns the error with which f panics, or nil.
func panicOf(f func()) (err error) {
	defer func() { err, _ = recover().(error) }()
	f()
	return nil
}

// The Append methods keep what is before, and write in place if there is room.
func TestAppend(t *testing.T) {
	appendUUID := func(b []byte) ([]byte, error) { return known.AppendUUID(b), nil }
	for name, tt := range map[string]struct {
		append func([]byte) ([]byte, error)
		want   string
	}{
		"AppendText":            {known.AppendText, knownText},
		"AppendBinary":          {known.AppendBinary, string(known[:])},
		"AppendUUID":            {appendUUID, knownUUID},
		"AsBinary.AppendText":   {AsBinary(known).AppendText, knownText},
		"AsBinary.AppendBinary": {AsBinary(known).AppendBinary, string(known[:])},
		"AsUUID.AppendText":     {AsUUID(known).AppendText, knownText},
		"AsUUID.AppendBinary":   {AsUUID(known).AppendBinary, string(known[:])},
	} {
		t.Run(name, func(t *testing.T) {
			for room := range 40 {
				prefix := append(make([]byte, 0, 3+room), "id="...)
				got, err := tt.append(prefix)
				if string(got) != "id="+tt.want || err != nil {
					t.Fatalf("with room for %d: %q, %v", room, got, err)
				}
				if inPlace := &got[0] == &prefix[0]; inPlace != (room >= len(tt.want)) {
					t.Errorf("with room for %d: in place is %t", room, inPlace)
				}
			}
			if got, err := tt.append(nil); string(got) != tt.want || err != nil {
				t.Errorf("of nil: %q, %v", got, err)
			}
		})
	}
}

// JSON has the string, and accepts no other text.
func TestJSON(t *testing.T) {
	type document struct {
		ID      ULID         `json:"id"`
		Parent  *ULID        `json:"parent"`
		Omitted ULID         `json:"omitted,omitzero"`
		ByID    map[ULID]int `json:"byID"`
		Binary  AsBinary     `json:"binary"`
		UUID    AsUUID       `json:"uuid"`
	}
	doc := document{
		ID: known, ByID: map[ULID]int{known: 1}, Binary: AsBinary(known), UUID: AsUUID(known),
	}
	const want = `{"id":"01ARYZ6S41TSV4RRFFQ69G5FAV","parent":null,` +
		`"byID":{"01ARYZ6S41TSV4RRFFQ69G5FAV":1},` +
		`"binary":"01ARYZ6S41TSV4RRFFQ69G5FAV","uuid":"01ARYZ6S41TSV4RRFFQ69G5FAV"}`
	text, err := json.Marshal(doc)
	if err != nil || string(text) != want {
		t.Fatalf("Marshal = %s, %v\nwant %s", text, err, want)
	}
	var back document
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, doc) {
		t.Errorf("Unmarshal = %+v, want %+v", back, doc)
	}

	id, pointer := known, &known
	for _, text := range []string{`""`, `"` + knownUUID + `"`, `1`, `{}`, `[1]`} {
		if err := json.Unmarshal([]byte(text), &id); err == nil {
			t.Errorf("%s is read as %s", text, id)
		}
	}
	var byID map[ULID]int
	if err := json.Unmarshal([]byte(`{"U1ARYZ6S41TSV4RRFFQ69G5FAV":1}`), &byID); err == nil {
		t.Errorf("the map %v is read, with a wrong character in its key", byID)
	}
	// A null sets a pointer to nil, and leaves a value as it is, as encoding/json has it.
	if err := json.Unmarshal([]byte("null"), &id); err != nil {
		t.Errorf("null for a value: %v", err)
	}
	if err := json.Unmarshal([]byte("null"), &pointer); err != nil || pointer != nil {
		t.Errorf("null for a pointer: %v, and it is %v, want nil", err, pointer)
	}
	if id != known {
		t.Errorf("the ULID became %s, want %s", id, known)
	}
}

// checkParse checks what the strict readers make of text.
func checkParse(t *testing.T, text string, want ULID, wantErr error) {
	t.Helper()
	if id, err := Parse(text); id != want || err != wantErr {
		t.Fatalf("Parse(%q) = %s, %v; want %s, %v", text, id, err, want, wantErr)
	}
	if id, err := ParseStrict(text); id != want || err != wantErr {
		t.Fatalf("ParseStrict(%q) = %s, %v; want %s, %v", text, id, err, want, wantErr)
	}
	if wantErr != nil {
		want = known // unchanged
	}
	id := known
	if err := id.UnmarshalText([]byte(text)); id != want || err != wantErr {
		t.Fatalf("UnmarshalText(%q) = %v, and the ULID is %s; want %v, %s", text, err, id, wantErr, want)
	}
}

func checkLenient(t *testing.T, s string) {
	t.Helper()
	text, offsets := referenceLenient(s)
	want, wantErr := referenceParse(text)
	if bad, ok := wantErr.(InvalidCharacterError); ok {
		bad.Offset = offsets[bad.Offset]
		wantErr = bad
	}
	if id, err := ParseLenient(s); id != want || err != wantErr {
		t.Fatalf("ParseLenient(%q) = %s, %v; want %s, %v", s, id, err, want, wantErr)
	}
}
