package recipes

import (
	"math/rand/v2"
	"strings"
	"testing"
	"testing/cryptotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/typed"
)

// page: sameIDs

type account struct{ typed.UUIDColumn }
type AccountID = typed.ID[account]

type Account struct {
	ID   AccountID
	Name string
}

// A Bank has typed.Make[account] as its NewID, except in tests.
type Bank struct{ NewID func() AccountID }

func (b Bank) Open(name string) Account { return Account{b.NewID(), name} }

// sameIDs returns a Generator that generates the same IDs in every run, a millisecond
// apart. Use it in one goroutine only.
func sameIDs() *ulid.Generator {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &ulid.Generator{
		UUIDv7: true, // for kinds with a UUIDColumn
		Clock: func() time.Time {
			now = now.Add(time.Millisecond)
			return now
		},
		Entropy: rand.NewChaCha8([32]byte{}), // of math/rand/v2
	}
}

func TestOpen(t *testing.T) {
	g := sameIDs()
	bank := Bank{NewID: func() AccountID {
		id, err := typed.From[account](g) // g.Make() for a plain ULID
		if err != nil {
			t.Fatal(err)
		}
		return id
	}}
	want := Account{typed.MustParse[account]("01KDYAK349EPCA3YSSPKD2NC39"), "Ada"}
	diff := cmp.Diff(want, bank.Open("Ada"), cmpopts.EquateComparable(AccountID{}))
	if diff != "" {
		t.Error(diff)
	}
}

// page: the rest

func TestSameIDs(t *testing.T) {
	g := sameIDs()
	for _, want := range []string{"01KDYAK349EPCA3YSSPKD2NC39", "01KDYAK34AEGCVY64Z3PP6ZV3Y"} {
		if got, err := g.Make(); err != nil || got.String() != want || !got.IsUUIDv7() {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
}

// After SetGlobalRandom the first two IDs of a millisecond are the same each time, and the third is not.
func TestSetGlobalRandom(t *testing.T) {
	page.Fact(t, "docs/recipes.md", "global-random-is-not-enough")
	now := time.Now()
	first, second, third := map[ulid.ULID]bool{}, map[ulid.ULID]bool{}, map[ulid.ULID]bool{}
	for range 5 {
		cryptotest.SetGlobalRandom(t, 1)
		g := ulid.Generator{Clock: func() time.Time { return now }}
		for _, seen := range []map[ulid.ULID]bool{first, second, third} {
			id, err := g.Make()
			db.Check(t, err)
			seen[id] = true
		}
	}
	if len(first) != 1 || len(second) != 1 || len(third) == 1 {
		t.Errorf("%d different first IDs, %d second and %d third ones", len(first), len(second), len(third))
	}
}

// A message keeps what testify says of a test that fails.
type message string

func (m *message) Errorf(_ string, args ...any) { *m += message(args[0].(string)) }

// What the messages of go-cmp and testify say of IDs that differ: their bytes, unless told otherwise.
func TestDiffs(t *testing.T) {
	page.Contains(t, "docs/recipes.md", "`assert.Equal(t, want.String(), got.String())`")
	page.Contains(t, "docs/recipes.md", "`cmpopts.EquateComparable(")
	want, got := NewUserID(), NewUserID()
	plain, equate := cmp.Diff(want, got), cmp.Diff(want, got, cmpopts.EquateComparable(UserID{}))
	var bytes, texts message
	assert.Equal(&bytes, want, got)
	assert.Equal(&texts, want.String(), got.String())
	for _, c := range []struct {
		name, message string
		hasTexts      bool
	}{
		{"go-cmp", plain, false},
		{"EquateComparable", equate, true},
		{"testify", string(bytes), false},
		{"testify of strings", string(texts), true},
	} {
		hasTexts := strings.Contains(c.message, want.String()) && strings.Contains(c.message, got.String())
		if c.message == "" || hasTexts != c.hasTexts {
			t.Errorf("%s: texts are shown: %v, want %v, in\n%s", c.name, hasTexts, c.hasTexts, c.message)
		}
	}
}
