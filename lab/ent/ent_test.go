// Package ent generates the code of ent for the schemas of docs/ent.md and runs it. The schemas and their tests are two
// programs in testdata, because they need the generated code, of which there are 12,000 lines, to compile.
package ent

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // which the programs of testdata import, with lab's go.mod

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

//go:generate go test -run ^TestPage$ . -write

const (
	doc    = "docs/ent.md"
	folder = "lab/ent/testdata/"
)

// TestPage compares the code on the page with the two programs.
func TestPage(t *testing.T) {
	text, err := page.Sources(page.Text(t, doc), folder)
	db.Check(t, err)
	version := regexp.MustCompile(`entgo.io/ent v(\S+)`).FindStringSubmatch(page.Text(t, "lab/go.mod"))[1]
	text, places := page.Tested(text, "ent", "ent "+version)
	if places == 0 {
		t.Errorf("%s does not say with which version of ent it was tested", doc)
	}
	page.Check(t, doc, text)
	for _, b := range page.Blocks(text) {
		switch file, _, _ := strings.Cut(b.Name, ": "); {
		case b.Language == "sh":
		case !strings.HasPrefix(b.Name, folder):
			t.Errorf("a block of %s names no file:\n%s", doc, b.Code)
		case b.Language == "go":
			_, file, _ = strings.Cut(strings.TrimPrefix(file, folder), "/") // without the program
			before, _, _ := strings.Cut(text, "\n<!-- "+b.Name+" -->")
			paragraph := before[strings.LastIndex(strings.TrimSpace(before), "\n\n"):]
			if !strings.Contains(paragraph, "`"+file+"`") {
				t.Errorf("the paragraph above a block does not say that the block is `%s`:%s", file, paragraph)
			}
		}
	}
}

// TestPaste does what a reader does: it writes the blocks into the files that they name, generates, and compiles. At
// the commands of the page, the blocks above them must be enough.
func TestPaste(t *testing.T) {
	shop := empty(t)
	generate := func() {
		t.Helper()
		shop.must("generate", "./ent")
		shop.must("vet", "./...")
		if _, err := os.Stat(filepath.Join(shop.dir, "ent/client.go")); err != nil {
			t.Fatal("go generate ./ent generates nothing") // as if generate.go had no package
		}
	}
	pasted := map[string]string{}
	for _, b := range page.Blocks(page.Text(t, doc)) {
		if b.Language == "sh" {
			generate()
		}
		name, _, _ := strings.Cut(b.Name, ": ")
		if name, ok := strings.CutPrefix(name, folder+"shop/"); ok && b.Language == "go" {
			pasted[name] += b.Code
			db.Check(t, os.MkdirAll(filepath.Dir(filepath.Join(shop.dir, name)), 0o755))
			shop.write(name, pasted[name])
		}
	}
	generate()
}

// TestShop runs the tests of the program with typed IDs.
func TestShop(t *testing.T) {
	shop := copyOf(t, "shop")
	shop.must("generate", "./ent")
	shop.must("vet", "./...")
	shop.must("test", "-count=1", ".")

	page.Fact(t, doc, "ent-compiler-checks-kinds")
	shop.rejects(`
package shop

import (
	"context"

	"example.com/shop/ent"
	"example.com/shop/ent/order"
)

func wrong(ctx context.Context, client *ent.Client, o *ent.Order) {
	client.User.Get(ctx, o.ID)                     // cannot use o.ID
	client.Order.Query().Where(order.UserID(o.ID)) // cannot use o.ID
	client.Order.Create().SetUserID(o.ID)          // cannot use o.ID
}
`)
}

// TestNoAlias shows what ent does with a typed ID without the function alias of the page, and what it leaves behind.
func TestNoAlias(t *testing.T) {
	page.Fact(t, doc, "ent-without-alias")
	shop := copyOf(t, "shop")
	call := regexp.MustCompile(`alias\("\w+", ((?s:.*?))\),\n`)
	shop.edit(func(file, text string) string { return call.ReplaceAllString(text, "$1,\n") })
	shop.fails("missing import path", "generate", "./ent")

	schemas := os.DirFS(filepath.Join("testdata", "shop", "ent", "schema"))
	db.Check(t, os.RemoveAll(filepath.Join(shop.dir, "ent/schema")))
	db.Check(t, os.CopyFS(filepath.Join(shop.dir, "ent/schema"), schemas))
	shop.fails("missing import path", "generate", "./ent") // though the schemas are right again
	entries, err := os.ReadDir(filepath.Join(shop.dir, "ent"))
	db.Check(t, err)
	for _, e := range entries {
		if e.Name() != "schema" && e.Name() != "generate.go" {
			db.Check(t, os.RemoveAll(filepath.Join(shop.dir, "ent", e.Name())))
		}
	}
	shop.must("generate", "./ent")
}

// TestRequiredEdge makes the field of a required edge nullable.
func TestRequiredEdge(t *testing.T) {
	page.Fact(t, doc, "ent-optional-edge")
	shop := copyOf(t, "shop")
	shop.edit(func(file, text string) string {
		return strings.Replace(text, `field.UUID("user_id", key.UserID{}))`,
			`field.UUID("user_id", key.UserID{}).Optional().Nillable())`, 1)
	})
	shop.fails(`edge-field "user_id" was set as Optional, but edge "user" is not`, "generate", "./ent")
	shop.edit(func(file, text string) string { return strings.Replace(text, ".Unique().Required()", ".Unique()", 1) })
	shop.must("generate", "./ent")
	shop.must("vet", "./ent")
}

// TestPackageNamedIDs shows that no package of IDs may be called ids.
func TestPackageNamedIDs(t *testing.T) {
	page.Fact(t, doc, "ent-package-ids")
	shop := copyOf(t, "shop")
	shop.edit(func(file, text string) string {
		return regexp.MustCompile(`\bkey\b`).ReplaceAllString(text, "ids")
	})
	db.Check(t, os.Rename(filepath.Join(shop.dir, "key"), filepath.Join(shop.dir, "ids")))
	shop.must("generate", "./ent")
	shop.fails("ID is not a type", "vet", "./ent")
}

// TestWrongAlias gives a field of an edge, one with a default and another one the names of other kinds.
func TestWrongAlias(t *testing.T) {
	page.Fact(t, doc, "ent-wrong-alias")
	shop := copyOf(t, "shop")
	shop.edit(func(file, text string) string {
		return strings.Replace(text, `alias("UserID", field.UUID("user_id"`, `alias("OrderID", field.UUID("user_id"`, 1)
	})
	shop.must("generate", "./ent")
	shop.fails("as *key.UserID value in assignment", "vet", "./ent")

	shop = copyOf(t, "shop")
	shop.edit(func(file, text string) string {
		return strings.Replace(text, `alias("UserID", field.UUID("holder"`, `alias("OrderID", field.UUID("holder"`, 1)
	})
	shop.must("generate", "./ent")
	shop.fails("panic: interface conversion", "test", ".")

	shop = copyOf(t, "shop")
	shop.edit(func(file, text string) string {
		return strings.Replace(text, `alias("UserID", field.UUID("guest_id"`, `alias("OrderID", field.UUID("guest_id"`, 1)
	})
	shop.must("generate", "./ent")
	shop.must("vet", "./...")
}

// A project is the module example.com/shop with the versions of lab.
type project struct {
	*testing.T
	dir string
}

// copyOf returns a copy of a program of testdata.
func copyOf(t *testing.T, name string) project {
	t.Helper()
	p := empty(t)
	db.Check(t, os.CopyFS(p.dir, os.DirFS(filepath.Join("testdata", name))))
	return p
}

func empty(t *testing.T) project {
	t.Helper()
	p := project{t, t.TempDir()}
	for _, name := range []string{"go.mod", "go.sum"} {
		p.write(name, page.Text(t, "lab/"+name))
	}
	const library = "github.com/seed-961d0905/ulid"
	args := []string{"mod", "edit", "-module=example.com/shop", "-replace=" + library + "=" + page.Root()}
	for _, module := range []string{"interop", "pgxulid", "typed"} {
		args = append(args, "-replace="+library+"/"+module+"="+filepath.Join(page.Root(), module))
	}
	p.must(args...)
	return p
}

func (p project) write(name, text string) {
	p.Helper()
	db.Check(p, os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644))
}

// edit changes the text of each Go file.
func (p project) edit(change func(file, text string) string) {
	p.Helper()
	db.Check(p, filepath.WalkDir(p.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, []byte(change(path, string(text))), 0o644)
	}))
}

func (p project) run(args ...string) (output string, err error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = p.dir
	cmd.Env = append(cmd.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (p project) must(args ...string) {
	p.Helper()
	if out, err := p.run(args...); err != nil {
		p.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// fails runs what must fail with these words in its output.
func (p project) fails(words string, args ...string) {
	p.Helper()
	if out, err := p.run(args...); err == nil || !strings.Contains(out, words) {
		p.Errorf("go %s: %v, want an error with %q\n%s", strings.Join(args, " "), err, words, out)
	}
}

var comment = regexp.MustCompile(`// (.*)`)

// rejects compiles a file in which each line with a comment must give the error that its comment quotes, and no other
// line may give one.
func (p project) rejects(code string) {
	p.Helper()
	p.write("wrong.go", code)
	out, err := p.run("build", "-gcflags=-e", ".")
	if err == nil {
		p.Error("wrong.go compiles")
	}
	for i, line := range strings.Split(code, "\n") {
		at := fmt.Sprintf("wrong.go:%d:", i+1)
		_, message, found := strings.Cut(out, at)
		message, _, _ = strings.Cut(message, "\n./")
		want := comment.FindStringSubmatch(line)
		switch {
		case found != (want != nil):
			p.Errorf("the compiler's opinion of %q is %q", line, message)
		case found && !strings.Contains(message, want[1]):
			p.Errorf("the error of %q is %q", line, message)
		}
	}
}
