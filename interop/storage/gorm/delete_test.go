package gorm

import (
	"errors"
	"fmt"
	"testing"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/seed-961d0905/ulid/interop/db"
)

// deleteClaims hold with soft delete and without.
var deleteClaims = []claim{
	{
		name: "deleteUser",
		fact: "delete-children-first",
		run: func(s *session) any {
			db.Check(s.t, deleteUser(s.tx, s.ann.ID))
			return s.left() + " of " + s.users()
		},
		want: "b of bob",
	},
	{
		name: "deleteUser of an editor",
		fact: "delete-children-first",
		run: func(s *session) any {
			db.Check(s.t, deleteUser(s.tx, s.bob.ID))
			return fmt.Sprint(s.left(), " of ", s.users(), s.rows(s.tx.Find(&[]Doc{}, "editor_id IS NULL")))
		},
		want: "ac of ann2",
	},
	{
		name: "deleteUser, zero",
		fact: "delete-children-first",
		run: func(s *session) any {
			err := deleteUser(s.tx, UserID{})
			return errors.Is(err, gorm.ErrRecordNotFound) && s.left()+s.users() == "abcannbob"
		},
		want: true,
	},
	{
		name: "Select deletes documents of a user whom the condition excludes",
		fact: "select-ignores-the-condition",
		run: func(s *session) any {
			u := User{Row: Row[user]{ID: s.bob.ID}}
			s.must(s.tx.Where("email = ?", "ann").Select("Docs").Delete(&u))
			return s.left() + " of " + s.users()
		},
		want: "ac of annbob",
	},
}

// TestDeleteUserRollsBack lets the last statement of deleteUser fail, with no transaction around it. SQLite's pool has
// several connections, so that a statement beside the transaction does not wait for it.
func TestDeleteUserRollsBack(t *testing.T) {
	f := newFixture(t, db.SQLite)
	refused := errors.New("refused")
	db.Check(t, f.Callback().Delete().Before("*").Register("test:refuse", func(tx *gorm.DB) {
		if tx.Statement.Table == "users" {
			tx.AddError(refused)
		}
	}))
	if err := deleteUser(f.DB, f.ann.ID); !errors.Is(err, refused) {
		t.Errorf("deleteUser gives %v, want %v", err, refused)
	}
	if left := f.session(t).left(); left != "abc" {
		t.Errorf("the documents %q are left, want abc", left)
	}
}

// TestOwnOutsideTransaction runs a statement of own, which belongs to the pool, in a transaction that is rolled back.
func TestOwnOutsideTransaction(t *testing.T) {
	fact(t, "own-is-outside-of-transactions")
	f := newFixture(t, db.SQLite)
	own := f.Where("owner_id = ?", f.ann.ID).Session(&gorm.Session{})
	refused := errors.New("refused")
	err := f.Transaction(func(*gorm.DB) error {
		db.Check(t, own.Delete(&Doc{}, "id = ?", f.docs[0].ID).Error)
		return refused
	})
	if !errors.Is(err, refused) {
		t.Fatal(err)
	}
	if left := f.session(t).left(); left != "bc" {
		t.Errorf("the documents %q are left, want bc", left)
	}
}

// users returns the emails of the users.
func (s *session) users() (emails string) {
	var users []User
	s.must(s.tx.Order("id").Find(&users))
	for _, u := range users {
		emails += u.Email
	}
	return emails
}

// hardClaims hold without soft delete.
var hardClaims = []claim{
	{
		name: "Select does nothing with a condition, and the foreign key refuses",
		fact: "select-needs-the-row",
		run:  func(s *session) any { return s.rows(s.tx.Select("Docs").Delete(&User{}, "id = ?", s.ann.ID)) },
		want: fails,
	},
}

// softClaims hold with soft delete.
var softClaims = []claim{
	{
		name: "Select does nothing with a condition, and the documents stay",
		fact: "select-needs-the-row",
		run: func(s *session) any {
			s.must(s.tx.Select("Docs").Delete(&User{}, "id = ?", s.ann.ID))
			return s.left() + " of " + s.users()
		},
		want: "abc of bob",
	},
	{
		name: "all associations",
		fact: "select-needs-the-row",
		run: func(s *session) any {
			s.must(s.tx.Select(clause.Associations).Delete(&User{}, "id = ?", s.ann.ID))
			return s.left() + " of " + s.users()
		},
		want: "abc of bob",
	},
	{
		name: "deleteUser only sets deleted_at",
		run: func(s *session) any {
			db.Check(s.t, deleteUser(s.tx, s.ann.ID))
			return s.rows(s.tx.Unscoped().Find(&[]Doc{}, "owner_id = ? AND deleted_at IS NOT NULL", s.ann.ID))
		},
		want: 2,
	},
	{
		name: "deleteUser of a user who is not there leaves the documents",
		run: func(s *session) any {
			s.must(s.tx.Delete(&User{}, "id = ?", s.ann.ID))
			err := deleteUser(s.tx, s.ann.ID)
			return errors.Is(err, gorm.ErrRecordNotFound) && s.left() == "abc"
		},
		want: true,
	},
	{
		name: "upsertUser of a user who is deleted",
		fact: "soft-deleted-stays-deleted",
		run: func(s *session) any {
			s.must(s.tx.Delete(&User{}, "id = ?", s.ann.ID))
			_, err := upsertUser(s.tx, "ann")
			return errors.Is(err, gorm.ErrRecordNotFound)
		},
		want: true,
	},
	{
		name: "DoUpdates without deleted_at",
		fact: "soft-deleted-stays-deleted",
		run:  func(s *session) any { return s.upsertDeleted(doUpdates) },
		want: "deleted",
	},
	{
		name: "DoUpdates of deleted_at",
		fact: "soft-deleted-stays-deleted",
		run: func(s *session) any {
			return s.upsertDeleted(clause.OnConflict{
				Columns: byEmail, DoUpdates: clause.AssignmentColumns([]string{"deleted_at"}),
			})
		},
		want: "there, with its ID",
	},
	{
		name: "UpdateAll",
		fact: "soft-deleted-stays-deleted",
		run:  func(s *session) any { return s.upsertDeleted(updateAll) },
		want: "there, with its ID",
	},
}

// upsertDeleted says what an upsert makes of a user who was deleted.
func (s *session) upsertDeleted(onConflict clause.OnConflict) any {
	s.must(s.tx.Delete(&User{}, "id = ?", s.ann.ID))
	s.must(s.tx.Clauses(onConflict).Create(&User{Email: "ann"}))
	var found User
	switch {
	case s.rows(s.tx.First(&found, "email = ?", "ann")) == 0:
		return "deleted"
	case found.ID != s.ann.ID:
		return "there, with another ID"
	}
	return "there, with its ID"
}
