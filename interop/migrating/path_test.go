package migrating

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/page"
)

// version returns the version that the guide names, of the library and of the module oklog.
func version(t *testing.T) string {
	t.Helper()
	return regexp.MustCompile(`v\d+\.\d+\.\d+`).FindString(block(t, "sh: adapter"))
}

// published returns an environment in which this checkout has that version in a proxy, beside what the module cache has. The
// environment has a module cache for itself.
func published(t *testing.T) []string {
	t.Helper()
	proxy, version := newProject(t, nil, nil), version(t)
	for _, folder := range []string{"", "/oklog"} {
		source, versions := project{dir: page.Root() + folder}, ulidPath+folder+"/@v/"
		var files bytes.Buffer
		archive := zip.NewWriter(&files)
		for _, name := range append(glob(t, source.path("*.go")), source.path("go.mod")) {
			w := must(archive.Create(ulidPath + folder + "@" + version + "/" + filepath.Base(name)))(t)
			w.Write([]byte(read(t, name)))
		}
		check(t, archive.Close())
		proxy.write(t, versions+version+".zip", files.String())
		proxy.write(t, versions+version+".mod", read(t, source.path("go.mod")))
		proxy.write(t, versions+version+".info", `{"Version":"`+version+`"}`)
		proxy.write(t, versions+"list", version)
	}
	cache, next, _ := strings.Cut(strings.TrimSpace(interop.run(t, "go", "env", "GOMODCACHE", "GOPROXY")), "\n")
	return []string{
		"GOPROXY=file://" + proxy.dir + ",file://" + filepath.Join(cache, "cache/download") + "," + next,
		"GONOSUMDB=github.com/*", "GOMODCACHE=" + t.TempDir(), "GOFLAGS=-modcacherw", "GOWORK=",
	}
}

// app makes a module whose main package and whose dependency have IDs. The dependency imports oklog/ulid, the main package
// the path.
func app(t *testing.T, env []string, path string) project {
	t.Helper()
	dep := newProject(t, nil, map[string]string{
		"go.mod": "module b.example/dep\n\ngo 1.24\n\nrequire " + oklogPath + " v2.1.2\n",
		"dep.go": `package dep

import "github.com/oklog/ulid/v2"

// Last is in the dependency's API.
var Last = ulid.Make()
`,
	})
	return newProject(t, env, map[string]string{
		"go.mod": "module a.example/app\n\ngo 1.24\n\nrequire (\n\tb.example/dep v0.0.0\n\t" + oklogPath + " v2.1.2\n)\n\n" +
			"replace b.example/dep => " + dep.dir + "\n",
		"go.sum": read(t, interop.path("go.sum")),
		"main.go": `package main

import (
	"fmt"
	"reflect"

	"b.example/dep"
	"` + path + `"
)

func main() {
	// This compiles whether they are one type or two.
	var id ulid.ULID = [16]byte(dep.Last)
	fmt.Println(reflect.TypeOf(id).PkgPath(), reflect.TypeOf(dep.Last).PkgPath(), id == ulid.ULID(dep.Last))
	// oklog takes this.
	_, err := ulid.Parse("0!!!!!!!!!!!!!!!!!!!!!!!!!")
	fmt.Println(err)
}
`,
	})
}

// What the app prints if the main package has our type and the dependency the other, or the same.
const (
	twoTypes = ulidPath + " " + oklogPath + " true\nulid: invalid character '!' at offset 1\n"
	oneType  = ulidPath + " " + ulidPath + " true\nulid: invalid character '!' at offset 1\n"
)

// TestPath runs the commands of step 2 in an app.
func TestPath(t *testing.T) {
	t.Parallel()
	env := published(t)
	for name, vendor := range map[string]bool{"path": false, "vendor": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changePath(t, app(t, env, oklogPath), vendor)
		})
	}
	for _, path := range []string{oklogPath, ulidPath, version1} {
		t.Run("adapter of "+path, func(t *testing.T) {
			t.Parallel()
			adapt(t, app(t, env, path), path)
		})
	}
}

// changePath changes the import path of the main package only, with or without a vendor folder.
func changePath(t *testing.T, p project, vendor bool) {
	tidy := func() {
		t.Helper()
		p.run(t, "go", "mod", "tidy")
		if vendor {
			p.run(t, "go", "mod", "vendor")
		}
	}
	tidy()
	others := map[string]struct{ old, want string }{
		"version 1.go":       {version1, ulidPath},
		"folder/vendor/b.go": {oklogPath, oklogPath},
	}
	if vendor {
		clear(others) // go mod vendor would look for what they import
	}
	for name, path := range others {
		p.write(t, name, "package main\n\nimport _ \""+path.old+"\"\n")
	}
	p.write(t, "sqlc.yaml", "import: "+oklogPath+"\n")
	p.write(t, "rows.parquet", "\x00"+oklogPath)
	p.page(t, "path")
	for name, path := range others {
		if got := read(t, p.path(name)); !strings.Contains(got, `"`+path.want+`"`) {
			t.Errorf("%s is\n%s\nwant the path %s", name, got, path.want)
		}
	}
	check(t, os.RemoveAll(p.path("folder")))
	tidy()
	if got := p.run(t, "go", "run", "."); got != twoTypes {
		t.Errorf("with both paths it prints\n%s\nwant\n%s", got, twoTypes)
	}
	for _, want := range []string{oklogPath + " v2.1.2 // indirect", "\ngo 1.25\n"} {
		if got := read(t, p.path("go.mod")); !strings.Contains(got, want) {
			t.Errorf("tidy leaves\n%s\nwant %q", got, want)
		}
	}
	listed := p.span(t, "grep -rnI .*")
	for name, want := range map[string]bool{"sqlc.yaml": true, "rows.parquet": false, "vendor/": false, "main.go": false} {
		if got := strings.Contains(listed, "./"+name); got != want {
			t.Errorf("%s is listed: %t, want %t, in\n%s", name, got, want, listed)
		}
	}

	if !vendor { // a workspace of this module and of another, which go get and go mod tidy leave with a newer Go
		p.write(t, "other/go.mod", "module a.example/other\n\ngo 1.20\n")
		p.run(t, "bash", "-c", "cd other && go get "+ulidPath+" && go mod tidy")
		if got := read(t, p.path("other/go.mod")); !strings.Contains(got, "\ngo 1.25\n") {
			t.Errorf("the go.mod of a module without IDs is\n%s", got)
		}
		p.run(t, "go", "work", "init", ".", "other")
	}
	p.write(t, "main_test.go", valueTest)
	if out, err := p.bash(t, block(t, "sh: loud on")); err == nil || !strings.Contains(out, "plain ULID") {
		t.Errorf("with the loud copy: %v\n%s", err, out)
	}
	p.span(t, "go mod edit -dropreplace .*")
	p.run(t, "go", "test", ".")
}

// valueTest is a test of a program that stores texts.
const valueTest = `package main

import (
	"testing"

	"github.com/seed-961d0905/ulid"
)

func TestValue(t *testing.T) {
	if _, err := ulid.Make().Value(); err != nil {
		t.Fatal(err)
	}
}
`

// adapt puts the adapter under the app, whose own code imports the path.
func adapt(t *testing.T, p project, path string) {
	p.page(t, "adapter")
	page.Contains(t, "oklog/ulid.go", "\n//	"+strings.ReplaceAll(strings.TrimSpace(block(t, "sh: adapter")), "\n", "\n//	")+"\n")
	if path == version1 { // and the dependency imports version 2
		p.run(t, "go", "mod", "edit", "-replace", path+"="+ulidPath+"/oklog@"+version(t))
		if out, err := p.try("go", "mod", "tidy"); err == nil || !strings.Contains(out, "used for two different module paths") {
			t.Errorf("go replaces both versions with one module: %v\n%s", err, out)
		}
		p.page(t, "both versions")
	}
	if got := p.run(t, "go", "run", "."); got != oneType {
		t.Errorf("it prints\n%s\nwant\n%s", got, oneType)
	}
}
