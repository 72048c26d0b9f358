package migrating

import (
	"database/sql"
	"encoding"
	"encoding/json"
	"math/rand"
	"strings"
	"testing"

	oklog "github.com/oklog/ulid/v2"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/page"
)

// TestConstants shows what oklog/ulid makes of the constants of oklog/README.md. TestReplace gives
// them to the module.
func TestConstants(t *testing.T) {
	for line := range strings.Lines(guideBlock(t, "constants: output")) {
		text, canonical, _ := strings.Cut(strings.TrimSpace(line), " ")
		want := ulid.ULID(oklog.MustParse(text))
		id, err := ulid.Parse(text)
		if err == nil || ulid.MustParse(canonical) != want {
			t.Errorf("Parse(%q) = %v, want an error, and oklog makes %v of it, not %s", text, id, want, canonical)
		}
		lenient, err := ulid.ParseLenient(text)
		if err == nil && lenient == want {
			t.Errorf("ParseLenient reads %s as oklog does", text)
		}
	}
}

type scanner interface {
	sql.Scanner
	encoding.TextUnmarshaler
}

// readBy returns the error of each way of reading a text into an ID, but for Parse.
func readBy(id scanner, text string) map[string]error {
	quoted, _ := json.Marshal(text)
	return map[string]error{
		"Scan":          id.Scan(text),
		"UnmarshalText": id.UnmarshalText([]byte(text)),
		"JSON":          json.Unmarshal(quoted, id),
	}
}

// TestGarbage shows what oklog takes and this library refuses, by each way of reading. A key of 26
// characters is an ID for oklog.
func TestGarbage(t *testing.T) {
	page.Fact(t, "docs/migrating.md", "keys-are-no-ids")
	source := rand.New(rand.NewSource(1))
	texts := []string{
		"0!!!!!!!!!!!!!!!!!!!!!!!!!",
		"0000000000XX000COMPACTHEAD",
		guideSpan(t, "2026-[a-z0-9-]+"),
	}
	for range 1000 {
		text := []byte(oklog.Make().String())
		text[1+source.Intn(25)] = "!ILOUilou-_ \x00\x7f"[source.Intn(13)]
		texts = append(texts, string(text))
	}
	for _, text := range texts {
		theirs := readBy(new(oklog.ULID), text)
		_, theirs["Parse"] = oklog.Parse(text)
		ours := readBy(new(ulid.ULID), text)
		_, ours["Parse"] = ulid.Parse(text)
		for way, err := range ours {
			if err == nil || theirs[way] != nil {
				t.Errorf("%s of %q: %v, oklog %v, want an error, and none of oklog", way, text, err, theirs[way])
			}
		}
	}
}

// TestSeeded shows which IDs are the same from a seeded source.
func TestSeeded(t *testing.T) {
	const ms = 1469918176385
	seeded := func() *rand.Rand { return rand.New(rand.NewSource(1)) }
	for _, inc := range []uint64{0, 1, 1000} {
		a, b := oklog.Monotonic(seeded(), inc), ulid.Monotonic(seeded(), inc)
		theirs, ours := oklog.MustNew(ms, a), ulid.MustNew(ms, b)
		if ours != ulid.ULID(theirs) {
			t.Errorf("inc %d: the first is %v, want %v", inc, ours, theirs)
		}
		theirs, ours = oklog.MustNew(ms, a), ulid.MustNew(ms, b)
		if (ours == ulid.ULID(theirs)) != (inc == 1) {
			t.Errorf("inc %d: the second is %v, oklog's %v, want the same only if inc is 1", inc, ours, theirs)
		}
	}
	x, y := seeded(), seeded()
	for range 100 {
		theirs, ours := oklog.MustNew(ms, x), ulid.MustNew(ms, y)
		if ours != ulid.ULID(theirs) {
			t.Errorf("New makes %v, want %v", ours, theirs)
		}
	}
}

// TestTwoSources shows that Make and MustNewDefault have no common order.
func TestTwoSources(t *testing.T) {
	disorder := 0
	for range 10000 {
		a := ulid.Make()
		b := ulid.MustNewDefault(a.Timestamp()) //lint:ignore SA1019 the test is of it
		c := ulid.Make()
		if a.Compare(b) >= 0 || b.Compare(c) >= 0 {
			disorder++
		}
	}
	if disorder == 0 {
		t.Error("they are in order, and the guide says that they are not")
	}
}
