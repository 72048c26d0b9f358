package migrating

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	oklog "github.com/oklog/ulid/v2"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/page"
)

// noULID is a text of 26 characters that is not a ULID.
const noULID = "01ARYZ6S41TSV4RRFFQ69G5FAU"

// mendStatements returns the statements of the guide's file. Each ends a line, and has the comments
// before it.
func (d guideDB) mendStatements(t *testing.T) []string {
	t.Helper()
	return strings.SplitAfter(strings.TrimSpace(page.Text(t, "sql/mend_"+d.Family+".sql")), ";\n")
}

// mend runs the guide's file on one connection, up to the first error.
func (d guideDB) mend(t *testing.T) error {
	t.Helper()
	conn, err := d.Conn(t.Context())
	check(t, err)
	defer conn.Close()
	for _, statement := range d.mendStatements(t) {
		_, err := conn.ExecContext(t.Context(), statement)
		if err != nil {
			conn.ExecContext(t.Context(), "ROLLBACK")
			return err
		}
	}
	return nil
}

// mendOn runs all of the guide's file, as a client that goes on after an error. It returns the errors.
func (d guideDB) mendOn(t *testing.T) (errs []error) {
	t.Helper()
	conn, err := d.Conn(t.Context())
	check(t, err)
	defer conn.Close()
	for _, statement := range d.mendStatements(t) {
		_, err := conn.ExecContext(t.Context(), statement)
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// wantMendFails fails the test unless the guide's file ends with an error, and events is as before.
func (d guideDB) wantMendFails(t *testing.T, why, forms string) {
	t.Helper()
	if d.mend(t) == nil {
		t.Errorf("%s passes", why)
	}
	if d.IsMySQL() {
		d.Run("SET foreign_key_checks = 1")
	}
	d.wantForms(t, forms)
}

// TestMend mends columns that oklog/ulid and this library wrote in turns.
func TestMend(t *testing.T) {
	each(t, mixable, func(t *testing.T, d guideDB) {
		d.installFunctions()
		d.makeTables()
		ids := d.addOldEvents(5)
		for range 5 {
			id := ulid.Make()
			d.addEvent(id)
			ids = append(ids, id)
		}
		d.wantForms(t, "16 bytes 5, string 5")

		d.Run(insert, ids[0])
		d.wantMendFails(t, "an ID in both forms", "16 bytes 5, string 6")
		d.Run("DELETE FROM events WHERE id = ?", ids[0])

		mended := "16 bytes 10"
		if d.Family == "sqlite" {
			d.addNoULIDs()
			mended = "16 bytes 10, string 3"
		} else {
			d.wantNoULIDFails(t)
		}
		check(t, d.mend(t))
		d.wantForms(t, mended)
		d.wantFound(t, ids)
		// This item refers to no event.
		d.wantRefused(t, "", "INSERT INTO items (event_id) VALUES (?)", ulid.AsBinary(ulid.Make()))
	})
}

// TestMendToUUID turns strings into UUID format in SQLite, as the head of the file says.
func TestMendToUUID(t *testing.T) {
	each(t, []connection{sqlite}, func(t *testing.T, d guideDB) {
		d.Run("CREATE TABLE events (id TEXT PRIMARY KEY NOT NULL)")
		d.Run("CREATE TABLE items (event_id TEXT REFERENCES events (id))")
		ids := []ulid.ULID{{}, ulid.Make(), ulid.MakeUUIDv7(), ulid.LastAt(ulid.Time(ulid.MaxTime()))}
		for _, id := range ids {
			d.Run("INSERT INTO events VALUES (?)", id)
			d.Run("INSERT INTO items VALUES (?)", id)
		}
		script := strings.Join(d.mendStatements(t), "")
		toUUID := strings.ReplaceAll(script, "(SELECT bytes FROM repaired", "(SELECT uuid FROM repaired")
		if strings.Count(toUUID, "(SELECT uuid FROM repaired") != 2 {
			t.Fatalf("the two UPDATEs are not in\n%s", script)
		}
		d.Run(toUUID)
		d.wantForms(t, "UUID format 4")
		for _, id := range ids {
			const query = "SELECT id FROM events JOIN items ON event_id = id WHERE event_id = ?"
			var found ulid.AsUUID
			if err := d.row(query, ulid.AsUUID(id)).Scan(&found); err != nil || ulid.ULID(found) != id {
				t.Errorf("%s is read as %s, %v", id, ulid.ULID(found), err)
			}
		}
	})
}

// addNoULIDs adds texts that are not ULIDs to events. SQLite leaves them, also the one that would fit
// into 16 bytes if it lost its first bit.
func (d guideDB) addNoULIDs() {
	d.Run("INSERT INTO events (id) VALUES ('" + noULID + "'), ('81ARYZ6S41TSV4RRFFQ69G5FAV')")
	d.Run("INSERT INTO events (id) VALUES ('01ARYZ6S41TSV4RRFFQ69G5FAV' || char(0))")
}

// wantNoULIDFails fails the test unless a text that is not a ULID ends the guide's file with an error.
func (d guideDB) wantNoULIDFails(t *testing.T) {
	t.Helper()
	const why = "a text that is not a ULID"
	if d.IsMySQL() { // in the table that comes last, so that the first has changed
		d.Run("SET foreign_key_checks = 0; INSERT INTO items (event_id) VALUES ('" + noULID + "')")
		d.wantMendFails(t, why, "16 bytes 5, string 5")
		d.Run("DELETE FROM items WHERE event_id = '" + noULID + "'")
		return
	}
	d.Run(insert, []byte(noULID))
	d.wantMendFails(t, why, "16 bytes 5, string 6")
	d.Run("DELETE FROM events WHERE id = '" + noULID + "'")
}

// A clientRun sends files to the database's own client, by the command that the guide names.
type clientRun struct {
	project
	command string
}

// client returns the client of the database, with which the guide runs the file that mends.
func (d guideDB) client(t *testing.T) clientRun {
	t.Helper()
	var command string
	switch d.Family {
	case "sqlite":
		command = guideSpan(t, "sqlite3 -bail") + ` "$DATABASE"`
	case "postgres":
		command = guideSpan(t, "psql -v ON_ERROR_STOP=1")
	case "mysql":
		command = guideSpan(t, "mariadb") + ` "$DATABASE"`
	}
	return clientRun{project{env: d.ClientEnv()}, command}
}

// send has the client read the file.
func (c clientRun) send(file string) (string, error) {
	return c.try("bash", "-c", c.command+" <"+file)
}

// TestMendClients runs the statements in the databases' own clients, as the guide says, with an ID in
// both forms. The client ends with an error, and nothing has changed.
func TestMendClients(t *testing.T) {
	each(t, mixable, func(t *testing.T, d guideDB) {
		client := d.client(t)
		d.addEventInBothForms()
		out, err := client.send(filepath.Join(page.Root(), "sql/mend_"+d.Family+".sql"))
		if err == nil {
			t.Errorf("%s ends without an error: %s", client.command, out)
		}
		d.wantTexts(t, 1, 1)
	})
}

// TestMendEveryByte mends IDs that have every byte at every position, beside two other bytes each, by
// the driver and by the database's own client.
func TestMendEveryByte(t *testing.T) {
	var ids []ulid.ULID
	for b := range 256 {
		var near, far ulid.ULID
		for position := range 16 {
			near[position] = byte(b + 17*position)
			far[position] = byte(b + 127*position)
		}
		ids = append(ids, near, far)
	}
	each(t, mixable, func(t *testing.T, d guideDB) {
		d.installFunctions()
		d.makeTables()
		client := d.client(t)
		d.mendAll(t, ids, func() error { return d.mend(t) })
		d.mendAll(t, ids, func() error {
			_, err := client.send(filepath.Join(page.Root(), "sql/mend_"+d.Family+".sql"))
			return err
		})
	})
}

// mendAll stores the IDs as texts, every second in lower case, and mends them.
func (d guideDB) mendAll(t *testing.T, ids []ulid.ULID, mend func() error) {
	t.Helper()
	texts := make([]any, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
		if i%2 == 1 {
			texts[i] = strings.ToLower(id.String())
		}
	}
	d.Run("DELETE FROM items; DELETE FROM events")
	d.Run("INSERT INTO events (id) VALUES (?)"+strings.Repeat(", (?)", len(ids)-1), texts...)
	d.Run("INSERT INTO items (event_id) SELECT id FROM events")
	check(t, mend())
	want := slices.SortedFunc(slices.Values(ids), ulid.ULID.Compare)
	for _, query := range []string{"SELECT id FROM events ORDER BY id", "SELECT event_id FROM items ORDER BY event_id"} {
		var got []ulid.ULID
		for _, row := range d.Rows(query) {
			b, _ := row[0].([]byte)
			if len(b) != 16 {
				t.Fatalf("after mending there is %q", row[0])
			}
			got = append(got, ulid.ULID(b))
		}
		if len(got) != len(want) {
			t.Fatalf("%d IDs, want %d, by %s", len(got), len(want), query)
		}
		for i, id := range got {
			if id != want[i] {
				t.Fatalf("ID %d is %x, want %x, by %s", i, id, want[i], query)
			}
		}
	}
}

// TestMendItems mends an item that is a text while its event is bytes, where no foreign key forbids it.
func TestMendItems(t *testing.T) {
	each(t, withMySQL(sqlite, inText, varbinary), func(t *testing.T, d guideDB) {
		d.installFunctions()
		d.Run("CREATE TABLE events (id " + d.via.bytesType + " PRIMARY KEY NOT NULL)")
		d.Run("CREATE TABLE items (event_id " + d.via.bytesType + ")")
		id := ulid.Make()
		d.Run(insert, oklog.ULID(id))
		d.Run("INSERT INTO items VALUES (?), (NULL)", id)
		check(t, d.mend(t))
		d.wantFound(t, []ulid.ULID{id})
		d.wantCount(t, 1, "items WHERE event_id IS NULL")
	})
}

// TestMendUTF16 shows that a database of UTF-16 stays as it is.
func TestMendUTF16(t *testing.T) {
	d := open(t, sqlite)
	d.Run("PRAGMA encoding = 'UTF-16'")
	d.makeTables()
	d.addOldEvents(1)
	d.addEvent(ulid.Make())
	check(t, d.mend(t))
	d.wantForms(t, "16 bytes 1, string 1")
}

// TestMendGoesOn runs the statements as a client that ignores the error of an ID in both forms, and
// goes on with the next statement. MySQL and MariaDB then commit what succeeded.
func TestMendGoesOn(t *testing.T) {
	page.Fact(t, "docs/migrating-columns.md", "client-that-goes-on-commits-half")
	each(t, mixable, func(t *testing.T, d guideDB) {
		d.addEventInBothForms()
		if d.mendOn(t) == nil {
			t.Error("an ID in both forms passes")
		}
		if d.IsMySQL() {
			d.wantTexts(t, 1, 0)
		} else {
			d.wantTexts(t, 1, 1)
		}
	})
}

// addEventInBothForms makes the tables, with one of five events both as bytes and as text.
func (d guideDB) addEventInBothForms() {
	d.installFunctions()
	d.makeTables()
	ids := d.addOldEvents(5)
	d.addEvent(ids[0])
}

// wantTexts fails the test unless events has five IDs as bytes and so many texts, and items so many.
func (d guideDB) wantTexts(t *testing.T, events, items int) {
	t.Helper()
	d.wantCount(t, 5, "events WHERE length(id) = 16")
	d.wantCount(t, events, "events WHERE length(id) = 26")
	d.wantCount(t, items, "items WHERE length(event_id) = 26")
}

// TestOptionsOfKeys has psql show the options of a foreign key, by the command that the guide names.
func TestOptionsOfKeys(t *testing.T) {
	d := open(t, postgres)
	client := d.client(t)
	d.makeTables()
	d.Run("ALTER TABLE items DROP CONSTRAINT items_event_id_fkey, " +
		"ADD FOREIGN KEY (event_id) REFERENCES events ON DELETE CASCADE")
	describe := newProject(t, nil, map[string]string{"describe": guideSpan(t, `\\d items`)}).path("describe")
	out, err := client.send(describe)
	if err != nil || !strings.Contains(out, "ON DELETE CASCADE") {
		t.Errorf("\\d items prints %s, %v, want ON DELETE CASCADE", out, err)
	}
}
