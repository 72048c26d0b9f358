// Package sqlx proves ULIDs in the structs of sqlx.
package sqlx

import (
	"database/sql"
	"errors"
	"reflect"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/storage/internal/databases"
	"github.com/seed-961d0905/ulid/interop/internal/record"
)

// user is a row, for columns of each type.
type user[ID any] struct {
	ID        ID  `db:"id"`
	ManagerID *ID `db:"manager_id"`
}

// report is a user joined with its manager.
type report[ID any] struct {
	user[ID]
	Manager user[ID] `db:"manager"`
}

// drivers tell sqlx the driver, which chooses the placeholders by it.
var drivers = map[string]string{"sqlite": "sqlite", "postgres": "pgx", "mysql": "mysql"}

var columns = map[string]struct{ text, binary, uuid string }{
	"sqlite":   {"text", "blob", ""},
	"postgres": {`char(26) collate "C"`, "bytea", "uuid"},
	"mysql":    {"char(26) character set ascii collate ascii_bin", "binary(16)", ""},
}

func TestSqlx(t *testing.T) {
	databases.Each(t, func(t *testing.T, dialect string, db *sql.DB) {
		x, column := sqlx.NewDb(db, drivers[dialect]), columns[dialect]
		t.Run("ULID", func(t *testing.T) { test[ulid.ULID](t, x, dialect, column.text) })
		t.Run("AsBinary", func(t *testing.T) { test[ulid.AsBinary](t, x, dialect, column.binary) })
		if column.uuid != "" {
			t.Run("AsUUID", func(t *testing.T) { test[ulid.AsUUID](t, x, dialect, column.uuid) })
		}
	})
}

func test[ID ulid.ULID | ulid.AsBinary | ulid.AsUUID](t *testing.T, db *sqlx.DB, dialect, column string) {
	table := databases.Table(t, db.DB, "sqlx_users")
	db.MustExec("CREATE TABLE " + table + " (id " + column + " PRIMARY KEY, manager_id " + column + ")")
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}

	boss := user[ID]{ID: ID(ulid.Make())}
	clerk := user[ID]{ID: ID(ulid.Make()), ManagerID: &boss.ID}
	_, err := db.NamedExec("INSERT INTO "+table+" (id, manager_id) VALUES (:id, :manager_id)", []user[ID]{boss, clerk})
	check(err)

	var got user[ID]
	check(db.Get(&got, db.Rebind("SELECT * FROM "+table+" WHERE id = ?"), clerk.ID))
	if !reflect.DeepEqual(got, clerk) {
		t.Errorf("%+v was read as %+v", clerk, got)
	}
	check(db.Get(&got, db.Rebind("SELECT * FROM "+table+" WHERE id = ?"), boss.ID)) // over the clerk
	if !reflect.DeepEqual(got, boss) {
		t.Errorf("NULL was read as %v", got.ManagerID)
	}

	query, args, err := sqlx.In("SELECT * FROM "+table+" WHERE id IN (?) ORDER BY id", []ID{boss.ID, clerk.ID})
	check(err)
	var all []user[ID]
	check(db.Select(&all, db.Rebind(query), args...))
	if !reflect.DeepEqual(all, []user[ID]{boss, clerk}) {
		t.Errorf("sqlx.In found %+v", all)
	}

	var joined report[ID]
	check(db.Get(&joined, `SELECT u.*, m.id AS "manager.id", m.manager_id AS "manager.manager_id" FROM `+table+" u JOIN "+table+" m ON m.id = u.manager_id"))
	if !reflect.DeepEqual(joined, report[ID]{clerk, boss}) {
		t.Errorf("the join gave %+v", joined)
	}

	result, err := db.Exec(db.Rebind("DELETE FROM "+table+" WHERE id = ?"), clerk.ID)
	check(err)
	if n, err := result.RowsAffected(); err != nil || n != 1 {
		t.Errorf("DELETE removed %d rows, %v", n, err)
	}
	if err := db.Get(&got, db.Rebind("SELECT * FROM "+table+" WHERE id = ?"), clerk.ID); !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("the deleted row gave %+v, %v", got, err)
	}
	// An ID alone is no list, whatever it is made of.
	if _, _, err := sqlx.In("SELECT ?, (?)", boss.ID, []ID{boss.ID}); err != nil {
		t.Error(err)
	}

	as := reflect.TypeFor[ID]().String()
	for _, c := range [][2]string{
		{"Field type and tag", "`db:\"id\"`; " + column}, {"create", "yes, `NamedExec`"}, {"find by id", "yes, and `sqlx.In`"},
		{"delete by id", "yes"}, {"relation", "by a join"}, {"NULL", "`*" + as + "`"},
	} {
		record.Cell(t, "ORMs and builders", "sqlx, "+dialect+", `"+as+"`", c[0], c[1])
	}
}
