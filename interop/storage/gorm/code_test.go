package gorm

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// here begins the names of the blocks of the page.
const here = "interop/storage/gorm/"

// TestPage renews the code on the page, all of which is in this folder.
func TestPage(t *testing.T) {
	text, err := page.Sources(page.Text(t, gormPage), here)
	db.Check(t, err)
	page.Check(t, gormPage, text)
	for _, b := range page.Blocks(text) {
		isLines := b.Name == "wrong" || b.Name == "right" // which TestLines compares
		if b.Language == "go" && !isLines && !strings.HasPrefix(b.Name, here) {
			t.Errorf("a block of %s names no file:\n%s", gormPage, b.Code)
		}
	}
}

// TestPasted compiles the code of the page in a package of its reader, each block as a file.
func TestPasted(t *testing.T) {
	dir := t.TempDir()
	for i, b := range page.Blocks(page.Text(t, gormPage)) {
		if strings.HasPrefix(b.Name, here) {
			code := "package docs\n\n" + b.Code
			if !strings.HasPrefix(b.Code, "import") {
				code = "package docs\n\n" + importsOf(t, b.Name) + b.Code
			}
			db.Check(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("block%d.go", i)), []byte(code), 0o644))
		}
	}
	// The versions of this module.
	for _, name := range []string{"go.mod", "go.sum"} {
		db.Check(t, os.WriteFile(filepath.Join(dir, name), []byte(page.Text(t, "interop/"+name)), 0o644))
	}
	const library = "github.com/seed-961d0905/ulid"
	command(t, dir, "mod", "edit", "-module=example.com/docs",
		"-replace="+library+"="+page.Root(), "-replace="+library+"/typed="+filepath.Join(page.Root(), "typed"))
	command(t, dir, "vet", "-mod=mod", ".")
}

// importsOf returns the imports of the file of a block, which an editor adds for the reader.
func importsOf(t *testing.T, block string) (imports string) {
	t.Helper()
	file, _, _ := strings.Cut(block, ": ")
	parsed, err := parser.ParseFile(token.NewFileSet(), "", page.Text(t, file), parser.ImportsOnly)
	db.Check(t, err)
	for _, spec := range parsed.Imports {
		imports += "import " + spec.Path.Value + "\n"
	}
	return imports + "\n"
}

// command runs the go command.
func command(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// TestKinds runs what is for copying with another column in the kinds of the page.
func TestKinds(t *testing.T) {
	for _, column := range []string{"TextColumn", "BinaryColumn"} {
		t.Run(column, func(t *testing.T) {
			dir := t.TempDir()
			replaced := map[string]string{}
			for _, name := range []string{"model.go", "model_test.go"} {
				text := page.Text(t, here+name)
				with := strings.ReplaceAll(text, "typed.UUIDColumn", "typed."+column)
				if with == text {
					t.Fatalf("%s has no kind", name)
				}
				replaced[filepath.Join(page.Root(), here, name)] = filepath.Join(dir, name)
				db.Check(t, os.WriteFile(filepath.Join(dir, name), []byte(with), 0o644))
			}
			overlay, err := json.Marshal(map[string]any{"Replace": replaced})
			db.Check(t, err)
			file := filepath.Join(dir, "overlay.json")
			db.Check(t, os.WriteFile(file, overlay, 0o644))
			cmd := exec.Command("go", "test", "-count=1", "-run=^(TestCode|TestLines|TestDeleteUser)$", "-overlay="+file, ".")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestCode runs what the page has for copying.
func TestCode(t *testing.T) {
	db.Each(t, func(t *testing.T, d *db.Database) {
		t.Run("run", func(t *testing.T) {
			g := openModel(t, d, "")
			db.Check(t, run(g))
			var docs []Doc
			db.Check(t, g.Find(&docs).Error)
			if len(docs) > 0 {
				t.Errorf("run leaves %v", docs)
			}
		})
		f := newFixture(t, d)
		for _, e := range examples {
			t.Run(e.name, func(t *testing.T) {
				s := f.session(t)
				want := e.want
				if e.mysql != "" && d == db.MySQL {
					want = e.mysql
				}
				if got := e.run(s); got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			})
		}
	})
}

// An example runs a function of the page, and returns the documents that are there afterwards, by their titles, or what
// else it says. The fixture has a, b and c, of which b is Bob's.
type example struct {
	name  string
	run   func(*session) string
	want  string
	mysql string // if that differs
}

// owners returns whose documents there are.
func (s *session) owners(err error) (all string) {
	if errors.Is(err, gorm.ErrRecordNotFound) {
		all = "not found, "
		err = nil
	}
	db.Check(s.t, err)
	var docs []Doc
	s.must(s.tx.Order("id").Preload("Owner").Find(&docs))
	for _, d := range docs {
		all += d.Title + " of " + d.Owner.Email + " "
	}
	return strings.TrimSuffix(all, " ")
}

// body returns a request for a document, which says that it is Bob's.
func (s *session) body(title string, id DocID) []byte {
	s.t.Helper()
	body, err := json.Marshal(map[string]any{"title": title, "id": id, "ownerID": s.bob.ID})
	db.Check(s.t, err)
	return body
}

// nobodysDoc is the ID of no document, and later than all.
var nobodysDoc = DocID(ulid.FirstAt(time.Now().Add(time.Hour)))

const unchanged = "a of ann b of bob c of ann"

var examples = []example{
	{name: "upsertUser, Ann", want: "ann, 1 row, the ID of ann",
		run: func(s *session) string { return s.upserted("ann") }},
	{name: "upsertUser, new", want: "new, 1 row",
		run: func(s *session) string { return s.upserted("new") }},

	{name: "rename, another ID and owner", want: "x of ann b of bob c of ann",
		run: func(s *session) string {
			return s.owners(rename(s.tx, s.ann.ID, s.annsDoc(), s.body("x", nobodysDoc)))
		}},
	{name: "rename, Bob's", want: "not found, " + unchanged,
		run: func(s *session) string {
			return s.owners(rename(s.tx, s.ann.ID, s.bobsDoc(), s.body("x", s.bobsDoc())))
		}},
	{name: "rename, zero", want: "not found, " + unchanged,
		run: func(s *session) string {
			return s.owners(rename(s.tx, s.ann.ID, DocID{}, s.body("x", s.annsDoc())))
		}},
	{name: "rename, the owner zero", want: "not found, " + unchanged,
		run: func(s *session) string {
			return s.owners(rename(s.tx, UserID{}, s.annsDoc(), s.body("x", s.annsDoc())))
		}},
	// MySQL's DSN lacks clientFoundRows=true here, which MariaDB's has.
	{name: "rename, the same title", want: unchanged, mysql: "not found, " + unchanged,
		run: func(s *session) string {
			fact(s.t, "rows-affected-of-unchanged")
			return s.owners(rename(s.tx, s.ann.ID, s.annsDoc(), s.body("a", s.annsDoc())))
		}},
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

// TestEvent creates a row of the model without typed in PostgreSQL.
func TestEvent(t *testing.T) {
	fact(t, "plain-ids-need-a-hook")
	g := open(t, db.PostgreSQL.Open(t, ""))
	db.Check(t, g.AutoMigrate(&Event{}))
	e := Event{Name: "first"}
	db.Check(t, g.Create(&e).Error)
	var found Event
	db.Check(t, g.First(&found, "id = ?", e.ID).Error)
	if found != e || ulid.ULID(e.ID).IsZero() {
		t.Errorf("found %v, want %v", found, e)
	}
}
