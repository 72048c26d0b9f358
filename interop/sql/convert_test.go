package sql

import (
	"database/sql/driver"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	oklog "github.com/oklog/ulid/v2"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/interop/storage"
)

// A column of IDs: how an ID is passed to it, and how it comes back.
type column struct {
	sql   string
	value func(ulid.ULID) any
	form  form
}

var (
	uuidColumn  = column{"uuid", func(id ulid.ULID) any { return ulid.AsUUID(id) }, asUUID}
	byteaColumn = column{"bytea", func(id ulid.ULID) any { return ulid.AsBinary(id) }, asBytes}
)

// --- before a change

// TestCount counts the formats of a column, for what each row of the tables on the page says.
func TestCount(t *testing.T) {
	onEach(t, all, func(t *testing.T, conn *db.DB) {
		yes, no := "1", "0"
		text, bytes := textType[conn.Family], "BLOB"
		countBytes := page.Code(t, convertPage, "count bytes")
		switch {
		case conn.Family == "postgres":
			yes, no, bytes = "true", "false", "bytea"
			countBytes = strings.Replace(countBytes, "X'01'", `'\x01'`, 1)
		case conn.IsMySQL(): // in which longer texts fit
			text = "VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin"
		}
		conn.Run(`CREATE TABLE events (id ` + text + `)`)
		insert(conn, "events", "id", []string{
			asText(known), asText(ulid.Make()), strings.ToLower(asText(known)), asUUID(known), `\x` + asHex(known),
		})
		wantLines(t, conn, page.Code(t, convertPage, "count text"), []string{
			"26 " + yes + " 2", "26 " + no + " 1", "36 " + no + " 1", "34 " + no + " 1",
		})

		conn.Run(`DROP TABLE events`)
		conn.Run(`CREATE TABLE events (id ` + bytes + `)`)
		now := ulid.Make()
		insert(conn, "events", "id", [][]byte{now[:], {15: 0}, []byte(asText(now)), []byte(asText(now)[:16])})
		wantLines(t, conn, countBytes, []string{"16 " + yes + " 1", "16 " + no + " 2", "26 " + no + " 1"})
	})
}

const notRegexp = "OCTET_LENGTH(id) <> 26 OR id NOT REGEXP"

// TestRejected lists the strings that Scan of a ULID rejects.
func TestRejected(t *testing.T) {
	page.Contains(t, convertPage, "`"+notRegexp+"`")
	onEach(t, all, func(t *testing.T, conn *db.DB) {
		query, text := page.Code(t, convertPage, "rejected"), "text"
		switch {
		case conn.IsMySQL():
			query, text = strings.Replace(query, "id !~", notRegexp, 1), "TEXT CHARACTER SET utf8mb4"
		case conn.Family == "sqlite":
			query = convertBlock(t, conn, "rejected")
		}
		conn.Run(`CREATE TABLE events (id ` + text + `)`)
		texts := append(everyCharacter(), badTexts...)
		slices.Sort(texts)
		texts = slices.Compact(texts)
		insert(conn, "events", "id", texts)
		wantLines(t, conn, query, slices.DeleteFunc(texts, func(s string) bool {
			_, err := ulid.Parse(s)
			return err == nil
		}))
	})
}

// TestPreparedInsert has a program that prepared its INSERT before the change. It goes on succeeding.
func TestPreparedInsert(t *testing.T) {
	page.Fact(t, convertPage, "prepared-insert-stores-another-format")
	for _, c := range []struct {
		column column
		form   form
	}{
		{uuidColumn, asUUID},
		{byteaColumn, func(id ulid.ULID) string { return `\x` + asHex(id) }},
	} {
		t.Run(c.column.sql, func(t *testing.T) {
			conn := db.PostgreSQL.Open(t, "") // pgx prepares and caches statements
			install(t, conn)
			conn.Run(`CREATE TABLE events (id ` + c.column.sql + ` PRIMARY KEY)`)
			statement, err := conn.Prepare(`INSERT INTO events VALUES ($1)`)
			db.Check(t, err)
			defer statement.Close()
			first, second := ulid.Make(), ulid.Make()
			_, err = statement.Exec(c.column.value(first))
			db.Check(t, err)
			conn.Run(`ALTER TABLE events ALTER id TYPE text COLLATE "C" USING ulid_to_text(id)`)
			_, err = statement.Exec(c.column.value(second))
			db.Check(t, err)
			wantLines(t, conn, `SELECT id FROM events`, []string{asText(first), c.form(second)})
		})
	}
}

// --- the blocks of the page, as they stand there

// wideText and wideBytes are columns in which values fit that are too long for a format.
var (
	wideText = map[string]string{
		"postgres": `text COLLATE "C"`, "mysql": "VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin", "sqlite": "TEXT",
	}
	wideBytes = map[string]string{"postgres": "bytea", "mysql": "VARBINARY(40)", "sqlite": "BLOB"}
)

// example creates the two tables of the page, whose columns of IDs have a type and a form. Three events have one item
// each. Further statements create what else a test needs.
func example(t *testing.T, conn *db.DB, idType string, form form, statements ...string) *fixture {
	t.Helper()
	key := "items_event"
	if conn.Family == "postgres" {
		key = "items_event_id_fkey" // which it would give itself
	}
	conn.Run(`CREATE TABLE events (id ` + idType + ` NOT NULL, PRIMARY KEY (id))`)
	conn.Run(`CREATE TABLE items (event_id ` + idType + ` NOT NULL, CONSTRAINT ` + key + `
		FOREIGN KEY (event_id) REFERENCES events (id) ON DELETE CASCADE)`)
	for _, id := range []ulid.ULID{known, ulid.Make(), ulid.Make()} {
		var value any = form(id)
		if slices.Contains([]string{"bytea", "BINARY(16)", "VARBINARY(40)", "BLOB"}, idType) {
			value = []byte(form(id))
		}
		conn.Run(`INSERT INTO events VALUES (?)`, value)
	}
	conn.Run(`INSERT INTO items SELECT id FROM events`)
	s := schema{
		tables: []string{"events", "items"}, columns: [][2]string{{"events", "id"}, {"items", "event_id"}},
		statements: statements,
	}
	return newFixture(t, conn, s, format{sql: idType, form: form})
}

// firstChange is that of the page's block.
func firstChange(t *testing.T, family string) (change, format) {
	t.Helper()
	list, to := sqliteChanges, "bytes"
	if family != "sqlite" {
		list = changes(t, family)
	}
	if family == "postgres" {
		to = "uuid"
	}
	return findChange(t, list, "26 characters", to), findFormat(family, to)
}

// TestPage runs the statements of the page. Those that are written for other schemas agree with them byte by byte.
func TestPage(t *testing.T) {
	onEach(t, all, func(t *testing.T, conn *db.DB) {
		x := example(t, conn, textType[conn.Family], asText)
		numbers := lines(conn, page.Code(t, convertPage, "three numbers"))
		c, f := firstChange(t, conn.Family)
		if conn.Family == "sqlite" {
			db.Check(t, toBytes(t.Context(), db.Connect(t, "sqlite", conn.DSN)))
		} else {
			statements := convertBlock(t, conn, "change")
			if got := strings.Join(write(t, conn, x.schema, c), "\n") + "\n"; got != statements {
				t.Errorf("for these tables is written\n%s\nand the page has\n%s", got, statements)
			}
			conn.Run(statements)
		}
		x.want(f, "the change of the page")
		if got := lines(conn, page.Code(t, convertPage, "three numbers")); !slices.Equal(got, numbers) {
			t.Errorf("the three numbers are %v, and were %v", got, numbers)
		}
	})
}

// TestRepairPage runs the statements of the page that repair a column.
func TestRepairPage(t *testing.T) {
	onEach(t, servers, func(t *testing.T, conn *db.DB) {
		x := example(t, conn, textType[conn.Family], asText)
		conn.Run(off[conn.Family])
		x.replace(asText(known), "0LARYZ6S4LTSV4RRFFQ69G5FAV")
		collect(x, ulid.ParseLenient)
		repair := convertBlock(t, conn, "repair")
		if got := strings.Join(repairs(t, conn, x.schema), "\n") + "\n"; got != repair {
			t.Errorf("for these tables is written\n%s\nand the page has\n%s", got, repair)
		}
		conn.Run(strings.Join(writeRepair(t, conn, x.schema), "\n"))
		x.want(x.format, "the repair")
	})
}

// TestRepairRejects has strings that read rejects. All are in the error, and nothing is stored.
func TestRepairRejects(t *testing.T) {
	conn := open(t, db.SQLite)
	conn.Run(`CREATE TABLE repairs (bad TEXT, good TEXT)`)
	bad := []string{"0LARYZ6S4LTSV4RRFFQ69G5FAV", "U1ARYZ6S41TSV4RRFFQ69G5FAV", "01ARYZ6S41TSV4RRFFQ69G5FA"}
	insert(conn, "repairs", "bad", bad)
	err := repair(t.Context(), conn.DB.DB, `UPDATE repairs SET good = ? WHERE bad = ?`, ulid.ParseLenient)
	if err == nil || !strings.Contains(err.Error(), bad[1]) || !strings.Contains(err.Error(), bad[2]) {
		t.Errorf("the error is %v", err)
	}
	wantLines(t, conn, `SELECT count(good) FROM repairs`, []string{"0"})
}

// --- what goes wrong

// off are statements after which a session watches no foreign keys.
var off = map[string]string{
	"postgres": `SET session_replication_role = replica`,
	"mysql":    `SET foreign_key_checks = 0`,
	"sqlite":   `PRAGMA foreign_keys = OFF`,
}

// replace stores another value in both tables, which is in no format. The session must not watch foreign keys.
func (x *fixture) replace(old, value any) {
	x.t.Helper()
	x.Run(`UPDATE events SET id = ? WHERE id = ?`, value, old)
	x.Run(`UPDATE items SET event_id = ? WHERE event_id = ?`, value, old)
}

// TestForgotten forgets a table that refers to events, or only the change of its column. Both are errors. In PostgreSQL
// and SQLite nothing has changed then, and in MySQL and MariaDB the change can begin anew.
func TestForgotten(t *testing.T) {
	page.Fact(t, convertPage, "forgotten-column-is-an-error")
	onEach(t, all, func(t *testing.T, conn *db.DB) {
		if conn.IsMySQL() {
			conn.DSN += "&sql_mode=%27%27" // for the sessions of try: a server that is not strict
		}
		text := textType[conn.Family]
		x := example(t, conn, text, asText,
			`CREATE TABLE third (e `+text+`, CONSTRAINT third_event FOREIGN KEY (e) REFERENCES events (id))`,
			`INSERT INTO third SELECT id FROM events`)
		if conn.Family == "sqlite" {
			if toBytes(t.Context(), db.Connect(t, "sqlite", conn.DSN)) == nil {
				t.Error("a column is forgotten without an error")
			}
			x.want(x.format, "the error")
			return
		}
		x.tables = append(x.tables, "third")
		x.columns = append(x.columns, [2]string{"third", "e"})
		x.holds = look(t, conn, x.schema, x.format)
		c, f := firstChange(t, conn.Family)
		list := write(t, conn, x.schema, c)
		ofTable := func(s string) bool { return strings.Contains(s, " third ") && !strings.HasPrefix(s, "LOCK") }
		ofColumn := func(s string) bool { return ofTable(s) && !strings.Contains(s, "third_event") }
		ofUpdate := func(s string) bool { return strings.HasPrefix(s, "UPDATE third ") }
		forgotten := []func(string) bool{ofTable, ofColumn}
		if conn.IsMySQL() {
			forgotten = append(forgotten, ofUpdate)
		}
		for _, isForgotten := range forgotten {
			run := try
			if conn.IsMySQL() {
				run = repeat // the second time, the key of items is dropped
			}
			err := run(t, conn, slices.DeleteFunc(slices.Clone(list), isForgotten)...)
			if err == nil {
				t.Error("a column is forgotten without an error")
			}
			if conn.IsMySQL() && !slices.Contains([]uint16{1833, 3780, 1005, 1406}, mysqlError(err)) {
				t.Error(err)
			}
			if conn.Family == "postgres" {
				x.want(x.format, "the error")
			}
		}
		if conn.IsMySQL() {
			db.Check(t, repeat(t, conn, list...))
			x.want(f, "the change")
		}
	})
}

// badValues are not of a format. Those that are too long for it come first.
var badValues = map[string][]any{
	"lower case": {"01aryz6s41tsv4rrffq69g5fau", "x"},
	"26 characters": {
		asUUID(known), "01ARYZ6S41TSV4RRFFQ69G5FAU", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", asText(known)[1:], "x", "",
	},
	"26 or 36 characters": {asUUID(known)[1:] + "x", "01ARYZ6S41TSV4RRFFQ69G5FAU", "x", ""},
	"user_…": {
		asUser(known) + "v", "club_01aryz6s41tsv4rrffq69g5fav", "user_01aryz6s41tsv4rrffq69g5fau", "user_", "x", "",
	},
	"bytea":             {[]byte(asText(known)), known[1:], []byte{}},
	"bytes and strings": {[]byte("01ARYZ6S41TSV4RRFFQ69G5FAU"), known[1:], []byte{}},
}

// TestBadValues has a value that is not of the old format. It is an error of every change. In PostgreSQL nothing has
// changed then, and in MySQL and MariaDB the change goes on from the statement that failed.
func TestBadValues(t *testing.T) {
	onEach(t, servers, func(t *testing.T, conn *db.DB) {
		conn.Run(off[conn.Family])
		for _, c := range changes(t, conn.Family) {
			wide := wideText
			if strings.Contains(c.from, "byte") {
				wide = wideBytes
			}
			bad := badValues[c.from]
			if len(bad) == 0 {
				continue // a uuid or BINARY(16) holds none
			}
			from, to := findFormat(conn.Family, c.from), findFormat(conn.Family, c.to)
			x := example(t, conn, wide[conn.Family], from.form)
			var good any = from.form(known)
			if strings.Contains(c.from, "byte") {
				good = []byte(from.form(known))
			}
			list := write(t, conn, x.schema, c)
			next, last := 2, good // the statement that is next in MySQL, and what stands in place of the good value
			for _, value := range bad {
				x.replace(last, value)
				last = value
				if err := x.goOn(list, &next); err == nil {
					t.Fatalf("%q is changed from %s to %s", value, c.from, c.to)
				}
			}
			x.replace(last, good)
			if conn.Family == "postgres" {
				x.want(x.format, "the errors")
			}
			db.Check(t, x.goOn(list, &next))
			x.want(format{form: to.form}, "the change from "+c.from+" to "+c.to)
			conn.Run(`DROP TABLE items`)
			conn.Run(`DROP TABLE events`)
		}
	})
}

// goOn runs the statements of a change: in MySQL and MariaDB from the next on, and elsewhere all.
func (x *fixture) goOn(list []string, next *int) error {
	x.t.Helper()
	if !x.IsMySQL() {
		return try(x.t, x.DB, list...)
	}
	for ; *next < len(list); *next++ {
		if err := try(x.t, x.DB, list[0], list[1], list[*next]); err != nil {
			return err
		}
	}
	return nil
}

// TestSixteenCharacters has a string of 16 characters. It is what the count on the page finds, and no error.
func TestSixteenCharacters(t *testing.T) {
	page.Fact(t, convertPage, "sixteen-characters-pass-for-bytes")
	const count = "SELECT count(*) FROM events WHERE OCTET_LENGTH(id) <> 26"
	page.Contains(t, convertPage, "`"+count+"`")
	onEach(t, mysqls, func(t *testing.T, conn *db.DB) {
		x := example(t, conn, wideText["mysql"], asText)
		if n := conn.Count(count); n != 0 {
			t.Errorf("%d values are of another length", n)
		}
		conn.Run(off["mysql"])
		x.replace(asText(known), "01ARYZ6S41TSV4RR")
		if n := conn.Count(count); n != 1 {
			t.Errorf("%d values are of another length, want 1", n)
		}
		c, _ := firstChange(t, "mysql")
		db.Check(t, try(t, conn, write(t, conn, x.schema, c)...))
		if n := conn.Count(`SELECT count(*) FROM events WHERE id = '01ARYZ6S41TSV4RR'`); n != 1 {
			t.Error("the string has not become 16 bytes")
		}
	})
}

// TestLocked inserts an item while its table is changed. It waits, and its 26 characters do not fit afterwards.
func TestLocked(t *testing.T) {
	onEach(t, mysqls, func(t *testing.T, conn *db.DB) {
		x := example(t, conn, textType["mysql"], asText)
		c, f := firstChange(t, "mysql")
		list := write(t, conn, x.schema, c)
		half := len(list) / 2
		for _, statement := range list[:half] {
			conn.Run(statement)
		}
		other := db.Connect(t, "mysql", conn.DSN)
		var session int
		db.Check(t, other.QueryRow(`SELECT CONNECTION_ID()`).Scan(&session))
		inserted := make(chan error, 1)
		go func() {
			_, err := other.Exec(`INSERT INTO items VALUES (?)`, asText(known))
			inserted <- err
		}()
		const waiting = `SELECT count(*) FROM information_schema.PROCESSLIST WHERE ID = ? AND STATE LIKE 'Waiting%'`
		for conn.Count(waiting, session) == 0 {
			select {
			case err := <-inserted:
				t.Fatalf("the item does not wait: %v", err)
			case <-time.After(time.Millisecond):
			}
		}
		for _, statement := range list[half:] {
			conn.Run(statement)
		}
		if err := <-inserted; err == nil {
			t.Error("26 characters are inserted among the bytes")
		}
		x.want(f, "the change")
	})
}

// TestUpdateWithKeys changes strings to upper case as the page says not to. ON UPDATE loses the references.
func TestUpdateWithKeys(t *testing.T) {
	page.Fact(t, convertPage, "on-update-set-null")
	onEach(t, all, func(t *testing.T, conn *db.DB) {
		text := textType[conn.Family]
		conn.Run(`CREATE TABLE events (id ` + text + ` NOT NULL, PRIMARY KEY (id))`)
		conn.Run(`CREATE TABLE items (event_id ` + text + `,
			FOREIGN KEY (event_id) REFERENCES events (id) ON UPDATE SET NULL)`)
		conn.Run(`INSERT INTO events VALUES (?)`, asLower(known))
		conn.Run(`INSERT INTO items VALUES (?)`, asLower(known))
		conn.Run(`UPDATE events SET id = upper(id)`)
		wantLines(t, conn, `SELECT event_id FROM items`, []string{"NULL"})
	})
}

// TestTwoWaysToRead reads strings with an O, I or L in each place but the first. ParseLenient and oklog/ulid make two
// IDs of every one.
func TestTwoWaysToRead(t *testing.T) {
	page.Fact(t, convertPage, "two-ways-to-read")
	for i := 1; i < ulid.EncodedSize; i++ {
		for _, c := range "OILoil" {
			text := asText(known)[:i] + string(c) + asText(known)[i+1:]
			typed, err := ulid.ParseLenient(text)
			db.Check(t, err)
			read, err := readOklog(text)
			db.Check(t, err)
			if read == typed {
				t.Errorf("%s is %v for both", text, typed)
			}
			if want := oklog.MustParse(text).String(); read.String() != want {
				t.Errorf("%s is read as %v, and oklog/ulid reads %s", text, read, want)
			}
		}
	}
}

// --- SQLite

// killedDSN is a variable of the environment, in which the test binary changes the database that it names and dies.
const killedDSN = "ULID_KILLED_DSN"

// A killer is an ID that ends the process when it is stored last.
type killer struct {
	ulid.AsBinary
	left *int
}

func (k killer) Value() (driver.Value, error) {
	*k.left--
	if *k.left == 0 {
		process, _ := os.FindProcess(os.Getpid())
		process.Kill()
		select {}
	}
	return k.AsBinary.Value()
}

// TestKilled kills the process that changes generated schemas, before it stores the last ID. All is as it was.
func TestKilled(t *testing.T) {
	if dsn := os.Getenv(killedDSN); dsn != "" {
		s := generate("sqlite", 0, false)
		conn := db.Connect(t, "sqlite", dsn)
		left := 0
		for _, c := range s.columns {
			var n int
			db.Check(t, conn.QueryRow(`SELECT count(`+c[1]+`) FROM `+c[0]).Scan(&n))
			left += n
		}
		t.Error(convert(t.Context(), conn, s.columns, func(id ulid.ULID) (killer, error) {
			return killer{ulid.AsBinary(id), &left}, nil
		}))
		return
	}
	conn := open(t, db.SQLite)
	x := newFixture(t, conn, generate("sqlite", 0, false), raw)
	other := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	other.Env = append(os.Environ(), killedDSN+"="+conn.DSN)
	out, err := other.CombinedOutput()
	if err == nil || len(out) > 0 {
		t.Fatalf("the process was not killed: %v, %s", err, out)
	}
	x.want(raw, "the kill")
}

// TestConvertErrors has a value that is not of the old format, and an ID in two formats. Nothing has changed after the
// error.
func TestConvertErrors(t *testing.T) {
	conn := open(t, db.SQLite)
	x := example(t, conn, "TEXT", asText)
	conn.Run(off["sqlite"])
	for _, bad := range badValues["26 characters"] {
		x.replace(asText(known), bad)
		before := look(t, conn, x.schema, raw)
		if toBytes(t.Context(), db.Connect(t, "sqlite", conn.DSN)) == nil {
			t.Errorf("%q is changed", bad)
		}
		if d := difference(before, look(t, conn, x.schema, raw)); d != "" {
			t.Errorf("after the error of %q the schema has changed:%s", bad, d)
		}
		x.replace(bad, asText(known))
	}

	conn.Run(`INSERT INTO events VALUES (?)`, ulid.AsBinary(known))
	before := look(t, conn, x.schema, raw)
	if convert(t.Context(), db.Connect(t, "sqlite", conn.DSN), x.columns, as[ulid.ULID, storage.AnyID]) == nil {
		t.Error("an ID that is there in two formats is changed")
	}
	if d := difference(before, look(t, conn, x.schema, raw)); d != "" {
		t.Errorf("after the error of two formats the schema has changed:%s", d)
	}
}

// TestChecks stores what does not belong in the columns of storage.md that have a CHECK.
func TestChecks(t *testing.T) {
	conn := open(t, db.SQLite)
	conn.Run(page.Code(t, "docs/storage.md", "sqlite: checks"))
	for _, id := range sampleIDs() {
		conn.Run(`INSERT INTO events_text (id) VALUES (?)`, id)
		conn.Run(`INSERT INTO events_blob (id) VALUES (?)`, ulid.AsBinary(id))
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
}
