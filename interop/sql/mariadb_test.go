package sql

import (
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/internal/servers"
)

// openMariaDB returns a database of its own, in which the functions are. The session has another time zone than
// UTC, and the mode if it is not "default".
func openMariaDB(t *testing.T, mode string) *sql.DB {
	t.Helper()
	config, err := mysql.ParseDSN(servers.DSN(t, "ULID_MARIADB"))
	if err != nil {
		t.Fatal(err)
	}
	config.MultiStatements = true
	config.ParseTime = true
	config.Params = map[string]string{"time_zone": "'-05:00'"}
	if mode != "default" {
		config.Params["sql_mode"] = "'" + mode + "'"
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1) // USE and LOCK TABLES hold for its other statements
	name := fmt.Sprintf("sql_%d_%d", os.Getpid(), schemas.Add(1))
	exec(t, db, "CREATE DATABASE "+name)
	exec(t, db, "USE "+name)
	t.Cleanup(func() {
		exec(t, db, "DROP DATABASE "+name)
		db.Close()
	})
	exec(t, db, withoutDelimiter(read(t, "mariadb.sql")))
	return db
}

// withoutDelimiter writes SQL for a server: DELIMITER is a word of the client only.
func withoutDelimiter(code string) string {
	return strings.NewReplacer("DELIMITER //\n", "", "DELIMITER ;\n", "", " //\n", ";\n").Replace(code)
}

// fillMariaDB stores the IDs in the table of each type.
func fillMariaDB(t *testing.T, db *sql.DB, ids []ulid.ULID) {
	t.Helper()
	for batch := range slices.Chunk(ids, 1000) {
		var texts, bins []any
		for _, id := range batch {
			texts = append(texts, id)
			bins = append(bins, ulid.AsBinary(id))
		}
		values := strings.Repeat(", (?)", len(batch))[2:]
		exec(t, db, `INSERT INTO events_text (id) VALUES `+values, texts...)
		exec(t, db, `INSERT INTO events_bin (id) VALUES `+values, bins...)
	}
}

// modes are those of sessions that read mariadb.sql and call its functions.
var modes = []string{
	"default", "", "ANSI,NO_BACKSLASH_ESCAPES", "ORACLE",
	"TRADITIONAL,TIME_ROUND_FRACTIONAL,PAD_CHAR_TO_FULL_LENGTH,EMPTY_STRING_IS_NULL",
}

// TestMariaDBPage runs the statements of the page in their order, as somebody who pastes them.
func TestMariaDBPage(t *testing.T) {
	db := openMariaDB(t, "default")
	parts, names := sections(t, "mariadb_use.sql")
	for _, name := range names {
		exec(t, db, withoutDelimiter(parts[name]))
	}
}

func TestMariaDBTimeAndConvert(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			db := openMariaDB(t, mode)
			parts, _ := sections(t, "mariadb_use.sql")
			exec(t, db, parts["columns"])
			ids := sampleIDs()
			fillMariaDB(t, db, ids)
			asDatetime := func(id ulid.ULID) string { // which ends with the year 9999
				if id.Time() > 253_402_300_799_999 {
					return "NULL"
				}
				return asTime(id)
			}
			query := statements(parts["time"])
			wantForms(t, db, ids, query[0], asText, asDatetime)
			wantForms(t, db, ids, query[1], asHex, asDatetime)
			query = statements(parts["convert"])
			wantForms(t, db, ids, query[0], asText, asHex)
			wantForms(t, db, ids, query[1], asHex, asText)
			wantForms(t, db, ids, `SELECT LOWER(id), ulid_to_bin(LOWER(id)), ulid_time(LOWER(id)) FROM events_text`, asLower, asBytes, asDatetime)
			wantForms(t, db, ids, `SELECT id, ulid_ms(id) FROM events_text`, asText, func(id ulid.ULID) string { return fmt.Sprint(id.Time()) })

			var early []ulid.ULID
			for _, id := range ids {
				if asDatetime(id) != "NULL" {
					early = append(early, id)
				}
			}
			wantForms(t, db, early, `SELECT id, ulid_first_at(ulid_time(id)), ulid_last_at(ulid_time(id)) FROM events_bin
				WHERE ulid_time(id) IS NOT NULL`, asBytes, asFirst, asLast)

			exec(t, db, `INSERT INTO events_bin (id) VALUES (UNHEX('01563df36481d6764c61efb99302bd5b'))`)
			wantForms(t, db, []ulid.ULID{ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")},
				strings.Replace(parts["look up"], "*", "id", 1), asBytes)
		})
	}
}

// TestMariaDBBounds compares the bounds with FirstAt and LastAt at times that no ID has.
func TestMariaDBBounds(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			db := openMariaDB(t, mode)
			for _, at := range []time.Time{
				time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(-1, 0), time.Unix(0, -1000), time.Unix(0, 999_000), time.Unix(1, 1_999_000),
				time.Date(2026, 11, 21, 10, 0, 0, 123_999_000, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC),
			} {
				row := fetch(t, db, `SELECT ulid_first_at(?), ulid_last_at(?)`, at.UTC().Format("2006-01-02 15:04:05.999999"), at)[0]
				if got, want := text(row[0]), asBytes(ulid.FirstAt(at)); got != want {
					t.Errorf("ulid_first_at(%v) = %x, want %x", at, got, want)
				}
				if got, want := text(row[1]), asBytes(ulid.LastAt(at)); got != want {
					t.Errorf("ulid_last_at(%v) = %x, want %x", at, got, want)
				}
			}
			for i, cell := range fetch(t, db, `SELECT ulid_to_bin(NULL), ulid_to_text(NULL), ulid_ms(NULL), ulid_time(NULL), ulid_first_at(NULL), ulid_last_at(NULL)`)[0] {
				if cell != nil {
					t.Errorf("function %d of NULL is %v", i, cell)
				}
			}
		})
	}
}

// TestMariaDBRefuses puts every byte at every position of a ULID, as latin1 and as a binary string.
func TestMariaDBRefuses(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			db := openMariaDB(t, "default")
			exec(t, db, `CREATE FUNCTION try(ulid LONGTEXT CHARACTER SET utf8mb4) RETURNS TEXT
				BEGIN
					DECLARE EXIT HANDLER FOR SQLEXCEPTION RETURN '';
					RETURN LOWER(HEX(ulid_to_bin(ulid)));
				END;
				CREATE FUNCTION try_latin1(ulid VARCHAR(26) CHARACTER SET latin1) RETURNS TEXT
				BEGIN
					DECLARE EXIT HANDLER FOR SQLSTATE '22007' RETURN '';
					RETURN LOWER(HEX(ulid_to_bin(ulid)));
				END;
				CREATE FUNCTION try_binary(ulid VARBINARY(26)) RETURNS TEXT
				BEGIN
					DECLARE EXIT HANDLER FOR SQLSTATE '22007' RETURN '';
					RETURN LOWER(HEX(ulid_to_bin(ulid)));
				END`)
			if mode != "default" {
				exec(t, db, "SET sql_mode = '"+mode+"'")
			}
			for _, base := range bases {
				rows := fetch(t, db, `SELECT HEX(s), try_latin1(CONVERT(s USING latin1)), try_binary(s) FROM (
					SELECT CONCAT(LEFT(b, i.seq - 1), CHAR(c.seq), SUBSTR(b, i.seq + 1)) s
					FROM (SELECT CAST(? AS BINARY(26)) b) base, seq_1_to_26 i, seq_0_to_255 c) all_bytes`, base)
				if want := 26 * 256; len(rows) != want {
					t.Fatalf("%d rows, want %d", len(rows), want)
				}
				for _, row := range rows {
					s, err := hex.DecodeString(text(row[0]))
					if err != nil {
						t.Fatal(err)
					}
					wantParsed(t, string(s), text(row[1]))
					wantParsed(t, string(s), text(row[2]))
				}
			}
			for _, s := range badTexts {
				if s == "" && strings.Contains(mode, "EMPTY_STRING_IS_NULL") {
					continue // it is NULL there
				}
				wantParsed(t, s, text(fetch(t, db, `SELECT try(?)`, s)[0][0]))
			}
			for n := 1; n < 40; n++ {
				for _, call := range []string{"ulid_to_text", "ulid_ms", "ulid_time"} {
					var got any
					err := db.QueryRow(`SELECT `+call+`(?)`, make([]byte, n)).Scan(&got)
					if (err == nil) != (n == 16) {
						t.Errorf("%s of %d bytes: %v", call, n, err)
					}
				}
			}
		})
	}
}

func TestMariaDBDefault(t *testing.T) {
	db := openMariaDB(t, "default")
	parts, _ := sections(t, "mariadb_use.sql")
	exec(t, db, parts["columns"])
	tables := []string{"events_text", "events_bin"}
	for i, insert := range statements(parts["insert"]) {
		for range 1000 {
			fetch(t, db, insert)
		}
		wantRandom(t, idsOf(t, fetch(t, db, `SELECT id FROM `+tables[i])))
	}
	made := idsOf(t, fetch(t, db, `SELECT ulid_make() FROM seq_1_to_1000`))
	wantRandom(t, made)
	wantSameTime(t, made)
	exec(t, db, `DELETE FROM events_bin; INSERT INTO events_bin (note) SELECT seq FROM seq_1_to_1000`)
	wantSameTime(t, idsOf(t, fetch(t, db, `SELECT id FROM events_bin`)))
}

// TestMariaDBRange runs the ranges of the page and shows that they look into the index, where a condition on
// ulid_time reads every row.
func TestMariaDBRange(t *testing.T) {
	db := openMariaDB(t, "default")
	parts, _ := sections(t, "mariadb_use.sql")
	exec(t, db, parts["columns"])
	all, within := november()
	fillMariaDB(t, db, all)
	exec(t, db, "ANALYZE TABLE events_text, events_bin")
	// access returns how a query reads the table, and how many rows the server expects to read.
	access := func(query string) (string, int) {
		row := fetch(t, db, "EXPLAIN "+query)[0]
		n, err := strconv.Atoi(text(row[8]))
		if err != nil {
			t.Fatal(err)
		}
		return text(row[3]), n
	}
	for _, query := range statements(parts["range"]) {
		wantRange(t, db, within, query)
		if got, n := access(query); got != "range" || n > 2*len(within) {
			t.Errorf("%s\nis planned as %s of %d rows", query, got, n)
		}
	}
	slow := `SELECT * FROM events_bin WHERE ulid_time(id) >= '2026-11-01' AND ulid_time(id) < '2026-12-01' ORDER BY id`
	wantRange(t, db, within, slow)
	if got, n := access(slow); got == "range" || n < len(all)/2 {
		t.Errorf("%s\nis planned as %s of %d rows", slow, got, n)
	}
}

func TestMariaDBFind(t *testing.T) {
	db := openMariaDB(t, "") // not strict: it cuts
	parts, _ := sections(t, "mariadb_use.sql")
	exec(t, db, parts["columns"])
	id := ulid.Make()
	fillMariaDB(t, db, []ulid.ULID{id, ulid.FirstAt(time.Time{}), ulid.LastAt(time.Now())})
	queries := statements(parts["find"])
	for i, query := range queries {
		if rows := fetch(t, db, query); len(rows) > 0 {
			t.Errorf("%q found among the good rows of query %d", rows, i)
		}
	}
	for value, want := range map[string]string{
		strings.ToLower(id.String()): "lower case", id.UUIDString(): "UUID notation, cut to 26 characters",
		"": "no ULID", "81ARYZ6S41TSV4RRFFQ69G5FAV": "no ULID", "01ARYZ6S41TSV4RRFFQ69G5FAU": "no ULID", "short": "no ULID",
	} {
		exec(t, db, `INSERT INTO events_text (id) VALUES (?)`, value)
		rows := fetch(t, db, queries[0])
		if len(rows) != 1 || !strings.HasPrefix(value, text(rows[0][0])) || text(rows[0][1]) != want {
			t.Errorf("%q is found as %q, want %q", value, rows, want)
		}
		exec(t, db, `DELETE FROM events_text WHERE id = LEFT(?, 26)`, value)
	}
	for value, want := range map[string]string{
		id.String(): "text, cut to 16 characters", strings.ToLower(id.String()): "text, cut to 16 characters",
		id.UUIDString(): "UUID notation, cut to 16 characters", "\xff": "in the future",
	} {
		exec(t, db, `INSERT INTO events_bin (id) VALUES (?)`, value)
		rows := fetch(t, db, queries[1])
		if len(rows) != 1 || text(rows[0][1]) != want {
			t.Errorf("%q is found as %q, want %q", value, rows, want)
		}
		exec(t, db, `DELETE FROM events_bin WHERE id = CAST(LEFT(?, 16) AS BINARY(16))`, value)
	}
}

// TestMariaDBColumns converts columns in place, with the keys that refer to them.
func TestMariaDBColumns(t *testing.T) {
	lower := strings.ToLower(ulid.MustParse("7ZZZZZZZZZZZZZZZZZZZZZZZZZ").String())
	for _, c := range []struct {
		kind, part, column string
		bad                []string
		after              form
	}{
		{"text", "CHAR(26) to BINARY(16)", "binary", []string{"01ARYZ6S41TSV4RRFFQ69G5FAU", "short", lower}, asBytes},
		{"bin", "BINARY(16) to CHAR(26)", "char", nil, asText},
	} {
		for _, mode := range []string{"default", ""} {
			t.Run(c.kind+"/"+mode, func(t *testing.T) {
				db := openMariaDB(t, mode)
				parts, _ := sections(t, "mariadb_use.sql")
				events, items := "events_"+c.kind, "items_"+c.kind
				ids := sampleIDs()
				exec(t, db, parts["columns"])
				exec(t, db, parts["references"])
				fillMariaDB(t, db, ids)
				exec(t, db, `INSERT INTO `+items+` SELECT id, 1 FROM `+events)
				exec(t, db, `INSERT INTO `+items+` VALUES (NULL, 2)`)
				convert := withoutDelimiter(parts[c.part] + "\n")
				block, _, found := strings.Cut(convert, "UNLOCK TABLES")
				if !found {
					t.Fatal("the part has no UNLOCK TABLES")
				}

				// A row in another form ends it before anything was dropped.
				for _, bad := range c.bad {
					exec(t, db, `INSERT INTO `+events+` (id) VALUES (?)`, bad)
					_, err := db.Exec(block)
					var refused *mysql.MySQLError // by the function, or because of a duplicate
					if !errors.As(err, &refused) || refused.Number != 1644 && refused.Number != 1062 {
						t.Fatalf("%q in the column: %v", bad, err)
					}
					exec(t, db, `UNLOCK TABLES`)
					wantForms(t, db, ids, `SELECT id FROM `+events+` WHERE id <> '`+bad+`'`, asText)
					wantForms(t, db, ids, `SELECT event_id FROM `+items+` WHERE event_id IS NOT NULL`, asText)
					if _, err := db.Exec(`INSERT INTO `+items+` (event_id) VALUES (?)`, ulid.Make()); err == nil {
						t.Error("an item refers to no event")
					}
					exec(t, db, `ALTER TABLE `+events+` DROP COLUMN id_new; ALTER TABLE `+items+` DROP COLUMN event_id_new`)
					exec(t, db, `DELETE FROM `+events+` WHERE id = ?`, bad)
				}

				exec(t, db, convert)
				types := map[string]string{}
				for _, row := range fetch(t, db, `SELECT CONCAT(table_name, '.', column_name), CONCAT(data_type, ' ', is_nullable)
					FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name IN (?, ?)`, events, items) {
					types[text(row[0])] = text(row[1])
				}
				want := map[string]string{events + ".id": c.column + " NO", events + ".note": "text YES",
					items + ".event_id": c.column + " YES", items + ".n": "int YES"}
				if !maps.Equal(types, want) {
					t.Errorf("the columns are %v, want %v", types, want)
				}
				if rows := fetch(t, db, `SHOW INDEX FROM `+events); len(rows) != 1 {
					t.Errorf("the indexes are %s, want the primary key", rows)
				}
				wantForms(t, db, ids, `SELECT id FROM `+events, c.after)
				wantForms(t, db, ids, `SELECT event_id FROM `+items+` WHERE event_id IS NOT NULL`, c.after)
				if n := text(fetch(t, db, `SELECT CAST(COUNT(*) AS CHAR) FROM `+items+` WHERE event_id IS NULL`)[0][0]); n != "1" {
					t.Errorf("%s items have no event, want 1", n)
				}
				if _, err := db.Exec(`INSERT INTO `+items+` (event_id) VALUES (?)`, c.after(ulid.Make())); err == nil {
					t.Error("an item refers to no event")
				}
				if _, err := db.Exec(`INSERT INTO `+events+` (id) VALUES (?)`, c.after(ids[0])); err == nil {
					t.Error("a key came twice")
				}
			})
		}
	}
}
