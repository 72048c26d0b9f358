package migrating

import (
	"database/sql"
	"database/sql/driver"
	"encoding"
	"encoding/json"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	oklog "github.com/oklog/ulid/v2"

	"github.com/seed-961d0905/ulid"
)

// TestConstants shows what oklog/ulid makes of the constants of oklog/README.md. TestReplace gives them to the module.
func TestConstants(t *testing.T) {
	for line := range strings.Lines(block(t, "constants: output")) {
		text, canonical, _ := strings.Cut(strings.TrimSpace(line), " ")
		want := ulid.ULID(oklog.MustParse(text))
		if id, err := ulid.Parse(text); err == nil || ulid.MustParse(canonical) != want {
			t.Errorf("Parse(%q) = %v, want an error, and oklog makes %v of it, not %s", text, id, want, canonical)
		}
		if id, err := ulid.ParseLenient(text); err == nil && id == want {
			t.Errorf("ParseLenient reads %s as oklog does", text)
		}
	}
}

type scanner interface {
	sql.Scanner
	encoding.TextUnmarshaler
}

// TestGarbage shows what oklog takes and this library refuses, by each way of reading.
func TestGarbage(t *testing.T) {
	says(t, "oklog's `Parse` accepts them, even `0!!!…`, and this library's does not.")
	says(t, "JSON, `Scan` and `UnmarshalText` refuse them too")
	source := rand.New(rand.NewSource(1))
	texts := []string{"0!!!!!!!!!!!!!!!!!!!!!!!!!", "0000000000XX000COMPACTHEAD"}
	for range 1000 {
		text := []byte(oklog.Make().String())
		text[1+source.Intn(25)] = "!ILOUilou-_ \x00\x7f"[source.Intn(13)]
		texts = append(texts, string(text))
	}
	for _, text := range texts {
		quoted, _ := json.Marshal(text)
		ways := func(id scanner) map[string]error {
			return map[string]error{"Scan": id.Scan(text), "UnmarshalText": id.UnmarshalText([]byte(text)), "JSON": json.Unmarshal(quoted, id)}
		}
		theirs, ours := ways(new(oklog.ULID)), ways(new(ulid.ULID))
		_, theirs["Parse"] = oklog.Parse(text)
		_, ours["Parse"] = ulid.Parse(text)
		for way, err := range ours {
			if err == nil || theirs[way] != nil {
				t.Errorf("%s of %q: %v, oklog %v, want an error, and none of oklog", way, text, err, theirs[way])
			}
		}
	}
}

// embedding is a type such as programs have, and embeddingBinary what it is afterwards.
type (
	embedding       struct{ ulid.ULID }
	embeddingBinary struct{ ulid.ULID }
)

func (id embeddingBinary) Value() (driver.Value, error) { return ulid.AsBinary(id.ULID).Value() }

func TestEmbedded(t *testing.T) {
	says(t, "a method `Value` that returns `ulid.AsBinary(id.ULID).Value()`")
	id := ulid.Make()
	for _, c := range []struct {
		id   driver.Valuer
		want driver.Value
	}{{embedding{id}, id.String()}, {embeddingBinary{id}, id[:]}} {
		if got, err := c.id.Value(); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%T: Value is %v, %v, want %v", c.id, got, err, c.want)
		}
		if _, ok := c.id.(encoding.TextAppender); !ok {
			t.Errorf("%T has no AppendText", c.id)
		}
	}
}

func TestGolden(t *testing.T) {
	says(t, "From a seeded source, `inc` 0 gives other IDs, except the first of a millisecond; `inc` 1 does not.")
	const ms = 1469918176385
	for _, inc := range []uint64{0, 1, 1000} {
		a, b := oklog.Monotonic(rand.New(rand.NewSource(1)), inc), ulid.Monotonic(rand.New(rand.NewSource(1)), inc)
		if theirs, ours := oklog.MustNew(ms, a), ulid.MustNew(ms, b); ours != ulid.ULID(theirs) {
			t.Errorf("inc %d: the first is %v, want %v", inc, ours, theirs)
		}
		if theirs, ours := oklog.MustNew(ms, a), ulid.MustNew(ms, b); (ours == ulid.ULID(theirs)) != (inc == 1) {
			t.Errorf("inc %d: the second is %v, oklog's %v, want the same only if inc is 1", inc, ours, theirs)
		}
	}
	x, y := rand.New(rand.NewSource(1)), rand.New(rand.NewSource(1))
	for range 100 {
		if theirs, ours := oklog.MustNew(ms, x), ulid.MustNew(ms, y); ours != ulid.ULID(theirs) {
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
