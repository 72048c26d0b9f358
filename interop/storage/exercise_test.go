package storage

import (
	"context"
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
)

// as converts the samples, or other ULIDs, to one of these types.
func as[T ID](ids []ulid.ULID) []T {
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
	now := start
	g := ulid.Generator{
		Entropy: rand.NewChaCha8([32]byte{}),
		Clock:   func() time.Time { return now },
	}
	special := ulid.FirstAt(start.Add(-time.Hour))
	special.SetEntropy([]byte("'\\\"\x00\x1a\x7f\x80\xff% "))
	ids := []ulid.ULID{
		{}, // all digits, and a false value
		ulid.MustParse("01234567890123456789012345"), // all digits
		ulid.MustParse("01234567890123456789E01234"), // a number in scientific notation
		special,
	}
	for range 8 {
		four := make([]ulid.ULID, 4)
		if err := g.Fill(four); err != nil {
			panic(err)
		}
		ids = append(ids, four...)
		now = now.Add(time.Millisecond)
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

func (t *tally) add(err error) {
	t.tries++
	switch {
	case err == nil:
	case errors.As(err, new(Silent)):
		t.wrong = append(t.wrong, err)
	default:
		t.errs = append(t.errs, err)
	}
}

// ofSome marks what happened with n IDs only, and so depends on the ID.
func (t *tally) ofSome(n int) string {
	if n < t.tries {
		return " of some"
	}
	return ""
}

// outcome is "" if all went well. Otherwise it says what went wrong, silently and with an error,
// and returns the first error of each kind.
func (t *tally) outcome(failed string) (string, error) {
	var parts []string
	var errs []error
	if n := len(t.wrong); n > 0 {
		var wrong Silent
		errors.As(t.wrong[0], &wrong)
		parts = append(parts, "SILENT"+t.ofSome(n)+": "+string(wrong))
		errs = append(errs, fmt.Errorf("%d of %d IDs, first %w", n, t.tries, t.wrong[0]))
	}
	if n := len(t.errs); n > 0 {
		parts = append(parts, failed+t.ofSome(n))
		errs = append(errs, fmt.Errorf("%d of %d IDs, first %w", n, t.tries, t.errs[0]))
	}
	return strings.Join(parts, "; "), errors.Join(errs...)
}

// tryEach tries something with each of the IDs.
func tryEach[T ID](ids []T, try func(i int, id T) error) (t tally) {
	for i, id := range ids {
		err := try(i, id)
		if err != nil {
			err = fmt.Errorf("%v: %w", id, err)
		}
		t.add(err)
	}
	return t
}

// tryOnce is the tally of what is done with all IDs at once.
func tryOnce(err error) (t tally) {
	t.add(err)
	return t
}

// tables are two tables with IDs in a column of the given type: p has IDs as its key, c has
// IDs of p as a nullable foreign key.
type tables struct {
	*sqlx.DB
	t        *testing.T
	prepared map[string]*sqlx.Stmt // nil if statements are not to be prepared
}

// newTables makes the tables in an empty database.
func newTables(t *testing.T, db *sqlx.DB, column string) *tables {
	t.Helper()
	for _, create := range []string{
		`CREATE TABLE p (id ` + column + ` PRIMARY KEY, n INTEGER NOT NULL)`,
		`CREATE TABLE c (n INTEGER PRIMARY KEY, parent ` + column + ` NULL, FOREIGN KEY (parent) REFERENCES p (id))`,
	} {
		db.MustExec(create)
	}
	return &tables{DB: db, t: t}
}

// A statement is a direct or a prepared one.
type statement interface {
	Exec(args ...any) (sql.Result, error)
	Select(dest any, args ...any) error
	QueryRowx(args ...any) *sqlx.Row
}

type direct struct {
	db  *sqlx.DB
	sql string
}

func (d direct) Exec(args ...any) (sql.Result, error) { return d.db.Exec(d.sql, args...) }
func (d direct) Select(dest any, args ...any) error   { return d.db.Select(dest, d.sql, args...) }
func (d direct) QueryRowx(args ...any) *sqlx.Row      { return d.db.QueryRowx(d.sql, args...) }

// prepare makes all later statements prepared ones. To mix them with direct ones would show
// nothing: pgx uses a prepared statement wherever it meets the same text again.
func (s *tables) prepare() { s.prepared = map[string]*sqlx.Stmt{} }

func (s *tables) statement(text string) statement {
	text = s.Rebind(text) // $1 $2 for ? ? in PostgreSQL
	if s.prepared == nil {
		return direct{s.DB, text}
	}
	stmt := s.prepared[text]
	if stmt == nil {
		var err error
		if stmt, err = s.Preparex(text); err != nil {
			s.t.Fatal(err)
		}
		s.prepared[text] = stmt
	}
	return stmt
}

func (s *tables) exec(statement string, args ...any) error {
	_, err := s.statement(statement).Exec(args...)
	return err
}

// execOne is exec for a statement that must change exactly one row.
func (s *tables) execOne(statement string, args ...any) error {
	result, err := s.statement(statement).Exec(args...)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err == nil && n != 1 {
		err = Silent("not found by its key")
	}
	return err
}

func (s *tables) queryRow(statement string, args ...any) *sqlx.Row {
	return s.statement(statement).QueryRowx(args...)
}

// wantIDs checks that a query returns these IDs in this order.
func wantIDs[T ID](s *tables, want []T, statement string, args ...any) error {
	var got []T
	if err := s.statement(statement).Select(&got, args...); err != nil {
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
	stored, inserted := insert(s, as[T](samples))
	refused, err := inserted.outcome("error on insert")
	if len(stored) == 0 {
		return refused, err
	}
	for _, step := range []struct {
		name string
		run  func(*tables, []T) tally
	}{
		{"select", selectByKey[T]},
		{"ORDER BY", orderBy[T]},
		{"IN", in[T]},
		{"range", timeRange[T]},
		{"update", update[T]},
		{"NULL", null[T]},
		{"foreign key", foreignKey[T]},
		{"delete", remove[T]},
		{"10 000 rows", bulk[T]},
	} {
		t := step.run(s, stored)
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
	if err == nil {
		return works, nil
	}
	return refused, err
}

// insert returns those of the IDs that the database took. Each has its index among the samples as n.
func insert[T ID](s *tables, ids []T) (stored []T, t tally) {
	t = tryEach(ids, func(n int, id T) error {
		err := s.exec(`INSERT INTO p (id, n) VALUES (?, ?)`, id, n)
		if err == nil {
			stored = append(stored, id)
		}
		return err
	})
	return stored, t
}

func selectByKey[T ID](s *tables, ids []T) tally {
	all := as[T](samples)
	return tryEach(ids, func(_ int, id T) error {
		var got T
		var n int
		err := s.queryRow(`SELECT id, n FROM p WHERE id = ?`, id).Scan(&got, &n)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return Silent("not found by its key")
		case err == nil && (got != id || all[n] != id):
			return fmt.Errorf("%w: %v", Silent("another ID is read"), got)
		}
		return err
	})
}

func orderBy[T ID](s *tables, ids []T) tally {
	descending := slices.Clone(ids)
	slices.Reverse(descending)
	err := wantIDs(s, ids, `SELECT id FROM p ORDER BY id`)
	if err == nil {
		err = wantIDs(s, descending, `SELECT id FROM p ORDER BY id DESC`)
	}
	return tryOnce(err)
}

// in looks for an ID and one before and one after it, in another order.
func in[T ID](s *tables, ids []T) tally {
	return tryEach(ids, func(i int, id T) error {
		before, after := ids[i/2], ids[(i+len(ids))/2]
		want := slices.Compact([]T{before, id, after})
		return wantIDs(s, want, `SELECT id FROM p WHERE id IN (?, ?, ?) ORDER BY id`, after, before, id)
	})
}

// timeRange asks for what was made in the millisecond of an ID and the two after it.
func timeRange[T ID](s *tables, ids []T) tally {
	return tryEach(ids, func(_ int, id T) error {
		from := ulid.FirstAt(ulid.ULID(id).Timestamp())
		to := ulid.FirstAt(ulid.ULID(id).Timestamp().Add(3 * time.Millisecond))
		var want []T
		for _, id := range ids {
			if ulid.ULID(id).Compare(from) >= 0 && ulid.ULID(id).Compare(to) < 0 {
				want = append(want, id)
			}
		}
		return wantIDs(s, want, `SELECT id FROM p WHERE id >= ? AND id < ? ORDER BY id`, T(from), T(to))
	})
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
func update[T ID](s *tables, ids []T) tally {
	return tryEach(ids, func(i int, id T) error {
		other := neighbour(id)
		for _, change := range []struct {
			set      string
			arg, key any
		}{
			{`n = ?`, 1000, id},
			{`id = ?`, other, id},
			{`id = ?`, id, other},
			{`n = ?`, i, id},
		} {
			err := s.execOne(`UPDATE p SET `+change.set+` WHERE id = ?`, change.arg, change.key)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// null stores IDs that are there and such that are not, in both of the ways that Go has.
func null[T ID](s *tables, ids []T) tally {
	return tryEach(ids, func(_ int, id T) error {
		for n, parent := range []struct {
			arg   any
			valid bool
		}{
			{&id, true},
			{(*T)(nil), false},
			{sql.Null[T]{V: id, Valid: true}, true},
			{sql.Null[T]{}, false},
		} {
			if err := s.exec(`INSERT INTO c (n, parent) VALUES (?, ?)`, n, parent.arg); err != nil {
				return err
			}
			var pointer *T
			var null sql.Null[T]
			plain := neighbour(id) // what the last row left behind
			err := s.queryRow(`SELECT parent, parent, parent FROM c WHERE n = ? AND (parent IS NULL) = ?`,
				n, !parent.valid).Scan(&pointer, &null, &plain)
			if err != nil {
				return err
			}
			want := T{}
			if parent.valid {
				want = id
			}
			if (pointer != nil) != parent.valid || pointer != nil && *pointer != id ||
				null != (sql.Null[T]{V: want, Valid: parent.valid}) || plain != want {
				return Silent("NULL and an ID are mixed up")
			}
		}
		return s.exec(`DELETE FROM c`)
	})
}

func foreignKey[T ID](s *tables, ids []T) tally {
	const statement = `INSERT INTO c (n, parent) VALUES (?, ?)`
	t := tryEach(ids, func(n int, id T) error {
		if err := s.exec(statement, n, id); err != nil {
			return err
		}
		if s.exec(statement, len(ids)+n, neighbour(id)) == nil {
			return Silent("a foreign key leads nowhere")
		}
		return nil
	})
	if t.errs != nil || t.wrong != nil {
		return t
	}
	err := wantIDs(s, ids, `SELECT id FROM p INNER JOIN c AS child ON parent = id ORDER BY child.n`)
	if err == nil {
		err = s.exec(`DELETE FROM c`)
	}
	return tryOnce(err)
}

func remove[T ID](s *tables, ids []T) tally {
	left := slices.Clone(ids)
	return tryEach(ids, func(_ int, id T) error {
		if err := s.execOne(`DELETE FROM p WHERE id = ?`, id); err != nil {
			return err
		}
		left = slices.DeleteFunc(left, func(other T) bool { return other == id })
		return wantIDs(s, left, `SELECT id FROM p ORDER BY id`)
	})
}

// bulk stores 10 000 new IDs in one transaction, with few statements as one would.
func bulk[T ID](s *tables, _ []T) tally {
	return tryOnce(bulkFrom[T](s, func(ids []ulid.ULID) error { ulid.Fill(ids); return nil }))
}

func bulkFrom[T ID](s *tables, fill func([]ulid.ULID) error) error {
	fresh := make([]ulid.ULID, 10_000)
	if err := fill(fresh); err != nil {
		return err
	}
	ids := as[T](fresh)
	tx, err := s.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	const batchSize = 1000
	text := s.Rebind(`INSERT INTO p (id, n) VALUES ` + strings.Repeat(`, (?, 0)`, batchSize)[1:])
	exec := func(args ...any) (sql.Result, error) { return tx.Exec(text, args...) }
	if s.prepared != nil {
		stmt, err := tx.Prepare(text)
		if err != nil {
			return err
		}
		defer stmt.Close()
		exec = stmt.Exec
	}
	for batch := range slices.Chunk(ids, batchSize) {
		args := make([]any, len(batch))
		for i := range batch {
			args[i] = batch[i]
		}
		if _, err := exec(args...); err != nil {
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
func lookup(s *tables, stored, by string) (string, error) {
	t := tryEach(samples, func(n int, id ulid.ULID) error {
		return s.exec(`INSERT INTO p (id, n) VALUES (?, ?)`, value(stored, id), n)
	})
	if outcome, err := t.outcome("error on insert"); err != nil {
		return outcome, err
	}
	t = tryEach(samples, func(want int, id ulid.ULID) error {
		var n int
		err := s.queryRow(`SELECT n FROM p WHERE id = ?`, value(by, id)).Scan(&n)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return Silent("not found")
		case err == nil && n != want:
			return Silent("another row is found")
		}
		return err
	})
	outcome, err := t.outcome("error")
	if err == nil {
		return works, nil
	}
	return outcome, err
}

func value(goType string, id ulid.ULID) any {
	switch goType {
	case "ULID":
		return id
	case "AsBinary":
		return ulid.AsBinary(id)
	default:
		return ulid.AsUUID(id)
	}
}
