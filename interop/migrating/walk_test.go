package migrating

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/page"
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
	return project{}.try(w.file, append([]string{d.DSN, what}, args...)...)
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
	t.Parallel()
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
	before := read(t, p.path("store.go"))
	wantListed(t, p, before)
	p.write(t, "store.go", edited(t, before, -1))
	right := build(t, p, "right")
	p.page(t, "loud on")
	wantLoud(t, p, before)
	p.span(t, "go mod edit -dropreplace .*")

	for _, c := range withMySQL(sqlite, postgres, mariadb) {
		t.Run(c.String(), func(t *testing.T) { walk(t, open(t, c), old, naive, right) })
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
		d.functions()
		if errs := d.mend(t, false); errs != nil {
			t.Fatal(errs)
		}
		ids = append(ids, texts...)
		old.want(t, found(len(ids)), d, "find", ids...)
	}

	// The guide.
	d.wantForms(t, fmt.Sprintf("16 bytes %d", len(ids)))
	d.loud(t)
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
	lost := map[string]string{"sqlite": "removed 0\n", "postgres": "removed 3\n", "mysql": "removed 3\n"}
	naive.want(t, lost[d.name()], d, "purge")
}

// edits are what step 3 makes of the store. The first are its fields.
var edits = []struct{ before, after string }{
	{"ID    ulid.ULID", "ID    ulid.AsBinary"},
	{"EventID ulid.ULID", "EventID ulid.AsBinary"},
	{"ID: ulid.Make()", "ID: ulid.AsBinary(ulid.Make())"},
	{"return event.ID", "return ulid.ULID(event.ID)"},
	{`("id = ?", id)`, `("id = ?", ulid.AsBinary(id))`},
	{`("id IN ?", ids)`, `("id IN ?", asBinary(ids))`},
	{`VALUES (?, ?)", id`, `VALUES (?, ?)", ulid.AsBinary(id)`},
	{`("events.id = ?", id)`, `("events.id = ?", ulid.AsBinary(id))`},
	{`id = ?", note, id`, `id = ?", note, ulid.AsBinary(id)`},
	{`("event_id < ?", before)`, `("event_id < ?", ulid.AsBinary(before))`},
	{`("id < ?", before)`, `("id < ?", ulid.AsBinary(before))`},
	{`("event_id = ?", id)`, `("event_id = ?", ulid.AsBinary(id))`},
	{"Event{ID: id}", "Event{ID: ulid.AsBinary(id)}"},
}

const fields = 2

// asBinary is what a store needs that has a list for IN.
const asBinary = `
func asBinary(ids []ulid.ULID) []ulid.AsBinary {
	list := make([]ulid.AsBinary, len(ids))
	for i, id := range ids {
		list[i] = ulid.AsBinary(id)
	}
	return list
}
`

// edited returns the store after all edits but one.
func edited(t *testing.T, store string, without int) string {
	t.Helper()
	for i, e := range edits {
		if n := strings.Count(store, e.before); n != 1 {
			t.Fatalf("the store has %q %d times, want once", e.before, n)
		}
		if i != without {
			store = strings.Replace(store, e.before, e.after, 1)
		}
	}
	return store + asBinary
}

// wantListed fails the test unless the guide's commands, or the compiler once the fields are changed, list each line of the
// store that an edit changes.
func wantListed(t *testing.T, p project, store string) {
	t.Helper()
	listed := p.page(t, "grep")
	changed := store
	for _, e := range edits[:fields] {
		changed = strings.Replace(changed, e.before, e.after, 1)
	}
	p.write(t, "store.go", changed)
	compiled, err := p.try("go", "build", "-gcflags=-e", ".")
	if err == nil {
		t.Error("it compiles with the fields alone changed")
	}
	for _, e := range edits {
		before, _, _ := strings.Cut(store, e.before)
		at := fmt.Sprintf("./store.go:%d:", 1+strings.Count(before, "\n"))
		if !strings.Contains(listed+compiled, at) {
			t.Errorf("neither the commands nor the compiler found %s in\n%s", e.before, listed+compiled)
		}
	}
}

// wantLoud leaves out each edit, one at a time, in packages of one test program. Each must be an error of the compiler, or of
// the tests with the copy of the library that the guide makes.
func wantLoud(t *testing.T, p project, store string) {
	t.Helper()
	mainFile, tests := read(t, p.path("main.go")), read(t, p.path("store_test.go"))
	name := func(i int) string { return fmt.Sprintf("without%d", i) }
	for i := range edits {
		for file, code := range map[string]string{"store.go": edited(t, store, i), "main.go": mainFile, "test.go": tests} {
			p.write(t, name(i)+"/"+file, strings.Replace(code, "package main", "package "+name(i), 1))
		}
	}
	compiled, _ := p.try("go", "build", "-mod=mod", "-gcflags=-e", "./without...")
	var imports, calls strings.Builder
	var tested []int
	for i := range edits {
		if !strings.Contains(compiled, "# a.example/walk/"+name(i)+"\n") {
			tested = append(tested, i)
			fmt.Fprintf(&imports, "import %q\n", "a.example/walk/"+name(i))
			fmt.Fprintf(&calls, "\tt.Run(%q, %s.TestStore)\n", name(i), name(i))
		}
	}
	if len(tested) != 8 {
		t.Errorf("%d edits left out compile, want 8, the arguments:\n%s", len(tested), compiled)
	}
	p.write(t, "all/all_test.go", "package all\n\nimport \"testing\"\n"+imports.String()+"\nfunc Test(t *testing.T) {\n"+calls.String()+"}\n")
	out, _ := p.try("go", "test", "-mod=mod", "-vet=off", "-json", "./all")
	for _, i := range tested {
		if !regexp.MustCompile(`"Test":"Test/` + name(i) + `","Output":".*plain ULID`).MatchString(out) {
			t.Errorf("%s is no error with the loud copy:\n%s", edits[i].before, out)
		}
	}
}
