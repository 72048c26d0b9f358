package migrating

import (
	"archive/zip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/internal/page"
)

// published returns an environment in which this checkout is v1.0.0 of the library in a module proxy, beside what the module
// cache has, and the adapter is in the library's repository. The environment has a module cache for itself.
func published(t *testing.T) []string {
	t.Helper()
	library := project{dir: page.Root()}
	repository := newProject(t, nil, nil)
	if err := os.CopyFS(repository.path("interop/migrating/oklog"), os.DirFS("oklog")); err != nil {
		t.Fatal(err)
	}
	repository.run(t, "git", "init", "-q")
	repository.run(t, "git", "add", ".")
	repository.run(t, "git", "-c", "user.name=a", "-c", "user.email=a@a.example", "commit", "-qm", "a")

	const versions = ulidPath + "/@v/"
	proxy := newProject(t, nil, map[string]string{
		versions + "list":        "v1.0.0\n",
		versions + "v1.0.0.info": `{"Version":"v1.0.0"}`,
		versions + "v1.0.0.mod":  read(t, library.path("go.mod")),
	})
	file := must(os.Create(proxy.path(versions + "v1.0.0.zip")))(t)
	archive := zip.NewWriter(file)
	for _, name := range append(glob(t, library.path("*.go")), library.path("go.mod"), library.path("LICENSE")) {
		w := must(archive.Create(ulidPath + "@v1.0.0/" + filepath.Base(name)))(t)
		w.Write([]byte(read(t, name)))
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}

	cache, next, _ := strings.Cut(strings.TrimSpace(interop.run(t, "go", "env", "GOMODCACHE", "GOPROXY")), "\n")
	return []string{
		"GOPROXY=file://" + proxy.dir + ",file://" + filepath.Join(cache, "cache/download") + "," + next,
		"GONOSUMDB=github.com/*", "GOMODCACHE=" + t.TempDir(), "GOFLAGS=-modcacherw", "GOWORK=off",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://" + repository.dir + ".insteadOf", "GIT_CONFIG_VALUE_0=https://" + ulidPath,
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
	// The conversion compiles whether they are one type or two.
	id := ulid.ULID(dep.Last)
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
	run := func(name string, test func(t *testing.T)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
	run("path", func(t *testing.T) { changePath(t, app(t, env, oklogPath), false) })
	run("vendor", func(t *testing.T) { changePath(t, app(t, env, oklogPath), true) })
	for _, path := range []string{oklogPath, ulidPath, "github.com/oklog/ulid"} {
		run("adapter of "+path, func(t *testing.T) { adapt(t, app(t, env, path), path) })
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
		"version 1.go":       {"github.com/oklog/ulid", ulidPath},
		"folder/vendor/b.go": {oklogPath, oklogPath},
	}
	if vendor {
		clear(others) // go mod vendor would look for what they import
	}
	for name, path := range others {
		p.write(t, name, "package main\n\nimport _ \""+path.old+"\"\n")
	}
	p.write(t, "sqlc.yaml", "import: "+oklogPath+"\n")
	p.page(t, "path")
	for name, path := range others {
		if got := read(t, p.path(name)); !strings.Contains(got, `"`+path.want+`"`) {
			t.Errorf("%s is\n%s\nwant the path %s", name, got, path.want)
		}
	}
	if err := os.RemoveAll(p.path("folder")); err != nil {
		t.Fatal(err)
	}
	tidy()
	if got := p.run(t, "go", "run", "."); got != twoTypes {
		t.Errorf("with both paths it prints\n%s\nwant\n%s", got, twoTypes)
	}
	for _, want := range []string{oklogPath + " v2.1.2 // indirect", "\ngo 1.25\n"} {
		if got := read(t, p.path("go.mod")); !strings.Contains(got, want) {
			t.Errorf("tidy leaves\n%s\nwant %q", got, want)
		}
	}
	listed := p.page(t, "other files")
	for name, want := range map[string]bool{"sqlc.yaml": true, "vendor/": false, "main.go": false} {
		if got := strings.Contains(listed, "./"+name); got != want {
			t.Errorf("%s is listed: %t, want %t, in\n%s", name, got, want, listed)
		}
	}

	p.write(t, "main_test.go", valueTest)
	if out, err := p.bash(t, block(t, "sh: loud on")); err == nil || !strings.Contains(out, "plain ULID") {
		t.Errorf("with the loud copy: %v\n%s", err, out)
	}
	p.page(t, "loud off")
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
	if _, err := os.Stat(p.path("ulid.tmp")); err == nil {
		t.Error("the clone stays")
	}
	if path == "github.com/oklog/ulid" {
		if err := os.CopyFS(p.path("oklog1"), os.DirFS("oklog")); err != nil {
			t.Fatal(err)
		}
		p.run(t, "bash", "-c", inline(t, "go mod edit -replace .*/oklog1")+" && go mod tidy")
	}
	if got := p.run(t, "go", "run", "."); got != oneType {
		t.Errorf("it prints\n%s\nwant\n%s", got, oneType)
	}
}

// inline returns the one code span of the guide that matches all of the expression.
func inline(t *testing.T, expression string) string {
	t.Helper()
	found := regexp.MustCompile("`("+expression+")`").FindAllStringSubmatch(page.Text(t, guide), -1)
	if len(found) != 1 {
		t.Fatalf("%s has %d times `%s`, want once", guide, len(found), expression)
	}
	return found[0][1]
}
