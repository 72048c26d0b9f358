// Package sqlc generates the code of interop/tools/sqlc again and compares it. It stands here because building sqlc
// takes minutes the first time. No go.mod requires sqlc: go run builds the release.
package sqlc

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const version = "v1.31.1"

func TestGenerate(t *testing.T) {
	const committed = "../../interop/tools/sqlc/postgres"
	dir := t.TempDir()
	for _, name := range []string{"schema.sql", "query.sql", "sqlc.yaml"} {
		check(t, os.WriteFile(filepath.Join(dir, name), read(t, committed, name), 0o644))
	}
	generate := exec.Command("go", "run", "github.com/sqlc-dev/sqlc/cmd/sqlc@"+version, "generate")
	generate.Dir = dir
	generate.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	out, err := generate.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"db.go", "models.go", "query.sql.go"} {
		if got := read(t, dir, name); string(got) != string(read(t, committed, name)) {
			t.Errorf("%s is not what sqlc generates:\n%s", name, got)
		}
	}
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	check(t, err)
	return text
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
