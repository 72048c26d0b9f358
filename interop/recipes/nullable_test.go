package recipes

import (
	"reflect"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/page"
)

func TestNull(t *testing.T) {
	id := ulid.Make()
	type row struct {
		Task
		Text  string  // of the ID
		Nulls [2]bool // of the others, in the database
	}
	onEach(t, func(t *testing.T, db *sqlx.DB) {
		run(t, db, "CREATE TEMPORARY TABLE tasks (id char(26) NOT NULL, parent char(26), owner char(26))")
		for _, want := range []row{
			{Task: NewTask(), Nulls: [2]bool{true, true}},
			{Task: Task{id, &id, OptionalID{id}}},
			{Nulls: [2]bool{true, true}},
		} {
			want.Text = want.ID.String()
			run(t, db, "DELETE FROM tasks")
			run(t, db, "INSERT INTO tasks VALUES (?, ?, ?)", want.ID, want.ParentID, want.OwnerID)
			// Whatever stood in the variables before.
			got := row{Task: Task{ulid.Make(), new(ulid.ULID), OptionalID{ulid.Make()}}}
			err := db.QueryRow("SELECT id, parent, owner, id, parent IS NULL, owner IS NULL FROM tasks").
				Scan(&got.ID, &got.ParentID, &got.OwnerID, &got.Text, &got.Nulls[0], &got.Nulls[1])
			check(t, err)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
	})
}

// A column that refuses the zero ULID.
func TestCheck(t *testing.T) {
	const check = "CHECK (id <> '00000000000000000000000000')"
	page.Contains(t, "docs/types.md", "`"+check+"`")
	onEach(t, func(t *testing.T, db *sqlx.DB) {
		run(t, db, "CREATE TEMPORARY TABLE checked (id char(26) NOT NULL "+check+")")
		run(t, db, "INSERT INTO checked VALUES (?)", ulid.Make())
		if _, err := db.Exec(db.Rebind("INSERT INTO checked VALUES (?)"), ulid.ULID{}); err == nil {
			t.Error("a zero ID is stored")
		}
	})
}
