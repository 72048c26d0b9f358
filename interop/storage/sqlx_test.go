package storage

import (
	"database/sql"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/seed-961d0905/ulid"
)

// sqlxUser is a row, for columns of each type.
type sqlxUser[K ID] struct {
	ID        K  `db:"id"`
	ManagerID *K `db:"manager_id"`
}

// sqlxReport is a user joined with its manager.
type sqlxReport[K ID] struct {
	sqlxUser[K]
	Manager sqlxUser[K] `db:"manager"`
}

func TestSqlx(t *testing.T) {
	for _, c := range []struct {
		dialects, column string
		test             func(t *testing.T, dialect, column string)
	}{
		{"sqlite", "text", testSqlx[ulid.ULID]},
		{"sqlite", "blob", testSqlx[ulid.AsBinary]},
		{"postgres", `char(26) collate "C"`, testSqlx[ulid.ULID]},
		{"postgres", "bytea", testSqlx[ulid.AsBinary]},
		{"postgres", "uuid", testSqlx[ulid.AsUUID]},
		{"mysql mariadb", "char(26) character set ascii collate ascii_bin", testSqlx[ulid.ULID]},
		{"mysql mariadb", "binary(16)", testSqlx[ulid.AsBinary]},
	} {
		for _, dialect := range strings.Fields(c.dialects) {
			t.Run(dialect+"/"+c.column, func(t *testing.T) { c.test(t, dialect, c.column) })
		}
	}
}

func testSqlx[K ID](t *testing.T, dialect, column string) {
	db := Open(t, dialect)
	db.MustExec("CREATE TABLE users (id " + column + " PRIMARY KEY, manager_id " + column + ")")
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	boss := sqlxUser[K]{ID: K(ulid.Make())}
	clerk := sqlxUser[K]{ID: K(ulid.Make()), ManagerID: &boss.ID}
	both := []sqlxUser[K]{boss, clerk}
	_, err := db.NamedExec("INSERT INTO users (id, manager_id) VALUES (:id, :manager_id)", both)
	check(err)

	byID := db.Rebind("SELECT * FROM users WHERE id = ?")
	var got sqlxUser[K]
	for _, want := range []sqlxUser[K]{clerk, boss} { // the boss over the clerk
		check(db.Get(&got, byID, want.ID))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v was read as %+v", want, got)
		}
	}
	query, args, err := sqlx.In("SELECT * FROM users WHERE id IN (?) ORDER BY id", []K{boss.ID, clerk.ID})
	check(err)
	var all []sqlxUser[K]
	check(db.Select(&all, db.Rebind(query), args...))
	if !reflect.DeepEqual(all, both) {
		t.Errorf("sqlx.In found %+v, want %+v", all, both)
	}
	// An ID alone is not a list, although it is an array.
	if _, _, err := sqlx.In("SELECT ?, (?)", boss.ID, []K{boss.ID}); err != nil {
		t.Error(err)
	}

	var joined sqlxReport[K]
	check(db.Get(&joined, `SELECT u.*, m.id AS "manager.id", m.manager_id AS "manager.manager_id"
		FROM users u JOIN users m ON m.id = u.manager_id`))
	if want := (sqlxReport[K]{clerk, boss}); !reflect.DeepEqual(joined, want) {
		t.Errorf("the join gave %+v, want %+v", joined, want)
	}

	result, err := db.Exec(db.Rebind("DELETE FROM users WHERE id = ?"), clerk.ID)
	check(err)
	if n, err := result.RowsAffected(); err != nil || n != 1 {
		t.Errorf("the delete removed %d rows, %v, want 1", n, err)
	}
	if err := db.Get(&got, byID, clerk.ID); !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("the deleted row gave %v, want %v", err, sql.ErrNoRows)
	}

	const tag = "`db:\"id\"`"
	OnPage(t, dialect, "sqlx", tag)
	Row{
		Field: tag + "; " + column, Create: "yes, `NamedExec`", Find: "yes, and `sqlx.In`", Delete: "yes",
		Relation: "by a join", Null: "`*" + TypeName[K]() + "`",
	}.Record(t, "sqlx", dialect, TypeName[K]())
}
