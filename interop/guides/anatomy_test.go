package guides

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// The drawing shows one ID as a ULID and as a UUID. The color of a character says what changes it: the time, the
// fraction of its millisecond, random bits, or nothing. One that two of these change may have the color of either.
func TestAnatomy(t *testing.T) {
	drawing, err := os.ReadFile("../../docs/anatomy.svg")
	db.Check(t, err)
	text, colors := drawnAs(t, drawing, "id")
	uuid, uuidColors := drawnAs(t, drawing, "uuid")
	id := ulid.MustParse(text)
	if got := id.UUIDString(); got != uuid {
		t.Errorf("%s is %s in UUID format, and is drawn as %s", id, got, uuid)
	}
	for _, layout := range []string{">2006-01-02<", ">15:04:05.000<"} {
		if at := id.Time().UTC().Format(layout); !bytes.Contains(drawing, []byte(at)) {
			t.Errorf("the drawing lacks %s", at)
		}
	}
	title := regexp.MustCompile(`<title.*</title>`).FindString(string(drawing))
	if !strings.Contains(title, text) || !strings.Contains(title, uuid) {
		t.Errorf("%q, for who does not see the drawing, lacks an ID", title)
	}
	checkColors(t, colors, ulid.ULID.String)
	checkColors(t, uuidColors, ulid.ULID.UUIDString)
}

// drawnAs returns a text of the drawing, and the color of each of its characters.
func drawnAs(t *testing.T, drawing []byte, class string) (text string, colors []string) {
	t.Helper()
	line := regexp.MustCompile(`<text class="` + class + `".*</text>`).FindString(string(drawing))
	for _, part := range regexp.MustCompile(`<tspan class="(\w+)">(.*?)</tspan>`).FindAllStringSubmatch(line, -1) {
		text += part[2]
		colors = append(colors, slices.Repeat(part[1:2], len(part[2]))...)
	}
	return text, colors
}

func checkColors(t *testing.T, colors []string, format func(ulid.ULID) string) {
	t.Helper()
	generate := func(at time.Time, random byte) string {
		g := ulid.Generator{
			Clock:   func() time.Time { return at },
			Entropy: bytes.NewReader(bytes.Repeat([]byte{random}, 8)),
		}
		id, err := g.Make(), error(nil)
		db.Check(t, err)
		return format(id)
	}
	zero := generate(time.UnixMilli(0), 0)
	others := map[string]string{
		"time":     generate(time.UnixMilli(1<<48-1), 0),
		"fraction": generate(time.Unix(0, 999_999), 0),
		"random":   generate(time.UnixMilli(0), 0xff),
	}
	for i, color := range colors {
		var changedBy []string
		for name, other := range others {
			if other[i] != zero[i] {
				changedBy = append(changedBy, name)
			}
		}
		if len(changedBy) == 0 {
			changedBy = []string{"other"}
		}
		if zero[i] != '-' && !slices.Contains(changedBy, color) {
			t.Errorf("character %d is drawn as %s, and is changed by %s", i, color, changedBy)
		}
	}
	if len(colors) != len(zero) {
		t.Errorf("%d characters are drawn, want %d", len(colors), len(zero))
	}
}
