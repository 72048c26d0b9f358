package neighbours

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/internal/node"
	"github.com/seed-961d0905/ulid/interop/internal/record"
)

// question and answer are what npm/peer.js reads and writes.
type question struct {
	Texts     []string   `json:"texts"`
	UUIDs     []string   `json:"uuids"`
	Make      int        `json:"make"`
	Sequences []sequence `json:"sequences"`
}

// A sequence asks for an ID at each of the times, in milliseconds. The digits are the random
// characters of the first ID of each millisecond, the last millisecond's first.
type sequence struct {
	Digits []int    `json:"digits"`
	Times  []uint64 `json:"times"`
}

type answer struct {
	UUIDsOfTexts []string
	TimesOfTexts []any // a number, or the text of an error
	TextsOfUUIDs []string
	Made         []struct {
		Text, UUID string
		Time       uint64
	}
	Sequences [][]string
}

// ask runs npm/peer.js.
func ask(t *testing.T, q question) (a answer) {
	t.Helper()
	node.Require(t)
	if err := node.Ask("npm", "peer.js", q, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestNPM(t *testing.T) {
	ids := samples(t)
	q := question{Make: 1000}
	for _, id := range ids {
		q.Texts = append(q.Texts, id.String())
		q.UUIDs = append(q.UUIDs, id.UUIDString())
	}
	sequences := testSequences()
	for _, s := range sequences {
		q.Sequences = append(q.Sequences, s.sequence())
	}
	// What neither side takes.
	bad := []string{"8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "01ARYZ6S41TSV4RRFFQ69G5FAU", "01ARYZ6S41TSV4RRFFQ69G5FA"}
	q.Texts = append(q.Texts, bad...)

	a := ask(t, q)
	if len(a.UUIDsOfTexts) != len(q.Texts) || len(a.TimesOfTexts) != len(q.Texts) ||
		len(a.TextsOfUUIDs) != len(ids) || len(a.Made) != q.Make || len(a.Sequences) != len(sequences) {
		t.Fatalf("the answer is not as long as the question: %d, %d, %d, %d, %d", len(a.UUIDsOfTexts),
			len(a.TimesOfTexts), len(a.TextsOfUUIDs), len(a.Made), len(a.Sequences))
	}

	for i, id := range ids {
		// It writes UUID notation in upper case.
		if want := strings.ToUpper(id.UUIDString()); a.UUIDsOfTexts[i] != want {
			t.Errorf("%v: ulidToUUID gave %s, want %s", id, a.UUIDsOfTexts[i], want)
		}
		if back, err := ulid.ParseUUID(a.UUIDsOfTexts[i]); err != nil || back != id {
			t.Errorf("%v came back from ulidToUUID as %v, %v", id, back, err)
		}
		if a.TextsOfUUIDs[i] != id.String() {
			t.Errorf("%s: uuidToULID gave %s, want %v", id.UUIDString(), a.TextsOfUUIDs[i], id)
		}
		if ms, ok := a.TimesOfTexts[i].(float64); !ok || uint64(ms) != id.Time() {
			t.Errorf("%v: decodeTime gave %v, want %d", id, a.TimesOfTexts[i], id.Time())
		}
	}
	for i, s := range bad {
		if got := a.UUIDsOfTexts[len(ids)+i]; !strings.HasPrefix(got, "error: ") {
			t.Errorf("%s: ulidToUUID gave %s", s, got)
		}
		if id, err := ulid.Parse(s); err == nil {
			t.Errorf("%s was parsed as %v", s, id)
		}
	}
	for _, made := range a.Made {
		id, err := ulid.Parse(made.Text)
		if err != nil || id.String() != made.Text || strings.ToUpper(id.UUIDString()) != made.UUID || id.Time() != made.Time {
			t.Errorf("%+v was read as %v = %s, %d, %v", made, id, id.UUIDString(), id.Time(), err)
		}
	}
	for i, s := range sequences {
		s.test(t, a.Sequences[i])
	}
	if t.Failed() {
		return
	}
	for _, c := range [][2]string{
		{"text", "agrees both ways"},
		{"UUID notation", "agrees both ways; it writes upper case, which `ParseUUID` reads"},
		{"time", "agrees"},
		{"monotonic", "`monotonicFactory` gives what `Monotonic(r, 1)` gives, carry and overflow included; when the time steps back it stays in its last millisecond, as `Generator` does"},
	} {
		record.Cell(t, "Other implementations", "npm ulid", c[0], c[1])
	}
}

// testSequence is a sequence with the IDs whose entropy begins the milliseconds.
type testSequence struct {
	name  string
	first []string // the 16 random characters for each new millisecond
	times []uint64
	asked []uint64 // the times for monotonicFactory, where they are others
}

func testSequences() []testSequence {
	const ms = 1469918176385
	many := make([]uint64, 1100) // carries twice
	for i := range many {
		many[i] = ms
	}
	return []testSequence{
		{"1100 in a millisecond", []string{"TSV4RRFFQ69G5FAV"}, many, nil},
		{"carry through all digits", []string{"0ZZZZZZZZZZZZZZZ"}, []uint64{ms, ms, ms}, nil},
		{"carry across a byte", []string{"00000000000007ZZ"}, []uint64{ms, ms}, nil},
		{"zero entropy", []string{"0000000000000000"}, []uint64{ms, ms}, nil},
		{"milliseconds go by", []string{"TSV4RRFFQ69G5FAV", "000000000000000Z", "ZZZZZZZZZZZZZZZY"},
			[]uint64{ms, ms, ms + 1, ms + 1, ms + 1000, ms + 1000}, nil},
		{"overflow", []string{"ZZZZZZZZZZZZZZZY"}, []uint64{ms, ms, ms, ms}, nil},
		{"overflow, and on in the next millisecond", []string{"ZZZZZZZZZZZZZZZZ", "0000000000000001"},
			[]uint64{ms, ms, ms + 1, ms + 1}, nil},
		{"the first and the last times", []string{"TSV4RRFFQ69G5FAV", "0000000000000000"},
			[]uint64{1, 1, ulid.MaxTime(), ulid.MaxTime()}, nil},
		{"time steps back", []string{"TSV4RRFFQ69G5FAV"}, []uint64{ms, ms, ms}, []uint64{ms, ms - 1, ms}},
	}
}

// sequence draws the digits for peer.js, which takes the last one first.
func (s testSequence) sequence() sequence {
	q := sequence{Times: s.times}
	if s.asked != nil {
		q.Times = s.asked
	}
	for i := len(s.first) - 1; i >= 0; i-- {
		for _, c := range s.first[i] {
			q.Digits = append(q.Digits, strings.IndexRune(ulid.Encoding, c))
		}
	}
	return q
}

// test compares the answer with what Monotonic makes of the same entropy.
func (s testSequence) test(t *testing.T, got []string) {
	var entropy bytes.Buffer
	for _, first := range s.first {
		id := ulid.MustParse("0000000000" + first)
		entropy.Write(id.Entropy())
	}
	m := ulid.Monotonic(&entropy, 1)
	if len(got) != len(s.times) {
		t.Errorf("%s: %d IDs at %d times", s.name, len(got), len(s.times))
		return
	}
	for i, ms := range s.times {
		id, err := ulid.New(ms, m)
		overflows := strings.HasPrefix(got[i], "error: ")
		if overflows != errors.Is(err, ulid.ErrMonotonicOverflow) || !overflows && (err != nil || got[i] != id.String()) {
			t.Errorf("%s: ID %d is %s there, and here %v, %v", s.name, i, got[i], id, err)
		}
	}
	if entropy.Len() != 0 {
		t.Errorf("%s: %d bytes of entropy are left", s.name, entropy.Len())
	}
}
