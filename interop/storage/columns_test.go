package storage

import (
	"database/sql"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	_ "modernc.org/sqlite"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

var check = db.Check

// A goType is a type of ID, and what the tests do with it.
type goType struct {
	value    func(ulid.ULID) any
	inColumn func(*session)
	bun      func(*testing.T, *db.Database, db.Column)
	sqlx     func(*testing.T, *db.Database, db.Column)
}

func goTypeOf[T ID]() goType {
	return goType{
		value:    func(id ulid.ULID) any { return T(id) },
		inColumn: inColumn[T],
		bun:      tryBun[T],
		sqlx:     trySqlx[T],
	}
}

// plain has the types as the pages name them, and typedID the typed IDs of the same format.
var (
	plain = map[string]goType{
		"ULID":     goTypeOf[ulid.ULID](),
		"AsBinary": goTypeOf[ulid.AsBinary](),
		"AsUUID":   goTypeOf[ulid.AsUUID](),
	}
	typedID = map[string]goType{
		"ULID":     goTypeOf[TextID](),
		"AsBinary": goTypeOf[BinaryID](),
		"AsUUID":   goTypeOf[UUIDID](),
	}
)

// samples are IDs in their order, always the same ones: ordinary ones, four in each of eight milliseconds, and those
// whose text or bytes a database may take for something else.
var samples = func() []ulid.ULID {
	start := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	special := ulid.FirstAt(start.Add(-time.Hour))
	special.SetEntropy([]byte("'\\\"\x00\x1a\x7f\x80\xff% "))
	ids := []ulid.ULID{
		{}, // all digits, and a false value
		ulid.MustParse("01234567890123456789012345"), // all digits
		ulid.MustParse("01234567890123456789E01234"), // a number in scientific notation
		ulid.ULID([]byte("sixteen letters.")),
		special,
		ulid.LastAt(ulid.Time(ulid.MaxTime())),
	}
	entropy := ulid.Monotonic(rand.NewChaCha8([32]byte{}), 1<<48) // all 80 bits, as other libraries have them
	for ms := range uint64(8) {
		for range 4 {
			ids = append(ids, ulid.MustNew(ulid.Timestamp(start)+ms, entropy))
		}
	}
	slices.SortFunc(ids, ulid.ULID.Compare)
	return ids
}()

// convert returns ULIDs as one of the types.
func convert[T ID](ids []ulid.ULID) []T {
	converted := make([]T, len(ids))
	for i := range ids {
		converted[i] = T(ids[i])
	}
	return converted
}

// neighbour returns an ID that is not stored and as like another one as can be.
func neighbour[T ID](id T) T {
	next, ok := ulid.ULID(id).Next()
	if !ok {
		next[15]--
	}
	return T(next)
}

// A session is the connection of a test to two tables: p has IDs as its key, c has IDs of p as a nullable foreign key.
// Statements are all direct or all prepared. To mix them would show nothing, because pgx uses a prepared statement
// wherever it meets the same text again.
type session struct {
	*db.DB
	t        *testing.T
	column   db.Column
	driver   db.Driver
	prepared map[string]*sqlx.Stmt // nil if statements are direct
}

// newSession makes the tables in an empty database.
func newSession(t *testing.T, d *db.Database, driver db.Driver, c db.Column) *session {
	t.Helper()
	s := &session{DB: d.OpenWith(t, driver), t: t, column: c, driver: driver}
	s.Run(`CREATE TABLE p (id ` + c.SQL + ` PRIMARY KEY, n INTEGER NOT NULL)`)
	s.Run(`CREATE TABLE c (
		n INTEGER PRIMARY KEY,
		parent ` + c.SQL + ` NULL,
		FOREIGN KEY (parent) REFERENCES p (id)
	)`)
	return s
}

// eachSession runs a test in every column that the pages recommend, with every driver of its database in every mode,
// by direct and by prepared statements.
func eachSession(t *testing.T, test func(*session)) {
	db.Each(t, func(t *testing.T, d *db.Database) {
		t.Parallel()
		for _, c := range d.Columns {
			for _, driver := range d.Drivers {
				t.Run(c.SQL+"/"+driver.Name, func(t *testing.T) {
					t.Run("direct", func(t *testing.T) {
						test(newSession(t, d, driver, c))
					})
					t.Run("prepared", func(t *testing.T) {
						s := newSession(t, d, driver, c)
						s.prepared = map[string]*sqlx.Stmt{}
						test(s)
					})
				})
			}
		}
	})
}

// statement returns the prepared statement of a text.
func (s *session) statement(query string) *sqlx.Stmt {
	s.t.Helper()
	stmt := s.prepared[query]
	if stmt == nil {
		var err error
		stmt, err = s.Preparex(s.Rebind(query))
		check(s.t, err)
		s.prepared[query] = stmt
	}
	return stmt
}

// exec returns how many rows a statement changes.
func (s *session) exec(query string, args ...any) (rows int64, err error) {
	s.t.Helper()
	if s.prepared == nil {
		return affected(s.Exec(s.Rebind(query), args...))
	}
	return affected(s.statement(query).Exec(args...))
}

// execOne fails the test unless the statement changes one row.
func (s *session) execOne(query string, args ...any) {
	s.t.Helper()
	if n, err := s.exec(query, args...); err != nil || n != 1 {
		s.t.Fatalf("%s changes %d rows, %v, want 1, with %v", query, n, err, args)
	}
}

// read appends the rows of a query to a slice.
func (s *session) read(rows any, query string, args ...any) error {
	s.t.Helper()
	if s.prepared == nil {
		return s.Select(rows, s.Rebind(query), args...)
	}
	return s.statement(query).Select(rows, args...)
}

// insert stores IDs in p, each with its index.
func insert[T ID](s *session, ids []T) {
	s.t.Helper()
	for n, id := range ids {
		s.execOne(`INSERT INTO p (id, n) VALUES (?, ?)`, id, n)
	}
}

// wantIDs fails the test unless a query returns these IDs in this order.
func wantIDs[T ID](s *session, want []T, query string, args ...any) {
	s.t.Helper()
	var got []T
	if err := s.read(&got, query, args...); err != nil || !slices.Equal(got, want) {
		s.t.Errorf("%s with %v returns %d rows, %v, want %d:\n%v\nwant\n%v",
			query, args, len(got), err, len(want), got, want)
	}
}

// TestColumns does what programs do in every column that the pages recommend, with the Go type that they name. Only pgx
// looks at the Go type, even under database/sql. Other drivers get the same string or bytes from a typed ID as from the
// type of that format, as the tests of typed show.
func TestColumns(t *testing.T) {
	t.Parallel()
	eachSession(t, func(s *session) {
		plain[s.column.GoType].inColumn(s)
		if s.driver.Driver == "pgx" {
			typedID[s.column.GoType].inColumn(s)
		}
	})
}

// inColumn does it all with one type of ID, and leaves the tables empty.
func inColumn[T ID](s *session) {
	ids := convert[T](samples)
	insert(s, ids)
	holdsFormat(s)
	findsByKey(s, ids)
	sorts(s, ids)
	findsInList(s, ids)
	findsRangeOfTime(s, ids)
	updates(s, ids)
	storesNull(s, ids)
	refersToKey(s, ids)
	deletes(s, ids)
	storesMany[T](s)
}

// holdsFormat compares what the column holds with the table of formats on docs/storage.md, because rows of another
// format are not found by programs that have that of the page.
func holdsFormat(s *session) {
	format := map[string]func(ulid.ULID) string{
		"ULID":     ulid.ULID.String,
		"AsUUID":   ulid.ULID.UUIDString,
		"AsBinary": func(id ulid.ULID) string { return string(id[:]) },
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
	}
	for _, id := range ids {
		wantIDs(s, []T(nil), `SELECT id FROM p WHERE id = ?`, neighbour(id))
	}
}

func sorts[T ID](s *session, ids []T) {
	wantIDs(s, ids, `SELECT id FROM p ORDER BY id`)
	descending := slices.Clone(ids)
	slices.Reverse(descending)
	wantIDs(s, descending, `SELECT id FROM p ORDER BY id DESC`)
}

// findsInList looks for an ID and one before and one after it, in another order.
func findsInList[T ID](s *session, ids []T) {
	for i, id := range ids {
		before, after := ids[i/2], ids[(i+len(ids))/2]
		want := slices.Compact([]T{before, id, after})
		wantIDs(s, want, `SELECT id FROM p WHERE id IN (?, ?, ?) ORDER BY id`, after, before, id)
	}
}

// findsRangeOfTime asks for the IDs of the millisecond of each ID and the two after it.
func findsRangeOfTime[T ID](s *session, ids []T) {
	for _, id := range ids {
		at := ulid.ULID(id).Timestamp()
		from, to := ulid.FirstAt(at), ulid.FirstAt(at.Add(3*time.Millisecond))
		var want []T
		for _, id := range ids {
			if ulid.ULID(id).Compare(from) >= 0 && ulid.ULID(id).Compare(to) < 0 {
				want = append(want, id)
			}
		}
		wantIDs(s, want, `SELECT id FROM p WHERE id >= ? AND id < ? ORDER BY id`, T(from), T(to))
	}
}

func updates[T ID](s *session, ids []T) {
	for _, id := range ids {
		s.execOne(`UPDATE p SET id = ? WHERE id = ?`, neighbour(id), id)
		s.execOne(`UPDATE p SET id = ? WHERE id = ?`, id, neighbour(id))
	}
	wantIDs(s, ids, `SELECT id FROM p ORDER BY n`)
}

// storesNull stores an ID that is there and one that is not, in both of the ways that Go has, and reads them in three.
func storesNull[T ID](s *session, ids []T) {
	type row struct {
		Pointer  *T
		Nullable sql.Null[T]
		Plain    T
	}
	id := ids[len(ids)-1]
	there := row{&id, sql.Null[T]{V: id, Valid: true}, id}
	for n, arg := range []any{&id, (*T)(nil), sql.Null[T]{V: id, Valid: true}, sql.Null[T]{}} {
		s.execOne(`INSERT INTO c (n, parent) VALUES (?, ?)`, n, arg)
	}
	var got []row
	check(s.t, s.read(&got, `SELECT parent AS pointer, parent AS nullable, parent AS plain FROM c ORDER BY n`))
	if want := []row{there, {}, there, {}}; !reflect.DeepEqual(got, want) {
		s.t.Errorf("IDs and NULL are read as %+v, want %+v", got, want)
	}
	var nulls []int
	check(s.t, s.read(&nulls, `SELECT n FROM c WHERE parent IS NULL ORDER BY n`))
	if want := []int{1, 3}; !slices.Equal(nulls, want) {
		s.t.Errorf("the rows %v are NULL, want %v", nulls, want)
	}
	_, err := s.exec(`DELETE FROM c`)
	check(s.t, err)
}

func refersToKey[T ID](s *session, ids []T) {
	const insert = `INSERT INTO c (n, parent) VALUES (?, ?)`
	for n, id := range ids {
		s.execOne(insert, n, id)
		if _, err := s.exec(insert, len(ids)+n, neighbour(id)); err == nil {
			s.t.Errorf("a foreign key refers to %v, which is not there", neighbour(id))
		}
	}
	wantIDs(s, ids, `SELECT id FROM p INNER JOIN c AS child ON parent = id ORDER BY child.n`)
	_, err := s.exec(`DELETE FROM c`)
	check(s.t, err)
}

func deletes[T ID](s *session, ids []T) {
	for i, id := range ids {
		s.execOne(`DELETE FROM p WHERE id = ?`, id)
		wantIDs(s, ids[i+1:], `SELECT id FROM p ORDER BY id`)
	}
}

// storesMany stores 2,000 IDs by two statements, and removes them.
func storesMany[T ID](s *session) {
	const rows = 1000
	made := make([]ulid.ULID, 2*rows)
	ulid.Fill(made)
	ids := convert[T](made)
	for batch := range slices.Chunk(ids, rows) {
		args := make([]any, len(batch))
		for i := range batch {
			args[i] = batch[i]
		}
		n, err := s.exec(`INSERT INTO p (id, n) VALUES `+strings.Repeat(`, (?, 0)`, rows)[1:], args...)
		if err != nil || n != rows {
			s.t.Fatalf("%d rows are stored, %v, want %d", n, err, rows)
		}
	}
	wantIDs(s, ids, `SELECT id FROM p ORDER BY id`)
	wantIDs(s, ids[100:1900], `SELECT id FROM p WHERE id >= ? AND id < ? ORDER BY id`, ids[100], ids[1900])
	_, err := s.exec(`DELETE FROM p`)
	check(s.t, err)
}

func affected(result sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
