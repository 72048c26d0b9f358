package sql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/internal/servers"
)

var schemas atomic.Int64

// openPostgres returns a database with a schema of its own, in which the functions are, and a time zone whose
// clocks go back an hour in November.
func openPostgres(t *testing.T) *sql.DB {
	t.Helper()
	config, err := pgx.ParseConfig(servers.DSN(t, "ULID_POSTGRES"))
	if err != nil {
		t.Fatal(err)
	}
	schema := fmt.Sprintf("sql_%d_%d", os.Getpid(), schemas.Add(1))
	config.RuntimeParams["search_path"] = schema
	config.RuntimeParams["timezone"] = "America/New_York"
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(1) // what a test sets holds for its other statements
	exec(t, db, "CREATE SCHEMA "+schema)
	t.Cleanup(func() {
		exec(t, db, "DROP SCHEMA "+schema+" CASCADE")
		db.Close()
	})
	exec(t, db, read(t, "postgres.sql"))
	return db
}

var postgresTables = []struct {
	name  string
	value func(ulid.ULID) any
}{
	{"events", func(id ulid.ULID) any { return id.UUIDString() }},
	{"events_text", func(id ulid.ULID) any { return id.String() }},
	{"events_bytea", func(id ulid.ULID) any { return id.Bytes() }},
}

// fillPostgres stores the IDs in the table of each type.
func fillPostgres(t *testing.T, db *sql.DB, ids []ulid.ULID) {
	t.Helper()
	for _, table := range postgresTables {
		rows := make([][]any, len(ids))
		for i, id := range ids {
			rows[i] = []any{table.value(id)}
			if table.name == "events" {
				rows[i][0] = [16]byte(id)
			}
		}
		conn, err := db.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		err = conn.Raw(func(c any) error {
			_, err := c.(*stdlib.Conn).Conn().CopyFrom(context.Background(), pgx.Identifier{table.name}, []string{"id"}, pgx.CopyFromRows(rows))
			return err
		})
		conn.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestPostgresPage runs the statements of the page in their order, as somebody who pastes them.
func TestPostgresPage(t *testing.T) {
	db := openPostgres(t)
	parts, names := sections(t, "postgres_use.sql")
	for _, name := range names {
		exec(t, db, parts[name])
	}
}

func TestPostgresTimeAndConvert(t *testing.T) {
	db := openPostgres(t)
	parts, _ := sections(t, "postgres_use.sql")
	exec(t, db, parts["columns"])
	ids := sampleIDs()
	fillPostgres(t, db, ids)
	forms := []form{asUUID, asText, asBytes}
	for i, query := range statements(parts["time"]) {
		wantForms(t, db, ids, query, forms[i], asTime)
	}
	others := [][]form{{asText, asBytes}, {asUUID, asBytes}, {asUUID, asText}}
	for i, query := range statements(parts["convert"]) {
		wantForms(t, db, ids, query, forms[i], others[i][0], others[i][1])
	}
	wantForms(t, db, ids, `SELECT lower(id), ulid_to_uuid(lower(id)), ulid_time(lower(id)::char(26)) FROM events_text`, asLower, asUUID, asTime)
	wantForms(t, db, ids, `SELECT id, uuid_send(ulid_first_at(ulid_time(id))), uuid_send(ulid_last_at(ulid_time(id))) FROM events`, asUUID, asFirst, asLast)

	exec(t, db, `INSERT INTO events VALUES ('01563df3-6481-d676-4c61-efb99302bd5b')`)
	wantForms(t, db, []ulid.ULID{ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")},
		strings.Replace(parts["look up"], "*", "id", 1), asUUID)
}

// TestPostgresBounds compares the bounds with FirstAt and LastAt at times that no ID has.
func TestPostgresBounds(t *testing.T) {
	db := openPostgres(t)
	for _, at := range []time.Time{
		{}, time.Unix(-1, 0), time.Unix(0, -1000), time.Unix(0, 999_000), time.Unix(1, 1_999_000),
		time.Date(2026, 11, 21, 10, 0, 0, 123_999_000, time.UTC), ulid.Time(ulid.MaxTime()).Add(999 * time.Microsecond),
		ulid.Time(ulid.MaxTime()).Add(time.Millisecond), time.Date(20_000, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		row := fetch(t, db, `SELECT ulid_first_at($1), ulid_last_at($1)`, at)[0]
		if got, want := text(row[0]), ulid.FirstAt(at).UUIDString(); got != want {
			t.Errorf("ulid_first_at(%v) = %s, want %s", at, got, want)
		}
		if got, want := text(row[1]), ulid.LastAt(at).UUIDString(); got != want {
			t.Errorf("ulid_last_at(%v) = %s, want %s", at, got, want)
		}
	}
	var largest = ulid.MustParse("7ZZZZZZZZZZZZZZZZZZZZZZZZZ").UUIDString()
	row := fetch(t, db, `SELECT ulid_first_at('-infinity'), ulid_first_at('infinity'), ulid_last_at('-infinity'), ulid_last_at('infinity')`)[0]
	for i, want := range []string{ulid.ULID{}.UUIDString(), largest, ulid.ULID{}.UUIDString(), largest} {
		if got := text(row[i]); got != want {
			t.Errorf("column %d of the bounds at infinity is %s, want %s", i, got, want)
		}
	}
	for i, cell := range fetch(t, db, `SELECT ulid_to_uuid(NULL::text), ulid_to_uuid(NULL::bytea), ulid_to_text(NULL::uuid),
		ulid_to_text(NULL::bytea), ulid_time(NULL::text), ulid_first_at(NULL), ulid_last_at(NULL)`)[0] {
		if cell != nil {
			t.Errorf("function %d of NULL is %v", i, cell)
		}
	}
}

// TestPostgresRefuses puts every character up to U+0100 at every position of a ULID.
func TestPostgresRefuses(t *testing.T) {
	db := openPostgres(t)
	exec(t, db, `CREATE FUNCTION try(ulid text) RETURNS text LANGUAGE plpgsql AS $$
		BEGIN RETURN encode(uuid_send(ulid_to_uuid(ulid)), 'hex');
		EXCEPTION WHEN invalid_text_representation THEN RETURN ''; END $$`)
	rows := fetch(t, db, `SELECT s, try(s) FROM unnest($1::text[]) base, generate_series(1, 26) i, generate_series(1, 256) c,
		overlay(base PLACING chr(c) FROM i FOR 1) s`, bases)
	if want := len(bases) * 26 * 256; len(rows) != want {
		t.Fatalf("%d rows, want %d", len(rows), want)
	}
	rows = append(rows, fetch(t, db, `SELECT s, try(s) FROM unnest($1::text[]) s`, badTexts)...)
	for _, row := range rows {
		wantParsed(t, text(row[0]), text(row[1]))
	}
	for n := range 40 {
		if _, err := db.Exec(`SELECT ulid_to_text($1::bytea)`, make([]byte, n)); (err == nil) != (n == 16) {
			t.Errorf("ulid_to_text of %d bytes: %v", n, err)
		}
		if _, err := db.Exec(`SELECT ulid_time($1::bytea)`, make([]byte, n)); (err == nil) != (n == 16) {
			t.Errorf("ulid_time of %d bytes: %v", n, err)
		}
	}
	if _, err := db.Exec(`SELECT ulid_time('01ARYZ6S41TSV4RRFFQ69G5FAU')`); err == nil {
		t.Error("ulid_time takes a U")
	}
}

func TestPostgresDefault(t *testing.T) {
	db := openPostgres(t)
	parts, _ := sections(t, "postgres_use.sql")
	exec(t, db, parts["columns"])
	for i, insert := range statements(parts["insert"]) {
		for range 1000 {
			fetch(t, db, insert)
		}
		wantRandom(t, idsOf(t, fetch(t, db, `SELECT id FROM `+postgresTables[i].name)))
	}
}

// TestPostgresSearchPath shows that the functions work without the schema that they are in, as in a dump that
// is restored or an index that is rebuilt.
func TestPostgresSearchPath(t *testing.T) {
	db := openPostgres(t)
	schema := text(fetch(t, db, `SELECT current_schema()`)[0][0])
	exec(t, db, `SET search_path = ''`)
	for _, call := range []string{
		"ulid_to_uuid('01ARYZ6S41TSV4RRFFQ69G5FAV')", `ulid_to_text('\x01563df36481d6764c61efb99302bd5b'::bytea)`,
		"ulid_time('01ARYZ6S41TSV4RRFFQ69G5FAV')", "ulid_first_at(now())", "ulid_last_at(now())", "ulid_make()",
	} {
		exec(t, db, "SELECT "+schema+"."+call)
	}
}

// TestPostgresCollation calls the functions with a text of a collation that compares without regard to case, and
// that pattern matching refuses.
func TestPostgresCollation(t *testing.T) {
	db := openPostgres(t)
	exec(t, db, `CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`)
	want := ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV").UUIDString()
	for _, s := range []string{"01ARYZ6S41TSV4RRFFQ69G5FAV", "01aryz6s41tsv4rrffq69g5fav"} {
		if got := text(fetch(t, db, `SELECT ulid_to_uuid($1::text COLLATE caseless)`, s)[0][0]); got != want {
			t.Errorf("ulid_to_uuid(%s) = %s, want %s", s, got, want)
		}
	}
}

// TestPostgresRange runs the ranges of the page and shows that they look into the index, where a condition on
// ulid_time reads every row.
func TestPostgresRange(t *testing.T) {
	db := openPostgres(t)
	parts, _ := sections(t, "postgres_use.sql")
	exec(t, db, parts["columns"])
	all, within := november()
	fillPostgres(t, db, all)
	exec(t, db, "ANALYZE")
	plan := func(query string) string {
		var lines []string
		for _, row := range fetch(t, db, "EXPLAIN "+query) {
			lines = append(lines, text(row[0]))
		}
		return strings.Join(lines, "\n")
	}
	queries := statements(parts["range"])
	if len(queries) != len(postgresTables) {
		t.Fatalf("%d ranges", len(queries))
	}
	for _, query := range queries {
		wantRange(t, db, within, query)
		if p := plan(query); !strings.Contains(p, "Index Cond: ((id >=") || !strings.Contains(p, "(id <") {
			t.Errorf("%s\nis planned as\n%s", query, p)
		}
	}
	slow := `SELECT id FROM events WHERE ulid_time(id) >= '2026-11-01Z' AND ulid_time(id) < '2026-12-01Z' ORDER BY id`
	wantRange(t, db, within, slow)
	if p := plan(slow); !strings.Contains(p, "Filter:") || strings.Contains(p, "Index Cond") {
		t.Errorf("%s\nis planned as\n%s", slow, p)
	}
}

func TestPostgresFind(t *testing.T) {
	db := openPostgres(t)
	parts, _ := sections(t, "postgres_use.sql")
	exec(t, db, parts["columns"])
	fillPostgres(t, db, sampleIDs())
	queries := statements(parts["find"])
	if rows := fetch(t, db, queries[0]); len(rows) > 0 {
		t.Errorf("%q found among good rows", rows)
	}
	if rows := fetch(t, db, queries[1]); len(rows) > 0 {
		t.Errorf("%q found among good rows", rows)
	}
	id := ulid.Make()
	for value, want := range map[string]string{
		strings.ToLower(id.String()): "lower case", id.UUIDString(): "UUID notation", strings.ToUpper(id.UUIDString()): "UUID notation",
		fmt.Sprintf(`\x%x`, id[:]): "bytes in hexadecimal", "": "no ULID", "81ARYZ6S41TSV4RRFFQ69G5FAV": "no ULID",
		"01ARYZ6S41TSV4RRFFQ69G5FAU": "no ULID", id.String() + "\n": "no ULID",
	} {
		exec(t, db, `INSERT INTO events_text VALUES ($1)`, value)
		rows := fetch(t, db, queries[0])
		if len(rows) != 1 || text(rows[0][0]) != value || text(rows[0][1]) != want {
			t.Errorf("%q is found as %q, want %q", value, rows, want)
		}
		exec(t, db, `DELETE FROM events_text WHERE id = $1`, value)
	}
	for value, want := range map[string]string{id.String(): "text", id.UUIDString(): "UUID notation", "": "no ULID", "1": "no ULID"} {
		exec(t, db, `INSERT INTO events_bytea VALUES ($1)`, []byte(value))
		rows := fetch(t, db, queries[1])
		if len(rows) != 1 || text(rows[0][0]) != value || text(rows[0][1]) != want {
			t.Errorf("%q is found as %q, want %q", value, rows, want)
		}
		exec(t, db, `DELETE FROM events_bytea WHERE id = $1`, []byte(value))
	}
}

// TestPostgresColumns converts columns in place, with the keys that refer to them.
func TestPostgresColumns(t *testing.T) {
	for _, kind := range []string{"text", "bytea"} {
		t.Run(kind, func(t *testing.T) {
			db := openPostgres(t)
			parts, _ := sections(t, "postgres_use.sql")
			exec(t, db, parts["columns"])
			exec(t, db, parts["references"])
			ids := sampleIDs()
			fillPostgres(t, db, ids)
			exec(t, db, strings.ReplaceAll(`INSERT INTO items_K SELECT id, 1 FROM events_K`, "K", kind))
			exec(t, db, strings.ReplaceAll(`INSERT INTO items_K VALUES (NULL, 2)`, "K", kind))

			// A row in another form ends it, and leaves all as it was.
			for _, bad := range badRows[kind] {
				exec(t, db, `INSERT INTO events_`+kind+` VALUES ($1)`, bad)
				_, err := db.Exec(parts[kind+" to uuid"])
				var refused *pgconn.PgError // by the function, or because of a duplicate
				if !errors.As(err, &refused) || refused.Code != "22P02" && refused.Code != "23505" {
					t.Fatalf("%q in the column: %v", bad, err)
				}
				exec(t, db, "ROLLBACK")
				exec(t, db, `DELETE FROM events_`+kind+` WHERE id = $1`, bad)
			}
			if got := columnType(t, db, "events_"+kind, "id"); got != kind {
				t.Fatalf("after errors the column is of type %s", got)
			}

			exec(t, db, parts[kind+" to uuid"])
			for table, column := range map[string]string{"events_" + kind: "id", "items_" + kind: "event_id"} {
				if got := columnType(t, db, table, column); got != "uuid" {
					t.Errorf("%s of %s is of type %s", column, table, got)
				}
				wantForms(t, db, ids, `SELECT `+column+` FROM `+table+` WHERE `+column+` IS NOT NULL`, asUUID)
			}
			if n := text(fetch(t, db, `SELECT count(*) FROM items_`+kind+` WHERE event_id IS NULL`)[0][0]); n != "1" {
				t.Errorf("%s items have no event, want 1", n)
			}
			if _, err := db.Exec(`INSERT INTO items_`+kind+` VALUES ($1, 3)`, ulid.AsUUID(ulid.Make())); err == nil {
				t.Error("an item refers to no event")
			}
			if _, err := db.Exec(`INSERT INTO events_`+kind+` VALUES ($1)`, ulid.AsUUID(ids[0])); err == nil {
				t.Error("a key came twice")
			}
			exec(t, db, `INSERT INTO events_`+kind+` DEFAULT VALUES`)
		})
	}
}

// badRows are what keeps a column from being converted. The lower-case text is another row's ID as well.
var badRows = map[string][]any{
	"text":  {ulid.Make().UUIDString(), "01ARYZ6S41TSV4RRFFQ69G5FAU", strings.ToLower(ulid.MustParse("7ZZZZZZZZZZZZZZZZZZZZZZZZZ").String())},
	"bytea": {[]byte(ulid.Make().String()), []byte("short")},
}

func columnType(t *testing.T, db *sql.DB, table, column string) string {
	t.Helper()
	return text(fetch(t, db, `SELECT data_type FROM information_schema.columns
		WHERE table_schema = current_schema() AND table_name = $1 AND column_name = $2`, table, column)[0][0])
}
