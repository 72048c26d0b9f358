package gorm

import (
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/typed"
)

// listClaims are about lists and other conditions that leave more rows than the program wanted, or none.
var listClaims = []claim{
	{
		fact: "no-condition-is-refused",
		name: "Updates",
		run:  func(s *session) any { return s.rows(s.tx.Updates(&Doc{Title: "x"})) },
		want: everywhere(fails),
	},
	{
		fact: "no-condition-is-refused",
		name: "Delete",
		run:  func(s *session) any { return s.rows(s.tx.Delete(&Doc{})) },
		want: everywhere(fails),
	},
	{
		fact: "list-of-structs-deletes-all",
		name: "zero IDs",
		run:  func(s *session) any { return s.rows(s.own().Delete(&Doc{}, []structID{{}})) },
		want: everywhere(2),
	},
	{
		fact: "list-of-structs-deletes-all",
		name: "an ID",
		run: func(s *session) any {
			err := s.own().Delete(&Doc{}, []structID{{ulid.ULID(s.annsDoc())}}).Error
			return err != nil && strings.Contains(err.Error(), "ul_id")
		},
		want: everywhere(true),
	},
}

// valueClaims are about a variable that was used before.
var valueClaims = []claim{
	{
		fact: "used-variable-keeps-its-id",
		name: "its ID is a condition",
		run: func(s *session) any {
			used := s.docs[0]
			return s.rows(s.tx.First(&used, "id = ?", s.bobsDoc()))
		},
		want: everywhere(0),
	},
	{
		fact: "used-variable-keeps-its-id",
		name: "NULL leaves the old ID",
		run: func(s *session) any {
			used := s.docs[0]
			s.must(s.tx.Model(&Doc{}).Where("id = ?", used.ID).Update("editor_id", nil))
			s.must(s.tx.First(&used))
			return *used.EditorID == s.bob.ID
		},
		want: everywhere(true),
	},
}

// A Text has an ID in a column of text.
type Text struct{ Row[textKind] }
type textKind struct{ typed.TextColumn }

// TestNumbers compares IDs of a TextColumn with a number, as after a change from integer keys.
func TestNumbers(t *testing.T) {
	fact(t, "number-equals-nearly-every-id")
	for _, d := range []*db.Database{db.MariaDB, db.MySQL} {
		t.Run(d.Name, func(t *testing.T) {
			g := open(t, d.Open(t, ""))
			db.Check(t, g.AutoMigrate(&Text{}))
			db.Check(t, g.Create([]*Text{{}, {}, {}}).Error)
			for _, conditions := range [][]any{{1}, {"id = ?", 1}} {
				if found := g.First(&Text{}, conditions...); found.Error != nil {
					t.Errorf("First by %v: %v; the page says that it finds a row", conditions, found.Error)
				}
			}
			db.Check(t, g.Exec("SET sql_mode = ''").Error) // MySQL refuses to delete in a strict session
			if n := g.Delete(&Text{}, 1).RowsAffected; n != 3 {
				t.Errorf("Delete by 1 deletes %d rows, and the page says all", n)
			}
		})
	}
}
