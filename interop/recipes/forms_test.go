package recipes

import (
	"bytes"
	"crypto/aes"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"time"

	google "github.com/google/uuid"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/internal/page"
)

func TestHide(t *testing.T) {
	block, err := aes.NewCipher([]byte("0123456789abcdef"))
	if err != nil {
		t.Fatal(err)
	}
	id := ulid.MustParse(text)
	hidden := Hide(block, id)
	if back := Reveal(block, hidden); hidden.String() != "0RCPFS6AF9P7JTZ7SQFAEB5FH7" || back != id {
		t.Errorf("hidden as %s, and back as %s", hidden, back)
	}
}

func TestOldID(t *testing.T) {
	created := time.Date(2019, 5, 6, 7, 8, 9, 10e6, time.UTC)
	id, err := OldID("orders/42", created)
	if err != nil || !id.Timestamp().Equal(created) || id.String() != "01DA5ZH8XJRKEHCQR6RDFRFY0D" {
		t.Errorf("%s, %v", id, err)
	}
	page.Contains(t, "docs/recipes.md",
		"`ulid.Generator{UUIDv7: true, Entropy: bytes.NewReader(sum[:]), Clock: func() time.Time { return created }}`")
	sum := sha256.Sum256([]byte("orders/42"))
	g := ulid.Generator{UUIDv7: true, Entropy: bytes.NewReader(sum[:]), Clock: func() time.Time { return created }}
	if v7, err := g.Make(); err != nil || !v7.IsUUIDv7() || v7.Time() != id.Time() || v7.String() != "01DA5ZH8XJEKESCQR6RDFRFY0D" {
		t.Errorf("UUIDv7 %s, %v", v7, err)
	}
}

func TestSpellings(t *testing.T) {
	short := base64.NewEncoding("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~").WithPadding(base64.NoPadding)
	ids := make([]ulid.ULID, 2000)
	for i := range ids {
		ids[i] = ulid.ULID(google.New())
	}
	slices.SortFunc(ids, ulid.ULID.Compare)
	for _, test := range []struct {
		code  string // on the page
		spell func(ulid.ULID) string
		order int
	}{
		{"strings.ToLower(id.String())", func(id ulid.ULID) string { return strings.ToLower(id.String()) }, 1},
		{"short.EncodeToString(id[:])", func(id ulid.ULID) string { return short.EncodeToString(id[:]) }, 1},
		{"for i := range id { id[i] = ^id[i] }", func(id ulid.ULID) string {
			for i := range id {
				id[i] = ^id[i]
			}
			return id.String()
		}, -1},
	} {
		page.Contains(t, "docs/recipes.md", "`"+test.code+"`")
		for i, id := range ids[1:] {
			if a, b := test.spell(ids[i]), test.spell(id); strings.Compare(b, a) != test.order {
				t.Fatalf("%s: %s and then %s", test.code, a, b)
			}
		}
	}
	page.Contains(t, "docs/recipes.md", `base64.NewEncoding("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~")`)
	if back, err := short.DecodeString(short.EncodeToString(ids[0][:])); err != nil || ulid.ULID(back) != ids[0] {
		t.Errorf("%s came back as %x, %v", ids[0], back, err)
	}
}

// The last characters spread over all prefixes, even within a millisecond.
func TestPrefixes(t *testing.T) {
	page.Contains(t, "docs/recipes.md", "`s[24:] + \"/\" + s`")
	counts := map[string]int{}
	for range 200 * 1024 {
		counts[ulid.Make().String()[24:]]++
	}
	for prefix, count := range counts {
		if len(counts) != 1024 || count < 100 || count > 400 {
			t.Fatalf("of %d prefixes, %s has %d IDs, want some 200", len(counts), prefix, count)
		}
	}
}
