package migrating

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/gob"
	"reflect"
	"strings"
	"testing"
	"time"

	oklog "github.com/oklog/ulid/v2"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/page"
	adapter "github.com/seed-961d0905/ulid/oklog"
)

// page: range
// eventsBetween returns the events of a range of time.
func eventsBetween(ctx context.Context, db *sql.DB, from, to time.Time) (*sql.Rows, error) {
	const query = "SELECT id FROM events WHERE id >= ? AND id < ? ORDER BY id"
	return db.QueryContext(ctx, query, ulid.AsBinary(ulid.FirstAt(from)), ulid.AsBinary(ulid.FirstAt(to)))
}

// page: end

// TestRange finds the rows of oklog/ulid and of the module in a range of time, and none with plain ULIDs.
func TestRange(t *testing.T) {
	each(t, withMySQL(sqlite, inText, mariadb, interpolated, varbinary), func(t *testing.T, d guideDB) {
		d.makeTables()
		from := time.Now().Add(-time.Hour)
		to := from.Add(2 * time.Hour)
		want := []oklog.ULID{oklog.Make(), oklog.ULID(adapter.Make())}
		outside := []adapter.ULID{adapter.MustNewDefault(from.Add(-time.Second)), adapter.MustNewDefault(to)}
		d.Run(insert, want[0])
		d.Run(insert, adapter.ULID(want[1]))
		d.Run(insert, outside[0])
		d.Run(insert, outside[1])

		rows, err := eventsBetween(t.Context(), d.DB.DB.DB, from, to)
		check(t, err)
		defer rows.Close()
		found := map[oklog.ULID]bool{}
		for rows.Next() {
			var id oklog.ULID
			check(t, rows.Scan(&id))
			found[id] = true
		}
		check(t, rows.Err())
		if len(found) != 2 || !found[want[0]] || !found[want[1]] {
			t.Errorf("found %v, want %v", found, want)
		}

		const condition = "events WHERE id >= ? AND id < ?"
		d.wantCount(t, 2, condition, adapter.ULID(ulid.FirstAt(from)), adapter.ULID(ulid.FirstAt(to)))
		d.wantCount(t, 0, condition, ulid.FirstAt(from), ulid.FirstAt(to))
	})
}

// TestOwnType shows what an import of the module changes where there is no replace: the name of the type in gob, and
// assertions on IDs of others.
func TestOwnType(t *testing.T) {
	page.Fact(t, "docs/migrating.md", "import-is-another-type")
	gob.Register(oklog.ULID{})
	gob.Register(adapter.ULID{})
	for path, id := range map[string]any{oklogPath: oklog.Make(), ulidPath + "/oklog": adapter.Make()} {
		if got := reflect.TypeOf(id).PkgPath(); got != path {
			t.Errorf("the type is of %s, want %s", got, path)
		}
		var stream bytes.Buffer
		check(t, gob.NewEncoder(&stream).Encode(&id))
		if name := path + ".ULID"; !strings.Contains(stream.String(), name) {
			t.Errorf("the stream %q has no %s", &stream, name)
		}
	}
	var id any = oklog.Make()
	if _, ok := id.(adapter.ULID); ok {
		t.Errorf("an assertion finds the module's type in a %T", id)
	}
}

// TestCheckout runs the guide's command for a checkout of this repository, which the first release removes.
func TestCheckout(t *testing.T) {
	if !strings.Contains(guideText(t), "<!-- unreleased -->") {
		t.Skip("1.0.0 is released")
	}
	t.Parallel()
	p := app(t, []string{"GOWORK=off"}, oklogPath)
	command := strings.ReplaceAll(guideBlock(t, "sh: checkout"), "../ulid", page.Root())
	p.run(t, "bash", "-euo", "pipefail", "-c", command+"go mod tidy")
	if got := p.run(t, "go", "list", "-m", "-f", "{{.Replace.Path}}", oklogPath); got != page.Root()+"/oklog\n" {
		t.Errorf("oklog/ulid is replaced by %s", got)
	}
	p.run(t, "go", "build", ".")
}
