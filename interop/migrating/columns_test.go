package migrating

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
	oklog "github.com/oklog/ulid/v2"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

const insert = "INSERT INTO events (id) VALUES (?)"

// TestLoud shows that a statement that writes a text is an error after step 1, while those that write bytes go on, and that no
// read becomes an error.
func TestLoud(t *testing.T) {
	each(t, connections, func(t *testing.T, d database) {
		d.tables()
		ids := d.fill(5)
		d.wantForms(t, "16 bytes 5")
		kind := " " + strings.ToLower(d.bytesType)
		columns := map[string]string{
			"sqlite":   "events id BLOB, events note VARCHAR(100), items event_id BLOB, items n INT",
			"postgres": "events id, items event_id",
			"mysql":    "events id" + kind + ", items event_id" + kind,
		}
		if got, want := d.line(d.block(t, "columns")), columns[d.name()]; got != want {
			t.Errorf("the columns are %q, want %q", got, want)
		}

		const update = "UPDATE events SET id = ? WHERE id = ?"
		d.loud(t)
		next := ulid.ULID(oklog.Make())
		d.Run(insert, oklog.ULID(next)) // without an item, so that no foreign key refuses an update
		d.wantRefused(t, "", insert, ulid.Make())
		d.wantRefused(t, "", update, ulid.Make(), ulid.AsBinary(next))
		refusal := "items__event_id_16"
		switch {
		case d.guarded:
			refusal = "too long"
		case d.name() == "sqlite":
			refusal = "items.event_id is not 16 bytes"
		}
		d.wantRefused(t, refusal, "INSERT INTO items (event_id, n) VALUES (?, 2)", ids[0])
		d.wantRefused(t, refusal, "UPDATE items SET event_id = ? WHERE event_id = ?", ids[0], ulid.AsBinary(ids[0]))
		d.Run(update, ulid.AsBinary(ulid.Make()), oklog.ULID(next))
		d.fill(1)
		d.wantAll(t, ids)
		d.wantForms(t, "16 bytes 7")
		d.wantCount(t, 0, "events WHERE id = ?", ids[0])
	})
}

// TestSilent shows that a statement that writes a text is no error before step 1, whose statements refuse a column that has
// one. A trigger does not look at old rows.
func TestSilent(t *testing.T) {
	says(t, "The program finds none of its old rows and writes texts into the same column, which only a `BINARY(16)` in a strict session refuses.")
	each(t, connections, func(t *testing.T, d database) {
		d.tables()
		ids := d.fill(5)
		d.wantCount(t, 0, "events WHERE id = ?", ids[0])
		if d.guarded {
			d.wantRefused(t, "too long", insert, ulid.Make())
			return
		}
		d.Run(insert, ulid.Make())
		form := "text 1"
		if d.parameters == notStrict.parameters {
			form = "text, cut to 16 characters 1"
		}
		d.wantForms(t, "16 bytes 5, "+form)
		if err := d.guard(t); (err == nil) != (d.name() == "sqlite") {
			t.Errorf("of a mixed column the error is %v", err)
		}
	})
}

// TestWayBack shows that a program with oklog/ulid finds, reads and deletes what one with AsBinary wrote after step 1.
func TestWayBack(t *testing.T) {
	says(t, "the old program reads the new rows too, because `AsBinary` writes the bytes that oklog/ulid writes.")
	each(t, connections, func(t *testing.T, d database) {
		d.tables()
		d.loud(t)
		ids := d.fill(2)
		for range 3 {
			ids = append(ids, ulid.Make())
			d.add(ulid.AsBinary(ids[len(ids)-1]))
		}
		d.wantForms(t, "16 bytes 5")
		d.wantCount(t, 5, "events WHERE id >= ?", oklog.ULID(ulid.FirstAt(time.Now().Add(-time.Hour))))
		for _, id := range ids {
			var got oklog.ULID
			check(t, d.row("SELECT event_id FROM items JOIN events ON id = event_id WHERE id = ?", oklog.ULID(id)).Scan(&got))
			if got != oklog.ULID(id) {
				t.Errorf("%v is read as %v", id, got)
			}
			d.Run("DELETE FROM items WHERE event_id = ?", oklog.ULID(id))
		}
		d.wantCount(t, 0, "items")
	})
}

// TestOperators shows which conditions on a column of bytes match no row, and which every row, if the argument is a text. The
// time of the argument makes no difference, nor do the statements of step 1.
func TestOperators(t *testing.T) {
	page.Contains(t, "docs/storage.md", "**`<`, `>`, `<>` and `NOT IN` may match every row, so a `DELETE` may empty the table.**")
	says(t, "With `=` and `IN` it matches nothing. **With `<`, `>`, `<>` or `NOT IN` it may match every row, and a `DELETE` then empties the table.**")
	says(t, "`<>` and `NOT IN` match every row in all four databases. So do `>` and `>=` in SQLite, and `<` and `<=` in the others.")
	const none, every = 0, 5
	each(t, connections, func(t *testing.T, d database) {
		d.tables()
		d.fill(5)
		d.loud(t)
		// In SQLite every text is less than any bytes. Elsewhere its first byte counts, which is a digit's.
		less, greater := every, none
		if d.name() == "sqlite" {
			less, greater = none, every
		}
		for condition, want := range map[string]int{
			"= ?": none, "IN (?)": none, "<> ?": every, "NOT IN (?)": every,
			"< ?": less, "<= ?": less, "> ?": greater, ">= ?": greater,
		} {
			for _, past := range []time.Duration{time.Hour, -time.Hour} {
				d.wantCount(t, want, "events WHERE id "+condition, ulid.FirstAt(time.Now().Add(-past)))
			}
		}
	})
}

// TestStrictTable shows that a STRICT table of SQLite refuses a text where it has a BLOB.
func TestStrictTable(t *testing.T) {
	d := open(t, sqlite)
	d.Run("CREATE TABLE events (id BLOB PRIMARY KEY NOT NULL) STRICT")
	d.Run(insert, oklog.Make())
	d.wantRefused(t, "cannot store TEXT", insert, ulid.Make())
}

// TestUUIDIsLouder converts the columns to uuid after the CHECK. A missed argument is then an error, and the old program cannot
// read its rows, until the column is bytea again.
func TestUUIDIsLouder(t *testing.T) {
	each(t, []connection{postgres, pq}, func(t *testing.T, d database) {
		d.functions()
		d.Run("CREATE TABLE events (id bytea PRIMARY KEY)")
		old := oklog.Make()
		d.Run(insert, old)
		d.loud(t)
		const convert = "ALTER TABLE events ALTER id TYPE uuid USING ulid_to_uuid(id)"
		d.wantRefused(t, "octet_length(uuid)", convert) // because of the CHECK
		d.Run("ALTER TABLE events DROP CONSTRAINT events__id_16")
		d.Run(convert)
		for _, operator := range []string{"=", "<", ">", "<>"} {
			var n int
			if err := d.row("SELECT count(*) FROM events WHERE id "+operator+" ?", ulid.Make()).Scan(&n); err == nil {
				t.Errorf("id %s a text matches %d rows, want an error", operator, n)
			}
		}
		d.wantCount(t, 1, "events WHERE id = ?", ulid.AsUUID(old))
		var got oklog.ULID
		if err := d.row("SELECT id FROM events").Scan(&got); err == nil {
			t.Errorf("oklog/ulid reads %v, want an error", got)
		}
		d.Run("ALTER TABLE events ALTER id TYPE bytea USING " + inline(t, `uuid_send\(id\)`))
		d.wantCount(t, 1, "events WHERE id IN (?)", old) // because pgx remembers the other statement as of a uuid
	})
}

// TestNull shows what becomes of a NULL in a field that is no pointer, and in one that is.
func TestNull(t *testing.T) {
	says(t, "`Scan` gives the zero ULID, where oklog leaves the variable unchanged, and saving it writes 16 zero bytes.")
	each(t, connections, func(t *testing.T, d database) {
		d.Run("CREATE TABLE events (id " + d.bytesType + ", zero " + d.bytesType + ")")
		d.Run("INSERT INTO events VALUES (NULL, NULL)")
		theirs := oklog.Make()
		was, zero, id := theirs, ulid.AsBinary(theirs), new(ulid.AsBinary)
		check(t, d.row("SELECT zero, zero, id FROM events").Scan(&theirs, &zero, &id))
		if theirs != was || !zero.IsZero() || id != nil {
			t.Errorf("NULL is read as %v, %v, %v, want %v, the zero ULID and nil", theirs, zero, id, was)
		}
		d.Run("UPDATE events SET zero = ?, id = ?", zero, id)
		d.wantCount(t, 1, "events WHERE id IS NULL AND zero = ?", make([]byte, 16))
		d.wantForms(t, "")
	})
}

// TestOtherBytes shows what the guide's query says of columns that have more than ULIDs, and that a CHECK would refuse that.
func TestOtherBytes(t *testing.T) {
	aaguid := uuid.MustParse("d8522d9f-575b-4866-88a9-ba99fa02f35b") // the kind of an authenticator
	each(t, withMySQL(sqlite, postgres, mariadb, varbinary), func(t *testing.T, d database) {
		d.Run("CREATE TABLE events (id " + d.bytesType + ")")
		d.Run(insert, oklog.Make())
		d.Run(insert, aaguid[:])
		d.wantForms(t, "16 bytes 1, other 16 bytes 1")
		if d.name() != "sqlite" { // whose triggers look at the length only
			if err := d.guard(t); err == nil || !strings.Contains(err.Error(), "events__id_16") {
				t.Errorf("the CHECK gives %v", err)
			}
			d.Run("DELETE FROM events")
			d.loud(t)
			d.wantRefused(t, "events__id_16", insert, aaguid[:])
		}
	})
}

// TestForeignKey shows that columns with some foreign keys cannot have the CHECK in MySQL and MariaDB, and that none needs it.
func TestForeignKey(t *testing.T) {
	number := map[*db.Database]string{db.MySQL: "Error 3823 ", db.MariaDB: "Error 1901 "}
	for _, expression := range []string{"ON DELETE SET NULL", "ON UPDATE CASCADE"} {
		option := inline(t, expression)
		each(t, withMySQL(mariadb, varbinary, notStrict), func(t *testing.T, d database) {
			d.Run("CREATE TABLE events (id " + d.bytesType + " PRIMARY KEY)")
			d.Run("CREATE TABLE items (event_id " + d.bytesType + ", FOREIGN KEY (event_id) REFERENCES events (id) " + option + ")")
			d.loud(t)
			id := oklog.Make()
			d.Run(insert, id)
			d.Run("INSERT INTO items VALUES (?), (NULL)", id)
			d.wantRefused(t, "", "INSERT INTO items VALUES (?)", ulid.ULID(id))
			d.wantRefused(t, number[d.base], "ALTER TABLE items ADD CHECK (OCTET_LENGTH(event_id) = 16)")
		})
	}
}

// TestConverted finds what oklog/ulid wrote with statements that convert IDs themselves.
func TestConverted(t *testing.T) {
	each(t, connections, func(t *testing.T, d database) {
		d.Run("CREATE TABLE events (id " + d.bytesType + ", note CHAR(26))")
		id := ulid.Make()
		old := oklog.ULID(id)
		d.Run("INSERT INTO events VALUES (?, ?)", old[:], old.String())
		d.wantCount(t, 1, "events WHERE id = ? AND note = ?", id[:], id.String())
		if d.driver == "pgx" {
			d.Run("CREATE TABLE users (id uuid)")
			d.Run("INSERT INTO users VALUES (?)", pgtype.UUID{Bytes: old, Valid: true})
			d.wantCount(t, 1, "users WHERE id = ?", pgtype.UUID{Bytes: id, Valid: true})
		}
	})
}

// --- mend a mixed column

// mend runs the statements of the guide's file on one connection. It returns the errors. After one it goes on only if it is to.
func (d database) mend(t *testing.T, goesOn bool) (errs []error) {
	t.Helper()
	connection := must(d.Conn(t.Context()))(t)
	defer connection.Close()
	// Each statement ends a line, and has the comments before it.
	for _, statement := range strings.SplitAfter(strings.TrimSpace(page.Text(t, "sql/mend_"+d.name()+".sql")), ";\n") {
		if _, err := connection.ExecContext(t.Context(), statement); err != nil {
			errs = append(errs, err)
			if !goesOn {
				connection.ExecContext(t.Context(), "ROLLBACK")
				break
			}
		}
	}
	return errs
}

func (d database) wantMendFails(t *testing.T, why, forms string) {
	t.Helper()
	if errs := d.mend(t, false); errs == nil {
		t.Errorf("%s passes", why)
	}
	if d.name() == "mysql" {
		d.Run("SET foreign_key_checks = 1")
	}
	d.wantForms(t, forms)
}

// TestMend mends columns that oklog/ulid and this library wrote in turns.
func TestMend(t *testing.T) {
	const noULID = "01ARYZ6S41TSV4RRFFQ69G5FAU"
	each(t, mixable, func(t *testing.T, d database) {
		d.functions()
		d.tables()
		ids := d.fill(5)
		for range 5 {
			ids = append(ids, ulid.Make())
			d.add(ids[len(ids)-1])
		}
		d.wantForms(t, "16 bytes 5, text 5")

		d.Run(insert, ids[0])
		d.wantMendFails(t, "an ID in both forms", "16 bytes 5, text 6")
		d.Run("DELETE FROM events WHERE id = ?", ids[0])

		mended := "16 bytes 10"
		switch d.name() {
		case "mysql": // in the table that comes last, so that the first has changed
			d.Run("SET foreign_key_checks = 0; INSERT INTO items (event_id) VALUES ('" + noULID + "')")
			d.wantMendFails(t, "a text that is not a ULID", "16 bytes 5, text 5")
			d.Run("DELETE FROM items WHERE event_id = '" + noULID + "'")
		case "postgres":
			d.Run(insert, []byte(noULID))
			d.wantMendFails(t, "a text that is not a ULID", "16 bytes 5, text 6")
			d.Run("DELETE FROM events WHERE id = '" + noULID + "'")
		case "sqlite": // which leaves them, also the one that would fit into 16 bytes if it lost its first bit
			d.Run("INSERT INTO events (id) VALUES ('" + noULID + "'), ('81ARYZ6S41TSV4RRFFQ69G5FAV')")
			mended = "16 bytes 10, text 2"
		}
		if errs := d.mend(t, false); errs != nil {
			t.Fatal(errs)
		}
		d.wantForms(t, mended)
		d.wantAll(t, ids)
		d.loud(t)
		d.wantRefused(t, "", "INSERT INTO items (event_id) VALUES (?)", ulid.AsBinary(ulid.Make())) // it refers to no event
	})
}

// TestMendClients runs the statements in the databases' own clients, as the guide says, with an ID in both forms. The client
// ends with an error, and nothing has changed. In SQLite before 3.41 the error comes from unhex.
func TestMendClients(t *testing.T) {
	clients := map[string]string{"sqlite": "sqlite3 -bail", "postgres": "psql -v ON_ERROR_STOP=1", "mysql": "mariadb"}
	each(t, mixable, func(t *testing.T, d database) {
		command := inline(t, clients[d.name()])
		d.functions()
		d.tables()
		d.add(d.fill(5)[0]) // an ID in both forms
		client := project{env: d.ClientEnv()}
		if d.name() != "postgres" {
			command += ` "$DATABASE"`
		}
		send := func(file string) (string, error) { return client.try("bash", "-c", command+" <"+file) }
		wantTexts := func(want int) {
			t.Helper()
			d.wantForms(t, "16 bytes 5, text 1")
			d.wantCount(t, want, "items WHERE length(event_id) = 26")
		}
		if out, err := send(filepath.Join(page.Root(), "sql/mend_"+d.name()+".sql")); err == nil {
			t.Errorf("%s ends without an error: %s", command, out)
		}
		wantTexts(1)

		// A client that ignores the error goes on with the next statement, and MariaDB commits what succeeded.
		if errs := d.mend(t, true); errs == nil {
			t.Error("an ID in both forms passes")
		}
		wantTexts(map[string]int{"sqlite": 1, "postgres": 1}[d.name()])

		if d.name() == "postgres" {
			d.Run("ALTER TABLE items DROP CONSTRAINT items_event_id_fkey, ADD FOREIGN KEY (event_id) REFERENCES events ON DELETE CASCADE")
			file := newProject(t, nil, map[string]string{"describe": inline(t, `\\d items`)}).path("describe")
			if out, err := send(file); err != nil || !strings.Contains(out, "ON DELETE CASCADE") {
				t.Errorf("\\d items prints %s, %v, want ON DELETE CASCADE", out, err)
			}
		}
	})
}
