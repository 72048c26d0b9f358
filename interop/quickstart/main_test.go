package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/page"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	want := []string{
		`[0-9A-Z]{26} was made at \w{3} [ 0-9]\d \d\d:\d\d:\d\d\.\d{3}`,
		`   1 rows: SELECT .* WHERE id < \?, [0-9A-Z]{10}0{16}`,
		`1000 rows: SELECT .* WHERE id >= \?, [0-9A-Z]{10}0{16}`,
		`[0-9A-Z]{26} is the last one: event 999`,
		`[0-9A-Z]{26}: first`,
		`[0-9a-z]{26}: first`,
		`[0-9A-Z]{25}U: ulid: invalid character 'U' at offset 25`,
	}
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(want), &out)
	}
	for i, pattern := range want {
		if !regexp.MustCompile("^" + pattern + "$").MatchString(lines[i]) {
			t.Errorf("line %d is\n%s\nwant\n%s", i+1, lines[i], pattern)
		}
	}
}

// The README's first lines need a text, a database, and something that uses what they declare.
const program = `package main

import (
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/seed-961d0905/ulid"
)

type database struct{}

func (database) Query(query string, id driver.Valuer) (driver.Value, error) { return id.Value() }

func main() {
	var db database
	text := ulid.Make().String()
	%s
	fmt.Println(id.String() == text, rows, err)
}
`

// TestREADME runs the lines with which the README begins, in a module that requires this library and nothing else.
func TestREADME(t *testing.T) {
	var lines string
	for _, b := range page.Blocks(page.Text(t, "README.md")) {
		if b.Language == "go" {
			lines = b.Code
			break
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), fmt.Appendf(nil, program, lines), 0o644); err != nil {
		t.Fatal(err)
	}
	const library = "github.com/seed-961d0905/ulid"
	goCommand(t, dir, "mod", "init", "example.com/first")
	goCommand(t, dir, "mod", "edit", "-require="+library+"@v1.0.0", "-replace="+library+"="+page.Root())
	out := goCommand(t, dir, "run", ".")
	const want = `^[0-9A-Z]{26}\n\d{4}-\d\d-\d\d .*\ntrue [0-9a-f]{8}-[0-9a-f]{4}-0000-0000-000000000000 <nil>\n$`
	if !regexp.MustCompile(want).Match(out) {
		t.Errorf("the program prints\n%swant\n%s", out, want)
	}
}

// goCommand runs the go command in a folder, and returns what it prints.
func goCommand(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}
