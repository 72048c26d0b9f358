package db

// A Database is a kind of database, with its page and what the page promises.
type Database struct {
	Name    string   // as people write it
	Dialect string   // as the pages name their blocks
	Family  string   // "sqlite", "postgres" or "mysql": whose protocol and SQL it speaks
	Page    string   // docs/sqlite.md
	SQL     string   // the file in sql/ with its functions, if it has one
	Client  string   // the command of its own client
	Drivers []Driver // in the modes that matter; tests that name no driver use the first
	Columns []Column

	Schema string // SQL for the schema of a session, as information_schema has it

	env     string // variable with the data source name of a server; SQLite has none
	release string // a query for the release, such as 15.18
	series  int    // how many numbers of the release Version has
}

// A Driver of database/sql, with the parameters of its data source name that make a mode, such as
// "a=b&c=d".
type Driver struct{ Name, Driver, Parameters string }

// A Column is a type of column for IDs, and the Go type that the pages name for it: "ULID",
// "AsBinary" or "AsUUID". Tag is the type as the tags of bun and gorm have it, if the tools are
// tried with the column.
type Column struct{ SQL, GoType, Tag string }

var (
	SQLite = &Database{
		Name: "SQLite", Dialect: "sqlite", Family: "sqlite", Page: "docs/sqlite.md", Client: "sqlite3",
		Drivers: []Driver{{"modernc.org/sqlite", "sqlite", ""}},
		Columns: []Column{
			{`TEXT`, "ULID", "char(26)"},
			{`BLOB`, "AsBinary", "varbinary(16)"},
		},
		release: `SELECT sqlite_version()`, series: 3, // which the driver in go.mod decides
	}
	PostgreSQL = &Database{
		Name: "PostgreSQL", Dialect: "postgres", Family: "postgres", Page: "docs/postgresql.md", SQL: "sql/postgres.sql",
		Client: "psql",
		Drivers: []Driver{
			{"pgx", "pgx", ""},
			{"pgx exec", "pgx", "default_query_exec_mode=exec"},
			{"pgx simple_protocol", "pgx", "default_query_exec_mode=simple_protocol"},
			{"lib/pq", "postgres", ""},
			{"lib/pq binary_parameters", "postgres", "binary_parameters=yes"},
		},
		Columns: []Column{
			{`uuid`, "AsUUID", "uuid"},
			{`text COLLATE "C"`, "ULID", ""},
			{`char(26) COLLATE "C"`, "ULID", "char(26) collate ucs_basic"},
			{`bytea`, "AsBinary", "bytea"},
		},
		Schema: `current_schema()`, env: "ULID_POSTGRES",
		release: `SELECT split_part(current_setting('server_version'), ' ', 1)`, series: 1,
	}
	MariaDB = &Database{
		Name: "MariaDB", Dialect: "mariadb", Family: "mysql", Page: "docs/mysql.md", SQL: "sql/mysql.sql",
		Client:  "mariadb",
		Drivers: mysqlDrivers, Columns: mysqlColumns,
		Schema: `database()`, env: "ULID_MARIADB", release: `SELECT substring_index(version(), '-', 1)`, series: 2,
	}
	MySQL = &Database{
		Name: "MySQL", Dialect: "mysql", Family: "mysql", Page: "docs/mysql.md", SQL: "sql/mysql.sql",
		Client:  "mariadb",
		Drivers: mysqlDrivers, Columns: mysqlColumns,
		Schema: `database()`, env: "ULID_MYSQL", release: `SELECT substring_index(version(), '-', 1)`, series: 2,
	}

	// All of them. SQLite is the first, because it needs no server.
	All = []*Database{SQLite, PostgreSQL, MariaDB, MySQL}
)

var (
	mysqlDrivers = []Driver{
		{"go-sql-driver/mysql", "mysql", ""},
		{"go-sql-driver/mysql interpolateParams", "mysql", "interpolateParams=true"},
	}
	mysqlColumns = []Column{
		{`CHAR(26) CHARACTER SET ascii COLLATE ascii_bin`, "ULID", "char(26) character set ascii collate ascii_bin"},
		{`BINARY(16)`, "AsBinary", "binary(16)"},
	}
)

// IsMySQL reports whether the database speaks the SQL of MySQL.
func (d *Database) IsMySQL() bool { return d.Family == "mysql" }
