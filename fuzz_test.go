package ulid

import (
	"database/sql"
	"errors"
	"regexp"
	"strings"
	"testing"
)

// Each target compares with a reference, of reference_test.go, and begins with the conformance vectors. An input that
// fails is written to testdata/fuzz: mend the code, and add the input to the vectors or to the target.

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
	for _, s := range []string{
		"", knownText, knownUUID, string(known[:]), "8" + knownText[1:], knownText[1:], "{" + knownUUID + "}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, src := range []any{s, []byte(s)} {
			id, err := referenceParse(s)
			checkScan[ULID](t, src, id, err)
			id, _ = referenceParseUUID(s)
			checkScan[AsUUID](t, src, id, referenceUUIDError(s))
		}
		if len(s) == 16 {
			checkScan[AsBinary](t, []byte(s), ULID([]byte(s)), nil)
		} else {
			checkScan[AsBinary](t, []byte(s), ULID{}, ErrSyntax)
		}
		checkScan[AsBinary](t, s, ULID{}, ErrSyntax)
	})
}

// checkScan checks that Scan fails where Parse would with wantErr, which it does not wrap.
func checkScan[T ~[16]byte](t *testing.T, src any, want ULID, wantErr error) {
	t.Helper()
	if wantErr != nil {
		want = known // unchanged
	}
	id := T(known)
	err := any(&id).(sql.Scanner).Scan(src)
	if (err == nil) != (wantErr == nil) || errors.Unwrap(err) != nil || ULID(id) != want {
		t.Errorf("Scan(%T %q) = %v, and the %T is %s; want %v, %s", src, src, err, id, ULID(id), wantErr, want)
	}
}

// Every 16 bytes are an ID, which every format carries.
func FuzzBinary(f *testing.F) {
	f.Add(known.Bytes())
	f.Add(known[1:])
	f.Fuzz(func(t *testing.T, data []byte) {
		var id ULID
		if err := id.UnmarshalBinary(data); (err == nil) != (len(data) == 16) {
			t.Errorf("UnmarshalBinary(%x) = %v", data, err)
		}
		b, err := id.MarshalBinary()
		if string(b) != string(id.Bytes()) || err != nil {
			t.Errorf("MarshalBinary() of %s = %x, %v", id, b, err)
		}
		if len(data) == 16 && string(b) != string(data) {
			t.Errorf("%x came back from %s as %x", data, id, b)
		}
		if back, err := Parse(id.String()); back != id || err != nil {
			t.Errorf("%s came back from text as %s, %v", id, back, err)
		}
		if back, err := ParseUUID(id.UUIDString()); back != id || err != nil {
			t.Errorf("%s came back from UUID notation as %s, %v", id, back, err)
		}
	})
}
