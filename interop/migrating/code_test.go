package migrating

import (
	"database/sql"
	"database/sql/driver"
	"encoding"
	"encoding/json"
	"fmt"
	"math/rand"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	oklog "github.com/oklog/ulid/v2"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/page"
)

// --- what grep finds

// sample is code in which a line ends with the names of the commands that must find it.
const sample = `package sample

import (
	"errors"

	"github.com/seed-961d0905/ulid"
)

var (
	head   = ulid.MustParse("0000000000XX000COMPACTHEAD") // constants grep
	series = ulid.MustParse("0000000000xxselectedseries") // constants grep
	good   = ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV") // grep
	upper  = ulid.MustParseStrict("UNKNOWN") // constants grep
	given  = ulid.MustParse(os.Args[1]) // constants grep
)

const text = "01ARYZ6S41TSV4RRFFQ69G5FAU" // constants

type ID = ulid.ULID // grep

type UserID struct {
	ulid.ULID // grep
}

type Row struct {
	*ulid.ULID ` + "`json:\"id\"`" + ` // grep
	Previous ulid.ULID // grep
}

func f(err error) bool {
	switch err { // else
	case ulid.ErrDataSize:
		return true
	}
	if err == ulid.ErrInvalidCharacters || errors.Is(err, ulid.ErrOverflow) { // else
		return true
	}
	return err.Error() == "ulid: bad data size when unmarshaling" // else
}

var source = ulid.Monotonic(nil, 0) // else

func at() ulid.ULID { return ulid.MustNewDefault(ulid.Time(0)) } // else grep

func calls() {
	db.Where("id = ?", id).First(&event) // grep
	db.QueryRowContext(ctx, "SELECT n FROM events WHERE id = $1", id) // grep
	batch.Queue("DELETE FROM events WHERE id < $1", id) // grep
	conn.CopyFrom(ctx, table, columns, rows) // grep
	query.
		Where("id IN (?)", ids) // grep
	wherever(id)
}
`

func TestGrep(t *testing.T) {
	p := newProject(t, nil, map[string]string{"sample.go": sample, "sample.txt": sample})
	for _, name := range []string{"constants", "else", "grep"} {
		found := p.page(t, name)
		for i, line := range strings.Split(sample, "\n") {
			_, names, _ := strings.Cut(line, "// ")
			got, want := strings.Contains(found, fmt.Sprintf("sample.go:%d:", i+1)), slices.Contains(strings.Fields(names), name)
			if got != want {
				t.Errorf("%s finds this line: %t, want %t: %s", name, got, want, line)
			}
		}
		if strings.Contains(found, "sample.txt") {
			t.Errorf("%s looks into other files", name)
		}
	}
}

// --- constants and what is refused

func TestConstants(t *testing.T) {
	output := block(t, "constants: output")
	command := strings.TrimSuffix(inline(t, `go run .*/constants.go TEXT`), "TEXT")
	for line := range strings.Lines(output) {
		text, canonical, _ := strings.Cut(strings.TrimSpace(line), " ")
		command += text + " "
		if id, err := ulid.Parse(text); err == nil {
			t.Errorf("Parse(%q) = %v, want an error", text, id)
		}
		if got, want := ulid.MustParse(canonical), ulid.ULID(oklog.MustParse(text)); got != want {
			t.Errorf("%s is %v, oklog makes %v of it", text, got, want)
		}
		if id, err := ulid.ParseLenient(text); err == nil && id == ulid.MustParse(canonical) {
			t.Errorf("ParseLenient reads %s as oklog does", text)
		}
	}
	first := strings.Fields(output)
	page.Contains(t, pages[0], "`ulid.MustParse(\""+first[1]+"\")` is the same 16 bytes as oklog's `MustParse` of the first")
	if got := (project{dir: page.Root()}).run(t, "bash", "-c", command); got != output {
		t.Errorf("the program prints\n%s\nwant\n%s", got, output)
	}
}

// TestGarbage shows what oklog takes and this library refuses, by each way of reading.
func TestGarbage(t *testing.T) {
	source := rand.New(rand.NewSource(1))
	texts := []string{"0!!!!!!!!!!!!!!!!!!!!!!!!!", "0000000000XX000COMPACTHEAD"}
	for range 1000 {
		text := []byte(oklog.Make().String())
		text[1+source.Intn(25)] = "!ILOUilou-_ \x00\xff"[source.Intn(13)]
		texts = append(texts, string(text))
	}
	type id interface {
		sql.Scanner
		encoding.TextUnmarshaler
	}
	ways := map[string]func(id id, text string) error{
		"Scan":          func(id id, text string) error { return id.Scan(text) },
		"UnmarshalText": func(id id, text string) error { return id.UnmarshalText([]byte(text)) },
		"JSON": func(id id, text string) error {
			quoted, _ := json.Marshal(text)
			return json.Unmarshal(quoted, id)
		},
	}
	for _, text := range texts {
		if _, err := oklog.Parse(text); err != nil {
			t.Errorf("oklog.Parse(%q): %v", text, err)
		}
		if id, err := ulid.Parse(text); err == nil {
			t.Errorf("Parse(%q) = %v, want an error", text, id)
		}
		for name, read := range ways {
			noJSON := name == "JSON" && strings.Contains(text, "\xff")
			if err := read(new(oklog.ULID), text); err != nil && !noJSON {
				t.Errorf("oklog's %s of %q: %v", name, text, err)
			}
			var id ulid.ULID
			if err := read(&id, text); err == nil || !id.IsZero() {
				t.Errorf("%s of %q gives %v, %v, want an error", name, text, id, err)
			}
		}
	}
}

// --- what else differs

// embedding is a type such as programs have, and embeddingBinary what it is afterwards.
type (
	embedding       struct{ ulid.ULID }
	embeddingBinary struct{ ulid.AsBinary }
)

func TestEmbedded(t *testing.T) {
	id := ulid.Make()
	for _, c := range []struct {
		id   driver.Valuer
		want driver.Value
	}{{embedding{id}, id.String()}, {embeddingBinary{ulid.AsBinary(id)}, id[:]}} {
		if got, err := c.id.Value(); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%T: Value is %v, %v, want %v", c.id, got, err, c.want)
		}
		if _, ok := c.id.(encoding.TextAppender); !ok {
			t.Errorf("%T has no AppendText", c.id)
		}
	}
}

// TestScanNull shows what Scan of NULL leaves in a variable.
func TestScanNull(t *testing.T) {
	theirs, ours := oklog.Make(), ulid.Make()
	was := theirs
	if err := theirs.Scan(nil); err != nil || theirs != was {
		t.Errorf("oklog leaves %v, %v, want %v", theirs, err, was)
	}
	if err := ours.Scan(nil); err != nil || !ours.IsZero() {
		t.Errorf("Scan leaves %v, %v, want the zero ULID", ours, err)
	}
}

func TestGolden(t *testing.T) {
	const ms = 1469918176385
	for _, inc := range []uint64{0, 1, 1000} {
		a, b := oklog.Monotonic(rand.New(rand.NewSource(1)), inc), ulid.Monotonic(rand.New(rand.NewSource(1)), inc)
		if theirs, ours := oklog.MustNew(ms, a), ulid.MustNew(ms, b); ours != ulid.ULID(theirs) {
			t.Errorf("inc %d: the first is %v, want %v", inc, ours, theirs)
		}
		if theirs, ours := oklog.MustNew(ms, a), ulid.MustNew(ms, b); (ours == ulid.ULID(theirs)) != (inc == 1) {
			t.Errorf("inc %d: the second is %v, oklog's %v, want the same only if inc is 1", inc, ours, theirs)
		}
	}
	x, y := rand.New(rand.NewSource(1)), rand.New(rand.NewSource(1))
	for range 100 {
		if theirs, ours := oklog.MustNew(ms, x), ulid.MustNew(ms, y); ours != ulid.ULID(theirs) {
			t.Errorf("New makes %v, want %v", ours, theirs)
		}
	}
}

// TestTwoSources shows that Make and MustNewDefault have no common order.
func TestTwoSources(t *testing.T) {
	disorder := 0
	for range 10000 {
		a := ulid.Make()
		b := ulid.MustNewDefault(a.Timestamp()) //lint:ignore SA1019 the test is of it
		c := ulid.Make()
		if a.Compare(b) >= 0 || b.Compare(c) >= 0 {
			disorder++
		}
	}
	if disorder == 0 {
		t.Error("they are in order, and the guide says that they are not")
	}
}

// TestFix shows what go fix replaces, and that staticcheck reports what it leaves.
func TestFix(t *testing.T) {
	t.Parallel()
	const before = `package app

import oklog "github.com/seed-961d0905/ulid"

func parse(s string) (oklog.ULID, error) { return oklog.ParseStrict(s) }

var id = oklog.MustParseStrict("01ARZ3NDEKTSV4RRFFQ69G5FAV")
`
	const value = "package app\n\nimport \"github.com/seed-961d0905/ulid\"\n\nvar parser = ulid.ParseStrict\n"
	p := withLibrary(t, map[string]string{"renamed.go": before, "value.go": value})
	p.span(t, "go fix .*")
	out, err := p.bash(t, "go run honnef.co/go/tools/cmd/staticcheck@v0.8.2"+strings.TrimPrefix(inline(t, "staticcheck .*"), "staticcheck"))
	if err == nil || strings.Count(out, "SA1019") != 1 || !strings.Contains(out, "ulid.ParseStrict is deprecated") {
		t.Errorf("staticcheck: %v\n%s\nwant one SA1019, of ParseStrict", err, out)
	}
	for name, want := range map[string]string{"renamed.go": strings.ReplaceAll(before, "ParseStrict", "Parse"), "value.go": value} {
		if got := read(t, p.path(name)); got != want {
			t.Errorf("go fix leaves %s as\n%s\nwant\n%s", name, got, want)
		}
	}
}

// TestDeprecated shows that the guide lists the names that linters report.
func TestDeprecated(t *testing.T) {
	_, list, _ := strings.Cut(guide(t), "which `staticcheck -checks SA1019 ./...` reports:")
	list, _, _ = strings.Cut(list, ". ")
	deprecated := regexp.MustCompile(`(?m)^// Deprecated: .*\n(?://.*\n)*(?:func (?:\(.*?\) )?|type )(\w+)`)
	n := 0
	for _, file := range glob(t, filepath.Join(page.Root(), "*.go")) {
		for _, m := range deprecated.FindAllStringSubmatch(read(t, file), -1) {
			n++
			if !strings.Contains(list, "`"+m[1]+"`") {
				t.Errorf("the guide lacks %s", m[1])
			}
		}
	}
	if got := strings.Count(list, "`") / 2; got != n {
		t.Errorf("the guide lists %d names, want %d:%s", got, n, list)
	}
}
