package sql

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

var mysqlDB = newMySQL()

// newMySQL returns a copy of mariaDB with what is different in MySQL.
func newMySQL() *database {
	d := *mariaDB
	d.Database = db.MySQL
	d.modes = []string{
		defaultMode,
		"",
		"ANSI,NO_BACKSLASH_ESCAPES",
		"TRADITIONAL,TIME_TRUNCATE_FRACTIONAL,PAD_CHAR_TO_FULL_LENGTH",
	}
	d.queries = append(slices.Clone(mariaDB.queries), query{
		`SELECT BIN_TO_UUID(id), UUID_TO_BIN(BIN_TO_UUID(id)), UUID_TO_BIN(BIN_TO_UUID(id), 1) FROM events_bin`,
		[]form{asUUID, asBytes, asSwapped},
	})
	d.defaults.thousand = `
		WITH RECURSIVE seq(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM seq WHERE n < 1000)
		SELECT ulid_make() FROM seq`
	d.ranges.indexed = regexp.MustCompile(`Index range scan`)
	d.ranges.unindexed = `SELECT * FROM events_bin
		WHERE id >= ulid_first_at('2026-11-01') AND id < ulid_first_at('2026-12-01') ORDER BY id`
	return &d
}

// asSwapped is what UUID_TO_BIN makes of a UUID with its second argument, 1.
func asSwapped(id ulid.ULID) string {
	return string(id[6:8]) + string(id[4:6]) + string(id[:4]) + string(id[8:])
}

// --- comparisons

// TestMySQLComparisons compares IDs with numbers, and with an AsBinary that the driver may write
// into the statement.
func TestMySQLComparisons(t *testing.T) {
	page.Fact(t, mysqlDB.Page, "number-equals-nearly-every-id")
	page.Fact(t, mysqlDB.Page, "number-deletes-in-mariadb")
	page.Fact(t, mysqlDB.Page, "interpolated-binary-differs-from-all")
	page.Fact(t, "docs/storage.md", "number-equals-nearly-every-id")
	ids := idsTo2039()
	onEach(t, mysqls, func(t *testing.T, d *database) {
		for _, interpolates := range []bool{false, true} {
			session := *d
			if interpolates {
				session.parameters += "&interpolateParams=true"
			}
			for _, mode := range []string{defaultMode, looseMode} {
				conn := session.openWith(t, mode, ids)
				wantBinaryDiffers(t, conn, interpolates && d == mariaDB)
				wantEqualNumber(t, conn, "events_bin", 0, 1000, mode)
				wantEqualNumber(t, conn, "events_text", 1, 980, mode)
			}
		}
	})
}

// idsTo2039 returns 1,000 IDs from October 2015 to August 2039.
func idsTo2039() (ids []ulid.ULID) {
	at := time.Date(2015, 10, 1, 0, 0, 0, 0, time.UTC)
	for range 1000 {
		ids = append(ids, ulid.FirstAt(at))
		at = at.Add(209 * time.Hour)
	}
	return ids
}

// wantEqualNumber fails the test unless the number equals so many of the 1,000 IDs in the table.
// Only a strict session of MySQL refuses to change and to delete them.
func wantEqualNumber(t *testing.T, conn *db.DB, table string, number, least int, mode string) {
	t.Helper()
	equal := conn.Count(`SELECT count(*) FROM `+table+` WHERE id = ?`, number)
	if equal < least {
		t.Errorf("%d IDs in %s equal %d, want %d or more", equal, table, number, least)
	}
	updateErr := conn.Try(`UPDATE `+table+` SET id = id WHERE id = ?`, number)
	deleteErr := conn.Try(`DELETE FROM `+table+` WHERE id = ?`, number)
	left := conn.Count(`SELECT count(*) FROM ` + table)
	got := fmt.Sprintf("%.10v, %.10v, %d left", updateErr, deleteErr, left)
	want := fmt.Sprintf("<nil>, <nil>, %d left", 1000-equal)
	if conn.Database == db.MySQL && mode == defaultMode {
		want = "Error 1292, Error 1292, 1000 left"
	}
	if got != want {
		t.Errorf("UPDATE and DELETE in %s: %s, want %s", table, got, want)
	}
}

// wantBinaryDiffers fails the test unless an AsBinary differs from all of the 1,000 IDs in a column
// of text. Where it does not, it differs from none, or is an error.
func wantBinaryDiffers(t *testing.T, conn *db.DB, fromAll bool) {
	t.Helper()
	want := 0
	if fromAll {
		want = 1000
	}
	differ := 0 // which an error leaves
	_ = conn.Get(&differ, `SELECT count(*) FROM events_text WHERE id <> ?`, ulid.AsBinary(known))
	if differ != want {
		t.Errorf("%d IDs differ from an AsBinary, want %d", differ, want)
	}
}

// --- values that are too long

// TestMySQLCuts stores what is too long for the column.
func TestMySQLCuts(t *testing.T) {
	page.Fact(t, mysqlDB.Page, "too-long-is-cut")
	const (
		insertOne    = "INSERT INTO %s (id) VALUES (?)"
		insertIgnore = "INSERT IGNORE INTO %s (id) VALUES (?)"
		updateIgnore = "UPDATE IGNORE %s SET id = ?"
	)
	tests := []struct {
		mode      string
		statement string
		cuts      bool
	}{
		{defaultMode, insertOne, false},
		{defaultMode, insertIgnore, true},
		{defaultMode, updateIgnore, true},
		{looseMode, insertOne, true},
	}
	onEach(t, mysqls, func(t *testing.T, d *database) {
		for _, test := range tests {
			var stored []ulid.ULID
			if test.statement == updateIgnore {
				stored = sampleIDs()[:1]
			}
			conn := d.openWith(t, test.mode, stored)
			wantCut(t, conn, "events_text", test.statement, ulid.AsUUID(known), asUUID(known)[:26], test.cuts)
			wantCut(t, conn, "events_bin", test.statement, known, asText(known)[:16], test.cuts)
		}
	})
}

// wantCut fails the test unless the statement stores the value cut off, or is an error.
func wantCut(t *testing.T, conn *db.DB, table, statement string, value any, cut string, cuts bool) {
	t.Helper()
	want := ""
	if cuts {
		want = cut
	}
	err := conn.Try(fmt.Sprintf(statement, table), value)
	got := conn.Text(`SELECT coalesce(group_concat(id), '') FROM ` + table)
	if (err == nil) != cuts || got != want {
		t.Errorf(statement+" stores %q, want %q, %v", table, got, want, err)
	}
}

// --- conversion

// What TestMySQLKeys changes in the file that converts, as its comments say.
const (
	keepTime = ", updated_at = updated_at"
	dropKey  = "DROP INDEX u, DROP COLUMN event_id"
	addKey   = "ADD UNIQUE KEY u (event_id, n)"
)

// TestMySQLKeys converts tables that have what the file warns of: a key of several columns, and a
// column with ON UPDATE.
func TestMySQLKeys(t *testing.T) {
	page.Fact(t, mysqlDB.Page, "key-of-several-columns-stops-half-way")
	for _, words := range []string{keepTime, dropKey, addKey} {
		page.Contains(t, "sql/convert_mysql.sql", words)
	}
	onEach(t, mysqls, func(t *testing.T, d *database) {
		unique := strings.NewReplacer()
		primary := strings.NewReplacer("DROP INDEX u", "DROP PRIMARY KEY", "ADD UNIQUE KEY u", "ADD PRIMARY KEY")
		for _, key := range []*strings.Replacer{unique, primary} {
			wantHalfWay(t, d, key)
			wantKeysConverted(t, d, key)
		}
	})
}

// withKey makes the tables that the file warns of, with a key.
func withKey(t *testing.T, d *database, key *strings.Replacer, ids []ulid.ULID) *db.DB {
	t.Helper()
	conn := d.openWith(t, defaultMode, ids)
	conn.Run(d.items + key.Replace(`; ALTER TABLE items_text `+addKey) + `;
		INSERT INTO items_text SELECT id, 1 FROM events_text;
		ALTER TABLE events_text
			ADD updated_at DATETIME DEFAULT '2020-01-01' ON UPDATE CURRENT_TIMESTAMP;
		ALTER TABLE items_text ADD KEY other (n, event_id),
			ADD updated_at DATETIME DEFAULT '2020-01-01' ON UPDATE CURRENT_TIMESTAMP;
		CREATE TRIGGER fires AFTER UPDATE ON events_text FOR EACH ROW SET @fired = @fired + 1;
		SET @fired = 0`)
	return conn
}

// wantHalfWay fails the test unless the file, unchanged, ends with an error when one table is
// converted.
func wantHalfWay(t *testing.T, d *database, key *strings.Replacer) {
	t.Helper()
	ids := sampleIDs()[:10]
	conn := withKey(t, d, key, ids)
	if conn.Try(d.conversion(t)) == nil {
		t.Fatal("the key of several columns does not stop the conversion")
	}
	wantForms(t, conn, ids, `SELECT id FROM events_text`, asBytes)
	wantForms(t, conn, ids, `SELECT event_id FROM items_text`, asText)
	wantTouched(t, conn, 0, len(ids))
}

// wantKeysConverted fails the test unless the file, changed as its comments say, converts the tables.
func wantKeysConverted(t *testing.T, d *database, key *strings.Replacer) {
	t.Helper()
	ids := sampleIDs()[:10]
	conn := withKey(t, d, key, ids)
	convert := regexp.MustCompile(`(?m)^  UPDATE .*\)`).ReplaceAllString(d.conversion(t), "$0"+keepTime)
	convert = strings.Replace(convert, "DROP COLUMN event_id", dropKey, 1)
	convert = strings.Replace(convert, "ADD CONSTRAINT", addKey+", ADD CONSTRAINT", 1)
	conn.Run(key.Replace(convert))
	wantForms(t, conn, ids, `SELECT id FROM events_text`, asBytes)
	wantForms(t, conn, ids, `SELECT event_id FROM items_text WHERE updated_at = '2020-01-01'`, asBytes)
	wantTouched(t, conn, len(ids), len(ids))

	conn.Run(`INSERT INTO items_text (event_id, n) SELECT id, 2 FROM events_text`)
	if conn.Try(`UPDATE items_text SET n = 1`) == nil {
		t.Error("the key is gone")
	}
	if conn.Try(`INSERT INTO events_text (note) VALUES ('')`) == nil {
		t.Error("the DEFAULT is still there")
	}
	other := fmt.Sprintf("%s", conn.Rows(`SHOW INDEX FROM items_text WHERE key_name = 'other'`))
	if strings.Contains(other, "event_id") {
		t.Error("the place in an index is still there")
	}
}

// wantTouched fails the test unless so many events have kept their time, and the trigger has fired
// for so many.
func wantTouched(t *testing.T, conn *db.DB, wantKept, wantFired int) {
	t.Helper()
	kept := conn.Count(`SELECT count(*) FROM events_text WHERE updated_at = '2020-01-01'`)
	fired := conn.Count(`SELECT @fired`)
	if kept != wantKept || fired != wantFired {
		t.Errorf("%d times are kept, want %d; the trigger fires %d times, want %d", kept, wantKept, fired, wantFired)
	}
}

// TestMySQLLocks has another session write before the conversion begins, and when it has ended but
// the tables are still locked.
func TestMySQLLocks(t *testing.T) {
	page.Fact(t, mysqlDB.Page, "conversion-locks-writers")
	onEach(t, mysqls, func(t *testing.T, d *database) {
		t.Parallel() // each timeout takes a second
		conn := d.openWith(t, defaultMode, nil)
		conn.Run(d.items)
		other := db.Connect(t, "mysql", conn.DSN)
		_, err := other.Exec(`SET lock_wait_timeout = 1`)
		check(t, err)
		before, after, _ := strings.Cut(d.conversion(t), "CALL convert_ids();\n")
		for _, part := range []string{before, "CALL convert_ids()"} {
			conn.Run(part)
			for _, insert := range []string{
				`INSERT INTO events_text (note) VALUES ('')`,
				`INSERT INTO items_text (n) VALUES (1)`,
			} {
				_, err := other.Exec(insert)
				if err == nil || !strings.HasPrefix(err.Error(), "Error 1205 ") {
					t.Errorf("after\n%s\n%s gives %v, want a timeout of its lock", part, insert, err)
				}
			}
		}
		conn.Run(after)
		_, err = other.Exec(`INSERT INTO items_text (n) VALUES (1)`)
		check(t, err)
	})
}

// --- character sets

// TestMySQLCharacterSets shows that an ID in utf8mb4 does not use the index of the key, and that
// one in ascii does.
func TestMySQLCharacterSets(t *testing.T) {
	page.Fact(t, mysqlDB.Page, "utf8mb4-misses-the-index")
	scan := regexp.MustCompile(`Table scan on e|\be \S* ?ALL\b`)
	onEach(t, mysqls, func(t *testing.T, d *database) {
		ids := sampleIDs()
		conn := d.openWith(t, defaultMode, ids)
		for _, set := range []string{"ascii", "utf8mb4"} {
			conn.Run(strings.ReplaceAll(`
				CREATE TABLE items_THIS (event_id CHAR(26) CHARACTER SET THIS, n INT PRIMARY KEY);
				INSERT INTO items_THIS SELECT id, 1 FROM events_text LIMIT 1;
				SET @id = (SELECT event_id FROM items_THIS);
				CREATE PROCEDURE find_THIS(ulid CHAR(26) CHARACTER SET THIS)
					EXPLAIN SELECT * FROM events_text e WHERE id = ulid`, "THIS", set))
			for _, query := range []string{
				`EXPLAIN SELECT * FROM items_` + set + ` i JOIN events_text e ON id = event_id WHERE i.n = 1`,
				`EXPLAIN SELECT * FROM events_text e WHERE id = @id`,
				`CALL find_` + set + `('` + ids[0].String() + `')`,
			} {
				plan := fmt.Sprintf("%s", conn.Rows(query))
				if scan.MatchString(plan) != (set == "utf8mb4") {
					t.Errorf("%s\nwith an ID in %s:\n%s", query, set, plan)
				}
			}
		}
	})
}
