//go:build !generate

// This program tries ent on an empty database, which the test of the folder above gives it. Another program
// has generated the folder gen from the folder schema.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"os"

	entsql "entgo.io/ent/dialect/sql"
	_ "github.com/go-sql-driver/mysql"
	_ "github.com/lib/pq"
	_ "modernc.org/sqlite"

	"example.com/ent/gen"
	"example.com/ent/gen/user"

	"github.com/seed-961d0905/ulid"
)

func main() {
	log.SetFlags(log.Lshortfile)
	dialect, driver, dsn := os.Args[1], os.Args[2], os.Args[3]
	db, err := sql.Open(driver, dsn)
	check(err)
	db.SetMaxOpenConns(1)
	client := gen.NewClient(gen.Driver(entsql.OpenDB(dialect, db)))
	ctx := context.Background()
	for range 2 { // a program migrates each time it starts
		check(client.Schema.Create(ctx))
	}

	boss, err := client.User.Create().Save(ctx)
	check(err)
	clerk, err := client.User.Create().SetManager(boss).SetOwnerID(boss.ID).Save(ctx)
	check(err)
	want(!boss.ID.IsZero() && clerk.ID.Compare(boss.ID) > 0, "DefaultFunc made", boss.ID, clerk.ID)

	got, err := client.User.Get(ctx, clerk.ID)
	check(err)
	want(got.ID == clerk.ID && got.ManagerID != nil && *got.ManagerID == boss.ID && got.OwnerID == boss.ID,
		clerk, "was read as", got)
	got, err = client.User.Get(ctx, boss.ID)
	check(err)
	want(got.ManagerID == nil && got.OwnerID.IsZero(), "NULLs were read as", got)
	nulls, err := client.User.Query().Where(user.OwnerIDIsNil()).Count(ctx)
	check(err)
	want(nulls == 1, "Optional wrote", nulls, "NULLs")

	all, err := client.User.Query().Where(user.IDIn(boss.ID, clerk.ID)).
		WithManager().WithReports().Order(user.ByID()).All(ctx)
	check(err)
	want(len(all) == 2 && all[0].ID == boss.ID, "IDIn gave", all)
	reports, manager := all[0].Edges.Reports, all[1].Edges.Manager
	want(len(reports) == 1 && reports[0].ID == clerk.ID, "the reports are", reports)
	want(manager != nil && manager.ID == boss.ID, "the manager is", manager)
	id, err := clerk.QueryManager().OnlyID(ctx)
	check(err)
	want(id == boss.ID, "the manager is", id)

	cleared, err := clerk.Update().ClearManagerID().ClearOwnerID().Save(ctx)
	check(err)
	want(cleared.ManagerID == nil && cleared.OwnerID.IsZero(), "Clear gave", cleared)
	check(client.User.DeleteOneID(clerk.ID).Exec(ctx))
	_, err = client.User.Get(ctx, clerk.ID)
	want(gen.IsNotFound(err), "the deleted row gave", err)
	err = client.User.DeleteOneID(ulid.Make()).Exec(ctx)
	want(gen.IsNotFound(err), "deleting what is not there gave", err)
}

func check(err error) {
	if err != nil {
		log.Output(2, err.Error())
		os.Exit(1)
	}
}

// want ends the program with a message unless ok.
func want(ok bool, message ...any) {
	if !ok {
		log.Output(2, fmt.Sprintln(message...))
		os.Exit(1)
	}
}
