package sql

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

func asLower(id ulid.ULID) string { return strings.ToLower(asText(id)) }

// TestChange runs the block of docs/storage.md, and what it becomes by the words of the page for other formats, on
// tables with a DEFAULT, a foreign key and a trigger, which does not run.
func TestChange(t *testing.T) {
	const (
		toUUID, uuidMade = `TYPE uuid USING ulid.from_text(id)`, `SET DEFAULT ulid.make()` // the words of the block
		fromUUID         = `CAST(id AS uuid)`
		fromBytes        = `encode(id, 'hex')::uuid`
		toUpper          = `USING ulid.to_text(ulid.from_text(id))`
		toText, textMade = `TYPE text COLLATE "C" USING ulid.to_text(id)`, `SET DEFAULT ulid.to_text(ulid.make())`
	)
	wantWords(t, storagePage, fromUUID, fromBytes, toText, textMade, toUpper, `psql -X -v ON_ERROR_STOP=1 -f file`)
	page.Contains(t, storagePage, "```sql\nBEGIN;\n")
	conn := attacked(t)
	conn.Run(`CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		NEW.note := NEW.note || '!'; RETURN NEW; END $$`)
	for _, c := range []struct {
		name   string
		column string
		value  form
		made   string // the DEFAULT before
		edits  []string
		want   form
	}{
		{"text to uuid", `text COLLATE "C"`, asText, `ulid.to_text(ulid.make())`, nil, asUUID},
		{"lower case to uuid", `char(26)`, asLower, `lower(ulid.to_text(ulid.make()))`, nil, asUUID},
		{"varchar to uuid", `varchar`, asText, `ulid.to_text(ulid.make())`, nil, asUUID},
		{"36 characters to uuid", `text`, asUUID, `ulid.make()::text`, []string{`ulid.from_text(id)`, fromUUID}, asUUID},
		{"32 characters to uuid", `char(32)`, asHex, `encode(uuid_send(ulid.make()), 'hex')`,
			[]string{`ulid.from_text(id)`, fromUUID}, asUUID},
		{"bytea to uuid", `bytea`, asBytes, `uuid_send(ulid.make())`, []string{`ulid.from_text(id)`, fromBytes}, asUUID},
		{"lower to upper case", `text`, asLower, `lower(ulid.to_text(ulid.make()))`,
			[]string{toUUID, `TYPE text COLLATE "C" ` + toUpper, uuidMade, textMade}, asText},
		{"uuid to text", `uuid`, asUUID, `ulid.make()`, []string{toUUID, toText, uuidMade, textMade}, asText},
	} {
		t.Log(c.name)
		conn.Run(`DROP TABLE IF EXISTS events, items`)
		conn.Run(`CREATE TABLE events (id ` + c.column + ` PRIMARY KEY DEFAULT ` + c.made + `, note text)`)
		conn.Run(`CREATE TABLE items (event_id ` + c.column + `
				CONSTRAINT items_event_id_fkey REFERENCES events (id) ON DELETE CASCADE)`)
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
		wantMade(t, conn.Rows(`SELECT id FROM events WHERE note = 'new!'`), 1)
		conn.Run(`INSERT INTO items SELECT id FROM events WHERE note = 'new!'`)
		wantError(t, conn, "items_event_id_fkey", `INSERT INTO items VALUES (?)`, c.want(ulid.Make()))
	}
}

// wantWords fails the test unless the page has each piece of code in a sentence.
func wantWords(t *testing.T, file string, list ...string) {
	t.Helper()
	for _, words := range list {
		page.Contains(t, file, "`"+words+"`")
	}
}

// of returns an expression of id as one of another column.
func of(column, expression string) string { return strings.ReplaceAll(expression, "(id", "("+column) }

// TestCounts counts the formats in a column of strings.
func TestCounts(t *testing.T) {
	counts := strings.SplitAfter(page.Code(t, storagePage, "counts"), ";\n")
	test := func(t *testing.T, conn *db.DB, column, counts, no, yes string) {
		t.Helper()
		conn.Run(`CREATE TABLE events (id ` + column + `)`)
		insert(conn, "events", "id", []string{asText(known), asText(largest), asLower(known), asUUID(known)})
		wantLines(t, conn, counts, []string{"26 " + no + " 2", "26 " + yes + " 1", "36 " + yes + " 1"})
		conn.Run(`DROP TABLE events`)
	}
	db.Each(t, db.All, func(t *testing.T, d *db.Database) {
		switch d.Family {
		case "postgres":
			conn := attacked(t)
			for _, column := range []string{"text", "varchar"} {
				test(t, conn, column, counts[0], "false", "true")
			}
		case "mysql":
			test(t, d.Open(t, ""), "TEXT CHARACTER SET utf8mb4", counts[1], "0", "1")
		case "sqlite":
			test(t, d.Open(t, ""), "TEXT", counts[1], "0", "1")
		}
	})
}

// TestCheck compares the constraints of the page with Scan, less lower case: as constraints of a few strings, and as
// conditions of many.
func TestCheck(t *testing.T) {
	blocks := strings.SplitAfter(page.Code(t, storagePage, "check"), ";\n")
	test := func(t *testing.T, conn *db.DB, column, block string, texts []string) {
		t.Helper()
		conn.Run(`CREATE TABLE texts (id ` + column + `)`)
		if conn.Database != db.SQLite { // whose block makes it
			conn.Run(`CREATE TABLE events (id ` + column + `)`)
		}
		conn.Run(block)
		conn.Run(`INSERT INTO events VALUES (?)`, known)
		for _, bad := range []string{asLower(known), asText(known)[:16], "user_" + asLower(known), asUUID(known), ""} {
			if conn.Try(`INSERT INTO events VALUES (?)`, bad) == nil {
				t.Errorf("%q is stored", bad)
			}
		}
		var want []string
		for _, text := range texts {
			if new(ulid.ULID).Scan(text) == nil && text == strings.ToUpper(text) {
				want = append(want, text)
			}
		}
		insert(conn, "texts", "id", texts)
		_, condition, _ := strings.Cut(block, "CHECK (")
		wantLines(t, conn, `SELECT id FROM texts WHERE `+strings.TrimRight(condition, ");\n"), want)
	}
	texts := slices.Concat(badTexts, everyCharacter())
	db.Each(t, db.All, func(t *testing.T, d *db.Database) {
		switch d.Family {
		case "postgres":
			for _, column := range []string{"text", "varchar"} {
				test(t, attacked(t), column, blocks[0], texts)
			}
		case "mysql":
			ascii := slices.DeleteFunc(slices.Clone(texts), func(s string) bool {
				return strings.ContainsFunc(s, func(r rune) bool { return r > '\x7f' })
			})
			test(t, d.Open(t, ""), "VARCHAR(1000) CHARACTER SET ascii COLLATE ascii_bin", blocks[1], ascii)
		case "sqlite":
			conn := d.Open(t, "")
			test(t, conn, "TEXT", blocks[2], texts)
			// A BLOB is not equal to any string.
			wantError(t, conn, "CHECK constraint failed", `INSERT INTO events VALUES (?)`, []byte(asText(largest)))
		}
	})
}
