// Package keycost measures what a kind of key costs a database, for docs/keycost.md. It inserts the
// same rows under a bigint from the database, a random UUID, ULIDs in each form and UUIDv7s. Its
// tests insert few rows, and compare sizes only. With -rows they measure, in servers of their own
// whose caches are smaller than the indexes:
//
//	go test -C lab -v -timeout 0 ./keycost -rows 1000000           # print the tables
//	go test -C lab -timeout 0 ./keycost -rows 1000000 -write       # write them to results.json and the page
//
// Every kind of key gets the same rows in the same order of arrival. Each row has two more numbers
// and 80 characters of text, and a row in a child table that refers to its key and has 40
// characters. There are no foreign keys. The tables start empty, in a server that has already
// inserted a tenth of the rows. A bigint is read back by RETURNING, because the child needs it.
// InnoDB stores the rows in the index of the key, so the size of that index is 0. SQLite's tables
// are ordinary ones, not WITHOUT ROWID, so only an INTEGER is the rowid and needs no index.
//
// A cache of 16 MB is an eighth of the default of PostgreSQL and MariaDB, and their logs are an
// eighth of the default too. With -cache the logs grow in proportion. PostgreSQL and SQLite read
// what their caches lack from the system's page cache, and MariaDB from the disk.
//
// The log is PostgreSQL's WAL, InnoDB's redo log or SQLite's WAL. The pages written are those of
// tables and indexes and include a last checkpoint, but not InnoDB's doublewrite buffer, and SQLite
// does not count them. The range of 1% is the mean of five. Every look-up and range is checked to
// find its rows. 1 MB is 10⁶ bytes on the page, but 2²⁰ in the options.
package keycost

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
	_ "modernc.org/sqlite"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/pgxulid"
)

var (
	rowsFlag  = flag.Int("rows", 0, "measure with so many rows of each kind, a multiple of 12,500")
	cacheFlag = flag.Int("cache", 16, "cache of each database in MB, with -rows")
)

// A load is the rows that each kind of key gets. They arrive one a millisecond. The IDs are made
// before, so that the time to make them is no part of what is measured.
type load struct{ rows, batch, lookups int }

const (
	windows = 25          // equal parts of a load, each with its own rate
	fifth   = windows / 5 // of the rows
	ranges  = 5           // each of 1% of the rows
)

// These are enough rows for the sizes of the indexes to be told apart, with few commits.
var (
	small  = load{rows: 25_000, batch: 1000, lookups: 500}
	larger = load{rows: 50_000, batch: 2000, lookups: 500} // for sizes in megabytes
)

// Rates differ from machine to machine. Sizes are compared on each.

func TestSQLite(t *testing.T) {
	r := measure(t, sqlite, small)
	key := func(kind string) int64 { return r.kind(kind).Key }
	child := func(kind string) int64 { return r.kind(kind).Entry }
	log := func(kind string) int64 { return r.kind(kind).Log }
	increasing(t, child, bigint, asBinary, asText, asUUID)
	increasing(t, key, bigint, asBinary, asText, asUUID)
	alike(t, key, asBinary, uuidV7)
	// The index of random keys is about as large as an ordered one: it is the log that tells them apart.
	increasing(t, log, bigint, asBinary, random)
}

func TestPostgreSQL(t *testing.T) {
	r := measure(t, postgreSQL, small)
	key := func(kind string) int64 { return r.kind(kind).Key }
	child := func(kind string) int64 { return r.kind(kind).Entry }
	for _, index := range []func(string) int64{key, child} {
		increasing(t, index, bigint, asUUID, asBinary, asText)
		increasing(t, index, asUUID, random)
		increasing(t, index, uuidV7, random)
		alike(t, index, asUUID, uuidV7)
	}
	for _, k := range []string{uuidV7, random} {
		if got, want := r.kind(k).Table, r.kind(asUUID).Table; got != want {
			t.Errorf("the table of %s has %d bytes, want %d", k, got, want)
		}
	}
	ratio := float64(key(asUUID)) / float64(key(asText))
	if ratio < 0.6 || ratio > 0.7 {
		t.Errorf("the index of a uuid is %.2f times that of a text, and docs/postgresql.md says two thirds", ratio)
	}
}

func TestMariaDB(t *testing.T) {
	r := measure(t, mariaDB, larger)
	table := func(kind string) int64 { return r.kind(kind).Table }
	child := func(kind string) int64 { return r.kind(kind).Entry }
	// The others are too close for sizes in megabytes.
	for _, kind := range []string{bigint, asBinary, uuidV7, asText} {
		increasing(t, table, kind, random)
	}
	alike(t, table, asBinary, uuidV7)
	increasing(t, child, bigint, random)
}

func increasing(t *testing.T, size func(kind string) int64, kinds ...string) {
	t.Helper()
	for i, kind := range kinds[1:] {
		if before := kinds[i]; size(before) >= size(kind) {
			t.Errorf("%d bytes of %s are not less than %d of %s", size(before), before, size(kind), kind)
		}
	}
}

// alike reports kinds whose sizes differ by more than a hundredth.
func alike(t *testing.T, size func(kind string) int64, a, b string) {
	t.Helper()
	if d := size(a) - size(b); max(d, -d) > size(a)/100 {
		t.Errorf("%d bytes of %s are not about as many as %d of %s", size(a), a, size(b), b)
	}
}

// measure measures all kinds of key in a database: with a load for its sizes, or as the flags demand.
func measure(t *testing.T, d database, l load) report {
	options := d.options(2)
	if *rowsFlag > 0 {
		l = load{rows: *rowsFlag, batch: 500, lookups: 10_000}
		options = d.options(*cacheFlag)
	}
	if l.rows%l.unit() != 0 {
		t.Fatalf("%d rows are no multiple of %d batches of %d", l.rows, windows, l.batch)
	}
	if *rowsFlag > 0 {
		return d.measureRates(t, l, options)
	}
	return d.connect(t, options).measureAll(t, l, options)
}

// measureRates measures in a server of its own. It logs the tables of the results. With -write it
// writes the results down, from which TestPage renews the page.
func (d database) measureRates(t *testing.T, l load, options []string) report {
	if d.Database != db.SQLite {
		d.start(t, options)
	}
	to := d.connect(t, options)
	// The first load of a new server is slower than the next: its log files do not exist yet.
	to.measure(t, d.kinds[0], l.tenth())
	results := to.measureAll(t, l, options)
	t.Log("\n" + results.markdown())
	if page.Writes() {
		renew(t, results)
	}
	return results
}

// unit is the least number of rows that a load of such batches can have.
func (l load) unit() int { return windows * l.batch }

// tenth returns about a tenth of a load, without look-ups.
func (l load) tenth() load {
	units := max(1, l.rows/l.unit()/10)
	return load{rows: units * l.unit(), batch: l.batch}
}

// connect connects to the database. The options of SQLite are settings of the connection.
func (d database) connect(t *testing.T, options []string) *connection {
	to := &connection{DB: d.Open(t, ""), d: d}
	switch d.Database {
	case db.PostgreSQL:
		to.DB.DB = registered(t, to.DSN)
	case db.SQLite:
		for _, setting := range options {
			to.Run("PRAGMA " + setting)
		}
	}
	return to
}

// measureAll measures all kinds of key of the database.
func (to *connection) measureAll(t *testing.T, l load, options []string) report {
	var all report
	for _, k := range to.d.kinds {
		r := to.measure(t, k, l)
		r.Options = strings.Join(options, " ")
		all = append(all, r)
	}
	return all
}

// registered connects to PostgreSQL as its page says: with pgxulid.
func registered(t *testing.T, dsn string) *sqlx.DB {
	config, err := pgx.ParseConfig(dsn)
	db.Check(t, err)
	to := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(func(_ context.Context, conn *pgx.Conn) error {
		pgxulid.Register(conn.TypeMap())
		return nil
	}))
	to.SetMaxOpenConns(1)
	t.Cleanup(func() { to.Close() })
	return sqlx.NewDb(to, "pgx")
}

// start starts servers in a new folder, the one of the database with options. If the test is
// interrupted they go on, until servers.sh stop runs with this folder as ULID_SERVERS_DIR.
func (d database) start(t *testing.T, options []string) {
	dir, err := os.MkdirTemp("", "keycost")
	db.Check(t, err)
	name := "ULID_" + strings.ToUpper(d.Dialect)
	script := func(command string) string {
		cmd := exec.Command(filepath.Join(page.Root(), "interop/db/servers.sh"), command)
		cmd.Env = append(os.Environ(), "ULID_SERVERS_DIR="+dir, name+"_OPTIONS="+strings.Join(options, " "))
		cmd.Stderr = t.Output()
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("servers.sh %s: %v", command, err)
		}
		return string(out)
	}
	t.Cleanup(func() { script("stop") })
	exported := regexp.MustCompile(`(?m)^export ` + name + `='(.*)'$`).FindStringSubmatch(script("start"))
	if exported == nil {
		t.Fatalf("servers.sh start names no %s", name)
	}
	t.Setenv(name, exported[1])
}

// A connection is the one connection to a database, so that settings stay.
type connection struct {
	*db.DB
	d database

	// The pages in the write-ahead log of SQLite, which starts anew after every checkpoint.
	pages, inLog, copied int64
}

// A loader inserts the rows of a load under one kind of key.
type loader struct {
	load
	t              *testing.T
	to             *connection
	kind           kind
	ids            []ulid.ULID
	serials        []int64 // if the database makes the keys
	items, entries *sql.Stmt
}

// measure inserts the rows of a load, and reads some. It checks that each look-up finds its row, and
// that each range is whole.
func (to *connection) measure(t *testing.T, k kind, l load) result {
	to.create(k)
	log, pages := to.settled(t)
	w := to.loader(t, k, l)
	defer w.items.Close()
	defer w.entries.Close()

	r := result{
		Date:     time.Now().UTC().Format(time.DateOnly),
		Machine:  machine(),
		Database: to.Release(),
		Kind:     k.name,
		Column:   k.column,
		Rows:     l.rows,
		Scan:     !k.timed,
	}
	r.Rates = w.insert()
	r.Log, r.Pages = to.settled(t)
	r.Log -= log
	r.Pages -= pages
	for _, statement := range to.d.analyze {
		to.Run(statement)
	}
	db.Check(t, to.QueryRow(to.d.sizes).Scan(&r.Table, &r.Key, &r.Entry))
	r.Lookups = w.lookUp()
	r.Range = w.readRanges()
	t.Logf("%s, %s: %.0f rows/s, at last %.0f; table %d, key %d, entry %d, log %d, pages %d",
		r.Database, k.name, harmonic(r.Rates), r.last(), r.Table, r.Key, r.Entry, r.Log, r.Pages)
	return r
}

// loader makes the IDs of a load, and prepares its statements.
func (to *connection) loader(t *testing.T, k kind, l load) *loader {
	w := &loader{load: l, t: t, to: to, kind: k}
	if k.ids == nil {
		w.items = w.prepare("item", " RETURNING id", "created", "amount", "note")
	} else {
		w.ids = k.ids(l.rows)
		w.items = w.prepare("item", "", "id", "created", "amount", "note")
	}
	w.entries = w.prepare("entry", "", "item", "note")
	return w
}

// create makes both tables anew. There is no foreign key, because not everyone declares one.
func (to *connection) create(k kind) {
	id := k.column + " NOT NULL"
	if k.ids == nil {
		id = to.d.serial
	}
	to.Run("DROP TABLE IF EXISTS entry")
	to.Run("DROP TABLE IF EXISTS item")
	if to.d.empty != "" {
		to.Run(to.d.empty)
	}
	to.Run(`CREATE TABLE item (
		id ` + id + ` PRIMARY KEY,
		created BIGINT NOT NULL,
		amount BIGINT NOT NULL,
		note VARCHAR(80) NOT NULL
	)`)
	to.Run(`CREATE TABLE entry (
		id ` + to.d.serial + ` PRIMARY KEY,
		item ` + k.column + ` NOT NULL,
		note VARCHAR(40) NOT NULL
	)`)
	to.Run("CREATE INDEX entry_item ON entry (item)")
}

// settled runs the statements of settle, and returns the bytes that were written until then. For SQLite
// the query has the size of a page, and countLog has counted the pages.
func (to *connection) settled(t *testing.T) (log, pages int64) {
	for _, statement := range to.d.settle {
		to.Run(statement)
	}
	db.Check(t, to.QueryRow(to.d.written).Scan(&log, &pages))
	if to.Database == db.SQLite {
		to.inLog, to.copied = 0, 0
		log *= to.pages
	}
	return log, pages
}

// countLog adds the pages that the last transaction wrote to the log of SQLite.
func (to *connection) countLog(t *testing.T) {
	if to.Database != db.SQLite {
		return
	}
	var busy, inLog, copied int64
	db.Check(t, to.QueryRow("PRAGMA wal_checkpoint(NOOP)").Scan(&busy, &inLog, &copied))
	// If all of the log had been copied into the file, the next page went to its beginning.
	if to.copied == to.inLog {
		to.inLog = 0
	}
	to.pages += inLog - to.inLog
	to.inLog, to.copied = inLog, copied
}

// prepare prepares an INSERT of a batch of rows.
func (w *loader) prepare(table, returning string, columns ...string) *sql.Stmt {
	row := "(" + strings.Repeat("?, ", len(columns)-1) + "?)"
	rows := strings.Repeat(row+", ", w.batch-1) + row
	names := strings.Join(columns, ", ")
	stmt, err := w.to.Prepare(w.to.Rebind("INSERT INTO " + table + " (" + names + ") VALUES " + rows + returning))
	db.Check(w.t, err)
	return stmt
}

// insert inserts all rows and returns the rate in each window.
func (w *loader) insert() (rates []float64) {
	window := w.rows / windows
	for first := 0; first < w.rows; first += window {
		begin := time.Now()
		for batch := first; batch < first+window; batch += w.batch {
			w.insertBatch(batch)
		}
		rates = append(rates, float64(window)/time.Since(begin).Seconds())
	}
	return rates
}

// insertBatch inserts rows from the first on, each with its entry, in a transaction.
func (w *loader) insertBatch(first int) {
	tx, err := w.to.Begin()
	db.Check(w.t, err)
	defer tx.Rollback()

	args := make([]any, 0, 4*w.batch)
	for i := first; i < first+w.batch; i++ {
		if w.kind.ids != nil {
			args = append(args, w.kind.arg(w.ids[i]))
		}
		args = append(args, arrival(i).UnixMilli(), i, filler(i, 80))
	}
	if w.kind.ids != nil {
		_, err = tx.Stmt(w.items).Exec(args...)
	} else {
		err = w.insertSerial(tx, args)
	}
	db.Check(w.t, err)

	args = args[:0]
	for i := first; i < first+w.batch; i++ {
		args = append(args, w.key(i), filler(i, 40))
	}
	_, err = tx.Stmt(w.entries).Exec(args...)
	db.Check(w.t, err)
	db.Check(w.t, tx.Commit())
	w.to.countLog(w.t)
}

// insertSerial inserts a batch whose keys the database makes, and keeps them.
func (w *loader) insertSerial(tx *sql.Tx, args []any) error {
	rows, err := tx.Stmt(w.items).Query(args...)
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
func (w *loader) lookUp() time.Duration {
	stmt, err := w.to.Prepare(w.to.Rebind("SELECT amount FROM item WHERE id = ?"))
	db.Check(w.t, err)
	defer stmt.Close()
	choice := rand.New(rand.NewChaCha8(seed))
	begin := time.Now()
	for range w.lookups {
		i := choice.IntN(w.rows)
		var amount int
		db.Check(w.t, stmt.QueryRow(w.key(i)).Scan(&amount))
		if amount != i {
			w.t.Fatalf("row %d was found as row %d", i, amount)
		}
	}
	return time.Since(begin)
}

// bound returns a time as the column of readRanges holds it.
func (w *loader) bound(t time.Time) any {
	if w.kind.timed {
		return w.kind.arg(ulid.FirstAt(t))
	}
	return t.UnixMilli()
}

// readRanges reads the rows of some times and returns how long it took on average. Where the keys do
// not hold the time the rows are found by their column created, which has no index.
func (w *loader) readRanges() time.Duration {
	column := "created"
	if w.kind.timed {
		column = "id"
	}
	query := fmt.Sprintf("SELECT count(*), sum(amount) FROM item WHERE %[1]s >= ? AND %[1]s < ?", column)
	stmt, err := w.to.Prepare(w.to.Rebind(query))
	db.Check(w.t, err)
	defer stmt.Close()
	begin := time.Now()
	for i := range ranges {
		n := w.rows / 100
		first := w.rows * (2*i + 1) / (2 * ranges)
		var count, sum int
		row := stmt.QueryRow(w.bound(arrival(first)), w.bound(arrival(first+n)))
		db.Check(w.t, row.Scan(&count, &sum))
		if want := n*first + n*(n-1)/2; count != n || sum != want {
			w.t.Fatalf("a range of %d rows from %d on holds %d", n, first, count)
		}
	}
	return time.Since(begin) / ranges
}
