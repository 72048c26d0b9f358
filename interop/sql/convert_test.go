package sql

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// A column of IDs: how an ID is passed to it, and how it comes back.
type column struct {
	sql   string
	value func(ulid.ULID) any
	form  form
}

var (
	uuidColumn   = column{"uuid", func(id ulid.ULID) any { return ulid.AsUUID(id) }, asUUID}
	byteaColumn  = column{"bytea", func(id ulid.ULID) any { return ulid.AsBinary(id) }, asBytes}
	binaryColumn = column{"BINARY(16)", func(id ulid.ULID) any { return ulid.AsBinary(id) }, asBytes}
	varbinary    = column{"VARBINARY(30)", func(id ulid.ULID) any { return ulid.AsBinary(id) }, asBytes}
	blobColumn   = column{"BLOB", func(id ulid.ULID) any { return ulid.AsBinary(id) }, asBytes}
)

// tables are events and items, of which each refers to an event.
type tables struct {
	*db.DB
	t *testing.T
}

// makeTables makes both. The second item refers to no event.
func makeTables(t *testing.T, conn *db.DB, c column) tables {
	conn.Run(`CREATE TABLE events (id ` + c.sql + ` PRIMARY KEY NOT NULL, note VARCHAR(100))`)
	conn.Run(`CREATE TABLE items (event_id ` + c.sql + `, n INT, FOREIGN KEY (event_id) REFERENCES events (id))`)
	return tables{conn, t}
}

// add stores an event with an item.
func (x tables) add(id any) {
	x.t.Helper()
	x.Run(`INSERT INTO events (id) VALUES (?)`, id)
	x.Run(`INSERT INTO items (event_id) VALUES (?)`, id)
}

// remove removes both.
func (x tables) remove(id any) {
	x.t.Helper()
	x.Run(`DELETE FROM items WHERE event_id = ?`, id)
	x.Run(`DELETE FROM events WHERE id = ?`, id)
}

// want fails the test unless both tables hold these cells, and the keys hold.
func (x tables) want(cells []string, c column) {
	x.t.Helper()
	wantLines(x.t, x.DB, `SELECT id FROM events`, cells)
	wantLines(x.t, x.DB, `SELECT event_id FROM items WHERE event_id IS NOT NULL`, cells)
	if x.Try(`INSERT INTO items (event_id) VALUES (?)`, c.value(ulid.Make())) == nil {
		x.t.Error("an item refers to no event")
	}
	if x.Try(`INSERT INTO events (id) SELECT id FROM events`) == nil {
		x.t.Error("a key came twice")
	}
}

// A conversion is a file with the changes that its reader makes.
type conversion struct {
	database *db.Database
	from, to column
	changes  []string
	others   func(ids []ulid.ULID) []any // further IDs, in formats that are converted too
	bad      []any                       // what ends it with an error, beside the first of the IDs
}

// TestConvert converts columns in place, with the keys that refer to them.
func TestConvert(t *testing.T) {
	text := column{asciiText, func(id ulid.ULID) any { return id }, asText}
	postgresText := column{`text COLLATE "C"`, text.value, text.form}
	lowerAndUUID := func(ids []ulid.ULID) []any {
		return []any{strings.ToLower(ids[0].String()), ids[1].UUIDString(), strings.ToUpper(ids[2].UUIDString())}
	}
	toText := []string{"to_bin", "to_text", "BINARY(16)", asciiText}
	bytea := []string{
		"CASE length(id) WHEN 36 THEN id::uuid ELSE ulid_to_uuid(id) END", "ulid_to_uuid(id)",
		"CASE length(event_id) WHEN 36 THEN event_id::uuid ELSE ulid_to_uuid(event_id) END", "ulid_to_uuid(event_id)",
	}
	notULID := "01ARYZ6S41TSV4RRFFQ69G5FAU"
	for _, c := range []conversion{
		{db.PostgreSQL, postgresText, uuidColumn, nil, lowerAndUUID, []any{notULID, asUUID(known), "short"}},
		{db.PostgreSQL, byteaColumn, uuidColumn, bytea, nil, []any{[]byte(asText(known)), []byte("short")}},
		{db.MariaDB, text, binaryColumn, nil, lowerCase, []any{notULID, strings.ToLower(asText(known)), "short"}},
		{db.MySQL, text, binaryColumn, nil, lowerCase, []any{notULID, strings.ToLower(asText(known)), "short"}},
		{db.MariaDB, binaryColumn, text, toText, nil, nil},
		{db.MySQL, binaryColumn, text, toText, nil, nil},
	} {
		t.Run(fmt.Sprintf("%s from %s", c.database.Dialect, c.from.sql), func(t *testing.T) {
			conn := open(t, c.database)
			install(t, conn)
			x := makeTables(t, conn, c.from)
			ids := append(sampleIDs(), known)
			for _, id := range ids {
				x.add(c.from.value(id))
			}
			others := []ulid.ULID{ulid.Make(), ulid.Make(), ulid.Make()}
			if c.others != nil {
				for i, value := range c.others(others) {
					x.add(value)
					ids = append(ids, others[i])
				}
			}
			x.Run(`INSERT INTO items VALUES (NULL, 1)`)
			if conn.Family == "postgres" {
				x.Run(`ALTER TABLE events ALTER id SET DEFAULT '01ARYZ6S41TSV4RRFFQ69G5FAV'`)
			}
			before := lines(conn, `SELECT id FROM events`)
			file := "convert_" + conn.Family + ".sql"
			for _, bad := range c.bad {
				x.add(bad)
				err := client(t, conn, file, c.changes...)
				x.cleanUp()
				x.remove(bad)
				if err == nil {
					t.Fatalf("%q is converted", bad)
				}
				x.want(before, c.from) // all is as it was
			}
			db.Check(t, client(t, conn, file, c.changes...))
			x.want(c.to.form.of(ids), c.to)
			if n := conn.Count(`SELECT count(*) FROM items WHERE event_id IS NULL AND n = 1`); n != 1 {
				t.Errorf("%d items have no event, want 1", n)
			}
			if conn.Try(`INSERT INTO events (id) VALUES (NULL)`) == nil {
				t.Error("the key accepts NULL")
			}
		})
	}
}

func lowerCase(ids []ulid.ULID) []any {
	return []any{strings.ToLower(ids[0].String())}
}

// cleanUp does what the head of the file says after an error, where the client has stopped.
func (x tables) cleanUp() {
	if x.IsMySQL() {
		x.Run(`DROP PROCEDURE convert_ids;
			ALTER TABLE events DROP COLUMN id_new;
			ALTER TABLE items DROP COLUMN event_id_new`)
	}
}

// TestConvertLocks inserts an item while its table is converted. It waits, and does not fit into the new column.
func TestConvertLocks(t *testing.T) {
	onEach(t, mysqls, func(t *testing.T, conn *db.DB) {
		x := makeTables(t, conn, column{sql: asciiText})
		x.add(known)
		other := db.Connect(t, "mysql", conn.DSN)
		inserted := make(chan error)
		go func() {
			for n := 0; n == 0; {
				other.QueryRow(`SELECT count(*) FROM information_schema.processlist
					WHERE db = database() AND info LIKE 'DO SLEEP(1)%'`).Scan(&n)
			}
			_, err := other.Exec(`INSERT INTO items (event_id) VALUES (?)`, known)
			inserted <- err
		}()
		db.Check(t, client(t, conn, "convert_mysql.sql",
			"  ALTER TABLE items DROP FOREIGN KEY", "  DO SLEEP(1);\n  ALTER TABLE items DROP FOREIGN KEY"))
		if <-inserted == nil {
			t.Error("an item was inserted during the conversion")
		}
		x.want([]string{asBytes(known)}, binaryColumn)
	})
}

// TestConvertUnderProgram converts columns while a program has prepared its INSERT. That succeeds, and stores an ID in
// a format in which it is not found again.
func TestConvertUnderProgram(t *testing.T) {
	for _, c := range []struct {
		column  column
		convert string
		form    form
	}{
		{uuidColumn, `ulid_to_text(id)`, asUUID},
		{byteaColumn, `ulid_to_text(id)`, func(id ulid.ULID) string { return `\x` + asHex(id) }},
	} {
		t.Run(c.column.sql, func(t *testing.T) {
			conn := db.PostgreSQL.Open(t, "") // pgx prepares and caches statements
			install(t, conn)
			conn.Run(`CREATE TABLE events (id ` + c.column.sql + ` PRIMARY KEY)`)
			statement, err := conn.Prepare(`INSERT INTO events VALUES ($1)`)
			db.Check(t, err)
			defer statement.Close()
			run := func(id ulid.ULID) {
				_, err := statement.Exec(c.column.value(id))
				db.Check(t, err)
			}
			first, second := ulid.Make(), ulid.Make()
			run(first)
			conn.Run(`ALTER TABLE events ALTER id TYPE text COLLATE "C" USING ` + c.convert)
			run(second)
			wantLines(t, conn, `SELECT id FROM events`, []string{asText(first), c.form(second)})
		})
	}
}

// --- strings among bytes

// TestMend turns strings among bytes into bytes: IDs that have every byte at every position, and every second string in
// lower case.
func TestMend(t *testing.T) {
	columns := map[string]column{"postgres": byteaColumn, "mysql": varbinary, "sqlite": blobColumn}
	onEach(t, all, func(t *testing.T, conn *db.DB) {
		c, file := columns[conn.Family], "mend_"+conn.Family+".sql"
		x := makeTables(t, conn, c)
		var ids []ulid.ULID
		for b := range 256 {
			var near, far, bytes ulid.ULID
			for position := range 16 {
				near[position] = byte(b + 17*position)
				far[position] = byte(b + 127*position)
				bytes[position] = byte(b + 5*position)
			}
			x.add(near.String())
			x.add(strings.ToLower(far.String()))
			x.add(c.value(bytes))
			ids = append(ids, near, far, bytes)
		}
		x.Run(`INSERT INTO items VALUES (NULL, 1)`)
		before := lines(conn, `SELECT id FROM events`)

		x.add(strings.ToLower(ids[0].String()))
		wantMendFails(t, x, file, "an ID in two formats")
		x.remove(strings.ToLower(ids[0].String()))
		notULID := ids[0].String()[:25] + "U"
		switch {
		case conn.Family == "sqlite":
			// It leaves them as they are. The client of SQLite does not watch foreign keys, but programs do.
			others := []string{notULID, "81ARYZ6S41TSV4RRFFQ69G5FAV", "01ARYZ6S41TSV4RRFFQ69G5FAV\x00"}
			for _, s := range others {
				x.add(s)
			}
			conn.Run(page.Text(t, "sql/"+file))
			for _, s := range others {
				x.remove(s)
			}
		case conn.IsMySQL(): // in the table that comes last, so that the first has changed
			x.Run(`SET foreign_key_checks = 0; INSERT INTO items (event_id) VALUES ('` + notULID + `')`)
			wantMendFails(t, x, file, "a string that is not a ULID")
			x.Run(`DELETE FROM items WHERE event_id = '` + notULID + `'; SET foreign_key_checks = 1`)
			db.Check(t, client(t, conn, file))
		default:
			x.add(notULID)
			wantMendFails(t, x, file, "a string that is not a ULID")
			x.remove(notULID)
			x.want(before, c)
			db.Check(t, client(t, conn, file))
		}
		x.want(c.form.of(ids), c)
		if n := conn.Count(`SELECT count(*) FROM items WHERE event_id IS NULL`); n != 1 {
			t.Errorf("%d items have no event, want 1", n)
		}
	})
}

// wantMendFails fails the test unless the file ends with an error, and leaves both tables as they were.
func wantMendFails(t *testing.T, x tables, file, why string) {
	t.Helper()
	cells := func() []string {
		return slices.Concat(lines(x.DB, `SELECT id FROM events ORDER BY id`),
			lines(x.DB, `SELECT event_id FROM items ORDER BY event_id`))
	}
	before := cells()
	if client(t, x.DB, file) == nil {
		t.Errorf("%s passes", why)
	}
	if !slices.Equal(cells(), before) {
		t.Errorf("after the error of %s something has changed", why)
	}
}

// TestMendItems turns an item into bytes whose event is bytes, where no foreign key forbids it. In SQLite the columns
// have the affinity of numbers.
func TestMendItems(t *testing.T) {
	onEach(t, all[1:], func(t *testing.T, conn *db.DB) {
		conn.Run(`CREATE TABLE events (id VARBINARY(30) PRIMARY KEY NOT NULL)`)
		conn.Run(`CREATE TABLE items (event_id VARBINARY(30))`)
		conn.Run(`INSERT INTO events VALUES (?)`, ulid.AsBinary(known))
		conn.Run(`INSERT INTO items VALUES (?)`, known)
		db.Check(t, client(t, conn, "mend_"+conn.Family+".sql"))
		wantLines(t, conn, `SELECT event_id FROM items`, []string{asBytes(known)})
	})
}

// TestMendToUUID turns strings of SQLite into UUID format, as the head of the file says.
func TestMendToUUID(t *testing.T) {
	conn := open(t, db.SQLite)
	c := column{"TEXT", func(id ulid.ULID) any { return ulid.AsUUID(id) }, asUUID}
	x := makeTables(t, conn, c)
	ids := []ulid.ULID{{}, known, ulid.Make(), largest}
	for _, id := range ids {
		x.add(id)
	}
	db.Check(t, client(t, conn, "mend_sqlite.sql", "(SELECT bytes FROM repaired", "(SELECT uuid FROM repaired"))
	x.want(c.form.of(ids), c)
}

// TestMendUTF16 leaves a database of SQLite as it is whose strings are UTF-16.
func TestMendUTF16(t *testing.T) {
	conn := open(t, db.SQLite)
	conn.Run(`PRAGMA encoding = 'UTF-16'`)
	x := makeTables(t, conn, blobColumn)
	x.add(known)
	db.Check(t, client(t, conn, "mend_sqlite.sql"))
	x.want([]string{known.String()}, blobColumn)
}

// --- the views of sqlite.sql

// TestSQLite reads IDs and other values with the views, and has the CHECKs refuse what does not belong in a column.
func TestSQLite(t *testing.T) {
	conn := open(t, db.SQLite)
	conn.Run(page.Text(t, "sql/sqlite.sql"))
	seconds := func(id ulid.ULID) string { return timeOf(id).Format("2006-01-02 15:04:05.000") }
	insert(conn, "events_text", "id", form(asText).of(sampleIDs()))
	for _, id := range sampleIDs() {
		conn.Run(`INSERT INTO events_blob (id) VALUES (?)`, ulid.AsBinary(id))
	}
	for query, forms := range map[string][]form{
		`SELECT id, time FROM events_text_times`: {asText, until9999(seconds)},
		`SELECT id, time FROM events_blob_times`: {asBytes, until9999(seconds)},
		`SELECT id, text FROM events_blob_texts`: {asBytes, asText},
	} {
		var want []string
		for _, id := range sampleIDs() {
			want = append(want, forms[0](id)+" "+forms[1](id))
		}
		wantLines(t, conn, query, want)
	}

	for table, values := range map[string][]any{
		"events_text": {known[:], []byte(asText(known)), strings.ToLower(asText(known)), asUUID(known), "", nil,
			"01ARYZ6S41TSV4RRFFQ69G5FAU", "81ARYZ6S41TSV4RRFFQ69G5FAV", asText(known) + "\x00", asText(known)[:25] + "\x00"},
		"events_blob": {asText(known), asText(known)[:16], []byte(asText(known)), 1, 1234567890123456, []byte{1}, nil},
	} {
		for _, value := range values {
			if conn.Try(`INSERT INTO `+table+` (id) VALUES (?)`, value) == nil {
				t.Errorf("%s accepts %q", table, value)
			}
		}
	}

	conn.Run(`PRAGMA ignore_check_constraints = ON; DELETE FROM events_text; DELETE FROM events_blob`)
	texts := append(everyCharacter(), badTexts...)
	slices.Sort(texts)
	insert(conn, "events_text", "id", slices.Compact(texts))
	for _, row := range conn.Rows(`SELECT id, time FROM events_text_times`) {
		want := "NULL"
		if id, err := ulid.Parse(cell(row[0])); err == nil {
			want = until9999(seconds)(id)
		}
		if got := cell(row[1]); got != want {
			t.Errorf("the time of %q is %s, want %s", row[0], got, want)
		}
	}
	insert(conn, "events_blob", "id", []any{"01ARYZ6S41TSV4RR", []byte("01ARYZ6S41TSV4R"), []byte("01ARYZ6S41TSV4RRR"), 1})
	insert(conn, "events_text", "id", []any{known[:], []byte(asText(known)), []byte{}})
	for _, query := range []string{
		`SELECT count(*) FROM events_blob_times WHERE time IS NOT NULL`,
		`SELECT count(*) FROM events_blob_texts WHERE text IS NOT NULL`,
		`SELECT count(*) FROM events_text_times WHERE typeof(id) <> 'text' AND time IS NOT NULL`,
	} {
		if n := conn.Count(query); n != 0 {
			t.Errorf("%d rows, want none, of %s", n, query)
		}
	}
}
