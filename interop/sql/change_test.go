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

func asLower(id ulid.ULID) string { return strings.ToLower(asText(id)) }

// TestChange runs the block of docs/storage.md, and what it becomes by the words of the page for other formats, on
// tables with a DEFAULT, a foreign key and a trigger, which does not run.
func TestChange(t *testing.T) {
	const (
		toUUID, uuidMade = `TYPE uuid USING ulid_to_uuid(id)`, `SET DEFAULT ulid_make()` // the words of the block
		fromBytes        = `encode(id, 'hex')::uuid`
		toText, textMade = `TYPE text COLLATE "C" USING ulid_to_text(id)`, `SET DEFAULT ulid_to_text(ulid_make())`
		toUpper          = `USING ulid_to_text(ulid_to_uuid(id))`
	)
	text := strings.Join(strings.Fields(page.Text(t, storagePage)), " ") // in one line
	for _, words := range []string{fromBytes, toText, textMade, toUpper} {
		if !strings.Contains(text, "`"+words+"`") {
			t.Errorf("%s lacks `%s`", storagePage, words)
		}
	}
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
		{"bytea to uuid", `bytea`, asBytes, `uuid_send(ulid_make())`, []string{`ulid_to_uuid(id)`, fromBytes}, asUUID, 36},
		{"uuid to text", `uuid`, asUUID, `ulid_make()`, []string{toUUID, toText, uuidMade, textMade}, asText, 26},
		{"lower to upper case", `text`, asLower, `lower(ulid_to_text(ulid_make()))`,
			[]string{toUUID, `TYPE text COLLATE "C" ` + toUpper, uuidMade, textMade}, asText, 26},
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

// of returns an expression of id as one of another column.
func of(column, expression string) string { return strings.ReplaceAll(expression, "(id", "("+column) }
