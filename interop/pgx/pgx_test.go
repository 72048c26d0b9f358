package pgx

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/pgxulid"
)

// modes of pgx, and whether it asks the server for the types of parameters in them.
var modes = map[pgx.QueryExecMode]bool{
	pgx.QueryExecModeCacheStatement: true, pgx.QueryExecModeCacheDescribe: true, pgx.QueryExecModeDescribeExec: true,
	pgx.QueryExecModeExec: false, pgx.QueryExecModeSimpleProtocol: false,
}

func connect(t *testing.T, mode pgx.QueryExecMode, register bool) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(db.PostgreSQL.Server(t))
	check(t, err)
	config.DefaultQueryExecMode = mode
	conn, err := pgx.ConnectConfig(ctx, config)
	check(t, err)
	if register {
		pgxulid.Register(conn.TypeMap())
	}
	return conn
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

// TestTypes stores IDs of each type for uuid columns by CopyFrom, and reads them by a list, as JSON that the server
// builds and with NULL, in each mode, with Register and without.
func TestTypes(t *testing.T) {
	db.SkipWithout(t, db.PostgreSQL)
	for mode := range modes {
		for _, register := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v, Register %t", mode, register), func(t *testing.T) {
				testType[ulid.AsUUID](t, mode, register)
				testType[ulid.UUID](t, mode, register)
			})
		}
	}
}

func testType[T ~[16]byte](t *testing.T, mode pgx.QueryExecMode, register bool) {
	t.Helper()
	type row struct {
		ID     T
		Parent *T
		Null   sql.Null[T]
	}
	conn := connect(t, mode, register)
	_, err := conn.Exec(ctx, `CREATE TEMPORARY TABLE p (id uuid, parent uuid, "null" uuid)`)
	check(t, err)
	ids := make([]T, 3)
	ulid.Fill(ids)
	want := []row{{ids[0], nil, sql.Null[T]{}}, {ids[1], &ids[0], sql.Null[T]{V: ids[0], Valid: true}}}
	rows := pgx.CopyFromSlice(len(want), func(i int) ([]any, error) {
		return []any{want[i].ID, want[i].Parent, want[i].Null}, nil
	})
	_, err = conn.CopyFrom(ctx, pgx.Identifier{"p"}, []string{"id", "parent", "null"}, rows)
	check(t, err)

	found, err := conn.Query(ctx, `SELECT * FROM p WHERE id = ANY($1) ORDER BY id`, ids)
	got, collectErr := pgx.CollectRows(found, pgx.RowToStructByName[row])
	if err := errors.Join(err, collectErr); modes[mode] && (err != nil || !reflect.DeepEqual(got, want)) {
		t.Errorf("a list of %T finds %v, %v, want %v", ids[0], got, err, want)
	}
	var inJSON []byte
	check(t, conn.QueryRow(ctx, `SELECT json_agg(id ORDER BY id) FROM p WHERE id >= $1`, ids[0]).Scan(&inJSON))
	var read []T
	_, isUUID := any(ids[0]).(ulid.UUID)
	if err := json.Unmarshal(inJSON, &read); isUUID == (err != nil) || isUUID && !slices.Equal(read, ids[:2]) {
		t.Errorf("json_agg gives %s, read as %T %[2]v, %v", inJSON, read, err)
	}
	check(t, conn.Close(ctx))
}

var (
	ctx   = context.Background()
	check = db.Check
)
