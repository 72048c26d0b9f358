package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/mysqldialect"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"github.com/uptrace/bun/schema"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// A user is a row of a table with IDs in columns of any type. The owner shows bun's nullzero: a zero ID that is stored
// as NULL.
type user[K ID] struct {
	bun.BaseModel `bun:"table:users,alias:u"`

	ID        K        `bun:"id,pk" db:"id"`
	ManagerID *K       `bun:"manager_id" db:"manager_id"`
	OwnerID   K        `bun:"owner_id,nullzero" db:"owner_id"`
	Manager   *user[K] `bun:"rel:belongs-to,join:manager_id=id" db:"manager"`
}

// A tool stores users.
type tool[K ID] interface {
	insert(*user[K]) error
	get(into *user[K], id K) error // which may hold what was read before
	list(ids []K) ([]user[K], error)
	withManager(id K) (user[K], error)
	delete(id K) (rows int64, err error)
}

// TestBun and TestSqlx use the columns for which the pages have a tag, with the Go type that they name and the typed ID
// of the same format.
func TestBun(t *testing.T) {
	t.Parallel()
	page.Fact(t, "docs/storage.md", "bun-null-sets-zero-id")
	eachTag(t, func(t *testing.T, d *db.Database, c db.Column) {
		plain[c.GoType].bun(t, d, c)
		typedID[c.GoType].bun(t, d, c)
	})
}

func TestSqlx(t *testing.T) {
	t.Parallel()
	eachTag(t, func(t *testing.T, d *db.Database, c db.Column) {
		page.Contains(t, "docs/storage.md", "`db:\"id\"`")
		plain[c.GoType].sqlx(t, d, c)
		typedID[c.GoType].sqlx(t, d, c)
	})
}

func eachTag(t *testing.T, test func(*testing.T, *db.Database, db.Column)) {
	db.Each(t, func(t *testing.T, d *db.Database) {
		for _, c := range d.Columns {
			if c.Tag != "" {
				t.Run(c.SQL, func(t *testing.T) { test(t, d, c) })
			}
		}
	})
}

// tryTool creates, finds, lists, joins and deletes users.
func tryTool[K ID](t *testing.T, tool tool[K]) {
	t.Helper()
	boss := user[K]{ID: K(ulid.Make())}
	clerk := user[K]{ID: K(ulid.Make()), ManagerID: &boss.ID, OwnerID: boss.ID}
	check(t, tool.insert(&boss))
	check(t, tool.insert(&clerk))

	for _, want := range []user[K]{clerk, boss} {
		var got user[K]
		check(t, tool.get(&got, want.ID))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v is read as %+v", want, got)
		}
	}
	both := []user[K]{boss, clerk}
	if got, err := tool.list([]K{clerk.ID, boss.ID}); err != nil || !reflect.DeepEqual(got, both) {
		t.Errorf("a list of IDs finds %+v, %v, want %+v", got, err, both)
	}
	joined := clerk
	joined.Manager = &boss
	if got, err := tool.withManager(clerk.ID); err != nil || !reflect.DeepEqual(got, joined) {
		t.Errorf("the relation gives %+v, %v, want %+v", got, err, joined)
	}

	used := clerk
	check(t, tool.get(&used, boss.ID))
	want := boss
	if _, isBun := tool.(bunTool[K]); isBun { // The pointer stays, to the zero ID. The page warns of it.
		want.ManagerID = new(K)
	}
	if !reflect.DeepEqual(used, want) {
		t.Errorf("%+v is read over another user as %+v, want %+v", boss, used, want)
	}

	if n, err := tool.delete(clerk.ID); err != nil || n != 1 {
		t.Errorf("the delete removes %d rows, %v, want 1", n, err)
	}
	if err := tool.get(&used, clerk.ID); !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("the deleted row: %v, want %v", err, sql.ErrNoRows)
	}
	check(t, tool.get(&used, boss.ID)) // which is still there
}

func tryBun[K ID](t *testing.T, d *db.Database, c db.Column) {
	t.Helper()
	conn := d.Open(t, "")
	b := bunTool[K]{bun.NewDB(conn.DB.DB, bunDialect(d))}
	check(t, b.create("type:"+c.Tag))
	if c.GoType == "ULID" {
		WantCollation(t, conn, "users", "id", "manager_id", "owner_id")
	}
	if c.GoType != "AsBinary" || d.IsMySQL() {
		page.Contains(t, "docs/storage.md", "`bun:\"id,pk,type:"+c.Tag+"\"`")
	}
	tryTool(t, b)
}

func bunDialect(d *db.Database) schema.Dialect {
	switch d.Family {
	case "postgres":
		return pgdialect.New()
	case "mysql":
		return mysqldialect.New()
	}
	return sqlitedialect.New()
}

func trySqlx[K ID](t *testing.T, d *db.Database, c db.Column) {
	t.Helper()
	conn := d.Open(t, "")
	conn.Run("CREATE TABLE users (id " + c.SQL + " PRIMARY KEY, manager_id " + c.SQL + ", owner_id " + c.SQL + ")")
	tryTool(t, sqlxTool[K]{conn})
}

var ctx = context.Background()

type bunTool[K ID] struct{ *bun.DB }

// create makes the table of a user with the type of the column in each tag.
func (b bunTool[K]) create(column string) error {
	tag := func(options string) reflect.StructTag {
		return reflect.StructTag(`bun:"` + options + "," + column + `"`)
	}
	model := reflect.New(reflect.StructOf([]reflect.StructField{
		{Name: "ID", Type: reflect.TypeFor[K](), Tag: tag("id,pk")},
		{Name: "ManagerID", Type: reflect.TypeFor[*K](), Tag: tag("manager_id")},
		{Name: "OwnerID", Type: reflect.TypeFor[K](), Tag: tag("owner_id,nullzero")},
	})).Interface()
	_, err := b.NewCreateTable().Model(model).ModelTableExpr("users").Exec(ctx)
	return err
}

func (b bunTool[K]) insert(u *user[K]) error {
	if _, err := b.NewInsert().Model(u).Exec(ctx); err != nil {
		return err
	}
	nulls, err := b.NewSelect().Model((*user[K])(nil)).Where("owner_id IS NULL").Count(ctx)
	if err == nil && nulls != 1 {
		err = fmt.Errorf("nullzero wrote %d NULLs, want 1", nulls)
	}
	return err
}

func (b bunTool[K]) get(into *user[K], id K) error {
	into.ID = id
	return b.NewSelect().Model(into).WherePK().Scan(ctx)
}

func (b bunTool[K]) list(ids []K) (all []user[K], err error) {
	err = b.NewSelect().Model(&all).Where("u.id IN ?", bun.Tuple(ids)).Order("u.id").Scan(ctx)
	return all, err
}

func (b bunTool[K]) withManager(id K) (u user[K], err error) {
	err = b.NewSelect().Model(&u).Relation("Manager").Where("u.id = ?", id).Scan(ctx)
	return u, err
}

func (b bunTool[K]) delete(id K) (int64, error) {
	return affected(b.NewDelete().Model(&user[K]{ID: id}).WherePK().Exec(ctx))
}

type sqlxTool[K ID] struct{ *db.DB }

func (s sqlxTool[K]) insert(u *user[K]) error {
	const insert = "INSERT INTO users (id, manager_id, owner_id) VALUES (:id, :manager_id, :owner_id)"
	_, err := s.NamedExec(insert, []user[K]{*u})
	return err
}

func (s sqlxTool[K]) get(into *user[K], id K) error {
	return s.Get(into, s.Rebind("SELECT * FROM users WHERE id = ?"), id)
}

// list has an ID alone as well, which is not a list, although it is an array.
func (s sqlxTool[K]) list(ids []K) (all []user[K], err error) {
	query, args, err := sqlx.In("SELECT * FROM users WHERE id <> ? AND id IN (?) ORDER BY id", K(ulid.Make()), ids)
	err = errors.Join(err, s.Select(&all, s.Rebind(query), args...))
	return all, err
}

func (s sqlxTool[K]) withManager(id K) (u user[K], err error) {
	const query = `
		SELECT u.*,
			m.id AS "manager.id", m.manager_id AS "manager.manager_id", m.owner_id AS "manager.owner_id"
		FROM users u JOIN users m ON m.id = u.manager_id
		WHERE u.id = ?`
	err = s.Get(&u, s.Rebind(query), id)
	return u, err
}

func (s sqlxTool[K]) delete(id K) (int64, error) {
	return affected(s.Exec(s.Rebind("DELETE FROM users WHERE id = ?"), id))
}
