package keycost

import (
	"fmt"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// A database is one of those that all tests use, and what is asked of it here alone.
type database struct {
	*db.Database
	kinds   []kind
	serial  string                   // the type of a key that the database makes
	options func(cache int) []string // of its server, or settings of SQLite, for a cache of so many MB

	// Statements:
	empty   string   // before the tables are made
	settle  []string // write what is to be written, so that the next load starts with nothing to do
	analyze []string // prepare the tables for queries, as a server does by itself at times

	// Queries:
	written string // the bytes of the log, and of the pages
	sizes   string // the bytes of the table, of the index of its key, and of the index of entry
}

// A kind is a kind of key, as one database stores it.
type kind struct {
	name   string                  // the same in every database
	column string                  // its type
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

func argUUID(id ulid.ULID) any   { return ulid.AsUUID(id) }
func argBinary(id ulid.ULID) any { return ulid.AsBinary(id) }
func argText(id ulid.ULID) any   { return id }

// The settle of PostgreSQL makes two checkpoints, because one ends before it has told how many pages
// it wrote. From version 17 on the pages are not counted in one place, and are 0 here.
var postgreSQL = database{
	Database: db.PostgreSQL,
	kinds: []kind{
		{name: bigint, column: "bigint"},
		{name: random, column: "uuid", ids: randomUUIDs, arg: argUUID},
		{name: asUUID, column: "uuid", ids: makes, arg: argUUID, timed: true},
		{name: uuidV7, column: "uuid", ids: makesUUIDv7, arg: argUUID, timed: true},
		{name: asBinary, column: "bytea", ids: makes, arg: argBinary, timed: true},
		{name: asText, column: `text COLLATE "C"`, ids: makes, arg: argText, timed: true},
	},
	serial: "bigint GENERATED ALWAYS AS IDENTITY",
	options: func(cache int) []string { // by default the cache has 128 MB, and the log 1 GB
		return []string{
			fmt.Sprintf("-c shared_buffers=%dMB", cache),
			fmt.Sprintf("-c max_wal_size=%dMB", max(32, 8*cache)),
			"-c min_wal_size=32MB",
			"-c fsync=on",
			"-c autovacuum=off", // or else it would come at some moment, in some of the loads
		}
	},
	settle:  []string{"CHECKPOINT", "CHECKPOINT"},
	analyze: []string{"VACUUM (ANALYZE) item, entry", "CHECKPOINT"},
	written: `
		SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint,
			coalesce(current_setting('block_size')::bigint * (
				(b->>'buffers_checkpoint')::bigint +
				(b->>'buffers_clean')::bigint +
				(b->>'buffers_backend')::bigint
			), 0)
		FROM (SELECT to_jsonb(pg_stat_bgwriter) AS b FROM pg_stat_bgwriter) AS counts`,
	sizes: "SELECT pg_relation_size('item'), pg_relation_size('item_pkey'), pg_relation_size('entry_item')",
}

// MariaDB has no AsUUID: its type UUID would reorder or refuse it, and BINARY(16) stores the bytes of
// AsBinary. Its settle waits until InnoDB has written the pages of both tables: FOR EXPORT does that.
// Its sizes are what InnoDB reserves, which is by the megabyte.
var mariaDB = database{
	Database: db.MariaDB,
	kinds: []kind{
		{name: bigint, column: "BIGINT"},
		{name: random, column: "BINARY(16)", ids: randomUUIDs, arg: argBinary},
		{name: asBinary, column: "BINARY(16)", ids: makes, arg: argBinary, timed: true},
		{name: uuidV7, column: "BINARY(16)", ids: makesUUIDv7, arg: argBinary, timed: true},
		{name: asText, column: "CHAR(26) CHARACTER SET ascii COLLATE ascii_bin", ids: makes, arg: argText, timed: true},
	},
	serial: "BIGINT AUTO_INCREMENT",
	options: func(cache int) []string { // by default the cache has 128 MB, and the log 96 MB
		return []string{
			fmt.Sprintf("--innodb-buffer-pool-size=%dM", cache),
			fmt.Sprintf("--innodb-log-file-size=%dM", max(4, cache*3/4)),
			"--innodb-flush-log-at-trx-commit=1",
		}
	},
	settle:  []string{"FLUSH TABLES item, entry FOR EXPORT", "UNLOCK TABLES"},
	analyze: []string{"ANALYZE TABLE item, entry"},
	written: `
		SELECT sum(IF(variable_name = 'Innodb_os_log_written', value, 0)),
			sum(IF(variable_name = 'Innodb_buffer_pool_pages_flushed', value, 0)) * @@innodb_page_size
		FROM (
			SELECT variable_name, CAST(variable_value AS SIGNED) AS value
			FROM information_schema.global_status
			WHERE variable_name IN ('Innodb_os_log_written', 'Innodb_buffer_pool_pages_flushed')
		) AS counts`,
	sizes: `
		SELECT sum(IF(table_name = 'item', size, 0)),
			0,
			sum(IF(index_name = 'entry_item', size, 0))
		FROM (
			SELECT table_name, index_name, CAST(stat_value * @@innodb_page_size AS SIGNED) AS size
			FROM mysql.innodb_index_stats
			WHERE stat_name = 'size' AND database_name = database()
		) AS sizes`,
}

// SQLite has ordinary tables, whose key has a separate index unless it is an INTEGER, which is the
// rowid. Each load starts with an empty file. A page in the log has 24 bytes before it, and a
// connection counts the pages.
var sqlite = database{
	Database: db.SQLite,
	kinds: []kind{
		{name: bigint, column: "INTEGER"},
		{name: random, column: "BLOB", ids: randomUUIDs, arg: argBinary},
		{name: asBinary, column: "BLOB", ids: makes, arg: argBinary, timed: true},
		{name: uuidV7, column: "BLOB", ids: makesUUIDv7, arg: argBinary, timed: true},
		{name: asText, column: "TEXT", ids: makes, arg: argText, timed: true},
		{name: asUUID, column: "TEXT", ids: makes, arg: argUUID, timed: true},
	},
	serial: "INTEGER",
	options: func(cache int) []string {
		return []string{"journal_mode=WAL", "synchronous=FULL", fmt.Sprintf("cache_size=-%d", cache<<10)}
	},
	empty:   "VACUUM",
	settle:  []string{"PRAGMA wal_checkpoint(TRUNCATE)"},
	written: "SELECT page_size + 24, 0 FROM pragma_page_size",
	sizes: `
		SELECT sum(CASE name WHEN 'item' THEN pgsize ELSE 0 END),
			sum(CASE name WHEN 'sqlite_autoindex_item_1' THEN pgsize ELSE 0 END),
			sum(CASE name WHEN 'entry_item' THEN pgsize ELSE 0 END)
		FROM dbstat`,
}
