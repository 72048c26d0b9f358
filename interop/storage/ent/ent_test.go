package ent

import (
	"context"
	"database/sql"
	"testing"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/storage/ent/gen"
	"github.com/seed-961d0905/ulid/interop/storage/ent/gen/user"
	"github.com/seed-961d0905/ulid/interop/storage/internal/collation"
	"github.com/seed-961d0905/ulid/interop/storage/internal/databases"
	"github.com/seed-961d0905/ulid/interop/internal/record"
)

// ent's names of the dialects.
var dialects = map[string]string{"sqlite": "sqlite3", "postgres": "postgres", "mysql": "mysql"}

// What must be set in ../ent/schema for each of them.
var fieldOf = map[string]string{
	"sqlite":   "`field.String(\"id\").GoType(ulid.ULID{}).MaxLen(26).DefaultFunc(ulid.Make)`",
	"postgres": "`field.String(\"id\").GoType(ulid.ULID{}).MaxLen(26).DefaultFunc(ulid.Make).SchemaType(map[string]string{dialect.Postgres: \"text collate ucs_basic\"})`",
	"mysql":    "`field.String(\"id\").GoType(ulid.ULID{}).MaxLen(26).DefaultFunc(ulid.Make)`, which gives `utf8mb4_bin`",
}

func TestEnt(t *testing.T) {
	databases.Each(t, func(t *testing.T, dialect string, db *sql.DB) {
		ctx := context.Background()
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		// A table that an interrupted run left behind goes first.
		drop := func() error { _, err := db.Exec("DROP TABLE IF EXISTS ent_users"); return err }
		check(drop())
		defer drop()
		client := gen.NewClient(gen.Driver(entsql.OpenDB(dialects[dialect], db)))
		for range 2 { // a program migrates each time it starts
			check(client.Schema.Create(ctx))
		}
		collation.Want(t, db, dialect, "ent_users", "id", "manager_id", "owner_id")

		boss, err := client.User.Create().Save(ctx)
		check(err)
		clerk, err := client.User.Create().SetManager(boss).SetOwnerID(boss.ID).Save(ctx)
		check(err)
		if boss.ID.IsZero() || clerk.ID.Compare(boss.ID) <= 0 {
			t.Errorf("DefaultFunc made %v and %v", boss.ID, clerk.ID)
		}

		got, err := client.User.Get(ctx, clerk.ID)
		check(err)
		if got.ID != clerk.ID || got.ManagerID == nil || *got.ManagerID != boss.ID || got.OwnerID != boss.ID {
			t.Errorf("%v was read as %v", clerk, got)
		}
		got, err = client.User.Get(ctx, boss.ID)
		check(err)
		if got.ManagerID != nil || !got.OwnerID.IsZero() {
			t.Errorf("NULLs were read as %v", got)
		}
		if n, err := client.User.Query().Where(user.OwnerIDIsNil()).Count(ctx); err != nil || n != 1 {
			t.Errorf("Optional wrote %d NULLs, %v", n, err)
		}

		all, err := client.User.Query().Where(user.IDIn(boss.ID, clerk.ID)).WithManager().WithReports().Order(user.ByID()).All(ctx)
		check(err)
		if len(all) != 2 || all[0].ID != boss.ID || all[1].Edges.Manager == nil || all[1].Edges.Manager.ID != boss.ID ||
			len(all[0].Edges.Reports) != 1 || all[0].Edges.Reports[0].ID != clerk.ID {
			t.Errorf("the relations gave %v", all)
		}
		if id, err := clerk.QueryManager().OnlyID(ctx); err != nil || id != boss.ID {
			t.Errorf("the manager of %v is %v, %v", clerk.ID, id, err)
		}

		cleared, err := clerk.Update().ClearManagerID().ClearOwnerID().Save(ctx)
		check(err)
		if cleared.ManagerID != nil || !cleared.OwnerID.IsZero() {
			t.Errorf("Clear gave %v", cleared)
		}
		check(client.User.DeleteOneID(clerk.ID).Exec(ctx))
		if _, err := client.User.Get(ctx, clerk.ID); !gen.IsNotFound(err) {
			t.Errorf("the deleted row gave %v", err)
		}
		if err := client.User.DeleteOneID(ulid.Make()).Exec(ctx); !gen.IsNotFound(err) {
			t.Errorf("to delete what is not there gave %v", err)
		}

		for _, c := range [][2]string{
			{"Field type and tag", fieldOf[dialect]},
			{"create", "yes, with `DefaultFunc`"}, {"find by id", "`Get(ctx, id)`, `IDIn`"}, {"delete by id", "`DeleteOneID(id)`"},
			{"relation", "edges, with `WithManager`"}, {"NULL", "`Optional().Nillable()`, or `Optional()` for the zero ID"},
		} {
			record.Cell(t, "ORMs and builders", "ent, "+dialect+", `ulid.ULID`", c[0], c[1])
		}
	})
}
