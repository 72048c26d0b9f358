// Package servers tells tests where the database servers are that interop/servers.sh started.
package servers

import (
	"os"
	"testing"
)

// DSN returns the data source name in the environment variable of a server: ULID_POSTGRES,
// ULID_MARIADB or ULID_REDIS. Where it is not set the test is skipped, or fails if
// ULID_REQUIRE_SERVERS is 1, so that CI cannot pass by skipping.
func DSN(t testing.TB, name string) string {
	t.Helper()
	dsn := os.Getenv(name)
	if dsn != "" {
		return dsn
	}
	end := t.Skipf
	if os.Getenv("ULID_REQUIRE_SERVERS") == "1" {
		end = t.Fatalf
	}
	end(`%s is not set: run  eval "$(interop/servers.sh start)"`, name)
	return ""
}
