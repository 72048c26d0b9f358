package recipes

import (
	"bytes"
	"database/sql"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"text/template"

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
	id := UUID(ulid.MustParse(text))
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

// A field of a type, or with a tag, in which the page says what becomes of null, NULL and zero.
type jsonField struct {
	name      string
	old, zero any // pointers to a struct with the one field
}

// jsonFields are the fields with an ID of type T.
func jsonFields[T any](id T) []jsonField {
	type plain struct {
		ID T `json:"id"`
	}
	type omitempty struct {
		ID T `json:"id,omitempty"`
	}
	type omitzero struct {
		ID T `json:"id,omitzero"`
	}
	type pointer struct {
		ID *T `json:"id"`
	}
	type pointerOmitempty struct {
		ID *T `json:"id,omitempty"`
	}
	type null struct {
		ID sql.Null[T] `json:"id"`
	}
	return []jsonField{
		{"`ulid.ULID`", &plain{id}, &plain{}},
		{"`ulid.ULID` with `omitempty`", &omitempty{id}, &omitempty{}},
		{"`ulid.ULID` with `omitzero`", &omitzero{id}, &omitzero{}},
		{"`*ulid.ULID`", &pointer{&id}, &pointer{}},
		{"`*ulid.ULID` with `omitempty`", &pointerOmitempty{&id}, &pointerOmitempty{}},
		{"`sql.Null[ulid.ULID]`", &null{sql.Null[T]{V: id, Valid: true}}, &null{}},
	}
}

const zeros = "00000000000000000000000000"

// row is the row of a field in the table of the page.
func (f jsonField) row(t *testing.T) string {
	return fmt.Sprintf("| %s | %s | %s | %s |\n", f.name, f.read(t, `{"id":null}`), f.read(t, `{}`), f.write(t))
}

// read describes what becomes of a field with an ID when a document is decoded into it.
func (f jsonField) read(t *testing.T, document string) string {
	got := reflect.New(reflect.TypeOf(f.old).Elem())
	got.Elem().Set(reflect.ValueOf(f.old).Elem())
	if err := json.Unmarshal([]byte(document), got.Interface()); err != nil {
		t.Errorf("%s, %s: %v", f.name, document, err)
	}
	switch {
	case reflect.DeepEqual(got.Interface(), f.old):
		return "keeps its value"
	case reflect.DeepEqual(got.Interface(), f.zero) && got.Elem().Field(0).Kind() == reflect.Pointer:
		return "nil"
	}
	t.Errorf("%s, %s: %+v", f.name, document, got)
	return ""
}

// write describes what a zero ID or a nil pointer becomes.
func (f jsonField) write(t *testing.T) string {
	document, err := json.Marshal(f.zero)
	if err != nil {
		t.Errorf("%s: %v", f.name, err)
	}
	switch value := strings.Replace(string(document), "user_", "", 1); value {
	case `{}`:
		return "no field"
	case `{"id":null}`:
		return "`null`"
	case `{"id":"` + zeros + `"}`:
		return "26 zeros"
	case `{"id":{"V":"` + zeros + `","Valid":false}}`:
		return "an object with `V` and `Valid`"
	}
	t.Errorf("%s: %s", f.name, document)
	return ""
}

func jsonMatrix(t *testing.T) string {
	id := ulid.MustParse(text)
	table := func(fields []jsonField) string {
		rows := "| field | reads `null` | reads no field | writes its zero value |\n|---|---|---|---|\n"
		for _, f := range fields {
			rows += f.row(t)
		}
		return rows
	}
	want := table(jsonFields(id))
	for _, other := range [][]jsonField{
		jsonFields(ulid.AsUUID(id)), jsonFields(ulid.AsBinary(id)), jsonFields(UserID(id)),
	} {
		if got := table(other); got != want {
			t.Errorf("%T differs:\n%s", other[0].old, got)
		}
	}
	return want
}

// A sqlField is a variable in which a row is stored and read.
type sqlField struct {
	name, column string
	zero         any // what is stored: the zero ID or nil
	stale        any // a pointer to such a variable with an ID, into which NULL is read
}

func sqlMatrix(t *testing.T, d *db.Database) string {
	id, used, usedUUID := ulid.Make(), new(ulid.ULID), new(ulid.AsUUID)
	binary := map[string]string{"sqlite": "blob", "postgres": "bytea", "mariadb": "binary(16)", "mysql": "binary(16)"}
	asUUID, asBinary := ulid.AsUUID(id), ulid.AsBinary(id)
	null := sql.Null[ulid.ULID]{V: id, Valid: true}
	userID := UserID(id)
	data := d.Open(t, "")
	rows := "| field | reads NULL | stores its zero value |\n|---|---|---|\n"
	for i, f := range []sqlField{
		{"`ulid.ULID`", "char(26)", ulid.ULID{}, &id},
		{"`ulid.AsUUID`", "char(36)", ulid.AsUUID{}, &asUUID},
		{"`ulid.AsBinary`", binary[d.Dialect], ulid.AsBinary{}, &asBinary},
		{"`typed.ID` of a `UUIDColumn`", "char(36)", UserID{}, &userID},
		{"`*ulid.ULID`", "char(26)", (*ulid.ULID)(nil), &used},
		{"`*ulid.AsUUID`", "char(36)", (*ulid.AsUUID)(nil), &usedUUID},
		{"`sql.Null[ulid.ULID]`", "char(26)", sql.Null[ulid.ULID]{}, &null},
	} {
		table := fmt.Sprintf("t%d", i)
		data.Run("CREATE TABLE " + table + " (id " + f.column + ")")
		data.Run("INSERT INTO "+table+" VALUES (?)", f.zero)
		stored := "NULL"
		if data.Count("SELECT count(*) FROM "+table+" WHERE id IS NULL") == 0 {
			stored = describe(t, data.Rows("SELECT id FROM " + table)[0][0])
		}
		data.Run("UPDATE " + table + " SET id = NULL")
		db.Check(t, data.QueryRow("SELECT id FROM "+table).Scan(f.stale))
		read := "the zero ID"
		switch got := reflect.ValueOf(f.stale).Elem(); {
		case !got.IsZero():
			t.Errorf("%s: NULL is read as %v", f.name, got)
		case got.Kind() == reflect.Pointer:
			read = "nil"
		case f.stale == &null:
			read = "`Valid` is false"
		}
		rows += fmt.Sprintf("| %s | %s | %s |\n", f.name, read, stored)
	}
	return rows
}

// describe names the value of a column that has a zero ID.
func describe(t *testing.T, column any) string {
	if b, ok := column.([]byte); ok {
		column = string(b)
	}
	switch column {
	case zeros:
		return "26 zeros"
	case ulid.ULID{}.UUIDString():
		return "a UUID of zeros"
	case string(make([]byte, 16)):
		return "16 zero bytes"
	}
	t.Errorf("a zero ID is stored as %q", column)
	return ""
}

// TestMatrices compares the tables of the page with what encoding/json and each database do.
func TestMatrices(t *testing.T) {
	const name = "docs/json.md"
	db.Each(t, func(t *testing.T, d *db.Database) {
		matrices := map[string]string{"JSON": jsonMatrix(t), "SQL": sqlMatrix(t, d)}
		text, err := page.Fill(page.Text(t, name), matrices)
		db.Check(t, err)
		page.Check(t, name, text)
	})
}

// Zero IDs that nobody notices.
func TestForgotten(t *testing.T) {
	page.Fact(t, "docs/json.md", "zero-is-true-in-templates")
	const row = "{{if .ID}}true{{end}} {{if not .ID.IsZero}}not zero{{end}}"
	var out strings.Builder
	parsed, err := template.New("").Parse(row)
	db.Check(t, err)
	db.Check(t, parsed.Execute(&out, map[string]any{"ID": UserID{}}))
	if out.String() != "true " {
		t.Errorf("a template writes %q for a zero ID", &out)
	}

	page.Fact(t, "docs/json.md", "gob-keeps-the-old-id")
	type record struct {
		ID   ulid.ULID
		Name string
	}
	var stream bytes.Buffer
	encoder, decoder := gob.NewEncoder(&stream), gob.NewDecoder(&stream)
	first, second := record{ulid.Make(), "Ada"}, record{ulid.ULID{}, "Bob"}
	db.Check(t, encoder.Encode(first))
	db.Check(t, encoder.Encode(second))
	var got record
	db.Check(t, decoder.Decode(&got))
	db.Check(t, decoder.Decode(&got))
	if got != (record{first.ID, "Bob"}) {
		t.Errorf("gob decodes %v after %v as %v", second, first, got)
	}
}

func TestNull(t *testing.T) {
	const nonzero = "CHECK (id <> '00000000000000000000000000')"
	page.Contains(t, "docs/json.md", nonzero)
	const nonzeroUUID = "CHECK (id <> '00000000-0000-0000-0000-000000000000')"
	page.Contains(t, "docs/json.md", nonzeroUUID)
	t.Run("uuid", func(t *testing.T) {
		tasks := db.PostgreSQL.Open(t, "")
		tasks.Run("CREATE TABLE tasks (id uuid " + nonzeroUUID + ")")
		tasks.Run("INSERT INTO tasks VALUES (?)", ulid.AsUUID(ulid.MakeUUIDv7()))
		if err := tasks.Try("INSERT INTO tasks VALUES (?)", ulid.AsUUID{}); err == nil {
			t.Error("the check accepts a zero ID")
		}
	})
	type task struct {
		ID       ulid.ULID
		ParentID *ulid.ULID
	}
	const insert = "INSERT INTO tasks VALUES (?, ?)"
	const stored = "SELECT count(*) FROM tasks WHERE id = ? AND (parent IS NULL) = ?"
	db.Each(t, func(t *testing.T, d *db.Database) {
		tasks := d.Open(t, "")
		// Without NOT NULL, so that the zero ID is rejected as 26 zeros and not as NULL.
		tasks.Run("CREATE TABLE tasks (id char(26) " + nonzero + ", parent char(26))")
		id := ulid.Make()
		for _, want := range []task{{ID: id}, {id, &id}} {
			tasks.Run("DELETE FROM tasks")
			tasks.Run(insert, want.ID, want.ParentID)
			// Whatever stood in the variables before.
			got := task{ulid.Make(), new(ulid.ULID)}
			err := tasks.QueryRow("SELECT id, parent FROM tasks").Scan(&got.ID, &got.ParentID)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, %v, want %+v", got, err, want)
			}
			isNull := want.ParentID == nil
			if tasks.Count(stored, want.ID.String(), isNull) != 1 {
				t.Errorf("%+v is stored as %q", want, tasks.Rows("SELECT * FROM tasks"))
			}
		}
		if err := tasks.Try(insert, ulid.ULID{}, nil); err == nil {
			t.Error("a zero ID is stored")
		}
	})
}
