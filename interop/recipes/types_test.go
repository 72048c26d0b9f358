package recipes

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

func TestJSONOrder(t *testing.T) {
	id := ulid.MustParse(text)
	for want, in := range map[string]Order{
		`{"id":"` + text + `","parent_id":null}`:                                      {id, nil, ulid.ULID{}},
		`{"id":"` + text + `","parent_id":"` + text + `","coupon_id":"` + text + `"}`: {id, &id, id},
	} {
		got, err := json.Marshal(in)
		if err != nil || string(got) != want {
			t.Errorf("%+v is %s, %v; want %s", in, got, err, want)
		}
		var back Order
		if err := json.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, in) {
			t.Errorf("%s came back as %+v, %v", got, back, err)
		}
	}
	order := Order{id, &id, id}
	err := json.Unmarshal([]byte(`{"id":null,"parent_id":null}`), &order)
	if want := (Order{id, nil, id}); err != nil || order != want {
		t.Errorf("nulls leave %+v, %v; want %+v", order, err, want)
	}
}

func TestJSONUUID(t *testing.T) {
	id := UUID{ulid.AsUUID(ulid.MustParse(text))}
	got, err := json.Marshal(map[UUID]string{id: fmt.Sprint(id)})
	if want := `{"` + uuid + `":"` + uuid + `"}`; err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	if got, err := id.Value(); err != nil || got != uuid {
		t.Errorf("it is stored as %v, %v", got, err)
	}
	kept := id
	if err := json.Unmarshal([]byte("null"), &kept); err != nil || kept != id {
		t.Errorf("null leaves %s, %v", kept, err)
	}
	for _, good := range []string{uuid, strings.ToUpper(uuid)} {
		var read UUID
		if err := json.Unmarshal([]byte(`"`+good+`"`), &read); err != nil || read != id {
			t.Errorf("%s was read as %s, %v", good, read, err)
		}
	}
	for _, bad := range []string{text, uuid[1:], "{" + uuid + "}"} {
		kept := id
		if err := json.Unmarshal([]byte(`"`+bad+`"`), &kept); !errors.Is(err, ulid.ErrDataSize) || kept != id {
			t.Errorf("%s was read as %s, %v", bad, kept, err)
		}
	}
}

func TestNull(t *testing.T) {
	const nonzero = "CHECK (id <> '00000000000000000000000000')"
	page.Contains(t, "docs/json-null.md", "`"+nonzero+"`")
	type task struct {
		ID       ulid.ULID
		ParentID *ulid.ULID
		OwnerID  OptionalID
	}
	const insert = "INSERT INTO tasks VALUES (?, ?, ?)"
	const stored = "SELECT count(*) FROM tasks WHERE id = ? AND (parent IS NULL) = ? AND (owner IS NULL) = ?"
	db.Each(t, func(t *testing.T, d *db.Database) {
		tasks := d.Open(t, "")
		// Without NOT NULL, so that the zero ID is refused as 26 zeros and not as NULL.
		tasks.Run("CREATE TABLE tasks (id char(26) " + nonzero + ", parent char(26), owner char(26))")
		id := ulid.Make()
		for _, want := range []task{{ID: id}, {id, &id, OptionalID{id}}} {
			tasks.Run("DELETE FROM tasks")
			tasks.Run(insert, want.ID, want.ParentID, want.OwnerID)
			// Whatever stood in the variables before.
			got := task{ulid.Make(), new(ulid.ULID), OptionalID{ulid.Make()}}
			err := tasks.QueryRow("SELECT id, parent, owner FROM tasks").Scan(&got.ID, &got.ParentID, &got.OwnerID)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, %v, want %+v", got, err, want)
			}
			isNull := want.ParentID == nil
			if tasks.Count(stored, want.ID.String(), isNull, isNull) != 1 {
				t.Errorf("%+v is stored as %q", want, tasks.Rows("SELECT * FROM tasks"))
			}
		}
		if err := tasks.Try(insert, ulid.ULID{}, nil, nil); err == nil {
			t.Error("a zero ID is stored")
		}
	})
}
