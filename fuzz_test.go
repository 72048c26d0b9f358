package ulid

import (
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
