package migrating

import (
	"archive/zip"
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	oklog "github.com/oklog/ulid/v2"

	"github.com/seed-961d0905/ulid/interop/page"
)

// version returns the version that the guide names, of the library and of the module oklog.
func version(t *testing.T) string {
	t.Helper()
	return regexp.MustCompile(`v\d+\.\d+\.\d+`).FindString(guideBlock(t, "sh: adapter"))
}

// published returns an environment in which this checkout has that version in a proxy, beside what
// the module cache has. The environment has a module cache for itself.
func published(t *testing.T) []string {
	t.Helper()
	proxy := newProject(t, nil, nil)
	for _, folder := range []string{"", "/oklog"} {
		proxy.publish(t, folder, version(t))
	}
	cache, next, _ := strings.Cut(strings.TrimSpace(interop.run(t, "go", "env", "GOMODCACHE", "GOPROXY")), "\n")
	return []string{
		"GOPROXY=file://" + proxy.dir + ",file://" + filepath.Join(cache, "cache/download") + "," + next,
		"GONOSUMDB=github.com/*", "GOMODCACHE=" + t.TempDir(), "GOFLAGS=-modcacherw", "GOWORK=",
	}
}

// publish adds the module in a folder of this checkout to a proxy, which is this project.
func (p project) publish(t *testing.T, folder, version string) {
	t.Helper()
	source := project{dir: page.Root() + folder}
	files, err := filepath.Glob(source.path("*.go"))
	check(t, err)
	var zipped bytes.Buffer
	archive := zip.NewWriter(&zipped)
	for _, name := range append(files, source.path("go.mod")) {
		w, err := archive.Create(ulidPath + folder + "@" + version + "/" + filepath.Base(name))
		check(t, err)
		_, err = w.Write([]byte(read(t, name)))
		check(t, err)
	}
	check(t, archive.Close())
	versions := ulidPath + folder + "/@v/"
	p.write(t, versions+version+".zip", zipped.String())
	p.write(t, versions+version+".mod", read(t, source.path("go.mod")))
	p.write(t, versions+version+".info", `{"Version":"`+version+`"}`)
	p.write(t, versions+"list", version)
}

// app makes a module whose main package and whose dependency have IDs. The dependency imports
// oklog/ulid, the main package the path.
func app(t *testing.T, env []string, path string) project {
	t.Helper()
	dep := newProject(t, nil, map[string]string{
		"go.mod": "module b.example/dep\n\ngo 1.24\n\nrequire " + oklogPath + " v2.1.2\n",
		"dep.go": `package dep

import "github.com/oklog/ulid/v2"

var Last = ulid.Make()

func Parse(s string) error {
	_, err := ulid.Parse(s)
	return err
}
`,
	})
	return newProject(t, env, map[string]string{
		"go.mod": "module a.example/app\n\ngo 1.24\n\nrequire (\n\tb.example/dep v0.0.0\n\t" + oklogPath + " v2.1.2\n)\n\n" +
			"replace b.example/dep => " + dep.dir + "\n",
		"go.sum": read(t, interop.path("go.sum")),
		"main.go": `package main

import (
	"fmt"
	"os"
	"reflect"

	"b.example/dep"
	"` + path + `"
)

func main() {
	// This compiles whether they are one type or two.
	var id ulid.ULID = [16]byte(dep.Last)
	fmt.Println(reflect.TypeOf(id) == reflect.TypeOf(dep.Last), id == ulid.ULID(dep.Last))
	const wrong = "01ARZ3NDEKTSV4RRFFQ69G5FAU" // which only oklog/ulid takes
	_, err := ulid.Parse(wrong)
	fmt.Println(reflect.TypeOf(id).PkgPath(), err)
	fmt.Println(reflect.TypeOf(dep.Last).PkgPath(), dep.Parse(wrong))
	for _, text := range os.Args[1:] {
		fmt.Println(text, ulid.MustParse(text))
	}
}
`,
	})
}

// TestReplace runs the commands of oklog/README.md in an app whose own code imports the path.
func TestReplace(t *testing.T) {
	t.Parallel()
	env := published(t)
	constants := guideBlock(t, "constants: output")

	t.Run("version 2", func(t *testing.T) {
		t.Parallel()
		p := app(t, env, oklogPath)
		p.runGuide(t, "adapter")
		p.wantPrints(t, oklogPath, true, constants)
		p.wantGoLine(t)
	})
	t.Run("this library", func(t *testing.T) { // first without a replace, as most builds
		t.Parallel()
		p := app(t, env, ulidPath)
		p.run(t, "go", "mod", "tidy")
		p.wantPrints(t, ulidPath, false, "")
		p.runGuide(t, "adapter")
		p.wantPrints(t, ulidPath, true, "")
		p.wantGoLine(t)
	})
	t.Run("version 1", func(t *testing.T) { // and the dependency imports version 2
		t.Parallel()
		p := app(t, env, version1)
		p.runGuide(t, "adapter")
		p.run(t, "go", "mod", "edit", "-replace", version1+"="+ulidPath+"/oklog@"+version(t))
		out, err := p.try("go", "mod", "tidy")
		if err == nil || !strings.Contains(out, "used for two different module paths") {
			t.Errorf("go replaces both versions with one module: %v\n%s", err, out)
		}
		p.runGuide(t, "both versions")
		p.wantPrints(t, version1, true, constants+p.addConstant(t))
		p.wantGoLine(t)
	})
}

// TestAdapterDoc finds the guide's commands in the documentation of the module oklog, and first in docs/migrating.md.
func TestAdapterDoc(t *testing.T) {
	var comment string
	for line := range strings.Lines(guideBlock(t, "sh: adapter")) {
		comment += "//\t" + line
	}
	page.Contains(t, "oklog/ulid.go", "\n"+comment)
	if !strings.HasPrefix(guideBlock(t, "sh: replace"), guideBlock(t, "sh: adapter")) {
		t.Error("docs/migrating.md has other commands than oklog/README.md")
	}
	page.Contains(t, "README.md", "```sh\n"+guideBlock(t, "sh: adapter")+"```\n")
}

// wantGoLine fails the test unless go mod tidy has raised the go line.
func (p project) wantGoLine(t *testing.T) {
	t.Helper()
	got := read(t, p.path("go.mod"))
	if !strings.Contains(got, "\ngo 1.25\n") {
		t.Errorf("tidy leaves\n%s\nwant go 1.25, as the guide says", got)
	}
}

// wantPrints fails the test unless the app says that its type is of this path, which is another one
// than that of its dependency if the path is, that what it uses is strict, and what its dependency
// uses, too, if it is replaced. The app must also read the constants.
func (p project) wantPrints(t *testing.T, path string, isReplaced bool, constants string) {
	t.Helper()
	args := []string{"run", "."}
	for line := range strings.Lines(constants) {
		args = append(args, strings.Fields(line)[0])
	}
	got := p.run(t, "go", args...)
	const refused = " ulid: invalid character 'U' at offset 25\n"
	dep := refused
	if !isReplaced {
		dep = " <nil>\n"
	}
	want := fmt.Sprint(path == oklogPath, " true\n", path, refused, oklogPath, dep, constants)
	if got != want {
		t.Errorf("it prints\n%s\nwant\n%s", got, want)
	}
}

// addConstant adds a constant to the copy of the module, which panics without it. It returns what
// the app prints of it.
func (p project) addConstant(t *testing.T) string {
	t.Helper()
	const text = "01ARZ3NDEKTSV4RRFFQ69GOOOO"
	const variable = "var constants = map[string]string{\n"
	out, err := p.try("go", "run", ".", text)
	if err == nil || !strings.Contains(out, `"`+text+`"`) {
		t.Errorf("it prints %s, %v, want a panic that quotes %s", out, err, text)
	}
	canonical := oklog.MustParse(text).String()
	code := read(t, p.path("oklog1/ulid.go"))
	p.write(t, "oklog1/ulid.go", strings.Replace(code, variable, variable+`"`+text+`": "`+canonical+"\",\n", 1))
	return text + " " + canonical + "\n"
}
