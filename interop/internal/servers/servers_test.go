package servers

import (
	"os"
	"strings"
	"testing"

	_ "modernc.org/sqlite"
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
		{set: "none", require: "1", ended: "skipped"},
	} {
		t.Setenv("ULID_NOWHERE", test.set)
		t.Setenv("ULID_REQUIRE_SERVERS", test.require)
		o := &outcome{TB: t}
		dsn := DSN(o, "ULID_NOWHERE")
		if dsn != test.dsn || o.ended != test.ended {
			t.Errorf("%+v: DSN = %q, %s", test, dsn, o.ended)
		}
		if o.ended != "" && !strings.Contains(o.message, "interop/internal/servers/servers.sh start") {
			t.Errorf("%+v: the message names no script: %s", test, o.message)
		}
	}
	if _, err := os.Stat("../../../interop/internal/servers/servers.sh"); err != nil {
		t.Error(err)
	}
}

// TestOwn makes a table of the same name in two databases of each kind, and looks for what is left of them.
func TestOwn(t *testing.T) {
	for _, s := range []struct{ driver, server, parameters, names string }{
		{"pgx", "ULID_POSTGRES", "timezone=UTC", "SELECT count(*) FROM pg_namespace WHERE nspname = $1"},
		{"mysql", "ULID_MARIADB", "parseTime=true", "SELECT count(*) FROM information_schema.schemata WHERE schema_name = ?"},
		{"mysql", "ULID_MYSQL", "parseTime=true", "SELECT count(*) FROM information_schema.schemata WHERE schema_name = ?"},
		{"sqlite", "", "_pragma=user_version(1)", ""},
	} {
		t.Run(s.driver+s.server, func(t *testing.T) {
			var names []string
			t.Run("in use", func(t *testing.T) {
				for _, parameters := range []string{"", s.parameters} {
					dsn := Own(t, s.server, parameters)
					if _, err := Connect(t, s.driver, dsn).Exec("CREATE TABLE events (id INT)"); err != nil {
						t.Fatalf("%s: %v", dsn, err)
					}
					_, after, _ := strings.Cut(dsn, "ulid_")
					names = append(names, "ulid_"+after[:26])
				}
			})
			if s.names == "" {
				return
			}
			for _, name := range names {
				var n int
				if err := Open(t, s.driver, s.server).QueryRow(s.names, name).Scan(&n); err != nil || n != 0 {
					t.Errorf("%s is left %d times, %v", name, n, err)
				}
			}
		})
	}
}
