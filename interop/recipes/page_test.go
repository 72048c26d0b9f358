package recipes

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

const (
	folder = "interop/recipes/"

	text = "01ARYZ6S41TSV4RRFFQ69G5FAV"
	uuid = "01563df3-6481-d676-4c61-efb99302bd5b"
)

// docs are the pages that show this code.
var docs = []string{
	"docs/typed.md",
	"docs/queries.md", "docs/new-rows.md", "docs/order.md", "docs/recipes.md", "docs/json.md",
}

func TestPage(t *testing.T) {
	for _, doc := range docs {
		text, err := page.Sources(page.Text(t, doc), folder)
		db.Check(t, err)
		page.Check(t, doc, text)
	}
}

// No code on the pages that nothing runs, and no recipe that is neither on one of them nor linked.
func TestAllOnPage(t *testing.T) {
	var shown []string
	links := regexp.MustCompile(`\]\(\.\./` + folder + `(.*?)\)`)
	for _, doc := range docs {
		text := page.Text(t, doc)
		for _, b := range page.Blocks(text) {
			name, ok := strings.CutPrefix(b.Name, folder)
			if !ok && b.Language != "sh" && b.Language != "sql" {
				t.Errorf("a block of %s names no file:\n%s", doc, b.Code)
			}
			file, _, _ := strings.Cut(name, ": ")
			shown = append(shown, file)
		}
		for _, link := range links.FindAllStringSubmatch(text, -1) {
			shown = append(shown, link[1])
		}
	}
	for _, pattern := range []string{"*.go", "*/*.go"} {
		files, err := filepath.Glob(pattern)
		db.Check(t, err)
		for _, file := range files {
			if file != "doc.go" && !strings.HasSuffix(file, "_test.go") && !slices.Contains(shown, file) {
				t.Errorf("recipe %s is not on %s", file, strings.Join(docs, ", "))
			}
		}
	}
}

// The blocks of each section compile without those of the others, in a module of their reader, who imports the packages
// that a block names.
func TestPasted(t *testing.T) {
	dir := t.TempDir()
	var all string
	for _, doc := range docs {
		all += page.Text(t, doc)
	}
	for i, section := range strings.Split(all, "\n## ") {
		paste(t, filepath.Join(dir, fmt.Sprintf("section%d", i)), section)
	}
	// The versions of this module, and no other.
	for _, name := range []string{"go.mod", "go.sum"} {
		write(t, filepath.Join(dir, name), page.Text(t, "interop/"+name))
	}
	const library = "github.com/seed-961d0905/ulid"
	for _, args := range [][]string{
		{
			"mod", "edit", "-module=example.com/ids",
			"-replace=" + library + "=" + page.Root(),
			"-replace=" + library + "/typed=" + filepath.Join(page.Root(), "typed"),
		},
		{"vet", "-mod=mod", "./..."},
	} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// paste makes a package of the Go code in a section, each block in a file.
func paste(t *testing.T, dir, section string) {
	t.Helper()
	db.Check(t, os.Mkdir(dir, 0o755))
	for _, b := range page.Blocks(section) {
		if b.Language != "go" {
			continue
		}
		name, _, _ := strings.Cut(b.Name, ": ")
		if strings.Contains(name, "/testdata/") {
			continue // it must not compile, which another test sees
		}
		head := "package recipe\n\n" + imports(t, page.Text(t, name), b.Code)
		write(t, filepath.Join(dir, path.Base(name)), head+b.Code)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	db.Check(t, os.WriteFile(name, []byte(text), 0o644))
}

// imports returns those imports of a file that a block of its code needs. A whole file has its own.
func imports(t *testing.T, file, block string) (needed string) {
	parsed, err := parser.ParseFile(token.NewFileSet(), "", file, parser.ImportsOnly)
	db.Check(t, err)
	for _, spec := range parsed.Imports {
		name := path.Base(strings.TrimSuffix(strings.Trim(spec.Path.Value, `"`), "/v2"))
		if strings.Contains(block, name+".") && !strings.Contains(block, spec.Path.Value) {
			needed += "import " + spec.Path.Value + "\n"
		}
	}
	return needed + "\n"
}
