package gorm

import (
	"cmp"
	"errors"
	"testing"
	"time"

	"gorm.io/gorm"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/interop/recipes/model"
	"github.com/seed-961d0905/ulid/typed"
)

// The model of the page.
type (
	user   = model.User
	doc    = model.Doc
	docs   = []model.Doc
	userID = model.UserID
	docID  = model.DocID
)

// A structID is an ID that is a struct, in place of a typed ID.
type structID struct{ ulid.ULID }

// Hidden has a hook that hides the one of its base.
type Hidden struct{ model.Doc }

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

// A stage is a database with two users, Ann and Ed, and their documents.
type stage struct {
	*gorm.DB
	from    time.Time // before the first document
	ann, ed *user
	docs    docs // Ann's, edited by Ed; Ed's; Ann's. Nobody edits the last two.
}

// newStage makes the tables and the rows.
func newStage(t *testing.T, d *db.Database) *stage {
	// One of the two counts the rows that an UPDATE changes, and the other those that it finds.
	parameters := ""
	switch d {
	case db.MySQL:
		parameters = "parseTime=true"
	case db.MariaDB:
		parameters = "parseTime=true&clientFoundRows=true"
	}
	g, _ := open(t, d.Open(t, parameters))
	db.Check(t, g.AutoMigrate(&user{}, &doc{}, &Gone{}, &Twice{}, &First{}))
	s := &stage{DB: g, from: time.Now(), ann: &user{Email: "ann"}, ed: &user{Email: "ed"}}
	s.docs = docs{
		{Title: "a", Owner: s.ann, Editor: s.ed},
		{Title: "b", Owner: s.ed},
		{Title: "c", Owner: s.ann},
	}
	db.Check(t, g.Create(&s.docs).Error)
	return s
}

// A scene is played on a stage, in a transaction that is rolled back when its test ends.
type scene struct {
	*stage
	t      *testing.T
	tx     *gorm.DB // the db of the page
	failed error    // of the last statement that failed
}

func (s *stage) scene(t *testing.T) *scene {
	tx := s.Begin()
	db.Check(t, tx.Error)
	t.Cleanup(func() { tx.Rollback() })
	return &scene{stage: s, t: t, tx: tx}
}

// own is the own of the page: a condition for Ann's documents.
func (s *scene) own() *gorm.DB { return s.tx.Where("owner_id = ?", s.ann.ID) }

// id returns the ID of a document of Ann, edOwns that of one of Ed.
func (s *scene) id() docID     { return s.docs[0].ID }
func (s *scene) edOwns() docID { return s.docs[1].ID }

// Results that are no number of rows.
const (
	fails  = "fails"
	panics = "panics"
)

// rows returns how many rows a statement concerned, or that it fails.
func (s *scene) rows(result *gorm.DB) any {
	if result.Error != nil && !errors.Is(result.Error, gorm.ErrRecordNotFound) {
		s.failed = result.Error
		return fails
	}
	return int(result.RowsAffected)
}

// generic returns the result of a function of gorm.G as that of the other functions.
func generic(rows int, err error) *gorm.DB { return &gorm.DB{RowsAffected: int64(rows), Error: err} }

// must ends the test if there is an error.
func (s *scene) must(result *gorm.DB) {
	s.t.Helper()
	db.Check(s.t, result.Error)
}

// docsWith returns how many documents there are with an ID.
func (s *scene) docsWith(id docID) any { return s.rows(s.tx.Find(&docs{}, "id = ?", id)) }

// orPanics returns what a function returns, or that it panics.
func orPanics(run func() any) (result any) {
	defer func() {
		if recover() != nil {
			result = panics
		}
	}()
	return run()
}

// A claim is something that the page says about its model: a fact beside whose sentence stands the marker, or code that
// the page shows, or both.
type claim struct {
	fact string // of <!-- fact: … -->
	code string // as the page has it
	name string // which tells apart the claims of one fact
	run  func(*scene) any
	want results
}

// results are what a claim gives in each database. A claim about some databases leaves the others out.
type results map[*db.Database]any

func everywhere(result any) results {
	return results{db.SQLite: result, db.PostgreSQL: result, db.MariaDB: result, db.MySQL: result}
}

// TestModel shows that each claim about the model is true.
func TestModel(t *testing.T) {
	db.Each(t, func(t *testing.T, d *db.Database) {
		s := newStage(t, d)
		for _, claims := range [][]claim{hookClaims, upsertClaims, saveClaims, listClaims, valueClaims} {
			for _, c := range claims {
				if want, ok := c.want[d]; ok {
					t.Run(cmp.Or(c.fact, c.code)+": "+c.name, func(t *testing.T) { c.test(t, s, want) })
				}
			}
		}
	})
}

func (c claim) test(t *testing.T, on *stage, want any) {
	if c.fact == "" && c.code == "" {
		t.Error("nothing on the page says this")
	}
	if c.fact != "" {
		page.Fact(t, gormPage, c.fact)
	}
	if c.code != "" {
		page.Contains(t, gormPage, c.code)
	}
	s := on.scene(t)
	if got := orPanics(func() any { return c.run(s) }); got != want {
		t.Errorf("got %v, want %v; the last error is %v", got, want, s.failed)
	}
}
