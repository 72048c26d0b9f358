package storage

import (
	"database/sql"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/typed"
)

// TestColumns does what programs do in every column that docs/storage.md names, with every type of ID whose format the
// column holds.
func TestColumns(t *testing.T) {
	db.Each(t, db.All, func(t *testing.T, d *db.Database) {
		t.Parallel()
		for _, c := range d.Columns {
			for _, driver := range d.Drivers { // in every mode
				t.Run(c.GoType+" in "+c.SQL+"/"+driver.Name, func(t *testing.T) {
					s := newSession(t, d, driver, c)
					for _, typ := range goTypes {
						if typ.column == c.GoType {
							typ.inColumn(s)
						}
					}
				})
			}
		}
	})
}

// inColumn does it with one type of ID, and leaves the tables empty.
func inColumn[T ID](s *session) {
	ids := make([]T, len(samples))
	for n, id := range samples {
		ids[n] = T(id)
		s.execOne(`INSERT INTO p (id, n) VALUES (?, ?)`, ids[n], n)
	}
	holdsFormat(s)
	findsByKey(s, ids)
	wantIDs(s, ids, `SELECT id FROM p ORDER BY id`)
	findsInList(s, ids)
	storesNull(s, ids)
	for i, id := range ids {
		s.execOne(`DELETE FROM p WHERE id = ?`, id)
		wantIDs(s, ids[i+1:], `SELECT id FROM p ORDER BY id`)
	}
}

// holdsFormat compares what the column holds with the formats of docs/storage.md, because rows of another one are
// not found by other programs.
func holdsFormat(s *session) {
	format := map[string]func(ulid.ULID) string{
		"ULID":         ulid.ULID.String,
		"AsUUID":       ulid.ULID.UUIDString,
		"AsBinary":     func(id ulid.ULID) string { return string(id[:]) },
		"PrefixColumn": func(id ulid.ULID) string { return "ninechars_" + strings.ToLower(id.String()) },
	}[s.column.GoType]
	var want, got []string
	for _, id := range samples {
		want = append(want, format(id))
	}
	err := s.read(&got, `SELECT id FROM p ORDER BY n`)
	if err != nil || !slices.Equal(got, want) {
		s.t.Errorf("the column holds %q, %v, want %q", got, err, want)
	}
}

func findsByKey[T ID](s *session, ids []T) {
	type row struct {
		ID T
		N  int
	}
	for n, id := range ids {
		var got []row
		err := s.read(&got, `SELECT id, n FROM p WHERE id = ?`, id)
		if err != nil || !slices.Equal(got, []row{{id, n}}) {
			s.t.Errorf("row %d of %v is read as %v, %v", n, id, got, err)
		}
		id[15] ^= 1 // which no row has
		wantIDs(s, []T(nil), `SELECT id FROM p WHERE id = ?`, id)
	}
}

// findsInList looks for an ID and one before and one after it, in another order.
func findsInList[T ID](s *session, ids []T) {
	for i, id := range ids {
		before, after := ids[i/2], ids[(i+len(ids))/2]
		want := slices.Compact([]T{before, id, after})
		wantIDs(s, want, `SELECT id FROM p WHERE id IN (?, ?, ?) ORDER BY id`, after, before, id)
	}
}

// storesNull stores an ID that is there and one that is not, and reads them, in both of the ways that Go has.
func storesNull[T ID](s *session, ids []T) {
	type row struct {
		Pointer  *T
		Nullable sql.Null[T]
	}
	id := ids[len(ids)-1]
	there := row{&id, sql.Null[T]{V: id, Valid: true}}
	for n, arg := range []any{&id, (*T)(nil), sql.Null[T]{V: id, Valid: true}, sql.Null[T]{}} {
		s.execOne(`INSERT INTO c (n, parent) VALUES (?, ?)`, n, arg)
	}
	var got []row
	check(s.t, s.read(&got, `SELECT parent AS pointer, parent AS nullable FROM c ORDER BY n`))
	if want := []row{there, {}, there, {}}; !reflect.DeepEqual(got, want) {
		s.t.Errorf("IDs and NULL are read as %+v, want %+v", got, want)
	}
	read := id // as a loop over rows reads them into one variable
	if err := s.QueryRow(`SELECT parent FROM c WHERE n = 1`).Scan(&read); err == nil || read != id {
		s.t.Errorf("NULL after an ID is read as %v, %v, want an error", read, err)
	}
	var nulls []int
	check(s.t, s.read(&nulls, `SELECT n FROM c WHERE parent IS NULL ORDER BY n`))
	if want := []int{1, 3}; !slices.Equal(nulls, want) {
		s.t.Errorf("the rows %v are NULL, want %v", nulls, want)
	}
	s.Run(`DELETE FROM c`)
}

// TestMariaDBUUID stores IDs in MariaDB's UUID, which has those of Make in order.
func TestMariaDBUUID(t *testing.T) {
	page.Contains(t, storagePage, "rejects a quarter of the IDs from `New`, and sorts many others")
	conn := db.MariaDB.Open(t, "")
	ofNew := func() ulid.ULID {
		id, err := ulid.New(time.Now(), nil)
		check(t, err)
		return id
	}
	for _, tt := range []struct {
		makeID   func() ulid.ULID
		min, max int // stored of 400
		inOrder  bool
	}{{ulid.Make, 400, 400, true}, {ofNew, 240, 360, false}} {
		conn.Run(`CREATE OR REPLACE TABLE p (id UUID PRIMARY KEY)`)
		for range 400 {
			conn.Try(`INSERT INTO p VALUES (?)`, ulid.AsUUID(tt.makeID()))
		}
		var ids []ulid.AsUUID
		check(t, conn.Select(&ids, `SELECT id FROM p ORDER BY id`))
		inOrder := slices.IsSortedFunc(ids, ulid.AsUUID.Compare)
		if len(ids) < tt.min || len(ids) > tt.max || inOrder != tt.inOrder {
			t.Errorf("%d are stored, in order: %t; want %d to %d, %t", len(ids), inOrder, tt.min, tt.max, tt.inOrder)
		}
	}
}

// ID is one of the types in which a program may hold a ULID for its database.
type ID interface {
	ulid.ULID | ulid.AsBinary | ulid.AsUUID | ulid.UUID | PrefixID | TextID | BinaryID | UUIDID
}

type (
	PrefixID = typed.ID[prefix]
	TextID   = typed.ID[text]
	BinaryID = typed.ID[binary]
	UUIDID   = typed.ID[uuid]

	prefix struct{ typed.PrefixColumn }
	text   struct{ typed.TextColumn }
	binary struct{ typed.BinaryColumn }
	uuid   struct{ typed.UUIDColumn }
)

func (prefix) Prefix() string { return "ninechars" } // which makes 36 characters, as in UUID format
func (text) Prefix() string   { return "text" }
func (uuid) Prefix() string   { return "user" }
func (binary) Prefix() string { return "" }

// A goType is a type of ID, and what the test does with it.
type goType struct {
	column   string // the GoType of its columns
	inColumn func(*session)
}

// goTypes are all types of ID, those that the page names for a column before the others of the same format.
var goTypes = []goType{
	{"ULID", inColumn[ulid.ULID]},
	{"AsUUID", inColumn[ulid.AsUUID]},
	{"AsBinary", inColumn[ulid.AsBinary]},
	{"PrefixColumn", inColumn[PrefixID]},
	{"ULID", inColumn[TextID]},
	{"AsUUID", inColumn[ulid.UUID]},
	{"AsUUID", inColumn[UUIDID]},
	{"AsBinary", inColumn[BinaryID]},
}

// samples are IDs in their order, always the same ones: ordinary ones, two in each of four milliseconds, and those
// whose text or bytes a database may take for something else.
var samples = func() []ulid.ULID {
	start := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	special := ulid.FirstAt(start.Add(-time.Hour))
	copy(special[6:], "'\\\"\x00\x1a\x7f\x80\xff% ")
	ids := []ulid.ULID{
		{}, // all digits, and a false value
		ulid.MustParse("01234567890123456789012345"), // all digits
		ulid.MustParse("01234567890123456789E01234"), // a number in scientific notation
		ulid.ULID([]byte("sixteen_letters.")),        // with the character that ends a prefix
		special,
		ulid.MustParse("7ZZZZZZZZZZZZZZZZZZZZZZZZZ"),
	}
	random := rand.NewChaCha8([32]byte{})
	for ms := range time.Duration(4) {
		for range 2 {
			id := ulid.FirstAt(start.Add(ms * time.Millisecond))
			random.Read(id[6:])
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, ulid.ULID.Compare)
	return ids
}()

// A session is the connection of a test to two tables: p has IDs as its key, c has IDs of p as a nullable foreign key.
type session struct {
	*db.DB
	t      *testing.T
	column db.Column
}

// newSession makes the tables in an empty database.
func newSession(t *testing.T, d *db.Database, driver db.Driver, c db.Column) *session {
	t.Helper()
	s := &session{DB: d.OpenWith(t, driver), t: t, column: c}
	s.Run(`CREATE TABLE p (id ` + c.SQL + ` PRIMARY KEY, n INTEGER NOT NULL)`)
	s.Run(`CREATE TABLE c (
		n INTEGER PRIMARY KEY,
		parent ` + c.SQL + ` NULL,
		FOREIGN KEY (parent) REFERENCES p (id)
	)`)
	return s
}

// execOne fails the test unless the statement changes one row.
func (s *session) execOne(query string, args ...any) {
	s.t.Helper()
	result, err := s.Exec(s.Rebind(query), args...)
	check(s.t, err)
	if n, err := result.RowsAffected(); err != nil || n != 1 {
		s.t.Fatalf("%s changes %d rows, %v, want 1, with %v", query, n, err, args)
	}
}

// read appends the rows of a query to a slice.
func (s *session) read(rows any, query string, args ...any) error {
	s.t.Helper()
	return s.Select(rows, s.Rebind(query), args...)
}

// wantIDs fails the test unless a query returns these IDs in this order.
func wantIDs[T ID](s *session, want []T, query string, args ...any) {
	s.t.Helper()
	var got []T
	err := s.read(&got, query, args...)
	if err != nil || !slices.Equal(got, want) {
		s.t.Errorf("%s with %v returns %d rows, %v, want %d:\n%v\nwant\n%v",
			query, args, len(got), err, len(want), got, want)
	}
}

var check = db.Check
