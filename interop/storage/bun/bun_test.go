// Package bun proves ULIDs as the keys of bun's models.
package bun

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
	"github.com/seed-961d0905/ulid/interop/storage/internal/collation"
	"github.com/seed-961d0905/ulid/interop/storage/internal/databases"
	"github.com/seed-961d0905/ulid/interop/internal/record"
)

// TextUser has text keys. SQLite sorts text by its bytes. The owner shows nullzero: a zero ID that is
// stored as NULL.
type TextUser struct {
	bun.BaseModel `bun:"table:bun_text_users,alias:u"`

	ID        ulid.ULID  `bun:"id,pk,type:char(26)"`
	ManagerID *ulid.ULID `bun:"manager_id,type:char(26)"`
	OwnerID   ulid.ULID  `bun:"owner_id,nullzero,type:char(26)"`
	Manager   *TextUser  `bun:"rel:belongs-to,join:manager_id=id"`
}

// PostgresUser is TextUser for PostgreSQL. In a UTF-8 database ucs_basic is another name
// of "C", which would need quotes in the quotes of the tag.
type PostgresUser struct {
	bun.BaseModel `bun:"table:bun_postgres_users,alias:u"`

	ID        ulid.ULID     `bun:"id,pk,type:char(26) collate ucs_basic"`
	ManagerID *ulid.ULID    `bun:"manager_id,type:char(26) collate ucs_basic"`
	OwnerID   ulid.ULID     `bun:"owner_id,nullzero,type:char(26) collate ucs_basic"`
	Manager   *PostgresUser `bun:"rel:belongs-to,join:manager_id=id"`
}

// MySQLUser is TextUser for MySQL and MariaDB.
type MySQLUser struct {
	bun.BaseModel `bun:"table:bun_mysql_users,alias:u"`

	ID        ulid.ULID  `bun:"id,pk,type:char(26) character set ascii collate ascii_bin"`
	ManagerID *ulid.ULID `bun:"manager_id,type:char(26) character set ascii collate ascii_bin"`
	OwnerID   ulid.ULID  `bun:"owner_id,nullzero,type:char(26) character set ascii collate ascii_bin"`
	Manager   *MySQLUser `bun:"rel:belongs-to,join:manager_id=id"`
}

// BinaryUser has keys of 16 bytes.
type BinaryUser struct {
	bun.BaseModel `bun:"table:bun_binary_users,alias:u"`

	ID        ulid.AsBinary  `bun:"id,pk,type:varbinary(16)"`
	ManagerID *ulid.AsBinary `bun:"manager_id,type:varbinary(16)"`
	OwnerID   ulid.AsBinary  `bun:"owner_id,nullzero,type:varbinary(16)"`
	Manager   *BinaryUser    `bun:"rel:belongs-to,join:manager_id=id"`
}

// ByteaUser is BinaryUser for PostgreSQL.
type ByteaUser struct {
	bun.BaseModel `bun:"table:bun_bytea_users,alias:u"`

	ID        ulid.AsBinary  `bun:"id,pk,type:bytea"`
	ManagerID *ulid.AsBinary `bun:"manager_id,type:bytea"`
	OwnerID   ulid.AsBinary  `bun:"owner_id,nullzero,type:bytea"`
	Manager   *ByteaUser     `bun:"rel:belongs-to,join:manager_id=id"`
}

// UUIDUser has keys of PostgreSQL's type uuid.
type UUIDUser struct {
	bun.BaseModel `bun:"table:bun_uuid_users,alias:u"`

	ID        ulid.AsUUID  `bun:"id,pk,type:uuid"`
	ManagerID *ulid.AsUUID `bun:"manager_id,type:uuid"`
	OwnerID   ulid.AsUUID  `bun:"owner_id,nullzero,type:uuid"`
	Manager   *UUIDUser    `bun:"rel:belongs-to,join:manager_id=id"`
}

func TestBun(t *testing.T) {
	dialects := map[string]schema.Dialect{
		"sqlite": sqlitedialect.New(), "postgres": pgdialect.New(), "mysql": mysqldialect.New(),
	}
	databases.Each(t, func(t *testing.T, dialect string, sqlDB *sql.DB) {
		db := bun.NewDB(sqlDB, dialects[dialect])
		switch dialect {
		case "sqlite":
			test(t, db, dialect, func(u *TextUser) fields[ulid.ULID, TextUser] {
				return fields[ulid.ULID, TextUser]{&u.ID, &u.ManagerID, &u.OwnerID, &u.Manager}
			})
		case "postgres":
			test(t, db, dialect, func(u *PostgresUser) fields[ulid.ULID, PostgresUser] {
				return fields[ulid.ULID, PostgresUser]{&u.ID, &u.ManagerID, &u.OwnerID, &u.Manager}
			})
		case "mysql":
			test(t, db, dialect, func(u *MySQLUser) fields[ulid.ULID, MySQLUser] {
				return fields[ulid.ULID, MySQLUser]{&u.ID, &u.ManagerID, &u.OwnerID, &u.Manager}
			})
		}
		if dialect != "postgres" {
			test(t, db, dialect, func(u *BinaryUser) fields[ulid.AsBinary, BinaryUser] {
				return fields[ulid.AsBinary, BinaryUser]{&u.ID, &u.ManagerID, &u.OwnerID, &u.Manager}
			})
			return
		}
		test(t, db, dialect, func(u *ByteaUser) fields[ulid.AsBinary, ByteaUser] {
			return fields[ulid.AsBinary, ByteaUser]{&u.ID, &u.ManagerID, &u.OwnerID, &u.Manager}
		})
		test(t, db, dialect, func(u *UUIDUser) fields[ulid.AsUUID, UUIDUser] {
			return fields[ulid.AsUUID, UUIDUser]{&u.ID, &u.ManagerID, &u.OwnerID, &u.Manager}
		})
	})
}

// fields points to the fields of a model.
type fields[ID, Model any] struct {
	id      *ID
	manager **ID
	owner   *ID
	loaded  **Model
}

func test[ID ulid.ULID | ulid.AsBinary | ulid.AsUUID, Model any](t *testing.T, db *bun.DB, dialect string, of func(*Model) fields[ID, Model]) {
	ctx := context.Background()
	as := reflect.TypeFor[ID]().String()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", as, err)
		}
	}
	// A table that an interrupted run left behind goes first.
	drop := func() error { _, err := db.NewDropTable().Model((*Model)(nil)).IfExists().Exec(ctx); return err }
	check(drop())
	defer drop()
	_, err := db.NewCreateTable().Model((*Model)(nil)).Exec(ctx)
	check(err)
	if as == "ulid.ULID" {
		collation.Want(t, db.DB, dialect, db.Table(reflect.TypeFor[Model]()).Name, "id", "manager_id", "owner_id")
	}

	var boss, clerk Model
	*of(&boss).id, *of(&clerk).id = ID(ulid.Make()), ID(ulid.Make())
	*of(&clerk).manager, *of(&clerk).owner = of(&boss).id, *of(&boss).id
	want := clerk
	_, err = db.NewInsert().Model(&boss).Exec(ctx)
	check(err)
	if !ulid.ULID(*of(&boss).owner).IsZero() {
		t.Errorf("%s: nullzero came back from the insert as %v", as, *of(&boss).owner)
	}
	_, err = db.NewInsert().Model(&[]Model{clerk}).Exec(ctx)
	check(err)

	var got Model
	*of(&got).id = *of(&clerk).id
	check(db.NewSelect().Model(&got).WherePK().Scan(ctx))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %+v was read as %+v", as, want, got)
	}
	var fresh Model
	readBoss := db.NewSelect().Where("u.id = ?", *of(&boss).id)
	check(readBoss.Model(&fresh).Scan(ctx))
	if *of(&fresh).id != *of(&boss).id || *of(&fresh).manager != nil || !ulid.ULID(*of(&fresh).owner).IsZero() {
		t.Errorf("%s: NULLs were read as %+v", as, fresh)
	}
	// bun scans through a pointer that is there already.
	check(readBoss.Model(&got).Scan(ctx)) // over the clerk
	if p := *of(&got).manager; p == nil || !ulid.ULID(*p).IsZero() || !ulid.ULID(*of(&got).owner).IsZero() {
		t.Errorf("%s: NULLs were read over the clerk as %+v: is it mended?", as, got)
	}
	nulls, err := db.NewSelect().Model((*Model)(nil)).Where("owner_id IS NULL").Count(ctx)
	if err != nil || nulls != 1 {
		t.Errorf("%s: nullzero wrote %d NULLs, %v", as, nulls, err)
	}

	var all []Model
	check(db.NewSelect().Model(&all).Relation("Manager").Where("u.id IN ?", bun.Tuple([]ID{*of(&boss).id, *of(&clerk).id})).Order("u.id").Scan(ctx))
	if len(all) != 2 || *of(&all[0]).loaded != nil || *of(&all[1]).loaded == nil || *of(*of(&all[1]).loaded).id != *of(&boss).id {
		t.Errorf("%s: the relation gave %+v", as, all)
	}

	result, err := db.NewDelete().Model(&clerk).WherePK().Exec(ctx)
	check(err)
	if n, err := result.RowsAffected(); err != nil || n != 1 {
		t.Errorf("%s: the delete removed %d rows, %v", as, n, err)
	}
	if err := db.NewSelect().Model(&clerk).WherePK().Scan(ctx); !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("%s: the deleted row gave %v", as, err)
	}

	field, _ := reflect.TypeFor[Model]().FieldByName("ID")
	for _, c := range [][2]string{
		{"Field type and tag", "`" + string(field.Tag) + "`"}, {"create", "yes"},
		{"find by id", "`WherePK()`, `Where(\"id = ?\", id)`, `bun.Tuple`"}, {"delete by id", "`WherePK()`"},
		{"relation", "yes, with `Relation`"}, {"NULL", "`*" + as + "`, read into a fresh model, or `nullzero`; SILENT: in a model used before the pointer stays, to the zero ID"},
	} {
		record.Cell(t, "ORMs and builders", "bun, "+dialect+", `"+as+"`", c[0], c[1])
	}
}
