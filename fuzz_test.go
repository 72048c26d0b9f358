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

var textPattern = regexp.MustCompile(`^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$`) // as in docs/guarantees.md

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

// A script is the seed of FuzzGenerator: the settings of a Generator, an ID that it advances past
// first unless it is empty, and what follows. The entropy is followed by io.EOF if rest is 0, and by
// that byte for ever if not.
type script struct {
	spacing, ms            uint64
	past, actions, entropy []byte
	rest                   byte
}

func (s script) add(f *testing.F, uuidv7 bool) {
	f.Add(uuidv7, s.spacing, s.ms, s.past, s.actions, s.entropy, s.rest)
}

func (s script) reader() io.Reader {
	if s.rest == 0 {
		return bytes.NewReader(s.entropy)
	}
	return io.MultiReader(bytes.NewReader(s.entropy), constant(s.rest))
}

// FuzzGenerator has a Generator and its slow twin follow a script. Each action says how far the
// clock moves, by its upper half, and how many IDs Fill makes then. None means one by Make, and
// from 12 on the Generator advances past an ID.
func FuzzGenerator(f *testing.F) {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyz"
	script{ms: knownMS, actions: []byte{0, 1, 2, 3, 0x84, 0xff}, entropy: []byte(letters), rest: 1}.add(f, false)
	script{spacing: 1, past: known.Bytes(), actions: []byte{9, 8, 7, 0xf0, 0x11}, rest: 0xff}.add(f, true)
	for _, uuidv7 := range []bool{false, true} {
		for _, s := range []script{
			{spacing: 1, actions: []byte{0xf0, 0x90, 0x80, 0x10, 0x20, 0x30}, rest: 1},               // before 1970, and into it
			{ms: maxTime, actions: []byte{0, 0x30, 0xa0, 2, 0xe0, 0}, rest: 1},                       // past MaxTime, and back
			{spacing: 1, ms: maxTime, actions: []byte{0, 0, 2, 0}, entropy: repeated(9), rest: 0xfe}, // an overflow past MaxTime
			{spacing: 1 << 63, ms: knownMS, actions: []byte{8, 9, 8, 9}, entropy: []byte(letters), rest: 2},
			{spacing: math.MaxUint64, ms: knownMS, actions: []byte{8, 9, 8, 9}, rest: 0xfd},
			{spacing: 12345, ms: knownMS, actions: []byte{3, 12, 1, 13, 1, 14, 2, 15, 3}, entropy: []byte(letters), rest: 3},
			{ms: knownMS, past: known[:7], actions: []byte{0, 0, 3}, rest: 0xab},                  // past an ID of the clock's millisecond
			{spacing: 1, ms: knownMS, past: repeated(5), actions: []byte{0, 3, 0x20}, rest: 0xab}, // far ahead
			{spacing: 1, ms: knownMS, past: repeated(16), actions: []byte{0, 3}, rest: 0xab},      // the largest
			{spacing: 1, past: []byte{15: 1}, actions: []byte{0, 0x30, 0}, rest: 0xab},            // in the first millisecond
			{spacing: 1, past: []byte{6: 0x70}, actions: []byte{0, 0x30, 0}, rest: 0xab},
			{spacing: 1, ms: knownMS, past: append(known[:6:6], 0x7f, 0xff, 0xff), actions: []byte{0, 0}, rest: 1},
		} {
			s.add(f, uuidv7)
		}
	}
	script{spacing: 1, actions: []byte{0, 3}, entropy: make([]byte, 10), rest: 1}.add(f, false) // the zero ULID
	script{spacing: math.MaxUint64, ms: maxTime - 1, past: repeated(15), actions: []byte{1, 1, 1, 1}, entropy: repeated(300)}.add(f, true)
	f.Fuzz(func(t *testing.T, uuidv7 bool, spacing, ms uint64, past, actions, entropy []byte, rest byte) {
		s := script{spacing, ms, past, actions, entropy, rest}
		t.Logf("UUIDv7=%t, %+v", uuidv7, s)
		s.follow(t, uuidv7)
	})
}

// repeated returns n bytes of 0xff.
func repeated(n int) []byte { return bytes.Repeat([]byte{0xff}, n) }

// clockMoves are how far an action moves the clock.
var clockMoves = [16]time.Duration{
	0, 1, 999_999, 1e6, 1_000_001, 2e6, 1e9, 3600e9,
	-1, -999_999, -1e6, -2e6, -1e9, -3600e9, math.MaxInt64, math.MinInt64,
}

// twins are a Generator and its slow twin.
type twins struct {
	quick *Generator
	slow  *slowGenerator
	clock *fakeClock
	floor ULID // that the next ID must be above
	any   bool // there is no floor yet: the first ID may be zero
}

func (s script) follow(t *testing.T, uuidv7 bool) {
	clock := &fakeClock{time.UnixMilli(int64(s.ms & (1<<49 - 1)))}
	w := &twins{
		quick: &Generator{UUIDv7: uuidv7, Spacing: s.spacing, Entropy: s.reader(), Clock: clock.now},
		slow:  newSlowGenerator(uuidv7, s.spacing, s.reader()),
		clock: clock,
		any:   true,
	}
	if len(s.past) > 0 {
		w.advancePast(t, s.pastID(), math.MaxInt64)
	}
	for _, action := range s.actions[:min(len(s.actions), 200)] {
		clock.t = clock.t.Add(clockMoves[action>>4])
		next, _ := w.floor.Next()
		switch n := action & 15; n {
		case 12:
			w.advancePast(t, next, 2*time.Millisecond)
		case 13:
			w.advancePast(t, LastAt(clock.t), 0)
		case 14:
			w.advancePast(t, FirstAt(clock.t), -1)
		case 15:
			w.advancePast(t, s.pastID(), time.Hour+1)
		default:
			w.fill(t, int(n))
		}
	}
}

func (s script) pastID() (id ULID) {
	copy(id[:], s.past)
	return id
}

func (w *twins) advancePast(t *testing.T, id ULID, limit time.Duration) {
	t.Helper()
	slowLimit := int64(math.MaxInt64)
	if limit != math.MaxInt64 {
		slowLimit = (int64(limit)+1e15)/1e6 - 1e9 // rounded down
	}
	now := min(millisecond(w.clock.t), maxTime)
	want := w.slow.advancePast(id, slowLimit, int64(now))
	if err := w.quick.AdvancePast(id, limit); err != want {
		t.Fatalf("AdvancePast(%s, %v) = %v, want %v", id, limit, err, want)
	}
	if want == nil && id.Compare(w.floor) > 0 {
		w.floor, w.any = id, false
	}
}

// fill makes n IDs by Fill, or one by Make.
func (w *twins) fill(t *testing.T, n int) {
	t.Helper()
	ids, err := make([]ULID, max(1, n)), error(nil)
	if n == 0 {
		ids[0], err = w.quick.Make()
	} else {
		err = w.quick.Fill(ids)
	}
	want, wantErr := make([]ULID, len(ids)), error(nil)
	for i := range want {
		want[i], wantErr = w.slow.next(w.clock.t.UnixMilli())
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
		if id.Compare(w.floor) <= 0 && !w.any {
			t.Fatalf("%s after %s", id, w.floor)
		}
		w.floor, w.any = id, false
	}
}
