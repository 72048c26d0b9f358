package main

import (
	"bytes"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const library = "github.com/seed-961d0905/ulid"

// modulesAPI returns the lines of the library and of every other module of go.work with a package in its own folder.
func modulesAPI() (all []string, err error) {
	modules, err := goList("-m", "-f", "{{.Path}} {{.Dir}}")
	if err != nil {
		return nil, err
	}
	var paths []string
	for path, dir := range modules {
		if files, _ := filepath.Glob(filepath.Join(dir, "*.go")); len(files) > 0 {
			paths = append(paths, path)
		}
	}
	// The compiler keeps the API of each package that it has compiled in a file.
	exports, err := goList(append([]string{"-deps", "-export", "-f", "{{.ImportPath}} {{.Export}}"}, paths...)...)
	if err != nil {
		return nil, err
	}
	compiled := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	for _, path := range paths {
		pkg, err := compiled.Import(path)
		if err != nil {
			return nil, err
		}
		prefix := ""
		if path != library {
			prefix = strings.TrimPrefix(path, library+"/") + "."
		}
		all = append(all, packageAPI(prefix, pkg)...)
	}
	slices.Sort(all)
	return all, nil
}

// goList runs go list, whose output must be two words a line, and returns the second by the first.
func goList(args ...string) (map[string]string, error) {
	list := exec.Command("go", append([]string{"list"}, args...)...)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("%v: %w", list, err)
	}
	words := map[string]string{}
	for line := range bytes.Lines(out) {
		key, value, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		words[key] = value
	}
	return words, nil
}

// packageAPI returns a line for each exported name with its declaration, such as
//
//	ULID.Next: func (ULID).Next() (next ULID, ok bool)
//
// The prefix stands before each name. Fields and methods have lines of their own. An interface is one
// line with its methods, because to add one breaks those who implement it. So is an alias of another
// package's type, whose methods are recorded there.
func packageAPI(prefix string, pkg *types.Package) (lines []string) {
	// Types are written as in the package itself.
	plain := func(other *types.Package) string {
		if other == pkg {
			return ""
		}
		return other.Path()
	}
	line := func(name, declaration string) {
		lines = append(lines, prefix+name+": "+declaration+"\n")
	}
	for _, name := range pkg.Scope().Names() {
		object := pkg.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		line(name, declaration(object, plain))
		named, ok := object.Type().(*types.Named)
		if _, isType := object.(*types.TypeName); !ok || !isType {
			continue
		}
		for _, field := range fields(named) {
			line(name+"."+field.Name(), types.TypeString(field.Type(), plain))
		}
		for _, method := range methods(named) {
			line(name+"."+method.Name(), types.ObjectString(method, plain))
		}
	}
	return lines
}

func declaration(object types.Object, plain types.Qualifier) string {
	text := types.ObjectString(object, plain)
	switch object := object.(type) {
	case *types.Const:
		text += " = " + object.Val().ExactString()
	case *types.TypeName:
		if _, ok := object.Type().Underlying().(*types.Struct); ok && !object.IsAlias() {
			text, _, _ = strings.Cut(text, " struct{") // the fields have lines of their own
			text += " struct"
		}
	}
	return text
}

// fields returns the exported fields of a struct.
func fields(named *types.Named) (exported []types.Object) {
	s, ok := named.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for field := range s.Fields() {
		if field.Exported() {
			exported = append(exported, field)
		}
	}
	return exported
}

// methods returns the exported methods of a type and of pointers to it. A pointer to an interface has none.
func methods(named *types.Named) (exported []types.Object) {
	for method := range types.NewMethodSet(types.NewPointer(named)).Methods() {
		if method.Obj().Exported() {
			exported = append(exported, method.Obj())
		}
	}
	return exported
}

// head returns the first line of .ci/api.txt.
func head(release string) string {
	if release == "" {
		return "# The exported API, of which nothing is released. Not for hands: go run ./.ci/api write\n"
	}
	return "# The exported API of v" + release + ". Not for hands: .ci/release writes it.\n"
}

func apiText(release string, lines []string) string { return head(release) + strings.Join(lines, "") }

func lines(text string) []string { return slices.Collect(strings.Lines(text)) }

// withModule returns the lines of before, with those of a module, such as "pgxulid.", taken from now.
func withModule(module string, before, now []string) []string {
	ofModule := func(line string) bool { return strings.HasPrefix(line, module) }
	others := slices.DeleteFunc(slices.Clone(before), ofModule)
	for _, line := range now {
		if ofModule(line) {
			others = append(others, line)
		}
	}
	slices.Sort(others)
	return others
}

// A diff has the lines that are in one API only. A declaration that has changed is in both.
type diff struct{ gone, added []string }

func difference(before, now []string) diff {
	return diff{gone: without(before, now), added: without(now, before)}
}

// without returns the lines that are not among the others.
func without(lines, others []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return slices.Contains(others, line) })
}
