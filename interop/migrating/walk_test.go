package migrating

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/internal/page"
)

// A walker is the program in testdata/walk, built in one of its states.
type walker struct{ file string }

// build builds the program as it is now.
func build(t *testing.T, p project, state string) walker {
	t.Helper()
	p.run(t, "go", "build", "-ldflags=-s -w", "-o", state+".exe", ".")
	return walker{p.path(state + ".exe")}
}

func (w walker) try(d database, what string, args ...string) (string, error) {
	return project{}.try(w.file, append([]string{d.dsn, what}, args...)...)
}

// want fails the test unless the program prints what is wanted.
func (w walker) want(t *testing.T, want string, d database, what string, args ...string) {
	t.Helper()
	if got := must(w.try(d, what, args...))(t); got != want {
		t.Errorf("%s prints %q, want %q", what, got, want)
	}
}

func (w walker) wantError(t *testing.T, d database, what string, args ...string) {
	t.Helper()
	if out, err := w.try(d, what, args...); err == nil {
		t.Errorf("%s prints %q, want an error", what, out)
	}
}

// create returns the IDs of n new events.
func (w walker) create(t *testing.T, d database, n int) []string {
	t.Helper()
	return strings.Fields(must(w.try(d, "create", slices.Repeat([]string{"a note"}, n)...))(t))
}

// found is what the program prints of n events that it finds, with an item each.
func found(n int) string {
	return fmt.Sprintf("got %d, listed %[1]d, items %[1]d, counted %[1]d, renamed %[1]d\n", n)
}

// TestWalk goes the way of the guide with a program that stores IDs of oklog/ulid in columns of bytes.
func TestWalk(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: run  go test -C interop ./migrating")
	}
	// A module with interop's versions. It names this checkout, as the library is in no proxy.
	p := newProject(t, nil, map[string]string{"go.mod": read(t, interop.path("go.mod")), "go.sum": read(t, interop.path("go.sum"))})
	for _, file := range []string{"main.go", "store.go", "store_test.go"} {
		p.write(t, file, read(t, "testdata/walk/"+file))
	}
	p.run(t, "go", "mod", "edit", "-module=a.example/walk", "-replace="+ulidPath+"="+page.Root())
	old := build(t, p, "old")

	// The path alone, as the guide warns. All tests pass. The go get does nothing here: the go.mod requires the library
	// already, and TestPath gets it from a proxy.
	must(p.bash(t, `go() { [ "$1" = get ] || command go "$@"; }`+"\n"+block(t, "sh: path")))(t)
	p.run(t, "go", "test", "-vet=off", "./...")
	naive := build(t, p, "naive")

	// The path, and AsBinary in the lines that the guide lets one find.
	after := read(t, "testdata/walk/after/store.go")
	wantListed(t, p, after)
	p.write(t, "store.go", after)
	right := build(t, p, "right")
	p.page(t, "loud on")
	wantLoud(t, p, after)
	p.page(t, "loud off")
	if _, err := os.Stat(p.path("loud")); err == nil {
		t.Error("the copy stays")
	}

	for _, c := range []connection{sqlite, postgres, mariadb} {
		t.Run(c.name, func(t *testing.T) { walk(t, open(t, c), old, naive, right) })
	}
}

// walk runs the three programs on a database.
func walk(t *testing.T, d database, old, naive, right walker) {
	d.tables(t)
	ids := old.create(t, d, 10)
	old.want(t, found(10), d, "find", ids...)

	// The mistake.
	naive.want(t, found(0), d, "find", ids...)
	naive.want(t, "removed 0\n", d, "remove", ids...)
	if d.guarded {
		naive.wantError(t, d, "create", "a note")
	} else {
		texts := naive.create(t, d, 3)
		naive.want(t, found(3), d, "find", texts...)
		d.wantForms(t, "16 bytes 10, text 3")
		d.functions(t)
		if errs := d.mend(t, false); errs != nil {
			t.Fatal(errs)
		}
		ids = append(ids, texts...)
		old.want(t, found(len(ids)), d, "find", ids...)
	}

	// The guide.
	d.wantForms(t, fmt.Sprintf("16 bytes %d", len(ids)))
	d.exec(t, d.block(t, "loud"))
	old.want(t, found(len(ids)), d, "find", ids...)
	ids = append(ids, old.create(t, d, 1)...)
	naive.wantError(t, d, "create", "a note")
	naive.wantError(t, d, "add", ids[0])

	right.want(t, found(len(ids)), d, "find", ids...)
	ids = append(ids, right.create(t, d, 3)...)
	right.want(t, found(len(ids)), d, "find", ids...)
	d.wantForms(t, fmt.Sprintf("16 bytes %d", len(ids)))
	// The way back.
	old.want(t, found(len(ids)), d, "find", ids...)
	right.want(t, "", d, "add", ids[0])
	right.want(t, fmt.Sprintf("removed %d\n", len(ids)), d, "remove", ids...)
	right.want(t, found(0), d, "find", ids...)

	// A job that removes what is older than an hour, with nothing that old. The mistake removes every row in spite of the
	// statements of step 1.
	old.create(t, d, 3)
	old.want(t, "removed 0\n", d, "purge")
	right.want(t, "removed 0\n", d, "purge")
	lost := map[string]string{"sqlite": "removed 0\n", "postgres": "removed 3\n", "mariadb": "removed 3\n"}
	naive.want(t, lost[d.name], d, "purge")
}

var field = regexp.MustCompile(`^\t\w+ +ulid\.ULID\b`)

// wantListed fails the test unless the guide's commands, or the compiler once the fields are changed, list each line of the
// store that changes afterwards.
func wantListed(t *testing.T, p project, after string) {
	t.Helper()
	listed := p.page(t, "grep")
	lines := strings.Split(read(t, p.path("store.go")), "\n")
	changed := slices.Clone(lines)
	fields := 0
	for i, line := range lines {
		if field.MatchString(line) {
			name := strings.Fields(line)[0]
			changed[i] = regexp.MustCompile(`(?m)^\t` + name + ` +ulid\..*$`).FindString(after)
			fields++
		}
	}
	if fields != 2 {
		t.Fatalf("%d fields, want 2", fields)
	}
	p.write(t, "store.go", strings.Join(changed, "\n"))
	compiled, err := p.try("go", "build", "-gcflags=-e", ".")
	if err == nil {
		t.Error("it compiles with the fields alone changed")
	}
	for i, line := range lines {
		at := fmt.Sprintf("./store.go:%d:", i+1)
		if !strings.Contains("\n"+after, "\n"+line+"\n") && !strings.Contains(listed+compiled, at) {
			t.Errorf("neither the commands nor the compiler found this line: %s", line)
		}
	}
}

var use = regexp.MustCompile(`ulid\.AsBinary\((\w+)\)|asBinary\((ids)\)`)

// wantLoud leaves each AsBinary of the store out, one at a time, in packages of one test program. Each must be an error of the
// compiler, or of the tests with the copy of the library that the guide makes.
func wantLoud(t *testing.T, p project, after string) {
	t.Helper()
	var names []string
	for _, m := range use.FindAllStringSubmatchIndex(after, -1) {
		name := fmt.Sprintf("line%d", 1+strings.Count(after[:m[0]], "\n"))
		if slices.Contains(names, name) {
			t.Fatalf("%s has two uses of AsBinary", name)
		}
		names = append(names, name)
		argument := after[max(m[2], m[4]):max(m[3], m[5])]
		for file, code := range map[string]string{
			"store.go": after[:m[0]] + argument + after[m[1]:], "main.go": read(t, p.path("main.go")), "test.go": read(t, p.path("store_test.go")),
		} {
			p.write(t, name+"/"+file, strings.Replace(code, "package main", "package "+name, 1))
		}
	}
	var imports, calls strings.Builder
	var tested []string
	compiled, _ := p.try("go", "build", "-mod=mod", "-gcflags=-e", "./line...")
	for _, name := range names {
		if strings.Contains(compiled, "# a.example/walk/"+name+"\n") {
			continue
		}
		tested = append(tested, name)
		fmt.Fprintf(&imports, "import %q\n", "a.example/walk/"+name)
		fmt.Fprintf(&calls, "\tt.Run(%q, %s.TestStore)\n", name, name)
	}
	if len(tested) < 8 || len(tested) == len(names) {
		t.Errorf("of %d uses of AsBinary, %d compile without it; want 8, and not all:\n%s", len(names), len(tested), compiled)
	}
	p.write(t, "missed/missed_test.go", "package missed\n\nimport \"testing\"\n"+imports.String()+"\nfunc Test(t *testing.T) {\n"+calls.String()+"}\n")
	out, _ := p.try("go", "test", "-mod=mod", "-vet=off", "-json", "./missed")
	for _, name := range tested {
		if !regexp.MustCompile(`"Test":"Test/` + name + `","Output":".*plain ULID`).MatchString(out) {
			t.Errorf("%s without AsBinary is no error with the loud copy", name)
		}
	}
}
