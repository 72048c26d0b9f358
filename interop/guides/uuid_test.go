package guides

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
	"gorm.io/driver/mysql"
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

// TestPublicID reads an ID of a request in both formats, and writes it as 36 characters wherever a program may.
func TestPublicID(t *testing.T) {
	id := ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")
	const want = "01563df3-6481-d676-4c61-efb99302bd5b"
	type body struct{ ID PublicID }
	for _, text := range []string{id.String(), strings.ToLower(id.String()), want, strings.ToUpper(want)} {
		var b body
		if err := json.Unmarshal([]byte(`{"ID":"`+text+`"}`), &b); err != nil || b.ID != PublicID(id) {
			t.Errorf("%s is read as %v, %v", text, b.ID, err)
		}
	}
	for _, text := range []string{
		"", id.String()[1:], want[1:], strings.Repeat("U", 26), strings.Repeat("U", 36),
	} {
		b := body{PublicID(id)}
		if err := json.Unmarshal([]byte(`{"ID":"`+text+`"}`), &b); err == nil || b.ID != PublicID(id) {
			t.Errorf("%q is read as %v, %v", text, b.ID, err)
		}
	}

	public := PublicID(id)
	inJSON, err := json.Marshal(map[PublicID]any{public: &public})
	db.Check(t, err)
	var lines bytes.Buffer
	slog.New(slog.NewTextHandler(&lines, nil)).Info("", "id", public)
	slog.New(slog.NewJSONHandler(&lines, nil)).Info("", "id", public)
	value, err := public.Value()
	db.Check(t, err)
	for text, n := range map[string]int{string(inJSON): 2, lines.String(): 2, fmt.Sprint(public, value): 2} {
		if strings.Count(text, want) != n {
			t.Errorf("%q has not %d times %s", text, n, want)
		}
	}

	for _, stored := range []any{want, []byte(want), strings.ToUpper(want)} {
		var read PublicID
		if err := read.Scan(stored); err != nil || read != public {
			t.Errorf("%q is read as %v, %v", stored, read, err)
		}
	}
	for _, stored := range []any{id.String(), id[:], strings.ReplaceAll(want, "-", "")} { // rows that = would miss
		var read PublicID
		if err := read.Scan(stored); err == nil {
			t.Errorf("%q is read as %v", stored, read)
		}
	}
}

// TestPublicIDInGorm passes the ID of a request to gorm, which takes an array without Value for numbers: one that no
// row has then found a row, and deleted all of them.
func TestPublicIDInGorm(t *testing.T) {
	type Doc struct {
		ID    ulid.AsUUID `gorm:"type:char(36);not null"`
		Title string
	}
	db.Each(t, []*db.Database{db.MariaDB, db.MySQL}, func(t *testing.T, d *db.Database) {
		conn := d.Open(t, "")
		g, err := gorm.Open(mysql.New(mysql.Config{Conn: conn.DB.DB}), &gorm.Config{Logger: logger.Discard})
		db.Check(t, err)
		db.Check(t, g.AutoMigrate(&Doc{}))
		docs := make([]Doc, 5)
		for n := range docs {
			docs[n] = Doc{ulid.AsUUID(ulid.Make()), fmt.Sprint(n)}
		}
		db.Check(t, g.Create(&docs).Error)

		missing, there := PublicID(ulid.Make()), PublicID(docs[2].ID)
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
