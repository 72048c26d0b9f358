package gorm

//go:generate go test . -write

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/glebarez/sqlite"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/schema"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

const (
	gormPage = "docs/gorm.md"
	here     = "interop/storage/gorm/"
)

// TestPage renews the code on the page. Each block is a whole file of this folder, so that a reader can paste it.
func TestPage(t *testing.T) {
	text, err := page.Sources(page.Text(t, gormPage), here)
	db.Check(t, err)
	page.Check(t, gormPage, text)
	for _, b := range page.Blocks(text) {
		isFile := strings.HasPrefix(b.Name, here) && strings.HasSuffix(b.Name, ".go")
		if b.Language == "go" && !isFile {
			t.Errorf("a block of %s is no file of this folder:\n%s", gormPage, b.Code)
		}
	}
}

// fact finds the marker of a fact on the page.
func fact(t *testing.T, name string) {
	t.Helper()
	page.Fact(t, gormPage, name)
}

// open leads gorm to a database. SQLite is opened as the page does it.
func open(t *testing.T, conn *db.DB) *gorm.DB {
	t.Helper()
	var dialector gorm.Dialector
	switch conn.Family {
	case "sqlite":
		page.Contains(t, gormPage, `sqlite.Open(filepath.Join(t.TempDir(), "test.db") + "?_pragma=foreign_keys(1)")`)
		dialector = sqlite.Open(filepath.Join(t.TempDir(), "test.db") + "?_pragma=foreign_keys(1)")
	case "postgres":
		dialector = postgres.New(postgres.Config{Conn: conn.DB.DB})
	case "mysql":
		dialector = mysql.New(mysql.Config{Conn: conn.DB.DB})
	}
	g, err := gorm.Open(dialector, &gorm.Config{Logger: logger.Discard})
	db.Check(t, err)
	return g
}

// A variant is the model with other kinds, and as a reader changes it for soft delete.
type variant struct {
	name     string
	replaced []string // old and new, for strings.Replacer
}

const softly = "Editor *User\n\tDeletedAt gorm.DeletedAt `gorm:\"index\"`"

var variants = []variant{
	{"TextColumn", []string{"typed.UUIDColumn", "typed.TextColumn"}},
	{"UUIDColumn, soft delete", []string{
		"Docs  []Doc", "DeletedAt gorm.DeletedAt `gorm:\"index\"`; Docs []Doc",
		"Editor   *User", softly,
	}},
	{"TextColumn, soft delete", []string{
		"typed.UUIDColumn", "typed.TextColumn",
		"Docs  []Doc", "DeletedAt gorm.DeletedAt `gorm:\"index\"`; Docs []Doc",
		"Editor   *User", softly,
	}},
}

// TestVariants runs TestModel and TestRun with each variant.
func TestVariants(t *testing.T) {
	const model = here + "model.go"
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			text := page.Text(t, model)
			for old := range slices.Chunk(v.replaced, 2) {
				if !strings.Contains(text, old[0]) {
					t.Fatalf("%s lacks %s", model, old[0])
				}
			}
			dir := t.TempDir()
			changed, overlay := filepath.Join(dir, "model.go"), filepath.Join(dir, "overlay.json")
			db.Check(t, os.WriteFile(changed, []byte(strings.NewReplacer(v.replaced...).Replace(text)), 0o644))
			replace := map[string]string{filepath.Join(page.Root(), model): changed}
			list, err := json.Marshal(map[string]any{"Replace": replace})
			db.Check(t, err)
			db.Check(t, os.WriteFile(overlay, list, 0o644))
			cmd := exec.Command("go", "test", "-count=1", "-run=^Test(Model|Run)$", "-overlay="+overlay, ".")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// databases are those whose column the kinds of the model have. Programs for PostgreSQL are often tested with SQLite.
func databases() []*db.Database {
	if isUUID := UserID.GormDataType(UserID{}) == "uuid"; isUUID {
		return []*db.Database{db.SQLite, db.PostgreSQL}
	}
	return []*db.Database{db.SQLite, db.MariaDB, db.MySQL}
}

// isSoft reports whether the model has DeletedAt.
func isSoft(g *gorm.DB) bool {
	statement := gorm.Statement{DB: g}
	return statement.Parse(&Doc{}) == nil && statement.Schema.LookUpField("DeletedAt") != nil
}

// A fixture is a database with two users, Ann and Bob, and their documents.
type fixture struct {
	*gorm.DB
	database *db.Database
	ann, bob *User
	docs     []Doc // Ann's, edited by Bob; Bob's; Ann's. Nobody edits the last two.

	counts []int  // of the rows that each statement concerned, if not nil
	undoTo string // the savepoint to which each statement is undone, if there is one
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
	f := &fixture{DB: open(t, d.Open(t, parameters)), database: d}
	models := []any{&User{}, &Doc{}, &Ownerless{}, &Twice{}, &IntegerKey{}}
	if d == db.MySQL { // the model fits the recommended column too
		tagIDs(t, f.DB, d.Columns[0].Tag, models)
	}
	db.Check(t, f.AutoMigrate(models...))
	f.ann, f.bob = &User{Email: "ann"}, &User{Email: "bob"}
	db.Check(t, f.Create([]*User{f.ann, f.bob}).Error)
	f.docs = []Doc{
		{Title: "a", Owner: f.ann, EditorID: &f.bob.ID},
		{Title: "b", Owner: f.bob},
		{Title: "c", Owner: f.ann},
	}
	db.Check(t, f.Create(&f.docs).Error)
	db.Check(t, f.AutoMigrate(models...)) // as a program does that starts again
	f.countRows(t)
	return f
}

// tagIDs gives the typed IDs of models another column.
func tagIDs(t *testing.T, g *gorm.DB, column string, models []any) {
	t.Helper()
	for _, m := range models {
		statement := gorm.Statement{DB: g}
		db.Check(t, statement.Parse(m))
		for _, field := range statement.Schema.Fields {
			if strings.HasPrefix(field.IndirectFieldType.Name(), "ID[") {
				field.DataType = schema.DataType(column)
			}
		}
	}
}

// countRows lets each statement count its rows, and be undone.
func (f *fixture) countRows(t *testing.T) {
	count := func(tx *gorm.DB) {
		if f.counts == nil || tx.Error != nil {
			return
		}
		f.counts = append(f.counts, int(tx.RowsAffected))
		if f.undoTo != "" {
			tx.Session(&gorm.Session{NewDB: true}).RollbackTo(f.undoTo)
		}
	}
	const name = "test:count"
	db.Check(t, errors.Join(
		f.Callback().Query().After("*").Register(name, count),
		f.Callback().Update().After("*").Register(name, count),
		f.Callback().Delete().After("*").Register(name, count),
	))
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

// counted returns how many rows each statement of a function concerned, and undoes it before the next.
func (s *session) counted(run func()) []int {
	const savepoint = "each_statement"
	s.must(s.tx.SavePoint(savepoint))
	s.counts, s.undoTo = []int{}, savepoint
	defer func() { s.counts, s.undoTo = nil, "" }()
	run()
	return s.counts
}

// own is a condition for Ann's documents.
func (s *session) own() *gorm.DB { return s.tx.Where("owner_id = ?", s.ann.ID) }

// annsDoc returns the ID of a document of Ann, bobsDoc that of one of Bob.
func (s *session) annsDoc() DocID { return s.docs[0].ID }
func (s *session) bobsDoc() DocID { return s.docs[1].ID }

const fails = "fails"

// rows returns how many rows a statement concerned, or that it fails.
func (s *session) rows(result *gorm.DB) any {
	if result.Error != nil && !errors.Is(result.Error, gorm.ErrRecordNotFound) {
		s.failed = result.Error
		return fails
	}
	return int(result.RowsAffected)
}

// must ends the test if there is an error.
func (s *session) must(result *gorm.DB) {
	s.t.Helper()
	db.Check(s.t, result.Error)
}

// left returns the titles of the documents that are left.
func (s *session) left() (titles string) {
	var docs []Doc
	s.must(s.tx.Order("id").Find(&docs))
	for _, d := range docs {
		titles += d.Title
	}
	return titles
}

// docsWith returns how many documents there are with an ID.
func (s *session) docsWith(id DocID) any { return s.rows(s.tx.Find(&[]Doc{}, "id = ?", id)) }

// A claim is a call that the page has or warns of, and what comes of it.
type claim struct {
	name string
	fact string // of <!-- fact: … --> on the page, if the sentence has one
	run  func(*session) any
	want any // a results, if it differs by database
}

// results are what a claim gives in each database. A claim about some databases leaves the others out.
type results map[*db.Database]any

// TestModel runs what the page has for copying, and what it warns of, with the model of the page.
func TestModel(t *testing.T) {
	for _, d := range databases() {
		t.Run(d.Name, func(t *testing.T) {
			f := newFixture(t, d)
			deletes := hardClaims
			if isSoft(f.DB) {
				deletes = softClaims
			}
			for _, c := range slices.Concat(pageClaims, conditionClaims, requestClaims, createClaims, deleteClaims, deletes) {
				want := c.want
				if byDatabase, ok := want.(results); ok {
					want, ok = byDatabase[d]
					if !ok {
						continue
					}
				}
				t.Run(c.name, func(t *testing.T) {
					if c.fact != "" {
						fact(t, c.fact)
					}
					s := f.session(t)
					if got := c.run(s); got != want {
						t.Errorf("got %v, want %v; the last error is %v", got, want, s.failed)
					}
				})
			}
		})
	}
}
