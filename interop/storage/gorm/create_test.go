package gorm

import (
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/glebarez/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// hookClaims are about what AutoMigrate and Create do.
var hookClaims = []claim{
	{
		code: `"id >= ? AND id < ?", DocID(ulid.FirstAt(from)), DocID(ulid.FirstAt(to)))`,
		name: "the documents of an hour",
		run:  documentsOfAnHour,
		want: everywhere(true),
	},
	{
		fact: "auto-migrate-makes-foreign-keys",
		name: "an owner who is not there",
		run:  func(s *scene) any { return s.rows(s.tx.Create(&doc{OwnerID: nobody})) },
		want: everywhere(fails),
	},
	{
		fact: "auto-migrate-makes-foreign-keys",
		name: "an editor who is not there",
		run:  func(s *scene) any { return s.rows(s.tx.Create(&doc{OwnerID: s.ann.ID, EditorID: &nobody})) },
		want: everywhere(fails),
	},
	{
		fact: "skip-hooks-stores-zero-id",
		run: func(s *scene) any {
			s.must(s.tx.Session(&gorm.Session{SkipHooks: true}).Create(&doc{OwnerID: s.ann.ID}))
			return s.docsWith(docID{})
		},
		want: everywhere(1),
	},
	{
		fact: "own-hook-hides-base",
		run: func(s *scene) any {
			s.must(s.tx.Table("docs").Create(&Hidden{doc{OwnerID: s.ann.ID}}))
			return s.docsWith(docID{})
		},
		want: everywhere(1),
	},
	{
		fact: "two-hooks-store-zero-id",
		run: func(s *scene) any {
			s.must(s.tx.Create(&Twice{}))
			return s.rows(s.tx.Find(&[]Twice{}, "id = ?", ulid.ULID{}))
		},
		want: everywhere(1),
	},
	{
		fact: "create-with-map-fails",
		run: func(s *scene) any {
			return s.rows(s.tx.Model(&doc{}).Create(map[string]any{"owner_id": s.ann.ID}))
		},
		want: everywhere(fails),
	},
	{
		fact: "gorm-model-takes-key",
		name: "the integer is the key",
		run: func(s *scene) any {
			one, _ := s.createFirst()
			return s.rows(s.tx.Find(&[]First{}, "id = ?", one.Model.ID))
		},
		want: everywhere(1),
	},
	{
		fact: "gorm-model-takes-key",
		name: "the struct has an ID",
		run: func(s *scene) any {
			one, _ := s.createFirst()
			return !one.Row.ID.IsZero()
		},
		want: everywhere(true),
	},
	{
		fact: "gorm-model-takes-key",
		name: "the row has no ID",
		run: func(s *scene) any {
			_, found := s.createFirst()
			return found.Row.ID.IsZero()
		},
		want: everywhere(true),
	},
}

// nobody is the ID of no user.
var nobody = userID(ulid.Make())

// documentsOfAnHour reports whether the query finds all documents, with their users.
func documentsOfAnHour(s *scene) any {
	from, to := docID(ulid.FirstAt(s.from)), docID(ulid.FirstAt(s.from.Add(time.Hour)))
	var read docs
	s.must(s.tx.Preload("Owner").Preload("Editor").Order("id").Find(&read, "id >= ? AND id < ?", from, to))
	return reflect.DeepEqual(read, s.docs)
}

// createFirst returns a new row as it was created, and as it is found.
func (s *scene) createFirst() (one, found First) {
	s.must(s.tx.Create(&one))
	s.must(s.tx.First(&found))
	return one, found
}

// The upserts of the page.
var (
	byEmail   = []clause.Column{{Name: "email"}}
	doUpdates = clause.OnConflict{Columns: byEmail, DoUpdates: clause.AssignmentColumns([]string{"email"})}
	undeletes = clause.OnConflict{Columns: byEmail, DoUpdates: clause.AssignmentColumns([]string{"deleted_at"})}
	updateAll = clause.OnConflict{Columns: byEmail, UpdateAll: true}
	doNothing = clause.OnConflict{DoNothing: true}
)

// An upserted says how many users the slice has after an upsert of two, and how many of them have the ID of their row.
type upserted struct{ users, right int }

// upsert inserts Ann, who is there, and a new user.
func (s *scene) upsert(clauses ...clause.Expression) upserted {
	users := []user{{Email: "ann"}, {Email: "new"}}
	s.must(s.tx.Clauses(clauses...).Create(&users))
	result := upserted{users: len(users)}
	for _, u := range users {
		if s.rows(s.tx.Find(&[]user{}, "email = ? AND id = ?", u.Email, u.ID)) == 1 {
			result.right++
		}
	}
	return result
}

// staysAnn reports whether Ann has her ID after an upsert.
func (s *scene) staysAnn(onConflict clause.OnConflict) any {
	s.upsert(onConflict)
	var fresh user
	s.must(s.tx.First(&fresh, "email = ?", "ann"))
	return fresh.ID == s.ann.ID
}

const readAgain = `db.First(&fresh, "email = ?", user.Email)`

var upsertClaims = []claim{
	{
		fact: "upsert-leaves-wrong-id-in-struct",
		name: "DoUpdates",
		run:  func(s *scene) any { return s.upsert(doUpdates) },
		want: everywhere(upserted{users: 2, right: 1}),
	},
	{
		fact: "upsert-leaves-wrong-id-in-struct",
		name: "UpdateAll",
		run:  func(s *scene) any { return s.upsert(updateAll) },
		want: everywhere(upserted{users: 2, right: 1}),
	},
	{
		fact: "upsert-leaves-wrong-id-in-struct",
		name: "DoNothing",
		run:  func(s *scene) any { return s.upsert(doNothing) },
		want: everywhere(upserted{users: 2, right: 1}),
	},
	{
		fact: "upsert-leaves-wrong-id-in-struct",
		code: readAgain,
		name: "DoUpdates leaves the ID of the row",
		run:  func(s *scene) any { return s.staysAnn(doUpdates) },
		want: everywhere(true),
	},
	{
		fact: "upsert-leaves-wrong-id-in-struct",
		code: readAgain,
		name: "UpdateAll leaves the ID of the row",
		run:  func(s *scene) any { return s.staysAnn(updateAll) },
		want: everywhere(true),
	},
	{
		fact: "upsert-leaves-wrong-id-in-struct",
		code: readAgain,
		name: "DoNothing leaves the ID of the row",
		run:  func(s *scene) any { return s.staysAnn(doNothing) },
		want: everywhere(true),
	},
	{
		fact: "returning-not-in-mysql",
		name: "DoUpdates",
		run:  func(s *scene) any { return s.upsert(doUpdates, clause.Returning{}) },
		want: results{
			db.SQLite:     upserted{users: 2, right: 2},
			db.PostgreSQL: upserted{users: 2, right: 2},
			db.MariaDB:    upserted{users: 2, right: 2},
			db.MySQL:      upserted{users: 2, right: 1},
		},
	},
	{
		fact: "returning-not-in-mysql",
		name: "UpdateAll",
		run:  func(s *scene) any { return s.upsert(updateAll, clause.Returning{}) },
		want: results{
			db.SQLite:     upserted{users: 2, right: 2},
			db.PostgreSQL: upserted{users: 2, right: 2},
			db.MariaDB:    upserted{users: 2, right: 2},
			db.MySQL:      upserted{users: 2, right: 1},
		},
	},
	{
		fact: "do-nothing-loses-elements",
		run:  func(s *scene) any { return s.upsert(doNothing, clause.Returning{}) },
		want: results{
			db.SQLite:     upserted{users: 1, right: 1},
			db.PostgreSQL: upserted{users: 1, right: 1},
			db.MariaDB:    upserted{users: 2, right: 2},
			db.MySQL:      upserted{users: 2, right: 1},
		},
	},
	{
		fact: "soft-deleted-stays-deleted",
		name: "DoUpdates without deleted_at",
		run:  func(s *scene) any { return s.upsertDeleted(doUpdates) },
		want: everywhere("not found"),
	},
	{
		fact: "soft-deleted-stays-deleted",
		name: "DoUpdates of deleted_at",
		run:  func(s *scene) any { return s.upsertDeleted(undeletes) },
		want: everywhere("found with its old ID"),
	},
	{
		fact: "soft-deleted-stays-deleted",
		name: "UpdateAll",
		run:  func(s *scene) any { return s.upsertDeleted(updateAll) },
		want: everywhere("found with its old ID"),
	},
	{
		fact: "association-upsert",
		name: "with a foreign key",
		run:  func(s *scene) any { return s.rows(s.tx.Create(&doc{Owner: &user{Email: "ann"}})) },
		want: everywhere(fails),
	},
	{
		fact: "association-upsert",
		name: "without a foreign key the owner is in no row",
		run: func(s *scene) any {
			ownerless := Gone{Owner: &user{Email: "ann"}}
			s.must(s.tx.Create(&ownerless))
			return s.rows(s.tx.Find(&[]user{}, "id = ?", ownerless.OwnerID))
		},
		want: everywhere(0),
	},
}

// upsertDeleted creates a row, deletes it softly, and says what an upsert makes of it.
func (s *scene) upsertDeleted(onConflict clause.OnConflict) any {
	old := Gone{Email: "old"}
	s.must(s.tx.Create(&old))
	s.must(s.tx.Delete(&Gone{}, "email = ?", "old"))
	s.must(s.tx.Clauses(onConflict).Create(&Gone{Email: "old"}))
	var found Gone
	switch {
	case s.rows(s.tx.First(&found, "email = ?", "old")) == 0:
		return "not found"
	case found.ID != old.ID:
		return "found with another ID"
	}
	return "found with its old ID"
}

// edsDoc returns a document of Ann with the ID of one of Ed, as a request may have it.
func (s *scene) edsDoc() *doc {
	theirs := doc{OwnerID: s.ann.ID}
	theirs.ID = s.edOwns()
	return &theirs
}

// takenOver counts the documents of Ann that have the ID of the one of Ed.
func (s *scene) takenOver() any { return s.rows(s.own().Find(&docs{}, "id = ?", s.edOwns())) }

// update saves a title as the page says.
func (s *scene) update(d doc) any {
	return s.rows(s.own().Model(&doc{}).Where("id = ?", d.ID).Select("title").Updates(&d))
}

const saveByUpdates = `own.Model(&Doc{}).Where("id = ?", id).Select("title").Updates(&doc)`

var saveClaims = []claim{
	{
		fact: "save-takes-over",
		name: "Save",
		run: func(s *scene) any {
			s.must(s.own().Save(s.edsDoc()))
			return s.takenOver()
		},
		want: everywhere(1),
	},
	{
		fact: "do-updates-overwrites-any-row",
		name: "UpdateAll",
		run: func(s *scene) any {
			s.must(s.tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(s.edsDoc()))
			return s.takenOver()
		},
		want: everywhere(1),
	},
	{
		fact: "do-updates-overwrites-any-row",
		name: "DoUpdates of a new email with the ID of Ann", // 2 is an update
		run: func(s *scene) any {
			eve := user{Email: "eve"}
			eve.ID = s.ann.ID
			return s.rows(s.tx.Clauses(doUpdates).Create(&eve))
		},
		want: results{db.SQLite: fails, db.PostgreSQL: fails, db.MariaDB: 2, db.MySQL: 2},
	},
	{
		code: saveByUpdates,
		name: "Ann's document",
		run: func(s *scene) any {
			changed := s.docs[0]
			changed.Title = "x"
			return s.update(changed)
		},
		want: everywhere(1),
	},
	{
		code: saveByUpdates,
		name: "Ed's document",
		run:  func(s *scene) any { return s.update(*s.edsDoc()) },
		want: everywhere(0),
	},
	{
		fact: "rows-affected-of-unchanged", // MariaDB's DSN here has clientFoundRows=true
		code: saveByUpdates,
		name: "no change",
		run:  func(s *scene) any { return s.update(s.docs[0]) },
		want: results{db.SQLite: 1, db.PostgreSQL: 1, db.MariaDB: 1, db.MySQL: 0},
	},
}

// TestSQLitePragma shows why the page opens SQLite with the pragma.
func TestSQLitePragma(t *testing.T) {
	page.Fact(t, gormPage, "sqlite-needs-pragma")
	g, err := gorm.Open(sqlite.Open(filepath.Join(t.TempDir(), "test.db")), &gorm.Config{Logger: logger.Discard})
	db.Check(t, err)
	db.Check(t, g.AutoMigrate(&user{}, &doc{}))
	if err := g.Create(&doc{OwnerID: nobody}).Error; err != nil {
		t.Errorf("without the pragma a document of nobody is refused: %v", err)
	}
}
