package nullable

import (
	"database/sql"
	"testing"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/internal/servers"
)

func TestNull(t *testing.T) {
	for _, d := range []struct{ driver, server, insert string }{
		{"sqlite", "", "INSERT INTO tasks VALUES (?, ?, ?, ?)"},
		{"pgx", "ULID_POSTGRES", "INSERT INTO tasks VALUES ($1, $2, $3, $4)"},
		{"mysql", "ULID_MARIADB", "INSERT INTO tasks VALUES (?, ?, ?, ?)"},
	} {
		t.Run(d.driver, func(t *testing.T) {
			db := servers.Open(t, d.driver, d.server)
			if _, err := db.Exec("CREATE TEMPORARY TABLE tasks (id char(26) NOT NULL, parent char(26), owner char(26), other char(26))"); err != nil {
				t.Fatal(err)
			}
			id := ulid.Make()
			for _, in := range []Task{NewTask(), {ID: id, ParentID: &id, OwnerID: OptionalID{id}}, {}} {
				other := sql.Null[ulid.ULID]{V: id, Valid: in.ParentID != nil}
				if _, err := db.Exec(d.insert, in.ID, in.ParentID, in.OwnerID, other); err != nil {
					t.Fatal(err)
				}
				set := in.ParentID != nil
				out := Task{ID: ulid.Make(), ParentID: new(ulid.ULID), OwnerID: OptionalID{id}}
				otherOut := sql.Null[ulid.ULID]{Valid: !set}
				var text string
				var isNull [3]bool
				err := db.QueryRow("SELECT id, parent, owner, other, id, parent IS NULL, owner IS NULL, other IS NULL FROM tasks").
					Scan(&out.ID, &out.ParentID, &out.OwnerID, &otherOut, &text, &isNull[0], &isNull[1], &isNull[2])
				if err != nil || out.ID != in.ID || (out.ParentID != nil) != set || set && *out.ParentID != id || out.OwnerID != in.OwnerID || otherOut.Valid != set || set && otherOut.V != id {
					t.Errorf("%+v was read as %+v, %v, %v", in, out, otherOut, err)
				}
				if want := [3]bool{!set, !set, !set}; isNull != want || text != in.ID.String() {
					t.Errorf("%+v is stored as %s, NULL %t; want %t", in, text, isNull, want)
				}
				// A plain ULID reads NULL as zero.
				plain := ulid.Make()
				if err := db.QueryRow("SELECT parent FROM tasks").Scan(&plain); err != nil || plain.IsZero() == set {
					t.Errorf("the parent is %s, %v", plain, err)
				}
				if _, err := db.Exec("DELETE FROM tasks"); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// A column that refuses the zero ULID.
func TestCheck(t *testing.T) {
	for _, d := range []struct{ driver, server, insert string }{
		{"sqlite", "", "INSERT INTO checked VALUES (?)"}, {"pgx", "ULID_POSTGRES", "INSERT INTO checked VALUES ($1)"}, {"mysql", "ULID_MARIADB", "INSERT INTO checked VALUES (?)"},
	} {
		t.Run(d.driver, func(t *testing.T) {
			db := servers.Open(t, d.driver, d.server)
			if _, err := db.Exec("CREATE TEMPORARY TABLE checked (id char(26) NOT NULL " + check + ")"); err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec(d.insert, ulid.Make()); err != nil {
				t.Error(err)
			}
			if _, err := db.Exec(d.insert, ulid.ULID{}); err == nil {
				t.Error("a zero ID was stored")
			}
		})
	}
}
