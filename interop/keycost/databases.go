package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
	_ "modernc.org/sqlite"
)

// A database holds the tables item, with the key, and entry, which refers to it.
type database interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
	BeginTx(ctx context.Context, options *sql.TxOptions) (*sql.Tx, error)
	Rebind(query string) string
	Close() error

	version(ctx context.Context) (string, error)
	kinds() []kind
	// create makes both tables anew.
	create(ctx context.Context, k kind) error
	// committed is called after each transaction.
	committed(ctx context.Context) error
	// settle writes what is to be written, so that the next load starts with nothing to do.
	settle(ctx context.Context) error
	// analyze prepares the tables for queries, as a server does by itself at times.
	analyze(ctx context.Context) error
	written(ctx context.Context) (written, error)
	sizes(ctx context.Context) (sizes, error)
}

// A session is what the databases have in common: one connection.
type session struct{ *sqlx.DB }

func openSession(ctx context.Context, driver, dsn string, setup ...string) (session, error) {
	db, err := sqlx.Open(driver, dsn)
	if err != nil {
		return session{}, err
	}
	db.SetMaxOpenConns(1)
	s := session{db}
	if err := s.exec(ctx, setup...); err != nil {
		return session{}, errors.Join(err, db.Close())
	}
	return s, nil
}

func (s session) committed(context.Context) error { return nil }

func (s session) analyze(context.Context) error { return nil }

func (s session) exec(ctx context.Context, statements ...string) error {
	for _, statement := range statements {
		if _, err := s.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// read reads the one row of a query.
func (s session) read(ctx context.Context, query string, columns ...any) error {
	if err := s.QueryRowContext(ctx, query).Scan(columns...); err != nil {
		return fmt.Errorf("%s: %w", query, err)
	}
	return nil
}

// tables makes both tables. There is no foreign key, because not everyone declares one.
func (s session) tables(ctx context.Context, k kind, serial string) error {
	id := k.Column + " NOT NULL"
	if k.ids == nil {
		id = serial
	}
	return s.exec(ctx,
		"DROP TABLE IF EXISTS entry",
		"DROP TABLE IF EXISTS item",
		"CREATE TABLE item (id "+id+" PRIMARY KEY, created BIGINT NOT NULL, amount BIGINT NOT NULL, note VARCHAR(80) NOT NULL)",
		"CREATE TABLE entry (id "+serial+" PRIMARY KEY, item "+k.Column+" NOT NULL, note VARCHAR(40) NOT NULL)",
		"CREATE INDEX entry_item ON entry (item)",
	)
}

// --- PostgreSQL

type postgres struct{ session }

// openPostgres makes a schema that only this session uses.
func openPostgres(ctx context.Context, dsn string) (database, error) {
	s, err := openSession(ctx, "pgx", dsn,
		"DROP SCHEMA IF EXISTS keycost CASCADE", "CREATE SCHEMA keycost", "SET search_path = keycost")
	return postgres{s}, err
}

func (postgres) kinds() []kind {
	return []kind{
		{Name: bigint, Column: "bigint"},
		{Name: random, Column: "uuid", ids: randomUUIDs, arg: argUUID},
		{Name: asUUID, Column: "uuid", ids: generated(false), arg: argUUID, timed: true},
		{Name: uuidV7, Column: "uuid", ids: generated(true), arg: argUUID, timed: true},
		{Name: asBinary, Column: "bytea", ids: generated(false), arg: argBinary, timed: true},
		{Name: asText, Column: `text COLLATE "C"`, ids: generated(false), arg: argText, timed: true},
	}
}

func (p postgres) Close() error {
	return errors.Join(p.exec(context.Background(), "DROP SCHEMA keycost CASCADE"), p.DB.Close())
}

func (p postgres) version(ctx context.Context) (v string, err error) {
	err = p.read(ctx, "SHOW server_version", &v)
	return "PostgreSQL " + strings.Fields(v + " ")[0], err
}

func (p postgres) create(ctx context.Context, k kind) error {
	return p.tables(ctx, k, "bigint GENERATED ALWAYS AS IDENTITY")
}

// settle makes two checkpoints, because one ends before it has told how many pages it wrote.
func (p postgres) settle(ctx context.Context) error {
	return p.exec(ctx, "CHECKPOINT", "CHECKPOINT")
}

func (p postgres) analyze(ctx context.Context) error {
	return p.exec(ctx, "VACUUM (ANALYZE) item, entry", "CHECKPOINT")
}

// written returns no pages from version 17 on, which does not count them in one place.
func (p postgres) written(ctx context.Context) (w written, err error) {
	var version int
	if err := p.read(ctx, "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint, current_setting('server_version_num')::int", &w.Log, &version); err != nil || version >= 170000 {
		return w, err
	}
	err = p.read(ctx, "SELECT (buffers_checkpoint + buffers_clean + buffers_backend) * current_setting('block_size')::bigint FROM pg_stat_bgwriter", &w.Pages)
	return w, err
}

func (p postgres) sizes(ctx context.Context) (s sizes, err error) {
	err = p.read(ctx, "SELECT pg_relation_size('item'), pg_relation_size('item_pkey'), pg_relation_size('entry_item')", &s.Table, &s.Key, &s.Entry)
	return s, err
}

// --- MariaDB

type mariaDB struct{ session }

func openMariaDB(ctx context.Context, dsn string) (database, error) {
	s, err := openSession(ctx, "mysql", dsn, "CREATE OR REPLACE DATABASE keycost", "USE keycost")
	return mariaDB{s}, err
}

// kinds lacks AsUUID. MariaDB's type UUID would reorder or refuse it, and BINARY(16) stores the bytes of AsBinary.
func (mariaDB) kinds() []kind {
	return []kind{
		{Name: bigint, Column: "BIGINT"},
		{Name: random, Column: "BINARY(16)", ids: randomUUIDs, arg: argBinary},
		{Name: asBinary, Column: "BINARY(16)", ids: generated(false), arg: argBinary, timed: true},
		{Name: uuidV7, Column: "BINARY(16)", ids: generated(true), arg: argBinary, timed: true},
		{Name: asText, Column: "CHAR(26) CHARACTER SET ascii COLLATE ascii_bin", ids: generated(false), arg: argText, timed: true},
	}
}

func (m mariaDB) Close() error {
	return errors.Join(m.exec(context.Background(), "DROP DATABASE keycost"), m.DB.Close())
}

func (m mariaDB) version(ctx context.Context) (v string, err error) {
	err = m.read(ctx, "SELECT version()", &v)
	v, _, _ = strings.Cut(v, "-")
	return "MariaDB " + v, err
}

func (m mariaDB) create(ctx context.Context, k kind) error {
	return m.tables(ctx, k, "BIGINT AUTO_INCREMENT")
}

// settle waits until InnoDB has written the pages of both tables: FOR EXPORT does that.
func (m mariaDB) settle(ctx context.Context) error {
	return m.exec(ctx, "FLUSH TABLES item, entry FOR EXPORT", "UNLOCK TABLES")
}

func (m mariaDB) analyze(ctx context.Context) error {
	rows, err := m.QueryContext(ctx, "ANALYZE TABLE item, entry")
	if err != nil {
		return err
	}
	return rows.Close()
}

func (m mariaDB) written(ctx context.Context) (w written, err error) {
	const status = "CAST((SELECT variable_value FROM information_schema.global_status WHERE variable_name = '%s') AS SIGNED)"
	query := fmt.Sprintf("SELECT "+status+", @@innodb_page_size * "+status, "Innodb_os_log_written", "Innodb_buffer_pool_pages_flushed")
	err = m.read(ctx, query, &w.Log, &w.Pages)
	return w, err
}

// sizes returns what InnoDB reserves, which is by the megabyte.
func (m mariaDB) sizes(ctx context.Context) (s sizes, err error) {
	err = m.read(ctx, `SELECT CAST(@@innodb_page_size * sum(if(index_name = 'entry_item', 0, stat_value)) AS SIGNED),
			CAST(@@innodb_page_size * sum(if(index_name = 'entry_item', stat_value, 0)) AS SIGNED)
		FROM mysql.innodb_index_stats WHERE stat_name = 'size' AND database_name = 'keycost'
			AND (index_name = 'entry_item' OR index_name = 'PRIMARY' AND table_name = 'item')`, &s.Table, &s.Entry)
	return s, err
}

// --- SQLite

type sqlite struct {
	session
	file string
	log  *sqliteLog
}

// A sqliteLog counts the pages in the write-ahead log of SQLite, which starts anew after every checkpoint.
type sqliteLog struct {
	pages, inLog, copied int64
}

func sqliteOptions(cache int) []string {
	return []string{"journal_mode=WAL", "synchronous=FULL", fmt.Sprintf("cache_size=-%d", cache<<10)}
}

func openSQLite(ctx context.Context, file string, options []string) (database, error) {
	var setup []string
	for _, option := range options {
		setup = append(setup, "PRAGMA "+option)
	}
	s, err := openSession(ctx, "sqlite", "file:"+file, setup...)
	return sqlite{s, file, new(sqliteLog)}, err
}

// kinds are those of ordinary tables, whose key has a separate index unless it is an INTEGER, which is the rowid.
func (sqlite) kinds() []kind {
	return []kind{
		{Name: bigint, Column: "INTEGER"},
		{Name: random, Column: "BLOB", ids: randomUUIDs, arg: argBinary},
		{Name: asBinary, Column: "BLOB", ids: generated(false), arg: argBinary, timed: true},
		{Name: uuidV7, Column: "BLOB", ids: generated(true), arg: argBinary, timed: true},
		{Name: asText, Column: "TEXT", ids: generated(false), arg: argText, timed: true},
		{Name: asUUID, Column: "TEXT", ids: generated(false), arg: argUUID, timed: true},
	}
}

// Close removes the file. SQLite has removed the files beside it.
func (s sqlite) Close() error { return errors.Join(s.DB.Close(), os.Remove(s.file)) }

func (s sqlite) version(ctx context.Context) (v string, err error) {
	err = s.read(ctx, "SELECT sqlite_version()", &v)
	return "SQLite " + v, err
}

// create starts each load with an empty file.
func (s sqlite) create(ctx context.Context, k kind) error {
	if err := s.exec(ctx, "DROP TABLE IF EXISTS entry", "DROP TABLE IF EXISTS item", "VACUUM"); err != nil {
		return err
	}
	return s.tables(ctx, k, "INTEGER")
}

// settle empties the log, whose pages committed has counted.
func (s sqlite) settle(ctx context.Context) error {
	s.log.inLog, s.log.copied = 0, 0
	return s.exec(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
}

func (s sqlite) committed(ctx context.Context) error {
	var busy, inLog, copied int64
	if err := s.read(ctx, "PRAGMA wal_checkpoint(NOOP)", &busy, &inLog, &copied); err != nil {
		return err
	}
	// If all of the log had been copied into the file, the next page went to its beginning.
	if s.log.copied == s.log.inLog {
		s.log.inLog = 0
	}
	s.log.pages += inLog - s.log.inLog
	s.log.inLog, s.log.copied = inLog, copied
	return nil
}

func (s sqlite) written(ctx context.Context) (w written, err error) {
	var size int64
	err = s.read(ctx, "PRAGMA page_size", &size)
	return written{Log: s.log.pages * (size + 24)}, err // 24 bytes before each page
}

func (s sqlite) sizes(ctx context.Context) (z sizes, err error) {
	const size = "(SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name = '%s')"
	query := fmt.Sprintf("SELECT "+size+", "+size+", "+size, "item", "sqlite_autoindex_item_1", "entry_item")
	err = s.read(ctx, query, &z.Table, &z.Key, &z.Entry)
	return z, err
}
