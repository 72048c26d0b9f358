package guides

import (
	"errors"
	"fmt"
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
	fmt.Println(ulid.ParseUUID("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"))
	// Output:
	// 017f22e2-79b0-7cc3-98c4-dc0c0c07398f
	// 01FWHE4YDGFK1SHH6W1G60EECF <nil>
}

// page: end

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
