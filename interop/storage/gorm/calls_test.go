package gorm

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// A line is a call of the page, with the number of rows that it concerns. Ann owns two documents and Bob one.
type line struct {
	code, says string
	run        func(*session) *gorm.DB
	want       int
}

// wrongLines and rightLines are the lines below "Wrong" and "Right".
var wrongLines = []line{
	{`own.Delete(&Doc{}, s)`, `s is "": deletes all of the owner's`,
		func(s *session) *gorm.DB { return s.own().Delete(&Doc{}, "") }, 2},
	{`own.Delete(&Doc{}, s)`, `s is "1=1) OR (1=1": deletes everybody's`,
		func(s *session) *gorm.DB { return s.own().Delete(&Doc{}, "1=1) OR (1=1") }, 3},
	{`own.Delete(&d)`, `d.ID is zero: deletes all of the owner's`,
		func(s *session) *gorm.DB { return s.own().Delete(&Doc{}) }, 2},
	{`own.Updates(&d)`, `d.ID is zero: changes all of the owner's`,
		func(s *session) *gorm.DB { return s.own().Updates(&Doc{Title: "x"}) }, 2},
	{`own.Delete(&docs)`, `all their IDs are zero: deletes all of the owner's`,
		func(s *session) *gorm.DB { return s.own().Delete(&[]Doc{{}, {}}) }, 2},
	{`own.Delete(&Doc{}, ids)`, `ids is empty: deletes all of the owner's`,
		func(s *session) *gorm.DB { return s.own().Delete(&Doc{}, []DocID{}) }, 2},
	{`own.Not(ids).Delete(&Doc{})`, `ids is empty: deletes all of the owner's`,
		func(s *session) *gorm.DB { return s.own().Not([]DocID{}).Delete(&Doc{}) }, 2},
	{`gorm.G[Doc](own).Where("id = ?", id).Delete(ctx)`, `forgets own: deletes anybody's`,
		func(s *session) *gorm.DB {
			return generic(gorm.G[Doc](s.own()).Where("id = ?", s.bobsDoc()).Delete(s.t.Context()))
		}, 1},
	{`db.Find(&docs, Doc{EditorID: p})`, `p is nil: finds every document`,
		func(s *session) *gorm.DB { return s.tx.Find(&[]Doc{}, Doc{EditorID: nil}) }, 3},
	{`db.Limit(n).Find(&docs)`, `n is -1: finds every document`,
		func(s *session) *gorm.DB { return s.tx.Limit(-1).Find(&[]Doc{}) }, 3},
	{`db.Where(User{Email: s}).FirstOrCreate(&u)`, `s is "": finds the first user`,
		func(s *session) *gorm.DB {
			var u User
			found := s.tx.Where(User{Email: ""}).FirstOrCreate(&u)
			if u.ID != s.ann.ID && u.ID != s.bob.ID {
				s.t.Errorf("FirstOrCreate found %+v", u)
			}
			return &gorm.DB{RowsAffected: 1, Error: found.Error}
		}, 1},
}

var rightLines = []line{
	{`own.Delete(&Doc{}, "id = ?", id)`, `a zero ID deletes nothing`,
		func(s *session) *gorm.DB { return s.own().Delete(&Doc{}, "id = ?", DocID{}) }, 0},
	{`own.Delete(&Doc{}, "id IN ?", ids)`, `an empty list deletes nothing`,
		func(s *session) *gorm.DB { return s.own().Delete(&Doc{}, "id IN ?", []DocID{}) }, 0},
	{`own.Delete(&Doc{}, "id NOT IN ?", ids)`, `an empty list deletes nothing`,
		func(s *session) *gorm.DB { return s.own().Delete(&Doc{}, "id NOT IN ?", []DocID{}) }, 0},
	{`own.Model(&Doc{}).Where("id = ?", id).Update("title", s)`, `a zero ID changes nothing`,
		func(s *session) *gorm.DB { return s.own().Model(&Doc{}).Where("id = ?", DocID{}).Update("title", "x") }, 0},
	{`db.Find(&docs, "editor_id = ?", p)`, `nil finds nothing; for NULL write "editor_id IS NULL"`,
		func(s *session) *gorm.DB { return s.tx.Find(&[]Doc{}, "editor_id = ?", (*UserID)(nil)) }, 0},
	{`gorm.G[Doc](db).Where("owner_id = ? AND id = ?", owner, id).Delete(ctx)`, `deletes nothing of others`,
		func(s *session) *gorm.DB {
			const where = "owner_id = ? AND id = ?"
			return generic(gorm.G[Doc](s.tx).Where(where, s.ann.ID, s.bobsDoc()).Delete(s.t.Context()))
		}, 0},
}

// rightWithIDs are the calls of rightLines that have an ID or a list, with one that is there.
var rightWithIDs = map[string]func(*session) *gorm.DB{
	`"id = ?"`:  func(s *session) *gorm.DB { return s.own().Delete(&Doc{}, "id = ?", s.annsDoc()) },
	`"id IN ?"`: func(s *session) *gorm.DB { return s.own().Delete(&Doc{}, "id IN ?", []DocID{s.annsDoc(), s.bobsDoc()}) },
	`"id NOT IN ?"`: func(s *session) *gorm.DB {
		return s.own().Delete(&Doc{}, "id NOT IN ?", []DocID{s.annsDoc()})
	},
	"editor_id": func(s *session) *gorm.DB { return s.tx.Find(&[]Doc{}, "editor_id = ?", &s.bob.ID) },
}

// TestLines makes the calls below "Wrong" and "Right", and finds them on the page in this order.
func TestLines(t *testing.T) {
	for block, lines := range map[string][]line{"wrong": wrongLines, "right": rightLines} {
		var want string
		for _, l := range lines {
			want += l.code + " // " + l.says + "\n"
		}
		spaces := regexp.MustCompile(` +//`)
		got := spaces.ReplaceAllString(page.Code(t, gormPage, block), " //")
		if _, got, _ = strings.Cut(got, "\n\n"); got != want {
			t.Errorf("the page has, below its first lines,\n%swant\n%s", got, want)
		}
	}
	fact(t, "generics-forget-the-condition")
	fact(t, "first-or-create-empty")
	db.Each(t, func(t *testing.T, d *db.Database) {
		f := newFixture(t, d)
		for _, l := range append(wrongLines, rightLines...) {
			t.Run(l.code+", "+l.says, func(t *testing.T) {
				s := f.session(t)
				if got := s.rows(l.run(s)); got != l.want {
					t.Errorf("concerns %v rows, want %d; the last error is %v", got, l.want, s.failed)
				}
			})
		}
		for name, run := range rightWithIDs {
			t.Run("right, "+name, func(t *testing.T) {
				s := f.session(t)
				if got := s.rows(run(s)); got != 1 {
					t.Errorf("concerns %v rows, want 1; the last error is %v", got, s.failed)
				}
			})
		}
	})
}

// TestOwnIsASession shows why own ends in Session: else it keeps the conditions of the statement before.
func TestOwnIsASession(t *testing.T) {
	page.Contains(t, gormPage, `own := db.Where("owner_id = ?", owner).Session(&gorm.Session{})`)
	db.Each(t, func(t *testing.T, d *db.Database) {
		f := newFixture(t, d)
		for own, want := range map[*gorm.DB]int{
			f.Where("owner_id = ?", f.ann.ID):                          0,
			f.Where("owner_id = ?", f.ann.ID).Session(&gorm.Session{}): 1,
		} {
			for _, at := range []int{0, 2} {
				got := own.Find(&[]Doc{}, "id = ?", f.docs[at].ID).RowsAffected
				if at == 2 && int(got) != want {
					t.Errorf("the second query finds %d rows, want %d", got, want)
				}
			}
		}
	})
}

// TestDeleteUser deletes Ann with the documents that refer to her, in tables with foreign keys. With soft delete, a
// condition in place of a user leaves the associations.
func TestDeleteUser(t *testing.T) {
	fact(t, "condition-leaves-associations")
	db.Each(t, func(t *testing.T, d *db.Database) {
		f := newFixture(t, d)
		s := f.session(t)
		if err := deleteUser(s.tx, UserID{}); !errors.Is(err, gorm.ErrRecordNotFound) {
			t.Errorf("deleteUser of nobody gives %v", err)
		}
		db.Check(t, deleteUser(s.tx, f.ann.ID))
		docs, users := s.rows(s.tx.Find(&[]Doc{})), s.rows(s.tx.Find(&[]User{}))
		if docs != 1 || users != 1 {
			t.Errorf("%v documents and %v users are left, want Bob and his document", docs, users)
		}
		s.tx.Rollback()

		s = f.session(t)
		a := Author{Notes: []Note{{Name: "one"}, {Name: "two"}}}
		s.must(s.tx.Create(&a))
		s.must(s.tx.Select(clause.Associations).Delete(&Author{}, "id = ?", a.ID))
		if n := s.rows(s.tx.Find(&[]Note{}, "author_id = ?", a.ID)); n != 2 {
			t.Errorf("%v notes are left, and the page says all", n)
		}
		s.tx.Rollback()

		fact(t, "select-ignores-the-condition")
		s = f.session(t)
		a = Author{Notes: []Note{{Name: "one"}, {Name: "two"}}}
		s.must(s.tx.Create(&a))
		excluded := s.rows(s.tx.Where("id <> ?", a.ID).Select("Notes").Delete(&Author{Row: a.Row}))
		if n := s.rows(s.tx.Find(&[]Note{}, "author_id = ?", a.ID)); excluded != 0 || n != 0 {
			t.Errorf("%v authors are deleted, and %v notes are left", excluded, n)
		}
	})
}
