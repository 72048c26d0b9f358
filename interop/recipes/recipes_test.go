// Package recipes keeps docs/recipes.md and the recipes below this folder the same. A block of code on the
// page follows a line that names its file:
//
//	<!-- interop/recipes/typed/typed.go -->
//
// Write the files anew into the page with
//
//	go test -C interop ./recipes -update
package recipes

import (
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/internal/page"
)

var update = flag.Bool("update", false, "write the recipes into docs/recipes.md")

// block matches a block of the page: what comes before its code, the file, the language, and its code.
var block = regexp.MustCompile("(?ms)(^<!-- interop/recipes/(\\S+) -->\n```(\\w+)\n)(.*?)^```$")

func readPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(page.Root(), "docs/recipes.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var packageClause = regexp.MustCompile(`(?m)^package \w+\n\n`)

// code returns what the page has of a file: all of it, or of a Go file what follows its package clause.
func code(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Errorf("recipe %s: %v", name, err)
		return ""
	}
	if at := packageClause.FindIndex(text); filepath.Ext(name) == ".go" && at != nil {
		text = text[at[1]:]
	}
	return string(text)
}

func TestPage(t *testing.T) {
	old := readPage(t)
	current := block.ReplaceAllStringFunc(old, func(b string) string {
		m := block.FindStringSubmatch(b)
		want := code(t, m[2])
		if m[4] != want && !*update {
			t.Errorf("recipe %s: page and source differ; run  go test -C interop ./recipes -update", m[2])
		}
		return m[1] + want + "```"
	})
	if *update && !t.Failed() && current != old {
		if err := os.WriteFile(filepath.Join(page.Root(), "docs/recipes.md"), []byte(current), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// No code on the page that nothing runs, and no recipe that is not on the page.
func TestAllOnPage(t *testing.T) {
	text := readPage(t)
	var onPage []string
	for _, m := range block.FindAllStringSubmatch(text, -1) {
		onPage = append(onPage, m[2])
	}
	if rest := block.ReplaceAllString(text, ""); regexp.MustCompile("(?m)^```(go|sql|yaml|proto)").MatchString(rest) {
		t.Error("the page has a block of code without the name of its file")
	}
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		generated := strings.HasPrefix(name, "typed/sqlc/") || strings.HasSuffix(name, ".pb.go") || entry.Name() == "generate.go"
		if filepath.Ext(name) == ".go" && !strings.HasPrefix(name, "internal/") && !strings.HasSuffix(name, "_test.go") && !generated && !slices.Contains(onPage, name) {
			t.Errorf("recipe %s is not on the page", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(onPage) < 10 {
		t.Errorf("the page has %d recipes only", len(onPage))
	}
}

// Pasted as on the page below a package clause, every recipe compiles in a module of its reader.
func TestPasted(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: run  go test -C interop ./recipes")
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range block.FindAllStringSubmatch(readPage(t), -1) {
		if m[3] != "go" {
			continue
		}
		folder := filepath.Dir(m[2])
		write(m[2], "package "+folder+"\n\n"+m[4])
	}
	// What protoc makes of the page's message.
	write("protobuf/user.pb.go", "package protobuf\n\n"+code(t, "protobuf/user.pb.go"))

	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	// The versions of this module, and no other.
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		write(name, string(text))
	}
	for _, args := range [][]string{
		{"mod", "edit", "-module=example.com/ids", "-replace=github.com/seed-961d0905/ulid=" + root},
		{"vet", "-mod=mod", "./..."},
	} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}
