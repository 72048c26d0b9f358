package gorm

import (
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/interop/recipes/model"
	"github.com/seed-961d0905/ulid/typed"
)

type (
	user   = model.User
	doc    = model.Doc
	docs   = []model.Doc
	userID = model.UserID
	docID  = model.DocID

	structID struct{ ulid.ULID }
	Hidden   struct{ model.Doc } // hides the hook of its base
)

func (*Hidden) BeforeCreate(*gorm.DB) error { return nil }

// Twice has two hooks at the same depth, so Go promotes neither.
type Twice struct {
	model.Row[twice]
	Audit
}
type twice struct{ typed.TextColumn }
type Audit struct{ Note string }

func (*Audit) BeforeCreate(*gorm.DB) error { return nil }

// First has the integer of gorm.Model as its key.
type First struct {
	gorm.Model
	model.Row[first]
}
type first struct{ typed.TextColumn }

// A Gone is deleted softly, and nothing checks that its owner exists.
type Gone struct {
	model.Row[gone]
	Email     string `gorm:"size:320;uniqueIndex"`
	OwnerID   userID
	Owner     *user `gorm:"constraint:-"`
	DeletedAt gorm.DeletedAt
}
type gone struct{ typed.TextColumn }

const panics, fails = -2, -1 // instead of a number of rows

func panicsOr(rows func() int) (n int) {
	defer func() { recover() }()
	n = panics
	return rows()
}

func TestModel(t *testing.T) { db.Each(t, testModel) }

// testModel runs the model of the page and counts the rows of the page's statements.
func testModel(t *testing.T, d *db.Database) {
	g, _ := open(t, d.Open(t, map[*db.Database]string{
		db.MySQL: "parseTime=true", db.MariaDB: "parseTime=true&clientFoundRows=true"}[d]))
	db.Check(t, g.AutoMigrate(&user{}, &doc{}))
	from, ann, ed := time.Now(), &user{Email: "ann"}, &user{Email: "ed"}
	made := docs{{Title: "a", Owner: ann, Editor: ed}, {Title: "b", Owner: ed}, {Title: "c", Owner: ann}}
	db.Check(t, g.Create(&made).Error)

	// Each statement has a transaction, which is rolled back before the next one. Ann has two documents, and Ed has one.
	now, ctx := g.Begin(), t.Context()
	defer func() { now.Rollback() }()
	tx := func() *gorm.DB { now.Rollback(); now = g.Begin(); return now }
	own := func() *gorm.DB { return tx().Where("owner_id = ?", ann.ID) }
	generic := func(n int, err error) *gorm.DB { return &gorm.DB{RowsAffected: int64(n), Error: err} }
	var failed error // the last one
	rows := func(db *gorm.DB) int {
		if db.Error != nil && db.Error != gorm.ErrRecordNotFound {
			failed = db.Error
			return fails
		}
		return int(db.RowsAffected)
	}

	// The calls in the table, and how many rows they concern.
	calls := func(id docID, ids []docID, p *docID, null any, owner userID, document doc, list docs, text string) map[string]int {
		copied := func() *doc { d := document; return &d }
		return map[string]int{
			`db.First(&doc, "id = ?", id)`:                             rows(tx().First(&doc{}, "id = ?", id)),
			`db.First(&doc, text)`:                                     rows(tx().First(&doc{}, text)),
			`db.First(&doc)`:                                           rows(tx().First(copied())),
			`db.First(&doc, id)`:                                       rows(tx().First(&doc{}, id)),
			`db.First(&doc, p)`:                                        panicsOr(func() int { return rows(tx().First(&doc{}, p)) }),
			`db.First(&doc, "id = ?", p)`:                              rows(tx().First(&doc{}, "id = ?", p)),
			`db.Find(&docs, "owner_id = ?", owner)`:                    rows(tx().Find(&docs{}, "owner_id = ?", owner)),
			`db.Find(&docs, Doc{OwnerID: owner})`:                      rows(tx().Find(&docs{}, doc{OwnerID: owner})),
			`db.Find(&docs, "id IN ?", ids)`:                           rows(tx().Find(&docs{}, "id IN ?", ids)),
			`db.Find(&docs, ids)`:                                      rows(tx().Find(&docs{}, ids)),
			`db.Delete(&Doc{}, "id = ?", id)`:                          rows(tx().Delete(&doc{}, "id = ?", id)),
			`db.Delete(&Doc{}, text)`:                                  rows(tx().Delete(&doc{}, text)),
			`db.Delete(&Doc{}, p)`:                                     panicsOr(func() int { return rows(tx().Delete(&doc{}, p)) }),
			`own.Delete(&Doc{}, "id = ?", id)`:                         rows(own().Delete(&doc{}, "id = ?", id)),
			`own.Delete(&Doc{}, "id IN ?", ids)`:                       rows(own().Delete(&doc{}, "id IN ?", ids)),
			`own.Delete(&Doc{}, "id NOT IN ?", ids)`:                   rows(own().Delete(&doc{}, "id NOT IN ?", ids)),
			`own.Delete(&Doc{}, id)`:                                   rows(own().Delete(&doc{}, id)),
			`own.Delete(&Doc{}, ids)`:                                  rows(own().Delete(&doc{}, ids)),
			`own.Delete(&Doc{}, map[string]any{"id": ids})`:            rows(own().Delete(&doc{}, map[string]any{"id": ids})),
			`own.Delete(&Doc{}, nil)`:                                  rows(own().Delete(&doc{}, null)),
			`own.Delete(&doc)`:                                         rows(own().Delete(copied())),
			`own.Delete(&docs)`:                                        rows(own().Delete(&list)),
			`own.Select(clause.Associations).Delete(&doc)`:             rows(own().Select(clause.Associations).Delete(copied())),
			`own.Where("id", ids).Delete(&Doc{})`:                      rows(own().Where("id", ids).Delete(&doc{})),
			`own.Where(p).Find(&docs)`:                                 panicsOr(func() int { return rows(own().Where(p).Find(&docs{})) }),
			`own.Not(p).Find(&docs)`:                                   panicsOr(func() int { return rows(own().Not(p).Find(&docs{})) }),
			`own.Not(ids).Delete(&Doc{})`:                              rows(own().Not(ids).Delete(&doc{})),
			`own.Not(map[string]any{"id": ids}).Delete(&Doc{})`:        rows(own().Not(map[string]any{"id": ids}).Delete(&doc{})),
			`own.Not(&doc).Delete(&Doc{})`:                             rows(own().Not(copied()).Delete(&doc{})),
			`own.Model(&doc).Update("title", s)`:                       rows(own().Model(copied()).Update("title", "x")),
			`own.Model(&Doc{}).Where("id = ?", id).Update("title", s)`: rows(own().Model(&doc{}).Where("id = ?", id).Update("title", "x")),
			`own.Updates(&doc)`:                                        rows(own().Updates(copied())),
			`gorm.G[Doc](db).Where("owner_id = ? AND id IN ?", owner, ids).Delete(ctx)`: rows(generic(
				gorm.G[doc](tx()).Where("owner_id = ? AND id IN ?", ann.ID, ids).Delete(ctx))),
			`gorm.G[Doc](db).Where("owner_id = ?", owner).Where(ids).Delete(ctx)`: rows(generic(
				gorm.G[doc](tx()).Where("owner_id = ?", ann.ID).Where(ids).Delete(ctx))),
		}
	}
	id, other := made[0].ID, made[1].ID
	titled, withID := doc{Title: "x"}, doc{Title: "x"}
	withID.ID = id
	good := calls(id, []docID{id}, &id, id, ed.ID, withID, made[:1], "id = '"+id.String()+"'")
	bad := calls(docID{}, []docID{}, nil, nil, userID{}, titled, nil, "1=1")

	text := page.Text(t, "docs/gorm.md")
	_, mistakes, _ := strings.Cut(text, "\n## Mistakes")
	shows := func(cell string, with, without int) {
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
			if n, ok := bad[m[1]]; !ok || n != without || good[m[1]] != with {
				t.Errorf("%s: %d rows with an ID and %d without, want %d and %d", m[1], good[m[1]], n, with, without)
			}
			delete(bad, m[1])
		}
	}
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*) \\| (`.*) \\| .* \\| (.*) \\|$").FindAllStringSubmatch(mistakes, -1) {
		shows(row[1], 1, 0)
		shows(row[2], 1, map[string]int{"finds any document": 1, "finds every document": 3, "deletes every document": 3,
			"deletes all of the owner's": 2, "changes all of the owner's": 2, "panics inside gorm": panics}[row[3]])
	}
	if len(bad) > 0 {
		t.Errorf("the table of docs/gorm.md lacks %v", bad)
	}

	// Sentences, and what shows them: one value, or those of SQLite, PostgreSQL, MariaDB and MySQL.
	plain := strings.NewReplacer("`", "", "**", "", "\n  ", " ", "\n", " ").Replace(text)
	says := func(words string, got any, want ...any) {
		t.Helper()
		if want := want[min(slices.Index(db.All, d), len(want)-1)]; got != want {
			t.Errorf("%s: %v, want %v; the last error is %v", words, got, want, failed)
		}
		if !strings.Contains(plain, words) {
			t.Errorf("docs/gorm.md lacks %s", words)
		}
	}
	var read docs
	db.Check(t, tx().Preload("Owner").Preload("Editor").Order("id").Find(&read, "id >= ? AND id < ?",
		docID(ulid.FirstAt(from)), docID(ulid.FirstAt(from.Add(time.Hour)))).Error)
	says(`"id >= ? AND id < ?", DocID(ulid.FirstAt(from)), DocID(ulid.FirstAt(to)))`, reflect.DeepEqual(read, made), true)
	nobody := userID(ulid.Make())
	says("AutoMigrate makes the foreign keys of Owner and Editor", [2]int{rows(tx().Create(&doc{OwnerID: nobody})),
		rows(tx().Create(&doc{OwnerID: ann.ID, EditorID: &nobody}))}, [2]int{fails, fails})

	db.Check(t, tx().Session(&gorm.Session{SkipHooks: true}).Create(&doc{OwnerID: ann.ID}).Error)
	says("With SkipHooks the zero ID is stored", rows(now.Find(&docs{}, "id = ?", docID{})), 1)
	db.Check(t, tx().Table("docs").Create(&Hidden{doc{OwnerID: ann.ID}}).Error)
	says("A model's own BeforeCreate hides the one of the base", rows(now.Find(&docs{}, "id = ?", docID{})), 1)
	says("Create with a map runs no hook, so without an id it fails",
		rows(tx().Model(&doc{}).Create(map[string]any{"owner_id": ann.ID})), fails)

	email := clause.OnConflict{Columns: []clause.Column{{Name: "email"}}, DoUpdates: clause.AssignmentColumns([]string{"email"})}
	all, nothing := clause.OnConflict{Columns: email.Columns, UpdateAll: true}, clause.OnConflict{DoNothing: true}
	// upsert returns how many users there are afterwards, and how many of them have the ID of their row.
	upsert := func(clauses ...clause.Expression) [2]int {
		list, n := []user{{Email: "ann"}, {Email: "new"}}, 0
		db.Check(t, tx().Clauses(clauses...).Create(&list).Error)
		for _, u := range list {
			n += rows(now.Find(&[]user{}, "email = ? AND id = ?", u.Email, u.ID))
		}
		return [2]int{len(list), n}
	}
	some, yes, no := [2]int{1, 1}, [2]int{2, 2}, [2]int{2, 1}
	for _, onConflict := range []clause.OnConflict{email, all, nothing} {
		says("but the struct then holds the ID that the hook made, which is in no row. Read it again by the unique key: "+
			`db.First(&fresh, "email = ?", user.Email)`, upsert(onConflict), no)
		var fresh user
		db.Check(t, now.First(&fresh, "email = ?", "ann").Error)
		says("OnConflict leaves its ID as it is", fresh.ID, ann.ID)
		if onConflict.DoNothing {
			says("With DoNothing, MariaDB alone sets it, and in PostgreSQL and SQLite a slice loses the elements whose rows were there",
				upsert(onConflict, clause.Returning{}), some, some, yes, no)
		} else {
			says("With clause.Returning{}, DoUpdates and UpdateAll set the row's ID in the struct, but in MySQL they do not, without an error",
				upsert(onConflict, clause.Returning{}), yes, yes, yes, no)
		}
	}

	theirs, eve := doc{OwnerID: ann.ID}, user{Email: "eve"}
	theirs.ID, eve.ID = other, ann.ID
	db.Check(t, own().Save(&theirs).Error)
	says("own.Save(&doc) takes the document over", rows(now.Find(&docs{}, "id = ? AND owner_id = ?", other, ann.ID)), 1)
	db.Check(t, tx().Clauses(clause.OnConflict{UpdateAll: true}).Create(&theirs).Error)
	says("OnConflict{UpdateAll: true} does that too", rows(now.Find(&docs{}, "id = ? AND owner_id = ?", other, ann.ID)), 1)
	says("and in MySQL and MariaDB every DoUpdates overwrites the columns that it names in that row, whatever the Columns", rows(tx().Clauses(email).Create(&eve)),
		fails, fails, 2, 2)
	update := func(g *gorm.DB, d doc) int {
		return rows(g.Model(&doc{}).Where("id = ?", d.ID).Select("title").Updates(&d))
	}
	says(`save with own.Model(&Doc{}).Where("id = ?", id).Select("title").Updates(&doc). If RowsAffected is then 0, `+
		"the document is not the owner's. MySQL and MariaDB count only rows that change, unless the DSN has clientFoundRows=true",
		[3]int{update(own(), withID), update(own(), theirs), update(own(), made[0])}, [3]int{1, 0, 1}, [3]int{1, 0, 1},
		[3]int{1, 0, 1}, [3]int{1, 0, 0}) // MariaDB's DSN has it
	says("Without any condition gorm refuses to update or delete", [2]int{rows(tx().Updates(&titled)), rows(tx().Delete(&doc{}))},
		[2]int{fails, fails})
	for _, ids := range []any{[]docID{{}}, []*docID{nil}, []ulid.ULID{{}}} {
		says("A list of IDs that is not empty is safe in all of them, because a zero ID in it matches no row",
			[2]int{rows(own().Delete(&doc{}, ids)), rows(tx().Find(&docs{}, ids))}, [2]int{})
	}
	says("A list of documents, as in own.Delete(&docs), deletes all of the owner's if all their IDs are zero",
		rows(own().Delete(&docs{{}, {}})), 2)
	says(`NOT IN and Not match nothing if a pointer in the list is nil, and "id NOT IN ?" matches nothing if the list is empty`,
		[3]int{rows(own().Delete(&doc{}, "id NOT IN ?", []*docID{nil, &other})), rows(own().Not([]*docID{nil, &other}).Delete(&doc{})),
			rows(own().Delete(&doc{}, "id NOT IN ?", []docID{}))}, [3]int{})
	says("gorm.G[Doc](own) forgets the condition of own", rows(generic(gorm.G[doc](own()).Where("id = ?", other).Delete(ctx))), 1)
	keeps := gorm.G[doc](tx()).Where("owner_id = ?", ann.ID)
	says(`Write gorm.G[Doc](db).Where("owner_id = ?", owner)`, rows(generic(keeps.Where("id = ?", other).Delete(ctx))), 0)
	says(`db.First(&doc, 1) and db.First(&doc, "id = ?", 1) find any document, and db.Delete(&Doc{}, 1) deletes every document, `+
		"in MySQL only if the session is not strict. PostgreSQL refuses a number; SQLite finds nothing",
		[3]int{rows(tx().First(&doc{}, 1)), rows(tx().First(&doc{}, "id = ?", 1)), rows(tx().Delete(&doc{}, 1))},
		[3]int{}, [3]int{fails, fails, fails}, [3]int{1, 1, 3}, [3]int{1, 1, fails})
	says("in MySQL only if the session is not strict", rows(tx().Exec("SET sql_mode = ''").Delete(&doc{}, 1)), fails, fails, 3, 3)
	tx().Exec("SET sql_mode = DEFAULT")

	var p *userID
	says(`Given nil, "editor_id = ?" matches nothing, but db.Find(&docs, "editor_id", p) and a map match the rows with NULL`,
		[3]int{rows(tx().Find(&docs{}, "editor_id = ?", p)), rows(tx().Find(&docs{}, "editor_id", p)),
			rows(tx().Find(&docs{}, map[string]any{"editor_id": p}))}, [3]int{0, 2, 2})
	used := made[0]
	says(`If doc already has an ID, db.First(&doc, "id = ?", id) adds it to the condition`, rows(tx().First(&used, "id = ?", other)), 0)
	db.Check(t, tx().Model(&doc{}).Where("id = ?", id).Update("editor_id", nil).Error)
	db.Check(t, now.First(&used).Error)
	says("NULL leaves the old ID in a *UserID", *used.EditorID, ed.ID)

	says("deletes all of the owner's if the IDs are zero", rows(own().Delete(&doc{}, []structID{{}})), 2)
	err := own().Delete(&doc{}, []structID{{ulid.ULID(id)}}).Error
	says("naming a column such as docs.ul_id", err != nil && strings.Contains(err.Error(), "ul_id"), true)
	says("A nil pointer in the list panics", panicsOr(func() int { return rows(own().Delete(&doc{}, []*structID{nil})) }), panics)

	says("Create(&doc) inserts the Owner with DoNothing, so if its email is already there, owner_id becomes the ID that the hook "+
		"made. The foreign key refuses that", rows(tx().Create(&doc{Owner: &user{Email: "ann"}})), fails)
	now.Rollback()
	db.Check(t, errors.Join(g.AutoMigrate(&Gone{}), g.Create(&Gone{Email: "old"}).Error, g.Delete(&Gone{}, "email = ?", "old").Error))
	ownerless := Gone{Owner: &user{Email: "ann"}}
	db.Check(t, tx().Create(&ownerless).Error)
	says("but without one the document refers to no row, without an error", rows(now.Find(&[]user{}, "id = ?", ownerless.OwnerID)), 0)
	// again returns the ID that the deleted row has after an upsert, if it is found.
	again := func(onConflict clause.OnConflict) docID {
		var deleted, found Gone
		db.Check(t, tx().Unscoped().First(&deleted, "email = ?", "old").Error)
		db.Check(t, now.Clauses(onConflict).Create(&Gone{Email: "old"}).Error)
		if rows(now.First(&found, "email = ?", "old")) == 1 && found.ID != deleted.ID {
			t.Errorf("the ID of a deleted row was %v, and is %v", deleted.ID, found.ID)
		}
		return docID(found.ID)
	}
	undelete := clause.OnConflict{Columns: email.Columns, DoUpdates: clause.AssignmentColumns([]string{"deleted_at"})}
	says("A soft-deleted row stays deleted under DoUpdates without deleted_at, so First does not find it. UpdateAll brings it back, "+
		"with its old ID", [3]bool{again(email).IsZero(), again(undelete).IsZero(), again(all).IsZero()}, [3]bool{true, false, false})

	now.Rollback()
	both := Twice{}
	db.Check(t, errors.Join(g.AutoMigrate(&both), g.Create(&both).Error))
	says("If the model embeds two structs with a BeforeCreate, neither runs and the zero ID is stored, without an error",
		rows(g.Find(&[]Twice{}, "id = ?", ulid.ULID{})), 1)
	one, found := First{}, First{}
	db.Check(t, errors.Join(g.AutoMigrate(&one), g.Create(&one).Error, g.First(&found).Error))
	says("If it comes before Row, its integer is the key, and the ID of Row is not stored, without an error",
		[3]any{one.Model.ID, one.Row.ID.IsZero(), found.Row.ID.IsZero()}, [3]any{uint(1), false, true})
	says("Without the pragma SQLite does not check foreign keys",
		rows(g.Exec("PRAGMA foreign_keys = off").Create(&doc{OwnerID: nobody})), 1, fails, fails, fails)
}
