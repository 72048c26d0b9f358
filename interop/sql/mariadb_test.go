package sql

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/db"
)

// mariaDB has what MariaDB and MySQL have in common too: see newMySQL.
var mariaDB = &database{
	Database:   db.MariaDB,
	parameters: "multiStatements=true&parseTime=true&time_zone=%27-05:00%27",
	modes: []string{
		defaultMode,
		"",
		"ANSI,NO_BACKSLASH_ESCAPES",
		"ORACLE",
		"TRADITIONAL,TIME_ROUND_FRACTIONAL,PAD_CHAR_TO_FULL_LENGTH,EMPTY_STRING_IS_NULL",
	},
	loose: `SET sql_mode = ''`, // it cuts what is too long
	tables: []table{
		{
			name:    "events_text",
			kind:    textColumn,
			time:    []form{asText, until9999(asTime)},
			convert: []form{asText, asHex},
		},
		{
			name:    "events_bin",
			kind:    bytesColumn,
			time:    []form{asHex, until9999(asTime)},
			convert: []form{asHex, asText},
		},
	},
	items: `CREATE TABLE items_text (event_id ` + asciiText + `, n INT,
		CONSTRAINT items_text_event FOREIGN KEY (event_id) REFERENCES events_text (id))`,

	queries: []query{
		{`SELECT id, ulid_ms(id) FROM events_text`, []form{asText, asMS}},
		{`SELECT id, ulid_ms(id) FROM events_bin`, []form{asBytes, asMS}},
		{
			`SELECT id, ulid_first_at(ulid_time(id)), ulid_last_at(ulid_time(id)) FROM events_bin`,
			[]form{asBytes, until9999(asFirst), until9999(asLast)},
		},
	},

	refuses: refuses{
		setUp: `CREATE TABLE texts (s VARBINARY(26));
			CREATE FUNCTION try_latin1(ulid VARCHAR(26) CHARACTER SET latin1) RETURNS TEXT
				` + tryParse + `;
			CREATE FUNCTION try_binary(ulid VARBINARY(26)) RETURNS TEXT
				` + tryParse + `;
			CREATE FUNCTION try(ulid LONGTEXT CHARACTER SET utf8mb4) RETURNS TEXT
				` + tryParseOrFit,
		texts:  everyByte(),
		table:  `SELECT s, try_latin1(CONVERT(s USING latin1)), try_binary(s) FROM texts`,
		one:    `SELECT try(?)`,
		take16: []string{`ulid_to_text(?)`, `ulid_ms(?)`, `ulid_time(?)`},
		null: `SELECT ulid_to_bin(NULL), ulid_to_text(NULL), ulid_ms(NULL), ulid_time(NULL),
			ulid_first_at(NULL), ulid_last_at(NULL)`,
	},

	defaults: defaults{
		clock:    `SELECT CAST(1000 * UNIX_TIMESTAMP(NOW(3)) AS SIGNED)`,
		sameTime: true,
		thousand: `SELECT ulid_make() FROM seq_1_to_1000`,
	},

	ranges: ranges{
		analyze: `ANALYZE TABLE events_text, events_bin`,
		explain: `EXPLAIN `,
		indexed: regexp.MustCompile(` range .* \d{1,3} Using`), // of 20,000 rows
		unindexed: `SELECT * FROM events_bin
			WHERE ulid_time(id) >= '2026-11-01' AND ulid_time(id) < '2026-12-01' ORDER BY id`,
	},

	bounds: bounds{form: asBytes},

	misfits: []misfit{
		{"events_text", asLower(known), "lower case"},
		{"events_text", asUUID(known), "UUID format, cut to 26 characters"},
		{"events_text", "", "not a ULID"},
		{"events_text", "81ARYZ6S41TSV4RRFFQ69G5FAV", "not a ULID"},
		{"events_text", "01ARYZ6S41TSV4RRFFQ69G5FAU", "not a ULID"},
		{"events_text", "short", "not a ULID"},
		{"events_bin", asText(known), "text, cut to 16 characters"},
		{"events_bin", asLower(known), "text, cut to 16 characters"},
		{"events_bin", asUUID(known), "UUID format, cut to 16 characters"},
		{"events_bin", "\xff", "in the future"},
	},

	converts: converts{
		modes:   []string{defaultMode, ""},
		refused: regexp.MustCompile(`Error (1644|1062) `), // by the function, or because of a duplicate
		cleanUp: `UNLOCK TABLES;
			DROP PROCEDURE convert_ids;
			ALTER TABLE events_K DROP COLUMN id_new;
			ALTER TABLE items_K DROP COLUMN event_id_new`,
		columns: []conversion{
			{
				k:       "text",
				before:  textColumn,
				after:   bytesColumn,
				types:   "id binary NO, note text YES, event_id binary YES, n int YES",
				bad:     []any{"01ARYZ6S41TSV4RRFFQ69G5FAU", "short", lowerLast},
				instead: strings.NewReplacer(),
			},
			{
				k:      "bin",
				before: bytesColumn,
				after:  textColumn,
				types:  "id char NO, note text YES, event_id char YES, n int YES",
				instead: strings.NewReplacer(
					"BINARY(16)", asciiText,
					asciiText, "BINARY(16)",
					"to_bin", "to_text",
					"s_text", "s_bin",
				),
			},
		},
	},

	guarded: guarded{
		schema: sharedSchema + `;
			CREATE TABLE versions (id BINARY(16)) WITH SYSTEM VERSIONING;
			CREATE SEQUENCE numbers`,
		written: append(slices.Clone(sharedWritten), column{"versions", "id", single}),
		mixed:   guardMixedMySQL,
	},

	installed: installed{
		query: `SELECT ulid_make()`,
		bytes: "VARBINARY(255)",
		text:  asciiText,
	},
}

const asciiText = "CHAR(26) CHARACTER SET ascii COLLATE ascii_bin"

// tryParse is the body of a function that returns "" for an error of ulid_to_bin. tryParseOrFit
// does so too for a text that the parameter of ulid_to_bin cannot hold, because it is too long, or
// has a character that latin1 lacks, which is MySQL's error 1366.
const (
	tryParse = `NO SQL BEGIN
		DECLARE EXIT HANDLER FOR SQLSTATE '22007' RETURN '';
		RETURN LOWER(HEX(ulid_to_bin(ulid)));
	END`
	tryParseOrFit = `NO SQL BEGIN
		DECLARE EXIT HANDLER FOR SQLSTATE '22007', SQLSTATE '22001', 1366 RETURN '';
		RETURN LOWER(HEX(ulid_to_bin(ulid)));
	END`
)

// sharedSchema is for both databases, and so are the columns that the query writes a CHECK for.
const sharedSchema = `
	CREATE TABLE events (
		id BINARY(16) PRIMARY KEY DEFAULT (UNHEX(CONCAT('01', HEX(RANDOM_BYTES(15))))), userID VARBINARY(255), b LONGBLOB,
		made BINARY(16) AS (id) STORED, hash BINARY(32), short VARBINARY(8), note TEXT);
	CREATE TABLE items (
		a BINARY(16), b BINARY(16), c BINARY(16), d BINARY(16),
		FOREIGN KEY (a) REFERENCES events (id) ON DELETE CASCADE,
		FOREIGN KEY (b) REFERENCES events (id) ON DELETE SET NULL,
		FOREIGN KEY (c) REFERENCES events (id) ON UPDATE SET NULL,
		FOREIGN KEY (d) REFERENCES events (id) ON UPDATE CASCADE);
	CREATE TABLE parts (id BINARY(16), n INT DEFAULT 1) PARTITION BY RANGE (n) (PARTITION a VALUES LESS THAN (10));
	CREATE TABLE ` + "`Mixed ``Case` (`qu``ote d`" + ` TINYBLOB NOT NULL);
	CREATE TABLE Größen (größe_id BINARY(16));
	CREATE VIEW seen AS SELECT * FROM events;
	CREATE TABLE t_LONG (a_LONG BINARY(16), b_LONG BINARY(16));
	CREATE TABLE edge (wxyz_LONG BINARY(16), vwxyz_LONG BINARY(16), uvwxyz_LONG BINARY(16));
	CREATE TABLE owner (event_id BINARY(16));
	CREATE TABLE owner_event (id BINARY(16));
	CREATE TABLE mixed (id VARBINARY(255), n INT);
	INSERT INTO mixed (id) VALUES ('01ARYZ6S41TSV4RRFFQ69G5FAV')`

var sharedWritten = []column{
	{"events", "id", notNull},
	{"events", "userID", single},
	{"events", "b", single},
	{"items", "a", single},
	{"parts", "id", single},
	{"`Mixed ``Case`", "`qu``ote d`", notNull},
	{"Größen", "größe_id", single},
	{"t_LONG", "a_LONG", single},
	{"t_LONG", "b_LONG", single},
	{"edge", "wxyz_LONG", single},
	{"edge", "vwxyz_LONG", single},
	{"edge", "uvwxyz_LONG", single},
	{"owner", "event_id", single},
	{"owner_event", "id", single},
}

// guardWithoutALine runs the statement of a table with several columns, without the line of the first, and returns how
// many columns that guards.
func (g *guarding) guardWithoutALine(t *testing.T, want int) int {
	t.Helper()
	for _, statement := range db.Statements(g.wantWritten(t, want)) {
		head, columns, _ := strings.Cut(statement, "\n")
		_, others, _ := strings.Cut(columns, "\n")
		if n := strings.Count(others, ", ADD "); n > 0 {
			g.conn.Run(head + "\n" + others)
			return n
		}
	}
	t.Fatal("no table has two columns")
	return 0
}

// guardMixedMySQL guards the schema. One statement fails, and changes nothing.
func guardMixedMySQL(t *testing.T, g *guarding) {
	all := len(g.guarded.written) + 1
	g.guardButMixed(t, all-g.guardWithoutALine(t, all))
	g.conn.Run(`UPDATE mixed SET n = 1`)
	g.conn.Run(`DELETE FROM mixed`)
	g.guard(t, 1)
}
