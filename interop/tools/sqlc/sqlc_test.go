// Package sqlc runs what sqlc generates by the recipe of docs/tools.md, over a table that also has columns for which
// the recipe is not meant. lab/sqlc generates the code again.
package sqlc

import (
	"context"
	"reflect"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/interop/tools"
	"github.com/seed-961d0905/ulid/interop/tools/sqlc/postgres"
)

var (
	ctx   = context.Background()
	check = db.Check
)

func TestPostgres(t *testing.T) {
	dsn := db.PostgreSQL.Own(t, "")
	conn, err := pgx.Connect(ctx, dsn)
	check(t, err)
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, page.Text(t, "interop/tools/sqlc/postgres/schema.sql"))
	check(t, err)
	queries := postgres.New(conn)
	ids := make([]tools.DocID, 3)
	ulid.Fill(ids)
	former := ulid.AsUUID(ulid.Make())
	docs := []postgres.Doc{
		{ID: ids[0], ImportID: ulid.AsUUID(ulid.Make()), Currency: "EUR"},
		{ID: ids[1], ImportID: ulid.AsUUID(ulid.Make()), ParentID: &ids[0], FormerImportID: &former, Currency: "EUR"},
		{ID: ids[2], ImportID: former, ExternalID: pgtype.Text{String: "invoice 7", Valid: true}, Currency: "SEK"},
	}
	for _, d := range docs {
		check(t, queries.AddDoc(ctx, postgres.AddDocParams(d)))
	}
	var nulls int
	const query = `SELECT count(*) FROM docs WHERE parent_id IS NULL AND former_import_id IS NULL`
	check(t, conn.QueryRow(ctx, query).Scan(&nulls))
	if nulls != 2 {
		t.Errorf("%d rows have NULLs, want 2", nulls)
	}
	found, err := queries.GetDocs(ctx, []ulid.AsUUID{ulid.AsUUID(ids[2]), ulid.AsUUID(ids[1])})
	if err != nil || !reflect.DeepEqual(found, docs[1:]) {
		t.Errorf("found %+v, %v, want %+v", found, err, docs[1:])
	}
	parents, err := queries.GetParents(ctx)
	want := []postgres.GetParentsRow{{ID: ids[0]}, {ID: ids[1], Parent: ids[0]}, {ID: ids[2]}}
	if err != nil || !reflect.DeepEqual(parents, want) {
		t.Errorf("parents %+v, %v, want %+v", parents, err, want)
	}
}
