package sql

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// A database has what the tests ask of it. A list of queries in its file of examples has one for each table.
type database struct {
	*db.Database
	parameters string // of its sessions, whose time zone is not UTC

	tables []table
	modes  []string // of sessions that read the functions and call them; the first is the default

	time, convert [][]form          // what the queries show
	more          map[string][]form // other queries

	tries         string   // makes what follows, and the table texts
	readAll, read string   // the texts, and another, each as the hexadecimal digits of an ID, or "" if it is refused
	take16        []string // calls that take 16 bytes and no others
	null          string

	loose    string // lets a session store more
	bad      []bad
	sameTime bool // the DEFAULT of all rows of one statement
	make     string
	analyze  string
	explain  string         // shows how a query is run
	indexed  *regexp.Regexp // what that shows of a query that looks into the index
	slow     string

	references  string // makes items_text, which refers to events_text
	conversions []conversion
	refused     *regexp.Regexp // the errors of a conversion
	cleanUp     string         // after one
}

// A kind of column takes IDs as the value, and has them in the form.
type kind struct {
	value func(ulid.ULID) any
	form  form
}

var (
	texts  = kind{func(id ulid.ULID) any { return id }, asText}
	uuids  = kind{func(id ulid.ULID) any { return ulid.AsUUID(id) }, asUUID}
	binary = kind{func(id ulid.ULID) any { return ulid.AsBinary(id) }, asBytes}
)

type table struct {
	name string
	kind
}

// A bad value does not belong in its table. The query "find" returns its form.
type bad struct {
	table string
	value any
	form  string
}

// A conversion changes the key of events_K, and the column of items_K that refers to it.
type conversion struct {
	k             string
	before, after kind
	types         string   // of the columns afterwards
	bad           []any    // what ends it with an error
	instead       []string // old and new words in the file, for another column
}

var known = ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")

// lowerLast is the last of the sampleIDs, in lower case, which some columns take for another.
const lowerLast = "7zzzzzzzzzzzzzzzzzzzzzzzzz"

var databases = []*database{postgresDB, mariaDB, mysqlDB, sqliteDB}

var (
	postgresDB = &database{
		Database: db.PostgreSQL,
		// In this zone clocks go back an hour in November. A prepared statement whose types have changed cannot run again.
		parameters: "timezone=America/New_York&default_query_exec_mode=describe_exec",
		modes:      []string{"default"},
		tables:     []table{{"events", uuids}, {"events_text", texts}, {"events_bytea", binary}},

		time:    [][]form{{asUUID, asTime}, {asText, asTime}, {asBytes, asTime}},
		convert: [][]form{{asUUID, asText, asBytes}, {asText, asUUID, asBytes}, {asBytes, asUUID, asText}},
		more: map[string][]form{
			`SELECT id, ulid_ms(id) FROM events`:                                                                     {asUUID, asMS},
			`SELECT id, ulid_time(id::char(26)) FROM events_text`:                                                    {asText, asTime},
			`SELECT id, uuid_send(ulid_first_at(ulid_time(id))), uuid_send(ulid_last_at(ulid_time(id))) FROM events`: {asUUID, asFirst, asLast},
		},

		tries: `CREATE TABLE texts (s text); CREATE FUNCTION try(ulid text) RETURNS text LANGUAGE plpgsql AS $$
			BEGIN RETURN encode(uuid_send(ulid_to_uuid(ulid)), 'hex');
			EXCEPTION WHEN invalid_text_representation THEN RETURN ''; END $$`,
		readAll: `SELECT s, try(s) FROM texts`,
		take16:  []string{`ulid_to_text(?::bytea)`, `ulid_time(?::bytea)`, `ulid_to_uuid(?::bytea)`},
		null: `SELECT ulid_to_uuid(NULL::text), ulid_to_uuid(NULL::bytea), ulid_to_text(NULL::uuid), ulid_to_text(NULL::bytea),
			ulid_time(NULL::text), ulid_ms(NULL), ulid_first_at(NULL), ulid_last_at(NULL)`,

		bad: []bad{
			{"events_text", asLower(known), "lower case"}, {"events_text", asUUID(known), "UUID notation"},
			{"events_text", strings.ToUpper(asUUID(known)), "UUID notation"}, {"events_text", fmt.Sprintf(`\x%x`, known[:]), "bytes in hexadecimal"},
			{"events_text", "", "not a ULID"}, {"events_text", "81ARYZ6S41TSV4RRFFQ69G5FAV", "not a ULID"},
			{"events_text", "01ARYZ6S41TSV4RRFFQ69G5FAU", "not a ULID"}, {"events_text", asText(known) + "\n", "not a ULID"},
			{"events_bytea", []byte(asText(known)), "text"}, {"events_bytea", []byte(asUUID(known)), "UUID notation"},
			{"events_bytea", []byte{}, "not a ULID"}, {"events_bytea", []byte("1"), "not a ULID"},
		},
		make:    `SELECT ulid_make() FROM generate_series(1, 1000)`,
		analyze: `ANALYZE`,
		explain: `EXPLAIN `,
		indexed: regexp.MustCompile(`Index Cond: \(\(id >=.*\(id <`),
		slow:    `SELECT id FROM events WHERE ulid_time(id) >= '2026-11-01Z' AND ulid_time(id) < '2026-12-01Z' ORDER BY id`,

		references: `CREATE TABLE items_text (event_id text COLLATE "C" REFERENCES events_text, n int)`,
		conversions: []conversion{
			{"text", texts, uuids, "id uuid NO, note text YES, event_id uuid YES, n integer YES",
				[]any{asUUID(sampleIDs()[0]), "01ARYZ6S41TSV4RRFFQ69G5FAU", lowerLast}, nil},
			{"bytea", binary, uuids, "id uuid NO, note text YES, event_id uuid YES, n integer YES",
				[]any{[]byte(asText(known)), []byte("short")}, []string{"s_text", "s_bytea", `text COLLATE "C"`, "bytea",
					"CASE length(id) WHEN 36 THEN id::uuid ELSE ulid_to_uuid(id) END", "ulid_to_uuid(id)",
					"CASE length(event_id) WHEN 36 THEN event_id::uuid ELSE ulid_to_uuid(event_id) END", "ulid_to_uuid(event_id)"}},
		},
		refused: regexp.MustCompile(`SQLSTATE (22P02|23505)`), // by the function, or because of a duplicate
		cleanUp: "ROLLBACK",
	}
	mariaDB = &database{
		Database:   db.MariaDB,
		parameters: "multiStatements=true&parseTime=true&time_zone=%27-05:00%27",
		modes: []string{
			"default", "", "ANSI,NO_BACKSLASH_ESCAPES", "ORACLE",
			"TRADITIONAL,TIME_ROUND_FRACTIONAL,PAD_CHAR_TO_FULL_LENGTH,EMPTY_STRING_IS_NULL",
		},
		tables: []table{{"events_text", texts}, {"events_bin", binary}},

		time:    [][]form{{asText, until9999(asTime)}, {asHex, until9999(asTime)}},
		convert: [][]form{{asText, asHex}, {asHex, asText}},
		more: map[string][]form{
			`SELECT id, ulid_ms(id) FROM events_text`:                                              {asText, asMS},
			`SELECT id, ulid_ms(id) FROM events_bin`:                                               {asBytes, asMS},
			`SELECT id, ulid_first_at(ulid_time(id)), ulid_last_at(ulid_time(id)) FROM events_bin`: {asBytes, until9999(asFirst), until9999(asLast)},
		},

		tries: `CREATE TABLE texts (s VARBINARY(26));
			CREATE FUNCTION try_latin1(ulid VARCHAR(26) CHARACTER SET latin1) RETURNS TEXT ` + tryMySQL + `;
			CREATE FUNCTION try_binary(ulid VARBINARY(26)) RETURNS TEXT ` + tryMySQL + `;
			CREATE FUNCTION try(ulid LONGTEXT CHARACTER SET utf8mb4) RETURNS TEXT ` + tryMySQL,
		readAll: `SELECT s, try_latin1(CONVERT(s USING latin1)), try_binary(s) FROM texts`,
		read:    `SELECT try(?)`,
		take16:  []string{`ulid_to_text(?)`, `ulid_ms(?)`, `ulid_time(?)`},
		null:    `SELECT ulid_to_bin(NULL), ulid_to_text(NULL), ulid_ms(NULL), ulid_time(NULL), ulid_first_at(NULL), ulid_last_at(NULL)`,

		loose: `SET sql_mode = ''`, // it cuts
		bad: []bad{
			{"events_text", asLower(known), "lower case"}, {"events_text", asUUID(known), "UUID notation, cut to 26 characters"},
			{"events_text", "", "not a ULID"}, {"events_text", "81ARYZ6S41TSV4RRFFQ69G5FAV", "not a ULID"},
			{"events_text", "01ARYZ6S41TSV4RRFFQ69G5FAU", "not a ULID"}, {"events_text", "short", "not a ULID"},
			{"events_bin", asText(known), "text, cut to 16 characters"}, {"events_bin", asLower(known), "text, cut to 16 characters"},
			{"events_bin", asUUID(known), "UUID notation, cut to 16 characters"}, {"events_bin", "\xff", "in the future"},
		},
		sameTime: true,
		make:     `SELECT ulid_make() FROM seq_1_to_1000`,
		analyze:  `ANALYZE TABLE events_text, events_bin`,
		explain:  `EXPLAIN `,
		indexed:  regexp.MustCompile(` range .* \d{1,3} Using`), // of 20,000 rows
		slow:     `SELECT * FROM events_bin WHERE ulid_time(id) >= '2026-11-01' AND ulid_time(id) < '2026-12-01' ORDER BY id`,

		references: `CREATE TABLE items_text (event_id ` + asciiText + `, n INT,
			CONSTRAINT items_text_event FOREIGN KEY (event_id) REFERENCES events_text (id))`,
		conversions: []conversion{
			{"text", texts, binary, "id binary NO, note text YES, event_id binary YES, n int YES",
				[]any{"01ARYZ6S41TSV4RRFFQ69G5FAU", "short", lowerLast}, nil},
			{"bin", binary, texts, "id char NO, note text YES, event_id char YES, n int YES", nil,
				[]string{"BINARY(16)", asciiText, asciiText, "BINARY(16)", "to_bin", "to_text", "s_text", "s_bin"}},
		},
		refused: regexp.MustCompile(`Error (1644|1062) `), // by the function, or because of a duplicate
		cleanUp: `UNLOCK TABLES; DROP PROCEDURE convert_ids; ALTER TABLE events_K DROP COLUMN id_new; ALTER TABLE items_K DROP COLUMN event_id_new`,
	}
	mysqlDB = func() *database {
		d := *mariaDB
		d.Database = db.MySQL
		d.modes = []string{"default", "", "ANSI,NO_BACKSLASH_ESCAPES", "TRADITIONAL,TIME_TRUNCATE_FRACTIONAL,PAD_CHAR_TO_FULL_LENGTH"}
		d.make = `WITH RECURSIVE seq(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM seq WHERE n < 1000) SELECT ulid_make() FROM seq`
		d.more = maps.Clone(d.more)
		d.more[`SELECT BIN_TO_UUID(id), UUID_TO_BIN(BIN_TO_UUID(id)), UUID_TO_BIN(BIN_TO_UUID(id), 1) FROM events_bin`] = []form{
			asUUID, asBytes, func(id ulid.ULID) string { return string(id[6:8]) + string(id[4:6]) + string(id[:4]) + string(id[8:]) },
		}
		d.indexed = regexp.MustCompile(`Index range scan`)
		d.slow = `SELECT * FROM events_bin WHERE id >= ulid_first_at('2026-11-01') AND id < ulid_first_at('2026-12-01') ORDER BY id`
		return &d
	}()
	sqliteDB = &database{
		Database: db.SQLite,
		modes:    []string{"default"},
		tables:   []table{{"events_text", texts}, {"events_blob", binary}},

		time:    [][]form{{asText, until9999(asSQLite)}, {asHex, until9999(asSQLite)}},
		convert: [][]form{{asText, asBytes}, {asBytes, asText}},
		more: map[string][]form{ // the functions in Go
			`SELECT id, ulid_to_text(id), ulid_to_blob(id), ulid_to_uuid(id), ulid_ms(id) FROM events_text`: {asText, asText, asBytes, asUUID, asMS},
			`SELECT id, ulid_to_text(id), ulid_to_blob(id), ulid_to_uuid(id), ulid_ms(id) FROM events_blob`: {asBytes, asText, asBytes, asUUID, asMS},
		},

		tries:   `CREATE TABLE texts (s); DROP TABLE events_text; CREATE VIEW events_text AS SELECT s AS id FROM texts`,
		readAll: `SELECT id, lower(hex(blob)) FROM events_text_blobs`,
		take16:  []string{`ulid_to_text(?)`, `ulid_to_blob(?)`, `ulid_to_uuid(?)`, `ulid_ms(?)`},
		null:    `SELECT ulid_to_text(NULL), ulid_to_blob(NULL), ulid_to_uuid(NULL), ulid_ms(NULL)`,

		loose: `PRAGMA ignore_check_constraints = ON`,
		bad: []bad{
			{"events_text", known[:], "blob"}, {"events_text", []byte(asText(known)), "blob"}, {"events_text", asLower(known), "lower case"},
			{"events_text", asUUID(known), "UUID notation"}, {"events_text", "", "not a ULID"}, {"events_text", "01ARYZ6S41TSV4RRFFQ69G5FAU", "not a ULID"},
			{"events_text", "81ARYZ6S41TSV4RRFFQ69G5FAV", "not a ULID"}, {"events_text", asText(known) + "\x00", "not a ULID"},
			{"events_text", "01ARYZ6S41TSV4RRFFQ69G5FA\x00", "not a ULID"}, {"events_blob", asText(known), "text"},
			{"events_blob", []byte(asText(known)), "text, as a blob"}, {"events_blob", 1, "integer"}, {"events_blob", []byte{1}, "not a ULID"},
		},
		sameTime: true,
		analyze:  `ANALYZE`,
		explain:  `EXPLAIN QUERY PLAN `,
		indexed:  regexp.MustCompile(`_1 \(id>\? AND id<\?\)`),
	}
)

const asciiText = "CHAR(26) CHARACTER SET ascii COLLATE ascii_bin"

// tryMySQL gives "" for an error of ulid_to_bin, and for a text that its parameter cannot hold. 1366 is MySQL's error for a
// character that latin1 lacks.
const tryMySQL = `NO SQL BEGIN
	DECLARE EXIT HANDLER FOR SQLSTATE '22007', SQLSTATE '22001', 1366 RETURN '';
	RETURN LOWER(HEX(ulid_to_bin(ulid)));
END`

// session returns an empty database in which the functions are, for a session in the mode.
func (d *database) session(t *testing.T, mode string) *db.DB {
	t.Helper()
	db := d.Open(t, d.parameters)
	switch mode {
	case "default":
	case "loose":
		db.Run(d.loose)
	default:
		db.Run(`SET sql_mode = '` + mode + `'`)
	}
	if d.SQL != "" {
		db.Script(d.SQL)
	}
	return db
}

var (
	example = regexp.MustCompile(`^-- ([a-z ]+?)(?: in (MariaDB|MySQL))?: `)
	comment = regexp.MustCompile(`(?m)^--.*\n`)
)

// code returns the examples that have the name, or all of them. A paragraph of the file is an example if its comment begins with
// a name and a colon. SQLite has its tables in another file.
func (d *database) code(t *testing.T, name string) (code string) {
	t.Helper()
	if d.Dialect == "sqlite" && (name == "columns" || name == "") {
		code = page.Text(t, "sql/sqlite.sql")
	}
	for paragraph := range strings.SplitSeq(strings.TrimSuffix(d.file(t, "examples"), "\n"), "\n\n") {
		m := example.FindStringSubmatch(paragraph)
		if m != nil && (m[1] == name || name == "") && (m[2] == d.Name || m[2] == "") {
			code += comment.ReplaceAllString(paragraph+"\n", "")
		}
	}
	if code == "" {
		t.Fatalf("the examples of %s lack %s", d.Name, name)
	}
	return code
}

// file returns one of the files in sql/ that each kind of database has.
func (d *database) file(t *testing.T, name string) string {
	t.Helper()
	return page.Text(t, "sql/"+name+"_"+d.Family+".sql")
}

// conversion returns the statements of the file that converts a column.
func (d *database) conversion(t *testing.T) string {
	t.Helper()
	return db.WithoutDelimiter(comment.ReplaceAllString(d.file(t, "convert"), ""))
}

// queries returns the statements of the blocks, one for each table that can have what they look for.
func (d *database) queries(t *testing.T, name string) []string {
	t.Helper()
	list := strings.Split(strings.TrimSuffix(d.code(t, name), ";\n"), ";\n")
	if len(list) != len(d.tables) && name != "find" {
		t.Fatalf("%s of %s has %d statements, want %d", name, d.Dialect, len(list), len(d.tables))
	}
	return list
}

// with makes the tables of the examples in a mode, with the IDs.
func (d *database) with(t *testing.T, mode string, ids []ulid.ULID) *db.DB {
	t.Helper()
	db := d.session(t, mode)
	db.Run(d.code(t, "columns"))
	d.fill(t, db, ids)
	return db
}

func (d *database) fill(t *testing.T, db *db.DB, ids []ulid.ULID) {
	t.Helper()
	for _, table := range d.tables {
		values := make([]any, len(ids))
		for i, id := range ids {
			values[i] = table.value(id)
		}
		insert(t, db, table.name, "id", values)
	}
}
