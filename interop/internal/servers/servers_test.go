package servers

import (
	"strings"
	"testing"
)

// outcome notes how a test would have ended.
type outcome struct {
	testing.TB
	ended, message string
}

func (o *outcome) Fatalf(message string, _ ...any) { o.ended, o.message = "failed", message }
func (o *outcome) Skipf(message string, _ ...any)  { o.ended, o.message = "skipped", message }

func TestDSN(t *testing.T) {
	for _, test := range []struct{ set, require, dsn, ended string }{
		{set: "a DSN", dsn: "a DSN"},
		{set: "a DSN", require: "1", dsn: "a DSN"},
		{ended: "skipped"},
		{require: "0", ended: "skipped"},
		{require: "1", ended: "failed"},
	} {
		t.Setenv("ULID_NOWHERE", test.set)
		t.Setenv("ULID_REQUIRE_SERVERS", test.require)
		o := &outcome{TB: t}
		dsn := DSN(o, "ULID_NOWHERE")
		if dsn != test.dsn || o.ended != test.ended {
			t.Errorf("%+v: DSN = %q, %s", test, dsn, o.ended)
		}
		if o.ended != "" && !strings.Contains(o.message, "interop/servers.sh start") {
			t.Errorf("%+v: the message names no script: %s", test, o.message)
		}
	}
}
