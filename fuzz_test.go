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

// Each fuzz target compares with a reference, of reference_test.go.

var textPattern = regexp.MustCompile(`^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$`) // as in docs/guarantees.md

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", knownText, strings.ToLower(knownText), largestID, "80000000000000000000000000",
		knownText[:25] + "U", knownText + "\x00", strings.Repeat("é", 13),
	} {
		f.Add(s)
	}
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
	for _, s := range []string{
		"", knownText, "oLARYZ6-S41TSV4RRF-FQ69G5FAV", "--" + largestID + "--",
		"iIlLoO" + knownText[6:], "U-" + knownText[1:],
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkLenient(t, s) })
}

func FuzzParseUUID(f *testing.F) {
	for _, s := range []string{
		"", knownUUID, strings.ToUpper(knownUUID), knownText, "{" + knownUUID + "}",
		strings.Repeat("-", 36),
	} {
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
		if back, err := Parse(id.String()); back != id || err != nil {
			t.Errorf("%s came back from text as %s, %v", id, back, err)
		}
		if back, err := ParseUUID(id.UUIDString()); back != id || err != nil {
			t.Errorf("%s came back from UUID notation as %s, %v", id, back, err)
		}
	})
}

// A script is the seed of FuzzGenerator: the settings of a Generator, an ID that it advances past
// first unless it is empty, and what follows. The entropy is followed by io.EOF if rest is 0, and by
// that byte for ever if not.
type script struct {
	uuidv7  bool
	spacing uint64
	ms      uint64 // of the clock, as it begins
	past    []byte
	actions []byte // see follow
	entropy []byte
	rest    byte
}

const letters = "0123456789abcdefghijklmnopqrstuvwxyz"

// scripts are tried with UUIDv7 and without.
var scripts = []script{
	// Of a time before 1970, and into 1970.
	{spacing: 1, actions: []byte{0xf0, 0x90, 0x80, 0x10, 0x20, 0x30}, rest: 1},
	// Past MaxTime, and back.
	{ms: maxTime, actions: []byte{0, 0x30, 0xa0, 2, 0xe0, 0}, rest: 1},
	// An overflow past MaxTime.
	{spacing: 1, ms: maxTime, actions: []byte{0, 0, 2, 0}, entropy: repeated(9), rest: 0xfe},
	{ms: knownMS, actions: []byte{0, 1, 2, 3, 0x84, 0xff}, entropy: []byte(letters), rest: 1},
	{spacing: 1, past: known.Bytes(), actions: []byte{9, 8, 7, 0xf0, 0x11}, rest: 0xff},
	{spacing: 1 << 63, ms: knownMS, actions: []byte{8, 9, 8, 9}, entropy: []byte(letters), rest: 2},
	{spacing: math.MaxUint64, ms: knownMS, actions: []byte{8, 9, 8, 9}, rest: 0xfd},
	{
		spacing: 12345, ms: knownMS, actions: []byte{3, 12, 1, 13, 1, 14, 2, 15, 3},
		entropy: []byte(letters), rest: 3,
	},
	// Past an ID of the clock's millisecond, one far ahead, and the largest.
	{ms: knownMS, past: known[:7], actions: []byte{0, 0, 3}, rest: 0xab},
	{spacing: 1, ms: knownMS, past: repeated(5), actions: []byte{0, 3, 0x20}, rest: 0xab},
	{spacing: 1, ms: knownMS, past: repeated(16), actions: []byte{0, 3}, rest: 0xab},
	// In the first millisecond.
	{spacing: 1, past: []byte{15: 1}, actions: []byte{0, 0x30, 0}, rest: 0xab},
	{spacing: 1, past: []byte{6: 0x70}, actions: []byte{0, 0x30, 0}, rest: 0xab},
	// Past the last UUIDv7 of a millisecond, nearly.
	{
		spacing: 1, ms: knownMS, past: append(known[:6:6], 0x7f, 0xff, 0xff), actions: []byte{0, 0},
		rest: 1,
	},
	// The zero ULID.
	{spacing: 1, actions: []byte{0, 3}, entropy: make([]byte, 10), rest: 1},
	// In the last two milliseconds, until the entropy ends.
	{
		spacing: math.MaxUint64, ms: maxTime - 1, past: repeated(15), actions: []byte{1, 1, 1, 1},
		entropy: repeated(300),
	},
}

// FuzzGenerator has a Generator and its reference follow a script.
func FuzzGenerator(f *testing.F) {
	for _, s := range scripts {
		for _, uuidv7 := range []bool{false, true} {
			f.Add(uuidv7, s.spacing, s.ms, s.past, s.actions, s.entropy, s.rest)
		}
	}
	f.Fuzz(func(
		t *testing.T, uuidv7 bool, spacing, ms uint64, past, actions, entropy []byte, rest byte,
	) {
		s := script{
			uuidv7: uuidv7, spacing: spacing, ms: ms, past: past, actions: actions,
			entropy: entropy, rest: rest,
		}
		t.Logf("%+v", s)
		s.follow(t)
	})
}

// repeated returns n bytes of 0xff.
func repeated(n int) []byte { return bytes.Repeat([]byte{0xff}, n) }

func (s script) reader() io.Reader {
	if s.rest == 0 {
		return bytes.NewReader(s.entropy)
	}
	return io.MultiReader(bytes.NewReader(s.entropy), constant(s.rest))
}

func (s script) pastID() (id ULID) {
	copy(id[:], s.past)
	return id
}

// clockMoves are how far an action moves the clock.
var clockMoves = [16]time.Duration{
	0, 1, 999_999, 1e6, 1_000_001, 2e6, 1e9, 3600e9,
	-1, -999_999, -1e6, -2e6, -1e9, -3600e9, math.MaxInt64, math.MinInt64,
}

// follow does what the actions say. The upper half of each says how far the clock moves, and the
// lower half how many IDs Fill makes then. None means one by Make, and from 12 on the Generator
// advances past an ID.
func (s script) follow(t *testing.T) {
	clock := &fakeClock{time.UnixMilli(int64(s.ms & (1<<49 - 1)))}
	p := &pair{
		generator: &Generator{
			UUIDv7: s.uuidv7, Spacing: s.spacing, Entropy: s.reader(), Clock: clock.now,
		},
		reference: newReferenceGenerator(s.uuidv7, s.spacing, s.reader()),
		clock:     clock,
		any:       true,
	}
	if len(s.past) > 0 {
		p.advancePast(t, s.pastID(), math.MaxInt64)
	}
	for _, action := range s.actions[:min(len(s.actions), 200)] {
		clock.t = clock.t.Add(clockMoves[action>>4])
		switch n := int(action & 15); n {
		case 12:
			next, _ := p.floor.Next()
			p.advancePast(t, next, 2*time.Millisecond)
		case 13:
			p.advancePast(t, LastAt(clock.t), 0)
		case 14:
			p.advancePast(t, FirstAt(clock.t), -1)
		case 15:
			p.advancePast(t, s.pastID(), time.Hour+1)
		default:
			p.fill(t, n)
		}
	}
}

// A pair is a Generator and its reference.
type pair struct {
	generator *Generator
	reference *referenceGenerator
	clock     *fakeClock
	floor     ULID // that the next ID must be above
	any       bool // there is no floor yet: the first ID may be zero
}

func (p *pair) advancePast(t *testing.T, id ULID, limit time.Duration) {
	t.Helper()
	limitMS := int64(math.MaxInt64)
	if limit != math.MaxInt64 {
		limitMS = (int64(limit)+1e15)/1e6 - 1e9 // rounded down
	}
	now := min(millisecond(p.clock.t), maxTime)
	want := p.reference.advancePast(id, limitMS, int64(now))
	if err := p.generator.AdvancePast(id, limit); err != want {
		t.Fatalf("AdvancePast(%s, %v) = %v, want %v", id, limit, err, want)
	}
	if want == nil && id.Compare(p.floor) > 0 {
		p.floor, p.any = id, false
	}
}

// fill makes n IDs by Fill, or one by Make.
func (p *pair) fill(t *testing.T, n int) {
	t.Helper()
	ids := make([]ULID, max(1, n))
	var err error
	if n == 0 {
		ids[0], err = p.generator.Make()
	} else {
		err = p.generator.Fill(ids)
	}
	want := make([]ULID, len(ids))
	var wantErr error
	for i := range want {
		want[i], wantErr = p.reference.next(p.clock.t.UnixMilli())
		if wantErr != nil {
			clear(want)
			break
		}
	}
	if err != wantErr || !slices.Equal(ids, want) {
		t.Fatalf("Fill of %d = %s, %v; want %s, %v", n, ids, err, want, wantErr)
	}
	if err != nil {
		return
	}
	for _, id := range ids {
		if id.Compare(p.floor) <= 0 && !p.any {
			t.Fatalf("%s after %s", id, p.floor)
		}
		p.floor, p.any = id, false
	}
}
