package guides

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// page: conversions

func Example_conversions() {
	id := ulid.MustParse("01FWHE4YDGFK1SHH6W1G60EECF")
	u := uuid.UUID(id) // of google/uuid, gofrs/uuid or Go 1.27
	id = ulid.ULID(u)
	p := pgtype.UUID{Bytes: id, Valid: true}
	id = ulid.ULID(p.Bytes) // if p.Valid

	fmt.Println(id.UUIDString())
	fmt.Println(ulid.ULID(ulid.MustParseUUID("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")))
	// Output:
	// 017f22e2-79b0-7cc3-98c4-dc0c0c07398f
	// 01FWHE4YDGFK1SHH6W1G60EECF
}

// page: end

// TestFromGoogle compares a ulid.UUID with the uuid.UUID that it replaces. It writes the same, and refuses what the
// page says, in bodies and in rows.
func TestFromGoogle(t *testing.T) {
	id := ulid.UUID(ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV"))
	text := id.String()
	type ours struct {
		ID     ulid.UUID
		Parent *ulid.UUID
		Null   *ulid.UUID
	}
	type theirs struct {
		ID     uuid.UUID
		Parent uuid.NullUUID
		Null   uuid.NullUUID
	}
	got, err := json.Marshal(ours{ID: id, Parent: &id})
	want, wantErr := json.Marshal(theirs{ID: uuid.UUID(id), Parent: uuid.NullUUID{UUID: uuid.UUID(id), Valid: true}})
	if err != nil || wantErr != nil || string(got) != string(want) {
		t.Errorf("in JSON %s, %v, want %s, %v", got, err, want, wantErr)
	}
	inValue, _ := id.Value()
	if want, err := uuid.UUID(id).Value(); inValue != want || err != nil {
		t.Errorf("in SQL %v, want %v, %v", inValue, want, err)
	}
	for form, reads := range map[string]bool{
		text: true, strings.ToUpper(text): true,
		"urn:uuid:" + text: false, "{" + text + "}": false, strings.ReplaceAll(text, "-", ""): false,
	} {
		google, own := uuid.Nil, ulid.UUID{}
		if err := google.UnmarshalText([]byte(form)); err != nil || google != uuid.UUID(id) {
			t.Errorf("google/uuid reads %s as %v, %v", form, google, err)
		}
		if err := own.UnmarshalText([]byte(form)); (err == nil) != reads || errors.Is(err, ulid.ErrSyntax) == reads {
			t.Errorf("%s is read as %v, %v", form, own, err)
		}
		if err := own.Scan(form); (err == nil) != reads || errors.Is(err, ulid.ErrSyntax) {
			t.Errorf("a row %s is read as %v, %v", form, own, err)
		}
	}
	for _, row := range []any{"", []byte{}, id[:]} {
		if err := new(uuid.UUID).Scan(row); err != nil {
			t.Errorf("google/uuid reads a row %q with the error %v", row, err)
		}
		if err := new(ulid.UUID).Scan(row); err == nil {
			t.Errorf("a row %q is read", row)
		}
	}
	google, own := uuid.UUID(id), id
	if google.Scan(nil) != nil || own.Scan(nil) == nil || google != uuid.UUID(id) || own != id {
		t.Errorf("NULL is read as %v and %v, want the old values, and an error of ours", google, own)
	}
}

// TestUUIDInGorm passes an ID to gorm, which takes an array without Value for numbers: one that no row has then found a
// row, and deleted all of them.
func TestUUIDInGorm(t *testing.T) {
	testInGorm[ulid.AsUUID](t)
	testInGorm[ulid.UUID](t)
}

func testInGorm[ID ~[16]byte](t *testing.T) {
	type Doc struct {
		ID     ID  `gorm:"type:char(36);not null"`
		Parent *ID `gorm:"type:char(36)"`
		Title  string
	}
	db.Each(t, []*db.Database{db.MariaDB, db.MySQL, db.PostgreSQL}, func(t *testing.T, d *db.Database) {
		conn := d.Open(t, "")
		dialector := mysql.New(mysql.Config{Conn: conn.DB.DB})
		if d == db.PostgreSQL {
			dialector = postgres.New(postgres.Config{Conn: conn.DB.DB})
			conn.Run(`CREATE TABLE docs (id uuid PRIMARY KEY, parent uuid, title text)`)
		}
		g, err := gorm.Open(dialector, &gorm.Config{Logger: logger.Discard})
		db.Check(t, err)
		g = g.Table("docs").Session(&gorm.Session{})
		if d != db.PostgreSQL {
			db.Check(t, g.AutoMigrate(&Doc{}))
		}
		ids := make([]ID, 6)
		ulid.Fill(ids)
		var docs []Doc
		for n, id := range ids[:5] {
			docs = append(docs, Doc{ID: id, Title: fmt.Sprint(n)})
		}
		docs[4].Parent = &ids[0]
		db.Check(t, g.Create(&docs).Error)

		missing, there := ids[5], ids[2]
		var doc Doc
		if err := g.First(&doc, missing).Error; !errors.Is(err, gorm.ErrRecordNotFound) {
			t.Errorf("by an ID that no row has, First finds %v, %v", doc, err)
		}
		for _, g := range []*gorm.DB{g.Delete(&Doc{}, missing), g.Where("id = ?", missing).Delete(&Doc{})} {
			if g.Error != nil || g.RowsAffected != 0 {
				t.Errorf("by an ID that no row has, %d rows are deleted, %v", g.RowsAffected, g.Error)
			}
		}
		if err := g.First(&doc, there).Error; err != nil || doc != docs[2] {
			t.Errorf("First finds %v, %v, want %v", doc, err, docs[2])
		}
		db.Check(t, g.Delete(&Doc{}, there).Error)
		if n := conn.Count(`SELECT count(*) FROM docs WHERE id <> ?`, there); n != len(docs)-1 {
			t.Errorf("%d rows are left, want %d", n, len(docs)-1)
		}
	})
}
