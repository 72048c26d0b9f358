package sql

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

var postgresDB = &database{
	Database: db.PostgreSQL,
	// In this zone clocks go back an hour in November. A prepared statement whose types have changed
	// cannot run again.
	parameters: "timezone=America/New_York&default_query_exec_mode=describe_exec",
	modes:      []string{defaultMode},
	tables: []table{
		{
			name:    "events",
			kind:    uuidColumn,
			time:    []form{asUUID, asTime},
			convert: []form{asUUID, asText, asBytes},
		},
		{
			name:    "events_text",
			kind:    textColumn,
			time:    []form{asText, asTime},
			convert: []form{asText, asUUID, asBytes},
		},
		{
			name:    "events_bytea",
			kind:    bytesColumn,
			time:    []form{asBytes, asTime},
			convert: []form{asBytes, asUUID, asText},
		},
	},
	items: `CREATE TABLE items_text (event_id text COLLATE "C" REFERENCES events_text, n int)`,

	queries: []query{
		{`SELECT id, ulid_ms(id) FROM events`, []form{asUUID, asMS}},
		{`SELECT id, ulid_time(id::char(26)) FROM events_text`, []form{asText, asTime}},
		{
			`SELECT id, uuid_send(ulid_first_at(ulid_time(id))), uuid_send(ulid_last_at(ulid_time(id))) FROM events`,
			[]form{asUUID, asFirst, asLast},
		},
	},

	refuses: refuses{
		setUp: `CREATE TABLE texts (s text);
			CREATE FUNCTION try(ulid text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
				RETURN encode(uuid_send(ulid_to_uuid(ulid)), 'hex');
			EXCEPTION WHEN invalid_text_representation THEN
				RETURN '';
			END $$`,
		texts:  append(everyCharacter(), badTexts...),
		table:  `SELECT s, try(s) FROM texts`,
		take16: []string{`ulid_to_text(?::bytea)`, `ulid_time(?::bytea)`, `ulid_to_uuid(?::bytea)`},
		null: `SELECT ulid_to_uuid(NULL::text), ulid_to_uuid(NULL::bytea),
			ulid_to_text(NULL::uuid), ulid_to_text(NULL::bytea),
			ulid_time(NULL::text), ulid_ms(NULL), ulid_first_at(NULL), ulid_last_at(NULL)`,
	},

	defaults: defaults{
		clock:    `SELECT floor(1000 * extract(epoch FROM clock_timestamp()))::bigint`,
		uuidv7:   true,
		thousand: `SELECT ulid_make() FROM generate_series(1, 1000)`,
	},

	ranges: ranges{
		analyze: `ANALYZE`,
		explain: `EXPLAIN `,
		indexed: regexp.MustCompile(`Index Cond: \(\(id >=.*\(id <`),
		unindexed: `SELECT id FROM events
			WHERE ulid_time(id) >= '2026-11-01Z' AND ulid_time(id) < '2026-12-01Z' ORDER BY id`,
	},

	bounds: bounds{
		form: asUUID,
		times: []boundTime{
			{time.Time{}, time.Time{}},
			{afterMaxTime.Add(-time.Microsecond), afterMaxTime.Add(-time.Microsecond)},
			{afterMaxTime, afterMaxTime},
			{afterMaxTime.AddDate(9_000, 0, 0), afterMaxTime.AddDate(9_000, 0, 0)},
			{"-infinity", time.Time{}},
			{"infinity", afterMaxTime},
		},
	},

	misfits: []misfit{
		{"events_text", asLower(known), "lower case"},
		{"events_text", asUUID(known), "UUID format"},
		{"events_text", strings.ToUpper(asUUID(known)), "UUID format"},
		{"events_text", fmt.Sprintf(`\x%x`, known[:]), "bytes in hexadecimal"},
		{"events_text", "", "not a ULID"},
		{"events_text", "81ARYZ6S41TSV4RRFFQ69G5FAV", "not a ULID"},
		{"events_text", "01ARYZ6S41TSV4RRFFQ69G5FAU", "not a ULID"},
		{"events_text", asText(known) + "\n", "not a ULID"},
		{"events_bytea", []byte(asText(known)), "text"},
		{"events_bytea", []byte(asUUID(known)), "UUID format"},
		{"events_bytea", []byte{}, "not a ULID"},
		{"events_bytea", []byte("1"), "not a ULID"},
	},

	converts: converts{
		modes:   []string{defaultMode},
		refused: regexp.MustCompile(`SQLSTATE (22P02|23505)`), // by the function, or because of a duplicate
		cleanUp: "ROLLBACK",
		columns: []conversion{
			{
				k:       "text",
				before:  textColumn,
				after:   uuidColumn,
				types:   "id uuid NO, note text YES, event_id uuid YES, n integer YES",
				bad:     []any{asUUID(sampleIDs()[0]), "01ARYZ6S41TSV4RRFFQ69G5FAU", lowerLast},
				instead: strings.NewReplacer(),
			},
			{
				k:      "bytea",
				before: bytesColumn,
				after:  uuidColumn,
				types:  "id uuid NO, note text YES, event_id uuid YES, n integer YES",
				bad:    []any{[]byte(asText(known)), []byte("short")},
				instead: strings.NewReplacer(
					"s_text", "s_bytea",
					`text COLLATE "C"`, "bytea",
					"CASE length(id) WHEN 36 THEN id::uuid ELSE ulid_to_uuid(id) END",
					"ulid_to_uuid(id)",
					"CASE length(event_id) WHEN 36 THEN event_id::uuid ELSE ulid_to_uuid(event_id) END",
					"ulid_to_uuid(event_id)",
				),
			},
		},
	},

	installed: installed{
		query: `SELECT ulid_make()`,
		bytes: "bytea",
		text:  `text COLLATE "C"`,
	},
}

// afterMaxTime is the first time that no ID has.
var afterMaxTime = ulid.Time(ulid.MaxTime()).Add(time.Millisecond).UTC()

// everyCharacter returns everyByte for a database whose texts are of characters: each has the
// number of a byte, but not NUL.
func everyCharacter() []string {
	texts := everyByte()
	for i, s := range texts {
		var characters []rune
		for _, b := range []byte(strings.ReplaceAll(s, "\x00", "!")) {
			characters = append(characters, rune(b))
		}
		texts[i] = string(characters)
	}
	return texts
}

// TestPostgresSessions calls the functions without the schema that they are in, as in a dump that
// is restored or an index that is rebuilt, and with a collation that compares without regard to
// case, and that pattern matching refuses.
func TestPostgresSessions(t *testing.T) {
	conn := postgresDB.open(t, defaultMode)
	conn.Run(`CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`)
	schema := conn.Text(`SELECT current_schema()`)
	conn.Run(`SET search_path = ''`)
	for _, call := range []string{
		`ulid_to_text('\x01563df36481d6764c61efb99302bd5b'::bytea)`,
		`ulid_time('01ARYZ6S41TSV4RRFFQ69G5FAV')`,
		`ulid_first_at(now())`,
		`ulid_last_at(now())`,
		`ulid_make()`,
	} {
		conn.Run("SELECT " + schema + "." + call)
	}
	for _, s := range []string{asText(known), asLower(known)} {
		call := fmt.Sprintf(`SELECT %s.ulid_to_uuid($1 COLLATE %[1]s.caseless)`, schema)
		got := conn.Text(call, s)
		if got != asUUID(known) {
			t.Errorf("ulid_to_uuid(%s) = %s, want %s", s, got, asUUID(known))
		}
	}
}

// TestPostgresNewCode shows why code for the new column must not run before the conversion.
func TestPostgresNewCode(t *testing.T) {
	page.Fact(t, postgresDB.Page, "new-code-in-text-column")
	conn := postgresDB.openWith(t, defaultMode, []ulid.ULID{known})
	rows := conn.Rows(`SELECT FROM events_text WHERE id = ?`, ulid.AsUUID(known))
	if len(rows) > 0 {
		t.Error("new code finds a text")
	}
	added := ulid.Make()
	conn.Run(`INSERT INTO events_text (id) VALUES (?)`, ulid.AsUUID(added))
	wantForms(t, conn, []ulid.ULID{added}, `SELECT id FROM events_text WHERE length(id) = 36`, asUUID)
}

// TestPostgresLocks shows what both tables are locked with from the first statement of a conversion
// to the last. With ULID_LONG=1 it has the rows whose time is on the page.
func TestPostgresLocks(t *testing.T) {
	page.Fact(t, postgresDB.Page, "conversion-locks-readers")
	rows := 1000
	if os.Getenv("ULID_LONG") == "1" {
		rows = 1_000_000
	}
	conn := postgresDB.openWith(t, defaultMode, nil)
	conn.Run(postgresDB.items)
	conn.Run(`INSERT INTO events_text SELECT ulid_to_text(ulid_make()) FROM generate_series(1, ?)`, rows)
	conn.Run(`INSERT INTO items_text SELECT id, 1 FROM events_text`)

	statements := strings.SplitAfter(strings.TrimSuffix(postgresDB.conversion(t), "\n"), ";\n")
	last := len(statements) - 1
	if slices.Index(statements, "BEGIN;\n") != 0 || slices.Index(statements, "COMMIT;") != last {
		t.Fatalf("not one transaction: %q", statements)
	}
	begin := time.Now()
	tx := conn.MustBegin() // because pgx drops a connection with a BEGIN that database/sql has not sent
	for _, statement := range statements[1:last] {
		tx.MustExec(statement)
		var locked []string
		check(t, tx.Select(&locked, `SELECT relation::regclass FROM pg_locks WHERE pid = pg_backend_pid()
			AND mode = 'AccessExclusiveLock' AND relation IN ('events_text'::regclass, 'items_text'::regclass)
			ORDER BY 1`))
		if !slices.Equal(locked, []string{"events_text", "items_text"}) {
			t.Errorf("%s\nlocks %q", statement, locked)
		}
	}
	check(t, tx.Commit())
	t.Logf("%d rows in each table: %v", rows, time.Since(begin))
}
