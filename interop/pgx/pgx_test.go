package pgx

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/pgxulid"
)

// modes of pgx, and whether it asks the server for the types of parameters in them.
var modes = map[pgx.QueryExecMode]bool{
	pgx.QueryExecModeCacheStatement: true, pgx.QueryExecModeCacheDescribe: true, pgx.QueryExecModeDescribeExec: true,
	pgx.QueryExecModeExec: false, pgx.QueryExecModeSimpleProtocol: false,
}

// What becomes of an ID that is passed as a uuid.
const (
	works   = "works"
	fails   = "fails" // with an error
	another = "is another ID"
)

// TestUUID passes an ID as a uuid in each of its forms, in a mode of either kind, with Register and without.
func TestUUID(t *testing.T) {
	page.Fact(t, "pgxulid/README.md", "text-bytes-become-another-uuid")
	db.SkipWithout(t, db.PostgreSQL)
	id := ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")
	for _, row := range []struct {
		name       string
		value      any
		alone      string // where pgx asks for types
		registered string // the same with Register
		untyped    string // where pgx does not ask, with Register or without
	}{
		{name: "AsUUID", value: ulid.AsUUID(id), alone: works, registered: works, untyped: works},
		{name: "ULID", value: id, alone: fails, registered: fails, untyped: fails},
		{name: "16 bytes", value: id.Bytes(), alone: works, registered: works, untyped: fails},
		{name: "26 bytes", value: []byte(id.String()), alone: another, registered: works, untyped: fails},
	} {
		for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeSimpleProtocol} {
			for register, want := range map[bool]string{false: row.alone, true: row.registered} {
				if !modes[mode] {
					want = row.untyped
				}
				t.Run(fmt.Sprintf("%s, %v, Register %t", row.name, mode, register), func(t *testing.T) {
					if got := passed(t, mode, register, row.value, id); got != want {
						t.Errorf("the ID %s, want that it %s", got, want)
					}
				})
			}
		}
	}
}

// passed returns what becomes of an ID that is passed as the value.
func passed(t *testing.T, mode pgx.QueryExecMode, register bool, value any, id ulid.ULID) string {
	t.Helper()
	config, err := pgx.ParseConfig(db.PostgreSQL.Server(t))
	check(t, err)
	config.DefaultQueryExecMode = mode
	conn, err := pgx.ConnectConfig(ctx, config)
	check(t, err)
	defer conn.Close(ctx)
	if register {
		pgxulid.Register(conn.TypeMap())
	}
	var got string
	err = conn.QueryRow(ctx, `SELECT $1::uuid::text`, value).Scan(&got)
	switch {
	case err != nil:
		return fails
	case got != id.UUIDString():
		return another
	}
	return works
}

// TestEvents runs the code of the page, in each mode.
func TestEvents(t *testing.T) {
	db.SkipWithout(t, db.PostgreSQL)
	for mode, asks := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			name := strings.ReplaceAll(mode.String(), " ", "_")
			pool, err := NewPool(ctx, db.PostgreSQL.Own(t, "default_query_exec_mode="+name))
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
		})
	}
}

var (
	ctx   = context.Background()
	check = db.Check
)
