// Package readme finds out by itself what README.md says when it compares this library with oklog/ulid and Go's uuid.
package readme

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	google "github.com/google/uuid"
	oklog "github.com/oklog/ulid/v2"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/lab/vectors"
)

// unknown is a cell that only Go 1.27 can tell.
const unknown = "?"

// The cells of Go's uuid that readme_go127_test.go finds out.
var stdText, stdRandom, stdTime, stdValue = unknown, unknown, unknown, unknown

// TestComparison compares every cell of the table.
func TestComparison(t *testing.T) {
	across, clock := orders(t, "across goroutines"), orders(t, "when the clock steps back")
	invalid := invalidTexts(t)
	strict, lenient := refused(oklog.ParseStrict, invalid), refused(oklog.Parse, invalid)
	ours := refused(ulid.Parse, invalid)
	want := [][]string{
		{"", "ulid", "oklog/ulid " + version(t, "oklog/ulid/v2"), "google/uuid " + version(t, "google/uuid") + ", `NewV7`", "Go 1.27's uuid, `NewV7`"},
		{"text", characters(ulid.Make()), characters(oklog.Make()), characters(google.New()), stdText},
		{"IDs increase across goroutines",
			across["`ulid.Make`"], across["oklog/ulid `Make`"], across["google/uuid `NewV7`"], across["Go 1.27 `uuid.NewV7`"]},
		{"… even when the clock is set back",
			clock["`ulid.Make`"], clock["oklog/ulid `Make`"], clock["google/uuid `NewV7`"], clock["Go 1.27 `uuid.NewV7`"]},
		// TestRandomBits of the library proves the first cell.
		{"random bits", "80 from crypto/rand in the first ID of a millisecond, then random steps", oklogRandom(t), googleRandom(t), stdRandom},
		{"malformed ULIDs refused", fmt.Sprintf("%d of %d", ours, len(invalid)),
			fmt.Sprintf("%d by `Parse`, %d by `ParseStrict`", lenient, strict), "–", "–"},
		{"making an ID, on " + processor(t), speed(t, "ulid"), speed(t, "oklog"), speed(t, "google-v7"), speed(t, "std-v7")},
		{"the time of an ID", timestamp(ulid.ULID{}), timestamp(oklog.ULID{}), timestamp(google.UUID{}), stdTime},
		{"in SQL", values(t, ulid.ULID{}, ulid.AsBinary{}, ulid.AsUUID{}), values(t, oklog.ULID{}), values(t, google.UUID{}), stdValue},
	}
	got := table(page.Text(t, "README.md"))
	if len(got) != len(want) {
		t.Fatalf("the table has %d rows, want %d", len(got), len(want))
	}
	for i, row := range want {
		for j, cell := range row {
			if cell != unknown && got[i][j] != cell {
				t.Errorf("%s: the table has %q, want %q", row[0], got[i][j], cell)
			}
		}
	}
}

// table returns the cells of the README's table with a column for oklog/ulid, without their links.
func table(text string) (rows [][]string) {
	_, text, _ = strings.Cut(text, "\n| | ulid |")
	text, _, _ = strings.Cut("| | ulid |"+text, "\n\n")
	text = regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`).ReplaceAllString(text, "$1")
	text = strings.ReplaceAll(text, "| | ", "|  | ")
	for i, line := range strings.Split(text, "\n") {
		if i != 1 { // which rules off the head
			rows = append(rows, strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | "))
		}
	}
	return rows
}

func characters(id fmt.Stringer) string { return fmt.Sprintf("%d characters", len(id.String())) }

// orders returns what the tests of lab/order have seen, yes for kept and no for lost, by the library.
func orders(t *testing.T, column string) map[string]string {
	found := map[string]string{}
	at := 0
	for line := range strings.Lines(page.Text(t, "lab/order/RESULTS.md")) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if i := slices.Index(cells, column); i >= 0 {
			at = i + 1 // the head begins with an empty cell, which Trim has cut off
		} else if len(cells) > at && at > 0 {
			found[cells[0]] = map[string]string{"kept": "yes", "lost": "no"}[cells[at]]
		}
	}
	return found
}

// version returns the version of a module of github.com.
func version(t *testing.T, module string) string {
	m := regexp.MustCompile(`github\.com/` + module + ` v(\S+)`).FindStringSubmatch(page.Text(t, "lab/go.mod"))
	return m[1]
}

// processor returns that of docs/speed.txt.
func processor(t *testing.T) string {
	return "an " + regexp.MustCompile(`(?m)^cpu: (.*)$`).FindStringSubmatch(page.Text(t, "docs/speed.txt"))[1]
}

// oklogRandom looks at the source of the randomness of oklog's Make.
func oklogRandom(t *testing.T) string {
	return source(t, "oklog/ulid/v2", "ulid.go", "math/rand, seeded with the time",
		`"math/rand"`, "rand.New(rand.NewSource(time.Now().UnixNano()))", "MustNew(Now(), defaultEntropy)")
}

// googleRandom looks at what google's NewV7 overwrites in a random UUID: all bytes but the last 8, of whose bits two are fixed.
func googleRandom(t *testing.T) string {
	return source(t, "google/uuid", "version7.go", "62 from crypto/rand in each ID",
		"uuid, err := NewRandom()", "uuid[6] = 0x70 | (0x0F & byte(s>>8))\n\tuuid[7] = byte(s)\n}")
}

// source returns what is said of a file of a module, if it has all of the words.
func source(t *testing.T, module, file, said string, words ...string) string {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/"+module).Output()
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), file))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range words {
		if !strings.Contains(string(code), w) {
			return "something else"
		}
	}
	return said
}

// invalidTexts returns the vectors that the specification rules out.
func invalidTexts(t *testing.T) (texts []string) {
	var f vectors.File
	if err := json.Unmarshal([]byte(page.Text(t, "testdata/vectors.json")), &f); err != nil {
		t.Fatal(err)
	}
	for _, c := range f.Invalid {
		if c.Source != vectors.Library {
			texts = append(texts, c.Input())
		}
	}
	return texts
}

func refused[T any](parse func(string) (T, error), texts []string) (n int) {
	for _, text := range texts {
		if _, err := parse(text); err != nil {
			n++
		}
	}
	return n
}

// speed returns the median time of making an ID, to two digits, and its allocations, from docs/speed.txt.
func speed(t *testing.T, lib string) string {
	line := regexp.MustCompile(`(?m)^BenchmarkMake/lib=` + lib + `-\d+\s+\d+\s+(\S+) ns/op\s+\d+ B/op\s+(\d+) allocs/op$`)
	var times []float64
	var allocations string
	for _, m := range line.FindAllStringSubmatch(page.Text(t, "docs/speed.txt"), -1) {
		ns, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		times, allocations = append(times, ns), m[2]
	}
	if len(times) == 0 {
		t.Fatalf("docs/speed.txt has no times of %s", lib)
	}
	slices.Sort(times)
	median := (times[(len(times)-1)/2] + times[len(times)/2]) / 2
	unit := math.Pow(10, math.Floor(math.Log10(median))-1)
	noun := "allocations"
	if allocations == "1" {
		noun = "allocation"
	}
	return fmt.Sprintf("%v ns, %s %s", math.Round(median/unit)*unit, allocations, noun)
}

// timestamp says whether an ID has a method that returns its time.
func timestamp(id any) string {
	if _, ok := id.(interface{ Time() google.Time }); ok {
		return "`Time().UnixTime()`"
	}
	typ := reflect.TypeOf(id)
	for i := range typ.NumMethod() {
		if m := typ.Method(i); m.Type.NumIn() == 1 && m.Type.NumOut() == 1 && m.Type.Out(0) == reflect.TypeFor[time.Time]() {
			return "`" + m.Name + "`"
		}
	}
	return "no method"
}

// values says as what database/sql stores IDs.
func values(t *testing.T, ids ...driver.Valuer) string {
	var forms []string
	for _, id := range ids {
		value, err := id.Value()
		if err != nil {
			t.Fatal(err)
		}
		switch value := value.(type) {
		case string:
			forms = append(forms, map[int]string{26: "text", 36: "UUID notation"}[len(value)])
		case []byte:
			forms = append(forms, fmt.Sprintf("%d bytes", len(value)))
		}
	}
	if len(forms) == 3 {
		return fmt.Sprintf("%s, %s or %s, by its type", forms[0], forms[1], forms[2])
	}
	return strings.Join(forms, ", ")
}

// TestTable sees that a cell that differs is found.
func TestTable(t *testing.T) {
	got := table("a\n\n| | ulid | b |\n|---|---|---|\n| [c](d.md) e | 1 | [2](f.md) |\n\ng\n")
	want := [][]string{{"", "ulid", "b"}, {"c e", "1", "2"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("table = %q, want %q", got, want)
	}
}
