package hint_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/internal/hint"
)

// TestText changes each character of each format to each byte, leaves each out and puts one before each.
func TestText(t *testing.T) {
	id := ulid.MustParse("01H455VB4PEX5VSKNK084SN02Q")
	lower := strings.ToLower(id.String())
	for _, text := range []string{
		id.String(), lower, id.UUIDString(), strings.ToUpper(id.UUIDString()),
		"a_" + lower, "user_" + lower, "ninechars_" + lower, strings.Repeat("a", 63) + "_" + lower,
	} {
		checkText(t, text)
		for i := range text {
			checkText(t, text[:i]+text[i+1:])
			for c := range 256 {
				changed := string([]byte{byte(c)})
				checkText(t, text[:i]+changed+text[i+1:])
				checkText(t, text[:i]+changed+text[i:])
			}
		}
	}
}

// prefixed matches the strings of all kinds with a prefix.
var prefixed = regexp.MustCompile(`^[a-z]([a-z_]{0,61}[a-z])?_[0-7][0-9a-hjkmnp-tv-z]{25}$`)

func checkText(t *testing.T, text string) {
	t.Helper()
	want := ""
	if _, err := ulid.Parse(text); err == nil {
		want = hint.Text
	}
	if _, err := ulid.ParseUUID(text); err == nil {
		want = hint.UUID
	}
	if prefixed.MatchString(text) {
		want = hint.Prefix
	}
	if got, gotBytes := hint.For(text), hint.For([]byte(text)); got != want || gotBytes != want {
		t.Errorf("For(%q) = %q, and for bytes %q, want %q", text, got, gotBytes, want)
	}
}

// TestBinary has bytes of each length and time. Only an AsBinary reads them, and it reads no string.
func TestBinary(t *testing.T) {
	for n := range 40 {
		for first := range 256 {
			value := make([]byte, n+1)
			value[0] = byte(first)
			want := ""
			if len(value) == 16 && first == 1 {
				want = hint.Binary
			}
			if got := hint.For(value); got != want {
				t.Errorf("For(%q) = %q, want %q", value, got, want)
			}
			if got := hint.For(string(value)); got != "" {
				t.Errorf("For(%q), a string, = %q", value, got)
			}
		}
	}
}

// TestOther has what has no format.
func TestOther(t *testing.T) {
	text := ulid.Make().String()
	for _, value := range []any{nil, 1, true, text[:16], []byte(text[:16]), "", []byte(nil), &text, [16]byte{1}} {
		if got := hint.For(value); got != "" {
			t.Errorf("For(%v) = %q", value, got)
		}
	}
}
