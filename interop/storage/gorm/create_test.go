package gorm

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/glebarez/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/typed"
)

// hookClaims are about what AutoMigrate and Create do.
var hookClaims = []claim{
	{
		fact: "auto-migrate-makes-foreign-keys",
		run:  func(s *session) any { return s.rows(s.tx.Create(&Doc{OwnerID: nobody})) },
		want: everywhere(fails),
	},
	{
		fact: "skip-hooks-stores-zero-id",
		run: func(s *session) any {
			s.must(s.tx.Session(&gorm.Session{SkipHooks: true}).Create(&Doc{OwnerID: s.ann.ID}))
			return s.docsWith(DocID{})
		},
		want: everywhere(1),
	},
	{
		fact: "own-hook-hides-base",
		run: func(s *session) any {
			s.must(s.tx.Table("docs").Create(&Hidden{Doc{OwnerID: s.ann.ID}}))
			return s.docsWith(DocID{})
		},
		want: everywhere(1),
	},
	{
		fact: "two-hooks-store-zero-id",
		run: func(s *session) any {
			s.must(s.tx.Create(&Twice{}))
			return s.rows(s.tx.Find(&[]Twice{}, "id = ?", typed.ID[twice]{}))
		},
		want: everywhere(1),
	},
	{
		fact: "gorm-model-takes-key",
		name: "the integer is the key",
		run: func(s *session) any {
			one, _ := s.createFirst()
			return s.rows(s.tx.Find(&[]First{}, "id = ?", one.Model.ID))
		},
		want: everywhere(1),
	},
	{
		fact: "gorm-model-takes-key",
		name: "the struct has an ID",
		run: func(s *session) any {
			one, _ := s.createFirst()
			return !one.Row.ID.IsZero()
		},
		want: everywhere(true),
	},
	{
		fact: "gorm-model-takes-key",
		name: "the row has no ID",
		run: func(s *session) any {
			_, found := s.createFirst()
			return found.Row.ID.IsZero()
		},
		want: everywhere(true),
	},
}

// nobody is the ID of no user.
var nobody = UserID(ulid.Make())

// createFirst returns a new row as it was created, and as it is found.
func (s *session) createFirst() (one, found First) {
	s.must(s.tx.Create(&one))
	s.must(s.tx.First(&found))
	return one, found
}

// The upserts of the page.
var (
	byEmail   = []clause.Column{{Name: "email"}}
	doUpdates = clause.OnConflict{Columns: byEmail, DoUpdates: clause.AssignmentColumns([]string{"email"})}
	updateAll = clause.OnConflict{Columns: byEmail, UpdateAll: true}
	doNothing = clause.OnConflict{DoNothing: true}
)

// An upserted says how many users the slice has after an upsert of two, and how many of them have the ID of their row.
type upserted struct{ users, right int }

// upsert inserts Ann, who is there, and a new user.
func (s *session) upsert(clauses ...clause.Expression) upserted {
	users := []User{{Email: "ann"}, {Email: "new"}}
	s.must(s.tx.Clauses(clauses...).Create(&users))
	result := upserted{users: len(users)}
	for _, u := range users {
		if s.rows(s.tx.Find(&[]User{}, "email = ? AND id = ?", u.Email, u.ID)) == 1 {
			result.right++
		}
	}
	return result
}

// idOfStruct counts the rows that have the ID in the struct after an upsert of Ann, who is there, with Returning.
func (s *session) idOfStruct(onConflict clause.OnConflict) any {
	u := User{Email: "ann"}
	s.must(s.tx.Clauses(onConflict, clause.Returning{}).Create(&u))
	return s.rows(s.tx.Find(&[]User{}, "email = ? AND id = ?", u.Email, u.ID))
}

// annKeepsID reports whether Ann has her ID after an upsert.
func (s *session) annKeepsID(onConflict clause.OnConflict) any {
	s.upsert(onConflict)
	var fresh User
	s.must(s.tx.First(&fresh, "email = ?", "ann"))
	return fresh.ID == s.ann.ID
}

var upsertClaims = []claim{
	{
		fact: "returning-leaves-wrong-id",
		name: "UpdateAll",
		run:  func(s *session) any { return s.idOfStruct(updateAll) },
		want: results{db.SQLite: 1, db.PostgreSQL: 1, db.MariaDB: 1, db.MySQL: 0},
	},
	{
		fact: "returning-leaves-wrong-id",
		name: "DoNothing",
		run:  func(s *session) any { return s.idOfStruct(doNothing) },
		want: results{db.SQLite: 0, db.PostgreSQL: 0, db.MariaDB: 1, db.MySQL: 0},
	},
	{
		fact: "soft-deleted-stays-deleted",
		name: "a row that is deleted",
		run: func(s *session) any {
			return s.upsertDeleted(clause.OnConflict{DoNothing: true})
		},
		want: everywhere("not found"),
	},
	{
		fact: "upsert-leaves-wrong-id-in-struct",
		name: "DoUpdates",
		run:  func(s *session) any { return s.upsert(doUpdates) },
		want: everywhere(upserted{users: 2, right: 1}),
	},
	{
		fact: "upsert-leaves-wrong-id-in-struct",
		name: "UpdateAll",
		run:  func(s *session) any { return s.upsert(updateAll) },
		want: everywhere(upserted{users: 2, right: 1}),
	},
	{
		fact: "upsert-leaves-wrong-id-in-struct",
		name: "DoNothing",
		run:  func(s *session) any { return s.upsert(doNothing) },
		want: everywhere(upserted{users: 2, right: 1}),
	},
	{
		fact: "upsert-leaves-wrong-id-in-struct",
		name: "DoUpdates leaves the ID of the row",
		run:  func(s *session) any { return s.annKeepsID(doUpdates) },
		want: everywhere(true),
	},
	{
		fact: "upsert-leaves-wrong-id-in-struct",
		name: "UpdateAll leaves the ID of the row",
		run:  func(s *session) any { return s.annKeepsID(updateAll) },
		want: everywhere(true),
	},
	{
		fact: "upsert-leaves-wrong-id-in-struct",
		name: "DoNothing leaves the ID of the row",
		run:  func(s *session) any { return s.annKeepsID(doNothing) },
		want: everywhere(true),
	},
	{
		fact: "soft-deleted-stays-deleted",
		name: "DoUpdates without deleted_at",
		run: func(s *session) any {
			return s.upsertDeleted(clause.OnConflict{DoUpdates: clause.AssignmentColumns([]string{"created_at"})})
		},
		want: everywhere("not found"),
	},
	{
		fact: "soft-deleted-stays-deleted",
		name: "DoUpdates of deleted_at",
		run: func(s *session) any {
			return s.upsertDeleted(clause.OnConflict{DoUpdates: clause.AssignmentColumns([]string{"deleted_at"})})
		},
		want: everywhere("found with its old ID"),
	},
	{
		fact: "soft-deleted-stays-deleted",
		name: "UpdateAll",
		run:  func(s *session) any { return s.upsertDeleted(clause.OnConflict{UpdateAll: true}) },
		want: everywhere("found with its old ID"),
	},
	{
		fact: "association-upsert",
		name: "with a foreign key",
		run:  func(s *session) any { return s.rows(s.tx.Create(&Doc{Owner: &User{Email: "ann"}})) },
		want: everywhere(fails),
	},
	{
		fact: "association-upsert",
		name: "without a foreign key the owner is in no row",
		run: func(s *session) any {
			o := Ownerless{Owner: &User{Email: "ann"}}
			s.must(s.tx.Create(&o))
			return s.rows(s.tx.Find(&[]User{}, "id = ?", o.OwnerID))
		},
		want: everywhere(0),
	},
}

// upsertDeleted creates a row, deletes it softly, and says what an upsert makes of it.
func (s *session) upsertDeleted(set clause.OnConflict) any {
	set.Columns = []clause.Column{{Name: "name"}}
	old := Note{Name: "old"}
	s.must(s.tx.Create(&old))
	s.must(s.tx.Delete(&Note{}, "name = ?", "old"))
	s.must(s.tx.Clauses(set).Create(&Note{Name: "old"}))
	var found Note
	switch {
	case s.rows(s.tx.First(&found, "name = ?", "old")) == 0:
		return "not found"
	case found.ID != old.ID:
		return "found with another ID"
	}
	return "found with its old ID"
}

// withBobsID returns a document of Ann with the ID of one of Bob, as a request may have it.
func (s *session) withBobsID() *Doc {
	theirs := Doc{OwnerID: s.ann.ID}
	theirs.ID = s.bobsDoc()
	return &theirs
}

// takenOver counts the documents of Ann that have the ID of the one of Bob.
func (s *session) takenOver() any { return s.rows(s.own().Find(&[]Doc{}, "id = ?", s.bobsDoc())) }

// decode decodes JSON, in which %s stands for IDs, as a handler decodes a request.
func (s *session) decode(into any, format string, ids ...any) {
	s.t.Helper()
	db.Check(s.t, json.Unmarshal(fmt.Appendf(nil, format, ids...), into))
}

// first returns the document of Ann, as a handler reads it before a change.
func (s *session) first() (d Doc) {
	s.must(s.own().First(&d, "id = ?", s.annsDoc()))
	return d
}

// ownerOf returns the email of the user who has a document.
func (s *session) ownerOf(id DocID) any {
	var d Doc
	s.must(s.tx.Preload("Owner").First(&d, "id = ?", id))
	return d.Owner.Email
}

// saveClaims are about requests that were decoded into a model or a map.
var saveClaims = []claim{
	{
		fact: "save-takes-over",
		name: "a new struct, under a condition",
		run: func(s *session) any {
			s.must(s.own().Save(s.withBobsID()))
			return s.takenOver()
		},
		want: everywhere(1),
	},
	{
		fact: "save-takes-over",
		name: "a document of the owner",
		run: func(s *session) any {
			d := s.first()
			s.decode(&d, `{"id":"%s"}`, s.bobsDoc())
			s.must(s.own().Save(&d))
			return s.takenOver()
		},
		want: everywhere(1),
	},
	{
		fact: "nested-owner-wins",
		code: `{"owner": {"id": …}}`,
		run: func(s *session) any {
			var d Doc
			s.decode(&d, `{"owner":{"id":"%s"}}`, s.bob.ID)
			d.OwnerID = s.ann.ID
			s.must(s.tx.Create(&d))
			return s.ownerOf(d.ID)
		},
		want: everywhere("bob"),
	},
	{
		fact: "map-is-not-parsed",
		name: "the ID",
		run: func(s *session) any {
			id, err := nobodysDoc.Value() // as the column has it
			db.Check(s.t, err)
			var m map[string]any
			s.decode(&m, `{"id":"%s"}`, id)
			s.must(s.own().Model(&Doc{}).Where("id = ?", s.annsDoc()).Updates(m))
			return s.docsWith(nobodysDoc)
		},
		want: everywhere(1),
	},
	{
		fact: "map-is-not-parsed",
		name: "a prefix",
		run: func(s *session) any {
			var m map[string]any
			s.decode(&m, `{"editor_id":"user_%s"}`, s.bob.ID)
			return s.rows(s.own().Model(&Doc{}).Where("id = ?", s.docs[2].ID).Updates(m))
		},
		want: results{db.SQLite: 1, db.PostgreSQL: fails, db.MariaDB: fails, db.MySQL: 1},
	},
	{
		fact: "map-is-not-parsed",
		name: "is not found",
		run: func(s *session) any {
			change := map[string]any{"editor_id": "user_" + s.bob.ID.String()}
			s.must(s.own().Model(&Doc{}).Where("id = ?", s.docs[2].ID).Updates(change))
			return s.rows(s.tx.Find(&[]Doc{}, "id = ? AND editor_id = ?", s.docs[2].ID, s.bob.ID))
		},
		want: results{db.SQLite: 0, db.MySQL: 0},
	},
	{
		fact: "do-updates-overwrites-any-row",
		name: "UpdateAll",
		run: func(s *session) any {
			s.must(s.tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(s.withBobsID()))
			return s.takenOver()
		},
		want: everywhere(1),
	},
	{
		fact: "do-updates-overwrites-any-row",
		name: "DoUpdates of a new email with the ID of Ann", // 2 is an update
		run: func(s *session) any {
			eve := User{Email: "eve"}
			eve.ID = s.ann.ID
			return s.rows(s.tx.Clauses(doUpdates).Create(&eve))
		},
		want: results{db.SQLite: fails, db.PostgreSQL: fails, db.MariaDB: 2, db.MySQL: 2},
	},
}

// TestSQLitePragma shows why the page opens SQLite with the pragma.
func TestSQLitePragma(t *testing.T) {
	fact(t, "sqlite-needs-pragma")
	g, err := gorm.Open(sqlite.Open(filepath.Join(t.TempDir(), "test.db")), &gorm.Config{Logger: logger.Discard})
	db.Check(t, err)
	db.Check(t, g.AutoMigrate(&User{}, &Doc{}))
	if err := g.Create(&Doc{OwnerID: nobody}).Error; err != nil {
		t.Errorf("without the pragma a document of nobody is refused: %v", err)
	}
}
