package ulid

import (
	"database/sql/driver"
	"encoding"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

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
	mustParseUUID := func(s string) ULID { return ULID(MustParseUUID(s)) }
	for _, tt := range []struct {
		name  string // in the panic
		parse func(string) ULID
		text  string
		err   error // or nil
	}{
		{"MustParse", MustParse, knownText, nil},
		{"MustParse", MustParse, knownText[1:], ErrSyntax},
		{"MustParse", MustParse, "8" + knownText[1:], ErrOverflow},
		{"MustParse", MustParse, "O" + knownText[1:], ErrSyntax},    // a look-alike, for ParseLenient only
		{"MustParse", MustParse, "\"\n" + knownText[2:], ErrSyntax}, // must be quoted in the message
		{"MustParseUUID", mustParseUUID, knownUUID, nil},
		{"MustParseUUID", mustParseUUID, knownText, ErrSyntax},
		{"MustParseUUID", mustParseUUID, "g" + knownUUID[1:], ErrSyntax},
	} {
		var id ULID
		err := panicOf(func() { id = tt.parse(tt.text) })
		if !errors.Is(err, tt.err) {
			t.Errorf("%s(%q) panics with %v, want %v", tt.name, tt.text, err, tt.err)
		}
		if tt.err == nil {
			if id != known {
				t.Errorf("%s(%q) = %s, want %s", tt.name, tt.text, id, known)
			}
			continue
		}
		quoted := fmt.Sprintf(" in %s(%q)", tt.name, tt.text)
		if !strings.HasSuffix(fmt.Sprint(err), quoted) {
			t.Errorf("%s(%q) panics with %v, want it to end in%s", tt.name, tt.text, err, quoted)
		}
	}
}

// The Append methods keep what is before, and write in place if there is room.
func TestAppend(t *testing.T) {
	for name, tt := range map[string]struct {
		append func([]byte) ([]byte, error)
		want   string
	}{
		"AppendText":   {known.AppendText, knownText},
		"AppendBinary": {known.AppendBinary, string(known[:])},
		"of a UUID":    {UUID(known).AppendText, knownUUID},
	} {
		t.Run(name, func(t *testing.T) {
			for room := range 40 {
				prefix := append(make([]byte, 0, 3+room), "id="...)
				got, err := tt.append(prefix)
				if string(got) != "id="+tt.want || err != nil {
					t.Fatalf("with room for %d: %q, %v; want %q", room, got, err, "id="+tt.want)
				}
				if inPlace := &got[0] == &prefix[0]; inPlace != (room >= len(tt.want)) {
					t.Fatalf("with room for %d: in place is %t, want %t", room, inPlace, !inPlace)
				}
			}
			if got, err := tt.append(nil); string(got) != tt.want || err != nil {
				t.Errorf("of nil: %q, %v", got, err)
			}
		})
	}
}

// Goroutines that print and store IDs at the same time do not mix them up.
func TestTextsAreNotShared(t *testing.T) {
	type printer interface {
		fmt.Stringer
		UUIDString() string
		driver.Valuer
		encoding.TextAppender
		encoding.TextMarshaler
	}
	var group sync.WaitGroup
	for _, id := range []ULID{{}, known, MustParse(largestID), Make()} {
		for _, typ := range idTypes {
			text, uuid := typ.text(id), referenceUUIDString(id)
			stored := map[format]string{textFormat: text, uuidFormat: uuid, binaryFormat: string(id[:])}[typ.stores]
			want := text + uuid + stored + text + text
			group.Go(func() {
				p := typ.of(id).(printer)
				for range 10_000 {
					value, _ := p.Value()
					appended, _ := p.AppendText(nil)
					marshaled, _ := p.MarshalText()
					got := fmt.Sprintf("%s%s%s%s%s", p, p.UUIDString(), value, appended, marshaled)
					if got != want {
						t.Errorf("%s: got %q, want %q", typ.name, got, want)
						return
					}
				}
			})
		}
	}
	group.Wait()
}

// checkParse checks what the strict readers make of text.
func checkParse(t *testing.T, text string, want ULID, wantErr error) {
	t.Helper()
	if id, err := Parse(text); id != want || !isExactly(err, wantErr) {
		t.Fatalf("Parse(%q) = %s, %v; want %s, %v", text, id, err, want, wantErr)
	}
	if wantErr != nil {
		want = known // unchanged
	}
	id := known
	if err := id.UnmarshalText([]byte(text)); id != want || !isExactly(err, wantErr) {
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
	if id, err := ParseLenient(s); id != want || !isExactly(err, wantErr) {
		t.Fatalf("ParseLenient(%q) = %s, %v; want %s, %v", s, id, err, want, wantErr)
	}
}
