package storage

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// TestWrongTypeNeverFindsAnotherRow looks for rows by the two types that did not store them. That finds nothing, is an
// error, or finds the row of that ID, as an AsBinary does in a uuid, but never the row of another ID, which may be its
// neighbour.
func TestWrongTypeNeverFindsAnotherRow(t *testing.T) {
	t.Parallel()
	page.Fact(t, "docs/storage.md", "wrong-type-finds-no-other-row")
	ids := slices.Clone(samples)
	for _, id := range samples {
		ids = append(ids, neighbour(id))
	}
	eachSession(t, func(s *session) {
		for n, id := range ids {
			s.execOne(`INSERT INTO p (id, n) VALUES (?, ?)`, plain[s.column.GoType].value(id), n)
		}
		for name, typ := range plain {
			if name == s.column.GoType {
				continue
			}
			for n, id := range ids {
				next := (n + 1) % len(ids)
				var equal, in []int
				err := s.read(&equal, `SELECT n FROM p WHERE id = ?`, typ.value(id))
				if err == nil && len(equal) > 0 && !slices.Equal(equal, []int{n}) {
					s.t.Fatalf("the %s of row %d, %v, finds the rows %v", name, n, id, equal)
				}
				err = s.read(&in, `SELECT n FROM p WHERE id IN (?, ?) ORDER BY n`, typ.value(id), typ.value(ids[next]))
				if err == nil && len(in) > 0 && !slices.Equal(in, []int{min(n, next), max(n, next)}) {
					s.t.Fatalf("the %s of the rows %d and %d, %v and %v, finds the rows %v", name, n, next, id, ids[next], in)
				}
			}
		}
	})
}

// TestInterpolatedBytesBecomeAnotherID stores an AsBinary in a column of text, where the driver writes it into the
// statement: MariaDB replaces bytes. MySQL refuses them.
func TestInterpolatedBytesBecomeAnotherID(t *testing.T) {
	t.Parallel()
	page.Fact(t, "docs/mysql.md", "interpolated-bytes-become-another-id")
	id := ulid.AsBinary(ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV"))
	for _, d := range []*db.Database{db.MariaDB, db.MySQL} {
		t.Run(d.Name, func(t *testing.T) {
			conn := d.Open(t, "interpolateParams=true")
			conn.Run(`CREATE TABLE p (id CHAR(26) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY)`)
			err := conn.Try(`INSERT INTO p (id) VALUES (?)`, id)
			if d == db.MySQL {
				if err == nil {
					t.Error("MySQL takes the bytes, and the page says that it rejects them")
				}
				return
			}
			check(t, err)
			var got ulid.AsBinary
			check(t, conn.Get(&got, `SELECT id FROM p`))
			if got == id {
				t.Error("the ID is read as it was, and the page says that it becomes another one")
			}
		})
	}
}

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

// isSorted reports whether a query returns its IDs in their order.
func isSorted(t *testing.T, conn *db.DB, query string) bool {
	t.Helper()
	var ids []ulid.ULID
	check(t, conn.Select(&ids, query))
	if len(ids) == 0 {
		t.Fatalf("%s returns nothing", query)
	}
	return slices.IsSortedFunc(ids, ulid.ULID.Compare)
}

// TestPostgreSQLCollations shows why a text column needs COLLATE "C", or ucs_basic.
func TestPostgreSQLCollations(t *testing.T) {
	t.Parallel()
	page.Fact(t, db.PostgreSQL.Page, "collations-sort-text-wrongly")
	conn := db.PostgreSQL.Open(t, "")
	conn.Run(`CREATE TABLE p (id text COLLATE "C" PRIMARY KEY)`)
	for _, id := range random() {
		conn.Run(`INSERT INTO p (id) VALUES (?)`, id)
	}
	for collation, want := range map[string]bool{
		"C": true, "ucs_basic": true,
		"et-x-icu": false, "lt-x-icu": false, "cs-x-icu": false, "da-x-icu": false, "hu-x-icu": false, "nb-x-icu": false,
	} {
		if got := isSorted(t, conn, `SELECT id FROM p ORDER BY id COLLATE "`+collation+`"`); got != want {
			t.Errorf("%s sorts IDs: %t, want %t", collation, got, want)
		}
	}
	if first := conn.Text(`SELECT least('T' COLLATE "et-x-icu", 'Z')`); first != "Z" {
		t.Errorf("Estonian sorts %s first, and the page says Z before T", first)
	}
}

// TestMariaDBUUID stores IDs in MariaDB's type UUID. It refuses some plain ULIDs and swaps parts of others before it
// sorts them, as if they were UUIDs of version 1. UUIDs of version 7 fit.
func TestMariaDBUUID(t *testing.T) {
	t.Parallel()
	page.Fact(t, "docs/mysql.md", "mariadb-uuid-reorders")
	conn := db.MariaDB.Open(t, "")
	conn.Run(`CREATE TABLE plain (id UUID PRIMARY KEY)`)
	conn.Run(`CREATE TABLE v7 (id UUID PRIMARY KEY)`)
	refused := 0
	for _, id := range random() {
		if conn.Try(`INSERT INTO plain (id) VALUES (?)`, ulid.AsUUID(id)) != nil {
			refused++
		}
	}
	if refused < 400 || refused > 500 {
		t.Errorf("%d of 2,000 plain ULIDs are refused, and the page says up to a quarter", refused)
	}
	if isSorted(t, conn, `SELECT id FROM plain ORDER BY id`) {
		t.Error("plain ULIDs are sorted, and the page says that they are not")
	}

	now := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	g := ulid.Generator{UUIDv7: true, Clock: func() time.Time {
		now = now.Add(100 * time.Microsecond)
		return now
	}}
	for range 1000 {
		id, err := g.Make()
		check(t, err)
		conn.Run(`INSERT INTO v7 (id) VALUES (?)`, ulid.AsUUID(id))
	}
	if !isSorted(t, conn, `SELECT id FROM v7 ORDER BY id`) {
		t.Error("UUIDs of version 7 are not sorted")
	}
}

// TestSQLiteNumericAffinity shows what the declared types ULID and UUID do to a text of digits. SQLite knows neither
// word, and takes the type for a kind of number. UUID format stays a text.
func TestSQLiteNumericAffinity(t *testing.T) {
	t.Parallel()
	page.Fact(t, db.SQLite.Page, "numeric-affinity-finds-another-row")
	digits := ulid.MustParse("01234567890123456789012345")
	for _, column := range []string{"TEXT", "ULID", "UUID"} {
		conn := db.SQLite.Open(t, "")
		conn.Run("CREATE TABLE p (id " + column + " PRIMARY KEY)")
		conn.Run(`INSERT INTO p (id) VALUES (?)`, digits)
		var got ulid.ULID
		err := conn.Get(&got, `SELECT id FROM p`)
		others := conn.Count(`SELECT count(*) FROM p WHERE id = ?`, neighbour(digits))
		if column == "TEXT" {
			if got != digits || others != 0 {
				t.Errorf("TEXT has %v as %v, %v, and %d rows of its neighbour", digits, got, err, others)
			}
			continue
		}
		if err == nil || others != 1 {
			t.Errorf("%s: reading an ID of digits: %v, want an error; another ID finds %d rows, want 1", column, err, others)
		}
		for _, id := range samples {
			conn.Run(`DELETE FROM p`)
			conn.Run(`INSERT INTO p (id) VALUES (?)`, ulid.AsUUID(id))
			if storage := conn.Text(`SELECT typeof(id) FROM p`); storage != "text" {
				t.Errorf("%s stores the UUID format of %v as %s", column, id, storage)
			}
		}
	}
}

// TestSQLiteNullKey shows why a key in SQLite must be NOT NULL: a PRIMARY KEY alone takes NULL, more than once, and a
// ULID reads it as the zero ID.
func TestSQLiteNullKey(t *testing.T) {
	t.Parallel()
	page.Fact(t, db.SQLite.Page, "key-accepts-null")
	for _, column := range []string{"TEXT", "BLOB"} {
		for constraint, want := range map[string]int{"": 2, " NOT NULL": 0} {
			conn := db.SQLite.Open(t, "")
			conn.Run("CREATE TABLE p (id " + column + " PRIMARY KEY" + constraint + ")")
			for range 2 {
				_ = conn.Try("INSERT INTO p (id) VALUES (?)", (*ulid.ULID)(nil)) // an error, if it is NOT NULL
			}
			var ids []ulid.ULID
			check(t, conn.Select(&ids, "SELECT id FROM p"))
			if !slices.Equal(ids, make([]ulid.ULID, want)) {
				t.Errorf("%s PRIMARY KEY%s has %v, want NULL %d times", column, constraint, ids, want)
			}
		}
	}
}
