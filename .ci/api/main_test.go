package main

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// TestPackageAPI has a declaration of each kind, and the lines that it gives.
func TestPackageAPI(t *testing.T) {
	for _, tt := range []struct {
		source string
		want   []string
	}{
		{"func F(a, b int) (n int, err error) { return }", []string{"F: func F(a int, b int) (n int, err error)"}},
		{"func f() {}", nil},
		{"const C = 26", []string{"C: const C untyped int = 26"}},
		{"var V error", []string{"V: var V error"}},
		{"type T [16]byte", []string{"T: type T [16]byte"}},
		{"type T struct{ A int; b int }", []string{"T.A: int", "T: type T struct"}},
		{"type I interface{ M() }", []string{"I: type I interface{M()}"}},
		{"type T int; func (T) M() {}; func (*T) P() {}; func (T) m() {}",
			[]string{"T.M: func (T).M()", "T.P: func (*T).P()", "T: type T int"}},
		{"type T struct{ e }; type e int; func (e) M() {}", []string{"T.M: func (e).M()", "T: type T struct"}},
		{"type T[K any] int; func (T[K]) M(T[K]) {}", []string{"T.M: func (T[K]).M(T[K])", "T: type T[K any] int"}},
		{`import "io"; type R = io.Reader`, []string{"R: type R = io.Reader"}},
		{`import "time"; type T = time.Time`, []string{"T: type T = time.Time"}},
	} {
		want := []string{}
		for _, line := range tt.want {
			want = append(want, "typed."+line+"\n")
		}
		got := packageAPI("typed.", checked(t, tt.source))
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %q\nwant %q", tt.source, got, want)
		}
	}
}

func checked(t *testing.T, source string) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", "package p; "+source, 0)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, err := config.Check("p", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// TestModulesAPI has a name of each module.
func TestModulesAPI(t *testing.T) {
	t.Chdir("../..")
	got, err := modulesAPI()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Make: func Make() ULID\n",
		"oklog.Make: func Make() ULID\n",
		"pgxulid.Register: func Register(m *github.com/jackc/pgx/v5/pgtype.Map)\n",
		"typed.ID: type ID[K Kind] [16]byte\n",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not among %d lines", want, len(got))
		}
	}
}

// The changelogs of the tests.
const (
	nothingReleased = "# Changelog\n\n## [Unreleased]\n\n## [1.0.0] - unreleased\n\nThe first.\n" + links100
	released        = "# Changelog\n\n## [Unreleased]\n" + entries + "\n## [1.0.0] - 2026-01-01\n\n`Old`\n" + links100
	prepared        = "# Changelog\n\n## [Unreleased]\n\n## [1.1.0] - unreleased\n" + entries +
		"\n## [1.0.0] - 2026-01-01\n\n`Old`\n" + links100
	links100 = "\n[Unreleased]: https://a.example/compare/v1.0.0...HEAD\n[1.0.0]: https://a.example/releases/tag/v1.0.0\n"
	entries  = "ENTRIES"
)

func parsed(t *testing.T, text string) changelog {
	t.Helper()
	c, err := parseChangelog(text)
	if err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	return c
}

// TestLacks compares a few lines with a release, and with what CHANGELOG.md says since then.
func TestLacks(t *testing.T) {
	const (
		none    = ""
		breaks  = `CHANGELOG.md must name %s under "## [%v]", in "### Changed" or "### Removed"`
		extends = `CHANGELOG.md must name %s under "## [%v]"`
	)
	before := []string{"Old: func Old()\n", "T.M: func (T).M()\n"}
	for _, tt := range []struct {
		name    string
		now     []string
		entries string
		message string
		missing string // the name that it must have
	}{
		{"nothing changes", before, "", none, ""},
		{"new", append(before, "New: func New()\n"), "", extends, "`New`"},
		{"new, without backticks", append(before, "New: func New()\n"), "\n- New\n", extends, "`New`"},
		{"new, and another name", append(before, "New: func New()\n"), "\n- `NewUUID`\n", extends, "`New`"},
		{"new and named", append(before, "New: func New()\n"), "\n- `New`\n", none, ""},
		{"new in a module", append(before, "typed.ID.New: func (ID).New()\n"), "\n- `ID.New`\n", extends, "`typed.ID.New`"},
		{"gone", before[1:], "", breaks, "`Old`"},
		{"gone, outside the parts", before[1:], "\n`Old` has gone\n", breaks, "`Old`"},
		{"gone, under Added", before[1:], "\n### Added\n\n- `Old`\n", breaks, "`Old`"},
		{"gone, and named", before[1:], "\n### Removed\n\n- `Old`\n", none, ""},
		{"gone, after another part", before[1:], "\n### Added\n\n- `A`\n\n### Removed\n\n- `Old`\n", none, ""},
		{"gone, before another part", before[1:], "\n### Removed\n\n### Added\n\n- `Old`\n", breaks, "`Old`"},
		{"changed", []string{"Old: func Old() int\n", before[1]}, "\n`Old`\n", breaks, "`Old`"},
		{"changed and named", []string{"Old: func Old() int\n", before[1]}, "\n### Changed\n\n- `Old`\n", none, ""},
		{"a method gone", before[:1], "\n### Removed\n\n- `M`\n", breaks, "`T.M`"},
	} {
		for open, text := range map[string]string{"Unreleased": released, "1.1.0": prepared} {
			c := parsed(t, strings.Replace(text, entries, tt.entries, 1))
			got := c.lacks(difference(before, tt.now))
			var want []string
			if tt.message != none {
				want = []string{strings.NewReplacer("%s", tt.missing, "%v", open).Replace(tt.message)}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, in [%s]:\ngot  %q\nwant %q", tt.name, open, got, want)
			}
		}
	}
}

// TestBeforeTheFirstRelease allows any change, once it is recorded.
func TestBeforeTheFirstRelease(t *testing.T) {
	c := parsed(t, nothingReleased)
	if got := c.lacks(difference([]string{"A: func A()\n"}, []string{"A: func A()\n"})); got != nil {
		t.Errorf("nothing has changed, and it lacks %q", got)
	}
	for _, now := range [][]string{nil, {"A: func A()\n", "B: func B()\n"}} {
		got := c.lacks(difference([]string{"A: func A()\n"}, now))
		if len(got) != 1 || !strings.HasSuffix(got[0], "go run ./.ci/api write") {
			t.Errorf("with %q, it lacks %q, want the command", now, got)
		}
	}
}

// TestCompare has the file of another release.
func TestCompare(t *testing.T) {
	for _, tt := range []struct {
		changelog, recorded string
		ok                  bool
	}{
		{nothingReleased, head("") + "A: func A()\n", true},
		{nothingReleased, head("1.0.0") + "A: func A()\n", false},
		{released, head("1.0.0") + "A: func A()\n", true},
		{released, head("0.9.0") + "A: func A()\n", false},
		{released, head("1.0.0"), false},
		{released, "A: func A()\n", false},
	} {
		err := compare(parsed(t, tt.changelog), tt.recorded, []string{"A: func A()\n"})
		if (err == nil) != tt.ok {
			t.Errorf("with %q: %v", tt.recorded, err)
		}
	}
}

// TestParseChangelog has what must not be.
func TestParseChangelog(t *testing.T) {
	for want, text := range map[string]string{
		"must be [Unreleased]":      "# Changelog\n",
		"CHANGELOG.md must be":      "## [1.0.0] - 2026-01-01\n",
		"move what stands under":    "## [Unreleased]\n\n- `New`\n\n## [1.0.0] - unreleased\n",
		"[1.0.0] has no date, alth": "## [Unreleased]\n\n## [1.0.1] - unreleased\n\n- `New`\n\n## [1.0.0] - unreleased\n",
		"[1.0.0] has no date yet":   "## [Unreleased]\n\n- `New`\n\n## [1.0.0] - \n",
	} {
		if _, err := parseChangelog(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q\ngot  %v\nwant %s", text, err, want)
		}
	}
}

// TestDate makes a release.
func TestDate(t *testing.T) {
	empty := strings.Replace(released, entries, "", 1)
	full := strings.Replace(released, entries, "\n- `New`\n", 1)
	for _, tt := range []struct {
		name, text, version string
		want                string // the error
	}{
		{"the first", nothingReleased, "1.0.0", ""},
		{"the first again", strings.Replace(nothingReleased, "unreleased", "2026-01-02", 1), "1.0.0", ""},
		{"from Unreleased", full, "1.1.0", ""},
		{"from a section of its own", strings.Replace(prepared, entries, "\n- `New`\n", 1), "1.1.0", ""},
		{"an empty section", strings.Replace(prepared, entries, "", 1), "1.1.0", "[1.1.0] of CHANGELOG.md is empty"},
		{"nothing under Unreleased", empty, "1.1.0", "[Unreleased] is empty"},
		{"above an unreleased one", nothingReleased, "1.0.1", "[1.0.0], the version below 1.0.1, is unreleased"},
		{"below the changes", full, "1.0.0", "CHANGELOG.md has changes above [1.0.0]"},
	} {
		got, err := parsed(t, tt.text).date(tt.text, tt.version, "2026-02-03")
		if tt.want != "" {
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		v := tt.version
		for _, line := range []string{
			"\n## [Unreleased]\n\n## [" + v + "] - 2026-02-03\n",
			"\n[Unreleased]: https://a.example/compare/v" + v + "...HEAD\n",
			"\n[" + v + "]: https://a.example/releases/tag/v" + v + "\n",
		} {
			if strings.Count(got, line) != 1 {
				t.Errorf("%s: it lacks %q\n%s", tt.name, line, got)
			}
		}
		if c := parsed(t, got); c.released() != v || c[1].isEmpty() || !c[0].isEmpty() {
			t.Errorf("%s: it has become\n%s", tt.name, got)
		}
	}
}

// TestWithModule renews the names of one module only.
func TestWithModule(t *testing.T) {
	before := []string{"A: 1\n", "pgxulid.Gone: 1\n", "pgxulid.Old: 1\n", "typed.B: 1\n"}
	now := []string{"A: 2\n", "New: 2\n", "pgxulid.New: 2\n", "pgxulid.Old: 2\n", "typed.B: 2\n"}
	want := []string{"A: 1\n", "pgxulid.New: 2\n", "pgxulid.Old: 2\n", "typed.B: 1\n"}
	if got := withModule("pgxulid.", before, now); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
