package gorm

import (
	"database/sql/driver"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/typed"
)

// A structID is an ID that is a struct, in place of a typed ID.
type structID struct{ ulid.ULID }

// Hidden has a hook that hides the one of its base.
type Hidden struct{ Doc }

func (*Hidden) BeforeCreate(*gorm.DB) error { return nil }

// Twice has two hooks at the same depth, so Go promotes neither.
type Twice struct {
	Row[twice]
	Audit
}
type twice struct{ typed.UUIDColumn }
type Audit struct{ Note string }

func (*Audit) BeforeCreate(*gorm.DB) error { return nil }

// First has the integer of gorm.Model as its key.
type First struct {
	gorm.Model
	Row[first]
}
type first struct{ typed.UUIDColumn }

// Nothing checks that the owner of an Ownerless exists.
type Ownerless struct {
	Row[ownerless]
	OwnerID UserID
	Owner   *User `gorm:"constraint:-"`
}
type ownerless struct{ typed.UUIDColumn }

// A Note is deleted softly, and belongs to an Author.
type Note struct {
	Row[note]
	AuthorID  *typed.ID[author]
	Name      string `gorm:"size:100;uniqueIndex"`
	CreatedAt time.Time
	DeletedAt gorm.DeletedAt `gorm:"index"`
}
type note struct{ typed.UUIDColumn }

type Author struct {
	Row[author]
	DeletedAt gorm.DeletedAt
	Notes     []Note
}
type author struct{ typed.UUIDColumn }

// A fixture is a database with two users, Ann and Bob, and their documents.
type fixture struct {
	*gorm.DB
	from     time.Time // before the first document
	ann, bob *User
	docs     []Doc // Ann's, edited by Bob; Bob's; Ann's. Nobody edits the last two.
}

// newFixture creates the tables and the rows.
func newFixture(t *testing.T, d *db.Database) *fixture {
	// One of the two counts the rows that an UPDATE changes, and the other those that it finds.
	parameters := ""
	switch d {
	case db.MySQL:
		parameters = "parseTime=true"
	case db.MariaDB:
		parameters = "parseTime=true&clientFoundRows=true"
	}
	g := openModel(t, d, parameters)
	f := &fixture{DB: g, from: time.Now(), ann: &User{Email: "ann"}, bob: &User{Email: "bob"}}
	db.Check(t, g.Create([]*User{f.ann, f.bob}).Error)
	f.docs = []Doc{
		{Title: "a", Owner: f.ann, EditorID: &f.bob.ID},
		{Title: "b", Owner: f.bob},
		{Title: "c", Owner: f.ann},
	}
	db.Check(t, g.Create(&f.docs).Error)
	return f
}

// openModel opens an empty database and creates the tables of the models.
func openModel(t *testing.T, d *db.Database, parameters string) *gorm.DB {
	t.Helper()
	return migrate(t, d, open(t, d.Open(t, parameters)))
}

// migrate creates the tables of the models.
func migrate(t *testing.T, d *db.Database, g *gorm.DB) *gorm.DB {
	t.Helper()
	models := []any{&User{}, &Doc{}, &Author{}, &Note{}, &Ownerless{}, &Twice{}, &First{}}
	for _, m := range models {
		tagIDs(t, d, g, m)
	}
	db.Check(t, g.AutoMigrate(models...))
	return g
}

// tagIDs gives the IDs of a model the tag that the page demands of their kind in a database.
func tagIDs(t *testing.T, d *db.Database, g *gorm.DB, m any) {
	t.Helper()
	statement := &gorm.Statement{DB: g}
	db.Check(t, statement.Parse(m))
	for _, field := range statement.Schema.Fields {
		if !strings.HasPrefix(field.IndirectFieldType.Name(), "ID[") {
			continue
		}
		value, err := reflect.New(field.IndirectFieldType).Interface().(driver.Valuer).Value()
		db.Check(t, err)
		switch v := value.(type) {
		case []byte:
			if d.IsMySQL() {
				field.Size = 16
			}
		case string:
			if d == db.MySQL && len(v) == 36 {
				field.DataType = schema.DataType("char(36)")
			}
		}
	}
}

// A session is a transaction on a fixture, which is rolled back when its test ends.
type session struct {
	*fixture
	t      *testing.T
	tx     *gorm.DB // the db of the page
	failed error    // of the last statement that failed
}

func (f *fixture) session(t *testing.T) *session {
	t.Helper()
	tx := f.Begin()
	db.Check(t, tx.Error)
	t.Cleanup(func() { tx.Rollback() })
	return &session{fixture: f, t: t, tx: tx}
}

// own is a condition for Ann's documents.
func (s *session) own() *gorm.DB { return s.tx.Where("owner_id = ?", s.ann.ID) }

// annsDoc returns the ID of a document of Ann, bobsDoc that of one of Bob.
func (s *session) annsDoc() DocID { return s.docs[0].ID }
func (s *session) bobsDoc() DocID { return s.docs[1].ID }

// Results that are no number of rows.
const (
	fails  = "fails"
	panics = "panics"
)

// rows returns how many rows a statement concerned, or that it fails.
func (s *session) rows(result *gorm.DB) any {
	if result.Error != nil && !errors.Is(result.Error, gorm.ErrRecordNotFound) {
		s.failed = result.Error
		return fails
	}
	return int(result.RowsAffected)
}

// generic returns the result of a function of gorm.G as that of the other functions.
func generic(rows int, err error) *gorm.DB { return &gorm.DB{RowsAffected: int64(rows), Error: err} }

// must ends the test if there is an error.
func (s *session) must(result *gorm.DB) {
	s.t.Helper()
	db.Check(s.t, result.Error)
}

// docsWith returns how many documents there are with an ID.
func (s *session) docsWith(id DocID) any { return s.rows(s.tx.Find(&[]Doc{}, "id = ?", id)) }

// orPanics returns what a function returns, or that it panics.
func orPanics(run func() any) (result any) {
	defer func() {
		if recover() != nil {
			result = panics
		}
	}()
	return run()
}

// A claim is something that the page says about its model: a fact beside whose sentence stands the marker, and perhaps
// code that the page shows.
type claim struct {
	fact string // of <!-- fact: … -->
	code string // as the page has it
	name string // which tells apart the claims of one fact
	run  func(*session) any
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
		s := newFixture(t, d)
		for _, claims := range [][]claim{hookClaims, upsertClaims, saveClaims, listClaims, valueClaims} {
			for _, c := range claims {
				if want, ok := c.want[d]; ok {
					t.Run(c.fact+": "+c.name, func(t *testing.T) { c.test(t, s, want) })
				}
			}
		}
	})
}

func (c claim) test(t *testing.T, on *fixture, want any) {
	fact(t, c.fact)
	if c.code != "" {
		page.Contains(t, gormPage, c.code)
	}
	s := on.session(t)
	if got := orPanics(func() any { return c.run(s) }); got != want {
		t.Errorf("got %v, want %v; the last error is %v", got, want, s.failed)
	}
}

// fact finds the marker of a fact on the page.
func fact(t *testing.T, name string) {
	t.Helper()
	page.Fact(t, gormPage, name)
}
