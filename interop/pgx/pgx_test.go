package pgx

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// modes of pgx, and whether it asks the server for the types of parameters in them.
var modes = map[pgx.QueryExecMode]bool{
	pgx.QueryExecModeCacheStatement: true, pgx.QueryExecModeCacheDescribe: true, pgx.QueryExecModeDescribeExec: true,
	pgx.QueryExecModeExec: false, pgx.QueryExecModeSimpleProtocol: false,
}

// TestEvents runs the code of the page, in each mode.
func TestEvents(t *testing.T) {
	db.PostgreSQL.Server(t) // so that this test is skipped too, and not only those below it
	for mode, asks := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			name := strings.ReplaceAll(mode.String(), " ", "_")
			pool, err := NewPool(ctx, db.PostgreSQL.Open(t, "default_query_exec_mode="+name).DSN)
			check(t, err)
			defer pool.Close()
			_, err = pool.Exec(ctx, "CREATE TABLE events (id uuid PRIMARY KEY, name text NOT NULL)")
			check(t, err)
			ids := make([]ulid.AsUUID, 3)
			ulid.Fill(ids)
			events := []Event{{ids[0], "signup"}, {ids[1], "login"}, {ids[2], "logout"}}
			check(t, copyEvents(ctx, pool, events))
			got, err := getEvents(ctx, pool, ids[:2])
			if isFound := err == nil && reflect.DeepEqual(got, events[:2]); isFound != asks {
				t.Errorf("a list finds %v, %v", got, err)
			}
			if _, err := pool.Exec(ctx, "INSERT INTO events VALUES ($1, '')", make([]byte, 17)); err == nil {
				t.Error("17 bytes are stored, as without Register")
			}
		})
	}
}

var (
	ctx   = context.Background()
	check = db.Check
)
