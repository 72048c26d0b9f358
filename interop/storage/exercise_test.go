package storage

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/golden"
)

// convert returns ULIDs as one of these types.
func convert[T ID](ids []ulid.ULID) []T {
	converted := make([]T, len(ids))
	for i := range ids {
		converted[i] = T(ids[i])
	}
	return converted
}

// start is the time of the first ordinary sample.
var start = time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)

// samples are IDs in their order, always the same ones: ordinary ones, four in each of eight
// milliseconds, and those whose text or bytes a database may take for something else.
var samples = func() []ulid.ULID {
	now := ulid.Timestamp(start)
	entropy := ulid.Monotonic(rand.NewChaCha8([32]byte{}), 1<<48) // all 80 bits, as other libraries have them
	special := ulid.FirstAt(start.Add(-time.Hour))
	special.SetEntropy([]byte("'\\\"\x00\x1a\x7f\x80\xff% "))
	ids := []ulid.ULID{
		{}, // all digits, and a false value
		ulid.MustParse("01234567890123456789012345"), // all digits
		ulid.MustParse("01234567890123456789E01234"), // a number in scientific notation
		special,
	}
	for range 8 {
		for range 4 {
			ids = append(ids, ulid.MustNew(now, entropy))
		}
		now++
	}
	ids = append(ids, ulid.ULID([]byte("sixteen letters.")), ulid.LastAt(ulid.Time(ulid.MaxTime())))
	slices.SortFunc(ids, ulid.ULID.Compare)
	return ids
}()

// A tally is how something went with each of the IDs it was tried with.
type tally struct {
	tries       int
	errs, wrong []error // those that were errors, and those that were silent
}

// try tries something with each of the IDs.
func try[T ID](ids []T, with func(i int, id T) error) (t tally) {
	t.tries = len(ids)
	for i, id := range ids {
		err := with(i, id)
		switch {
		case err == nil:
		case errors.As(err, new(Silent)):
			t.wrong = append(t.wrong, fmt.Errorf("%v: %w", id, err))
		default:
			t.errs = append(t.errs, fmt.Errorf("%v: %w", id, err))
		}
	}
	return t
}

// outcome is "" if all went well. Otherwise it says what went wrong, silently and with an error, and returns the first
// error of each kind. "of some" marks what happened with some IDs only, and so depends on the ID.
func (t *tally) outcome(failed string) (string, error) {
	var parts []string
	var all []error
	add := func(errs []error, prefix, suffix string) {
		if len(errs) == 0 {
			return
		}
		if len(errs) < t.tries {
			prefix += " of some"
		}
		parts = append(parts, prefix+suffix)
		all = append(all, fmt.Errorf("%d of %d IDs, first %w", len(errs), t.tries, errs[0]))
	}
	var silent Silent
	errors.As(errors.Join(t.wrong...), &silent)
	add(t.wrong, "SILENT", ": "+string(silent))
	add(t.errs, failed, "")
	return strings.Join(parts, "; "), errors.Join(all...)
}

// tables are two tables with IDs in a column of the given type: p has IDs as its key, c has
// IDs of p as a nullable foreign key.
type tables struct {
	*db.DB
	t        *testing.T
	prepared map[string]*sqlx.Stmt // nil if statements are not to be prepared
}

// newTables makes the tables in an empty database.
func newTables(t *testing.T, d *db.Database, driver db.Driver, column string) *tables {
	t.Helper()
	s := &tables{DB: d.OpenWith(t, driver), t: t}
	s.Run(`CREATE TABLE p (id ` + column + ` PRIMARY KEY, n INTEGER NOT NULL)`)
	s.Run(`CREATE TABLE c (
		n INTEGER PRIMARY KEY,
		parent ` + column + ` NULL,
		FOREIGN KEY (parent) REFERENCES p (id)
	)`)
	return s
}

// prepare makes all later statements prepared ones. To mix them with direct ones would show
// nothing: pgx uses a prepared statement wherever it meets the same text again.
func (s *tables) prepare() *tables {
	s.prepared = map[string]*sqlx.Stmt{}
	return s
}

// A statement is a direct or a prepared one.
type statement interface {
	Exec(args ...any) (sql.Result, error)
	Select(dest any, args ...any) error
	QueryRowx(args ...any) *sqlx.Row
}

type direct struct {
	sqlx.Ext
	sql string
}

func (d direct) Exec(args ...any) (sql.Result, error) { return d.Ext.Exec(d.sql, args...) }
func (d direct) Select(dest any, args ...any) error   { return sqlx.Select(d.Ext, dest, d.sql, args...) }
func (d direct) QueryRowx(args ...any) *sqlx.Row      { return d.Ext.QueryRowx(d.sql, args...) }

func (s *tables) statement(text string) statement {
	text = s.Rebind(text) // $1 $2 for ? ? in PostgreSQL
	if s.prepared == nil {
		return direct{s.DB, text}
	}
	stmt := s.prepared[text]
	if stmt == nil {
		var err error
		stmt, err = s.Preparex(text)
		check(s.t, err)
		s.prepared[text] = stmt
	}
	return stmt
}

func (s *tables) exec(text string, args ...any) error {
	_, err := s.statement(text).Exec(args...)
	return err
}

// execOne is exec for a statement that must change exactly one row.
func (s *tables) execOne(text string, args ...any) error {
	n, err := affected(s.statement(text).Exec(args...))
	if err == nil && n != 1 {
		err = Silent("not found by its key")
	}
	return err
}

// wantIDs checks that a query returns these IDs in this order.
func wantIDs[T ID](s *tables, want []T, text string, args ...any) error {
	var got []T
	if err := s.statement(text).Select(&got, args...); err != nil {
		return err
	}
	switch {
	case slices.Equal(got, want):
		return nil
	case len(got) == len(want):
		return Silent("wrong order")
	}
	return Silent(fmt.Sprintf("%d rows for %d", len(got), len(want)))
}

// exercise stores IDs as T and does with them what a program would. It returns "works", or what went wrong on insert
// and in the first other step that went wrong, and the errors. Each step is tried with every ID that the database took.
func exercise[T ID](s *tables) (string, error) {
	var stored []T // each with its index among the samples as n
	inserted := try(convert[T](samples), func(n int, id T) error {
		err := s.exec(`INSERT INTO p (id, n) VALUES (?, ?)`, id, n)
		if err == nil {
			stored = append(stored, id)
		}
		return err
	})
	refused, err := inserted.outcome("error on insert")
	if len(stored) == 0 {
		return refused, err
	}
	for _, step := range []struct {
		name string
		once bool // for all IDs
		run  func(s *tables, ids []T, i int) error
	}{
		{"select", false, selectByKey[T]},
		{"ORDER BY", true, orderBy[T]},
		{"IN", false, in[T]},
		{"range", false, timeRange[T]},
		{"update", false, update[T]},
		{"NULL", false, null[T]},
		{"foreign key", false, foreignKey[T]},
		{"foreign key", true, join[T]},
		{"delete", false, remove[T]},
		{"10 000 rows", true, bulk[T]},
	} {
		ids := stored
		if step.once {
			ids = stored[:1]
		}
		t := try(ids, func(i int, _ T) error { return step.run(s, stored, i) })
		outcome, stepErr := t.outcome("error on " + step.name)
		switch {
		case stepErr == nil:
			continue
		case refused == "":
			return outcome, stepErr
		case len(t.wrong) > 0:
			return outcome + "; " + refused, errors.Join(stepErr, err)
		}
		return refused + "; " + outcome, errors.Join(err, stepErr)
	}
	return cmp.Or(refused, golden.Works), err
}

func selectByKey[T ID](s *tables, ids []T, i int) error {
	var got T
	var n int
	err := s.statement(`SELECT id, n FROM p WHERE id = ?`).QueryRowx(ids[i]).Scan(&got, &n)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Silent("not found by its key")
	case err == nil && (got != ids[i] || T(samples[n]) != ids[i]):
		return fmt.Errorf("%w: %v", Silent("another ID is read"), got)
	}
	return err
}

func orderBy[T ID](s *tables, ids []T, _ int) error {
	if err := wantIDs(s, ids, `SELECT id FROM p ORDER BY id`); err != nil {
		return err
	}
	descending := slices.Clone(ids)
	slices.Reverse(descending)
	return wantIDs(s, descending, `SELECT id FROM p ORDER BY id DESC`)
}

// in looks for an ID and one before and one after it, in another order.
func in[T ID](s *tables, ids []T, i int) error {
	before, after := ids[i/2], ids[(i+len(ids))/2]
	want := slices.Compact([]T{before, ids[i], after})
	return wantIDs(s, want, `SELECT id FROM p WHERE id IN (?, ?, ?) ORDER BY id`, after, before, ids[i])
}

// timeRange asks for what was made in the millisecond of an ID and the two after it.
func timeRange[T ID](s *tables, ids []T, i int) error {
	at := ulid.ULID(ids[i]).Timestamp()
	from, to := ulid.FirstAt(at), ulid.FirstAt(at.Add(3*time.Millisecond))
	var want []T
	for _, id := range ids {
		if ulid.ULID(id).Compare(from) >= 0 && ulid.ULID(id).Compare(to) < 0 {
			want = append(want, id)
		}
	}
	return wantIDs(s, want, `SELECT id FROM p WHERE id >= ? AND id < ? ORDER BY id`, T(from), T(to))
}

// neighbour returns an ID that is not stored and as like another one as can be.
func neighbour[T ID](id T) T {
	next, ok := ulid.ULID(id).Next()
	if !ok {
		next[15]--
	}
	return T(next)
}

// update changes what an ID leads to, and then the ID itself, and back.
func update[T ID](s *tables, ids []T, i int) error {
	id, other := ids[i], neighbour(ids[i])
	for _, change := range []struct {
		set      string
		arg, key any
	}{
		{`n = ?`, 1000, id},
		{`id = ?`, other, id},
		{`id = ?`, id, other},
		{`n = ?`, i, id},
	} {
		if err := s.execOne(`UPDATE p SET `+change.set+` WHERE id = ?`, change.arg, change.key); err != nil {
			return err
		}
	}
	return nil
}

// null stores an ID that is there and one that is not, in both of the ways that Go has.
func null[T ID](s *tables, ids []T, i int) error {
	for n, parent := range []struct {
		arg  any
		want sql.Null[T]
	}{
		{&ids[i], sql.Null[T]{V: ids[i], Valid: true}},
		{(*T)(nil), sql.Null[T]{}},
		{sql.Null[T]{V: ids[i], Valid: true}, sql.Null[T]{V: ids[i], Valid: true}},
		{sql.Null[T]{}, sql.Null[T]{}},
	} {
		if err := s.exec(`INSERT INTO c (n, parent) VALUES (?, ?)`, n, parent.arg); err != nil {
			return err
		}
		var pointer *T
		var null sql.Null[T]
		plain := neighbour(ids[i]) // what the last row left behind
		err := s.statement(`SELECT parent, parent, parent FROM c WHERE n = ? AND (parent IS NULL) = ?`).
			QueryRowx(n, !parent.want.Valid).Scan(&pointer, &null, &plain)
		if err != nil {
			return err
		}
		var fromPointer sql.Null[T]
		if pointer != nil {
			fromPointer = sql.Null[T]{V: *pointer, Valid: true}
		}
		if fromPointer != parent.want || null != parent.want || plain != parent.want.V {
			return Silent("NULL and an ID are mixed up")
		}
	}
	return s.exec(`DELETE FROM c`)
}

func foreignKey[T ID](s *tables, ids []T, i int) error {
	const statement = `INSERT INTO c (n, parent) VALUES (?, ?)`
	err := s.exec(statement, i, ids[i])
	if err == nil && s.exec(statement, len(ids)+i, neighbour(ids[i])) == nil {
		err = Silent("a foreign key leads nowhere")
	}
	return err
}

func join[T ID](s *tables, ids []T, _ int) error {
	err := wantIDs(s, ids, `SELECT id FROM p INNER JOIN c AS child ON parent = id ORDER BY child.n`)
	return errors.Join(err, s.exec(`DELETE FROM c`))
}

func remove[T ID](s *tables, ids []T, i int) error {
	var left []T
	err := s.statement(`SELECT id FROM p ORDER BY id`).Select(&left)
	if err == nil {
		err = s.execOne(`DELETE FROM p WHERE id = ?`, ids[i])
	}
	if err != nil {
		return err
	}
	left = slices.DeleteFunc(left, func(id T) bool { return id == ids[i] })
	return wantIDs(s, left, `SELECT id FROM p ORDER BY id`)
}

// bulk stores 10 000 new IDs.
func bulk[T ID](s *tables, _ []T, _ int) error {
	ids := make([]ulid.ULID, 10_000)
	ulid.Fill(ids)
	return bulkOf(s, convert[T](ids))
}

// bulkOf stores IDs in one transaction, with few statements as one would.
func bulkOf[T ID](s *tables, ids []T) error {
	const batchSize = 1000
	insert := s.statement(`INSERT INTO p (id, n) VALUES ` + strings.Repeat(`, (?, 0)`, batchSize)[1:])
	tx := s.MustBegin()
	defer tx.Rollback()
	switch stmt := insert.(type) {
	case direct:
		insert = direct{tx, stmt.sql}
	case *sqlx.Stmt:
		insert = tx.Stmtx(stmt)
	}
	for batch := range slices.Chunk(ids, batchSize) {
		args := make([]any, len(batch))
		for i := range batch {
			args[i] = batch[i]
		}
		if _, err := insert.Exec(args...); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	if err := wantIDs(s, ids, `SELECT id FROM p ORDER BY id`); err != nil {
		return err
	}
	return wantIDs(s, ids[1000:9000], `SELECT id FROM p WHERE id >= ? AND id < ? ORDER BY id`, ids[1000], ids[9000])
}

// lookup stores the samples as one type and looks for them by another.
func lookup(s *tables, stored, by func(ulid.ULID) any) (string, error) {
	t := try(samples, func(n int, id ulid.ULID) error {
		return s.exec(`INSERT INTO p (id, n) VALUES (?, ?)`, stored(id), n)
	})
	if outcome, err := t.outcome("error on insert"); err != nil {
		return outcome, err
	}
	t = try(samples, func(want int, id ulid.ULID) error {
		var n int
		err := s.statement(`SELECT n FROM p WHERE id = ?`).QueryRowx(by(id)).Scan(&n)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return Silent("not found")
		case err == nil && n != want:
			return Silent("another row is found")
		}
		return err
	})
	outcome, err := t.outcome("error")
	return cmp.Or(outcome, golden.Works), err
}
