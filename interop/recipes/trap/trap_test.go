package trap

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
)

const text = "01ARYZ6S41TSV4RRFFQ69G5FAV"

// wrong is what WrongID becomes.
func TestTrap(t *testing.T) {
	id := ulid.MustParse(text)
	for _, c := range []struct {
		id   any
		want string
	}{{WrongID{id}, wrong}, {RightID{id}, "inv_" + text}} {
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
