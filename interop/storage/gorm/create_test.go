package gorm

import (
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// What the page warns of needs these models beside its own.
type (
	// Hidden has a hook that hides the one of its base.
	Hidden struct{ Doc }

	// Twice has two hooks at the same depth, so Go promotes neither.
	Twice struct {
		Row[doc]
		Audit
	}
	Audit struct{ Note string }

	// IntegerKey has the integer of gorm.Model as its key.
	IntegerKey struct {
		gorm.Model
		Row[doc]
	}

	// Nothing checks that the owner of an Ownerless exists.
	Ownerless struct {
		Row[doc]
		OwnerID UserID
		Owner   *User `gorm:"constraint:-"`
	}
)

func (*Hidden) BeforeCreate(*gorm.DB) error { return nil }
func (*Audit) BeforeCreate(*gorm.DB) error  { return nil }

// IDs of no row, later than all.
var (
	nobody    = UserID(ulid.FirstAt(time.Now().Add(time.Hour)))
	nobodyDoc = DocID(nobody)
)

// createClaims are about AutoMigrate, hooks and upserts.
var createClaims = []claim{
	{
		name: "the columns of IDs",
		fact: "kinds-need-no-tag",
		run: func(s *session) any {
			columns, err := s.tx.Migrator().ColumnTypes(&Doc{})
			db.Check(s.t, err)
			types := map[string]string{}
			for _, c := range columns {
				types[c.Name()], _ = c.ColumnType()
			}
			return fmt.Sprintf("%s, %s, %s", types["id"], types["owner_id"], types["editor_id"])
		},
		want: results{
			db.SQLite:     DocID{}.GormDataType() + ", " + DocID{}.GormDataType() + ", " + DocID{}.GormDataType(),
			db.PostgreSQL: "uuid, uuid, uuid",
			db.MariaDB:    "char(26), char(26), char(26)",
			db.MySQL:      "char(26), char(26), char(26)",
		},
	},
	{
		name: "the columns that the page of MySQL recommends",
		run: func(s *session) any {
			var n int64
			s.must(s.tx.Table("information_schema.columns").
				Where("table_schema = database() AND table_name = 'docs' AND collation_name = 'ascii_bin'").Count(&n))
			return n
		},
		want: results{db.MySQL: int64(3)},
	},
	{
		name: "a document of nobody",
		fact: "auto-migrate-makes-foreign-keys",
		run:  func(s *session) any { return s.rows(s.tx.Create(&Doc{OwnerID: nobody})) },
		want: fails,
	},
	{
		name: "an editor who is nobody",
		fact: "auto-migrate-makes-foreign-keys",
		run: func(s *session) any {
			return s.rows(s.tx.Model(&Doc{}).Where("id = ?", s.annsDoc()).Update("editor_id", nobody))
		},
		want: fails,
	},
	{
		name: "a hook of the model",
		fact: "own-hook-hides-base",
		run: func(s *session) any {
			s.must(s.tx.Table("docs").Create(&Hidden{Doc{OwnerID: s.ann.ID}}))
			return s.docsWith(DocID{})
		},
		want: 1,
	},
	{
		name: "two embedded hooks",
		fact: "own-hook-hides-base",
		run: func(s *session) any {
			s.must(s.tx.Create(&Twice{}))
			return s.rows(s.tx.Find(&[]Twice{}, "id = ?", DocID{}))
		},
		want: 1,
	},
	{
		name: "SkipHooks",
		fact: "own-hook-hides-base",
		run: func(s *session) any {
			s.must(s.tx.Session(&gorm.Session{SkipHooks: true}).Create(&Doc{OwnerID: s.ann.ID}))
			return s.docsWith(DocID{})
		},
		want: 1,
	},
	{
		name: "the integer of gorm.Model is the key, and the row has no ID",
		fact: "gorm-model-takes-key",
		run: func(s *session) any {
			var one, found IntegerKey
			s.must(s.tx.Create(&one))
			s.must(s.tx.First(&found, "id = ?", one.Model.ID))
			return !one.Row.ID.IsZero() && found.Row.ID.IsZero()
		},
		want: true,
	},
	{
		name: "upsertUser, Ann",
		run:  func(s *session) any { return s.upserted("ann") },
		want: "ann, 1 row, the ID of ann",
	},
	{
		name: "upsertUser, new",
		run:  func(s *session) any { return s.upserted("new") },
		want: "new, 1 row",
	},
	{
		name: "the struct after DoNothing",
		fact: "upsert-leaves-wrong-id-in-struct",
		run:  func(s *session) any { return s.upsert(doNothing) },
		want: "a wrong ID",
	},
	{
		name: "the struct after DoUpdates",
		fact: "upsert-leaves-wrong-id-in-struct",
		run:  func(s *session) any { return s.upsert(doUpdates) },
		want: "a wrong ID",
	},
	{
		name: "the struct after UpdateAll",
		fact: "upsert-leaves-wrong-id-in-struct",
		run:  func(s *session) any { return s.upsert(updateAll) },
		want: "a wrong ID",
	},
	{
		name: "Returning after DoNothing",
		fact: "returning-differs",
		run:  func(s *session) any { return s.upsert(doNothing, clause.Returning{}) },
		want: results{
			db.SQLite: "a wrong ID", db.PostgreSQL: "a wrong ID", db.MariaDB: "the ID of ann", db.MySQL: "a wrong ID",
		},
	},
	{
		name: "Returning after DoUpdates",
		fact: "returning-differs",
		run:  func(s *session) any { return s.upsert(doUpdates, clause.Returning{}) },
		want: results{
			db.SQLite: "the ID of ann", db.PostgreSQL: "the ID of ann", db.MariaDB: "the ID of ann", db.MySQL: "a wrong ID",
		},
	},
	{
		name: "an owner who exists, with a foreign key",
		fact: "association-upsert",
		run:  func(s *session) any { return s.rows(s.tx.Create(&Doc{Owner: &User{Email: "ann"}})) },
		want: fails,
	},
	{
		name: "an owner who exists, without a foreign key",
		fact: "association-upsert",
		run: func(s *session) any {
			o := Ownerless{Owner: &User{Email: "ann"}}
			s.must(s.tx.Create(&o))
			return s.rows(s.tx.Find(&[]User{}, "id = ?", o.OwnerID))
		},
		want: 0,
	},
}

// upserted says what upsertUser returns, and what is in the table.
func (s *session) upserted(email string) string {
	u, err := upsertUser(s.tx, email)
	db.Check(s.t, err)
	text := fmt.Sprintf("%s, %v row", u.Email, s.rows(s.tx.Find(&[]User{}, "email = ? AND id = ?", email, u.ID)))
	if u.ID == s.ann.ID {
		text += ", the ID of ann"
	}
	return text
}

// The upserts that the page names.
var (
	byEmail   = []clause.Column{{Name: "email"}}
	doNothing = clause.OnConflict{Columns: byEmail, DoNothing: true}
	doUpdates = clause.OnConflict{Columns: byEmail, DoUpdates: clause.AssignmentColumns([]string{"email"})}
	updateAll = clause.OnConflict{Columns: byEmail, UpdateAll: true}
)

// upsert inserts Ann, who is there and must keep her ID, and says which ID is in the struct.
func (s *session) upsert(clauses ...clause.Expression) any {
	u := User{Email: "ann"}
	s.must(s.tx.Clauses(clauses...).Create(&u))
	var row User
	s.must(s.tx.First(&row, "email = ?", "ann"))
	switch {
	case row.ID != s.ann.ID:
		return "a new ID in the row"
	case u.ID == s.ann.ID:
		return "the ID of ann"
	case s.rows(s.tx.Find(&[]User{}, "id = ?", u.ID)) == 0:
		return "a wrong ID"
	}
	return u.ID
}

// decode decodes JSON, in which %s stands for IDs, as a handler decodes a request.
func (s *session) decode(into any, format string, ids ...any) {
	s.t.Helper()
	db.Check(s.t, json.Unmarshal(fmt.Appendf(nil, format, ids...), into))
}

// ownerOf returns the email of the user who has a document.
func (s *session) ownerOf(id DocID) any {
	var d Doc
	s.must(s.tx.Preload("Owner").First(&d, "id = ?", id))
	return d.Owner.Email
}

// requestClaims are about requests that were decoded into a model or a map.
var requestClaims = []claim{
	{
		name: "Updates writes another ID and owner",
		fact: "updates-writes-the-key",
		run: func(s *session) any {
			var d Doc
			s.decode(&d, `{"id":"%s","ownerID":"%s"}`, nobodyDoc, s.bob.ID)
			s.must(s.tx.Model(&Doc{}).Where("id = ? AND owner_id = ?", s.annsDoc(), s.ann.ID).Updates(d))
			return s.ownerOf(nobodyDoc)
		},
		want: "bob",
	},
	{
		name: "Save under a condition overwrites a document of Bob",
		fact: "save-takes-over",
		run: func(s *session) any {
			var d Doc
			s.must(s.own().First(&d, "id = ?", s.annsDoc()))
			s.decode(&d, `{"id":"%s"}`, s.bobsDoc())
			s.must(s.own().Save(&d))
			return s.ownerOf(s.bobsDoc())
		},
		want: "ann",
	},
	{
		name: "Append takes a document of Bob",
		fact: "save-takes-over",
		run: func(s *session) any {
			theirs := Doc{Row: Row[doc]{ID: s.bobsDoc()}}
			db.Check(s.t, s.tx.Model(s.ann).Association("Docs").Append(&theirs))
			return s.ownerOf(s.bobsDoc())
		},
		want: "ann",
	},
	{
		name: "Select of all columns writes a zero ID",
		fact: "updates-writes-the-key",
		run: func(s *session) any {
			d := Doc{Title: "x", OwnerID: s.ann.ID}
			s.must(s.tx.Model(&Doc{}).Where("id = ?", s.annsDoc()).Select("*").Updates(d))
			return s.docsWith(DocID{})
		},
		want: 1,
	},
	{
		name: "Create with a nested owner",
		fact: "nested-owner-wins",
		run: func(s *session) any {
			var d Doc
			s.decode(&d, `{"owner":{"id":"%s"}}`, s.bob.ID)
			d.OwnerID = s.ann.ID
			s.must(s.tx.Create(&d))
			return s.ownerOf(d.ID)
		},
		want: "bob",
	},
	{
		name: "a map with an ID",
		fact: "map-is-not-parsed",
		run: func(s *session) any {
			text, err := nobodyDoc.Value()
			db.Check(s.t, err)
			m := map[string]any{"id": text}
			s.must(s.own().Model(&Doc{}).Where("id = ?", s.annsDoc()).Updates(m))
			return s.docsWith(nobodyDoc)
		},
		want: 1,
	},
	{
		name: "a map with a prefix",
		fact: "map-is-not-parsed",
		run: func(s *session) any {
			m := map[string]any{"id": "doc_" + nobodyDoc.String()}
			result := s.own().Model(&Doc{}).Where("id = ?", s.annsDoc()).Updates(m)
			if result.Error != nil {
				return fails
			}
			return s.docsWith(nobodyDoc)
		},
		want: results{db.SQLite: 0, db.PostgreSQL: fails, db.MariaDB: fails, db.MySQL: fails},
	},
	{
		name: "UpdateAll overwrites a document of Bob",
		fact: "do-updates-overwrites-any-row",
		run: func(s *session) any {
			theirs := Doc{Row: Row[doc]{ID: s.bobsDoc()}, OwnerID: s.ann.ID}
			s.must(s.tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(&theirs))
			return s.ownerOf(s.bobsDoc())
		},
		want: "ann",
	},
	{
		name: "DoUpdates of a new email with the ID of Ann", // 2 is an update
		fact: "do-updates-overwrites-any-row",
		run: func(s *session) any {
			return s.rows(s.tx.Clauses(doUpdates).Create(&User{Row: Row[user]{ID: s.ann.ID}, Email: "eve"}))
		},
		want: results{db.SQLite: fails, db.PostgreSQL: fails, db.MariaDB: 2, db.MySQL: 2},
	},
}
