package recipes

import (
	"bytes"
	"encoding/json"
	"go/version"
	"log/slog"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/recipes/prefixed"
)

func TestTrap(t *testing.T) {
	id := ulid.MustParse(text)
	wrong := "inv_" + text
	if version.Compare(runtime.Version(), "go1.27") >= 0 {
		wrong = text // without an error
	}
	for _, c := range []struct {
		id   any
		want string
	}{
		{WrongID{id}, wrong}, {RightID{id}, "inv_" + text}, {prefixed.UserID{AsUUID: ulid.AsUUID(id)}, "user_" + strings.ToLower(text)},
	} {
		if got, err := json.Marshal(c.id); err != nil || string(got) != `"`+c.want+`"` {
			t.Errorf("encoding/json writes a %T as %s, %v; want %q", c.id, got, err, c.want)
		}
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("", "id", c.id)
		if !strings.HasSuffix(log.String(), "id="+c.want+"\n") {
			t.Errorf("log/slog writes a %T in %s; want %s", c.id, log.String(), c.want)
		}
		log.Reset()
		slog.New(slog.NewJSONHandler(&log, nil)).Info("", "id", c.id)
		if !strings.HasSuffix(log.String(), `"id":"`+c.want+"\"}\n") {
			t.Errorf("log/slog writes a %T in %s; want %s", c.id, log.String(), c.want)
		}
	}
}
