package pgx

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// TestWrongTypeNeverFindsAnotherRow looks for rows by all types but the one that stored them. That finds nothing, is an
// error, or finds the row of that ID.
func TestWrongTypeNeverFindsAnotherRow(t *testing.T) {
	page.Fact(t, "docs/storage.md", "wrong-type-finds-no-other-row")
	eachMode(t, func(t *testing.T, s setting) {
		for column, stored := range map[string]func(ulid.ULID) any{
			"uuid":                 as[ulid.AsUUID],
			`text COLLATE "C"`:     as[ulid.ULID],
			`char(26) COLLATE "C"`: as[ulid.ULID],
			"bytea":                as[ulid.AsBinary],
		} {
			conn := newTable(t, s, column)
			ids := consecutive[ulid.ULID]()[:10]
			for _, id := range ids {
				next, _ := id.Next()
				ids = append(ids, next)
			}
			for n, id := range ids {
				check(t, exec(conn, `INSERT INTO t (id, n) VALUES ($1, $2)`, stored(id), n))
			}
			for _, by := range []func(ulid.ULID) any{
				as[ulid.ULID], as[ulid.AsUUID], as[ulid.AsBinary], as[textID], as[userID], as[binaryID],
			} {
				for n, id := range ids {
					rows, err := conn.Query(ctx, `SELECT n FROM t WHERE id = $1`, by(id))
					if err != nil {
						continue
					}
					found, err := pgx.CollectRows(rows, pgx.RowTo[int])
					if err == nil && len(found) > 0 && !slices.Equal(found, []int{n}) {
						t.Errorf("%s: row %d is looked up by a %T, which finds the rows %v", column, n, by(id), found)
					}
				}
			}
		}
	})
}

// TestExec passes what even Register does not help with in the modes in which pgx does not ask for types, and what
// works in the others.
func TestExec(t *testing.T) {
	const postgresPage, message = "docs/postgresql.md", "cannot find encode plan"
	page.Contains(t, postgresPage, "**`"+message+"`**")
	page.Fact(t, postgresPage, "no-encode-plan-for-any-and-arrays")
	page.Fact(t, postgresPage, "row-to-map-returns-bytes")
	const syntax = "invalid input syntax for type uuid"
	page.Contains(t, postgresPage, "`"+syntax+"`")
	id := firstAt[ulid.AsUUID](0)
	for _, mode := range modes {
		conn := connect(t, db.PostgreSQL.Server(t), mode, true)
		wantError := func(message, query string, arg any) {
			t.Helper()
			err := exec(conn, query, arg)
			if asks(mode) && err != nil || !asks(mode) && (err == nil || !strings.Contains(err.Error(), message)) {
				t.Errorf("%T in %v: %v, want %s where pgx does not ask for types", arg, mode, err, message)
			}
		}
		for _, ids := range []any{[]any{id}, [1]ulid.AsUUID{id}, [][]ulid.AsUUID{{id}}} {
			wantError(message, `SELECT $1::uuid[]`, ids)
		}
		wantError(syntax, `SELECT $1::uuid`, ulid.ULID(id))
		wantError(syntax, `SELECT $1::uuid[]`, []ulid.ULID{ulid.ULID(id)})
		row, err := conn.Query(ctx, `SELECT $1::uuid AS id`, id)
		check(t, err)
		if got, err := pgx.CollectExactlyOneRow(row, pgx.RowToMap); err != nil || got["id"] != [16]byte(id) {
			t.Errorf("RowToMap in %v returns %T, %v", mode, got["id"], err)
		}
	}
}

// TestStrings reads IDs of a uuid column into strings, and as JSON of the database. Both are UUIDs, without an error.
func TestStrings(t *testing.T) {
	page.Fact(t, "docs/postgresql.md", "string-gets-uuid")
	page.Fact(t, "docs/storage.md", "string-gets-uuid")
	page.Contains(t, "docs/postgresql.md", "`row_to_json`")
	id := firstAt[ulid.AsUUID](0)
	type row struct{ ID string }
	for _, register := range []bool{false, true} {
		for _, mode := range modes {
			conn := connect(t, db.PostgreSQL.Server(t), mode, register)
			var scanned, object string
			check(t, conn.QueryRow(ctx, `SELECT $1::uuid`, id).Scan(&scanned))
			rows, err := conn.Query(ctx, `SELECT $1::uuid AS id`, id)
			check(t, err)
			collected, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[row])
			check(t, err)
			check(t, conn.QueryRow(ctx, `SELECT row_to_json(r)::text FROM (SELECT $1::uuid AS id) r`, id).Scan(&object))
			for _, got := range []string{scanned, collected.ID, object} {
				if !strings.Contains(got, id.UUIDString()) {
					t.Errorf("in %v comes %s, want a UUID, as the pages say", mode, got)
				}
			}
			if _, err := ulid.Parse(scanned); err == nil {
				t.Errorf("Parse accepts %s", scanned)
			}
		}
	}
	var scanned string
	check(t, db.Connect(t, "pgx", db.PostgreSQL.Server(t)).QueryRow(`SELECT $1::uuid`, id).Scan(&scanned))
	if scanned != id.UUIDString() {
		t.Errorf("through database/sql comes %s", scanned)
	}
}

// TestTextBytes passes the bytes of an ID's string, as a queue brings them.
func TestTextBytes(t *testing.T) {
	page.Fact(t, "docs/postgresql.md", "text-bytes-become-another-uuid")
	eachMode(t, func(t *testing.T, s setting) {
		id := firstAt[ulid.AsUUID](0)
		for _, text := range []string{id.String(), id.UUIDString()} {
			conn := newTable(t, s, "uuid")
			check(t, exec(conn, `INSERT INTO t (id, n) VALUES ($1, 1)`, id))
			var n int
			err := conn.QueryRow(ctx, `SELECT count(*) FROM t WHERE id <> $1`, []byte(text)).Scan(&n)
			switch {
			case !asks(s.mode) && err == nil, asks(s.mode) && (err != nil || (n == 1) == s.register):
				t.Errorf("<> %s as bytes finds %d rows, %v", text, n, err)
			}
			check(t, exec(conn, `DELETE FROM t`))
			_, err = conn.CopyFrom(ctx, pgx.Identifier{"t"}, []string{"id", "n"}, pgx.CopyFromRows([][]any{{[]byte(text), 1}}))
			check(t, err)
			var got ulid.AsUUID
			check(t, conn.QueryRow(ctx, `SELECT id FROM t`).Scan(&got))
			if (got == id) != s.register {
				t.Errorf("CopyFrom of %s as bytes stores %v", text, got.UUIDString())
			}
		}
	})
}

// TestJSONColumn compares an ID with that in a column of JSON.
func TestJSONColumn(t *testing.T) {
	page.Fact(t, "docs/postgresql.md", "json-holds-26-characters")
	eachMode(t, func(t *testing.T, s setting) {
		conn := connect(t, db.PostgreSQL.Server(t), s.mode, s.register)
		check(t, exec(conn, `CREATE TEMPORARY TABLE j (body jsonb)`))
		id := firstAt[ulid.AsUUID](0)
		body, err := json.Marshal(map[string]any{"id": id})
		check(t, err)
		check(t, exec(conn, `INSERT INTO j (body) VALUES ($1)`, string(body)))
		for _, query := range []struct {
			condition string
			arg       any
			want      int
		}{
			{`body->>'id' = $1`, id.String(), 1}, {`body->>'id' = $1`, id, 0}, {`body->>'id' <> $1`, id, 1},
		} {
			var n int
			err := conn.QueryRow(ctx, `SELECT count(*) FROM j WHERE `+query.condition, query.arg).Scan(&n)
			if err != nil || n != query.want {
				t.Errorf("%s with a %T finds %d, %v, want %d", query.condition, query.arg, n, err, query.want)
			}
		}
	})
}

// TestNullElements reads an array with a NULL, and passes one.
func TestNullElements(t *testing.T) {
	page.Contains(t, "docs/postgresql.md", "**A NULL in an array** becomes the zero ID in a `[]ulid.AsUUID`")
	for _, register := range []bool{false, true} {
		conn := connect(t, db.PostgreSQL.Server(t), pgx.QueryExecModeCacheStatement, register)
		id := firstAt[ulid.AsUUID](0)
		const query = `SELECT ARRAY[NULL, $1::uuid]`
		var values []ulid.AsUUID
		var pointers []*ulid.AsUUID
		check(t, conn.QueryRow(ctx, query, id).Scan(&values))
		check(t, conn.QueryRow(ctx, query, id).Scan(&pointers))
		if len(values) != 2 || !values[0].IsZero() || len(pointers) != 2 || pointers[0] != nil || *pointers[1] != id {
			t.Errorf("the array is read as %v and %v", values, pointers)
		}
		var got ulid.AsUUID
		err := conn.QueryRow(ctx, `SELECT $1::uuid WHERE $1::uuid <> ALL($2)`, id, []*ulid.AsUUID{nil}).Scan(&got)
		if err != pgx.ErrNoRows {
			t.Errorf("with a nil in the slice come %s, %v", got, err)
		}
	}
}

// TestNilSlice passes a slice that is nil, which is NULL and not empty.
func TestNilSlice(t *testing.T) {
	page.Fact(t, "docs/postgresql.md", "nil-slice-is-null")
	conn := connect(t, db.PostgreSQL.Server(t), pgx.QueryExecModeCacheStatement, true)
	const query = `SELECT $1::uuid WHERE $1::uuid <> ALL($2)`
	var got ulid.ULID
	id := firstAt[ulid.AsUUID](0)
	if err := conn.QueryRow(ctx, query, id, []ulid.AsUUID(nil)).Scan(&got); err != pgx.ErrNoRows {
		t.Errorf("with a slice that is nil come %s, %v", got, err)
	}
	check(t, conn.QueryRow(ctx, query, id, []ulid.AsUUID{}).Scan(&got))
}
