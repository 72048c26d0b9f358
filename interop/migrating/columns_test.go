package migrating

import (
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

// TestColumns lists the columns of bytes. In SQLite they are found by what they hold.
func TestColumns(t *testing.T) {
	page.Fact(t, "docs/migrating-columns.md", "bytes-in-text-columns")
	each(t, connections, func(t *testing.T, d guideDB) {
		d.makeTables()
		d.addOldEvents(1)
		bytesType := " " + d.via.bytesType
		switch d.Family {
		case "postgres":
			bytesType = ""
		case "mysql":
			bytesType = strings.ToLower(bytesType)
		}
		want := "events id" + bytesType + ", items event_id" + bytesType
		got := d.columns(t)
		if got != want {
			t.Errorf("the columns are %q, want %q", got, want)
		}
	})
}

// columns returns what the guide's query says of the columns. That of SQLite writes other queries.
func (d guideDB) columns(t *testing.T) string {
	t.Helper()
	query := d.guideBlock(t, "columns")
	if d.Family != "sqlite" {
		return d.lines(query)
	}
	var found []string
	for _, row := range d.Rows(query) {
		line := d.lines(text(row[0]))
		if line != "" {
			found = append(found, line)
		}
	}
	return strings.Join(found, ", ")
}

// TestTextsAreRefused shows that a statement that writes a text is an error after step 1, while those
// that write bytes go on, and that no read becomes an error.
func TestTextsAreRefused(t *testing.T) {
	const update = "UPDATE events SET id = ? WHERE id = ?"
	each(t, connections, func(t *testing.T, d guideDB) {
		d.makeTables()
		ids := d.addOldEvents(5)
		d.wantForms(t, "16 bytes 5")
		d.refuseTexts(t)

		next := ulid.ULID(oklog.Make())
		d.Run(insert, oklog.ULID(next)) // without an item, so that no foreign key refuses an update
		d.wantRefused(t, "", insert, ulid.Make())
		d.wantRefused(t, "", update, ulid.Make(), ulid.AsBinary(next))
		refusal := "items__event_id_16"
		if d.via.refusesTexts {
			refusal = "too long"
		} else if d.Family == "sqlite" {
			refusal = "items.event_id is not 16 bytes"
		}
		d.wantRefused(t, refusal, "INSERT INTO items (event_id, n) VALUES (?, 2)", ids[0])
		d.wantRefused(t, refusal, "UPDATE items SET event_id = ? WHERE event_id = ?", ids[0], ulid.AsBinary(ids[0]))

		d.Run(update, ulid.AsBinary(ulid.Make()), oklog.ULID(next))
		d.addOldEvents(1)
		d.wantFound(t, ids)
		d.wantForms(t, "16 bytes 7")
		d.wantCount(t, 0, "events WHERE id = ?", ids[0])
	})
}

// TestTextsAreAccepted shows that a statement that writes a text is no error before step 1, whose
// statements refuse a column that has one. A trigger does not look at old rows.
func TestTextsAreAccepted(t *testing.T) {
	page.Fact(t, "docs/migrating.md", "only-imports-changed")
	each(t, connections, func(t *testing.T, d guideDB) {
		d.makeTables()
		ids := d.addOldEvents(5)
		d.wantCount(t, 0, "events WHERE id = ?", ids[0])
		if d.via.refusesTexts {
			d.wantRefused(t, "too long", insert, ulid.Make())
			return
		}
		d.Run(insert, ulid.Make())
		form := "string 1"
		if d.via.parameters == notStrict.parameters {
			form = "string, cut to 16 characters 1"
		}
		d.wantForms(t, "16 bytes 5, "+form)
		err := d.tryRefuseTexts(t)
		if (err == nil) != (d.Family == "sqlite") {
			t.Errorf("of a mixed column the error is %v", err)
		}
	})
}

// TestWayBack shows that a program with oklog/ulid finds, reads and deletes what one with AsBinary
// wrote after step 1.
func TestWayBack(t *testing.T) {
	page.Fact(t, "docs/migrating.md", "way-back-reads-new-rows")
	each(t, connections, func(t *testing.T, d guideDB) {
		d.makeTables()
		d.refuseTexts(t)
		ids := d.addOldEvents(2)
		for range 3 {
			id := ulid.Make()
			d.addEvent(ulid.AsBinary(id))
			ids = append(ids, id)
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

// TestOperators shows which conditions on a column of bytes match no row, and which every row, if the
// argument is a text. The time of the argument makes no difference, nor do the statements of step 1.
func TestOperators(t *testing.T) {
	page.Fact(t, "docs/storage.md", "less-than-matches-all")
	page.Fact(t, "docs/migrating.md", "less-than-matches-all")
	page.Fact(t, "docs/migrating.md", "operators-that-match-all")
	const rows = 5
	each(t, connections, func(t *testing.T, d guideDB) {
		d.makeTables()
		d.addOldEvents(rows)
		d.refuseTexts(t)
		// In SQLite every text is less than any bytes. Elsewhere its first byte counts, which is a digit's.
		less, greater := rows, 0
		if d.Family == "sqlite" {
			less, greater = 0, rows
		}
		for _, test := range []struct {
			condition string
			matches   int
		}{
			{"= ?", 0},
			{"IN (?)", 0},
			{"<> ?", rows},
			{"NOT IN (?)", rows},
			{"< ?", less},
			{"<= ?", less},
			{"> ?", greater},
			{">= ?", greater},
		} {
			for _, past := range []time.Duration{time.Hour, -time.Hour} {
				id := ulid.FirstAt(time.Now().Add(-past))
				d.wantCount(t, test.matches, "events WHERE id "+test.condition, id)
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

// TestUUIDRefusesTexts converts the columns to uuid after the CHECK. A missed argument is then an
// error, and the old program cannot read its rows, until the column is bytea again.
func TestUUIDRefusesTexts(t *testing.T) {
	each(t, []connection{postgres, pq}, func(t *testing.T, d guideDB) {
		d.installFunctions()
		d.Run("CREATE TABLE events (id bytea PRIMARY KEY)")
		old := oklog.Make()
		d.Run(insert, old)
		d.refuseTexts(t)
		const convert = "ALTER TABLE events ALTER id TYPE uuid USING ulid_to_uuid(id)"
		d.wantRefused(t, "octet_length(uuid)", convert) // because of the CHECK
		d.Run("ALTER TABLE events DROP CONSTRAINT events__id_16")
		d.Run(convert)
		for _, operator := range []string{"=", "<", ">", "<>"} {
			var n int
			err := d.row("SELECT count(*) FROM events WHERE id "+operator+" ?", ulid.Make()).Scan(&n)
			if err == nil {
				t.Errorf("id %s a text matches %d rows, want an error", operator, n)
			}
		}
		d.wantCount(t, 1, "events WHERE id = ?", ulid.AsUUID(old))
		var got oklog.ULID
		err := d.row("SELECT id FROM events").Scan(&got)
		if err == nil {
			t.Errorf("oklog/ulid reads %v, want an error", got)
		}
		d.Run("ALTER TABLE events ALTER id TYPE bytea USING " + guideSpan(t, `uuid_send\(id\)`))
		d.wantCount(t, 1, "events WHERE id IN (?)", old) // because pgx remembers the other statement as of a uuid
	})
}

// TestNull shows what becomes of a NULL in a field that is no pointer, and in one that is.
func TestNull(t *testing.T) {
	page.Fact(t, "docs/migrating.md", "null-becomes-zero")
	each(t, connections, func(t *testing.T, d guideDB) {
		d.Run("CREATE TABLE events (id " + d.via.bytesType + ", zero " + d.via.bytesType + ")")
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

// TestOtherBytes shows what the guide's query says of columns that have more than ULIDs, and that a
// CHECK would refuse that.
func TestOtherBytes(t *testing.T) {
	aaguid := uuid.MustParse("d8522d9f-575b-4866-88a9-ba99fa02f35b") // the kind of an authenticator
	each(t, withMySQL(sqlite, postgres, mariadb, varbinary), func(t *testing.T, d guideDB) {
		d.Run("CREATE TABLE events (id " + d.via.bytesType + ")")
		d.Run(insert, oklog.Make())
		d.Run(insert, aaguid[:])
		d.wantForms(t, "16 bytes 1, other 16 bytes 1")
		if d.Family != "sqlite" { // whose triggers look at the length only
			err := d.tryRefuseTexts(t)
			if err == nil || !strings.Contains(err.Error(), "events__id_16") {
				t.Errorf("the CHECK gives %v", err)
			}
			d.Run("DELETE FROM events")
			d.refuseTexts(t)
			d.wantRefused(t, "events__id_16", insert, aaguid[:])
		}
	})
}

// TestForeignKey shows that columns with some foreign keys cannot have the CHECK in MySQL and MariaDB,
// and that none needs it.
func TestForeignKey(t *testing.T) {
	for _, expression := range []string{"ON DELETE SET NULL", "ON UPDATE CASCADE"} {
		option := guideSpan(t, expression)
		each(t, withMySQL(mariadb, varbinary, notStrict), func(t *testing.T, d guideDB) {
			d.Run("CREATE TABLE events (id " + d.via.bytesType + " PRIMARY KEY)")
			d.Run("CREATE TABLE items (event_id " + d.via.bytesType + ", " +
				"FOREIGN KEY (event_id) REFERENCES events (id) " + option + ")")
			d.refuseTexts(t)
			id := oklog.Make()
			d.Run(insert, id)
			d.Run("INSERT INTO items VALUES (?), (NULL)", id)
			d.wantRefused(t, "", "INSERT INTO items VALUES (?)", ulid.ULID(id))

			number := "Error 1901 "
			if d.Database == db.MySQL {
				number = "Error 3823 "
			}
			d.wantRefused(t, number, "ALTER TABLE items ADD CHECK (OCTET_LENGTH(event_id) = 16)")
		})
	}
}

// TestConverted finds what oklog/ulid wrote with statements that convert IDs themselves.
func TestConverted(t *testing.T) {
	each(t, connections, func(t *testing.T, d guideDB) {
		d.Run("CREATE TABLE events (id " + d.via.bytesType + ", note CHAR(26))")
		id := ulid.Make()
		old := oklog.ULID(id)
		d.Run("INSERT INTO events VALUES (?, ?)", old[:], old.String())
		d.wantCount(t, 1, "events WHERE id = ? AND note = ?", id[:], id.String())
		if d.via.driver == "pgx" {
			d.Run("CREATE TABLE users (id uuid)")
			d.Run("INSERT INTO users VALUES (?)", pgtype.UUID{Bytes: old, Valid: true})
			d.wantCount(t, 1, "users WHERE id = ?", pgtype.UUID{Bytes: id, Valid: true})
		}
	})
}
