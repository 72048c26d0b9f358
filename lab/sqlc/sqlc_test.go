// Package sqlc generates the code of interop/tools/sqlc again and compares it. It stands here because building sqlc takes
// minutes. It needs no module of sqlc's: go run builds the release that the page names.
package sqlc

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

const version = "v1.31.1"

func TestGenerate(t *testing.T) {
	page.Contains(t, "docs/tools.md", "sqlc "+version[1:])
	for _, recipe := range []string{"mysql", "postgres"} {
		t.Run(recipe, func(t *testing.T) {
			from := filepath.Join(page.Root(), "interop/tools/sqlc", recipe)
			dir := t.TempDir()
			db.Check(t, os.CopyFS(dir, os.DirFS(from)))
			committed, err := filepath.Glob(filepath.Join(dir, "*.go"))
			db.Check(t, err)
			if len(committed) != 3 {
				t.Fatalf("found the files %q, want 3", committed)
			}
			for _, name := range committed {
				db.Check(t, os.Remove(name))
			}
			generate := exec.Command("go", "run", "github.com/sqlc-dev/sqlc/cmd/sqlc@"+version, "generate")
			generate.Dir = dir
			generate.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
			out, err := generate.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, name := range committed {
				got, err := os.ReadFile(name)
				db.Check(t, err)
				want, err := os.ReadFile(filepath.Join(from, filepath.Base(name)))
				db.Check(t, err)
				if string(got) != string(want) {
					t.Errorf("%s of %s is not what sqlc generates:\n%s", filepath.Base(name), recipe, got)
				}
			}
		})
	}
}
