// Api compares the exported API with the API of the last release, .ci/api.txt, and fails if the Unreleased part of CHANGELOG.md
// does not name a change in backticks: `Make`, `Generator.MaxStep`, `ULID.Scan`. It must name what has changed or gone under
// "### Changed" or "### Removed".
//
//	go run .ci/api.go            # compares
//	go run .ci/api.go release    # writes .ci/api.txt; .ci/release does that
//
// The API is kept as text, so that a review shows what a release changes.
package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	changelog := read("CHANGELOG.md")
	release := regexp.MustCompile(`(?m)^## \[(\d[^]]*)\]`).FindStringSubmatch(changelog)[1]
	head := "# The exported API of v" + release + ". Written by go run .ci/api.go release.\n"
	now := api()
	if slices.Equal(os.Args[1:], []string{"release"}) {
		check(os.WriteFile(".ci/api.txt", []byte(head+strings.Join(now, "")), 0o666))
		return
	}
	text, ok := strings.CutPrefix(read(".ci/api.txt"), head)
	if !ok {
		log.Fatalf("the newest release in CHANGELOG.md is %s, and .ci/api.txt has the API of another: run  go run .ci/api.go release", release)
	}
	before := slices.Collect(strings.Lines(text))

	_, unreleased, _ := strings.Cut(changelog, "## [Unreleased]\n")
	unreleased, _, _ = strings.Cut(unreleased, "\n## [")
	var breaking string
	for part := range strings.SplitSeq(unreleased, "\n### ") {
		if strings.HasPrefix(part, "Changed\n") || strings.HasPrefix(part, "Removed\n") {
			breaking += part
		}
	}
	gone, added := without(before, now), without(now, before)
	missing := false
	for _, line := range slices.Concat(gone, added) {
		sign, place, where := "+", unreleased, ""
		if slices.Contains(gone, line) {
			sign, place, where = "-", breaking, `, in "### Changed" or "### Removed"`
		}
		fmt.Print(sign, " ", line)
		name, _, _ := strings.Cut(line, ": ")
		if !strings.Contains(place, "`"+name+"`") {
			fmt.Printf("CHANGELOG.md must name `%s` under \"## [Unreleased]\"%s\n", name, where)
			missing = true
		}
	}
	if missing {
		os.Exit(1)
	}
	fmt.Printf("%d names, %d lines differ from v%s\n", len(now), len(gone)+len(added), release)
}

// api returns a line for each exported name of the package, with its declaration, such as
// "ULID.Next: func (ULID).Next() (next ULID, ok bool)". A struct's fields have lines of their own. An interface is one line with its
// methods, because to add one breaks those who implement it.
func api() (lines []string) {
	fset := token.NewFileSet()
	var files []*ast.File
	names, err := filepath.Glob("*.go")
	check(err)
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			file, err := parser.ParseFile(fset, name, nil, 0)
			check(err)
			files = append(files, file)
		}
	}
	pkg, err := (&types.Config{Importer: importer.ForCompiler(fset, "source", nil)}).Check("ulid", fset, files, nil)
	check(err)
	line := func(name string, declaration any) { lines = append(lines, fmt.Sprintf("%s: %v\n", name, declaration)) }
	plain := func(other *types.Package) string { // as it is written in the package
		if other == pkg {
			return ""
		}
		return other.Path()
	}
	for _, name := range pkg.Scope().Names() {
		object := pkg.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		declaration := types.ObjectString(object, plain)
		if constant, ok := object.(*types.Const); ok {
			declaration += " = " + constant.Val().ExactString()
		}
		receiver := object.Type()
		if _, ok := object.(*types.TypeName); ok {
			if s, ok := receiver.Underlying().(*types.Struct); ok {
				declaration = "type " + name + " struct"
				for field := range s.Fields() {
					if field.Exported() {
						line(name+"."+field.Name(), types.TypeString(field.Type(), plain))
					}
				}
			}
			if !types.IsInterface(receiver) {
				receiver = types.NewPointer(receiver)
				for method := range types.NewMethodSet(receiver).Methods() {
					if method.Obj().Exported() {
						line(name+"."+method.Obj().Name(), types.ObjectString(method.Obj(), plain))
					}
				}
			}
		}
		line(name, declaration)
	}
	slices.Sort(lines)
	return lines
}

// without returns the lines that are not among the others.
func without(lines, others []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return slices.Contains(others, line) })
}

func read(file string) string {
	text, err := os.ReadFile(file)
	check(err)
	return string(text)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
