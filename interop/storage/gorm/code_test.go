package gorm

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
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
		if b.Language != "sh" && !strings.HasPrefix(b.Name, here) {
			t.Errorf("a block of %s names no file:\n%s", gormPage, b.Code)
		}
		if name := strings.TrimPrefix(b.Name, here); strings.HasSuffix(name, ".go") {
			page.Contains(t, gormPage, "`"+name+"`") // for the reader, who does not see the comment
		}
	}
}

// TestPasted runs the code of the page as a program of its reader, and compares what it prints.
func TestPasted(t *testing.T) {
	dir := t.TempDir()
	for i, b := range page.Blocks(page.Text(t, gormPage)) {
		if b.Language == "go" {
			code := "package main\n\n" + importsOfModel(t, b.Code) + b.Code
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
	wantOutput(t, command(t, dir, "run", "-mod=mod", "."))
}

// importsOfModel returns the imports of model.go that a block needs. As the page says, a block has its imports unless
// model.go has all of them.
func importsOfModel(t *testing.T, block string) (needed string) {
	t.Helper()
	if strings.Contains(block, "\nimport ") || strings.HasPrefix(block, "import ") {
		return ""
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), "", page.Text(t, here+"model.go"), parser.ImportsOnly)
	db.Check(t, err)
	for _, spec := range parsed.Imports {
		if strings.Contains(block, path.Base(strings.Trim(spec.Path.Value, `"`))+".") {
			needed += "import " + spec.Path.Value + "\n"
		}
	}
	return needed + "\n"
}

// command runs the go command, and returns what it prints.
func command(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

var anyID = regexp.MustCompile(`\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b`)

// wantOutput finds the lines of the page's output, apart from the IDs. gorm may report a slow statement between them.
func wantOutput(t *testing.T, got string) {
	t.Helper()
	got = anyID.ReplaceAllString(got, "ID")
	rest := "\n" + got
	for line := range strings.Lines(page.Code(t, gormPage, here+"output.txt")) {
		var ok bool
		line = "\n" + anyID.ReplaceAllString(strings.TrimSuffix(line, "\n"), "ID")
		_, rest, ok = strings.Cut(rest, line+"\n")
		if !ok {
			t.Fatalf("the program prints\n%s\nwhich lacks, in this place,%s", got, line)
		}
		rest = "\n" + rest
	}
}

// TestKinds runs TestCode with another column in the kinds of the page. What holds only for a TextColumn is not for
// copying.
func TestKinds(t *testing.T) {
	for _, column := range []string{"UUIDColumn", "BinaryColumn"} {
		t.Run(column, func(t *testing.T) {
			dir := t.TempDir()
			replaced := map[string]string{}
			for _, name := range []string{"model.go", "note.go"} {
				text := page.Text(t, here+name)
				with := strings.ReplaceAll(text, "typed.TextColumn", "typed."+column)
				if with == text {
					t.Fatalf("%s has no kind", name)
				}
				replaced[filepath.Join(page.Root(), here, name)] = filepath.Join(dir, name)
				db.Check(t, os.WriteFile(filepath.Join(dir, name), []byte(with), 0o644))
			}
			overlay, err := json.Marshal(map[string]any{"Replace": replaced})
			db.Check(t, err)
			db.Check(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o644))
			cmd := exec.Command("go", "test", "-count=1", "-run=^TestCode$", "-overlay="+filepath.Join(dir, "overlay.json"), ".")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestCode runs what the page has for copying, with the IDs of a program and without them, and what it warns of.
func TestCode(t *testing.T) {
	wantOutput(t, printed(t, main))
	calls := allCalls()
	db.Each(t, func(t *testing.T, d *db.Database) {
		t.Run("run", func(t *testing.T) {
			g := openModel(t, d, "")
			wantOutput(t, printed(t, func() { db.Check(t, run(g)) }))
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
		for _, cell := range forms(t) {
			for _, code := range cell.calls {
				if cell.isRight {
					t.Run(code, func(t *testing.T) { calls[code].test(t, f, cell.without) })
				}
			}
		}
	})
}

// printed returns what a function prints.
func printed(t *testing.T, print func()) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "out")
	file, err := os.Create(name)
	db.Check(t, err)
	defer func(stdout *os.File) { os.Stdout = stdout }(os.Stdout)
	os.Stdout = file
	print()
	db.Check(t, file.Close())
	text, err := os.ReadFile(name)
	db.Check(t, err)
	return string(text)
}

// An example runs a function of the page, and returns the documents that are there afterwards, by their titles, or what
// else it says. The fixture has a, b and c, of which b is Bob's.
type example struct {
	name  string
	run   func(*session) string
	want  string
	mysql string // if that differs
}

// left returns the titles of the documents that are left, whatever error a function returned.
func (s *session) left(error) string {
	var all []Doc
	s.must(s.tx.Order("id").Find(&all))
	return titles(all)
}

func titles(docs []Doc) (all string) {
	for _, d := range docs {
		all += d.Title
	}
	return cmp.Or(all, "none")
}

// found returns the titles of documents that a function has found.
func (s *session) found(docs []Doc, err error) string {
	db.Check(s.t, err)
	return titles(docs)
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

// as returns a document as a request may have it.
func as(id DocID, title string) Doc { return Doc{Row: Row[doc]{ID: id}, Title: title} }

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
	{name: "deleteByString wrong, empty", want: "b",
		run: func(s *session) string { return s.left(deleteByStringWrong(s.tx, s.ann.ID, "")) }},
	{name: "deleteByString wrong, 1=1", want: "b",
		run: func(s *session) string { return s.left(deleteByStringWrong(s.tx, s.ann.ID, "1=1")) }},
	{name: "deleteByString wrong, of everybody", want: "none",
		run: func(s *session) string {
			page.Contains(s.t, gormPage, "`1=1) OR (1=1`")
			return s.left(deleteByStringWrong(s.tx, s.ann.ID, "1=1) OR (1=1"))
		}},
	{name: "First, empty", want: "a",
		run: func(s *session) string {
			page.Contains(s.t, gormPage, "`db.First(&d, \"\")`")
			var d Doc
			s.must(s.tx.First(&d, ""))
			return d.Title
		}},
	{name: "deleteByString, 1=1", want: "abc",
		run: func(s *session) string { return s.left(deleteByString(s.tx, s.ann.ID, "1=1")) }},
	{name: "deleteByString, empty", want: "abc",
		run: func(s *session) string { return s.left(deleteByString(s.tx, s.ann.ID, "")) }},
	{name: "deleteByString, zero", want: "abc",
		run: func(s *session) string { return s.left(deleteByString(s.tx, s.ann.ID, DocID{}.String())) }},
	{name: "deleteByString, an ID", want: "bc",
		run: func(s *session) string { return s.left(deleteByString(s.tx, s.ann.ID, s.annsDoc().String())) }},

	{name: "deleteDoc wrong, zero", want: "b",
		run: func(s *session) string { return s.left(deleteDocWrong(s.tx, s.ann.ID, Doc{})) }},
	{name: "Updates, zero", want: "xbx",
		run: func(s *session) string { return s.left(s.own().Updates(&Doc{Title: "x"}).Error) }},
	{name: "deleteDoc, zero", want: "abc",
		run: func(s *session) string { return s.left(deleteDoc(s.tx, s.ann.ID, Doc{})) }},
	{name: "deleteDoc, the owner zero too", want: "abc",
		run: func(s *session) string { return s.left(deleteDoc(s.tx, UserID{}, Doc{})) }},
	{name: "deleteDoc, Bob's", want: "abc",
		run: func(s *session) string { return s.left(deleteDoc(s.tx, s.ann.ID, as(s.bobsDoc(), ""))) }},
	{name: "deleteDoc, Ann's", want: "bc",
		run: func(s *session) string { return s.left(deleteDoc(s.tx, s.ann.ID, as(s.annsDoc(), ""))) }},

	{name: "deleteDocs wrong, empty", want: "b",
		run: func(s *session) string { return s.left(deleteDocsWrong(s.tx, s.ann.ID, []DocID{})) }},
	{name: "deleteDocs wrong, nil", want: "b",
		run: func(s *session) string { return s.left(deleteDocsWrong(s.tx, s.ann.ID, nil)) }},
	{name: "deleteDocs, empty", want: "abc",
		run: func(s *session) string { return s.left(deleteDocs(s.tx, s.ann.ID, []DocID{})) }},
	{name: "deleteDocs, nil", want: "abc",
		run: func(s *session) string { return s.left(deleteDocs(s.tx, s.ann.ID, nil)) }},
	{name: "deleteDocs, zero", want: "abc",
		run: func(s *session) string { return s.left(deleteDocs(s.tx, s.ann.ID, []DocID{{}})) }},
	{name: "deleteDocs, Ann's and Bob's", want: "bc",
		run: func(s *session) string {
			return s.left(deleteDocs(s.tx, s.ann.ID, []DocID{s.annsDoc(), s.bobsDoc()}))
		}},

	{name: "docsOf wrong, nil", want: "abc",
		run: func(s *session) string { return s.found(docsOfWrong(s.tx, nil)) }},
	{name: "docsOf wrong, Bob", want: "a",
		run: func(s *session) string { return s.found(docsOfWrong(s.tx, &s.bob.ID)) }},
	{name: "docsOf, nil", want: "none",
		run: func(s *session) string { return s.found(docsOf(s.tx, nil)) }},
	{name: "docsOf, zero", want: "none",
		run: func(s *session) string { return s.found(docsOf(s.tx, &UserID{})) }},
	{name: "docsOf, Bob", want: "a",
		run: func(s *session) string { return s.found(docsOf(s.tx, &s.bob.ID)) }},
	{name: "nil alone", want: panics,
		run: func(s *session) string {
			return orPanics(func() any { return s.left(s.tx.First(&Doc{}, (*DocID)(nil)).Error) }).(string)
		}},
	{name: "editor_id IS NULL", want: "bc",
		run: func(s *session) string {
			var docs []Doc
			return s.found(docs, s.tx.Order("id").Find(&docs, "editor_id IS NULL").Error)
		}},

	{name: "upsertUser, Ann", want: "ann, 1 row, the ID of ann",
		run: func(s *session) string { return s.upserted("ann") }},
	{name: "upsertUser, new", want: "new, 1 row",
		run: func(s *session) string { return s.upserted("new") }},

	{name: "createDoc, Ann", want: unchanged + " d of ann",
		run: func(s *session) string { _, err := createDoc(s.tx, "d", "ann"); return s.owners(err) }},
	{name: "createDoc, nobody", want: "not found, " + unchanged,
		run: func(s *session) string { _, err := createDoc(s.tx, "d", "nobody"); return s.owners(err) }},

	{name: "rename wrong, another ID and owner", want: "b of bob c of ann x of bob",
		run: func(s *session) string {
			return s.owners(renameWrong(s.tx, s.ann.ID, s.annsDoc(), s.body("x", nobodysDoc)))
		}},
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

	{name: "soft delete", want: "note: 0 found, 1 unscoped, error for the same name",
		run: func(s *session) string {
			n := Note{Name: "n"}
			s.must(s.tx.Create(&n))
			s.must(s.tx.Delete(&Note{}, "id = ?", n.ID))
			find := func(tx *gorm.DB) any { return s.rows(tx.Find(&[]Note{}, "id = ?", n.ID)) }
			text := fmt.Sprintf("note: %v found, %v unscoped", find(s.tx), find(s.tx.Unscoped()))
			s.tx.SavePoint("before")
			if s.tx.Create(&Note{Name: "n"}).Error != nil {
				text += ", error for the same name"
			}
			s.tx.RollbackTo("before")
			return text
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
	g, _ := open(t, db.PostgreSQL.Open(t, ""))
	db.Check(t, g.AutoMigrate(&Event{}))
	e := Event{Name: "first"}
	db.Check(t, g.Create(&e).Error)
	var found Event
	db.Check(t, g.First(&found, "id = ?", e.ID).Error)
	if found != e || ulid.ULID(e.ID).IsZero() {
		t.Errorf("found %v, want %v", found, e)
	}
}
