package migrating

import (
	"database/sql/driver"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
	oklog "github.com/oklog/ulid/v2"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// TestLoud shows that a statement that writes a text is an error after the guide's statements, while those that write bytes go
// on, and that no read becomes an error.
func TestLoud(t *testing.T) {
	for _, c := range connections {
		t.Run(c.String(), func(t *testing.T) {
			d := open(t, c)
			d.tables(t)
			ids := d.fill(t, 5)
			d.wantForms(t, "16 bytes 5")
			kind := " " + strings.ToLower(c.bytesType)
			columns := map[string]string{
				"sqlite":   "events id BLOB, events note VARCHAR(100), items event_id BLOB, items n INT",
				"postgres": "events id, items event_id",
				"mysql":    "events id" + kind + ", items event_id" + kind,
			}
			if got, want := d.line(t, d.block(t, "columns")), columns[d.name()]; got != want {
				t.Errorf("the columns are %q, want %q", got, want)
			}

			const insert = "INSERT INTO events (id) VALUES (?)"
			const update = "UPDATE events SET id = ? WHERE id = ?"
			d.loud(t)
			strict, _, _ := strings.Cut(d.block(t, "loud"), ";") // the query that the block of MySQL and MariaDB begins with
			if got := d.name() == "mysql" && d.line(t, strict) == "0"; got != (c.parameters == notStrict.parameters) {
				t.Errorf("the session is not strict: %t", got)
			}
			next := ulid.ULID(oklog.Make())
			d.Run(insert, oklog.ULID(next)) // without an item, so that no foreign key refuses an update
			d.wantRefused(t, "", insert, ulid.Make())
			d.wantRefused(t, "", update, ulid.Make(), ulid.AsBinary(next))
			refusal := map[string]string{
				"postgres": "items_event_id_fkey", "mysql": "foreign key", "sqlite": "items.event_id is not 16 bytes",
			}[d.name()]
			if c.guarded {
				refusal = "too long"
			}
			d.wantRefused(t, refusal, "INSERT INTO items (event_id, n) VALUES (?, 2)", ids[0])
			d.wantRefused(t, refusal, "UPDATE items SET event_id = ? WHERE event_id = ?", ids[0], ulid.AsBinary(ids[0]))
			d.Run(update, ulid.AsBinary(ulid.Make()), oklog.ULID(next))
			d.fill(t, 1)
			d.wantAll(t, ids)
			d.wantForms(t, "16 bytes 7")
			d.wantLost(t, ids[0])
		})
	}
}

// TestSilent shows that a statement that writes a text is no error before the guide's statements, and that these refuse a column
// that has one. A trigger does not look at old rows.
func TestSilent(t *testing.T) {
	for _, c := range connections {
		t.Run(c.String(), func(t *testing.T) {
			d := open(t, c)
			d.tables(t)
			ids := d.fill(t, 5)
			d.wantLost(t, ids[0])
			const insert = "INSERT INTO events (id) VALUES (?)"
			if c.guarded {
				d.wantRefused(t, "too long", insert, ulid.Make())
				return
			}
			d.Run(insert, ulid.Make())
			form := "text 1"
			if c.parameters == notStrict.parameters {
				form = "text, cut to 16 characters 1"
			}
			d.wantForms(t, "16 bytes 5, "+form)
			if err := d.Try(d.block(t, "loud")); (err == nil) != (d.name() == "sqlite") {
				t.Errorf("of a mixed column the error is %v", err)
			}
		})
	}
}

// wantLost fails the test unless a text finds no row with an ID of oklog/ulid.
func (d database) wantLost(t *testing.T, id ulid.ULID) {
	t.Helper()
	if n := d.Count("SELECT COUNT(*) FROM events WHERE id = ?", id); n != 0 {
		t.Errorf("a text finds %d rows, want 0", n)
	}
}

// TestOperators shows which conditions on a column of bytes match no row, and which every row, if the argument is a text. The
// time of the argument makes no difference, nor do the statements of step 1.
func TestOperators(t *testing.T) {
	page.Contains(t, "docs/storage.md", "**`<`, `>`, `<>` and `NOT IN` may match every row, so a `DELETE` may empty the table.**")
	const none, every = 0, 5
	for _, c := range connections {
		t.Run(c.String(), func(t *testing.T) {
			d := open(t, c)
			d.tables(t)
			d.fill(t, 5)
			d.loud(t)
			// In SQLite every text is less than any bytes. Elsewhere its first byte counts, which is a digit's.
			less, greater := every, none
			if d.name() == "sqlite" {
				less, greater = none, every
			}
			past, future := ulid.FirstAt(time.Now().Add(-time.Hour)), ulid.LastAt(time.Now().Add(time.Hour))
			for condition, want := range map[string]int{
				"= ?": none, "IN (?)": none, "<> ?": every, "NOT IN (?)": every,
				"< ?": less, "<= ?": less, "> ?": greater, ">= ?": greater,
			} {
				for _, id := range []ulid.ULID{past, future} {
					if got := d.Count("SELECT COUNT(*) FROM events WHERE id "+condition, id); got != want {
						t.Errorf("id %s matches %d rows of 5, want %d", condition, got, want)
					}
				}
			}
		})
	}
}

// TestStrictTable shows that a STRICT table of SQLite refuses a text where it has a BLOB.
func TestStrictTable(t *testing.T) {
	d := open(t, sqlite)
	d.Run("CREATE TABLE events (id BLOB PRIMARY KEY NOT NULL) STRICT")
	d.Run("INSERT INTO events VALUES (?)", oklog.Make())
	d.wantRefused(t, "cannot store TEXT", "INSERT INTO events VALUES (?)", ulid.Make())
}

// TestUUIDIsLouder converts the columns to uuid after the CHECK. A missed argument is then an error, and the old program cannot
// read its rows.
func TestUUIDIsLouder(t *testing.T) {
	for _, c := range []connection{postgres, pq} {
		t.Run(c.driver, func(t *testing.T) {
			d := open(t, c)
			d.functions()
			d.Run("CREATE TABLE events (id bytea PRIMARY KEY)")
			d.Run("INSERT INTO events VALUES (?)", oklog.Make())
			d.Run(d.block(t, "loud"))
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
			var id ulid.AsUUID
			if err := d.row("SELECT id FROM events").Scan(&id); err != nil {
				t.Error(err)
			}
			var old oklog.ULID
			if err := d.row("SELECT id FROM events").Scan(&old); err == nil {
				t.Errorf("oklog/ulid reads %v, want an error", old)
			}
		})
	}
}

// TestNull shows what becomes of a NULL in a field that is no pointer, and in one that is.
func TestNull(t *testing.T) {
	for _, c := range connections {
		t.Run(c.String(), func(t *testing.T) {
			d := open(t, c)
			d.Run("CREATE TABLE items (a " + c.bytesType + ", b " + c.bytesType + ")")
			d.Run("INSERT INTO items VALUES (NULL, NULL)")
			var a ulid.AsBinary
			b := new(ulid.AsBinary)
			check(t, d.row("SELECT a, b FROM items").Scan(&a, &b))
			if !a.IsZero() || b != nil {
				t.Errorf("NULL is read as %v, %v, want the zero ULID and nil", a, b)
			}
			d.Run("UPDATE items SET a = ?, b = ?", a, b)
			var bytes []byte
			var isNull bool
			check(t, d.row("SELECT a, b IS NULL FROM items").Scan(&bytes, &isNull))
			if string(bytes) != string(make([]byte, 16)) {
				t.Errorf("the zero ULID is written as %x", bytes)
			}
			if !isNull {
				t.Error("nil is not written as NULL")
			}
			forms := strings.ReplaceAll(d.block(t, "forms"), "events", "(SELECT b AS id FROM items) AS e")
			if got := d.line(t, forms); got != "" {
				t.Errorf("the form of NULL is %q, want none", got)
			}
		})
	}
}

// TestNullable shows the trigger of a column that may be NULL.
func TestNullable(t *testing.T) {
	d := open(t, sqlite)
	d.Run("CREATE TABLE events (id BLOB)")
	const condition = "typeof(NEW.id) <> 'blob' OR length(NEW.id) <> 16"
	nullable := strings.Replace(inline(t, "NEW.id IS NOT NULL AND .*"), "…", condition, 1)
	d.Run(strings.ReplaceAll(d.block(t, "loud"), condition, nullable))
	d.Run("INSERT INTO events VALUES (?), (NULL)", ulid.AsBinary(ulid.Make()))
	d.wantRefused(t, "events.id is not 16 bytes", "INSERT INTO events VALUES (?)", ulid.Make())
}

// TestOtherBytes shows what the guide's query says of columns that have more than ULIDs, and that a CHECK would refuse that.
func TestOtherBytes(t *testing.T) {
	aaguid := uuid.MustParse("d8522d9f-575b-4866-88a9-ba99fa02f35b") // the kind of an authenticator
	for _, c := range withMySQL(sqlite, postgres, mariadb, varbinary) {
		t.Run(c.String(), func(t *testing.T) {
			d := open(t, c)
			d.Run("CREATE TABLE events (id " + c.bytesType + ")")
			const insert = "INSERT INTO events VALUES (?)"
			d.Run(insert, oklog.Make())
			d.Run(insert, aaguid[:])
			d.wantForms(t, "16 bytes 1, other 16 bytes 1")
			if d.name() != "sqlite" { // whose triggers look at the length only
				d.wantRefused(t, "events__id_16", d.block(t, "loud"))
				d.Run("DELETE FROM events; " + strings.TrimSuffix(d.block(t, "loud"), ";\n"))
				d.wantRefused(t, "events__id_16", insert, aaguid[:])
			}
		})
	}
}

// TestForeignKey shows that columns with some foreign keys cannot have the CHECK in MySQL and MariaDB, and that none needs it.
func TestForeignKey(t *testing.T) {
	number := map[*db.Database]string{db.MySQL: "Error 3823 ", db.MariaDB: "Error 1901 "}
	for _, c := range withMySQL(mariadb, varbinary, notStrict, postgres) {
		for _, option := range []string{"ON DELETE SET NULL", "ON UPDATE CASCADE"} {
			t.Run(c.String()+" "+option, func(t *testing.T) {
				d := open(t, c)
				d.Run("CREATE TABLE events (id " + c.bytesType + " PRIMARY KEY)")
				d.Run("CREATE TABLE items (event_id " + c.bytesType + ", FOREIGN KEY (event_id) REFERENCES events (id) " + option + ")")
				d.loud(t)
				id := oklog.Make()
				d.Run("INSERT INTO events VALUES (?)", id)
				d.Run("INSERT INTO items VALUES (?), (NULL)", id)
				d.wantRefused(t, "", "INSERT INTO items VALUES (?)", ulid.ULID(id))
				if d.name() == "mysql" {
					inline(t, option)
					d.wantRefused(t, number[d.base], "ALTER TABLE items ADD CHECK (OCTET_LENGTH(event_id) = 16)")
				} else { // gorm's AutoMigrate would do this
					const change = "ALTER TABLE items ALTER event_id TYPE varchar(16) USING event_id::varchar(16)"
					d.wantRefused(t, "items_event_id_fkey", change)
				}
			})
		}
	}
}

// TestConverted finds what oklog/ulid wrote with statements that convert IDs themselves.
func TestConverted(t *testing.T) {
	for _, c := range connections {
		t.Run(c.String(), func(t *testing.T) {
			d := open(t, c)
			d.Run("CREATE TABLE events (id " + c.bytesType + ", note CHAR(26))")
			id := ulid.Make()
			old := oklog.ULID(id)
			d.Run("INSERT INTO events VALUES (?, ?)", old[:], old.String())
			if n := d.Count("SELECT COUNT(*) FROM events WHERE id = ? AND note = ?", id[:], id.String()); n != 1 {
				t.Errorf("it finds %d rows, want 1", n)
			}
			if c.driver == "pgx" {
				d.Run("CREATE TABLE users (id uuid)")
				d.Run("INSERT INTO users VALUES (?)", pgtype.UUID{Bytes: old, Valid: true})
				if n := d.Count("SELECT COUNT(*) FROM users WHERE id = ?", pgtype.UUID{Bytes: id, Valid: true}); n != 1 {
					t.Errorf("it finds %d users, want 1", n)
				}
			}
		})
	}
}

// A loudID is what a ULID is in the loud copy.
type loudID ulid.ULID

func (id loudID) Value() (driver.Value, error) {
	return nil, fmt.Errorf("plain ULID %v", ulid.ULID(id))
}

// TestLoudBun shows what bun makes of the loud copy's error.
func TestLoudBun(t *testing.T) {
	d := open(t, postgres)
	d.tables(t)
	_, err := bun.NewDB(d.DB.DB.DB, pgdialect.New()).NewDelete().Table("events").Where("id = ?", loudID{}).Exec(t.Context())
	if words := inline(t, "syntax error .*"); err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("bun's error is %v, want %s", err, words)
	}
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
	for _, c := range mixable {
		t.Run(c.String(), func(t *testing.T) {
			d := open(t, c)
			d.functions()
			d.tables(t)
			ids := d.fill(t, 5)
			for range 5 {
				id := ulid.Make()
				d.add(t, id)
				ids = append(ids, id)
			}
			d.wantForms(t, "16 bytes 5, text 5")

			d.Run("INSERT INTO events (id) VALUES (?)", ids[0])
			d.wantMendFails(t, "an ID in both forms", "16 bytes 5, text 6")
			d.Run("DELETE FROM events WHERE id = ?", ids[0])

			mended := "16 bytes 10"
			switch d.name() {
			case "mysql": // in the table that comes last, so that the first has changed
				d.Run("SET foreign_key_checks = 0; INSERT INTO items (event_id) VALUES ('" + noULID + "')")
				d.wantMendFails(t, "a text that is not a ULID", "16 bytes 5, text 5")
				d.Run("DELETE FROM items WHERE event_id = '" + noULID + "'")
			case "postgres":
				d.Run("INSERT INTO events (id) VALUES ('" + noULID + "')")
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
}

// textItems counts the texts in items.
func (d database) textItems(t *testing.T) int {
	t.Helper()
	return d.Count("SELECT COUNT(*) FROM items WHERE length(event_id) = 26")
}

// TestMendClients runs the statements in the databases' own clients, as the guide says, with an ID in both forms. The client
// ends with an error, and nothing has changed. In SQLite before 3.41 the error comes from unhex.
func TestMendClients(t *testing.T) {
	clients := map[string]string{"sqlite": "sqlite3 -bail", "postgres": "psql -v ON_ERROR_STOP=1", "mysql": "mariadb"}
	for _, c := range mixable {
		t.Run(c.String(), func(t *testing.T) {
			command := clients[c.name()]
			inline(t, command)
			d := open(t, c)
			d.functions()
			d.tables(t)
			d.add(t, d.fill(t, 5)[0]) // an ID in both forms
			client := project{env: d.ClientEnv()}
			if c.name() != "postgres" {
				command += ` "$DATABASE"`
			}
			send := func(file string) (string, error) {
				return client.try("bash", "-c", command+" <"+file)
			}
			if out, err := send(filepath.Join(page.Root(), "sql/mend_"+c.name()+".sql")); err == nil {
				t.Errorf("%s ends without an error: %s", command, out)
			}
			d.wantForms(t, "16 bytes 5, text 1")
			if got := d.textItems(t); got != 1 {
				t.Errorf("after an error %d texts are in items, want 1", got)
			}

			// A client that ignores the error goes on with the next statement, and MariaDB commits what succeeded.
			if errs := d.mend(t, true); errs == nil {
				t.Error("an ID in both forms passes")
			}
			d.wantForms(t, "16 bytes 5, text 1")
			if got, want := d.textItems(t), map[string]int{"sqlite": 1, "postgres": 1}[c.name()]; got != want {
				t.Errorf("in a client that goes on, %d texts are in items, want %d", got, want)
			}

			if c.name() == "postgres" {
				d.Run("ALTER TABLE items DROP CONSTRAINT items_event_id_fkey, ADD FOREIGN KEY (event_id) REFERENCES events ON DELETE CASCADE")
				file := newProject(t, nil, map[string]string{"describe": inline(t, `\\d items`)}).path("describe")
				if out, err := send(file); err != nil || !strings.Contains(out, "ON DELETE CASCADE") {
					t.Errorf("\\d items prints %s, %v, want ON DELETE CASCADE", out, err)
				}
			}
		})
	}
}
