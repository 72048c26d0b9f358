package sql

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// TestPsql runs what stands at the head of postgres.sql: the command that installs the functions, the one that replaces
// them under a DEFAULT, and the statement that removes them. The second one fails if the file has OR REPLACE itself.
func TestPsql(t *testing.T) {
	conn := open(t, db.PostgreSQL)
	const functions = `SELECT count(*) FROM pg_proc WHERE pronamespace = current_schema()::regnamespace`
	conn.Run(`CREATE FUNCTION ulid_make() RETURNS int LANGUAGE sql AS 'SELECT 1'`) // the last one of the file
	if psql(t, conn, "psql ") == nil || conn.Count(functions) != 1 {
		t.Errorf("the command installs a part of the file: %d functions", conn.Count(functions))
	}
	conn.Run(`DROP FUNCTION ulid_make()`)
	db.Check(t, psql(t, conn, "psql "))
	conn.Run(`CREATE TABLE events (id uuid DEFAULT ulid_make())`)
	db.Check(t, psql(t, conn, "sed "))
	conn.Run(`INSERT INTO events DEFAULT VALUES`)

	const properties = `SELECT provolatile::text, proisstrict OR pronargs = 0, proparallel::text, prosecdef, count(*)
		FROM pg_proc WHERE pronamespace = current_schema()::regnamespace GROUP BY 1, 2, 3, 4`
	// IMMUTABLE or VOLATILE, STRICT, PARALLEL SAFE and not SECURITY DEFINER
	wantLines(t, conn, properties, []string{"i true s false 4", "v true s false 2"})
	conn.Run(`DROP TABLE events`)
	drop := regexp.MustCompile(`(?m)^--   DROP FUNCTION ulid_to_uuid\(text\)[^;]*;`)
	conn.Run(strings.ReplaceAll(drop.FindString(page.Text(t, "sql/postgres.sql")), "--", ""))
	wantLines(t, conn, properties, nil)
}

// psql runs the command at the head of postgres.sql that begins with a word.
func psql(t *testing.T, conn *db.DB, word string) error {
	t.Helper()
	command := regexp.MustCompile(`(?m)^--   (` + word + `.*)$`).FindStringSubmatch(page.Text(t, "sql/postgres.sql"))
	address, err := url.Parse(conn.DSN)
	db.Check(t, err)
	query := address.Query()
	password, _ := address.User.Password()
	db.LookPath(t, "psql")
	cmd := exec.Command(db.LookPath(t, "sh"), "-c", command[1])
	cmd.Dir = filepath.Join(page.Root(), "sql")
	cmd.Env = append(os.Environ(), "PGHOST="+address.Hostname(), "PGPORT="+address.Port(), "PGDATABASE="+address.Path[1:],
		"PGUSER="+address.User.Username(), "PGPASSWORD="+password, "PGSSLMODE="+query.Get("sslmode"),
		"PGOPTIONS=-csearch_path="+query.Get("search_path"))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %v: %s", command[1], err, out)
	}
	return nil
}

// TestNobodyIsCalled installs and calls the functions where another role has created operators and functions with the
// names of PostgreSQL's own, and the session types. None of them is called: not with pg_catalog before them on the
// search path, where an operator of theirs may fit better, and not with pg_catalog behind them.
func TestNobodyIsCalled(t *testing.T) {
	db.SkipWithout(t, db.PostgreSQL)
	for _, path := range []string{"%s", "%s, pg_catalog"} {
		t.Run(path, func(t *testing.T) {
			conn := open(t, db.PostgreSQL)
			schema := conn.Text(`SELECT current_schema()::text`)
			conn.Run(hostile(t))
			conn.Run(hostileTypes)
			conn.Run("SET search_path = " + fmt.Sprintf(path, schema))
			wantError(t, conn, "hijacked", `SELECT 1::bigint | 1`)
			wantError(t, conn, "hijacked", `SELECT 'x'::text`)

			install(conn)
			conn.Run(`CREATE TABLE ids (id pg_catalog.uuid PRIMARY KEY DEFAULT ulid_make(), s pg_catalog.text)`)
			conn.Run(`CREATE INDEX ON ids (ulid_to_uuid(s))`)
			conn.Run(`INSERT INTO ids (s) VALUES ('01ARYZ6S41TSV4RRFFQ69G5FAV')`)
			for call, want := range map[string]string{
				"ulid_to_uuid(s)": "01563df3-6481-d676-4c61-efb99302bd5b",
				"ulid_to_text('01563df3-6481-d676-4c61-efb99302bd5b')": "01ARYZ6S41TSV4RRFFQ69G5FAV",
				"ulid_time(ulid_to_uuid(s))":                           "2016-07-30T22:36:16.385Z",
				"ulid_first_at('2016-07-30 22:36:16.385Z')":            "01563df3-6481-0000-0000-000000000000",
				"ulid_first_at('-infinity')":                           "00000000-0000-0000-0000-000000000000",
				"ulid_first_at('infinity')":                            "ffffffff-ffff-ffff-ffff-ffffffffffff",
				"ulid_make() IS NULL":                                  "false",
				"ulid_make_at('2026-11-01Z') IS NULL":                  "false",
			} {
				wantLines(t, conn, `SELECT `+call+` FROM ids`, []string{want})
			}
			wantError(t, conn, "not a ULID", `SELECT ulid_to_uuid('x')`)
			wantError(t, conn, "no ULID has the time 1969-12-30 19:00:00-05", `SELECT ulid_make_at('1969-12-31Z')`)
			conn.Run(`SET search_path = ''`) // as in a dump that is restored
			conn.Run(`INSERT INTO ` + schema + `.ids (s) VALUES ('01ARYZ6S41TSV4RRFFQ69G5FAW')`)
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

// hostileTypes are found before those of PostgreSQL, because temporary types are, unless the search path says
// otherwise.
const hostileTypes = `
	CREATE FUNCTION hijacked() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'hijacked'; END $$;
	CREATE DOMAIN pg_temp.uuid AS pg_catalog.uuid CHECK (hijacked());
	CREATE DOMAIN pg_temp.bytea AS pg_catalog.bytea CHECK (hijacked());
	CREATE DOMAIN pg_temp.timestamptz AS pg_catalog.timestamptz CHECK (hijacked());
	CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (hijacked())`

// wantError fails the test unless a statement gives an error that has the words.
func wantError(t *testing.T, conn *db.DB, words, statement string, args ...any) {
	t.Helper()
	err := conn.Try(statement, args...)
	if err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("the error is %v, want %q, of %s", err, words, statement)
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
			install(other)
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
		"TimeZone":               {"UTC+5", "<UTC>-3", "America/New_York"}, // PostgreSQL 18 looks up UTC in the first two
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
	var qualified []call
	for _, c := range calls {
		qualified = append(qualified, call{strings.ReplaceAll(c.sql, "ulid_", schema+".ulid_"), c.want})
	}
	ids := form(asText).of(sampleIDs()[480:])
	wantCalls(t, conn, qualified, `unnest(string_to_array('`+strings.Join(ids, ",")+`', ',')) AS id`, len(ids))
	made := conn.Rows(`SELECT ` + schema + `.ulid_make()`)
	wantMade(t, conn, made, 1)
}

// TestPostgresErrors reads what an error does not quote as a whole, or not as it stands.
func TestPostgresErrors(t *testing.T) {
	conn := open(t, db.PostgreSQL)
	install(conn)
	for argument, want := range map[string]string{
		`repeat('x', 1000000)`: `not a ULID: "` + strings.Repeat("x", 40) + `" (SQLSTATE 22P02)`,
		`E'a\nb\x1b[31m'`:      `not a ULID: "a\nb\u001b[31m" (SQLSTATE 22P02)`,
	} {
		wantError(t, conn, want, `SELECT ulid_to_uuid(`+argument+`)`)
	}
}
