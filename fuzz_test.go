package ulid

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"
)

// Each fuzz target compares with a reference, of reference_test.go, and begins with the conformance
// vectors. An input that fails is written to testdata/fuzz: mend the code, and add the input to the
// vectors or to the target.

func addInputs(f *testing.F, sections ...[]vector) {
	for _, section := range sections {
		for _, v := range section {
			f.Add(v.input(f))
		}
	}
}

var textPattern = regexp.MustCompile(`^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$`) // as in docs/guarantees.md

func FuzzParse(f *testing.F) {
	vectors := readVectors(f)
	addInputs(f, vectors.Valid, vectors.Invalid)
	f.Fuzz(func(t *testing.T, s string) {
		want, wantErr := referenceParse(s)
		checkParse(t, s, want, wantErr)
		if wantErr == nil && want.String() != strings.ToUpper(s) {
			t.Errorf("%s came back as %s", s, want)
		}
		if wantErr == nil != textPattern.MatchString(s) {
			t.Errorf("%q: %v, but the pattern says otherwise", s, wantErr)
		}
	})
}

func FuzzParseLenient(f *testing.F) {
	addInputs(f, readVectors(f).Lenient)
	f.Fuzz(func(t *testing.T, s string) { checkLenient(t, s) })
}

func FuzzParseUUID(f *testing.F) {
	vectors := readVectors(f)
	addInputs(f, vectors.InvalidUUID)
	for _, v := range vectors.UUID {
		f.Add(v.UUID)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkUUID(t, s)
		if id, err := ParseUUID(s); err == nil && id.UUIDString() != strings.ToLower(s) {
			t.Errorf("%s came back as %s", s, id.UUIDString())
		}
	})
}

func FuzzScan(f *testing.F) {
	for kind := range byte(4) {
		for _, s := range []string{
			"", knownText, knownUUID, string(known[:]), "8" + knownText[1:], knownText[1:],
			"{" + knownUUID + "}",
		} {
			f.Add(kind, s)
		}
	}
	f.Fuzz(func(t *testing.T, kind byte, s string) {
		want, wantErr := ULID{}, error(nil)
		readText := func() {
			if len(s) != 36 {
				want, wantErr = referenceParse(s)
			} else if id, ok := referenceParseUUID(s); ok {
				want = id
			} else {
				wantErr = ErrInvalidCharacters
			}
		}
		var src any
		switch kind % 4 {
		case 0: // NULL
		case 1:
			src = s
			readText()
		case 2:
			src = []byte(s)
			if len(s) == 16 {
				want = ULID([]byte(s))
			} else {
				readText()
			}
		default:
			src, wantErr = int64(len(s)), ErrScanValue
		}
		if wantErr != nil {
			want = known // unchanged
		}
		id := known
		if err := id.Scan(src); !errors.Is(err, wantErr) || id != want {
			t.Errorf("Scan(%T %q) = %v, and the ULID is %s; want %v, %s", src, s, err, id, wantErr, want)
		}
	})
}

func FuzzBinary(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(known.Bytes())
	f.Add(bytes.Repeat([]byte{0xff}, 17))
	f.Fuzz(func(t *testing.T, data []byte) {
		id, want, wantErr := known, known, ErrDataSize
		if len(data) == 16 {
			want, wantErr = ULID(data), nil
		}
		if err := id.UnmarshalBinary(data); id != want || err != wantErr {
			t.Errorf("UnmarshalBinary(%x) = %v, and the ULID is %s; want %v, %s", data, err, id, wantErr, want)
		}
		if b, err := id.MarshalBinary(); !bytes.Equal(b, id[:]) || err != nil {
			t.Errorf("MarshalBinary() of %s = %x, %v", id, b, err)
		}
		if b := id.Bytes(); !bytes.Equal(b, id[:]) {
			t.Errorf("Bytes() of %s = %x", id, b)
		}
		if back, err := Parse(id.String()); back != id || err != nil {
			t.Errorf("%s came back from text as %s, %v", id, back, err)
		}
		if back, err := ParseUUID(id.UUIDString()); back != id || err != nil {
			t.Errorf("%s came back from UUID notation as %s, %v", id, back, err)
		}
	})
}
