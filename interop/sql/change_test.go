package sql

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

func asLower(id ulid.ULID) string     { return strings.ToLower(asText(id)) }
func asUpperUUID(id ulid.ULID) string { return strings.ToUpper(asUUID(id)) }

// TestChange runs the block of docs/storage.md, and what it becomes by the words of the page for other formats, on
// tables with a DEFAULT, a foreign key and a trigger, which does not run.
func TestChange(t *testing.T) {
	const (
		toUUID, uuidMade = `TYPE uuid USING ulid_to_uuid(id)`, `SET DEFAULT ulid_make()` // the words of the block
		fromUUID         = `CAST(id AS uuid)`
		fromBytes        = `encode(id, 'hex')::uuid`
		toText, textMade = `TYPE text COLLATE "C" USING ulid_to_text(id)`, `SET DEFAULT ulid_to_text(ulid_make())`
	)
	wantWords(t, fromUUID, fromBytes, toText, textMade)
	db.SkipWithout(t, db.PostgreSQL)
	for _, c := range []struct {
		name   string
		column string
		value  form
		made   string // the DEFAULT before
		edits  []string
		want   form
		length int
	}{
		{"text to uuid", `text COLLATE "C"`, asText, `ulid_to_text(ulid_make())`, nil, asUUID, 36},
		{"lower case to uuid", `char(26)`, asLower, `lower(ulid_to_text(ulid_make()))`, nil, asUUID, 36},
		{"36 characters to uuid", `text`, asUUID, `ulid_make()::text`, []string{`ulid_to_uuid(id)`, fromUUID}, asUUID, 36},
		{"32 characters to uuid", `text`, asHex, `encode(uuid_send(ulid_make()), 'hex')`,
			[]string{`ulid_to_uuid(id)`, fromUUID}, asUUID, 36},
		{"bytea to uuid", `bytea`, asBytes, `uuid_send(ulid_make())`, []string{`ulid_to_uuid(id)`, fromBytes}, asUUID, 36},
		{"uuid to text", `uuid`, asUUID, `ulid_make()`, []string{toUUID, toText, uuidMade, textMade}, asText, 26},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := open(t, db.PostgreSQL)
			install(conn)
			conn.Run(`CREATE TABLE events (id ` + c.column + ` PRIMARY KEY DEFAULT ` + c.made + `, note text)`)
			conn.Run(`CREATE TABLE items (event_id ` + c.column + `
				CONSTRAINT items_event_id_fkey REFERENCES events (id) ON DELETE CASCADE)`)
			conn.Run(`CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
				NEW.note := NEW.note || '!'; RETURN NEW; END $$`)
			conn.Run(`CREATE TRIGGER note BEFORE INSERT OR UPDATE ON events FOR EACH ROW EXECUTE FUNCTION note()`)
			ids := sampleIDs()[480:]
			for _, id := range ids {
				var value any = c.value(id)
				if c.column == "bytea" {
					value = id[:]
				}
				conn.Run(`INSERT INTO events VALUES (?, 'old')`, value)
				conn.Run(`INSERT INTO items VALUES (?)`, value)
			}

			block := page.Code(t, storagePage, "postgres: change")
			for i := 0; i < len(c.edits); i += 2 {
				old, new := c.edits[i], c.edits[i+1]
				block = strings.ReplaceAll(block, old, new)
				block = strings.ReplaceAll(block, of("event_id", old), of("event_id", new))
			}
			conn.Run(block)
			conn.Run(`ROLLBACK`) // of nothing, after COMMIT
			conn.Run(`INSERT INTO events (note) VALUES ('new')`)

			wantLines(t, conn, `SELECT event_id FROM items`, c.want.of(ids))
			wantLines(t, conn, `SELECT id FROM events WHERE note = 'old!'`, c.want.of(ids))
			wantLines(t, conn, regexp.MustCompile(`SELECT[^;]*`).FindString(block),
				[]string{fmt.Sprint(c.length, len(ids)+1)})
			wantMade(t, conn, conn.Rows(`SELECT id FROM events WHERE note = 'new!'`), 1)
			conn.Run(`INSERT INTO items SELECT id FROM events WHERE note = 'new!'`)
			wantError(t, conn, "items_event_id_fkey", `INSERT INTO items VALUES (?)`, c.want(ulid.Make()))
		})
	}
}

// wantWords fails the test unless the page has each piece of code in a sentence.
func wantWords(t *testing.T, list ...string) {
	t.Helper()
	text := strings.Join(strings.Fields(page.Text(t, storagePage)), " ") // in one line
	for _, words := range list {
		if !strings.Contains(text, "`"+words+"`") {
			t.Errorf("%s lacks `%s`", storagePage, words)
		}
	}
}

// of returns an expression of id as one of another column.
func of(column, expression string) string { return strings.ReplaceAll(expression, "(id", "("+column) }

// TestChangeToBytes fills a column of 16 bytes from one of 36 characters in MariaDB and MySQL, as the page says.
func TestChangeToBytes(t *testing.T) {
	const update = `UPDATE events SET new_id = UNHEX(REPLACE(id, '-', ''))`
	wantWords(t, update)
	db.Each(t, mysqls, func(t *testing.T, d *db.Database) {
		conn := open(t, d)
		ids := sampleIDs()
		conn.Run(`CREATE TABLE events (id CHAR(36) PRIMARY KEY, new_id BINARY(16))`)
		insert(conn, "events", "id", form(asUUID).of(ids))
		conn.Run(update)
		wantLines(t, conn, `SELECT new_id FROM events`, form(asBytes).of(ids))
	})
}

// TestCase changes the case of a key and of what refers to it, in columns that respect case and in others.
func TestCase(t *testing.T) {
	const update = `UPDATE events SET id = upper(id)`
	wantWords(t, update, `lower(id)`)
	columns := map[string][]string{
		"postgres": {`text`, `char(36)`, `text COLLATE "C"`},
		"mysql":    {`VARCHAR(36)`, `VARCHAR(36) CHARACTER SET ascii COLLATE ascii_bin`},
		"sqlite":   {`TEXT`},
	}
	db.Each(t, db.All, func(t *testing.T, d *db.Database) {
		for _, column := range columns[d.Family] {
			testCase(t, open(t, d), column, update, asLower, asText)
			testCase(t, open(t, d), column, strings.Replace(update, "upper", "lower", 1), asUpperUUID, asUUID)
		}
	})
}

func testCase(t *testing.T, conn *db.DB, column, update string, old, want form) {
	t.Helper()
	ids := sampleIDs()
	conn.Run(`CREATE TABLE events (id ` + column + ` PRIMARY KEY)`)
	conn.Run(`CREATE TABLE items (event_id ` + column + `)`)
	insert(conn, "events", "id", old.of(ids))
	insert(conn, "items", "event_id", old.of(ids))
	conn.Run(update)
	conn.Run(strings.ReplaceAll(strings.ReplaceAll(update, "id", "event_id"), "events", "items"))
	wantLines(t, conn, `SELECT trim(id) FROM events JOIN items ON event_id = id`, want.of(ids))
}

// TestRejected compares the query for strings that Scan rejects with Scan.
func TestRejected(t *testing.T) {
	queries := strings.SplitAfter(page.Code(t, storagePage, "rejected"), ";\n")
	texts := append([]string{asUUID(known), strings.ToUpper(asUUID(known))}, badTexts...)
	texts = append(texts, everyCharacter()...)
	unicode := map[string]string{"postgres": "TEXT", "mysql": "TEXT CHARACTER SET utf8mb4", "sqlite": "TEXT"}
	query := map[string]string{"postgres": queries[0], "mysql": queries[1], "sqlite": queries[2]}
	db.Each(t, db.All, func(t *testing.T, d *db.Database) {
		conn := open(t, d)
		conn.Run(`CREATE TABLE events (id ` + unicode[d.Family] + `)`)
		insert(conn, "events", "id", texts)
		var want []string
		for _, text := range texts {
			var id ulid.ULID
			if id.Scan(text) != nil {
				want = append(want, text)
			}
		}
		wantLines(t, conn, query[d.Family], want)
	})
}
