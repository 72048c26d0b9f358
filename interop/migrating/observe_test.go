package migrating

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// A difference between the module oklog and oklog/ulid that is meant. The expressions are of whole names and results.
type difference struct {
	reason             string
	name, theirs, ours string
}

// differences are all that may differ between the lines of the program in observe.
var differences = []difference{
	{
		"oklog/ulid takes a character that no ULID has for another one",
		`.*wrong .*`, `\w{26}|&main\.one.*\w{26}}`, `error: .*: invalid character '.+' at offset \d+(, leaves \w+)?`,
	},
	{
		"the error of such a character says which it is",
		`.*/wrong .*|.*char\(26\)/.*`, `error: .*ulid: (overflow|bad data characters) when unmarshaling.*`,
		`error: .*ulid: invalid character '.+' at offset \d+(, leaves \w+)?`,
	},
	{
		"Scan of NULL sets the zero ULID, so that a variable does not keep the ID of the row before",
		`Scan/nil|.*NULL into an ID|.*read ref of row [3-6] into an ID`, `.*` + before + `.*`, `.*` + zero + `.*`,
	},
	{
		"Scan reads UUID notation, as it comes from a uuid column",
		`read/Scan of .*/UUID.*|.*/uuid/.*|.*/read \w+ of row 12 .*`, `error: .*ulid: bad data size when unmarshaling.*`,
		`[&[0-7].*\b[0-7][0-9A-Z]{25}\b.*|[0-7][0-9A-Z]{25}`,
	},
	{
		"Scan takes 36 characters for UUID notation, so the error says which of them is wrong",
		`read/Scan of .*/36 characters`, `error: ulid: bad data size when unmarshaling, .*`,
		`error: ulid: invalid character '0' at offset 8, .*`,
	},
	{
		"Scan takes an array of 16 bytes",
		`Scan/(ULID|array of 16 bytes)`, `error: ulid: source value must be a string or byte slice, .*`, known,
	},
	{
		"the error of Scan names the type",
		`Scan/.*`, `error: ulid: source value must be a string or byte slice, .*`,
		`error: ulid: source value must be a string or byte slice: [^ ]+, .*`,
	},
}

// The IDs that a variable has before something is read into it, the zero ID, and one of the IDs of the program.
const (
	before = "7BEF0REBEF0REBEF0REBEF0RE0"
	zero   = "00000000000000000000000000"
	known  = "01ARYZ6S41TSV4RRFFQ69G5FAV"
)

// allows reports whether the difference is one of two results with a name. Where a variable keeps its ID, that is all
// that differs.
func (d difference) allows(name, theirs, ours string) bool {
	is := func(expression, text string) bool {
		return regexp.MustCompile(`^(` + expression + `)$`).MatchString(text)
	}
	keeps := !strings.HasPrefix(theirs, "error: ") && strings.Contains(theirs, before)
	return is(d.name, name) && is(d.theirs, theirs) && is(d.ours, ours) &&
		(!keeps || strings.ReplaceAll(theirs, before, zero) == ours)
}

// seen are some of the lines, which would be lost in all if both programs saw nothing.
var seen = map[string][]string{
	"values": {
		"read/Scan of a string/UUID: 01ARYZ6S41TSV4RRFFQ69G5FAV",
		"read/Scan of bytes/UUID: 01ARYZ6S41TSV4RRFFQ69G5FAV",
		"Value/01ARYZ6S41TSV4RRFFQ69G5FAV: []byte 01563df36481d6764c61efb99302bd5b",
		`json/field: "{\"ID\":\"01ARYZ6S41TSV4RRFFQ69G5FAV\"}"`,
		"gob/any again: &main.one[interface {}]{01ARYZ6S41TSV4RRFFQ69G5FAV}",
		`fmt/%v/value: "01ARYZ6S41TSV4RRFFQ69G5FAV"`,
	},
	"sqlite": {
		"sqlite/BLOB/id = ? 01ARYZ6S41TSV4RRFFQ69G5FAV prepared: \"[1]\"",
		"sqlite/BLOB/shape []any by assertion: \"[1]\"",
		"gorm/Where pointer: \"[01ARYZ6S41TSV4RRFFQ69G5FAV nil *ulid.ULID <nil> [] a]\"",
		"bun/latest: &7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
	},
	"postgres": {
		"pgx/bytea/id = ? 01ARYZ6S41TSV4RRFFQ69G5FAV: \"[1]\"",
		"postgres/bytea/id = ? 01ARYZ6S41TSV4RRFFQ69G5FAV prepared: \"[1]\"",
		"native pgx/cache_statement/bytea/CopyFrom IDs: int64 2",
		"native pgx/cache_statement/bytea/shape pair[any]: []int{int 1}",
		"native pgx/cache_statement/uuid/latest: []ulid.ULID{7ZZZZZZZZZZZZZZZZZZZZZZZZZ}",
		"pgx/uuid/read ref of row 1 into a pointer: &&01ARYZ6S41TSV4RRFFQ69G5FAV",
	},
	"mysql": {
		"mysql interpolateParams=true/BINARY(16)/id = ? 01ARYZ6S41TSV4RRFFQ69G5FAV: \"[1]\"",
		"mysql/BINARY(16)/sqlx/NamedExec 3 main.h: int64 1",
	},
}

// Observers are the program in observe, built with each library.
type observers struct{ theirs, ours project }

// observe builds the program twice.
func observe(t *testing.T) observers {
	t.Helper()
	// The other go.mod, beside which go looks for a go.sum, counts instead of that of interop.
	other := newProject(t, nil, map[string]string{
		"go.mod": read(t, interop.path("go.mod")), "go.sum": read(t, interop.path("go.sum")),
	})
	other.run(t, "go", "mod", "edit", "-replace="+oklogPath+"="+page.Root()+"/oklog")
	module := project{interop.dir, []string{"GOWORK=off"}}
	module.run(t, "go", "build", "-o", other.path("theirs/observe"), "./migrating/observe")
	module.run(t, "go", "build", "-o", other.path("ours/observe"), "-modfile="+other.path("go.mod"), "./migrating/observe")
	return observers{project{dir: other.path("theirs")}, project{dir: other.path("ours")}}
}

// own is the name of the database of a test, which errors have.
var own = regexp.MustCompile(`ulid_[0-9a-z]{26}`)

// lines runs one of the two programs.
func (p project) lines(t *testing.T, args ...string) []string {
	t.Helper()
	out := own.ReplaceAllString(p.run(t, "./observe", args...), "own")
	return strings.Split(strings.TrimSuffix(out, "\n"), "\n")
}

// TestObservations compares what a program sees with oklog/ulid and with the module oklog in its place, as the replace
// of oklog/README.md puts it there. They are the same lines, but for the differences.
func TestObservations(t *testing.T) {
	t.Parallel()
	programs := observe(t)
	used := map[string]int{}
	t.Run("values", func(t *testing.T) {
		compare(t, used, "values", programs.theirs.lines(t, "values"), programs.ours.lines(t, "values"))
		programs.handOver(t, used, func(t *testing.T) []string { return []string{"write", "read", t.TempDir()} })
		for _, d := range differences { // each needs no database
			if used[d.reason] == 0 {
				t.Errorf("no observation differs because %s", d.reason)
			}
		}
	})
	db.Each(t, func(t *testing.T, d *db.Database) {
		args := func(t *testing.T) []string { return []string{"database", d.Family, d.Own(t, "")} }
		compare(t, used, d.Family, programs.theirs.lines(t, args(t)...), programs.ours.lines(t, args(t)...))
		programs.handOver(t, used, func(t *testing.T) []string { return []string{"store", "find", d.Family, d.Own(t, "")} })
	})
	for _, reason := range slices.Sorted(maps.Keys(used)) {
		t.Logf("%d observations differ: %s", used[reason], reason)
	}
}

// handOver has each program read what each wrote. The arguments are the commands that write and read, and where.
func (o observers) handOver(t *testing.T, used map[string]int, args func(*testing.T) []string) {
	t.Helper()
	var want []string
	for _, writer := range []project{o.theirs, o.ours} {
		for _, reader := range []project{o.theirs, o.ours} {
			place := args(t)
			written := writer.lines(t, append(place[:1:1], place[2:]...)...)
			got := slices.Concat(written, reader.lines(t, place[1:]...))
			if want == nil {
				want = got // with oklog/ulid alone
			}
			compare(t, used, place[0], want, got)
		}
	}
}

// compare fails the test if two programs print different lines, but for the differences. It counts these.
func compare(t *testing.T, used map[string]int, what string, theirs, ours []string) {
	t.Helper()
	if len(theirs) != len(ours) {
		t.Fatalf("%s: oklog/ulid has %d lines, the module oklog %d", what, len(theirs), len(ours))
	}
	for _, line := range seen[what] {
		if !slices.Contains(ours, line) {
			t.Errorf("%s: there is no line\n%s", what, line)
		}
	}
	count := 0
	for i := range theirs {
		if theirs[i] == ours[i] {
			continue
		}
		name, result, _ := strings.Cut(theirs[i], ": ")
		otherName, otherResult, _ := strings.Cut(ours[i], ": ")
		at := slices.IndexFunc(differences, func(d difference) bool { return d.allows(name, result, otherResult) })
		if name == otherName && at >= 0 {
			used[differences[at].reason]++
			continue
		}
		count++
		if count <= 10 {
			t.Errorf("%s\noklog/ulid prints\n%s\nthe module oklog prints\n%s", what, theirs[i], ours[i])
		}
	}
	if count > 10 {
		t.Errorf("%s: and %d other lines", what, count-10)
	}
	t.Logf("%s: %d observations", what, len(theirs))
}
