package main

import (
	"context"
	"errors"
	"fmt"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
	_ "modernc.org/sqlite"
)

// A database is a connection, and what its server has to be told. It holds the tables item, with the key, and entry,
// which refers to it.
type database struct {
	*sqlx.DB
	kinds  []kind
	serial string // the type of a key that the database makes

	empty   []string // statements before the tables are made
	settle  []string // that write what is to be written, so that the next load starts with nothing to do
	analyze []string // that prepare the tables for queries, as a server does by itself at times
	end     []string // before the connection is closed

	version string // a query for its name and its version
	written string // for the bytes of the log, and of the pages
	sizes   string // for the bytes of the table, of the index of its key, and of the index of entry

	log *sqliteLog
}

// open opens the one connection, so that settings stay.
func (db *database) open(ctx context.Context, driver, dsn string, setup ...string) (*database, error) {
	pool, err := sqlx.Open(driver, dsn)
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	db.DB = pool
	if err := db.exec(ctx, setup); err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	return db, nil
}

func (db *database) Close() error {
	return errors.Join(db.exec(context.Background(), db.end), db.DB.Close())
}

func (db *database) exec(ctx context.Context, statements []string) error {
	for _, statement := range statements {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// read reads the one row of a query.
func (db *database) read(ctx context.Context, query string, columns ...any) error {
	if err := db.QueryRowContext(ctx, query).Scan(columns...); err != nil {
		return fmt.Errorf("%s: %w", query, err)
	}
	return nil
}

// create makes both tables anew. There is no foreign key, because not everyone declares one.
func (db *database) create(ctx context.Context, k kind) error {
	id := k.Column + " NOT NULL"
	if k.ids == nil {
		id = db.serial
	}
	statements := []string{"DROP TABLE IF EXISTS entry", "DROP TABLE IF EXISTS item"}
	return db.exec(ctx, append(append(statements, db.empty...),
		"CREATE TABLE item (id "+id+" PRIMARY KEY, created BIGINT NOT NULL, amount BIGINT NOT NULL, note VARCHAR(80) NOT NULL)",
		"CREATE TABLE entry (id "+db.serial+" PRIMARY KEY, item "+k.Column+" NOT NULL, note VARCHAR(40) NOT NULL)",
		"CREATE INDEX entry_item ON entry (item)",
	))
}

// settled runs the statements of settle, and returns what was written until then.
func (db *database) settled(ctx context.Context) (w written, err error) {
	if err := db.exec(ctx, db.settle); err != nil {
		return w, err
	}
	err = db.read(ctx, db.written, &w.Log, &w.Pages)
	if db.log != nil {
		db.log.inLog, db.log.copied = 0, 0
		w.Log *= db.log.pages
	}
	return w, err
}

// openPostgres makes a schema that only this connection uses. Its settle makes two checkpoints, because one ends before
// it has told how many pages it wrote. From version 17 on the pages are not counted in one place, and are 0 here.
func openPostgres(ctx context.Context, dsn string) (*database, error) {
	db := &database{
		kinds: []kind{
			{Name: bigint, Column: "bigint"},
			{Name: random, Column: "uuid", ids: randomUUIDs, arg: argUUID},
			{Name: asUUID, Column: "uuid", ids: generated(false), arg: argUUID, timed: true},
			{Name: uuidV7, Column: "uuid", ids: generated(true), arg: argUUID, timed: true},
			{Name: asBinary, Column: "bytea", ids: generated(false), arg: argBinary, timed: true},
			{Name: asText, Column: `text COLLATE "C"`, ids: generated(false), arg: argText, timed: true},
		},
		serial:  "bigint GENERATED ALWAYS AS IDENTITY",
		settle:  []string{"CHECKPOINT", "CHECKPOINT"},
		analyze: []string{"VACUUM (ANALYZE) item, entry", "CHECKPOINT"},
		end:     []string{"DROP SCHEMA keycost CASCADE"},
		version: "SELECT 'PostgreSQL ' || split_part(current_setting('server_version'), ' ', 1)",
		written: `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint, coalesce(current_setting('block_size')::bigint *
			((b->>'buffers_checkpoint')::bigint + (b->>'buffers_clean')::bigint + (b->>'buffers_backend')::bigint), 0)
			FROM (SELECT to_jsonb(pg_stat_bgwriter) AS b FROM pg_stat_bgwriter) AS counts`,
		sizes: "SELECT pg_relation_size('item'), pg_relation_size('item_pkey'), pg_relation_size('entry_item')",
	}
	return db.open(ctx, "pgx", dsn, "DROP SCHEMA IF EXISTS keycost CASCADE", "CREATE SCHEMA keycost", "SET search_path = keycost")
}

// openMariaDB has no AsUUID. MariaDB's type UUID would reorder or refuse it, and BINARY(16) stores the bytes of AsBinary.
// Its settle waits until InnoDB has written the pages of both tables: FOR EXPORT does that. Its sizes are what InnoDB
// reserves, which is by the megabyte.
func openMariaDB(ctx context.Context, dsn string) (*database, error) {
	const status = "CAST((SELECT variable_value FROM information_schema.global_status WHERE variable_name = '%s') AS SIGNED)"
	const size = `(SELECT CAST(stat_value * @@innodb_page_size AS SIGNED) FROM mysql.innodb_index_stats
		WHERE stat_name = 'size' AND database_name = 'keycost' AND table_name = '%s' AND index_name = '%s')`
	db := &database{
		kinds: []kind{
			{Name: bigint, Column: "BIGINT"},
			{Name: random, Column: "BINARY(16)", ids: randomUUIDs, arg: argBinary},
			{Name: asBinary, Column: "BINARY(16)", ids: generated(false), arg: argBinary, timed: true},
			{Name: uuidV7, Column: "BINARY(16)", ids: generated(true), arg: argBinary, timed: true},
			{Name: asText, Column: "CHAR(26) CHARACTER SET ascii COLLATE ascii_bin", ids: generated(false), arg: argText, timed: true},
		},
		serial:  "BIGINT AUTO_INCREMENT",
		settle:  []string{"FLUSH TABLES item, entry FOR EXPORT", "UNLOCK TABLES"},
		analyze: []string{"ANALYZE TABLE item, entry"},
		end:     []string{"DROP DATABASE keycost"},
		version: "SELECT concat('MariaDB ', substring_index(version(), '-', 1))",
		written: fmt.Sprintf("SELECT "+status+", @@innodb_page_size * "+status, "Innodb_os_log_written", "Innodb_buffer_pool_pages_flushed"),
		sizes:   fmt.Sprintf("SELECT "+size+", 0, "+size, "item", "PRIMARY", "entry", "entry_item"),
	}
	return db.open(ctx, "mysql", dsn, "CREATE OR REPLACE DATABASE keycost", "USE keycost")
}

func sqliteOptions(cache int) []string {
	return []string{"journal_mode=WAL", "synchronous=FULL", fmt.Sprintf("cache_size=-%d", cache<<10)}
}

// openSQLite has ordinary tables, whose key has a separate index unless it is an INTEGER, which is the rowid. Each load
// starts with an empty file. A page in the log has 24 bytes before it.
func openSQLite(ctx context.Context, file string, options []string) (*database, error) {
	const size = "(SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name = '%s')"
	db := &database{
		kinds: []kind{
			{Name: bigint, Column: "INTEGER"},
			{Name: random, Column: "BLOB", ids: randomUUIDs, arg: argBinary},
			{Name: asBinary, Column: "BLOB", ids: generated(false), arg: argBinary, timed: true},
			{Name: uuidV7, Column: "BLOB", ids: generated(true), arg: argBinary, timed: true},
			{Name: asText, Column: "TEXT", ids: generated(false), arg: argText, timed: true},
			{Name: asUUID, Column: "TEXT", ids: generated(false), arg: argUUID, timed: true},
		},
		serial:  "INTEGER",
		empty:   []string{"VACUUM"},
		settle:  []string{"PRAGMA wal_checkpoint(TRUNCATE)"},
		version: "SELECT 'SQLite ' || sqlite_version()",
		written: "SELECT page_size + 24, 0 FROM pragma_page_size",
		sizes:   fmt.Sprintf("SELECT "+size+", "+size+", "+size, "item", "sqlite_autoindex_item_1", "entry_item"),
		log:     new(sqliteLog),
	}
	var setup []string
	for _, option := range options {
		setup = append(setup, "PRAGMA "+option)
	}
	return db.open(ctx, "sqlite", "file:"+file, setup...)
}

// A sqliteLog counts the pages in the write-ahead log of SQLite, which starts anew after every checkpoint.
type sqliteLog struct {
	pages, inLog, copied int64
}

// committed is called after each transaction.
func (db *database) committed(ctx context.Context) error {
	if db.log == nil {
		return nil
	}
	var busy, inLog, copied int64
	if err := db.read(ctx, "PRAGMA wal_checkpoint(NOOP)", &busy, &inLog, &copied); err != nil {
		return err
	}
	// If all of the log had been copied into the file, the next page went to its beginning.
	if db.log.copied == db.log.inLog {
		db.log.inLog = 0
	}
	db.log.pages += inLog - db.log.inLog
	db.log.inLog, db.log.copied = inLog, copied
	return nil
}
