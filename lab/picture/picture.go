// Package picture renews the figures in the pictures of pages. A picture is its own template: what
// shows a figure is replaced, and all else stays as somebody drew it.
package picture

import (
	"regexp"
	"strings"
	"testing"
)

// Renew returns the picture with new values in the place of what the group of the pattern matches,
// in their order. The test fails if the pattern does not match once for each value.
func Renew(t testing.TB, svg, pattern string, values ...string) string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindAllStringSubmatchIndex(svg, -1)
	if len(found) != len(values) {
		t.Fatalf("the picture has %s %d times, want %d", pattern, len(found), len(values))
	}
	var b strings.Builder
	end := 0
	for i, match := range found {
		b.WriteString(svg[end:match[2]])
		b.WriteString(values[i])
		end = match[3]
	}
	b.WriteString(svg[end:])
	return b.String()
}

// Caption renews the title, which a screen reader reads, the same words above the picture, and the
// note below it.
func Caption(t testing.TB, svg, title, note string) string {
	t.Helper()
	svg = Renew(t, svg, `<title>([^<]*)`, title)
	svg = Renew(t, svg, `class="title"[^>]*>([^<]*)`, title)
	return Renew(t, svg, `class="faint small" x="20"[^>]*>([^<]*)`, note)
}
