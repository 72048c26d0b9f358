package storage

import (
	"database/sql"
	"errors"
	"reflect"
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
	Each(t, "sqlite", "text", testSqlx[ulid.ULID])
	Each(t, "sqlite", "blob", testSqlx[ulid.AsBinary])
	Each(t, "postgres", `char(26) collate "C"`, testSqlx[ulid.ULID])
	Each(t, "postgres", "bytea", testSqlx[ulid.AsBinary])
	Each(t, "postgres", "uuid", testSqlx[ulid.AsUUID])
	Each(t, "mysql mariadb", "char(26) character set ascii collate ascii_bin", testSqlx[ulid.ULID])
	Each(t, "mysql mariadb", "binary(16)", testSqlx[ulid.AsBinary])
}

func testSqlx[K ID](t *testing.T, dialect, column string) {
	db := Open(t, dialect)
	db.MustExec("CREATE TABLE users (id " + column + " PRIMARY KEY, manager_id " + column + ")")
	boss := sqlxUser[K]{ID: K(ulid.Make())}
	clerk := sqlxUser[K]{ID: K(ulid.Make()), ManagerID: &boss.ID}
	both := []sqlxUser[K]{boss, clerk}
	_, err := db.NamedExec("INSERT INTO users (id, manager_id) VALUES (:id, :manager_id)", both)
	check(t, err)

	byID := db.Rebind("SELECT * FROM users WHERE id = ?")
	var got sqlxUser[K]
	for _, want := range []sqlxUser[K]{clerk, boss} { // the boss over the clerk
		check(t, db.Get(&got, byID, want.ID))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v was read as %+v", want, got)
		}
	}
	query, args, err := sqlx.In("SELECT * FROM users WHERE id IN (?) ORDER BY id", []K{boss.ID, clerk.ID})
	check(t, err)
	var all []sqlxUser[K]
	check(t, db.Select(&all, db.Rebind(query), args...))
	if !reflect.DeepEqual(all, both) {
		t.Errorf("sqlx.In found %+v, want %+v", all, both)
	}
	// An ID alone is not a list, although it is an array.
	if _, _, err := sqlx.In("SELECT ?, (?)", boss.ID, []K{boss.ID}); err != nil {
		t.Error(err)
	}

	var joined sqlxReport[K]
	check(t, db.Get(&joined, `SELECT u.*, m.id AS "manager.id", m.manager_id AS "manager.manager_id"
		FROM users u JOIN users m ON m.id = u.manager_id`))
	if want := (sqlxReport[K]{clerk, boss}); !reflect.DeepEqual(joined, want) {
		t.Errorf("the join gave %+v, want %+v", joined, want)
	}

	result, err := db.Exec(db.Rebind("DELETE FROM users WHERE id = ?"), clerk.ID)
	check(t, err)
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
