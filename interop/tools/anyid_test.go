package tools

import (
	"testing"

	"gorm.io/gorm"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/storage"
)

// An item has IDs of a column that holds several formats.
type item struct {
	ID     storage.AnyID
	Parent *storage.AnyID
	N      int
}

// TestGormAnyID passes an AnyID to gorm, as a condition and in a model. gorm refuses it, so no row is found, changed or
// deleted: neither by its 16 bytes as numbers nor by IS NULL.
func TestGormAnyID(t *testing.T) {
	id := storage.AnyID(ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")) // which no row has
	list := []storage.AnyID{id, id}
	parent, inList := map[string]any{"parent": id}, map[string]any{"id": list}
	statements := map[string]func(g *gorm.DB) *gorm.DB{
		"First of an ID":          func(g *gorm.DB) *gorm.DB { return g.First(&item{}, id) },
		"First of a model":        func(g *gorm.DB) *gorm.DB { return g.First(&item{ID: id}) },
		"Delete of an ID":         func(g *gorm.DB) *gorm.DB { return g.Delete(&item{}, id) },
		"Delete of a pointer":     func(g *gorm.DB) *gorm.DB { return g.Delete(&item{}, &id) },
		"Delete of a list":        func(g *gorm.DB) *gorm.DB { return g.Delete(&item{}, list) },
		"Delete of a model":       func(g *gorm.DB) *gorm.DB { return g.Delete(&item{ID: id}) },
		"Delete by =":             func(g *gorm.DB) *gorm.DB { return g.Delete(&item{}, "id = ?", id) },
		"Delete by <>":            func(g *gorm.DB) *gorm.DB { return g.Delete(&item{}, "id <> ?", id) },
		"Delete by IN":            func(g *gorm.DB) *gorm.DB { return g.Delete(&item{}, "id IN ?", list) },
		"Delete by Where":         func(g *gorm.DB) *gorm.DB { return g.Where(id).Delete(&item{}) },
		"Delete by a map":         func(g *gorm.DB) *gorm.DB { return g.Where(parent).Delete(&item{}) },
		"Delete by a map's list":  func(g *gorm.DB) *gorm.DB { return g.Where(inList).Delete(&item{}) },
		"Delete by another model": func(g *gorm.DB) *gorm.DB { return g.Where(&item{Parent: &id}).Delete(&item{}) },
		"Update":                  func(g *gorm.DB) *gorm.DB { return g.Model(&item{ID: id}).Update("n", 1) },
		"Save":                    func(g *gorm.DB) *gorm.DB { return g.Save(&item{ID: id, N: 1}) },
	}
	db.Each(t, db.All, func(t *testing.T, d *db.Database) {
		conn := d.Open(t, "")
		conn.Run(`CREATE TABLE items (id char(26) PRIMARY KEY, parent char(26), n int)`)
		for range 20 {
			conn.Run(`INSERT INTO items VALUES (?, NULL, 0)`, ulid.Make())
		}
		g := openGorm(t, conn)
		for name, statement := range statements {
			if result := statement(g); result.Error == nil || result.RowsAffected > 0 {
				t.Errorf("%s: %v, with %d rows", name, result.Error, result.RowsAffected)
			}
			if n := conn.Count(`SELECT count(*) FROM items WHERE n = 0`); n != 20 {
				t.Fatalf("%s leaves %d of 20 rows", name, n)
			}
		}
		var all []item
		if err := g.Find(&all).Error; err != nil || len(all) != 20 {
			t.Errorf("%d rows are read, %v, want 20", len(all), err)
		}
	})
}
