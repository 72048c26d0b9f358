package sql

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// converts is what a database converts columns from and to.
type converts struct {
	modes   []string       // of sessions that run the file
	refused *regexp.Regexp // the errors of a conversion
	cleanUp string         // what has to run after one, where K is the column
	columns []conversion
}

// A conversion changes the key of events_K, and the column of items_K that refers to it.
type conversion struct {
	k             string
	before, after kind
	types         string            // of the columns afterwards
	bad           []any             // values that end it with an error
	instead       *strings.Replacer // of words in the file, for another column than the file's
}

// lowerLast is the last of the sampleIDs in lower case, so that an ID is there in two forms.
const lowerLast = "7zzzzzzzzzzzzzzzzzzzzzzzzz"

// TestConvert converts columns in place, with the keys that refer to them.
func TestConvert(t *testing.T) {
	onEach(t, servers, func(t *testing.T, d *database) {
		for _, mode := range d.converts.modes {
			for _, c := range d.converts.columns {
				t.Run(mode+" "+c.k, func(t *testing.T) { d.wantConverted(t, mode, c) })
			}
		}
	})
}

func (d *database) wantConverted(t *testing.T, mode string, c conversion) {
	ids := sampleIDs()
	conn := d.openWith(t, mode, ids)
	conn.Run(c.instead.Replace(d.items))
	convert := c.instead.Replace(d.conversion(t))
	events, items := "events_"+c.k, "items_"+c.k
	conn.Run(`INSERT INTO ` + items + ` SELECT id, 1 FROM ` + events)
	conn.Run(`INSERT INTO ` + items + ` VALUES (NULL, 2)`)

	for _, bad := range c.bad {
		insert(t, conn, events, "id", []any{bad})
		err := conn.Try(convert)
		if err == nil || !d.converts.refused.MatchString(err.Error()) {
			t.Fatalf("with %q in the column the error is %v, want %v", bad, err, d.converts.refused)
		}
		conn.Run(strings.ReplaceAll(d.converts.cleanUp, "_K", "_"+c.k))
		conn.Run(`DELETE FROM `+events+` WHERE id = ?`, bad)
	}
	wantKeys(t, conn, c.k, c.before, ids) // an error leaves all as it was

	conn.Run(convert)
	wantKeys(t, conn, c.k, c.after, ids)
	wantTypes(t, conn, c)
	if d.IsMySQL() {
		rows := conn.Rows(`SHOW INDEX FROM ` + events)
		if len(rows) != 1 {
			t.Errorf("the indexes are %s, want the primary key", rows)
		}
	} else {
		conn.Run(`INSERT INTO ` + events + ` DEFAULT VALUES`)
	}
}

// wantKeys fails the test unless both tables have the IDs, items also a NULL, and the keys hold.
func wantKeys(t *testing.T, conn *db.DB, k string, column kind, ids []ulid.ULID) {
	t.Helper()
	events, items := "events_"+k, "items_"+k
	wantForms(t, conn, ids, `SELECT id FROM `+events, column.form)
	wantForms(t, conn, ids, `SELECT event_id FROM `+items+` WHERE event_id IS NOT NULL`, column.form)
	if n := conn.Count(`SELECT count(*) FROM ` + items + ` WHERE event_id IS NULL`); n != 1 {
		t.Errorf("%d items have no event, want 1", n)
	}
	if conn.Try(`INSERT INTO `+items+` (event_id) VALUES (?)`, column.value(ulid.Make())) == nil {
		t.Error("an item refers to no event")
	}
	if conn.Try(`INSERT INTO `+events+` (id) VALUES (?)`, column.value(ids[0])) == nil {
		t.Error("a key came twice")
	}
}

// wantTypes fails the test unless the columns of both tables are as after the conversion.
func wantTypes(t *testing.T, conn *db.DB, c conversion) {
	t.Helper()
	rows := conn.Rows(fmt.Sprintf(`
		SELECT column_name, data_type, is_nullable FROM information_schema.columns
		WHERE table_schema = %s AND table_name IN ('events_%s', 'items_%[2]s')
		ORDER BY table_name, ordinal_position`, conn.Schema, c.k))
	var got []string
	for _, row := range rows {
		got = append(got, text(row[0])+" "+text(row[1])+" "+text(row[2]))
	}
	if got := strings.Join(got, ", "); got != c.types {
		t.Errorf("the columns are %q, want %q", got, c.types)
	}
}
