package storage

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	sqlcmysql "github.com/seed-961d0905/ulid/interop/storage/sqlc/mysql"
	sqlcpostgres "github.com/seed-961d0905/ulid/interop/storage/sqlc/postgres"
	sqlcsqlite "github.com/seed-961d0905/ulid/interop/storage/sqlc/sqlite"
)

//go:generate go run github.com/sqlc-dev/sqlc/cmd/sqlc@v1.31.1 generate -f sqlc/sqlc.yaml

// sqlcUser is what each generated package has a type for.
type sqlcUser[K ID] struct {
	ID        K
	OwnerID   K
	ManagerID *K
}

// sqlcQueries is what each generated package has.
type sqlcQueries[K, User any] interface {
	CreateUser(ctx context.Context, id, owner K, manager *K) error
	GetUser(context.Context, K) (User, error)
	ListUsers(context.Context, []K) ([]User, error)
	DeleteUser(context.Context, K) error
}

// TestSqlc tries the code that sqlc generates. sqlc/sqlc.yaml tells it where the IDs are.
func TestSqlc(t *testing.T) {
	const columns = "`column: \"*.id\"` and `column: \"*.*_id\"`"
	const pointer = "`pointer: true` for its column, before the others"
	t.Run("sqlite", func(t *testing.T) {
		db := Open(t, "sqlite")
		db.MustExec(sqlcSchema(t, "sqlite"))
		testSqlc[ulid.ULID, sqlcsqlite.SqlcUser](t, "sqlite", columns, pointer, sqlcsqlite.New(db))
	})
	for _, dialect := range []string{"mysql", "mariadb"} {
		t.Run(dialect, func(t *testing.T) {
			db := Open(t, dialect)
			db.MustExec(sqlcSchema(t, "mysql"))
			testSqlc[ulid.AsBinary, sqlcmysql.SqlcUser](t, dialect, columns, pointer, sqlcmysql.New(db))
		})
	}
	t.Run("pgx", func(t *testing.T) {
		db, err := pgx.Connect(t.Context(), db.Own(t, "ULID_POSTGRES", ""))
		check(t, err)
		t.Cleanup(func() { db.Close(context.Background()) })
		_, err = db.Exec(t.Context(), sqlcSchema(t, "postgres"))
		check(t, err)
		testSqlc[ulid.AsUUID, sqlcpostgres.SqlcUser](t, "pgx",
			"`db_type: uuid`", "`nullable: true` and `pointer: true`", sqlcpostgres.New(db))
	})
}

func sqlcSchema(t *testing.T, folder string) string {
	t.Helper()
	schema, err := os.ReadFile("sqlc/" + folder + "/schema.sql")
	check(t, err)
	return string(schema)
}

func testSqlc[K ID, User ~struct {
	ID        K
	OwnerID   K
	ManagerID *K
}](t *testing.T, dialect, override, null string, q sqlcQueries[K, User]) {
	ctx := t.Context()
	boss := sqlcUser[K]{ID: K(ulid.Make())}
	boss.OwnerID = boss.ID
	clerk := sqlcUser[K]{ID: K(ulid.Make()), OwnerID: boss.ID, ManagerID: &boss.ID}
	for _, u := range []sqlcUser[K]{boss, clerk} {
		check(t, q.CreateUser(ctx, u.ID, u.OwnerID, u.ManagerID))
		if got, err := q.GetUser(ctx, u.ID); err != nil || !reflect.DeepEqual(sqlcUser[K](got), u) {
			t.Errorf("%+v was read as %+v, %v", u, got, err)
		}
	}
	if got, err := q.GetUser(ctx, *clerk.ManagerID); err != nil || !reflect.DeepEqual(sqlcUser[K](got), boss) {
		t.Errorf("the manager is %+v, %v, want %+v", got, err, boss)
	}
	both := []User{User(boss), User(clerk)}
	if got, err := q.ListUsers(ctx, []K{clerk.ID, boss.ID}); err != nil || !reflect.DeepEqual(got, both) {
		t.Errorf("a list of IDs gave %+v, %v, want %+v", got, err, both)
	}
	if err := q.DeleteUser(ctx, clerk.ID); err != nil {
		t.Error(err)
	}
	if _, err := q.GetUser(ctx, clerk.ID); !errors.Is(err, sql.ErrNoRows) && !errors.Is(err, pgx.ErrNoRows) {
		t.Errorf("the deleted row gave %v, want ErrNoRows", err)
	}

	OnPage(t, strings.Replace(dialect, "pgx", "postgres", 1), "sqlc", override)
	Row{
		Field:  override + ", `go_type: \"github.com/seed-961d0905/" + TypeName[K]() + "\"`",
		Create: "yes", Find: "yes, and a list of ids", Delete: "yes", Relation: "by its column, of the same type",
		Null: "`*" + TypeName[K]() + "`: an override with " + null,
	}.Record(t, "sqlc", dialect, TypeName[K]())
}
