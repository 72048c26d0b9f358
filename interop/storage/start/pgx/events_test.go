package pgx

import (
	"reflect"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// TestEvents copies events and finds some of them, in each mode. A plain ULID in a query needs Register.
func TestEvents(t *testing.T) {
	for _, mode := range []string{"", "default_query_exec_mode=exec", "default_query_exec_mode=simple_protocol"} {
		t.Run(mode, func(t *testing.T) {
			ctx := t.Context()
			pool, err := NewPool(ctx, db.PostgreSQL.Own(t, mode))
			db.Check(t, err)
			defer pool.Close()
			_, err = pool.Exec(ctx, `CREATE TABLE events (id uuid PRIMARY KEY, name text NOT NULL)`)
			db.Check(t, err)
			ids, err := copyEvents(ctx, pool, []string{"signup", "login", "logout"})
			db.Check(t, err)
			first, last := ulid.AsUUID(ids[0]), ulid.AsUUID(ids[2])
			got, err := getEvents(ctx, pool, []ulid.AsUUID{last, first})
			if want := []Event{{first, "signup"}, {last, "logout"}}; err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("getEvents returns %v, %v, want %v", got, err, want)
			}
			if mode != "" {
				return
			}
			var n int
			err = pool.QueryRow(ctx, `SELECT count(*) FROM events WHERE id = $1`, ids[1]).Scan(&n)
			if err != nil || n != 1 {
				t.Errorf("a plain ULID finds %d rows, %v, want 1", n, err)
			}
		})
	}
}
