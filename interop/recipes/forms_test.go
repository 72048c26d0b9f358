package recipes

import (
	"bytes"
	"crypto/aes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	google "github.com/google/uuid"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/page"
)

// sampled decides as TraceIDRatioBased(0.1) of go.opentelemetry.io/otel/sdk v1.47.0, which would bring five more
// modules: by the upper 63 bits of the last 8 bytes.
func sampled(id ulid.ULID) bool { return binary.BigEndian.Uint64(id[8:])>>1 < 1<<63/10 }

func TestSampling(t *testing.T) {
	traceID := func() ulid.ULID { id, _ := TraceIDs{}.NewIDs(t.Context()); return ulid.ULID(id) }
	const n = 100_000
	for name, test := range map[string]struct {
		newID       func() ulid.ULID
		least, most int  // of n that are sampled
		whole       bool // all IDs of a millisecond or none
	}{
		"Make": {ulid.Make, 0, n, true}, "MakeUUIDv7": {ulid.MakeUUIDv7, 0, 0, true},
		"TraceIDs": {traceID, n * 9 / 100, n * 11 / 100, false},
	} {
		all, changes, last := 0, 0, test.newID()
		for range n {
			id := test.newID()
			if sampled(id) {
				all++
			}
			if id.Time() == last.Time() && sampled(id) != sampled(last) {
				changes++
			}
			last = id
		}
		// One millisecond in a million runs across the bound.
		if all < test.least || all > test.most || test.whole != (changes <= 1) {
			t.Errorf("%s: %d of %d sampled, want %d to %d; %d changes within a millisecond",
				name, all, n, test.least, test.most, changes)
		}
	}
}

func TestHide(t *testing.T) {
	block, err := aes.NewCipher([]byte("0123456789abcdef"))
	check(t, err)
	id := ulid.MustParse(text)
	hidden := Hide(block, id)
	if back := Reveal(block, hidden); hidden.String() != "0RCPFS6AF9P7JTZ7SQFAEB5FH7" || back != id {
		t.Errorf("hidden as %s, and back as %s", hidden, back)
	}
}

func TestOldID(t *testing.T) {
	created := time.Date(2019, 5, 6, 7, 8, 9, 10e6, time.UTC)
	if id, err := OldID("orders/42", created); err != nil || id.String() != "01DA5ZH8XJRKEHCQR6RDFRFY0D" {
		t.Errorf("%s, %v", id, err)
	}
	page.Contains(t, "docs/recipes.md",
		"`ulid.Generator{UUIDv7: true, Entropy: bytes.NewReader(sum[:]), Clock: func() time.Time { return created }}`")
	sum := sha256.Sum256([]byte("orders/42"))
	g := ulid.Generator{UUIDv7: true, Entropy: bytes.NewReader(sum[:]), Clock: func() time.Time { return created }}
	if id, err := g.Make(); err != nil || id.UUIDString() != "016a8bf8-a3b2-74dd-965f-06c35f87f80d" {
		t.Errorf("UUIDv7 %s, %v", id.UUIDString(), err)
	}
}

func TestSpellings(t *testing.T) {
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~"
	short := base64.NewEncoding(alphabet).WithPadding(base64.NoPadding)
	complement := func(id ulid.ULID) ulid.ULID {
		for i := range id {
			id[i] = ^id[i]
		}
		return id
	}
	for _, code := range []string{`base64.NewEncoding("` + alphabet + `")`, "for i := range id { id[i] = ^id[i] }", `s[24:] + "/" + s`} {
		page.Contains(t, "docs/recipes.md", "`"+code+"`")
	}
	last := ulid.ULID(google.New())
	for range 2000 {
		a, b := last, ulid.ULID(google.New())
		order := a.Compare(b)
		if strings.Compare(strings.ToLower(a.String()), strings.ToLower(b.String())) != order ||
			strings.Compare(short.EncodeToString(a[:]), short.EncodeToString(b[:])) != order ||
			complement(b).Compare(complement(a)) != order || complement(complement(a)) != a {
			t.Fatalf("a spelling loses the order of %s and %s", a, b)
		}
		last = b
	}
	counts := map[string]int{} // of IDs with the same last characters
	for range 200 * 1024 {
		counts[ulid.Make().String()[24:]]++
	}
	if n := slices.Sorted(maps.Values(counts)); len(n) != 1024 || n[0] < 100 || n[1023] > 400 {
		t.Errorf("%d prefixes, of %d to %d IDs", len(n), n[0], n[len(n)-1])
	}
}
