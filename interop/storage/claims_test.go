package storage

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/internal/record"
)

// random returns n IDs with random bits in all places, always the same ones, in their order.
func random(n int) []ulid.ULID {
	source := rand.NewChaCha8([32]byte{'U'})
	ids := make([]ulid.ULID, n)
	for i := range ids {
		source.Read(ids[i][:])
	}
	slices.SortFunc(ids, ulid.ULID.Compare)
	return ids
}

// insertAll stores IDs by value in few statements.
func (s *tables) insertAll(t *testing.T, goType string, ids []ulid.ULID) {
	t.Helper()
	for batch := range slices.Chunk(ids, 1000) {
		var args []any
		for _, id := range batch {
			args = append(args, value(goType, id))
		}
		check(t, s.exec(`INSERT INTO p (id, n) VALUES `+strings.Repeat(`, (?, 0)`, len(batch))[1:], args...))
	}
}

// TestPostgreSQLCollations shows why a text column needs COLLATE "C": some of the others order digits and
// letters differently. The first two are what the documentation recommends.
func TestPostgreSQLCollations(t *testing.T) {
	t.Parallel()
	s := newTables(t, postgres.open(t, postgres.drivers[0]), `text COLLATE "C"`)
	ids := random(2000)
	s.insertAll(t, "ULID", ids)
	recommended := []string{"C", "ucs_basic"}
	others := []string{"und-x-icu", "en-x-icu", "de-x-icu", "et-x-icu", "lt-x-icu", "cs-x-icu", "da-x-icu", "hu-x-icu",
		"nb-x-icu"}
	for _, collation := range slices.Concat(recommended, others) {
		got := "right"
		if err := wantIDs(s, ids, `SELECT id FROM p ORDER BY id COLLATE "`+collation+`"`); errors.As(err, new(Silent)) {
			got = err.Error()
		} else if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(recommended, collation) && got != "right" {
			t.Errorf("the order of %s is %s, want right", collation, got)
		}
		record.Cell(t, "PostgreSQL: order of text by collation", "`"+collation+"`", "order", got)
	}
}

// TestMariaDBUUID shows why the type UUID is not for plain ULIDs: it refuses a quarter of them, and swaps
// parts of others before it sorts them, as if they were UUIDs of version 1.
func TestMariaDBUUID(t *testing.T) {
	t.Parallel()
	const n = 2000
	for _, d := range mariadb.drivers {
		s := newTables(t, mariadb.open(t, d), `UUID`)
		var stored []ulid.ULID
		for _, id := range random(n) {
			if s.exec(`INSERT INTO p (id, n) VALUES (?, 0)`, ulid.AsUUID(id)) == nil {
				stored = append(stored, id)
			}
		}
		refused := 100 * (n - len(stored)) / n
		t.Logf("%s: %d%% refused", d.name, refused)
		// In tens, because another server may draw the line elsewhere.
		record.Cell(t, "MariaDB: `UUID` ← AsUUID, random ULIDs", "refused", d.name,
			fmt.Sprintf("%d to %d %%", refused/10*10, refused/10*10+10))
		order := "right"
		if err := wantIDs(s, stored, `SELECT id FROM p ORDER BY id`); err != nil {
			order = err.Error()
		}
		record.Cell(t, "MariaDB: `UUID` ← AsUUID, random ULIDs", "ORDER BY", d.name, order)
	}
}

// TestUUIDv7 shows that IDs which are UUIDs of version 7 fit the types for UUIDs, also in MariaDB, which
// takes them all and sorts them as they were made.
func TestUUIDv7(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		server server
		column string
	}{{postgres, "uuid"}, {mariadb, "UUID"}} {
		for _, d := range c.server.drivers {
			s := newTables(t, c.server.open(t, d), c.column)
			if err := bulkFrom[ulid.AsUUID](s, fillUUIDv7); err != nil {
				t.Errorf("%s, %s: %v", c.server.name, d.name, err)
				continue
			}
			record.Cell(t, "UUIDv7 as UUID: `Generator{UUIDv7: true}`",
				c.server.name+" `"+c.column+"` ← AsUUID, "+d.name, "10 000 rows, ORDER BY", works)
		}
	}
}

// fillUUIDv7 makes UUIDv7 in several milliseconds.
func fillUUIDv7(ids []ulid.ULID) error {
	now := start
	g := ulid.Generator{UUIDv7: true, Clock: func() time.Time { return now }}
	for batch := range slices.Chunk(ids, 1000) {
		now = now.Add(time.Millisecond)
		if err := g.Fill(batch); err != nil {
			return err
		}
	}
	return nil
}

// TestSQLiteNumericAffinity shows what the declared types ULID and UUID do to a text of digits. SQLite
// knows neither word, and takes the type for a kind of number.
func TestSQLiteNumericAffinity(t *testing.T) {
	t.Parallel()
	digits := ulid.MustParse("01234567890123456789012345")
	neighbour, _ := digits.Next()
	for _, column := range []string{"TEXT", "ULID", "UUID"} {
		s := newTables(t, sqlite.open(t, sqlite.drivers[0]), column)
		s.insertAll(t, "ULID", []ulid.ULID{digits})
		var storage string
		var n int
		check(t, s.QueryRow(`SELECT typeof(id), id = ? FROM p`, neighbour).Scan(&storage, &n))
		found := "not found"
		if n > 0 {
			found = "SILENT: another row is found"
		}
		if column == "TEXT" && (storage != "text" || n != 0) {
			t.Errorf("TEXT stores %v as %s, and its neighbour is %s", digits, storage, found)
		}
		const table = "SQLite: text of digits only"
		record.Cell(t, table, "`"+column+"` ← ULID", "stored as", storage)
		record.Cell(t, table, "`"+column+"` ← ULID", "looking for its neighbour", found)
	}
}

// TestSQLiteNullKey shows why a key in SQLite must be NOT NULL: a PRIMARY KEY alone may take NULL, more
// than once, and a ULID reads it as the zero ID. A table WITHOUT ROWID refuses it by itself.
func TestSQLiteNullKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key, table string
		mustRefuse bool
	}{
		{"id TEXT PRIMARY KEY", "", false},
		{"id BLOB PRIMARY KEY", "", false},
		{"id TEXT PRIMARY KEY NOT NULL", "", true},
		{"id BLOB PRIMARY KEY NOT NULL", "", true},
		{"id TEXT PRIMARY KEY", "WITHOUT ROWID", true},
		{"id BLOB PRIMARY KEY", "WITHOUT ROWID", true},
	} {
		db := sqlite.open(t, sqlite.drivers[0])
		db.MustExec("CREATE TABLE p (" + c.key + ") " + c.table)
		for range 2 {
			db.Exec("INSERT INTO p (id) VALUES (?)", (*ulid.ULID)(nil))
		}
		var ids []ulid.ULID
		check(t, db.Select(&ids, "SELECT id FROM p"))
		got := "refused"
		if slices.Equal(ids, make([]ulid.ULID, 2)) {
			got = "SILENT: taken, more than once, and read as the zero ID"
		}
		if c.mustRefuse && len(ids) > 0 {
			t.Errorf("%s %s: NULL is %s, %v", c.key, c.table, got, ids)
		}
		row := "`" + c.key + "`"
		if c.table != "" {
			row += ", `" + c.table + "`"
		}
		record.Cell(t, "SQLite: NULL in a primary key", row, "NULL is", got)
	}
}
