package sql

import (
	"encoding/hex"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// --- the examples "time", "convert" and "look up"

// A query reads IDs from a table, and returns these forms of each.
type query struct {
	sql   string
	forms []form
}

// TestQueries reads IDs with the examples "time" and "convert", and with further queries.
func TestQueries(t *testing.T) {
	ids := sampleIDs()
	inEachMode(t, databases, func(t *testing.T, d *database, mode string) {
		conn := d.openWith(t, mode, ids)
		times := d.perTable(t, "time")
		converts := d.perTable(t, "convert")
		for i, table := range d.tables {
			wantForms(t, conn, ids, times[i], table.time...)
			wantForms(t, conn, ids, converts[i], table.convert...)
		}
		for _, q := range d.queries {
			wantForms(t, conn, ids, q.sql, q.forms...)
		}
	})
}

// TestLowerCase reads texts in lower case with the same examples.
func TestLowerCase(t *testing.T) {
	ids := sampleIDs()
	inEachMode(t, databases, func(t *testing.T, d *database, mode string) {
		conn := d.openWith(t, mode, ids)
		if d == sqliteDB { // whose CHECK refuses lower case
			conn.Run(d.loose)
		}
		conn.Run(`UPDATE events_text SET id = lower(id)`)
		times := d.perTable(t, "time")
		converts := d.perTable(t, "convert")
		for i, table := range d.tables {
			if table.name == "events_text" {
				wantForms(t, conn, ids, times[i], lowerFirst(table.time)...)
				wantForms(t, conn, ids, converts[i], lowerFirst(table.convert)...)
			}
		}
	})
}

// lowerFirst returns the forms, with lower case in place of the first.
func lowerFirst(forms []form) []form {
	return append([]form{asLower}, forms[1:]...)
}

// TestLookUp finds an ID by its text in a column of another type.
func TestLookUp(t *testing.T) {
	inEachMode(t, servers, func(t *testing.T, d *database, mode string) {
		conn := d.openWith(t, mode, append(sampleIDs()[:10], known))
		wantIDs(t, conn, []ulid.ULID{known}, d.example(t, "look up"))
	})
}

// --- texts that are no ULIDs

// refuses is how a database reads texts that may not be ULIDs. A text is read as the hexadecimal
// digits of the ID, or as "" if it is refused.
type refuses struct {
	setUp string   // makes the table texts (s), and what the queries call
	texts []string // which the table can hold
	table string   // a query for each text of the table and, in one column or more, what it is read as
	one   string   // a query for what its argument is read as, for badTexts if the table cannot hold them

	take16 []string // calls that take 16 bytes and no others
	null   string   // calls the functions with NULL
}

// TestRefuses puts every byte at every position of a ULID, and has the database read that and other
// texts. It refuses what Parse refuses.
func TestRefuses(t *testing.T) {
	inEachMode(t, databases, func(t *testing.T, d *database, mode string) {
		conn := d.openWith(t, defaultMode, nil)
		conn.Run(d.refuses.setUp)
		insert(t, conn, "texts", "s", d.refuses.texts)
		if mode != defaultMode {
			conn.Run("SET sql_mode = '" + mode + "'")
		}
		d.wantTextsParsed(t, conn)
		if d.refuses.one != "" {
			d.wantBadTextsRefused(t, conn, mode)
		}
		d.wantOnly16Bytes(t, conn)
		for i, cell := range conn.Rows(d.refuses.null)[0] {
			if cell != nil {
				t.Errorf("column %d is %v, want NULL, of %s", i, cell, d.refuses.null)
			}
		}
	})
}

// wantTextsParsed fails the test unless the texts of the table are read as Parse reads them.
func (d *database) wantTextsParsed(t *testing.T, conn *db.DB) {
	t.Helper()
	rows := conn.Rows(d.refuses.table)
	if len(rows) != len(d.refuses.texts) {
		t.Fatalf("%d rows, want %d", len(rows), len(d.refuses.texts))
	}
	for _, row := range rows {
		for _, got := range row[1:] {
			wantParsed(t, text(row[0]), text(got))
		}
	}
}

// wantBadTextsRefused fails the test unless badTexts are refused as arguments.
func (d *database) wantBadTextsRefused(t *testing.T, conn *db.DB, mode string) {
	t.Helper()
	for _, s := range badTexts {
		if s == "" && strings.Contains(mode, "EMPTY_STRING_IS_NULL") {
			continue
		}
		wantParsed(t, s, text(conn.Rows(d.refuses.one, s)[0][0]))
	}
}

// wantOnly16Bytes fails the test unless the calls that take 16 bytes refuse fewer and more.
func (d *database) wantOnly16Bytes(t *testing.T, conn *db.DB) {
	t.Helper()
	for _, call := range d.refuses.take16 {
		for n := 1; n < 40; n++ {
			var got any
			err := conn.QueryRow(conn.Rebind("SELECT "+call), make([]byte, n)).Scan(&got)
			if (err == nil) != (n == 16) {
				t.Errorf("%s of %d bytes is %v, %v", call, n, got, err)
			}
		}
	}
}

// wantParsed fails the test unless a database read a text as Parse does: refused is "".
func wantParsed(t *testing.T, text, got string) {
	t.Helper()
	want := ""
	id, err := ulid.Parse(text)
	if err == nil {
		want = hex.EncodeToString(id[:])
	}
	if got != want {
		t.Errorf("%q is read as %q, want %q", text, got, want)
	}
}

// badTexts are what is not a ULID whatever its characters, and characters that look like others or
// become others in upper case.
var badTexts = []string{
	"", " ", "0", "01ARYZ6S41TSV4RRFFQ69G5FA", "01ARYZ6S41TSV4RRFFQ69G5FAVV", " 01ARYZ6S41TSV4RRFFQ69G5FAV",
	"01ARYZ6S41TSV4RRFFQ69G5FAV ", "01ARYZ6S41TSV4RRFFQ69G5FAV\n", "01ARYZ6S41TSV4RRFFQ69G5FA\n",
	"80000000000000000000000000", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "ZZZZZZZZZZZZZZZZZZZZZZZZZZ",
	"01ARYZ6S41TSV4RR", "01563df36481d6764c61efb99302bd5b", "{01ARYZ6S41TSV4RRFFQ69G5FAV}",
	"01ARYZ6S41TSV4RRFFQ69G5FA\u212a", "01ARYZ6S41TSV4RRFFQ69G5FA\u017f",
	"\uff101ARYZ6S41TSV4RRFFQ69G5FAV", "01ARYZ6S41TSV4RRFFQ69G5FA\u0131",
	strings.Repeat("0", 255), strings.Repeat("0", 256), strings.Repeat("0", 282), strings.Repeat("0", 1000),
}

// everyByte returns a ULID in either case with every byte at every position.
func everyByte() (texts []string) {
	for _, base := range []string{"01ARYZ6S41TSV4RRFFQ69G5FAV", "7zzzzzzzzzzzzzzzzzzzzzzzzz"} {
		for i := range base {
			for c := range 256 {
				texts = append(texts, base[:i]+string([]byte{byte(c)})+base[i+1:])
			}
		}
	}
	return texts
}

// --- the example "find"

// A misfit is a value that does not belong in its table. The example "find" returns its form.
type misfit struct {
	table string
	value any
	form  string
}

// TestFind stores what does not belong in a column.
func TestFind(t *testing.T) {
	onEach(t, databases, func(t *testing.T, d *database) {
		random := sampleIDs()[:1000]
		if d.IsMySQL() { // where an ID of the future is found
			random = nil
		}
		conn := d.openWith(t, looseMode, append(random, ulid.ULID{}, ulid.LastAt(time.Now())))
		finds := d.finds(t)
		for _, find := range finds {
			rows := conn.Rows(find)
			if len(rows) > 0 {
				t.Errorf("%q found among good rows by\n%s", rows, find)
			}
		}
		for _, m := range d.misfits {
			conn.Run(`DELETE FROM ` + m.table)
			insert(t, conn, m.table, "id", []any{m.value})
			wantFound(t, conn, finds[m.table], m)
		}
	})
}

// finds returns the statements of the example by the table that each is for. A table that refuses
// other values has none.
func (d *database) finds(t *testing.T) map[string]string {
	t.Helper()
	byTable := map[string]string{}
	for _, statement := range d.statements(t, "find") {
		table := regexp.MustCompile(`events_[a-z]+`).FindString(statement)
		byTable[table] = statement
	}
	return byTable
}

// wantFound fails the test unless the query returns one row, which has the form of the misfit.
func wantFound(t *testing.T, conn *db.DB, query string, m misfit) {
	t.Helper()
	rows := conn.Rows(query)
	if len(rows) != 1 {
		t.Errorf("%q is found %d times in %s, want once", text(m.value), len(rows), m.table)
		return
	}
	got := text(rows[0][1])
	if got != m.form {
		t.Errorf("%q is found as %q in %s, want %q", text(m.value), got, m.table, m.form)
	}
}
