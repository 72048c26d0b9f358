package tools

import (
	"database/sql"
	"errors"
	"reflect"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// TestSqlxNotes runs the code of the page.
func TestSqlxNotes(t *testing.T) {
	conn := db.PostgreSQL.Open(t, "")
	conn.Run("CREATE TABLE notes (id uuid PRIMARY KEY, parent_id uuid, title text)")
	one, err := addNote(ctx, conn.DB, "one")
	check(t, err)
	two, err := addNote(ctx, conn.DB, "two")
	check(t, err)
	_, err = addNote(ctx, conn.DB, "three")
	check(t, err)
	if one.ID.IsZero() {
		t.Error("a zero ID is stored")
	}
	wantStored(t, conn, "SELECT id FROM notes WHERE title <> 'three' ORDER BY id", asUUID, one.ID, two.ID)
	notes, err := getNotes(ctx, conn.DB, []DocID{two.ID, one.ID})
	if want := []Note{one, two}; err != nil || !reflect.DeepEqual(notes, want) {
		t.Errorf("found %+v, %v, want %+v", notes, err, want)
	}
	if _, err := getNotes(ctx, conn.DB, nil); err == nil {
		t.Error("an empty list is no error")
	}
}

// TestSqlx takes a list and an ID, which is an array and no list, and reads NULL.
func TestSqlx(t *testing.T) {
	for _, d := range db.All {
		sqlxColumn[ulid.ULID](t, d, "char(26)", asText)
		sqlxColumn[TextID](t, d, "char(26)", asText)
		sqlxColumn[PrefixID](t, d, "char(32)", asPrefix)
	}
	sqlxColumn[ulid.AsUUID](t, db.PostgreSQL, "uuid", asUUID)
	sqlxColumn[UUIDID](t, db.PostgreSQL, "uuid", asUUID)
	sqlxColumn[UUID](t, db.PostgreSQL, "uuid", asUUID)
	sqlxColumn[ulid.AsBinary](t, db.MySQL, "binary(16)", asBinary)
	sqlxColumn[BinaryID](t, db.MySQL, "binary(16)", asBinary)
}

func sqlxColumn[ID interface {
	~[16]byte
	comparable
}](t *testing.T, d *db.Database, column string, as format) {
	type row struct {
		ID       ID
		ParentID *ID          `db:"parent_id"`
		OwnerID  sql.Null[ID] `db:"owner_id"`
	}
	t.Run(d.Name+" "+reflect.TypeFor[ID]().Name(), func(t *testing.T) {
		conn := d.Open(t, "")
		conn.Run("CREATE TABLE items (id " + column + ", parent_id " + column + ", owner_id " + column + ")")
		parent := row{ID: ID(ulid.Make())}
		child := row{ID: ID(ulid.Make()), ParentID: &parent.ID, OwnerID: sql.Null[ID]{V: parent.ID, Valid: true}}
		const insert = "INSERT INTO items (id, parent_id, owner_id) VALUES (:id, :parent_id, :owner_id)"
		_, err := conn.NamedExec(insert, []row{parent, child})
		check(t, err)
		wantStored(t, conn, "SELECT id FROM items ORDER BY id", as, parent.ID, child.ID)

		query, args, err := sqlx.In("SELECT * FROM items WHERE id <> ? AND id IN (?) ORDER BY id",
			ID(ulid.Make()), []ID{child.ID, parent.ID})
		check(t, err)
		found := []row{}
		check(t, conn.Select(&found, conn.Rebind(query), args...))
		if want := []row{parent, child}; !reflect.DeepEqual(found, want) {
			t.Errorf("found %+v, want %+v", found, want)
		}
		used := child
		err = conn.Get(&used, conn.Rebind("SELECT * FROM items WHERE id = ?"), parent.ID)
		if err != nil || !reflect.DeepEqual(used, parent) {
			t.Errorf("over another row is read %+v, %v, want %+v", used, err, parent)
		}
		if err := conn.Get(&used, conn.Rebind("SELECT * FROM items WHERE id = ?"), ID{}); !errors.Is(err, sql.ErrNoRows) {
			t.Errorf("the zero ID: %v", err)
		}
	})
}
