package storage

import (
	"errors"
	"slices"
	"strings"
	"testing"

	google "github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// What becomes of a query whose arguments are not of the type that stored the rows.
const (
	finds   = "finds"   // as with that type
	refuses = "refuses" // <> and NOT IN are errors
	loses   = "loses"   // = and IN find no row, <> and NOT IN match every row
)

// A columnCase says which of these may happen in a column, by the argument. It depends on the driver and its mode.
type columnCase struct {
	database *db.Database
	column   string
	ulid     []string
	asUUID   []string
	asBinary []string
	prefix   []string // the string of a typed ID
}

var columnCases = []columnCase{
	{
		database: db.SQLite, column: `TEXT`,
		ulid: may(finds), asUUID: may(loses), asBinary: may(loses), prefix: may(loses),
	},
	{
		database: db.SQLite, column: `BLOB`,
		ulid: may(loses), asUUID: may(loses), asBinary: may(finds), prefix: may(loses),
	},
	{
		database: db.PostgreSQL, column: `uuid`,
		ulid: may(refuses), asUUID: may(finds), asBinary: may(finds, refuses), prefix: may(refuses),
	},
	{
		database: db.PostgreSQL, column: `text COLLATE "C"`,
		ulid: may(finds), asUUID: may(loses), asBinary: may(refuses, loses), prefix: may(loses),
	},
	{
		database: db.PostgreSQL, column: `char(26) COLLATE "C"`,
		ulid: may(finds), asUUID: may(loses), asBinary: may(refuses, loses), prefix: may(loses),
	},
	{
		database: db.PostgreSQL, column: `bytea`,
		ulid: may(loses), asUUID: may(loses), asBinary: may(finds), prefix: may(loses),
	},
	{
		database: db.MariaDB, column: `CHAR(26) CHARACTER SET ascii COLLATE ascii_bin`,
		ulid: may(finds), asUUID: may(loses), asBinary: may(refuses, loses), prefix: may(loses),
	},
	{
		database: db.MariaDB, column: `BINARY(16)`,
		ulid: may(loses), asUUID: may(loses), asBinary: may(finds), prefix: may(loses),
	},
	{
		database: db.MySQL, column: `CHAR(26) CHARACTER SET ascii COLLATE ascii_bin`,
		ulid: may(finds), asUUID: may(loses), asBinary: may(refuses), prefix: may(loses),
	},
	{
		database: db.MySQL, column: `BINARY(16)`,
		ulid: may(loses), asUUID: may(loses), asBinary: may(finds), prefix: may(loses),
	},
}

func may(outcomes ...string) []string { return outcomes }

// TestOtherTypes looks for rows by every type of ID, and by strings with a prefix. This is also what happens when a
// program gives an ID another type over rows that exist: reading them is an error, and what a query finds depends on the
// format alone.
func TestOtherTypes(t *testing.T) {
	t.Parallel()
	page.Fact(t, storagePage, "wrong-type-finds-no-other-row")
	page.Fact(t, storagePage, "less-than-matches-all")
	page.Fact(t, storagePage, "other-format-is-an-error")
	ids := slices.Clone(samples)
	for _, id := range samples {
		ids = append(ids, neighbour(id))
	}
	eachSession(t, func(s *session) {
		for n, id := range ids {
			s.execOne(`INSERT INTO p (id, n) VALUES (?, ?)`, plain[s.column.GoType].value(id), n)
		}
		want := caseOf(s)
		for name, outcomes := range map[string][]string{
			"ULID":     want.ulid,
			"AsUUID":   want.asUUID,
			"AsBinary": want.asBinary,
		} {
			if name == s.column.GoType {
				plain[name].reads(s, ids)
				typedID[name].reads(s, ids)
			} else {
				plain[name].rejects(s)
				typedID[name].rejects(s)
			}
			wantOutcome(s, "ulid."+name, outcomes, ids, plain[name].value)
			wantOutcome(s, "typed."+name, outcomes, ids, typedID[name].value)
		}
		rejects[PrefixID](s)
		wantOutcome(s, "a string with a prefix", want.prefix, ids, func(id ulid.ULID) any { return UUIDID(id).String() })
		if s.column.GoType == "ULID" {
			var below []int
			err := s.read(&below, `SELECT n FROM p WHERE id < ?`, UUIDID(ulid.ULID{}).String())
			if err != nil || len(below) != len(ids) {
				s.t.Errorf("%d of %d rows are below the zero ID with a prefix, %v; the page says all",
					len(below), len(ids), err)
			}
		}
	})
}

func caseOf(s *session) columnCase {
	s.t.Helper()
	is := func(c columnCase) bool { return c.database == s.Database && c.column == s.column.SQL }
	at := slices.IndexFunc(columnCases, is)
	if at < 0 {
		s.t.Fatalf("the column %s is in no case", s.column.SQL)
	}
	return columnCases[at]
}

// reads reads the IDs of all rows as a T, which has the format of the column.
func reads[T ID](s *session, ids []ulid.ULID) {
	s.t.Helper()
	wantIDs(s, convert[T](ids), `SELECT id FROM p ORDER BY n`)
}

// rejects reads each row as a T, which has another format: that is an error, and leaves the ID of the row before.
func rejects[T ID](s *session) {
	s.t.Helper()
	const query = `SELECT id FROM p`
	run := s.Queryx
	if s.prepared {
		stmt := s.prepare(query)
		defer stmt.Close()
		run = func(_ string, args ...any) (*sqlx.Rows, error) { return stmt.Queryx(args...) }
	}
	rows, err := run(query)
	check(s.t, err)
	defer rows.Close()
	n := 0
	for rows.Next() {
		id := T(samples[1])
		err := rows.Scan(&id)
		if !errors.Is(err, ulid.ErrDataSize) || id != T(samples[1]) {
			s.t.Errorf("row %d is read as %v, %v, want an error", n, id, err)
		}
		n++
	}
	if err := rows.Err(); err != nil || n != 2*len(samples) {
		s.t.Errorf("%d rows, %v, want %d", n, err, 2*len(samples))
	}
}

func wantOutcome(s *session, name string, want []string, ids []ulid.ULID, arg func(ulid.ULID) any) {
	s.t.Helper()
	got := outcome(s, name, ids, arg)
	if !slices.Contains(want, got) {
		s.t.Errorf("with %s the outcome is %q, want %q", name, got, want)
	}
}

// outcome looks for the rows of ids, which are numbered, by other arguments.
func outcome(s *session, name string, ids []ulid.ULID, arg func(ulid.ULID) any) string {
	s.t.Helper()
	equal := 0
	all := make([]any, len(ids))
	for n, id := range ids {
		next := (n + 1) % len(ids)
		equal += findsNoOther(s, name, []int{n}, `SELECT n FROM p WHERE id = ?`, arg(id))
		findsNoOther(s, name, []int{min(n, next), max(n, next)},
			`SELECT n FROM p WHERE id IN (?, ?) ORDER BY n`, arg(id), arg(ids[next]))
		all[n] = arg(id)
	}
	var unlike, notIn []int
	err := s.read(&unlike, `SELECT n FROM p WHERE id <> ?`, all[len(all)/4])
	errNotIn := s.read(&notIn, `SELECT n FROM p WHERE id NOT IN (?`+strings.Repeat(`, ?`, len(all)-1)+`)`, all...)
	switch {
	case err != nil && errNotIn != nil && equal == 0:
		return refuses
	case err != nil || errNotIn != nil:
		return "is an error for one condition only"
	case equal == len(ids) && len(unlike) == len(ids)-1 && len(notIn) == 0:
		return finds
	case equal == 0 && len(unlike) == len(ids) && len(notIn) == len(ids):
		return loses
	}
	return "differs between conditions"
}

// findsNoOther fails the test if a query finds other rows than those wanted, and returns how many it finds: all, or
// none. An error finds none.
func findsNoOther(s *session, name string, want []int, query string, args ...any) int {
	s.t.Helper()
	var got []int
	err := s.read(&got, query, args...)
	if err != nil || len(got) == 0 {
		return 0
	}
	if !slices.Equal(got, want) {
		s.t.Fatalf("%s: %s with %v finds the rows %v, want %v or none", name, query, args, got, want)
	}
	return len(got)
}

// TestUUIDRows has rows of google/uuid in a uuid column. An AsUUID reads and finds them, and google/uuid those of an
// AsUUID.
func TestUUIDRows(t *testing.T) {
	t.Parallel()
	for _, driver := range db.PostgreSQL.Drivers {
		t.Run(driver.Name, func(t *testing.T) {
			conn := db.PostgreSQL.OpenWith(t, driver)
			conn.Run(`CREATE TABLE p (id uuid PRIMARY KEY)`)
			theirs, ours := google.New(), ulid.AsUUID(ulid.Make())
			conn.Run(`INSERT INTO p (id) VALUES (?), (?)`, theirs, ours)
			var id ulid.AsUUID
			check(t, conn.Get(&id, conn.Rebind(`SELECT id FROM p WHERE id = ?`), ulid.AsUUID(theirs)))
			if google.UUID(id) != theirs {
				t.Errorf("%v is read as %v", theirs, id.UUIDString())
			}
			var u google.UUID
			check(t, conn.Get(&u, conn.Rebind(`SELECT id FROM p WHERE id = ?`), google.UUID(ours)))
			if ulid.AsUUID(u) != ours {
				t.Errorf("%v is read as %v", ours.UUIDString(), u)
			}
		})
	}
}
