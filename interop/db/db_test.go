package db

//go:generate go test . -write

import (
	"os"
	"regexp"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/seed-961d0905/ulid/interop/page"
)

// outcome notes how a test would have ended.
type outcome struct {
	testing.TB
	ended, message string
}

func (o *outcome) Fatalf(message string, _ ...any) { o.ended, o.message = "failed", message }
func (o *outcome) Skipf(message string, _ ...any)  { o.ended, o.message = "skipped", message }

func TestServer(t *testing.T) {
	for _, test := range []struct{ set, require, dsn, ended string }{
		{set: "a DSN", dsn: "a DSN"},
		{set: "a DSN", require: "1", dsn: "a DSN"},
		{ended: "skipped"},
		{require: "0", ended: "skipped"},
		{require: "1", ended: "failed"},
		{set: "none", require: "1", ended: "skipped"},
	} {
		t.Setenv("ULID_MYSQL", test.set)
		t.Setenv("ULID_REQUIRE_SERVERS", test.require)
		o := &outcome{TB: t}
		dsn := MySQL.Server(o)
		if dsn != test.dsn || o.ended != test.ended {
			t.Errorf("%+v: Server = %q, %s", test, dsn, o.ended)
		}
		if o.ended != "" && !strings.Contains(o.message, "interop/db/servers.sh start") {
			t.Errorf("%+v: the message names no script: %s", test, o.message)
		}
	}
	if _, err := os.Stat("../../interop/db/servers.sh"); err != nil {
		t.Error(err)
	}
}

// TestVersion compares the series of a database with its release, and renews the pages that name
// it.
func TestVersion(t *testing.T) {
	series := map[*Database]string{
		SQLite: `SQLite \d+\.\d+\.\d+`, PostgreSQL: `PostgreSQL \d+`, MariaDB: `MariaDB \d+\.\d+`, MySQL: `MySQL \d+\.\d+`,
	}
	Each(t, func(t *testing.T, d *Database) {
		db := d.Open(t, "")
		version, release := db.Version(), db.Release()
		if !regexp.MustCompile("^" + series[d] + "$").MatchString(version) {
			t.Errorf("the version is %q", version)
		}
		if !strings.HasPrefix(release+".", version+".") || strings.Count(release, ".") == 0 {
			t.Errorf("the release of %s is %q", version, release)
		}
		names := 0
		for _, file := range page.Pages(t) {
			text, n := page.Tested(page.Text(t, file), d.Name, version)
			page.Check(t, file, text)
			names += n
		}
		if names == 0 && d != SQLite {
			t.Errorf("no page says <!-- tested -->%s<!-- /tested -->", version)
		}
	})
}

// TestOwn makes a table of the same name in two databases of each kind, and looks for what is left
// of them.
func TestOwn(t *testing.T) {
	parameters := map[*Database]string{
		SQLite: "_pragma=user_version(1)", PostgreSQL: "timezone=UTC", MariaDB: "parseTime=true", MySQL: "parseTime=true",
	}
	Each(t, func(t *testing.T, d *Database) {
		var names []string
		t.Run("in use #1, 100 %", func(t *testing.T) {
			for _, p := range []string{"", parameters[d]} {
				db := d.Open(t, p)
				db.Run("CREATE TABLE events (id INT)")
				if d != SQLite {
					names = append(names, db.Text("SELECT "+d.Schema))
				}
			}
		})
		for _, name := range names {
			var n int
			err := Connect(t, d.Drivers[0].Driver, d.Server(t)).QueryRow(
				"SELECT count(*) FROM information_schema.schemata WHERE schema_name = '" + name + "'").Scan(&n)
			if err != nil || n != 0 || !strings.HasPrefix(name, "ulid_") {
				t.Errorf("%s is left %d times, %v", name, n, err)
			}
		}
	})
}
