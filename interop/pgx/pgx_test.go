package pgx

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/pgxulid"
	"github.com/seed-961d0905/ulid/typed"
)

// Typed IDs, one for each format.
type (
	PrefixID = typed.ID[prefix]
	TextID   = typed.ID[text]
	UUIDID   = typed.ID[uuid]
	BinaryID = typed.ID[binary]

	prefix struct{ typed.PrefixColumn }
	text   struct{ typed.TextColumn }
	uuid   struct{ typed.UUIDColumn }
	binary struct{ typed.BinaryColumn }
)

func (prefix) Prefix() string { return "order" }
func (text) Prefix() string   { return "text" }
func (uuid) Prefix() string   { return "user" }
func (binary) Prefix() string { return "" }

// What becomes of an ID that is passed to a column.
const (
	works   = "works"         // its type reads it from there
	fails   = "fails"         // with an error, and nothing is stored
	unread  = "is not read"   // by its type, but it is stored
	another = "is another ID" // in the column
)

// results are what becomes of an ID as a parameter, in a slice, and by CopyFrom.
type results struct{ parameter, slice, copied string }

// modes of pgx, and whether it asks the server for the types of parameters in them.
var modes = map[pgx.QueryExecMode]bool{
	pgx.QueryExecModeCacheStatement: true, pgx.QueryExecModeCacheDescribe: true, pgx.QueryExecModeDescribeExec: true,
	pgx.QueryExecModeExec: false, pgx.QueryExecModeSimpleProtocol: false,
}

// TestTypes passes each type of ID to columns, in each mode, with Register and without.
func TestTypes(t *testing.T) {
	page.Fact(t, "pgxulid/README.md", "text-bytes-become-another-uuid")
	db.SkipWithout(t, db.PostgreSQL)
	all := results{works, works, works}
	none := results{fails, fails, fails}
	for _, row := range []struct {
		column     string
		name       string
		pass       func(conn *pgx.Conn, column string) results
		alone      results // where pgx asks for types
		registered results // the same with Register
		untyped    string  // what becomes of a parameter elsewhere, where slices fail and CopyFrom makes no difference
	}{
		{"uuid", "AsUUID", pass(as[ulid.AsUUID]), all, all, works},
		{"uuid", "UUIDColumn", pass(as[UUIDID]), all, all, works},
		{"uuid", "ULID", pass(as[ulid.ULID]), none, none, fails},
		{"uuid", "TextColumn", pass(as[TextID]), none, none, fails},
		{"uuid", "PrefixColumn", pass(as[PrefixID]), none, none, fails},
		{"uuid", "AsBinary", pass(as[ulid.AsBinary]), results{unread, unread, unread}, none, fails},
		{"uuid", "BinaryColumn", pass(as[BinaryID]), results{unread, unread, unread}, none, fails},
		{"uuid", "16 bytes", pass(asBytes), all, all, fails},
		{"uuid", "26 characters", pass(asText), results{another, another, another}, all, fails},
		{"text", "ULID", pass(as[ulid.ULID]), all, all, works},
		{"text", "TextColumn", pass(as[TextID]), all, all, works},
		{"text", "PrefixColumn", pass(as[PrefixID]), all, all, works},
		{"bytea", "AsBinary", pass(as[ulid.AsBinary]), all, all, works},
		{"bytea", "BinaryColumn", pass(as[BinaryID]), all, all, works},
	} {
		for mode, asks := range modes {
			for register, want := range map[bool]results{false: row.alone, true: row.registered} {
				t.Run(fmt.Sprintf("%s in %s, %v, Register %t", row.name, row.column, mode, register), func(t *testing.T) {
					if !asks {
						want.parameter, want.slice = row.untyped, fails
					}
					config, err := pgx.ParseConfig(db.PostgreSQL.Server(t))
					check(t, err)
					config.DefaultQueryExecMode = mode
					conn, err := pgx.ConnectConfig(ctx, config)
					check(t, err)
					defer conn.Close(ctx)
					if register {
						pgxulid.Register(conn.TypeMap())
					}
					if got := row.pass(conn, row.column); got != want {
						t.Errorf("an ID %+v, want %+v", got, want)
					}
				})
			}
		}
	}
}

// These make of an ID what is passed.
func as[ID ~[16]byte](id ID) ID     { return id }
func asBytes(id ulid.AsUUID) []byte { return id[:] }
func asText(id ulid.AsUUID) []byte  { return []byte(id.String()) }

// pass returns a function that passes a value to a column in each way, and reads it as an ID.
func pass[ID ~[16]byte, V any](valueOf func(ID) V) func(*pgx.Conn, string) results {
	id := ID(ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV"))
	value := valueOf(id)
	return func(conn *pgx.Conn, column string) results {
		become := func(store func() error) string {
			_, err := conn.Exec(ctx, "CREATE TEMPORARY TABLE IF NOT EXISTS t (id "+column+"); DELETE FROM t",
				pgx.QueryExecModeSimpleProtocol)
			if err != nil {
				return err.Error()
			}
			err = store()
			var got ID
			var uuid ulid.AsUUID
			readErr := conn.QueryRow(ctx, "SELECT id FROM t").Scan(&got)
			switch {
			case err != nil && errors.Is(readErr, pgx.ErrNoRows):
				return fails
			case err != nil:
				return err.Error()
			case readErr == nil && got == id:
				return works
			case readErr == nil:
				return another
			case conn.QueryRow(ctx, "SELECT id FROM t").Scan(&uuid) == nil && ID(uuid) == id:
				return unread
			}
			return readErr.Error()
		}
		return results{
			parameter: become(func() error {
				_, err := conn.Exec(ctx, "INSERT INTO t VALUES ($1)", value)
				return err
			}),
			slice: become(func() error {
				_, err := conn.Exec(ctx, "INSERT INTO t SELECT unnest($1::"+column+"[])", []V{value})
				return err
			}),
			copied: become(func() error {
				_, err := conn.CopyFrom(ctx, pgx.Identifier{"t"}, []string{"id"}, pgx.CopyFromRows([][]any{{value}}))
				return err
			}),
		}
	}
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
