package db

// A Database is a kind of database, with the drivers and columns that the tests try.
type Database struct {
	Name    string   // as people write it
	Family  string   // "sqlite", "postgres" or "mysql": whose protocol and SQL it speaks
	Drivers []Driver // in the modes that matter; tests that name no driver use the first
	Columns []Column

	env string // variable with the data source name of a server; SQLite has none
}

// A Driver is one of database/sql in one of its modes.
type Driver struct {
	Name       string // for people
	Driver     string // for sql.Open
	Parameters string // of the data source name, such as "a=b&c=d", which make the mode
}

// A Column is a type of column for IDs.
type Column struct {
	SQL    string
	GoType string // that docs/storage.md names for it: "ULID", "AsBinary", "AsUUID" or "PrefixColumn"
}

var (
	SQLite = &Database{
		Name: "SQLite", Family: "sqlite",
		Drivers: []Driver{{"modernc.org/sqlite", "sqlite", ""}},
		Columns: []Column{
			{`TEXT`, "ULID"},
			{`BLOB`, "AsBinary"},
			{`TEXT`, "AsUUID"},
			{`TEXT`, "PrefixColumn"},
		},
	}
	PostgreSQL = &Database{
		Name: "PostgreSQL", Family: "postgres",
		Drivers: []Driver{
			{"pgx", "pgx", ""},
			{"pgx exec", "pgx", "default_query_exec_mode=exec"},
			{"pgx simple_protocol", "pgx", "default_query_exec_mode=simple_protocol"},
			{"lib/pq", "postgres", ""},
			{"lib/pq binary_parameters", "postgres", "binary_parameters=yes"},
		},
		Columns: []Column{
			{`uuid`, "AsUUID"},
			{`text COLLATE "C"`, "ULID"},
			{`char(26) COLLATE "C"`, "ULID"},
			{`bytea`, "AsBinary"},
			{`text COLLATE "C"`, "PrefixColumn"},
			{`char(36) COLLATE "C"`, "PrefixColumn"},
		},
		env: "ULID_POSTGRES",
	}
	MariaDB = &Database{
		Name: "MariaDB", Family: "mysql",
		Drivers: mysqlDrivers, Columns: mysqlColumns,
		env: "ULID_MARIADB",
	}
	MySQL = &Database{
		Name: "MySQL", Family: "mysql",
		Drivers: mysqlDrivers, Columns: mysqlColumns,
		env: "ULID_MYSQL",
	}

	All = []*Database{SQLite, PostgreSQL, MariaDB, MySQL}
)

var (
	mysqlDrivers = []Driver{
		{"go-sql-driver/mysql", "mysql", ""},
		{"go-sql-driver/mysql interpolateParams", "mysql", "interpolateParams=true"},
	}
	mysqlColumns = []Column{
		{`CHAR(26) CHARACTER SET ascii COLLATE ascii_bin`, "ULID"},
		{`BINARY(16)`, "AsBinary"},
		{`CHAR(36) CHARACTER SET ascii COLLATE ascii_bin`, "AsUUID"},
		{`CHAR(36) CHARACTER SET ascii COLLATE ascii_bin`, "PrefixColumn"}, // for a prefix of nine letters
	}
)
