package ulid

import (
	"bytes"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// Each fuzz target compares with a slow twin.

var textPattern = regexp.MustCompile(`^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$`) // as in the package's doc

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", knownText, strings.ToLower(knownText), largestID, "80000000000000000000000000", knownText[:25] + "U", knownText + "\x00", strings.Repeat("é", 13)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, wantErr := slowParse(s)
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
	for _, s := range []string{"", knownText, "oLARYZ6-S41TSV4RRF-FQ69G5FAV", "--" + largestID + "--", "iIlLoO" + knownText[6:], "U-" + knownText[1:]} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkLenient(t, s) })
}

func FuzzParseUUID(f *testing.F) {
	for _, s := range []string{"", knownUUID, strings.ToUpper(knownUUID), knownText, "{" + knownUUID + "}", strings.Repeat("-", 36)} {
		f.Add(s)
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
		for _, s := range []string{"", knownText, knownUUID, string(known[:]), "8" + knownText[1:], knownText[1:], "{" + knownUUID + "}"} {
			f.Add(kind, s)
		}
	}
	f.Fuzz(func(t *testing.T, kind byte, s string) {
		want, wantErr := ULID{}, error(nil)
		readText := func() {
			if len(s) != 36 {
				want, wantErr = slowParse(s)
			} else if id, ok := slowParseUUID(s); ok {
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
		if back, err := Parse(id.String()); back != id || err != nil {
			t.Errorf("%s came back from text as %s, %v", id, back, err)
		}
		if back, err := ParseUUID(id.UUIDString()); back != id || err != nil {
			t.Errorf("%s came back from UUID notation as %s, %v", id, back, err)
		}
	})
}

// FuzzGenerator has a Generator and its slow twin follow a script. Each byte says how far the
// clock moves, and how many IDs Fill makes then. None means one by New.
func FuzzGenerator(f *testing.F) {
	f.Add(false, uint64(0), uint64(knownMS), []byte(nil), []byte{0, 1, 2, 3, 0x84, 0xff}, []byte("0123456789abcdefghijklmnopqrstuvwxyz"), byte(1))
	f.Add(true, uint64(1), uint64(0), known.Bytes(), []byte{9, 8, 7, 0xf0, 0x11}, []byte(nil), byte(0xff))
	for _, uuidv7 := range []bool{false, true} {
		f.Add(uuidv7, uint64(1), uint64(0), []byte(nil), []byte{0xf0, 0x90, 0x80, 0x10, 0x20, 0x30}, []byte(nil), byte(1))                    // before 1970, and into it
		f.Add(uuidv7, uint64(0), uint64(maxTime), []byte(nil), []byte{0, 0x30, 0xa0, 2, 0xe0, 0}, []byte(nil), byte(1))                       // past MaxTime, and back
		f.Add(uuidv7, uint64(1), uint64(maxTime), []byte(nil), []byte{0, 0, 2, 0}, bytes.Repeat([]byte{0xff}, 9), byte(0xfe))                 // an overflow past MaxTime
		f.Add(uuidv7, uint64(1), uint64(knownMS), []byte{0x01, 0x56, 0x3d, 0xf3, 0x64, 0x81, 0xff}, []byte{0, 0, 3}, []byte(nil), byte(0xab)) // After in the clock's millisecond
		f.Add(uuidv7, uint64(1), uint64(knownMS), bytes.Repeat([]byte{0xff}, 5), []byte{0, 3, 0x20}, []byte(nil), byte(0xab))                 // After far ahead
		f.Add(uuidv7, uint64(1), uint64(knownMS), bytes.Repeat([]byte{0xff}, 16), []byte{0, 3}, []byte(nil), byte(0xab))                      // After in the last millisecond
		f.Add(uuidv7, uint64(1), uint64(0), []byte{15: 1}, []byte{0, 0x30, 0}, []byte(nil), byte(0xab))                                       // After in the first
	}
	f.Add(false, uint64(1), uint64(0), []byte(nil), []byte{0, 3}, make([]byte, 10), byte(1)) // the zero ULID
	f.Add(true, uint64(math.MaxUint64), uint64(maxTime-1), bytes.Repeat([]byte{0xff}, 15), []byte{1, 1, 1, 1}, bytes.Repeat([]byte{0xff}, 300), byte(0))
	moves := [16]time.Duration{0, 1, 999_999, 1e6, 1_000_001, 2e6, 1e9, 3600e9, -1, -999_999, -1e6, -2e6, -1e9, -3600e9, math.MaxInt64, math.MinInt64}
	f.Fuzz(func(t *testing.T, uuidv7 bool, maxStep, ms uint64, after, script, entropy []byte, rest byte) {
		// The entropy is followed by io.EOF if rest is 0, and by that byte for ever if not.
		reader := func() io.Reader {
			if rest == 0 {
				return bytes.NewReader(entropy)
			}
			return io.MultiReader(bytes.NewReader(entropy), constant(rest))
		}
		g := &Generator{UUIDv7: uuidv7, MaxStep: uint32(maxStep), Entropy: reader()}
		copy(g.After[:], after)
		slow := newSlowGenerator(uuidv7, g.MaxStep, g.After, reader())
		clock := &fakeClock{time.UnixMilli(int64(ms & (1<<49 - 1)))}
		g.Clock = clock.now
		last, first := g.After, g.After.IsZero() // without After, the first ID may be zero
		for i, b := range script[:min(len(script), 200)] {
			clock.t = clock.t.Add(moves[b>>4])
			ids, err := make([]ULID, max(1, b&15)), error(nil)
			if b&15 == 0 {
				ids[0], err = g.Make()
			} else {
				err = g.Fill(ids)
			}
			want, wantErr := make([]ULID, len(ids)), error(nil)
			for i := range want {
				if want[i], wantErr = slow.next(clock.t.UnixMilli()); wantErr != nil {
					clear(want)
					break
				}
			}
			if err != wantErr || !slices.Equal(ids, want) {
				t.Fatalf("%d: %s, %v; want %s, %v", i, ids, err, want, wantErr)
			}
			if err != nil {
				continue
			}
			for _, id := range ids {
				if id.Compare(last) <= 0 && !first {
					t.Fatalf("%d: %s after %s", i, id, last)
				}
				last, first = id, false
			}
		}
	})
}
