package gorm

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/typed"
)

// everybodys is a condition that runs as SQL.
const everybodys = "1=1) OR (1=1"

// pageClaims are about the functions of the page. The rows of wrong and right are those of their statements, each of
// which is undone before the next.
var pageClaims = []claim{
	{
		name: "wrong, with what a program has without an ID",
		fact: "deletes-too-much",
		run: func(s *session) any {
			return fmt.Sprint(s.counted(func() { s.wrong("") }))
		},
		want: "[2 2 2 2 2 1 1 3 3 1]",
	},
	{
		name: "wrong, with a condition in place of an ID",
		run:  func(s *session) any { return s.counted(func() { s.wrong(everybodys) })[0] },
		want: 3,
	},
	{
		name: "right, with what a program has without an ID",
		run:  func(s *session) any { return s.right(DocID{}, nil, nil, -1) },
		want: "[0 0 0 0 0 0 0 1]",
	},
	{
		name: "right, with an empty list, and a pointer to a zero ID",
		run:  func(s *session) any { return s.right(DocID{}, []DocID{}, &UserID{}, 0) },
		want: "[0 0 0 0 0 0 0 1]",
	},
	{
		name: "right, with IDs of Ann",
		run:  func(s *session) any { return s.right(s.annsDoc(), []DocID{s.annsDoc()}, &s.bob.ID, 10) },
		want: "[1 1 1 1 1 1 1 2]",
	},
	{
		name: "right, with IDs of Bob",
		run:  func(s *session) any { return s.right(s.bobsDoc(), []DocID{s.bobsDoc()}, &s.ann.ID, 10) },
		want: "[0 0 0 2 0 0 0 2]",
	},
	{
		name: "right, with a condition in place of an ID",
		run: func(s *session) any {
			return right(s.t.Context(), s.tx, s.ann.ID, everybodys, Doc{}, nil, nil, 1) != nil
		},
		want: true,
	},
	{
		name: "own without Session keeps the conditions of the statement before",
		run: func(s *session) any {
			own := s.own()
			s.rows(own.Find(&[]Doc{}, "id = ?", s.docs[0].ID))
			return s.rows(own.Find(&[]Doc{}, "id = ?", s.docs[2].ID))
		},
		want: 0,
	},
	{
		name: "the query of run, with the owners",
		run: func(s *session) any {
			var found []Doc
			from := typed.FirstAt[doc](s.docs[0].ID.Timestamp())
			s.must(s.tx.Preload("Owner").Order("id").Find(&found, "id >= ?", from))
			later := typed.FirstAt[doc](time.Now().Add(time.Hour))
			return reflect.DeepEqual(found, s.docs) && s.rows(s.tx.Find(&found, "id >= ?", later)) == 0
		},
		want: true,
	},
	{
		name: "rename",
		run:  func(s *session) any { return s.renamed(s.ann.ID, s.annsDoc(), "x") },
		want: "x of ann b of bob c of ann",
	},
	{
		name: "rename, Bob's",
		run:  func(s *session) any { return s.renamed(s.ann.ID, s.bobsDoc(), "x") },
		want: "not found, " + unchanged,
	},
	{
		name: "rename, zero",
		run:  func(s *session) any { return s.renamed(s.ann.ID, DocID{}, "x") },
		want: "not found, " + unchanged,
	},
	{
		name: "rename, the owner zero",
		run:  func(s *session) any { return s.renamed(UserID{}, s.annsDoc(), "x") },
		want: "not found, " + unchanged,
	},
	{
		name: "rename without a title",
		run:  func(s *session) any { return rename(s.tx, s.ann.ID, s.annsDoc(), []byte(`{"titel":"x"}`)).Error() },
		want: "no title",
	},
	{
		name: "put, Ann's",
		run:  func(s *session) any { return s.put(s.annsDoc()) },
		want: "x of ann b of bob c of ann",
	},
	{
		name: "put, Bob's",
		run:  func(s *session) any { return s.put(s.bobsDoc()) },
		want: fails + ", " + unchanged,
	},
	{
		name: "put, new",
		run:  func(s *session) any { return s.put(nobodyDoc) },
		want: unchanged + " x of ann",
	},
	{
		name: "put, zero",
		run:  func(s *session) any { return s.put(DocID{}) },
		want: fails + ", " + unchanged,
	},
	{
		// MySQL's DSN lacks clientFoundRows=true here, which MariaDB's has.
		name: "rename, the same title",
		fact: "rows-affected-of-unchanged",
		run:  func(s *session) any { return s.renamed(s.ann.ID, s.annsDoc(), "a") },
		want: results{
			db.SQLite: unchanged, db.PostgreSQL: unchanged, db.MariaDB: unchanged, db.MySQL: "not found, " + unchanged,
		},
	},
}

// wrong runs the page's function with what a program has without an ID, and with the ID of a document of Bob for G.
func (s *session) wrong(condition string) {
	wrong(s.t.Context(), s.tx, s.ann.ID, condition, Doc{Title: "x"}, []DocID{}, s.bobsDoc(), nil, -1)
}

func (s *session) right(id DocID, ids []DocID, editor *UserID, limit int) any {
	return fmt.Sprint(s.counted(func() {
		d := Doc{Row: Row[doc]{ID: id}, Title: "x"}
		db.Check(s.t, right(s.t.Context(), s.tx, s.ann.ID, id.String(), d, ids, editor, limit))
	}))
}

const unchanged = "a of ann b of bob c of ann"

// renamed says whose documents there are after rename, whose request has another ID and owner too.
func (s *session) renamed(owner UserID, id DocID, title string) (all string) {
	body := fmt.Appendf(nil, `{"title":"%s","id":"%s","ownerID":"%s"}`, title, s.bobsDoc(), s.bob.ID)
	err := rename(s.tx, owner, id, body)
	if errors.Is(err, gorm.ErrRecordNotFound) {
		all = "not found, "
		err = nil
	}
	db.Check(s.t, err)
	return all + s.titles()
}

// put says whose documents there are after put with the owner Ann.
func (s *session) put(id DocID) (all string) {
	const before = "before_put"
	s.must(s.tx.SavePoint(before))
	if err := put(s.tx, s.ann.ID, id, "x"); err != nil {
		s.must(s.tx.RollbackTo(before))
		all = fails + ", "
	}
	return all + s.titles()
}

// titles returns the titles of all documents with their owners.
func (s *session) titles() string {
	var docs []Doc
	s.must(s.tx.Order("id").Preload("Owner").Find(&docs))
	var all []string
	for _, d := range docs {
		all = append(all, d.Title+" of "+d.Owner.Email)
	}
	return strings.Join(all, " ")
}

// TestRun runs run, which migrates, with its own tables.
func TestRun(t *testing.T) {
	for _, d := range databases() {
		t.Run(d.Name, func(t *testing.T) {
			f := &fixture{DB: open(t, d.Open(t, "")), counts: []int{}}
			f.countRows(t)
			db.Check(t, run(f.DB))
			// Owner and First, Find, Update, Delete
			if want := []int{1, 1, 1, 1, 1}; !slices.Equal(f.counts, want) {
				t.Errorf("the statements of run concern %v rows, want %v", f.counts, want)
			}
		})
	}
}

// structs are IDs that are structs. The second embeds what a recipe for UUIDs in JSON embeds.
type (
	structID struct{ ulid.ULID }
	jsonUUID struct{ ulid.AsUUID }
)

// conditionClaims are further calls of the kinds that wrong has, and what else matches too much.
var conditionClaims = []claim{
	{
		name: "First by a string",
		run:  func(s *session) any { return s.rows(s.tx.First(&Doc{}, "1=1")) },
		want: 1,
	},
	{
		name: "First by an empty string",
		run:  func(s *session) any { return s.rows(s.tx.First(&Doc{}, "")) },
		want: 1,
	},
	{
		name: "Find by a string of 26 digits, which Parse accepts",
		run:  func(s *session) any { return s.rows(s.tx.Find(&[]Doc{}, strings.Repeat("1", 26))) },
		want: results{db.SQLite: 3, db.PostgreSQL: fails, db.MariaDB: 3, db.MySQL: 3},
	},
	{
		name: "Delete by a string",
		run:  func(s *session) any { return s.rows(s.tx.Delete(&Doc{}, "1=1")) },
		want: 3,
	},
	{
		name: "First of a zero ID",
		run:  func(s *session) any { return s.rows(s.tx.First(&Doc{})) },
		want: 1,
	},
	{
		name: "Find by a struct with a zero owner",
		run:  func(s *session) any { return s.rows(s.tx.Find(&[]Doc{}, Doc{OwnerID: UserID{}})) },
		want: 3,
	},
	{
		name: "Find by an empty list",
		run:  func(s *session) any { return s.rows(s.tx.Find(&[]Doc{}, []DocID{})) },
		want: 3,
	},
	{
		name: "Delete by nil",
		run:  func(s *session) any { return s.rows(s.own().Delete(&Doc{}, nil)) },
		want: 2,
	},
	{
		name: "Delete of an empty list of documents",
		run:  func(s *session) any { return s.rows(s.own().Delete(&[]Doc{})) },
		want: 2,
	},
	{
		name: "Delete of documents with zero IDs",
		run:  func(s *session) any { return s.rows(s.own().Delete(&[]Doc{{}, {}})) },
		want: 2,
	},
	{
		name: "Delete with associations of a zero ID",
		run:  func(s *session) any { return s.rows(s.own().Select(clause.Associations).Delete(&Doc{})) },
		want: 2,
	},
	{
		name: "Not with an empty list in a map",
		run: func(s *session) any {
			return s.rows(s.own().Not(map[string]any{"id": []DocID{}}).Delete(&Doc{}))
		},
		want: 2,
	},
	{
		name: "Not with a zero ID",
		run:  func(s *session) any { return s.rows(s.own().Not(&Doc{}).Delete(&Doc{})) },
		want: 2,
	},
	{
		name: "Update of a model with a zero ID",
		run:  func(s *session) any { return s.rows(s.own().Model(&Doc{}).Update("title", "x")) },
		want: 2,
	},
	{
		name: "G with an empty list",
		run: func(s *session) any {
			n, err := gorm.G[Doc](s.tx).Where("owner_id = ?", s.ann.ID).Where([]DocID{}).Delete(s.t.Context())
			db.Check(s.t, err)
			return n
		},
		want: 2,
	},
	{
		name: "Limit and Order of a Delete",
		fact: "limit-of-delete",
		run:  func(s *session) any { return s.rows(s.own().Order("id").Limit(1).Delete(&Doc{})) },
		want: results{db.SQLite: 2, db.PostgreSQL: 2, db.MariaDB: 1, db.MySQL: 1},
	},
	{
		name: "Limit of an Update",
		fact: "limit-of-delete",
		run:  func(s *session) any { return s.rows(s.own().Order("id").Limit(1).Model(&Doc{}).Update("title", "x")) },
		want: results{db.SQLite: 2, db.PostgreSQL: 2, db.MariaDB: 1, db.MySQL: 1},
	},
	{
		name: "NOT IN with a zero ID",
		fact: "deletes-too-much",
		run:  func(s *session) any { return s.rows(s.own().Delete(&Doc{}, "id NOT IN ?", []DocID{{}})) },
		want: 2,
	},
	{
		name: "NOT IN with an ID of another kind",
		fact: "deletes-too-much",
		run:  func(s *session) any { return s.rows(s.own().Delete(&Doc{}, "id NOT IN ?", []UserID{s.ann.ID})) },
		want: 2,
	},
	{
		name: "FindInBatches from the newest on",
		fact: "batches-need-the-order-of-the-key",
		run:  func(s *session) any { return s.inBatches("id DESC") },
		want: "cbc", // without a
	},
	{
		name: "FindInBatches by another column",
		fact: "batches-need-the-order-of-the-key",
		run:  func(s *session) any { return s.inBatches("title DESC") },
		want: "cbc",
	},
	{
		name: "FindInBatches from the oldest on",
		run:  func(s *session) any { return s.inBatches("id") },
		want: "abc",
	},
	{
		name: "Updates leaves out nil and an empty string",
		fact: "updates-leaves-out-zeros",
		run: func(s *session) any {
			s.tx.Model(&Doc{}).Where("id = ?", s.annsDoc()).Updates(Doc{Title: "", EditorID: nil})
			return s.rows(s.tx.Find(&[]Doc{}, "id = ? AND title = 'a' AND editor_id IS NOT NULL", s.annsDoc()))
		},
		want: 1,
	},
	{
		name: "Update sets NULL",
		fact: "updates-leaves-out-zeros",
		run: func(s *session) any {
			s.must(s.tx.Model(&Doc{}).Where("id = ?", s.annsDoc()).Update("editor_id", nil))
			return s.rows(s.tx.Find(&[]Doc{}, "id = ? AND editor_id IS NULL", s.annsDoc()))
		},
		want: 1,
	},
	{
		name: "Updates without a condition",
		fact: "no-condition-is-refused",
		run:  func(s *session) any { return s.rows(s.tx.Updates(&Doc{Title: "x"})) },
		want: fails,
	},
	{
		name: "Delete without a condition",
		fact: "no-condition-is-refused",
		run:  func(s *session) any { return s.rows(s.tx.Delete(&Doc{})) },
		want: fails,
	},
	{
		name: "Delete by structs with zero IDs",
		fact: "list-of-structs-deletes-all",
		run:  func(s *session) any { return s.rows(s.own().Delete(&Doc{}, []structID{{}})) },
		want: 2,
	},
	{
		name: "Delete by structs for JSON with zero IDs",
		fact: "list-of-structs-deletes-all",
		run:  func(s *session) any { return s.rows(s.own().Delete(&Doc{}, []jsonUUID{{}})) },
		want: 2,
	},
	{
		name: "Delete by structs in SQL",
		run:  func(s *session) any { return s.rows(s.own().Delete(&Doc{}, "id IN ?", []jsonUUID{{}})) },
		want: 0,
	},
	{
		name: "First by a number",
		fact: "number-equals-nearly-every-id",
		run:  func(s *session) any { return s.rows(s.tx.First(&Doc{}, "id = ?", 1)) },
		want: results{db.MariaDB: 1, db.MySQL: 1, db.PostgreSQL: fails, db.SQLite: 0},
	},
	{
		name: "Delete by a number",
		fact: "number-equals-nearly-every-id",
		run: func(s *session) any {
			s.must(s.tx.Exec("SET sql_mode = ''"))
			defer s.tx.Exec("SET sql_mode = DEFAULT")
			return s.rows(s.tx.Delete(&Doc{}, 1))
		},
		want: results{db.MariaDB: 3, db.MySQL: 3},
	},
	{
		name: "the ID of a used variable is a condition",
		fact: "used-variable-keeps-its-id",
		run: func(s *session) any {
			used := s.docs[0]
			return s.rows(s.tx.First(&used, "id = ?", s.bobsDoc()))
		},
		want: 0,
	},
	{
		name: "NULL leaves the pointer of a used variable",
		fact: "used-variable-keeps-its-id",
		run: func(s *session) any {
			used := s.docs[0]
			s.must(s.tx.Model(&Doc{}).Where("id = ?", used.ID).Update("editor_id", nil))
			s.must(s.tx.First(&used))
			return *used.EditorID == s.bob.ID
		},
		want: true,
	},
	{
		name: "Joins without the table",
		fact: "joins-need-the-table",
		run:  func(s *session) any { return s.rows(s.tx.Joins("Owner").First(&Doc{}, "id = ?", s.annsDoc())) },
		want: fails,
	},
	{
		name: "Joins with the table",
		fact: "joins-need-the-table",
		run: func(s *session) any {
			var d Doc
			s.must(s.tx.Joins("Owner").First(&d, "docs.id = ?", s.annsDoc()))
			return d.Owner.Email
		},
		want: "ann",
	},
	{
		name: "as many parameters as a statement takes",
		fact: "too-many-parameters",
		run:  func(s *session) any { return s.rows(s.tx.Find(&[]Doc{}, "id IN ?", make([]DocID, s.parameters()))) },
		want: 0,
	},
	{
		name: "one parameter more",
		fact: "too-many-parameters",
		run:  func(s *session) any { return s.rows(s.tx.Find(&[]Doc{}, "id IN ?", make([]DocID, s.parameters()+1))) },
		want: fails,
	},
}

// inBatches returns the titles of the documents that FindInBatches finds in this order, two at a time.
func (s *session) inBatches(order string) (titles string) {
	var docs []Doc
	s.must(s.tx.Order(order).FindInBatches(&docs, 2, func(*gorm.DB, int) error {
		for _, d := range docs {
			titles += d.Title
		}
		return nil
	}))
	return titles
}

// parameters returns how many a statement takes.
func (s *session) parameters() int {
	if s.database == db.SQLite {
		return 32766
	}
	return 65535
}
