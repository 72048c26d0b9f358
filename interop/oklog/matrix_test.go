package oklog

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "github.com/oklog/ulid" // version 1, so that the module cache has it

	"github.com/seed-961d0905/ulid/interop/page"
)

const version1Path = "github.com/oklog/ulid"

// What becomes of a program that uses an ID of its library as one of its own, in the words of README.md.
const (
	oneType  = "one type"
	twoTypes = "two types"
	rejected = "go rejects the build"
)

// TestMatrix builds programs that use oklog/ulid and a library which uses it too, in each of its versions, or this
// module. The lines of go.mod put this module in the place of no version, of one or of both.
func TestMatrix(t *testing.T) {
	serveCheckout(t)
	type lines struct{ none, version1, version2, both string }
	for _, row := range []struct {
		program, library string
		want             lines
	}{
		{version1Path, version1Path, lines{none: oneType, version1: oneType, version2: oneType, both: oneType}},
		{version1Path, oklogPath, lines{none: twoTypes, version1: twoTypes, version2: twoTypes, both: rejected}},
		{version1Path, modulePath, lines{none: twoTypes, version1: rejected, version2: twoTypes, both: rejected}},
		{oklogPath, version1Path, lines{none: twoTypes, version1: twoTypes, version2: twoTypes, both: rejected}},
		{oklogPath, oklogPath, lines{none: oneType, version1: oneType, version2: oneType, both: oneType}},
		{oklogPath, modulePath, lines{none: twoTypes, version1: twoTypes, version2: rejected, both: rejected}},
	} {
		if row.program == oklogPath {
			page.Contains(t, readme, fmt.Sprintf("| `%s` | %s | %s |", row.library, row.want.none, row.want.version2))
		}
		for _, cell := range []struct {
			replaced []string
			want     string
		}{
			{nil, row.want.none},
			{[]string{version1Path}, row.want.version1},
			{[]string{oklogPath}, row.want.version2},
			{[]string{version1Path, oklogPath}, row.want.both},
		} {
			t.Run(fmt.Sprint(row.program, " ", row.library, " ", cell.replaced), func(t *testing.T) {
				t.Parallel()
				if got := build(t, row.program, row.library, cell.replaced); got != cell.want {
					t.Errorf("%s, want %s", got, cell.want)
				}
			})
		}
	}
}

// build returns what becomes of a program and its library. If they build, it also checks what is replaced.
func build(t *testing.T, program, library string, replaced []string) string {
	t.Helper()
	dir := t.TempDir()
	gomod := "module a.example/program\n\ngo 1.25\n\n"
	for _, path := range []string{program, library} {
		gomod += fmt.Sprintf("require %s %s\n", path, version(t, path))
	}
	for _, path := range replaced {
		gomod += fmt.Sprintf("replace %s => %s %s\n", path, modulePath, version(t, modulePath))
	}
	write(t, gomod, dir, "go.mod")
	write(t, `package program

import (
	ulid "`+program+`"

	"a.example/program/library"
)

var IDs = []ulid.ULID{library.ID}
`, dir, "program.go")
	err := os.Mkdir(filepath.Join(dir, "library"), 0o777)
	if err != nil {
		t.Fatal(err)
	}
	write(t, `package library

import (
	"io"
	"math/rand"

	ulid "`+library+`"
)

var entropy io.Reader = ulid.Monotonic(rand.New(rand.NewSource(1)), 0)

var ID = ulid.MustNew(ulid.Now(), entropy)
`, dir, "library", "library.go")

	const format = "{{with .Module}}{{.Path}}{{with .Replace}} {{.Path}}{{end}}{{end}}"
	cmd := exec.Command("go", "list", "-mod=mod", "-deps", "-export", "-f", format, ".")
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if strings.Contains(stderr.String(), "used for two different module paths") {
		return rejected
	}
	modules := strings.Split(string(out), "\n")
	for _, path := range []string{program, library} {
		module := path
		if slices.Contains(replaced, path) {
			module += " " + modulePath
		}
		if !slices.Contains(modules, module) {
			t.Errorf("the program is built of %q, want %q", modules, module)
		}
	}
	switch {
	case err == nil:
		return oneType
	case strings.Contains(stderr.String(), "cannot use library.ID"):
		return twoTypes
	}
	return stderr.String()
}

// version returns the version of a module that go.mod requires here.
func version(t *testing.T, path string) string {
	t.Helper()
	gomod := page.Text(t, "interop/go.mod")
	found := regexp.MustCompile(`(?m)^\t` + path + ` (v\S+)`).FindStringSubmatch(gomod)
	if found == nil {
		t.Fatalf("go.mod does not require %s", path)
	}
	return found[1]
}

// serveCheckout lets go download the library and the module of this checkout, as if they were released. The module
// cache is temporary, so that these versions do not get into another one. All else comes from the usual one.
func serveCheckout(t *testing.T) {
	t.Helper()
	proxy := t.TempDir()
	serve(t, proxy, ulidPath, page.Root())
	serve(t, proxy, modulePath, filepath.Join(page.Root(), "oklog"))
	cache := filepath.Join(run(t, ".", "go", "env", "GOMODCACHE"), "cache", "download")
	t.Setenv("GOPROXY", fileURL(proxy)+","+fileURL(cache)+","+run(t, ".", "go", "env", "GOPROXY"))
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOFLAGS", "-modcacherw") // so that it can be removed
	t.Setenv("GOSUMDB", "off")
	t.Setenv("GOWORK", "off")
	t.Setenv("GOTOOLCHAIN", "local")
}

func fileURL(path string) string { return "file:///" + strings.TrimPrefix(filepath.ToSlash(path), "/") }

// serve writes a version of a module for a file proxy: what is known of it, its go.mod and a zip.
func serve(t *testing.T, proxy, path, dir string) {
	t.Helper()
	version := version(t, path)
	files, err := filepath.Glob(dir + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, file := range append(files, dir+"/go.mod") {
		f, err := w.Create(path + "@" + version + "/" + filepath.Base(file))
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, read(t, file))
	}
	err = w.Close()
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(proxy, path, "@v")
	err = os.MkdirAll(to, 0o777)
	if err != nil {
		t.Fatal(err)
	}
	write(t, `{"Version":"`+version+`"}`, to, version+".info")
	write(t, read(t, dir, "go.mod"), to, version+".mod")
	write(t, archive.String(), to, version+".zip")
}
