package gorm

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/interop/recipes/model"
	"github.com/seed-961d0905/ulid/interop/storage"
)

type (
	doc   = model.Doc
	docs  = []model.Doc
	docID = model.DocID
)

// Other has fields without a tag, and one whose IDs have a prefix.
type Other struct {
	ID, Ref ulid.ULID
	Typed   storage.UUIDID `gorm:"type:char(36)"`
}

func TestModel(t *testing.T) {
	tags := map[string]string{"sqlite": "type:char(26)", "postgres": "type:char(26) collate ucs_basic"}
	db.Each(t, func(t *testing.T, d *db.Database) { testModel(t, migrate(t, d, tags[d.Family], &doc{}, &model.User{})) })
}

// testModel runs the model of the page and counts the rows of the page's statements.
func testModel(t *testing.T, db *gorm.DB) {
	from, to := time.Now(), time.Now().Add(time.Hour)
	ann, ed := &model.User{Name: "Ann"}, &model.User{Name: "Ed"}
	made := docs{{Title: "a", Owner: ann, Editor: ed}, {Title: "b", Owner: ed}, {Title: "c", Owner: ann}}
	if err := db.Create(&made).Error; err != nil {
		t.Fatal(err)
	}
	if db.Create(&doc{OwnerID: model.UserID{ULID: ulid.Make()}}).Error == nil {
		t.Error("a document may belong to nobody")
	}
	var read docs
	first, last := docID{ULID: ulid.FirstAt(from)}, docID{ULID: ulid.FirstAt(to)}
	err := db.Preload("Owner").Preload("Editor").Order("id").Find(&read, "id >= ? AND id < ?", first, last).Error
	if err != nil || !reflect.DeepEqual(read, made) {
		t.Errorf("the documents are %+v, %v, want %+v", read, err, made)
	}
	got, _ := json.Marshal(made[2])
	want := strings.NewReplacer("DOC", made[2].ID.String(), "ANN", ann.ID.String()).Replace(
		`{"id":"DOC","title":"c","owner_id":"ANN","owner":{"id":"ANN","name":"Ann"},"editor_id":null}`)
	if string(got) != want {
		t.Errorf("JSON is %s, want %s", got, want)
	}

	used := made[0]
	var null struct {
		ID  docID
		IDs []docID
	}
	if err := json.Unmarshal([]byte(`{"id":null,"ids":[null]}`), &null); err != nil {
		t.Fatal(err)
	}
	// Each statement has a transaction, which is rolled back before the next one. Ann has two documents, and Ed has one.
	now := db.Begin()
	tx := func() *gorm.DB { now.Rollback(); now = db.Begin(); return now }
	own := func() *gorm.DB { return tx().Where("owner_id = ?", ann.ID) }
	id, empty := made[0].ID, []docID{}
	text := strings.NewReplacer("`", "", "\n  ", " ", "\n", " ").Replace(page.Text(t, "docs/gorm.md"))
	for _, s := range []struct {
		words string // of the page
		want  int64  // rows, or -1 for an error
		got   *gorm.DB
	}{
		{`db.Preload("Owner").Find(&docs, "id >= ? AND id < ?", DocID{ulid.FirstAt(from)}, DocID{ulid.FirstAt(to)})`, 3,
			tx().Preload("Owner").Find(&docs{}, "id >= ? AND id < ?", first, last)},
		{`| db.First(&doc, "id = ?", id) |`, 1, tx().First(&doc{}, "id = ?", id)},
		{`One typed ID, as in db.First(&doc, id) or own.Delete(&Doc{}, id), is right`, 1, tx().First(&doc{}, id)},
		{`One typed ID, as in db.First(&doc, id)`, 0, tx().First(&doc{}, null.ID)},
		{`or own.Delete(&Doc{}, id)`, 0, own().Delete(&doc{}, null.ID)},
		{`| db.First(&doc, text) | 1=1 | finds any document |`, 1, tx().First(&doc{}, "1=1")},
		{`| db.Delete(&Doc{}, "id = ?", id) |`, 1, tx().Delete(&doc{}, "id = ?", id)},
		{`| db.Delete(&Doc{}, text) | 1=1 | deletes every document |`, 3, tx().Delete(&doc{}, "1=1")},
		{`| own.Delete(&Doc{}, "id = ?", id) |`, 0, own().Delete(&doc{}, "id = ?", null.ID)},
		{`Only with no other condition does gorm refuse`, -1, tx().Delete(&doc{ID: null.ID})},
		{`| own.Delete(&Doc{ID: id}) | a zero ID | deletes all of the owner's |`, 2, own().Delete(&doc{ID: null.ID})},
		{`| own.Model(&Doc{}).Where("id = ?", id).Update("title", s) |`, 0,
			own().Model(&doc{}).Where("id = ?", null.ID).Update("title", "")},
		{`| own.Model(&Doc{ID: id}).Update("title", s) | a zero ID | changes all of the owner's |`, 2,
			own().Model(&doc{ID: null.ID}).Update("title", "")},
		{`| db.Find(&docs, "owner_id = ?", id) |`, 0, tx().Find(&docs{}, "owner_id = ?", null.ID)},
		{`| db.Find(&docs, &Doc{OwnerID: id}) | a zero ID | finds every document |`, 3, tx().Find(&docs{}, &doc{OwnerID: model.UserID(null.ID)})},
		{`| db.Find(&docs, "id IN ?", ids) |`, 1, tx().Find(&docs{}, "id IN ?", []docID{id})},
		{`| db.Find(&docs, "id IN ?", ids) |`, 0, tx().Find(&docs{}, "id IN ?", empty)},
		{`| db.Find(&docs, ids) | an empty list, zero IDs | finds every document |`, 3, tx().Find(&docs{}, null.IDs)},
		{`| db.Find(&docs, ids) | an empty list, zero IDs | finds every document |`, 3, tx().Find(&docs{}, empty)},
		{`Lists of ulid.ULID match every row only when they are empty`, 3, tx().Find(&docs{}, []ulid.ULID{})},
		{`Lists of ulid.ULID match every row only when they are empty`, 0, tx().Find(&docs{}, []ulid.ULID{{}})},
		{`| own.Delete(&Doc{}, "id IN ?", ids) |`, 0, own().Delete(&doc{}, "id IN ?", null.IDs)},
		{`| own.Delete(&Doc{}, ids) | an empty list, zero IDs | deletes all of the owner's |`, 2, own().Delete(&doc{}, null.IDs)},
		{`| own.Delete(&Doc{}, ids) | an empty list, zero IDs | deletes all of the owner's |`, 2, own().Delete(&doc{}, empty)},
		{`A list of typed IDs that are not zero gives an error`, -1, tx().Find(&docs{}, []docID{id})},
		{`also asks for the ID that doc has`, 0, tx().First(&used, "id = ?", made[1].ID)},
	} {
		failed := s.got.Error != nil && s.got.Error != gorm.ErrRecordNotFound
		if s.got.RowsAffected != max(s.want, 0) || failed != (s.want < 0) {
			t.Errorf("%s: %d rows, %v, want %d", s.words, s.got.RowsAffected, s.got.Error, s.want)
		}
		if !strings.Contains(text, s.words) {
			t.Errorf("docs/gorm.md lacks %s", s.words)
		}
	}
	if words := "NULL leaves the old ID in a *UserID"; !strings.Contains(text, words) {
		t.Errorf("docs/gorm.md lacks %s", words)
	}
	tx()
	now.Model(&doc{}).Where("id = ?", id).Update("editor_id", nil)
	if err := now.First(&used).Error; err != nil || used.EditorID == nil || *used.EditorID != ed.ID {
		t.Errorf("NULL read over an ID gives %v, %v, want the old ID", used.EditorID, err)
	}
	now.Rollback()

	other, same := Other{ID: ulid.Make(), Typed: storage.UUIDID(ulid.MakeUUIDv7())}, Other{}
	err = errors.Join(db.AutoMigrate(&other), db.Create(&other).Error, db.First(&same, "typed = ?", other.Typed).Error)
	if err != nil || same != other {
		t.Errorf("%v was read as %v, %v", other, same, err)
	}
	if words := "key without it becomes varchar(191), and any other field longtext"; !strings.Contains(text, words) {
		t.Errorf("docs/gorm.md lacks %s", words)
	}
	types, _ := db.Migrator().ColumnTypes(&other)
	for i, want := range map[bool][]string{true: {"varchar(191)", "longtext"}, false: {"text", "text"}}[db.Name() == "mysql"] {
		if got, _ := types[i].ColumnType(); got != want {
			t.Errorf("without a tag %s is %s, want %s", types[i].Name(), got, want)
		}
	}
}
