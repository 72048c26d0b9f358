package pgx

import (
	"database/sql"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// TestNewRows runs the statements of the outbox and the change feed without database/sql, in every mode.
func TestNewRows(t *testing.T) {
	const doc = "docs/new-rows.md"
	page.Contains(t, doc, "`pgx.BeginFunc`")
	page.Contains(t, doc, "`errors.Is(err, sql.ErrNoRows)`")
	relay := strings.Split(page.Code(t, doc, "interop/recipes/outbox.go: Relay"), `"`)
	oldest, remove := relay[1], relay[3]
	newEvents := strings.Split(page.Code(t, doc, "interop/recipes/tail.go: ReadEvents"), "`")[1]
	for _, mode := range modes {
		conn := connect(t, db.PostgreSQL.Own(t, ""), mode, true)
		check(t, exec(conn, "CREATE TABLE outbox (id uuid PRIMARY KEY, body text)"))
		want := firstAt[ulid.AsUUID](0)
		check(t, exec(conn, "INSERT INTO outbox VALUES ($1, 'message')", want))
		take := func(failed error) error {
			return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
				var id ulid.AsUUID
				var body string
				if err := tx.QueryRow(ctx, oldest).Scan(&id, &body); err != nil {
					return err
				}
				if id != want || body != "message" {
					t.Errorf("in %v the outbox has %s, %q", mode, id, body)
				}
				if _, err := tx.Exec(ctx, remove, id); err != nil {
					return err
				}
				return failed
			})
		}
		if failed := errors.New("not sent"); take(failed) != failed {
			t.Errorf("in %v BeginFunc loses the error", mode)
		}
		check(t, take(nil))
		if err := take(nil); !errors.Is(err, sql.ErrNoRows) || err == sql.ErrNoRows {
			t.Errorf("in %v an empty outbox is the error %v", mode, err)
		}

		for statement := range strings.SplitSeq(page.Code(t, doc, "events"), ";\n") {
			check(t, exec(conn, statement))
		}
		check(t, exec(conn, "INSERT INTO events (id, name) VALUES ($1, 'one')", want))
		check(t, exec(conn, "INSERT INTO events (id, name) VALUES ($1, 'two')", firstAt[ulid.AsUUID](1)))
		var xact uint64
		var last ulid.AsUUID
		var names []string
		for range 2 {
			var name string
			err := pgx.ErrNoRows // as long as another test of this server writes
			for end := time.Now().Add(time.Minute); err == pgx.ErrNoRows && time.Now().Before(end); {
				err = conn.QueryRow(ctx, newEvents, xact, last, 1).Scan(&xact, &last, &name)
			}
			check(t, err)
			names = append(names, name)
		}
		if !slices.Equal(names, []string{"one", "two"}) {
			t.Errorf("in %v the feed has %s", mode, names)
		}
	}
}
