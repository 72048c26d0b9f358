package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"
)

// A session is what the databases have in common.
type session struct {
	db *sql.DB
	c  *sql.Conn
}

func openSession(ctx context.Context, driver, dsn string) (session, error) {
	db, err := sql.Open(driver, dsn)
	if err != nil {
		return session{}, err
	}
	c, err := db.Conn(ctx)
	if err != nil {
		return session{}, errors.Join(err, db.Close())
	}
	return session{db, c}, nil
}

func (s session) conn() *sql.Conn { return s.c }
func (s session) Close() error    { return errors.Join(s.c.Close(), s.db.Close()) }

func (s session) committed(context.Context) error { return nil }

func (s session) analyze(context.Context) error { return nil }

func (s session) placeholder(int) string { return "?" }

func (s session) exec(ctx context.Context, statements ...string) error {
	for _, statement := range statements {
		if _, err := s.c.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// number returns the number that a query finds.
func (s session) number(ctx context.Context, query string) (n int64, err error) {
	if err := s.c.QueryRowContext(ctx, query).Scan(&n); err != nil {
		return 0, fmt.Errorf("%s: %w", query, err)
	}
	return n, nil
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

func openPostgres(ctx context.Context, dsn string) (database, error) {
	s, err := openSession(ctx, "pgx", dsn)
	if err != nil {
		return nil, err
	}
	// A schema of its own, which this session alone sees.
	if err := s.exec(ctx, "DROP SCHEMA IF EXISTS keycost CASCADE", "CREATE SCHEMA keycost", "SET search_path = keycost"); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return postgres{s}, nil
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
	return errors.Join(p.exec(context.Background(), "DROP SCHEMA keycost CASCADE"), p.session.Close())
}

func (p postgres) version(ctx context.Context) (v string, err error) {
	err = p.c.QueryRowContext(ctx, "SHOW server_version").Scan(&v)
	return "PostgreSQL " + strings.Fields(v + " ")[0], err
}

func (postgres) placeholder(i int) string { return "$" + strconv.Itoa(i) }

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

func (p postgres) written(ctx context.Context) (w written, err error) {
	if w.Log, err = p.number(ctx, "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint"); err != nil {
		return w, err
	}
	version, err := p.number(ctx, "SELECT current_setting('server_version_num')::bigint")
	if err != nil || version >= 170000 { // which keeps no such count in one place
		return w, err
	}
	w.Pages, err = p.number(ctx, "SELECT (buffers_checkpoint + buffers_clean + buffers_backend) * current_setting('block_size')::bigint FROM pg_stat_bgwriter")
	return w, err
}

func (p postgres) sizes(ctx context.Context) (s sizes, err error) {
	err = p.c.QueryRowContext(ctx, "SELECT pg_relation_size('item'), pg_relation_size('item_pkey'), pg_relation_size('entry_item')").
		Scan(&s.Table, &s.Key, &s.Entry)
	return s, err
}

// --- MariaDB

type mariaDB struct{ session }

func openMariaDB(ctx context.Context, dsn string) (database, error) {
	s, err := openSession(ctx, "mysql", dsn)
	if err != nil {
		return nil, err
	}
	if err := s.exec(ctx, "CREATE OR REPLACE DATABASE keycost", "USE keycost"); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return mariaDB{s}, nil
}

// kinds has no AsUUID: what MariaDB's type UUID would store in its own order, or refuse,
// BINARY(16) stores in the same 16 bytes as AsBinary.
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
	return errors.Join(m.exec(context.Background(), "DROP DATABASE keycost"), m.session.Close())
}

func (m mariaDB) version(ctx context.Context) (v string, err error) {
	err = m.c.QueryRowContext(ctx, "SELECT version()").Scan(&v)
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
	rows, err := m.c.QueryContext(ctx, "ANALYZE TABLE item, entry")
	if err != nil {
		return err
	}
	return rows.Close()
}

func (m mariaDB) written(ctx context.Context) (w written, err error) {
	const status = "SELECT CAST(variable_value AS SIGNED) * %s FROM information_schema.global_status WHERE variable_name = '%s'"
	if w.Log, err = m.number(ctx, fmt.Sprintf(status, "1", "Innodb_os_log_written")); err != nil {
		return w, err
	}
	w.Pages, err = m.number(ctx, fmt.Sprintf(status, "@@innodb_page_size", "Innodb_buffer_pool_pages_flushed"))
	return w, err
}

// sizes hold what InnoDB reserves, which is by the megabyte.
func (m mariaDB) sizes(ctx context.Context) (s sizes, err error) {
	const size = "SELECT CAST(stat_value * @@innodb_page_size AS SIGNED) FROM mysql.innodb_index_stats WHERE stat_name = 'size' AND database_name = 'keycost' AND index_name = "
	if s.Table, err = m.number(ctx, size+"'PRIMARY' AND table_name = 'item'"); err != nil {
		return s, err
	}
	s.Entry, err = m.number(ctx, size+"'entry_item'")
	return s, err
}

// --- SQLite

type sqlite struct {
	session
	file string
	log  *sqliteLog
}

// A sqliteLog counts the pages in the write-ahead log of SQLite, which starts anew after
// every checkpoint.
type sqliteLog struct {
	pages, inLog, copied int64
}

func sqliteOptions(cache int) []string {
	return []string{"journal_mode=WAL", "synchronous=FULL", fmt.Sprintf("cache_size=-%d", cache<<10)}
}

func openSQLite(ctx context.Context, file string, options []string) (database, error) {
	s, err := openSession(ctx, "sqlite", "file:"+file)
	if err != nil {
		return nil, err
	}
	for _, option := range options {
		if err := s.exec(ctx, "PRAGMA "+option); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return sqlite{s, file, new(sqliteLog)}, nil
}

// kinds are those of ordinary tables, whose key has an index of its own unless it is an
// INTEGER, which is the rowid.
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

func (s sqlite) Close() error {
	err := s.session.Close()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if e := os.Remove(s.file + suffix); !errors.Is(e, os.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

func (s sqlite) version(ctx context.Context) (v string, err error) {
	err = s.c.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&v)
	return "SQLite " + v, err
}

func (s sqlite) create(ctx context.Context, k kind) error {
	// Each load starts with an empty file.
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
	if err := s.c.QueryRowContext(ctx, "PRAGMA wal_checkpoint(NOOP)").Scan(&busy, &inLog, &copied); err != nil {
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
	size, err := s.number(ctx, "PRAGMA page_size")
	return written{Log: s.log.pages * (size + 24)}, err // 24 bytes before each page
}

func (s sqlite) sizes(ctx context.Context) (z sizes, err error) {
	const size = "SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name = "
	if z.Table, err = s.number(ctx, size+"'item'"); err != nil {
		return z, err
	}
	if z.Key, err = s.number(ctx, size+"'sqlite_autoindex_item_1'"); err != nil {
		return z, err
	}
	z.Entry, err = s.number(ctx, size+"'entry_item'")
	return z, err
}
