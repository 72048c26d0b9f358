package storage

import (
	"context"
	"database/sql"
	"errors"
	"reflect"
	"testing"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/mysqldialect"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"github.com/uptrace/bun/schema"

	"github.com/seed-961d0905/ulid"
)

// bunUser is the model of a table with IDs in columns of any type. The owner shows nullzero: a zero ID that
// is stored as NULL.
type bunUser[K ID] struct {
	bun.BaseModel `bun:"table:users,alias:u"`

	ID        K           `bun:"id,pk"`
	ManagerID *K          `bun:"manager_id"`
	OwnerID   K           `bun:"owner_id,nullzero"`
	Manager   *bunUser[K] `bun:"rel:belongs-to,join:manager_id=id"`
}

func TestBun(t *testing.T) {
	Each(t, "sqlite", "type:char(26)", testBun[ulid.ULID])
	Each(t, "sqlite", "type:varbinary(16)", testBun[ulid.AsBinary])
	Each(t, "postgres", "type:char(26) collate ucs_basic", testBun[ulid.ULID])
	Each(t, "postgres", "type:bytea", testBun[ulid.AsBinary])
	Each(t, "postgres", "type:uuid", testBun[ulid.AsUUID])
	Each(t, "mysql mariadb", "type:char(26) character set ascii collate ascii_bin", testBun[ulid.ULID])
	Each(t, "mysql mariadb", "type:binary(16)", testBun[ulid.AsBinary])
}

func testBun[K ID](t *testing.T, dialect, column string) {
	sqlDB := Open(t, dialect)
	db := bun.NewDB(sqlDB.DB, map[string]schema.Dialect{
		"sqlite": sqlitedialect.New(), "postgres": pgdialect.New(), "mysql": mysqldialect.New(),
		"mariadb": mysqldialect.New(),
	}[dialect])
	ctx := context.Background()

	// bunUser with the type of the column in each tag.
	tag := func(options string) reflect.StructTag {
		return reflect.StructTag(`bun:"` + options + "," + column + `"`)
	}
	table := reflect.New(reflect.StructOf([]reflect.StructField{
		{Name: "ID", Type: reflect.TypeFor[K](), Tag: tag("id,pk")},
		{Name: "ManagerID", Type: reflect.TypeFor[*K](), Tag: tag("manager_id")},
		{Name: "OwnerID", Type: reflect.TypeFor[K](), Tag: tag("owner_id,nullzero")},
	})).Interface()
	_, err := db.NewCreateTable().Model(table).ModelTableExpr("users").Exec(ctx)
	check(t, err)
	if TypeName[K]() == "ulid.ULID" {
		WantCollation(t, sqlDB, dialect, "users", "id", "manager_id", "owner_id")
	}

	boss := bunUser[K]{ID: K(ulid.Make())}
	clerk := bunUser[K]{ID: K(ulid.Make()), ManagerID: &boss.ID, OwnerID: boss.ID}
	_, err = db.NewInsert().Model(&boss).Exec(ctx)
	check(t, err)
	if !ulid.ULID(boss.OwnerID).IsZero() {
		t.Errorf("nullzero came back from the insert as %v", boss.OwnerID)
	}
	_, err = db.NewInsert().Model(&[]bunUser[K]{clerk}).Exec(ctx)
	check(t, err)

	got := bunUser[K]{ID: clerk.ID}
	check(t, db.NewSelect().Model(&got).WherePK().Scan(ctx))
	if !reflect.DeepEqual(got, clerk) {
		t.Errorf("%+v was read as %+v", clerk, got)
	}
	var fresh bunUser[K]
	check(t, db.NewSelect().Model(&fresh).Where("u.id = ?", boss.ID).Scan(ctx))
	if !reflect.DeepEqual(fresh, boss) {
		t.Errorf("%+v was read as %+v", boss, fresh)
	}
	nulls, err := db.NewSelect().Model(&fresh).Where("owner_id IS NULL").Count(ctx)
	if err != nil || nulls != 1 {
		t.Errorf("nullzero wrote %d NULLs, %v, want 1", nulls, err)
	}

	// The boss is read over the clerk.
	null := "`*" + TypeName[K]() + "`, read into a fresh model, or `nullzero`"
	check(t, db.NewSelect().Model(&got).Where("u.id = ?", boss.ID).Scan(ctx))
	if p := got.ManagerID; p != nil {
		null += "; SILENT: in a model used before the pointer stays, to the "
		if ulid.ULID(*p).IsZero() {
			null += "zero ID"
		} else {
			null += "old ID"
		}
	}
	if !ulid.ULID(got.OwnerID).IsZero() {
		t.Errorf("NULL was read over an ID as %v", got.OwnerID)
	}

	var all []bunUser[K]
	check(t, db.NewSelect().Model(&all).Relation("Manager").
		Where("u.id IN ?", bun.Tuple([]K{boss.ID, clerk.ID})).Order("u.id").Scan(ctx))
	clerk.Manager = &boss
	if want := []bunUser[K]{boss, clerk}; !reflect.DeepEqual(all, want) {
		t.Errorf("the relation gave %+v, want %+v", all, want)
	}

	result, err := db.NewDelete().Model(&clerk).WherePK().Exec(ctx)
	check(t, err)
	if n, err := result.RowsAffected(); err != nil || n != 1 {
		t.Errorf("the delete removed %d rows, %v, want 1", n, err)
	}
	if err := db.NewSelect().Model(&clerk).WherePK().Scan(ctx); !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("the deleted row gave %v, want %v", err, sql.ErrNoRows)
	}

	key := "`" + string(tag("id,pk")) + "`"
	if TypeName[K]() != "ulid.AsBinary" || dialects[dialect].driver == "mysql" {
		OnPage(t, dialect, "bun", key)
	}
	Row{
		Field: key, Create: "yes", Find: "`WherePK()`, `Where(\"id = ?\", id)`, `bun.Tuple`", Delete: "`WherePK()`",
		Relation: "yes, with `Relation`", Null: null,
	}.Record(t, "bun", dialect, TypeName[K]())
}
