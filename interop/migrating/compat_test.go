package migrating

import (
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/page"
)

// withPath returns a Go file that imports oklog/ulid, with the import path of this library in its
// place.
func withPath(t *testing.T, file string) string {
	t.Helper()
	return strings.ReplaceAll(read(t, file), `"`+oklogPath+`"`, `"`+ulidPath+`"`)
}

// TestSameOutput runs the program in compat, which uses every name of oklog/ulid, with oklog/ulid,
// with this library, and with the adapter. It must print the same, but for its first line with this
// library, which is the path of the type. gob and msgpack hold what MarshalBinary returns, as
// interop/encoders shows.
func TestSameOutput(t *testing.T) {
	t.Parallel()
	page.Fact(t, "docs/migrating.md", "other-forms-stay")
	const all = "-gcflags=-e" // all errors, not only ten
	p := withAdapter(t, map[string]string{
		"ours/main.go":    withPath(t, "compat/main.go"),
		"adapter/main.go": read(t, "compat/main.go"),
	})
	used, want, _ := strings.Cut(interop.run(t, "go", "run", all, "./migrating/compat"), "\n")
	if used != oklogPath {
		t.Fatalf("the program used %s, want %s", used, oklogPath)
	}
	wanted := strings.Split(want, "\n")
	for name, path := range map[string]string{"ours": ulidPath, "adapter": oklogPath} {
		used, got, _ := strings.Cut(p.run(t, "go", "run", all, "./"+name), "\n")
		lines := strings.Split(got, "\n")
		if used != path || len(lines) != len(wanted) {
			t.Fatalf("%s used %s, want %s, and printed %d lines, oklog %d", name, used, path, len(lines), len(wanted))
		}
		for i := range lines {
			if lines[i] != wanted[i] {
				t.Errorf("%s printed %s\noklog printed %s", name, lines[i], wanted[i])
			}
		}
	}
}

// TestEveryName shows that the program in compat uses every name of oklog/ulid, each method in its
// list of functions.
func TestEveryName(t *testing.T) {
	t.Parallel()
	code := read(t, "compat/main.go")
	want := func(expression string) {
		if !regexp.MustCompile(expression + `\b`).MatchString(code) {
			t.Errorf("compat/main.go does not use %s", expression)
		}
	}
	scope := imported(t, oklogPath)
	for _, name := range scope.Names() {
		if !ast.IsExported(name) {
			continue
		}
		want(`\bulid\.` + name)
		object, ok := scope.Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		receiver := object.Type()
		if !types.IsInterface(receiver) {
			receiver = types.NewPointer(receiver)
		}
		for method := range types.NewMethodSet(receiver).Methods() {
			if method.Obj().Exported() {
				want(`\bulid\.` + name + `\)?\.` + method.Obj().Name())
			}
		}
	}
}

// imported returns the scope of a package.
func imported(t *testing.T, path string) *types.Scope {
	t.Helper()
	found, err := importer.ForCompiler(token.NewFileSet(), "source", nil).Import(path)
	check(t, err)
	return found.Scope()
}

// TestOfOklog runs the tests of oklog/ulid with this library, and with the adapter. They pass, except
// those that demand what differs.
func TestOfOklog(t *testing.T) {
	t.Parallel()
	want := []string{
		"TestMustParse",                    // The panic quotes the text, and matches the sentinel.
		"TestParseRobustness",              // Parse is strict.
		"TestParseStrictInvalidCharacters", // The error says which character, and matches the sentinel.
		"TestScan",                         // The error of "other" names the type, and matches the sentinel.
		"TestScan/other",
	}
	dir := strings.TrimSpace(interop.run(t, "go", "list", "-m", "-f", "{{.Dir}}", oklogPath))
	file := filepath.Join(dir, "ulid_test.go")
	shorter := strings.NewReplacer("1e6", "1e4") // a million random pairs take four seconds
	p := withAdapter(t, map[string]string{
		"ours/ulid_test.go":    shorter.Replace(withPath(t, file)),
		"adapter/ulid_test.go": shorter.Replace(read(t, file)),
	})
	for _, name := range []string{"ours", "adapter"} {
		out, err := p.try("go", "test", "-v", "-vet=off", "./"+name)
		if err == nil {
			t.Fatalf("%s: they all pass", name)
		}
		var got []string
		for _, m := range regexp.MustCompile(`(?m)^ *--- FAIL: (\w+|TestScan/\w+) `).FindAllStringSubmatch(out, -1) {
			got = append(got, m[1])
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: these fail: %q, want %q\n%s", name, got, want, out)
		}
	}
}
