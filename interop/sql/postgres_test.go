package sql

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// TestNobodyIsCalled installs and calls the functions where another role has created operators, functions, types and a
// collation with the names of PostgreSQL's own. None of them is called: not with pg_catalog before them on the search
// path, where an operator of theirs may fit better, and not with pg_catalog behind them.
func TestNobodyIsCalled(t *testing.T) {
	db.SkipWithout(t, db.PostgreSQL)
	for _, path := range []string{"%s", "%s, pg_catalog"} {
		t.Run(path, func(t *testing.T) {
			conn := open(t, db.PostgreSQL)
			schema := conn.Text(`SELECT current_schema()::text`)
			set := "SET search_path = " + fmt.Sprintf(path, schema)
			conn.Run(hostile(t))
			if strings.Contains(path, "pg_catalog") {
				conn.Run(hostileTypes)
			}
			conn.Run(set)
			wantError(t, conn, "hijacked", `SELECT 1::bigint | 1`) // the plan of today's caller

			conn.Script("sql/postgres.sql")
			conn.Run(`CREATE TABLE ids
				(id pg_catalog.uuid PRIMARY KEY DEFAULT ulid_make(), s pg_catalog.text, b pg_catalog.bytea)`)
			for _, indexed := range []string{
				"ulid_to_text(id)", "ulid_to_text(b)", "ulid_to_uuid(s)", "ulid_to_uuid(b)", "ulid_ms(id)", "ulid_time(s)",
				"ulid_first_at(ulid_time(id))", "ulid_last_at(ulid_time(b))",
			} {
				conn.Run(`CREATE INDEX ON ids (` + indexed + `)`)
			}
			conn.Run(`INSERT INTO ids (s, b) VALUES ('01ARYZ6S41TSV4RRFFQ69G5FAV', '\x01563df36481d6764c61efb99302bd5b')`)
			calls := []string{
				"ulid_to_uuid(s)", "ulid_to_uuid(b)", "ulid_to_text(id)", "ulid_to_text(b)",
				"ulid_ms(id)", "ulid_ms(s)", "ulid_ms(b)", "ulid_time(id)", "ulid_time(s)", "ulid_time(b)",
				"ulid_first_at(ulid_time(s))", "ulid_last_at(ulid_time(s))",
				"ulid_first_at('-infinity')", "ulid_last_at('-infinity')", "ulid_first_at('infinity')", "ulid_make()",
				"ulid_make_at('2026-11-01Z')",
			}
			for _, name := range lines(conn, `SELECT DISTINCT proname FROM pg_catalog.pg_proc
				WHERE pronamespace OPERATOR(pg_catalog.=) '`+schema+`'::pg_catalog.regnamespace
				AND proname OPERATOR(pg_catalog.~~) 'ulid%'`) {
				if !slices.ContainsFunc(calls, func(call string) bool { return strings.HasPrefix(call, name+"(") }) {
					t.Errorf("no call of %s is tried", name)
				}
			}
			for _, call := range calls {
				if value := conn.Rows(`SELECT ` + call + ` FROM ids`)[0][0]; value == nil {
					t.Errorf("%s is NULL", call)
				}
			}
			wantError(t, conn, "not a ULID", `SELECT ulid_to_uuid('x'::pg_catalog.text)`)
			if n := conn.Count(`SELECT pg_catalog.max(typcollation::bigint) FROM pg_catalog.pg_type
				WHERE oid OPERATOR(pg_catalog.=) 'ulid_text'::regtype`); n != 950 { // pg_catalog."C"
				t.Errorf("ulid_text has the collation %d", n)
			}
			conn.Run(`SET search_path = ''`) // as in a dump that is restored
			conn.Run(`INSERT INTO ` + schema + `.ids (s, b)
				VALUES ('01ARYZ6S41TSV4RRFFQ69G5FAW', '\x01563df36481d6764c61efb99302bd5c')`)
		})
	}
}

// hostile returns statements that create operators and functions whose call is an error: operators with the names that
// the file has, of every two types that it has, and all functions of PostgreSQL with the names that it has.
func hostile(t *testing.T) string {
	t.Helper()
	names := map[string]bool{}
	for _, m := range regexp.MustCompile(`(\w+)\(`).FindAllStringSubmatch(page.Text(t, "sql/postgres.sql"), -1) {
		names[m[1]] = true
	}
	var list []string
	for name := range names {
		list = append(list, "'"+strings.ToLower(name)+"'")
	}
	return strings.ReplaceAll(`DO $do$
		DECLARE
			a text; b text; op text; f record;
			body CONSTANT text := ' LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION ''hijacked''; END $$';
			types CONSTANT text[] := '{bigint,integer,numeric,text,bytea,bit,interval,timestamp,timestamptz}';
		BEGIN
			FOREACH a IN ARRAY types LOOP
				FOREACH b IN ARRAY types LOOP
					EXECUTE format('CREATE FUNCTION taken(%s, %s) RETURNS %1$s', a, b) || body;
					EXECUTE format('CREATE FUNCTION compared(%s, %s) RETURNS boolean', a, b) || body;
					FOREACH op IN ARRAY '{|,||,<<,>>,+,-,*,/,%}'::text[] LOOP
						EXECUTE format('CREATE OPERATOR %s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = taken)', op, a, b);
					END LOOP;
					FOREACH op IN ARRAY '{=,<>,<,>=,~}'::text[] LOOP
						EXECUTE format('CREATE OPERATOR %s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = compared)', op, a, b);
					END LOOP;
				END LOOP;
			END LOOP;
			FOR f IN
				SELECT proname, pg_get_function_identity_arguments(oid) AS arguments, prorettype::regtype AS result
				FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND proname IN (NAMES)
					AND prokind = 'f' AND NOT proretset AND provariadic = 0
			LOOP
				EXECUTE format('CREATE FUNCTION %I(%s) RETURNS %s', f.proname, f.arguments, f.result) || body;
			END LOOP;
		END $do$`, "NAMES", strings.Join(list, ", "))
}

// hostileTypes are found before those of PostgreSQL only where pg_catalog stands behind on the path.
const hostileTypes = `
	CREATE FUNCTION hijacked() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'hijacked'; END $$;
	CREATE COLLATION "C" (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
	CREATE DOMAIN uuid AS pg_catalog.uuid CHECK (hijacked());
	CREATE DOMAIN bytea AS pg_catalog.bytea CHECK (hijacked());
	CREATE DOMAIN timestamptz AS pg_catalog.timestamptz CHECK (hijacked());
	CREATE DOMAIN text AS pg_catalog.text CHECK (hijacked())`

// wantError fails the test unless a statement gives an error that has the words.
func wantError(t *testing.T, conn *db.DB, words, statement string) {
	t.Helper()
	err := conn.Try(statement)
	if err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("the error is %v, want %q, of %s", err, words, statement)
	}
}

// TestReplacesNothing installs the functions where a role has one of them already, which would stay the role's.
func TestReplacesNothing(t *testing.T) {
	conn := open(t, db.PostgreSQL)
	conn.Run(`CREATE FUNCTION ulid_make() RETURNS uuid LANGUAGE sql RETURN gen_random_uuid()`)
	if conn.Try(page.Text(t, "sql/postgres.sql")) == nil {
		t.Error("the function of another role was replaced")
	}
}

// TestSettings calls the functions in a session with other settings, and in one with the usual settings where they were
// installed with others. The rounds go through the values of all settings that are on or off or have a list of values,
// and of some more.
func TestSettings(t *testing.T) {
	usual := open(t, db.PostgreSQL)
	install(usual)
	for round := range rounds {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			other := open(t, db.PostgreSQL)
			set := settings(t, other, round)
			other.Run(set)
			other.Script("sql/postgres.sql")
			wantSame(t, open(t, db.PostgreSQL), schemaOf(other))
			caller := open(t, db.PostgreSQL)
			caller.Run(set)
			wantSame(t, caller, schemaOf(usual))
			if t.Failed() {
				t.Log(set)
			}
		})
	}
}

const rounds = 10 // as many as the values of icu_validation_level, which came with PostgreSQL 16

func schemaOf(conn *db.DB) string { return conn.Text(`SELECT current_schema()::text`) }

// settings returns statements that give each setting another value in each round.
func settings(t *testing.T, conn *db.DB, round int) string {
	values := map[string][]string{
		"DateStyle":              {"SQL, DMY", "German, DMY", "Postgres, YMD"},
		"TimeZone":               {"Asia/Kathmandu", "America/New_York", "Pacific/Apia"},
		"client_encoding":        {"LATIN1", "EUC_JP", "UTF8"},
		"extra_float_digits":     {"-15", "0", "3"},
		"plpgsql.extra_errors":   {"all", "none"},
		"timezone_abbreviations": {"India", "Australia"},
	}
	for _, row := range conn.Rows(`SELECT name, CASE setting WHEN 'on' THEN 'off,on' WHEN 'off' THEN 'on,off'
				ELSE array_to_string(enumvals, ',') END
			FROM pg_settings WHERE context = 'user' AND vartype IN ('bool', 'enum')
			AND category NOT LIKE 'Reporting and Logging%' AND name !~ '^transaction_|read_only$'`) {
		values[cell(row[0])] = strings.Split(cell(row[1]), ",")
	}
	var set strings.Builder
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if len(values[name]) > rounds {
			t.Errorf("%s has %d values, want no more than rounds", name, len(values[name]))
		}
		fmt.Fprintf(&set, "SET %s = '%s'; ", name, values[name][round%len(values[name])])
	}
	return set.String()
}

// wantSame fails the test unless the functions in a schema, which is not on the search path, return what they should.
func wantSame(t *testing.T, conn *db.DB, schema string) {
	t.Helper()
	conn.Run(`SET search_path = ''`)
	var calls []call
	for _, c := range family["postgres"].calls {
		if !strings.Contains(c.sql, "caseless") { // a collation of TestFunctions
			calls = append(calls, call{strings.ReplaceAll(c.sql, "ulid_", schema+".ulid_"), c.want})
		}
	}
	ids := form(asText).of(sampleIDs()[480:])
	wantCalls(t, conn, calls, `unnest(string_to_array('`+strings.Join(ids, ",")+`', ',')) AS id`, len(ids))
}

// TestPostgresOrder sorts texts where letters and digits of the database's own collation are in another order.
func TestPostgresOrder(t *testing.T) {
	server := db.Connect(t, "pgx", db.PostgreSQL.Server(t))
	name := strings.ToLower("ulid_" + ulid.Make().String())
	_, err := server.Exec(`CREATE DATABASE ` + name + ` TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'et' LOCALE 'C'`)
	db.Check(t, err)
	t.Cleanup(func() { server.Exec(`DROP DATABASE ` + name) })
	address, err := url.Parse(db.PostgreSQL.Server(t))
	db.Check(t, err)
	address.Path = "/" + name
	conn := db.Connect(t, "pgx", address.String())
	_, err = conn.Exec(page.Text(t, "sql/postgres.sql"))
	db.Check(t, err)
	_, err = conn.Exec(`CREATE TABLE ids AS SELECT ulid_make() AS id FROM generate_series(1, 2000)`)
	db.Check(t, err)
	order := func(by string) (ids []ulid.AsUUID) {
		rows, err := conn.Query(`SELECT id FROM ids ORDER BY ` + by)
		db.Check(t, err)
		defer rows.Close()
		for rows.Next() {
			var id ulid.AsUUID
			db.Check(t, rows.Scan(&id))
			ids = append(ids, id)
		}
		return ids
	}
	if slices.Equal(order(`ulid_to_text(id) COLLATE "default"`), order("id")) {
		t.Error("Estonian has the order of bytes")
	}
	for _, text := range []string{"ulid_to_text(id)", "ulid_to_text(uuid_send(id))"} {
		if !slices.Equal(order(text), order("id")) {
			t.Errorf("ORDER BY %s is not ORDER BY id", text)
		}
		var latest bool
		db.Check(t, conn.QueryRow(`SELECT max(`+text+`) = (SELECT ulid_to_text(id) FROM ids ORDER BY id DESC LIMIT 1)
			FROM ids`).Scan(&latest))
		if !latest {
			t.Errorf("max(%s) is not the latest ID", text)
		}
	}

	const other = `COLLATE "default"`
	page.Contains(t, readme, "`ulid_to_text(…) "+other+"`")
	_, err = conn.Exec(`CREATE TABLE texts (id text PRIMARY KEY); SET enable_seqscan = off`)
	db.Check(t, err)
	var plan string
	db.Check(t, conn.QueryRow(`EXPLAIN SELECT FROM texts
		WHERE id = ulid_to_text('\x01563df36481d6764c61efb99302bd5b'::bytea) `+other).Scan(&plan))
	if !strings.Contains(plan, "Index") {
		t.Errorf("beside a column of another collation the plan is %s", plan)
	}
}

// TestPostgresErrors reads long values, which the errors do not quote as a whole.
func TestPostgresErrors(t *testing.T) {
	conn := open(t, db.PostgreSQL)
	install(conn)
	for _, value := range []string{`repeat('x', 1000000)`, `'\x00'::bytea || convert_to(repeat('x', 1000000), 'UTF8')`} {
		for _, call := range []string{"ulid_to_uuid", "ulid_to_text", "ulid_ms", "ulid_time"} {
			if call == "ulid_to_text" && strings.HasPrefix(value, "repeat") {
				continue
			}
			err := conn.Try(`SELECT ` + call + `(` + value + `)`)
			if err == nil || !strings.Contains(err.Error(), "22P02") || len(err.Error()) > 150 {
				t.Errorf("%s(%s): %.200v", call, value, err)
			}
		}
	}
	wantError(t, conn, `not a ULID: "a\nb\u001b[31m"`, `SELECT ulid_to_uuid(E'a\nb\x1b[31m')`)
}
