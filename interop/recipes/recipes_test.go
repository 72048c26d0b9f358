package recipes

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/glebarez/go-sqlite"
	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

const (
	folder = "interop/recipes/"

	text = "01ARYZ6S41TSV4RRFFQ69G5FAV"
	uuid = "01563df3-6481-d676-4c61-efb99302bd5b"
)

// docs are the pages that show this code.
var docs = []string{"docs/types.md", "docs/gorm.md", "docs/queries.md", "docs/recipes.md", "docs/other-databases.md"}

// onEach runs a test on each kind of database. Only one connection is open, so that a temporary table stays.
func onEach(t *testing.T, test func(*testing.T, *sqlx.DB)) {
	for _, d := range []struct{ name, driver, server string }{
		{"SQLite", "sqlite", ""}, {"PostgreSQL", "pgx", "ULID_POSTGRES"},
		{"MariaDB", "mysql", "ULID_MARIADB"}, {"MySQL", "mysql", "ULID_MYSQL"},
	} {
		t.Run(d.name, func(t *testing.T) { test(t, sqlx.NewDb(db.Open(t, d.driver, d.server), d.driver)) })
	}
}

// run runs a statement whose arguments are ? in every database.
func run(t *testing.T, db *sqlx.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.Exec(db.Rebind(query), args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func TestPage(t *testing.T) {
	for _, doc := range docs {
		text, err := page.Sources(page.Text(t, doc), folder)
		check(t, err)
		page.Check(t, doc, text)
	}
}

// No code on the pages that nothing runs, and no recipe that is on none of them.
func TestAllOnPage(t *testing.T) {
	var shown []string
	for _, doc := range docs {
		for _, b := range page.Blocks(page.Text(t, doc)) {
			name, ok := strings.CutPrefix(b.Name, folder)
			if !ok && b.Language != "sh" && b.Language != "sql" {
				t.Errorf("a block of %s names no file:\n%s", doc, b.Code)
			}
			shown = append(shown, name)
		}
	}
	for _, pattern := range []string{"*.go", "*/*.go"} {
		files, err := filepath.Glob(pattern)
		check(t, err)
		for _, file := range files {
			if file != "doc.go" && !strings.HasSuffix(file, "_test.go") && !slices.Contains(shown, file) {
				t.Errorf("recipe %s is not on %s", file, strings.Join(docs, ", "))
			}
		}
	}
}

// The blocks of each section compile without those of the others, in a module of their reader.
func TestPasted(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: run  go test -C interop ./recipes")
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	var text string
	for _, doc := range docs {
		text += page.Text(t, doc)
	}
	for i, section := range strings.Split(text, "\n## ") {
		pasted := fmt.Sprintf("section%d", i)
		check(t, os.Mkdir(filepath.Join(dir, pasted), 0o755))
		for _, b := range page.Blocks(section) {
			if b.Language == "go" {
				write(pasted+"/"+path.Base(b.Name), "package recipe\n\n"+b.Code)
			}
		}
	}
	// The versions of this module, and no other.
	for _, name := range []string{"go.mod", "go.sum"} {
		write(name, page.Text(t, "interop/"+name))
	}
	for _, args := range [][]string{
		{"mod", "edit", "-module=example.com/ids", "-replace=github.com/seed-961d0905/ulid=" + page.Root()},
		{"vet", "-mod=mod", "./..."},
	} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
