package main

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/seed-961d0905/ulid"
)

// A kind is a kind of key, as one database stores it.
type kind struct {
	Name   string                  // the same in every database
	Column string                  // its type
	ids    func(n int) []ulid.ULID // nil if the database makes the keys
	arg    func(ulid.ULID) any
	timed  bool // the keys of a time are a range
}

const (
	bigint   = "bigint from the database"
	random   = "random UUID (version 4)"
	asUUID   = "ULID, `AsUUID`"
	asText   = "ULID, as text"
	asBinary = "ULID, `AsBinary`"
	uuidV7   = "`MakeUUIDv7`"
)

// A load is the rows that each kind of key gets. They arrive one a millisecond. The IDs are
// made before, so that the time to make them is no part of what is measured.
type load struct{ rows, batch, lookups int }

const (
	windows = 25 // equal parts of a load, each with its own rate
	ranges  = 5  // each of 1% of the rows
)

func (l load) windows() int { return l.rows / (windows * l.batch) } // batches in a window

func (l load) check() error {
	if l.rows <= 0 || l.batch <= 0 || l.rows%(windows*l.batch) != 0 {
		return fmt.Errorf("%d rows are no multiple of %d batches of %d", l.rows, windows, l.batch)
	}
	return nil
}

// seed makes the IDs of every run the same.
var seed = sha256.Sum256([]byte("keycost"))

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// arrival returns the time at which row i arrives.
func arrival(i int) time.Time { return start.Add(time.Duration(i) * time.Millisecond) }

// generated makes IDs as Make and MakeUUIDv7 do, but at the times at which the rows arrive.
func generated(v7 bool) func(n int) []ulid.ULID {
	return func(n int) []ulid.ULID {
		ids := make([]ulid.ULID, n)
		i := 0
		g := ulid.Generator{
			Entropy: rand.NewChaCha8(seed),
			Clock:   func() time.Time { return arrival(i) },
			UUIDv7:  v7,
		}
		for ; i < n; i++ {
			var err error
			if ids[i], err = g.Make(); err != nil {
				panic(err) // neither the entropy nor the clock can fail
			}
		}
		return ids
	}
}

func randomUUIDs(n int) []ulid.ULID {
	ids := make([]ulid.ULID, n)
	entropy := rand.NewChaCha8(seed)
	for i := range ids {
		ids[i] = ulid.ULID(uuid.Must(uuid.NewRandomFromReader(entropy)))
	}
	return ids
}

func argUUID(id ulid.ULID) any   { return ulid.AsUUID(id) }
func argBinary(id ulid.ULID) any { return ulid.AsBinary(id) }
func argText(id ulid.ULID) any   { return id }

// texts is what the rows hold besides numbers.
var texts = func() string {
	random := make([]byte, 1<<16)
	rand.NewChaCha8(seed).Read(random)
	return base32.StdEncoding.EncodeToString(random)
}()

// filler returns n characters that differ from row to row.
func filler(i, n int) string {
	begin := i * 31 % (len(texts) - n)
	return texts[begin : begin+n]
}

// written is what a database has written, in bytes. Pages is 0 where it does not tell.
type written struct{ Log, Pages int64 }

// sizes are in bytes. Key is 0 where the table is the index of its key.
type sizes struct{ Table, Key, Entry int64 }

// A result is what a load of one kind has shown.
type result struct {
	Database, Kind, Column string

	Rates   []float64 // rows per second in each window
	Last    float64   // and in the last fifth
	Sizes   sizes
	Written written
	Lookups time.Duration // all of them
	Range   time.Duration // one of them
	Scan    bool          // the range was not one of keys
}

// A loader inserts the rows of a load under one kind of key.
type loader struct {
	load
	db             *database
	kind           kind
	ids            []ulid.ULID
	serials        []int64 // if the database makes the keys
	items, entries *sql.Stmt
}

func measureKind(ctx context.Context, progress io.Writer, db *database, k kind, l load) (r result, err error) {
	var name string
	if err := db.read(ctx, db.version, &name); err != nil {
		return r, err
	}
	r = result{Database: strings.Fields(name)[0], Kind: k.Name, Column: k.Column, Scan: !k.timed}
	if err := db.create(ctx, k); err != nil {
		return r, err
	}
	before, err := db.settled(ctx)
	if err != nil {
		return r, err
	}
	loader, err := newLoader(ctx, db, k, l)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, loader.items.Close(), loader.entries.Close()) }()
	if r.Rates, err = loader.insert(ctx); err != nil {
		return r, err
	}
	r.Last = harmonic(r.Rates[windows*4/5:])
	fmt.Fprintf(progress, "%s\t%s\t%.0f rows/s, at last %.0f\n", r.Database, k.Name, harmonic(r.Rates), r.Last)

	after, err := db.settled(ctx)
	if err != nil {
		return r, err
	}
	r.Written = written{after.Log - before.Log, after.Pages - before.Pages}
	if err := db.exec(ctx, db.analyze); err != nil {
		return r, err
	}
	if err := db.read(ctx, db.sizes, &r.Sizes.Table, &r.Sizes.Key, &r.Sizes.Entry); err != nil {
		return r, err
	}
	if r.Lookups, err = loader.lookUp(ctx); err != nil {
		return r, err
	}
	r.Range, err = loader.readRanges(ctx)
	return r, err
}

// harmonic returns the rate of windows of the same size together.
func harmonic(rates []float64) float64 {
	var time float64
	for _, rate := range rates {
		time += 1 / rate
	}
	return float64(len(rates)) / time
}

func newLoader(ctx context.Context, db *database, k kind, l load) (w *loader, err error) {
	w = &loader{load: l, db: db, kind: k}
	if k.ids == nil {
		w.serials = make([]int64, 0, l.rows)
		w.items, err = w.prepare(ctx, "item", " RETURNING id", "created", "amount", "note")
	} else {
		w.ids = k.ids(l.rows)
		w.items, err = w.prepare(ctx, "item", "", "id", "created", "amount", "note")
	}
	if err != nil {
		return nil, err
	}
	w.entries, err = w.prepare(ctx, "entry", "", "item", "note")
	return w, err
}

// prepare prepares an INSERT of a batch of rows.
func (w *loader) prepare(ctx context.Context, table, returning string, columns ...string) (*sql.Stmt, error) {
	row := "(" + strings.Repeat("?, ", len(columns)-1) + "?)"
	return w.db.PrepareContext(ctx, w.db.Rebind(fmt.Sprintf("INSERT INTO %s (%s) VALUES %s%s%s", table,
		strings.Join(columns, ", "), strings.Repeat(row+", ", w.batch-1), row, returning)))
}

// insert inserts all rows and returns the rate in each window.
func (w *loader) insert(ctx context.Context) ([]float64, error) {
	var rates []float64
	window := w.rows / windows
	for done := 0; done < w.rows; {
		begin := time.Now()
		for end := done + window; done < end; done += w.batch {
			if err := w.insertBatch(ctx, done); err != nil {
				return nil, err
			}
		}
		rates = append(rates, float64(window)/time.Since(begin).Seconds())
	}
	return rates, nil
}

// insertBatch inserts rows from the first on, each with its entry, in a transaction.
func (w *loader) insertBatch(ctx context.Context, first int) error {
	tx, err := w.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()

	args := make([]any, 0, 4*w.batch)
	for i := first; i < first+w.batch; i++ {
		if w.kind.ids != nil {
			args = append(args, w.kind.arg(w.ids[i]))
		}
		args = append(args, arrival(i).UnixMilli(), i, filler(i, 80))
	}
	if w.kind.ids != nil {
		_, err = tx.StmtContext(ctx, w.items).ExecContext(ctx, args...)
	} else {
		err = w.insertSerial(ctx, tx, args)
	}
	if err != nil {
		return err
	}

	args = args[:0]
	for i := first; i < first+w.batch; i++ {
		args = append(args, w.key(i), filler(i, 40))
	}
	if _, err := tx.StmtContext(ctx, w.entries).ExecContext(ctx, args...); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	return w.db.committed(ctx)
}

// insertSerial inserts a batch whose keys the database makes, and keeps them.
func (w *loader) insertSerial(ctx context.Context, tx *sql.Tx, args []any) error {
	rows, err := tx.StmtContext(ctx, w.items).QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		w.serials = append(w.serials, id)
	}
	return rows.Err()
}

// key returns the key of a row that was inserted.
func (w *loader) key(i int) any {
	if w.kind.ids == nil {
		return w.serials[i]
	}
	return w.kind.arg(w.ids[i])
}

// lookUp looks up rows one by one, the same in every load, and returns the time they take.
func (w *loader) lookUp(ctx context.Context) (time.Duration, error) {
	stmt, err := w.db.PrepareContext(ctx, w.db.Rebind("SELECT amount FROM item WHERE id = ?"))
	if err != nil {
		return 0, err
	}
	defer stmt.Close()
	choice := rand.New(rand.NewChaCha8(seed))
	begin := time.Now()
	for range w.lookups {
		i := choice.IntN(w.rows)
		var amount int
		if err := stmt.QueryRowContext(ctx, w.key(i)).Scan(&amount); err != nil {
			return 0, err
		}
		if amount != i {
			return 0, fmt.Errorf("row %d was found as row %d", i, amount)
		}
	}
	return time.Since(begin), nil
}

// readRanges reads the rows of some times and returns how long it took on average. Where the
// keys do not hold the time the rows are found by their column created, which has no index.
func (w *loader) readRanges(ctx context.Context) (time.Duration, error) {
	column, bound := "created", func(t time.Time) any { return t.UnixMilli() }
	if w.kind.timed {
		column, bound = "id", func(t time.Time) any { return w.kind.arg(ulid.FirstAt(t)) }
	}
	stmt, err := w.db.PrepareContext(ctx, w.db.Rebind(fmt.Sprintf("SELECT count(*), sum(amount) FROM item WHERE %[1]s >= ? AND %[1]s < ?", column)))
	if err != nil {
		return 0, err
	}
	defer stmt.Close()
	begin := time.Now()
	for i := range ranges {
		n := w.rows / 100
		first := w.rows * (2*i + 1) / (2 * ranges)
		var count, sum int
		if err := stmt.QueryRowContext(ctx, bound(arrival(first)), bound(arrival(first+n))).Scan(&count, &sum); err != nil {
			return 0, err
		}
		if want := n*first + n*(n-1)/2; count != n || sum != want {
			return 0, fmt.Errorf("a range of %d rows from %d on holds %d", n, first, count)
		}
	}
	return time.Since(begin) / ranges, nil
}
