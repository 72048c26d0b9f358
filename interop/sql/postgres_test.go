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

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// TestPsql runs what stands at the head of postgres.sql: the command that installs the functions, the one that replaces
// them under a DEFAULT, and the statements that remove them.
func TestPsql(t *testing.T) {
	const functions = `SELECT count(*) FROM pg_proc JOIN pg_namespace n ON n.oid = pronamespace WHERE nspname = 'ulid'`
	file := page.Text(t, "sql/postgres.sql")
	other := db.Role(t)
	conn := db.PostgreSQL.Open(t, session)
	wantNone := func(words string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), words) || conn.Count(functions) != 0 {
			t.Errorf("%d functions, and the error is %v; want none, and %q", conn.Count(functions), err, words)
		}
	}
	wantNone("division by zero", psql(t, conn, "psql ", file+"SELECT 1/0;"))
	conn.Run(`CREATE SCHEMA ulid AUTHORIZATION ` + other)
	wantNone("already exists", psql(t, conn, "psql ", file))
	conn.Run(`CREATE FUNCTION ulid.make() RETURNS int LANGUAGE sql AS 'SELECT 1'`)
	if psql(t, conn, "sed ", file) == nil || conn.Count(functions) != 1 {
		t.Errorf("the command replaces a part of the functions: there are %d", conn.Count(functions))
	}
	conn.Run(`DROP SCHEMA ulid CASCADE`)

	db.Check(t, psql(t, conn, "psql ", file))
	conn.Run(`CREATE TABLE events (id uuid DEFAULT ulid.make())`)
	db.Check(t, psql(t, conn, "sed ", file))
	conn.Run(`INSERT INTO events DEFAULT VALUES`)
	const properties = `SELECT provolatile::text, proisstrict OR pronargs = 0, proparallel::text, prosecdef,
		prosrc LIKE '%ulid.%', proconfig::text, count(*)
		FROM pg_proc WHERE pronamespace = 'ulid'::regnamespace GROUP BY 1, 2, 3, 4, 5, 6`
	// IMMUTABLE or VOLATILE, STRICT, PARALLEL SAFE, not SECURITY DEFINER, without a call of another one, and their path
	const path = `{"search_path=pg_catalog, pg_temp"}`
	wantLines(t, conn, properties, []string{"i true s false false " + path + " 4", "v true s false false " + path + " 2"})

	remove := regexp.MustCompile(`(?ms)^--   DROP FUNCTION.*?^--   DROP SCHEMA ulid;`).FindString(file)
	remove = strings.ReplaceAll(remove, "--", "")
	wantError(t, conn, "other objects depend on", remove)
	conn.Run(`DROP TABLE events`)
	conn.Run(remove)
	conn.Run(`CREATE SCHEMA ulid`)
}

// psql runs the command at the head of postgres.sql that begins with a word, in a folder that has only the file.
func psql(t *testing.T, conn *db.DB, word, file string) error {
	t.Helper()
	command := regexp.MustCompile(`(?m)^--   (` + word + `.*)$`).FindStringSubmatch(file)
	address, err := url.Parse(conn.DSN)
	db.Check(t, err)
	password, _ := address.User.Password()
	db.LookPath(t, "psql")
	cmd := exec.Command(db.LookPath(t, "sh"), "-c", command[1])
	cmd.Dir = t.TempDir()
	db.Check(t, os.WriteFile(filepath.Join(cmd.Dir, "postgres.sql"), []byte(file), 0o644))
	cmd.Env = append(os.Environ(), "PGHOST="+address.Hostname(), "PGPORT="+address.Port(), "PGDATABASE="+address.Path[1:],
		"PGUSER="+address.User.Username(), "PGPASSWORD="+password, "PGSSLMODE="+address.Query().Get("sslmode"))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %v: %s", command[1], err, out)
	}
	return nil
}

// TestOtherRole has a role without rights call all functions, also where default privileges revoke that. It can create
// none beside them, unless an administrator makes the schema for it.
func TestOtherRole(t *testing.T) {
	other := db.Role(t)
	conn := db.PostgreSQL.Open(t, session)
	conn.Run(`ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC`)
	install(t, conn)
	conn.Run(`SET ROLE ` + other)
	wantSame(t, conn)
	wantError(t, conn, "permission denied", `CREATE FUNCTION ulid.time(text) RETURNS int LANGUAGE sql AS 'SELECT 1'`)

	conn.Run(`RESET ROLE; DROP SCHEMA ulid CASCADE; CREATE SCHEMA ulid AUTHORIZATION ` + other + `; SET ROLE ` + other)
	conn.Run(strings.Replace(page.Text(t, "sql/postgres.sql"), "\nCREATE SCHEMA ulid;\n", "\n", 1))
	wantSame(t, conn)
}

// TestNobodyIsCalled installs and calls the functions where another role has created operators and functions with the
// names of PostgreSQL's own, and the session types. None of them is called: not with pg_catalog before them on the
// search path, where an operator of theirs may fit better, and not with pg_catalog behind them.
func TestNobodyIsCalled(t *testing.T) {
	conn := attacked(t)
	for _, call := range []string{
		`'a'::varchar >= 'a'::text`, `'a'::varchar < 'a'::varchar`, `'a'::char(2) ~ 'a'`,
		`octet_length('a'::varchar)`, `length('a'::varchar)`, `right('a'::varchar, 1)`, `lower('a'::char(2))`,
		`encode('a'::bytea, 'hex'::varchar)`, `to_timestamp(1::numeric)`, `1::bigint | 1::bigint::numeric`,
	} {
		wantError(t, conn, "hijacked", `SELECT `+call)
	}
	conn.Run(hostileTypes)
	for _, path := range []string{"public", "public, pg_catalog"} {
		conn.Run(`DROP SCHEMA ulid CASCADE; DROP TABLE IF EXISTS ids`)
		conn.Run(`SET search_path = ` + path)
		install(t, conn)
		wantSame(t, conn)
		conn.Run(`CREATE TABLE ids (id pg_catalog.uuid PRIMARY KEY DEFAULT ulid.make(), ulid pg_catalog.text)`)
		conn.Run(`CREATE INDEX ON ids (ulid.from_text(ulid))`)
		conn.Run(`INSERT INTO ids (ulid) VALUES ('01ARYZ6S41TSV4RRFFQ69G5FAV')`)
		wantLines(t, conn, `SELECT ulid.from_text(ulid.ulid), ulid.first_at('-infinity'), ulid.first_at('infinity')
			FROM ids AS ulid`, []string{asUUID(known) + " " + asUUID(ulid.ULID{}) + " " + asUUID(largest)})
		wantError(t, conn, "not a ULID", `SELECT ulid.from_text('x')`)
		wantError(t, conn, "no ULID has the time 1969-12-30 19:00:00-05", `SELECT ulid.make_at('1969-12-31Z')`)
		conn.Run(`SET search_path = ''`) // as in a dump that is restored
		conn.Run(`INSERT INTO public.ids (ulid) VALUES ('01ARYZ6S41TSV4RRFFQ69G5FAW')`)
		conn.Run(`RESET search_path`)
	}
}

// attacked connects as installed does, to a database in which everybody may create in the schema public, as before
// PostgreSQL 15, and which has the schema app before public on the search path. Another role has made the objects of
// hostile in public, and temporary ones.
func attacked(t *testing.T) *db.DB {
	t.Helper()
	other := db.Role(t)
	conn := db.PostgreSQL.Open(t, session)
	conn.Run(`GRANT CREATE ON SCHEMA public TO PUBLIC`)
	conn.Run(`SET ROLE ` + other)
	for _, schema := range []string{"public", "pg_temp"} {
		conn.Run(hostile(t, schema))
	}
	conn.Run(`RESET ROLE; CREATE SCHEMA app; SET search_path = app, public`)
	install(t, conn)
	return conn
}

// hostile returns statements that create a table ulid in a schema, and functions and operators whose call is an error.
// They have the names of PostgreSQL's own that stand in postgres.sql and on the pages with our SQL, as many arguments,
// and all types that may fit a call better. Only a superuser can write a function of the type unknown.
func hostile(t *testing.T, schema string) string {
	t.Helper()
	var text strings.Builder
	for _, file := range []string{"sql/postgres.sql", readme, storagePage, "docs/tools.md", "typed/README.md"} {
		text.WriteString(strings.ToLower(page.Text(t, file)))
	}
	array := func(pattern string) string {
		found := regexp.MustCompile(pattern).FindAllString(text.String(), -1)
		return "'{" + strings.ReplaceAll(strings.Join(found, ","), "(", "") + "}'"
	}
	names, operators := array(`\w+\(`), array(`[-+*/<>=~!@#%^&|]+`)
	return strings.NewReplacer("NAMES", names, "OPERATORS", operators, "PLACE", schema).Replace(`
		SET search_path = PLACE;
		CREATE TABLE ulid (make int, make_at int, time int, first_at int, from_text int, to_text int);
		DO $do$
		DECLARE
			body CONSTANT text := ' RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION ''hijacked''; END $$';
			types CONSTANT text[] := '{text,varchar,bpchar,uuid,bytea,bit,bigint,integer,numeric,timestamp,timestamptz,
				interval,anyelement}';
			l text; r text; f record;
		BEGIN
			SET LOCAL check_function_bodies = off;
			FOR f IN
				SELECT DISTINCT proname AS name, arguments FROM pg_proc, LATERAL (
					SELECT a FROM unnest(types) a WHERE pronargs = 1
					UNION ALL SELECT a || ',' || b FROM unnest(types) a, unnest(types) b WHERE pronargs = 2
					UNION ALL SELECT oidvectortypes(proargtypes) WHERE pronargs NOT IN (1, 2)
				) AS list (arguments)
				WHERE pronamespace = 'pg_catalog'::regnamespace AND proname = ANY (NAMES) AND prokind = 'f' AND provariadic = 0
			LOOP
				EXECUTE format('CREATE FUNCTION %I(%s)', f.name, f.arguments) || body;
			END LOOP;
			FOREACH l IN ARRAY types LOOP
				FOREACH r IN ARRAY types LOOP
					EXECUTE format('CREATE FUNCTION taken(%s, %s)', l, r) || body;
					FOR f IN
						SELECT DISTINCT oprname AS name FROM pg_operator
						WHERE oprnamespace = 'pg_catalog'::regnamespace AND oprname = ANY (OPERATORS) AND oprkind = 'b'
					LOOP
						EXECUTE format('CREATE OPERATOR %s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = PLACE.taken)', f.name, l, r);
					END LOOP;
				END LOOP;
			END LOOP;
		END $do$`)
}

// hostileTypes are found before those of PostgreSQL, because temporary types are, unless the search path says
// otherwise.
const hostileTypes = `
	CREATE DOMAIN pg_temp.uuid AS pg_catalog.uuid CHECK (public.taken(1, 1));
	CREATE DOMAIN pg_temp.bytea AS pg_catalog.bytea CHECK (public.taken(1, 1));
	CREATE DOMAIN pg_temp.timestamptz AS pg_catalog.timestamptz CHECK (public.taken(1, 1));
	CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (public.taken(1, 1))`

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
	usual, other := installed(t), installed(t)
	for round := range rounds {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			caller, installer := usual.Again(t), other.Again(t)
			set := settings(t, caller, round)
			caller.Run(set)
			wantSame(t, caller)
			installer.Run(set)
			installer.Run(`DROP SCHEMA ulid CASCADE`)
			install(t, installer)
			wantSame(t, other.Again(t))
			if t.Failed() {
				t.Log(set)
			}
		})
	}
}

const rounds = 10 // as many as the values of icu_validation_level, which came with PostgreSQL 16

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

// wantSame fails the test unless the functions return what they should.
func wantSame(t *testing.T, conn *db.DB) {
	t.Helper()
	ids := form(asText).of(sampleIDs()[480:])
	wantCalls(t, conn, `unnest(string_to_array('`+strings.Join(ids, ",")+`', ',')) AS id`, len(ids))
	wantMade(t, conn.Rows(`SELECT ulid.make()`), 1)
}

// TestPostgresErrors reads what an error does not quote as a whole, or not as it stands.
func TestPostgresErrors(t *testing.T) {
	conn := installed(t)
	wantError(t, conn, `not a ULID: "`+strings.Repeat("x", 40)+`" (SQLSTATE 22P02)`,
		`SELECT ulid.from_text(repeat('x', 1000000))`)
	wantError(t, conn, `not a ULID: "a\nb\u001b[31m" (SQLSTATE 22P02)`, `SELECT ulid.from_text(E'a\nb\x1b[31m')`)
}
