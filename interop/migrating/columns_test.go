package migrating

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
	oklog "github.com/oklog/ulid/v2"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/page"
	adapter "github.com/seed-961d0905/ulid/oklog"
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

// TestTextsAreAccepted shows what becomes of a program whose imports have the path of this library, and whose columns
// are bytes: it finds none of its rows and stores texts beside them, without an error.
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
	})
}

// TestSameRows shows that a program finds, reads and deletes the rows of oklog/ulid with the module that replaces it,
// and those of the module with oklog/ulid, by =, IN and a range.
func TestSameRows(t *testing.T) {
	page.Fact(t, "docs/migrating.md", "same-rows")
	page.Fact(t, "docs/migrating.md", "way-back-reads-new-rows")
	each(t, connections, func(t *testing.T, d guideDB) {
		d.makeTables()
		ids := d.addOldEvents(3)
		for range 3 {
			id := adapter.Make()
			d.addEvent(id)
			ids = append(ids, ulid.ULID(id))
		}
		d.wantForms(t, "16 bytes 6")
		hourAgo := ulid.FirstAt(time.Now().Add(-time.Hour))
		d.wantCount(t, 6, "events WHERE id >= ?", oklog.ULID(hourAgo))
		d.wantCount(t, 6, "events WHERE id >= ?", adapter.ULID(hourAgo))
		d.wantCount(t, 0, "events WHERE id < ?", adapter.ULID(hourAgo))
		for i, id := range ids {
			var theirs oklog.ULID
			var ours adapter.ULID
			const query = "SELECT id, event_id FROM items JOIN events ON id = event_id WHERE id = "
			check(t, d.row(query+"?", oklog.ULID(id)).Scan(&theirs, &ours))
			if theirs != oklog.ULID(id) || ours != adapter.ULID(id) {
				t.Errorf("%v is read as %v and %v", id, theirs, ours)
			}
			d.wantCount(t, 1, "events WHERE id IN (?)", adapter.ULID(id))
			d.wantCount(t, 5, "events WHERE id NOT IN (?)", adapter.ULID(id))
			const remove = "DELETE FROM items WHERE event_id = ?"
			if i%2 == 0 {
				d.Run(remove, oklog.ULID(id))
			} else {
				d.Run(remove, adapter.ULID(id))
			}
		}
		d.wantCount(t, 0, "items")
	})
}

// TestOperators shows which conditions on a column of bytes match no row, and which every row, if the
// argument is a text. The time of the argument makes no difference.
func TestOperators(t *testing.T) {
	page.Fact(t, "docs/storage.md", "less-than-matches-all")
	page.Fact(t, "docs/migrating.md", "less-than-matches-all")
	page.Fact(t, "docs/migrating.md", "operators-that-match-all")
	const rows = 5
	each(t, connections, func(t *testing.T, d guideDB) {
		d.makeTables()
		d.addOldEvents(rows)
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

// TestUUIDRefusesTexts converts a column to uuid. A missed argument is then an error, and oklog/ulid cannot read its
// rows, until the column is bytea again.
func TestUUIDRefusesTexts(t *testing.T) {
	each(t, []connection{postgres, pq}, func(t *testing.T, d guideDB) {
		d.installFunctions()
		d.Run("CREATE TABLE events (id bytea PRIMARY KEY)")
		old := oklog.Make()
		d.Run(insert, old)
		d.Run("ALTER TABLE events ALTER id TYPE uuid USING ulid_to_uuid(id)")
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
		was, zero, id := theirs, adapter.ULID(theirs), new(adapter.ULID)
		check(t, d.row("SELECT zero, zero, id FROM events").Scan(&theirs, &zero, &id))
		if theirs != was || !zero.IsZero() || id != nil {
			t.Errorf("NULL is read as %v, %v, %v, want %v, the zero ULID and nil", theirs, zero, id, was)
		}
		d.Run("UPDATE events SET zero = ?, id = ?", zero, id)
		d.wantCount(t, 1, "events WHERE id IS NULL AND zero = ?", make([]byte, 16))
		d.wantForms(t, "")
	})
}

// TestOtherBytes shows what the guide's query says of columns that have more than ULIDs.
func TestOtherBytes(t *testing.T) {
	aaguid := uuid.MustParse("d8522d9f-575b-4866-88a9-ba99fa02f35b") // the kind of an authenticator
	each(t, withMySQL(sqlite, postgres, mariadb, varbinary), func(t *testing.T, d guideDB) {
		d.Run("CREATE TABLE events (id " + d.via.bytesType + ")")
		d.Run(insert, oklog.Make())
		d.Run(insert, aaguid[:])
		d.wantForms(t, "16 bytes 1, other 16 bytes 1")
	})
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
