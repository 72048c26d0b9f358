package sqlc

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"reflect"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/storage/internal/databases"
	"github.com/seed-961d0905/ulid/interop/storage/sqlc/mysql"
	"github.com/seed-961d0905/ulid/interop/storage/sqlc/postgres"
	"github.com/seed-961d0905/ulid/interop/storage/sqlc/sqlite"
	"github.com/seed-961d0905/ulid/interop/internal/record"
	"github.com/seed-961d0905/ulid/interop/internal/servers"
)

// user is what each package generates a type for.
type user[ID any] struct {
	ID        ID
	OwnerID   ID
	ManagerID *ID
}

// queries is what each package generates.
type queries[ID, User, Params any] interface {
	CreateUser(context.Context, Params) error
	GetUser(context.Context, ID) (User, error)
	ListReports(context.Context, *ID) ([]User, error)
	ListUsers(context.Context, []ID) ([]User, error)
	DeleteUser(context.Context, ID) (int64, error)
}

func TestSqlc(t *testing.T) {
	databases.Each(t, func(t *testing.T, dialect string, db *sql.DB) {
		schema, err := os.ReadFile(dialect + "/schema.sql")
		if err != nil {
			t.Fatal(err)
		}
		// A table that an interrupted run left behind goes first.
		const drop = "DROP TABLE IF EXISTS sqlc_users"
		for _, statement := range []string{drop, string(schema)} {
			if _, err := db.Exec(statement); err != nil {
				t.Fatal(err)
			}
		}
		defer db.Exec(drop)

		switch dialect {
		case "sqlite":
			test[ulid.ULID, sqlite.SqlcUser, sqlite.CreateUserParams](t, dialect, "`column: \"*.id\"` and `column: \"*.*_id\"`", sqlite.New(db))
		case "mysql":
			test[ulid.AsBinary, mysql.SqlcUser, mysql.CreateUserParams](t, dialect, "`column: \"*.id\"` and `column: \"*.*_id\"`", mysql.New(db))
		case "postgres":
			conn, err := pgx.Connect(t.Context(), servers.DSN(t, "ULID_POSTGRES"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(context.Background())
			test[ulid.AsUUID, postgres.SqlcUser, postgres.CreateUserParams](t, "pgx", "`db_type: uuid`", postgres.New(conn))
		}
	})
}

func test[ID ulid.ULID | ulid.AsBinary | ulid.AsUUID, User, Params ~struct {
	ID        ID
	OwnerID   ID
	ManagerID *ID
}](t *testing.T, dialect, override string, q queries[ID, User, Params]) {
	ctx := t.Context()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	boss := user[ID]{ID: ID(ulid.Make())}
	boss.OwnerID = boss.ID
	clerk := user[ID]{ID: ID(ulid.Make()), OwnerID: boss.ID, ManagerID: &boss.ID}
	for _, u := range []user[ID]{boss, clerk} {
		check(q.CreateUser(ctx, Params(u)))
		if got, err := q.GetUser(ctx, u.ID); err != nil || !reflect.DeepEqual(user[ID](got), u) {
			t.Errorf("%+v was read as %+v, %v", u, got, err)
		}
	}
	if got, err := q.ListReports(ctx, &boss.ID); err != nil || !reflect.DeepEqual(got, []User{User(clerk)}) {
		t.Errorf("the reports are %+v, %v", got, err)
	}
	if got, err := q.ListUsers(ctx, []ID{clerk.ID, boss.ID}); err != nil || !reflect.DeepEqual(got, []User{User(boss), User(clerk)}) {
		t.Errorf("a list of IDs gave %+v, %v", got, err)
	}
	if n, err := q.DeleteUser(ctx, clerk.ID); err != nil || n != 1 {
		t.Errorf("the delete removed %d rows, %v", n, err)
	}
	if _, err := q.GetUser(ctx, clerk.ID); !errors.Is(err, sql.ErrNoRows) && !errors.Is(err, pgx.ErrNoRows) {
		t.Errorf("the deleted row gave %v", err)
	}

	as := reflect.TypeFor[ID]().String()
	nullable := "`pointer: true` for its column, before the others"
	if dialect == "pgx" {
		nullable = "`nullable: true` and `pointer: true`"
	}
	for _, c := range [][2]string{
		{"Field type and tag", override + ", `go_type: \"github.com/seed-961d0905/ulid." + reflect.TypeFor[ID]().Name() + "\"`"},
		{"create", "yes"}, {"find by id", "yes, and a list of ids"}, {"delete by id", "yes"}, {"relation", "by its column, of the same type"},
		{"NULL", "`*" + as + "`: an override with " + nullable},
	} {
		record.Cell(t, "ORMs and builders", "sqlc, "+dialect+", `"+as+"`", c[0], c[1])
	}
}
