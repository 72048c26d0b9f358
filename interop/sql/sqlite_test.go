package sql

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// sqliteDB has views in place of functions, and the functions in Go of this package.
var sqliteDB = &database{
	Database: db.SQLite,
	modes:    []string{defaultMode},
	loose:    `PRAGMA ignore_check_constraints = ON`,
	tables: []table{
		{
			name:    "events_text",
			kind:    textColumn,
			time:    []form{asText, until9999(asSQLite)},
			convert: []form{asText, asBytes},
		},
		{
			name:    "events_blob",
			kind:    bytesColumn,
			time:    []form{asHex, until9999(asSQLite)},
			convert: []form{asBytes, asText},
		},
	},

	queries: []query{ // the functions in Go
		{
			`SELECT id, ulid_to_text(id), ulid_to_blob(id), ulid_to_uuid(id), ulid_ms(id) FROM events_text`,
			[]form{asText, asText, asBytes, asUUID, asMS},
		},
		{
			`SELECT id, ulid_to_text(id), ulid_to_blob(id), ulid_to_uuid(id), ulid_ms(id) FROM events_blob`,
			[]form{asBytes, asText, asBytes, asUUID, asMS},
		},
	},

	refuses: refuses{
		setUp: `CREATE TABLE texts (s);
			DROP TABLE events_text;
			CREATE VIEW events_text AS SELECT s AS id FROM texts`,
		texts:  append(everyByte(), badTexts...),
		table:  `SELECT id, lower(hex(blob)) FROM events_text_blobs`,
		take16: []string{`ulid_to_text(?)`, `ulid_to_blob(?)`, `ulid_to_uuid(?)`, `ulid_ms(?)`},
		null:   `SELECT ulid_to_text(NULL), ulid_to_blob(NULL), ulid_to_uuid(NULL), ulid_ms(NULL)`,
	},

	defaults: defaults{
		clock:    `SELECT CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)`,
		sameTime: true,
	},

	ranges: ranges{
		analyze: `ANALYZE`,
		explain: `EXPLAIN QUERY PLAN `,
		indexed: regexp.MustCompile(`_1 \(id>\? AND id<\?\)`),
	},

	misfits: []misfit{
		{"events_text", known[:], "blob"},
		{"events_text", []byte(asText(known)), "blob"},
		{"events_text", asLower(known), "lower case"},
		{"events_text", asUUID(known), "UUID format"},
		{"events_text", "", "not a ULID"},
		{"events_text", "01ARYZ6S41TSV4RRFFQ69G5FAU", "not a ULID"},
		{"events_text", "81ARYZ6S41TSV4RRFFQ69G5FAV", "not a ULID"},
		{"events_text", asText(known) + "\x00", "not a ULID"},
		{"events_text", "01ARYZ6S41TSV4RRFFQ69G5FA\x00", "not a ULID"},
		{"events_blob", asText(known), "text"},
		{"events_blob", asText(known)[:16], "text"},
		{"events_blob", []byte(asText(known)), "text, as a blob"},
		{"events_blob", 1, "integer"},
		{"events_blob", 1234567890123456, "integer"},
		{"events_blob", []byte{1}, "not a ULID"},
	},

	installed: installed{
		query: `SELECT * FROM events_text_times`,
		bytes: "TEXT", // in which oklog/ulid stores bytes too
	},
}

// TestSQLiteCheck inserts what does not belong in a column. The CHECK refuses it, and NULL.
func TestSQLiteCheck(t *testing.T) {
	conn := sqliteDB.openWith(t, defaultMode, nil)
	for _, m := range sqliteDB.misfits {
		err := conn.Try(`INSERT INTO `+m.table+` (id) VALUES (?)`, m.value)
		if err == nil || !strings.Contains(err.Error(), "CHECK") {
			t.Errorf("of %q in %s the error is %v, want one of the CHECK", m.value, m.table, err)
		}
	}
	for _, table := range sqliteDB.tables {
		if conn.Try(`INSERT INTO `+table.name+` (id) VALUES (NULL)`) == nil {
			t.Errorf("%s accepts NULL", table.name)
		}
	}
}

// TestSQLiteFindsNull has the views list NULL in columns that accept it, unlike those of the file.
func TestSQLiteFindsNull(t *testing.T) {
	conn := sqliteDB.openWith(t, defaultMode, nil)
	for _, table := range sqliteDB.tables {
		conn.Run(`DROP TABLE ` + table.name)
		conn.Run(`CREATE TABLE ` + table.name + ` (id PRIMARY KEY)`)
		conn.Run(`INSERT INTO ` + table.name + ` VALUES (NULL)`)
		wantFound(t, conn, sqliteDB.finds(t)[table.name], misfit{table.name, nil, "null"})
	}
}

// TestSQLiteGivesNull has the views read what is not a ULID.
func TestSQLiteGivesNull(t *testing.T) {
	conn := sqliteDB.openWith(t, looseMode, nil)
	conn.Run(`CREATE TABLE texts (s)`)
	insert(t, conn, "texts", "s", everyByte())
	conn.Run(`INSERT INTO events_text (id) SELECT DISTINCT s FROM texts`)
	for _, row := range conn.Rows(sqliteDB.perTable(t, "time")[0]) {
		want := "NULL"
		id, err := ulid.Parse(text(row[0]))
		if err == nil {
			want = until9999(asSQLite)(id)
		}
		if got := text(row[1]); got != want {
			t.Errorf("the time of %q is %s, want %s", row[0], got, want)
		}
	}
	times := sqliteDB.perTable(t, "time")
	converts := sqliteDB.perTable(t, "convert")
	for i, table := range sqliteDB.tables {
		for _, value := range otherValues() {
			b, isBlob := value.([]byte)
			if isBlob && len(b) == 16 && table.name == "events_blob" {
				continue // it is an ID
			}
			conn.Run(`DELETE FROM ` + table.name)
			insert(t, conn, table.name, "id", []any{value})
			for _, query := range []string{times[i], converts[i]} {
				got := conn.Rows(query)[0][1]
				if got != nil {
					t.Errorf("%q gives %q, want NULL, by\n%s", value, got, query)
				}
			}
		}
	}
}

// otherValues returns values of other lengths than those of an ID, and of another type.
func otherValues() []any {
	values := []any{
		known.String() + "\x00",
		known.String() + "\x00x",
		[]byte(known.String()),
		"01ARYZ6S41TSV4RRFFQ69G5FAU",
		known.String()[:16],
	}
	for n := range 40 {
		values = append(values, make([]byte, n), strings.Repeat("\x00", n))
	}
	for _, s := range badTexts {
		values = append(values, s+"\x00")
	}
	return values
}

// TestSQLiteFunction has a function in Go refuse texts.
func TestSQLiteFunction(t *testing.T) {
	conn := sqliteDB.open(t, defaultMode)
	for _, s := range badTexts {
		var got any
		err := conn.QueryRow(`SELECT ulid_to_blob(?)`, s).Scan(&got)
		if err == nil {
			t.Errorf("ulid_to_blob(%q) = %q, want an error", s, got)
		}
	}
}

// TestSQLiteMake shows that the function in Go makes IDs in order.
func TestSQLiteMake(t *testing.T) {
	conn := sqliteDB.open(t, defaultMode)
	conn.Run(`CREATE TABLE made (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE DEFAULT (ulid_make()))`)
	insert(t, conn, "made", "n", make([]*int, 1000))
	ids := idsOf(t, conn.Rows(`SELECT id FROM made ORDER BY n`))
	if len(ids) != 1000 || !slices.IsSortedFunc(ids, ulid.ULID.Compare) {
		t.Errorf("%d IDs are not in order: %v", len(ids), ids)
	}
}

// TestSQLiteBounds puts a time into the ranges. They begin with its FirstAt.
func TestSQLiteBounds(t *testing.T) {
	conn := sqliteDB.openWith(t, looseMode, nil)
	times := slices.Clone(boundTimes)
	for i := range 200 { // whose milliseconds are no whole part of a day
		times = append(times, ulid.Time(1_790_000_000_000+uint64(i)*999_999_937))
	}
	noEnd := strings.NewReplacer("  AND id < (SELECT", "-- ", "  AND id < unhex", "-- ")
	for _, at := range times {
		at = at.UTC().Truncate(time.Millisecond) // SQLite rounds
		first := ulid.FirstAt(at)
		ids := []ulid.ULID{first}
		if !first.IsZero() {
			ids = append(ids, ulid.LastAt(at.Add(-time.Millisecond)))
		}
		conn.Run(`DELETE FROM events_text; DELETE FROM events_blob`)
		sqliteDB.fill(t, conn, ids)
		for _, query := range sqliteDB.perTable(t, "range") {
			query = noEnd.Replace(strings.Replace(query, "2026-11-01", at.Format(sqliteTime), 1))
			wantIDs(t, conn, []ulid.ULID{first}, query)
		}
	}
}
