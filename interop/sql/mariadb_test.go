package sql

import (
	"regexp"
	"strings"

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
