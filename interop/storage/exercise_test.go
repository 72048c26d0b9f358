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

	"github.com/seed-961d0905/ulid"
)

// id is one of the types in which a program may hold a ULID for its database.
type id interface {
	ulid.ULID | ulid.AsBinary | ulid.AsUUID
}

// as converts the samples, or other ULIDs, to one of these types.
func as[T id](ids []ulid.ULID) []T {
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

// silent is the error for a wrong answer that came without one.
type silent string

func (s silent) Error() string { return "SILENT: " + string(s) }

// ofSome is the error for what failed with some of the samples only.
type ofSome struct{ error }

// tables are two tables with IDs in a column of the given type: p has IDs as its key, c has
// IDs of p as a nullable foreign key.
type tables struct {
	*sql.DB
	p, c   string
	dollar bool // whether placeholders are $1 $2 instead of ? ?
}

// newTables makes the tables. They have unique names, because others may use the database.
func newTables(t *testing.T, db *sql.DB, column string, dollar bool) *tables {
	t.Helper()
	name := "t" + strings.ToLower(ulid.Make().String())
	s := &tables{DB: db, p: name + "p", c: name + "c", dollar: dollar}
	t.Cleanup(func() {
		s.exec(`DROP TABLE IF EXISTS c`)
		s.exec(`DROP TABLE IF EXISTS p`)
	})
	for _, create := range []string{
		`CREATE TABLE p (id ` + column + ` PRIMARY KEY, n INTEGER NOT NULL)`,
		`CREATE TABLE c (n INTEGER PRIMARY KEY, parent ` + column + ` NULL REFERENCES p (id))`,
	} {
		if err := s.exec(create); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// sql makes a statement out of one in which the tables are called p and c and every
// placeholder is a question mark.
func (s *tables) sql(statement string) string {
	words := strings.Fields(statement)
	for i, w := range words {
		switch w {
		case "p":
			words[i] = s.p
		case "c":
			words[i] = s.c
		}
	}
	statement = strings.Join(words, " ")
	if !s.dollar {
		return statement
	}
	var b strings.Builder
	for i, part := range strings.Split(statement, "?") {
		if i > 0 {
			fmt.Fprintf(&b, "$%d", i)
		}
		b.WriteString(part)
	}
	return b.String()
}

func (s *tables) exec(statement string, args ...any) error {
	_, err := s.Exec(s.sql(statement), args...)
	return err
}

// execOne is exec for a statement that must change exactly one row.
func (s *tables) execOne(statement string, args ...any) error {
	result, err := s.Exec(s.sql(statement), args...)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err == nil && n != 1 {
		err = silent("not found by its key")
	}
	return err
}

func (s *tables) queryRow(statement string, args ...any) *sql.Row {
	return s.QueryRow(s.sql(statement), args...)
}

// wantIDs checks that a query returns these IDs in this order.
func wantIDs[T id](s *tables, want []T, statement string, args ...any) error {
	rows, err := s.Query(s.sql(statement), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	var got []T
	for rows.Next() {
		var id T
		if err := rows.Scan(&id); err != nil {
			return err
		}
		got = append(got, id)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	switch {
	case slices.Equal(got, want):
		return nil
	case len(got) == len(want):
		return silent("wrong order")
	}
	return silent(fmt.Sprintf("%d rows for %d", len(got), len(want)))
}

// exercise stores IDs as T and does with them what a program would. It returns "works" or
// what went wrong first, and the error.
func exercise[T id](s *tables) (string, error) {
	stored, err := insert(s, as[T](samples))
	outcome := ""
	if err != nil {
		outcome = "error on insert"
		if len(stored) == 0 {
			return outcome, err
		}
		outcome += " of some"
	}
	for _, step := range []struct {
		name string
		run  func(*tables, []T) error
	}{
		{"select", selectByKey[T]},
		{"IN", in[T]},
		{"ORDER BY", orderBy[T]},
		{"range", timeRange[T]},
		{"update", update[T]},
		{"NULL", null[T]},
		{"foreign key", foreignKey[T]},
		{"delete", remove[T]},
		{"10 000 rows", bulk[T]},
	} {
		stepErr := step.run(s, stored)
		if stepErr == nil {
			continue
		}
		var wrong silent
		if errors.As(stepErr, &wrong) {
			return join(wrong.Error(), outcome), stepErr
		}
		failed := "error on " + step.name
		if errors.As(stepErr, new(ofSome)) {
			failed += " of some"
		}
		return join(outcome, failed), errors.Join(err, stepErr)
	}
	if err == nil {
		return "works", nil
	}
	return outcome, err
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// Both insert and selectByKey run their statement as it is first and as a prepared one then.
// Not the other way round: pgx takes a prepared statement wherever it meets its text again.

// insert stores half of the IDs by a prepared statement. It returns those that the database
// took, and an error if it refused one. Each has its index among the samples as n.
func insert[T id](s *tables, ids []T) (stored []T, err error) {
	const statement = `INSERT INTO p (id, n) VALUES (?, ?)`
	errs := make([]error, len(ids))
	for n := 0; n < len(ids); n += 2 {
		errs[n] = s.exec(statement, ids[n], n)
	}
	prepared, err := s.Prepare(s.sql(statement))
	if err != nil {
		return nil, err
	}
	defer prepared.Close()
	for n := 1; n < len(ids); n += 2 {
		_, errs[n] = prepared.Exec(ids[n], n)
	}
	for n, id := range ids {
		if errs[n] == nil {
			stored = append(stored, id)
		} else {
			err = fmt.Errorf("insert %v: %w", id, errs[n])
		}
	}
	return stored, err
}

func selectByKey[T id](s *tables, ids []T) error {
	const statement = `SELECT id, n FROM p WHERE id = ?`
	err := selectEach(ids, func(id T) *sql.Row { return s.queryRow(statement, id) })
	prepared, preparedErr := s.Prepare(s.sql(statement))
	if preparedErr == nil {
		defer prepared.Close()
		preparedErr = selectEach(ids, func(id T) *sql.Row { return prepared.QueryRow(id) })
	}
	return errors.Join(err, preparedErr)
}

func selectEach[T id](ids []T, query func(T) *sql.Row) (err error) {
	all := as[T](samples)
	failures := 0
	for _, id := range ids {
		var got T
		var n int
		switch e := query(id).Scan(&got, &n); {
		case errors.Is(e, sql.ErrNoRows):
			return fmt.Errorf("%w: %v", silent("not found by its key"), id)
		case e != nil:
			err = e
			failures++
		case got != id || all[n] != id:
			return fmt.Errorf("%w: %v for %v", silent("another ID is read"), got, id)
		}
	}
	if 0 < failures && failures < len(ids) {
		return ofSome{err}
	}
	return err
}

func in[T id](s *tables, ids []T) error {
	some := []T{ids[0], ids[len(ids)/2], ids[len(ids)-1]}
	args := []any{some[2], some[0], some[1]}
	return wantIDs(s, slices.Compact(some), `SELECT id FROM p WHERE id IN (?, ?, ?) ORDER BY id`, args...)
}

func orderBy[T id](s *tables, ids []T) error {
	if err := wantIDs(s, ids, `SELECT id FROM p ORDER BY id`); err != nil {
		return err
	}
	descending := slices.Clone(ids)
	slices.Reverse(descending)
	return wantIDs(s, descending, `SELECT id FROM p ORDER BY id DESC`)
}

// timeRange asks for what was made in three of the milliseconds.
func timeRange[T id](s *tables, ids []T) error {
	from, to := start.Add(2*time.Millisecond), start.Add(5*time.Millisecond)
	var want []T
	for _, id := range ids {
		if at := ulid.ULID(id).Timestamp(); !at.Before(from) && at.Before(to) {
			want = append(want, id)
		}
	}
	return wantIDs(s, want, `SELECT id FROM p WHERE id >= ? AND id < ? ORDER BY id`,
		T(ulid.FirstAt(from)), T(ulid.FirstAt(to)))
}

// update changes what an ID leads to, and then an ID itself, and back.
func update[T id](s *tables, ids []T) error {
	id, other := ids[len(ids)/2], T(ulid.FirstAt(start.Add(time.Hour)))
	for _, change := range []struct {
		set      string
		arg, key any
	}{
		{`n = ?`, 1000, id},
		{`id = ?`, other, id},
		{`id = ?`, id, other},
		{`n = ?`, len(ids) / 2, id},
	} {
		err := s.execOne(`UPDATE p SET `+change.set+` WHERE id = ?`, change.arg, change.key)
		if err != nil {
			return err
		}
	}
	return nil
}

// null stores IDs that are there and such that are not, in both of the ways that Go has.
func null[T id](s *tables, ids []T) error {
	id := ids[len(ids)/2]
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
		const statement = `SELECT parent FROM c WHERE n = ? AND (parent IS NULL) = ?`
		var pointer *T
		if err := s.queryRow(statement, n, !parent.valid).Scan(&pointer); err != nil {
			return err
		}
		var null sql.Null[T]
		if err := s.queryRow(statement, n, !parent.valid).Scan(&null); err != nil {
			return err
		}
		plain := T(ulid.FirstAt(start)) // what the last row left behind
		if err := s.queryRow(statement, n, !parent.valid).Scan(&plain); err != nil {
			return err
		}
		want := T{}
		if parent.valid {
			want = id
		}
		if (pointer != nil) != parent.valid || pointer != nil && *pointer != id ||
			null != (sql.Null[T]{V: want, Valid: parent.valid}) || plain != want {
			return silent("NULL and an ID are mixed up")
		}
	}
	return s.exec(`DELETE FROM c`)
}

func foreignKey[T id](s *tables, ids []T) error {
	const statement = `INSERT INTO c (n, parent) VALUES (?, ?)`
	for n, id := range ids {
		if err := s.exec(statement, n, id); err != nil {
			return err
		}
	}
	if s.exec(statement, len(ids), T(ulid.FirstAt(start.Add(time.Hour)))) == nil {
		return silent("a foreign key leads nowhere")
	}
	if err := wantIDs(s, ids, `SELECT id FROM p INNER JOIN c AS child ON parent = id ORDER BY child.n`); err != nil {
		return err
	}
	return s.exec(`DELETE FROM c`)
}

func remove[T id](s *tables, ids []T) error {
	for i, id := range ids {
		if err := s.execOne(`DELETE FROM p WHERE id = ?`, id); err != nil {
			return err
		}
		if err := wantIDs(s, ids[i+1:], `SELECT id FROM p ORDER BY id`); err != nil {
			return err
		}
	}
	return nil
}

// bulk stores 10 000 new IDs in one transaction, with few statements as one would.
func bulk[T id](s *tables, _ []T) error {
	return bulkFrom[T](s, func(ids []ulid.ULID) error { ulid.Fill(ids); return nil })
}

func bulkFrom[T id](s *tables, fill func([]ulid.ULID) error) error {
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
	for batch := range slices.Chunk(ids, 1000) {
		args := make([]any, len(batch))
		for i := range batch {
			args[i] = batch[i]
		}
		values := strings.Repeat(`, (?, 0)`, len(batch))[1:]
		if _, err := tx.Exec(s.sql(`INSERT INTO p (id, n) VALUES `+values), args...); err != nil {
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
	for n, id := range samples {
		if err := s.exec(`INSERT INTO p (id, n) VALUES (?, ?)`, value(stored, id), n); err != nil {
			return "error on insert", err
		}
	}
	var failed error
	missed := 0
	for want, id := range samples {
		var n int
		switch err := s.queryRow(`SELECT n FROM p WHERE id = ?`, value(by, id)).Scan(&n); {
		case errors.Is(err, sql.ErrNoRows):
			missed++
		case err != nil:
			failed = err
		case n != want:
			return silent("another row is found").Error(), nil
		}
	}
	const missing = silent("not found")
	switch {
	case failed != nil && missed > 0:
		return "error, of some " + missing.Error(), failed
	case failed != nil:
		return "error", failed
	case missed > 0:
		return missing.Error(), nil
	}
	return works, nil
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
