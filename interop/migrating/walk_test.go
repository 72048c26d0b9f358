package migrating

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// walker is the program in testdata/walk in one of its states, in a module of its own with the versions of interop.
type walker struct{ dir, exe string }

// newWalker copies the program. Its go.mod names this checkout, as the library is in no proxy.
func newWalker(t *testing.T) walker {
	t.Helper()
	dir := t.TempDir()
	for _, file := range []string{"main.go", "store.go", "store_test.go"} {
		write(t, filepath.Join(dir, file), read(t, "testdata/walk/"+file))
	}
	for _, file := range []string{"go.mod", "go.sum"} {
		write(t, filepath.Join(dir, file), read(t, "../"+file))
	}
	must[string](t)(command(dir, nil, "go", "mod", "edit", "-module=a.example/walk", "-replace="+ulidPath+"="+root(t)))
	return walker{dir, filepath.Join(dir, "walk.exe")}
}

// path changes the path as the page says. Its go get does nothing: the go.mod requires the library already, and
// TestPath gets it from a proxy.
func (w walker) path(t *testing.T) {
	t.Helper()
	code := `go() { [ "$1" = get ] || command go "$@"; }` + "\n" + block(t, "sh: path")
	must[string](t)(command(w.dir, nil, "bash", "-euo", "pipefail", "-c", code))
}

func (w walker) build(t *testing.T) {
	t.Helper()
	must[string](t)(command(w.dir, nil, "go", "build", "-o", w.exe, "."))
}

// found is what the program prints of n events that it finds, with an item each.
func found(n int) string {
	return fmt.Sprintf("got %d, listed %[1]d, items %[1]d, counted %[1]d, renamed %[1]d\n", n)
}

// want runs the program on a database and fails the test unless it prints what is wanted.
func (w walker) want(t *testing.T, want, dsn, what string, args []string) {
	t.Helper()
	if got := must[string](t)(command(w.dir, nil, w.exe, append([]string{dsn, what}, args...)...)); got != want {
		t.Errorf("%s prints %q, want %q", what, got, want)
	}
}

func (w walker) create(t *testing.T, dsn string, n int) []string {
	t.Helper()
	args := append([]string{dsn, "create"}, slices.Repeat([]string{"a note"}, n)...)
	return strings.Fields(must[string](t)(command(w.dir, nil, w.exe, args...)))
}

// TestWalk goes the way of the page with a program that stores IDs of oklog/ulid in columns of bytes.
func TestWalk(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: run  go test -C interop ./migrating")
	}
	old := newWalker(t)
	old.build(t)

	// The path alone, as the page warns. All tests pass.
	naive := newWalker(t)
	naive.path(t)
	must[string](t)(command(naive.dir, nil, "go", "test", "./..."))
	naive.build(t)

	// The path, and AsBinary in the lines that the page lets one find.
	right := newWalker(t)
	right.path(t)
	listed := must[string](t)(shell(t, right.dir, "sh: grep"))
	lines := strings.Split(read(t, filepath.Join(right.dir, "store.go")), "\n")
	after := read(t, "testdata/walk/after/store.go")
	write(t, filepath.Join(right.dir, "store.go"), fieldsChanged(t, lines, after))
	compiled, err := command(right.dir, nil, "go", "build", "-gcflags=-e", ".")
	if err == nil {
		t.Error("it compiles with the fields alone changed")
	}
	for i, line := range lines {
		at := fmt.Sprintf("./store.go:%d:", i+1)
		if !slices.Contains(strings.Split(after, "\n"), line) && !strings.Contains(listed, at) && !strings.Contains(compiled, at) {
			t.Errorf("neither the commands nor the compiler found this line: %s", line)
		}
	}
	write(t, filepath.Join(right.dir, "store.go"), after)
	right.build(t)
	must[string](t)(shell(t, right.dir, "sh: loud on"))
	must[string](t)(shell(t, right.dir, "sh: loud off"))
	if _, err := os.Stat(filepath.Join(right.dir, "loud")); err == nil {
		t.Error("the copy stays")
	}

	for _, name := range []string{"sqlite", "postgres", "mariadb"} {
		t.Run(name, func(t *testing.T) {
			driver := map[string]string{"sqlite": "sqlite", "postgres": "pgx", "mariadb": "mysql"}[name]
			d := open(t, name, driver, "")
			d.tables(t, bytesType[name])
			ids := old.create(t, d.dsn, 10)
			old.want(t, found(10), d.dsn, "find", ids)

			// The mistake.
			naive.want(t, found(0), d.dsn, "find", ids)
			naive.want(t, "removed 0\n", d.dsn, "remove", ids)
			if name == "mariadb" {
				wantError(t, naive, d.dsn, "create", "a note")
			} else {
				texts := naive.create(t, d.dsn, 3)
				naive.want(t, found(3), d.dsn, "find", texts)
				if got := d.forms(t); got != "16 bytes 10, text 3" {
					t.Errorf("the forms are %s", got)
				}
				d.functions(t)
				exec1(t, d.db, read(t, "mend_"+name+".sql"))
				ids = append(ids, texts...)
				old.want(t, found(len(ids)), d.dsn, "find", ids)
			}

			// The page.
			if got := d.forms(t); got != fmt.Sprintf("16 bytes %d", len(ids)) {
				t.Fatalf("the forms are %s", got)
			}
			d.mustRun(t, "loud")
			old.want(t, found(len(ids)), d.dsn, "find", ids)
			ids = append(ids, old.create(t, d.dsn, 1)...)
			wantError(t, naive, d.dsn, "create", "a note")
			wantError(t, naive, d.dsn, "add", ids[0])

			right.want(t, found(len(ids)), d.dsn, "find", ids)
			added := right.create(t, d.dsn, 3)
			ids = append(ids, added...)
			right.want(t, found(len(ids)), d.dsn, "find", ids)
			if got := d.forms(t); got != fmt.Sprintf("16 bytes %d", len(ids)) {
				t.Errorf("the forms are %s", got)
			}
			// The way back.
			old.want(t, found(len(ids)), d.dsn, "find", ids)
			right.want(t, "", d.dsn, "add", ids[:1])
			right.want(t, fmt.Sprintf("removed %d\n", len(ids)), d.dsn, "remove", ids)
			right.want(t, found(0), d.dsn, "find", ids)

			// A job that removes what is older than an hour, with nothing that old. The mistake removes every row in
			// spite of the statements of step 1.
			old.create(t, d.dsn, 3)
			old.want(t, "removed 0\n", d.dsn, "purge", nil)
			right.want(t, "removed 0\n", d.dsn, "purge", nil)
			lost := map[string]string{"sqlite": "removed 0\n", "postgres": "removed 3\n", "mariadb": "removed 3\n"}
			naive.want(t, lost[name], d.dsn, "purge", nil)
		})
	}
}

func wantError(t *testing.T, w walker, args ...string) {
	t.Helper()
	if out, err := command(w.dir, nil, w.exe, args...); err == nil {
		t.Errorf("%s is no error: %s", args[1], out)
	}
}

var field = regexp.MustCompile(`^\t\w+ +ulid\.ULID\b`)

// fieldsChanged returns the lines with those of fields as they are afterwards.
func fieldsChanged(t *testing.T, lines []string, after string) string {
	t.Helper()
	changed := slices.Clone(lines)
	n := 0
	for i, line := range lines {
		if field.MatchString(line) {
			name := strings.Fields(line)[0]
			changed[i] = regexp.MustCompile(`(?m)^\t` + name + ` +ulid\..*$`).FindString(after)
			n++
		}
	}
	if n != 2 {
		t.Fatalf("%d fields, want 2", n)
	}
	return strings.Join(changed, "\n")
}

var use = regexp.MustCompile(`ulid\.AsBinary\((\w+)\)|asBinary\((ids)\)\)`)

// TestLoudCopy leaves each AsBinary of the program out, one at a time. Each is an error of the compiler, or of the tests with
// the copy of the library that the page makes.
func TestLoudCopy(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: run  go test -C interop ./migrating")
	}
	w := newWalker(t)
	w.path(t)
	after := read(t, "testdata/walk/after/store.go")
	write(t, filepath.Join(w.dir, "store.go"), after)
	must[string](t)(shell(t, w.dir, "sh: loud on"))
	uses := use.FindAllStringSubmatchIndex(after, -1)
	if len(uses) < 9 {
		t.Fatalf("%d uses of AsBinary", len(uses))
	}
	var compiler, tests int
	for _, m := range uses {
		argument := after[max(m[2], m[4]):max(m[3], m[5])]
		if m[4] >= 0 {
			argument += ")"
		}
		write(t, filepath.Join(w.dir, "store.go"), after[:m[0]]+argument+after[m[1]:])
		line := 1 + strings.Count(after[:m[0]], "\n")
		switch out, err := command(w.dir, nil, "go", "test", "./..."); {
		case err == nil:
			t.Errorf("line %d without AsBinary is no error", line)
		case strings.Contains(out, "[build failed]"):
			compiler++
		case strings.Contains(out, "plain ULID"):
			tests++
		default:
			t.Errorf("line %d without AsBinary: %v", line, err)
		}
	}
	if compiler < 1 || tests < 8 {
		t.Errorf("%d are errors of the compiler, %d of the tests", compiler, tests)
	}
}
