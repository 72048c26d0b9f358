package storage

import (
	"database/sql"
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

// What the documentation says beyond what works in which column.

// random returns as many IDs of random bits in all places, always the same ones.
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
		if err := s.exec(`INSERT INTO p (id, n) VALUES `+strings.Repeat(`, (?, 0)`, len(batch))[1:], args...); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPostgreSQLCollations shows why a text column wants COLLATE "C": some of the others
// have their own mind of where digits and letters stand.
func TestPostgreSQLCollations(t *testing.T) {
	db := postgres.open(t, postgres.drivers[0])
	s := newTables(t, db, `text COLLATE "C"`, true)
	ids := random(2000)
	s.insertAll(t, "ULID", ids)
	for _, c := range []struct {
		collation string
		misorders bool
	}{
		{`C`, false},
		{`ucs_basic`, false},
		{`und-x-icu`, false},
		{`en-x-icu`, false},
		{`de-x-icu`, false},
		{`et-x-icu`, true},
		{`lt-x-icu`, true},
		{`cs-x-icu`, true},
		{`da-x-icu`, true},
		{`hu-x-icu`, true},
		{`nb-x-icu`, true},
	} {
		want, misorder := "right", silent("wrong order")
		if c.misorders {
			want = misorder.Error()
		}
		got := "right"
		err := wantIDs(s, ids, `SELECT id FROM p ORDER BY id COLLATE "`+c.collation+`"`)
		if errors.As(err, &misorder) {
			got = err.Error()
		} else if err != nil {
			t.Errorf("%s: %v", c.collation, err)
			continue
		}
		if got != want {
			t.Errorf("%s: %s, expected %s", c.collation, got, want)
			continue
		}
		record.Cell(t, "PostgreSQL: order of text by collation", "`"+c.collation+"`", "order", got)
	}

	// Every language that the server knows, for the log.
	rows, err := db.Query(`SELECT collname FROM pg_collation WHERE collprovider = 'i' AND collname !~ '-.*-.*-' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	var names, misorder []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	for _, name := range names {
		if wantIDs(s, ids, `SELECT id FROM p ORDER BY id COLLATE "`+name+`"`) != nil {
			misorder = append(misorder, name)
		}
	}
	t.Logf("of %d ICU collations these misorder ULIDs: %v", len(names), misorder)
}

// TestPostgreSQLIndexSize measures the primary key of 100 000 rows.
func TestPostgreSQLIndexSize(t *testing.T) {
	db := postgres.open(t, postgres.drivers[0])
	ids := make([]ulid.ULID, 100_000)
	ulid.Fill(ids)
	size := func(column, goType string) float64 {
		s := newTables(t, db, column, true)
		s.insertAll(t, goType, ids)
		var bytes float64
		if err := s.queryRow(`SELECT pg_relation_size('` + s.p + `_pkey')`).Scan(&bytes); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.1f MB", column, bytes/1e6)
		return bytes
	}
	uuid := size(`uuid`, "AsUUID")
	for _, c := range []struct {
		column, goType string
		min, max       float64 // times uuid
	}{
		{`bytea`, "AsBinary", 1, 1.4},
		{`text COLLATE "C"`, "ULID", 1.4, 1.8},
		{`char(26) COLLATE "C"`, "ULID", 1.4, 1.8},
	} {
		ratio := size(c.column, c.goType) / uuid
		if ratio < c.min || c.max < ratio {
			t.Errorf("the index of %s is %.2f times that of uuid", c.column, ratio)
			continue
		}
		record.Cell(t, "PostgreSQL: size of the index", "`"+c.column+"` ← "+c.goType,
			"times `uuid` ← AsUUID", fmt.Sprintf("%.1f to %.1f", c.min, c.max))
	}
}

// TestMariaDBUUID shows why the type UUID is not for ULIDs that are no UUIDv7: it refuses a quarter of
// them, and swaps parts of others before it sorts them, as is good for a UUID of version 1.
func TestMariaDBUUID(t *testing.T) {
	const n = 2000
	now := start
	g := ulid.Generator{
		Entropy: rand.NewChaCha8([32]byte{}),
		Clock:   func() time.Time { now = now.Add(time.Millisecond); return now },
	}
	ids := make([]ulid.ULID, n)
	for i := range ids {
		id, err := g.Make()
		if err != nil {
			t.Fatal(err)
		}
		ids[i] = id
	}
	for _, d := range mariadb.drivers {
		s := newTables(t, mariadb.open(t, d), `UUID`, false)
		var stored []ulid.ULID
		for _, id := range ids {
			err := s.exec(`INSERT INTO p (id, n) VALUES (?, 0)`, ulid.AsUUID(id))
			if err == nil {
				stored = append(stored, id)
			}
			// A version above 7, and a variant below those of RFC 9562, or its very first.
			if refused := id[6] >= 0x80 && 0 < id[8] && id[8] <= 0x80; refused != (err != nil) {
				t.Errorf("%s: insert %s: %v", d.name, id.UUIDString(), err)
			}
		}
		refused := 100 * (n - len(stored)) / n
		t.Logf("%s: %d%% refused", d.name, refused)
		if refused < 20 || 30 < refused {
			t.Errorf("%s: MariaDB refused %d%% of the ULIDs", d.name, refused)
			continue
		}
		record.Cell(t, "MariaDB: `UUID` ← AsUUID, random ULIDs", "refused", d.name, "20 to 30 %")
		var wrong silent
		if err := wantIDs(s, stored, `SELECT id FROM p ORDER BY id`); !errors.As(err, &wrong) {
			t.Errorf("%s: ORDER BY = %v", d.name, err)
			continue
		}
		record.Cell(t, "MariaDB: `UUID` ← AsUUID, random ULIDs", "ORDER BY", d.name, wrong.Error())
	}
}

// TestUUIDv7 shows that IDs which are UUIDs of version 7 fit the types for UUIDs, that of MariaDB
// included: it takes them all, and sorts them as they were made.
func TestUUIDv7(t *testing.T) {
	for _, c := range []struct {
		server server
		column string
	}{{postgres, "uuid"}, {mariadb, "UUID"}} {
		for _, d := range c.server.drivers {
			s := newTables(t, c.server.open(t, d), c.column, c.server.name == "PostgreSQL")
			if err := bulkFrom[ulid.AsUUID](s, fillUUIDv7); err != nil {
				t.Errorf("%s, %s: %v", c.server.name, d.name, err)
				continue
			}
			record.Cell(t, "UUIDv7 as UUID: `Generator{UUIDv7: true}`",
				c.server.name+" `"+c.column+"` ← AsUUID, "+d.name, "10 000 rows, ORDER BY", works)
		}
	}
}

// fillUUIDv7 makes UUIDv7 in several milliseconds. In each they begin 2⁴⁰ below the carry over
// the variant, which takes half of the 1,000 steps.
func fillUUIDv7(ids []ulid.ULID) error {
	now := start
	for batch := range slices.Chunk(ids, 1000) {
		now = now.Add(time.Millisecond)
		after, err := ulid.ParseUUID(ulid.FirstAt(now).UUIDString()[:14] + "7000-bfff-ff0000000000")
		if err != nil {
			return err
		}
		g := ulid.Generator{UUIDv7: true, After: after, Clock: func() time.Time { return now }}
		if err := g.Fill(batch); err != nil {
			return err
		}
		if first, last := batch[0].UUIDString(), batch[len(batch)-1].UUIDString(); first[:18] == last[:18] {
			return fmt.Errorf("nothing was carried over the variant from %s to %s", first, last)
		}
	}
	for _, id := range ids {
		if !id.IsUUIDv7() {
			return fmt.Errorf("%v is no UUIDv7", id)
		}
	}
	return nil
}

// TestSQLiteNumericAffinity shows what the declared types ULID and UUID do to a text of
// digits: SQLite takes the type for a kind of number, because it knows neither word.
func TestSQLiteNumericAffinity(t *testing.T) {
	ordinary := samples[len(samples)/2]
	digits := ulid.MustParse("01234567890123456789012345")
	neighbour, _ := digits.Next()
	for _, c := range []struct{ column, storage, neighbour string }{
		{"TEXT", "text", "not found"},
		{"ULID", "real", "SILENT: another row is found"},
		{"UUID", "real", "SILENT: another row is found"},
	} {
		s := newTables(t, sqlite.open(t, sqlite.drivers[0]), c.column, false)
		s.insertAll(t, "ULID", []ulid.ULID{ordinary, digits})
		var storage string
		for _, id := range []struct {
			id      ulid.ULID
			storage string
		}{{ordinary, "text"}, {digits, c.storage}} {
			if err := s.queryRow(`SELECT typeof(id) FROM p WHERE id = ?`, id.id).Scan(&storage); err != nil || storage != id.storage {
				t.Errorf("%s: %v is stored as %s, %v", c.column, id.id, storage, err)
			}
		}
		found := "not found"
		if err := s.queryRow(`SELECT 'SILENT: another row is found' FROM p WHERE id = ?`, neighbour).Scan(&found); err != nil && err != sql.ErrNoRows {
			t.Error(err)
		}
		if found != c.neighbour {
			t.Errorf("%s: the neighbour of what is stored is %s", c.column, found)
		}
		const table = "SQLite: text of digits only"
		record.Cell(t, table, "`"+c.column+"` ← ULID", "stored as", storage)
		record.Cell(t, table, "`"+c.column+"` ← ULID", "looking for its neighbour", found)
	}
}

// TestSQLiteNullKey shows why a key in SQLite is to be NOT NULL: a PRIMARY KEY alone takes NULL, more
// than once, and a ULID reads it as the zero ID. A table WITHOUT ROWID refuses it by itself.
func TestSQLiteNullKey(t *testing.T) {
	const taken = "SILENT: taken, more than once, and read as the zero ID"
	for _, c := range []struct{ row, table, want string }{
		{"`id TEXT PRIMARY KEY`", "(id TEXT PRIMARY KEY)", taken},
		{"`id BLOB PRIMARY KEY`", "(id BLOB PRIMARY KEY)", taken},
		{"`id TEXT PRIMARY KEY NOT NULL`", "(id TEXT PRIMARY KEY NOT NULL)", "refused"},
		{"`id BLOB PRIMARY KEY NOT NULL`", "(id BLOB PRIMARY KEY NOT NULL)", "refused"},
		{"`id TEXT PRIMARY KEY`, `WITHOUT ROWID`", "(id TEXT PRIMARY KEY) WITHOUT ROWID", "refused"},
		{"`id BLOB PRIMARY KEY`, `WITHOUT ROWID`", "(id BLOB PRIMARY KEY) WITHOUT ROWID", "refused"},
	} {
		db := sqlite.open(t, sqlite.drivers[0])
		if _, err := db.Exec("CREATE TABLE p " + c.table); err != nil {
			t.Fatal(err)
		}
		got := "refused"
		for range 2 {
			if _, err := db.Exec("INSERT INTO p (id) VALUES (?)", (*ulid.ULID)(nil)); err == nil {
				got = "taken"
			}
		}
		if got == "taken" {
			rows := &tables{DB: db, t: t, p: "p"}
			if err := wantIDs(rows, make([]ulid.ULID, 2), "SELECT id FROM p"); err != nil {
				t.Fatalf("%s: %v", c.row, err)
			}
			got = taken
		}
		if got != c.want {
			t.Errorf("%s: NULL is %s", c.row, got)
			continue
		}
		record.Cell(t, "SQLite: NULL in a primary key", c.row, "NULL is", got)
	}
}
