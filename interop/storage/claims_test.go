package storage

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/golden"
	"github.com/seed-961d0905/ulid/interop/page"
)

// random returns IDs with random bits in all places, always the same ones, in their order.
func random() []ulid.ULID {
	source := rand.NewChaCha8([32]byte{'U'})
	ids := make([]ulid.ULID, 2000)
	for i := range ids {
		source.Read(ids[i][:])
	}
	slices.SortFunc(ids, ulid.ULID.Compare)
	return ids
}

// order says whether a query returns the IDs in their order.
func order[T ID](s *tables, ids []T, query string) string {
	err := wantIDs(s, ids, query)
	if err == nil {
		return "right"
	}
	if !errors.As(err, new(Silent)) {
		s.t.Fatal(err)
	}
	return err.Error()
}

// TestPostgreSQLCollations shows why a text column needs COLLATE "C", or ucs_basic: some of the others have another
// order.
func TestPostgreSQLCollations(t *testing.T) {
	t.Parallel()
	d := db.PostgreSQL
	page.Fact(t, d.Page, "collations-sort-text-wrongly")
	table := newTable(t, d, "Order of text by collation")
	s := newTables(t, d, d.Drivers[0], `text COLLATE "C"`)
	ids := random()
	for _, id := range ids {
		s.Run(`INSERT INTO p (id, n) VALUES (?, 0)`, id)
	}
	right := []string{"C", "ucs_basic"}
	wrong := []string{"et-x-icu", "lt-x-icu", "cs-x-icu", "da-x-icu", "hu-x-icu", "nb-x-icu"} // the page names the first
	others := []string{"und-x-icu", "en-x-icu", "de-x-icu"}
	for _, collation := range slices.Concat(right, wrong, others) {
		got := order(s, ids, `SELECT id FROM p ORDER BY id COLLATE "`+collation+`"`)
		if slices.Contains(right, collation) && got != "right" {
			t.Errorf("the order of %s is %s, want right", collation, got)
		}
		if slices.Contains(wrong, collation) && got == "right" {
			t.Errorf("the order of %s is right, and %s warns of it", collation, d.Page)
		}
		table.Cell("`"+collation+"`", "order", got)
		table.Cell("`"+collation+"`", "first of T and Z", s.Text(`SELECT least('T' COLLATE "`+collation+`", 'Z')`))
	}
}

// storeUUIDs shows what a type UUID does to IDs that are UUIDs of version 7, which fit, and to plain ULIDs. MariaDB's
// refuses a quarter of those, and swaps parts of others before it sorts them, as if they were UUIDs of version 1.
func storeUUIDs[T ulid.AsUUID | UUIDID](t *testing.T, d *db.Database, table *golden.Table, c db.Column) {
	name := "`" + c.SQL + "` ← AsUUID, "
	t.Run(c.SQL, func(t *testing.T) {
		for _, driver := range d.Drivers {
			check(t, bulkOf(newTables(t, d, driver, c.SQL), version7[T](t)))
			table.Cell(name+"UUIDv7, 10 000 rows, ORDER BY", driver.Name, golden.Works)

			s := newTables(t, d, driver, c.SQL)
			all := convert[T](random())
			stored := storeRandom(s, all)
			table.Cell(name+"random bits, refused", driver.Name, percent(len(all)-len(stored), len(all)))
			table.Cell(name+"random bits, ORDER BY", driver.Name, order(s, stored, `SELECT id FROM p ORDER BY id`))
		}
	})
}

// version7 returns 10 000 UUIDs of version 7, ten in each millisecond.
func version7[T ID](t *testing.T) []T {
	now := start
	g := ulid.Generator{UUIDv7: true, Clock: func() time.Time {
		now = now.Add(100 * time.Microsecond)
		return now
	}}
	ids := make([]T, 10_000)
	for i := range ids {
		id, err := g.Make()
		check(t, err)
		ids[i] = T(id)
	}
	return ids
}

// storeRandom returns those of the IDs that the database takes.
func storeRandom[T ID](s *tables, ids []T) (stored []T) {
	for _, id := range ids {
		if s.exec(`INSERT INTO p (id, n) VALUES (?, 0)`, id) == nil {
			stored = append(stored, id)
		}
	}
	return stored
}

// percent says in tens how many of all there are, because another server may draw the line elsewhere.
func percent(n, all int) string {
	if 100*n < all {
		return "none"
	}
	ten := 100 * n / all / 10 * 10
	return fmt.Sprintf("%d to %d %%", ten, ten+10)
}

// TestSQLiteNumericAffinity shows what the declared types ULID and UUID do to a text of digits. SQLite
// knows neither word, and takes the type for a kind of number.
func TestSQLiteNumericAffinity(t *testing.T) {
	t.Parallel()
	d := db.SQLite
	table := newTable(t, d, "Text of digits only", d.Modules()...)
	digits := ulid.MustParse("01234567890123456789012345")
	for _, column := range []string{"TEXT", "ULID", "UUID"} {
		s := newTables(t, d, d.Drivers[0], column)
		s.Run(`INSERT INTO p (id, n) VALUES (?, 0)`, digits)
		storage := s.Text(`SELECT typeof(id) FROM p`)
		found := "not found"
		if s.Count(`SELECT count(*) FROM p WHERE id = ?`, neighbour(digits)) > 0 {
			found = "SILENT: another row is found"
		}
		if column == "TEXT" && (storage != "text" || found != "not found") {
			t.Errorf("TEXT stores %v as %s, and its neighbour is %s", digits, storage, found)
		}
		table.Cell("`"+column+"` ← ULID", "stored as", storage)
		table.Cell("`"+column+"` ← ULID", "looking for its neighbour", found)
	}
}

// TestSQLiteNullKey shows why a key in SQLite must be NOT NULL: a PRIMARY KEY alone may take NULL, more
// than once, and a ULID reads it as the zero ID. A table WITHOUT ROWID refuses it by itself.
func TestSQLiteNullKey(t *testing.T) {
	t.Parallel()
	table := newTable(t, db.SQLite, "NULL in a primary key", db.SQLite.Modules()...)
	for _, key := range []struct {
		row, definition string // %s is the type of the column
		mustRefuse      bool
	}{
		{"`id %s PRIMARY KEY`", "(id %s PRIMARY KEY)", false},
		{"`id %s PRIMARY KEY NOT NULL`", "(id %s PRIMARY KEY NOT NULL)", true},
		{"`id %s PRIMARY KEY`, `WITHOUT ROWID`", "(id %s PRIMARY KEY) WITHOUT ROWID", true},
	} {
		for _, column := range []string{"TEXT", "BLOB"} {
			row := fmt.Sprintf(key.row, column)
			got := nullKey(t, fmt.Sprintf(key.definition, column))
			if key.mustRefuse && got != "refused" {
				t.Errorf("%s: NULL is %s", row, got)
			}
			table.Cell(row, "NULL is", got)
		}
	}
}

// nullKey inserts NULL twice, and says what became of it.
func nullKey(t *testing.T, definition string) string {
	t.Helper()
	conn := db.SQLite.Open(t, "")
	conn.Run("CREATE TABLE p " + definition)
	for range 2 {
		conn.Try("INSERT INTO p (id) VALUES (?)", (*ulid.ULID)(nil))
	}
	var ids []ulid.ULID
	check(t, conn.Select(&ids, "SELECT id FROM p"))
	switch {
	case len(ids) == 0:
		return "refused"
	case slices.Equal(ids, make([]ulid.ULID, 2)):
		return "SILENT: taken, more than once, and read as the zero ID"
	}
	return fmt.Sprintf("read as %v", ids)
}
