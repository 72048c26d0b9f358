// Package node asks JavaScript: it runs a script with Node.js beside the npm packages that a lock file names.
package node

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Require skips the test if Node.js or npm is missing, or fails it where ULID_REQUIRE_NODE is 1.
func Require(t testing.TB) {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			end := t.Skipf
			if os.Getenv("ULID_REQUIRE_NODE") == "1" {
				end = t.Fatalf
			}
			end("%v: install Node.js with npm, on Debian: apt-get install nodejs npm", err)
		}
	}
}

// Ask runs script in dir, which holds a package-lock.json, and installs what that names if it is not there. The
// script reads the question as JSON and writes the answer as JSON.
func Ask(dir, script string, question, answer any) error {
	want, err := Versions(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return err
	}
	have, err := Versions(filepath.Join(dir, "node_modules", ".package-lock.json"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for name, version := range want {
		if have[name] != version {
			if _, err := run(dir, nil, "npm", "ci"); err != nil {
				return err
			}
			break
		}
	}
	asked, err := json.Marshal(question)
	if err != nil {
		return err
	}
	answered, err := run(dir, asked, "node", script)
	if err != nil {
		return err
	}
	return json.Unmarshal(answered, answer)
}

// Versions returns the versions of the packages in a lock file, by the folder of each, such as
// node_modules/ulid.
func Versions(lockFile string) (map[string]string, error) {
	b, err := os.ReadFile(lockFile)
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct{ Version string }
	}
	if err := json.Unmarshal(b, &lock); err != nil {
		return nil, fmt.Errorf("%s: %w", lockFile, err)
	}
	versions := map[string]string{}
	for name, p := range lock.Packages {
		if name != "" { // the project itself
			versions[name] = p.Version
		}
	}
	return versions, nil
}

func run(dir string, stdin []byte, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(stdin)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil, fmt.Errorf("%v: %w\n%s", cmd, err, exit.Stderr)
	}
	return out, err
}
