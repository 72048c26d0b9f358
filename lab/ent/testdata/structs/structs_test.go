package structs

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	_ "modernc.org/sqlite"

	"example.com/shop/ent"
	"example.com/shop/ent/user"
	"example.com/shop/key"
)

func TestStruct(t *testing.T) {
	ctx := context.Background()
	for name, d := range map[string]*db.Database{dialect.Postgres: db.PostgreSQL, dialect.SQLite: db.SQLite} {
		t.Run(name, func(t *testing.T) {
			client := ent.NewClient(ent.Driver(entsql.OpenDB(name, d.Open(t, "").DB.DB)))
			db.Check(t, client.Schema.Create(ctx))
			start := time.Now()
			var ids []key.UserID
			for range 10 {
				u, err := client.User.Create().Save(ctx)
				db.Check(t, err)
				ids = append(ids, u.ID)
			}
			if !slices.IsSortedFunc(ids, key.UserID.Compare) {
				t.Errorf("the IDs are %v", ids)
			}
			id, err := key.ParseUserID(ids[0].String())
			db.Check(t, err)
			u, err := client.User.UpdateOneID(id).SetInvitedBy(ids[1]).Save(ctx)
			db.Check(t, err)
			text, err := json.Marshal(u)
			db.Check(t, err)
			if want := `{"id":"` + id.String() + `","invited_by":"` + ids[1].String() + `"}`; string(text) != want {
				t.Errorf("the user is %s, want %s", text, want)
			}
			from := key.UserIDOf(ulid.FirstAt(start.Add(-time.Minute)))
			n, err := client.User.Query().Where(user.IDGTE(from), user.IDLT(key.UserIDOf(ulid.FirstAt(start)))).Count(ctx)
			if n != 0 || err != nil {
				t.Errorf("the minute before has %d users, %v", n, err)
			}
			n, err = client.User.Query().Where(user.IDGTE(from)).Count(ctx)
			if n != 10 || err != nil {
				t.Errorf("from then on there are %d users, %v", n, err)
			}
		})
	}
}
