package main

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/glebarez/sqlite" // which registers "sqlite", too
	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
	_ "github.com/lib/pq"
	"github.com/oklog/ulid/v2"
	"github.com/uptrace/bun/dialect/mysqldialect"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"github.com/uptrace/bun/schema"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
)

// A family is what databases have in common: their drivers in the modes that matter, and columns that programs have.
type family struct {
	drivers []string // each with the parameters of a mode
	columns []string // the first holds 16 bytes
	gorm    func(dsn string) gorm.Dialector
	bun     func() schema.Dialect
}

var families = map[string]family{
	"sqlite": {
		drivers: []string{"sqlite"},
		columns: []string{"BLOB", "TEXT", "CHAR(26)", "UUID"},
		gorm:    sqlite.Open,
		bun:     func() schema.Dialect { return sqlitedialect.New() },
	},
	"postgres": {
		drivers: []string{
			"pgx", "pgx default_query_exec_mode=exec", "pgx default_query_exec_mode=simple_protocol", // others: pgxModes
			"postgres", "postgres binary_parameters=yes",
		},
		columns: []string{"bytea", "uuid", "text", "char(26)"},
		gorm:    postgres.Open,
		bun:     func() schema.Dialect { return pgdialect.New() },
	},
	"mysql": {
		drivers: []string{"mysql", "mysql interpolateParams=true"},
		columns: []string{"BINARY(16)", "VARBINARY(255)", "CHAR(26)", "VARCHAR(255)"},
		gorm:    mysql.Open,
		bun:     func() schema.Dialect { return mysqldialect.New() },
	},
}

// A database is a connection by a driver.
type database struct {
	*sqlx.DB
	family
	name string
}

func open(familyName, driver, dsn string) database {
	name, parameters, _ := strings.Cut(driver, " ")
	if parameters != "" && strings.Contains(dsn, "?") {
		dsn += "&" + parameters
	} else if parameters != "" {
		dsn += "?" + parameters
	}
	return database{sqlx.NewDb(must(sql.Open(name, dsn)), name), families[familyName], driver}
}

func observeDatabase(familyName, dsn string) {
	tables := 0
	next := func() string { tables++; return fmt.Sprint("events_", tables) }
	f := families[familyName]
	for _, driver := range f.drivers {
		db := open(familyName, driver, dsn)
		for _, column := range f.columns {
			t := table{db, group(driver).sub(column), next(), column}
			t.observe()
		}
		must(0, db.Close())
	}
	if familyName == "postgres" {
		observePgx(dsn, f.columns, next)
	}
	observeGorm(familyName, dsn)
	observeBun(open(familyName, f.drivers[0], dsn))
}

// A table has IDs in columns of a type.
type table struct {
	database
	g      group
	name   string
	column string
}

func (t table) observe() {
	must(t.Exec("CREATE TABLE " + t.name + " (n INT, id " + t.column + " PRIMARY KEY, ref " + t.column + ")"))
	t.insert()
	t.conditions()
	t.reads()
	t.shapes()
	t.sqlx()
	t.changes()
}

// sql writes T for the table and ? for the parameters.
func (t table) sql(query string) string {
	return t.Rebind(strings.ReplaceAll(query, " T ", " "+t.name+" "))
}

// run runs a statement directly, and a statement with other arguments prepared.
func (t table) run(name, query string, args ...any) {
	t.g.sees(name, func() (any, error) { return affected(t.Exec(t.sql(query), args...)) })
}

func (t table) runPrepared(name, query string, args ...any) {
	t.g.sees(name+" prepared", func() (any, error) {
		statement, err := t.Prepare(t.sql(query))
		if err != nil {
			return nil, err
		}
		defer statement.Close()
		return affected(statement.Exec(args...))
	})
}

func affected(r sql.Result, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return r.RowsAffected()
}

func (t table) insert() {
	const insert = "INSERT INTO T (n, id, ref) VALUES (?, ?, ?)"
	id := letters
	t.run("insert", insert, 1, first, first)
	t.runPrepared("insert", insert, 2, second, second)
	t.run("insert pointers", insert, 3, &id, &id)
	t.runPrepared("insert a nil pointer", insert, 4, last, (*ulid.ULID)(nil))
	t.run("insert zero and NULL", insert, 5, ulid.ULID{}, sql.Null[ulid.ULID]{})
	t.run("insert again", insert, 6, first, nil)
	t.run("insert NULL", insert, 7, ulid.ULID([]byte("ponmlkjihgfedcba")), nil)
	// What other programs may have in the column.
	for n, form := range []any{[]byte("ABCDEFGHIJKLMNOP"), "01BX5ZZKBKACTAV9WEVGEMMVRZ", uuidText(second)} {
		t.run(fmt.Sprintf("insert another form %d", n), insert, 10+n, form, form)
	}
}

// conditions find rows by every operator.
func (t table) conditions() {
	id, missing := first, ulid.ULID{9}
	for _, c := range []struct {
		condition string
		args      []any
	}{
		{"id = ?", []any{first}},
		{"id = ?", []any{&id}},
		{"id = ?", []any{missing}},
		{"id = ?", []any{ulid.ULID{}}},
		{"id = ?", []any{letters}},
		{"id = ?", []any{first[:]}},
		{"id = ?", []any{first.String()}},
		{"id = ?", []any{[16]byte(first)}},
		{"id = ?", []any{(*ulid.ULID)(nil)}},
		{"id <> ?", []any{first}},
		{"NOT id = ?", []any{missing}},
		{"id IN (?)", []any{first}},
		{"id IN (?, ?, ?)", []any{first, last, missing}},
		{"id NOT IN (?, ?)", []any{first, &id}},
		{"id < ?", []any{second}},
		{"id <= ?", []any{second}},
		{"id > ?", []any{second}},
		{"id >= ?", []any{second}},
		{"id BETWEEN ? AND ?", []any{first, second}},
		{"id > ? AND id < ?", []any{ulid.ULID{}, last}},
		{"id = ? OR ref = ?", []any{last, first}},
		{"ref = ? AND id = ref", []any{first}},
		{"ref IS NULL AND id <> ?", []any{missing}},
		{"id = (SELECT max(id) FROM T WHERE id < ?)", []any{last}},
		{"COALESCE(ref, id) = ?", []any{last}},
		{"CASE WHEN id = ? THEN 1 ELSE 0 END = 1", []any{first}},
	} {
		query := t.sql("SELECT n FROM T WHERE " + c.condition + " ORDER BY n")
		name := c.condition
		for _, arg := range c.args {
			name += " " + show(arg)
		}
		t.g.sees(name, func() (any, error) { return numbers(t.Query(query, c.args...)) })
		t.g.sees(name+" prepared", func() (any, error) {
			statement, err := t.Prepare(query)
			if err != nil {
				return nil, err
			}
			defer statement.Close()
			return numbers(statement.Query(c.args...))
		})
	}
	for name, query := range inOrder(map[string]string{
		"latest": "SELECT n FROM T ORDER BY id DESC LIMIT 1",
		"order":  "SELECT n FROM T ORDER BY id, n",
		"groups": "SELECT count(*) FROM T GROUP BY ref ORDER BY ref",
		"join":   "SELECT T.n FROM T JOIN T other ON other.ref = T.id ORDER BY T.n",
	}) {
		query = strings.ReplaceAll(strings.ReplaceAll(query, "T.", t.name+"."), "JOIN T", "JOIN "+t.name)
		t.g.sees(name, func() (any, error) { return numbers(t.Query(t.sql(query))) })
	}
}

// numbers returns the numbers of rows.
func numbers(rows *sql.Rows, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := []int{}
	for rows.Next() {
		var n int
		err := rows.Scan(&n)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return fmt.Sprint(list), rows.Err()
}

// reads read each row into the types that programs have.
func (t table) reads() {
	for _, n := range []int{1, 2, 3, 4, 5, 10, 11, 12} {
		for name, to := range inOrder(map[string]func() any{
			"an ID":        func() any { id := before; return &id },
			"a pointer":    func() any { id := before; p := &id; return &p },
			"sql.Null":     func() any { return new(sql.Null[ulid.ULID]) },
			"any":          func() any { return new(any) },
			"bytes":        func() any { return new([]byte) },
			"a string":     func() any { return new(string) },
			"sql.RawBytes": func() any { return new(sql.RawBytes) },
		}) {
			for _, column := range []string{"id", "ref"} {
				what := fmt.Sprintf("read %s of row %d into %s", column, n, name)
				query := t.sql(fmt.Sprintf("SELECT %s FROM T WHERE n = %d", column, n))
				t.g.sees(what, func() (any, error) { v := to(); return v, t.scanRow(query, v) })
			}
		}
	}
}

// scanRow is QueryRow, which refuses sql.RawBytes, and keeps no bytes.
func (t table) scanRow(query string, to any) error {
	rows, err := t.Query(query)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		return errors.Join(sql.ErrNoRows, rows.Err())
	}
	if raw, ok := to.(*sql.RawBytes); ok {
		err := rows.Scan(raw)
		*raw = append(sql.RawBytes(nil), *raw...)
		return err
	}
	return rows.Scan(to)
}

// changes update and delete by IDs, at last.
func (t table) changes() {
	t.run("update", "UPDATE T SET ref = ? WHERE id = ?", second, first)
	t.runPrepared("update", "UPDATE T SET ref = ? WHERE id = ?", last, letters)
	t.run("update of none", "UPDATE T SET ref = ? WHERE id = ?", first, ulid.ULID{9})
	t.g.sees("after updates", func() (any, error) {
		return numbers(t.Query(t.sql("SELECT n FROM T WHERE ref IN (?, ?) ORDER BY n"), second, last))
	})
	t.run("delete", "DELETE FROM T WHERE id = ?", first)
	t.run("delete again", "DELETE FROM T WHERE id = ?", first)
	t.runPrepared("delete", "DELETE FROM T WHERE id IN (?, ?)", second, last)
	t.run("delete others", "DELETE FROM T WHERE id NOT IN (?, ?)", letters, ulid.ULID{})
	t.g.sees("after deletes", func() (any, error) { return numbers(t.Query(t.sql("SELECT n FROM T ORDER BY n"))) })
}
