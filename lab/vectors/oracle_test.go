package vectors

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

//go:generate go test -run ^TestFile$ . -write

func readVectors(t *testing.T) (f File) {
	db.Check(t, json.Unmarshal([]byte(page.Text(t, "testdata/vectors.json")), &f))
	return f
}

// TestFile compares testdata/vectors.json with what the oracle says. To add a case, write its name,
// its reason, its source and its input into the file: -write adds the outcome.
func TestFile(t *testing.T) {
	f, err := readVectors(t).Judged()
	db.Check(t, err)
	text, err := f.Marshal()
	db.Check(t, err)
	page.Check(t, "testdata/vectors.json", string(text))
}

const docs = "testdata/README.md"

// TestCounts finds the number of cases of each section in the README, and their sum.
func TestCounts(t *testing.T) {
	sum := 0
	for section, n := range readVectors(t).Counts {
		page.Contains(t, docs, fmt.Sprintf("**`%s`**, %d cases", section, n))
		sum += n
	}
	page.Contains(t, docs, fmt.Sprintf(" %d cases", sum))
}

// TestExample finds the case of the README in the file.
func TestExample(t *testing.T) {
	example := page.Code(t, docs, "a case")
	lines := strings.ReplaceAll(strings.TrimSpace(example), "\n", "\n    ")
	page.Contains(t, "testdata/vectors.json", "\n    "+lines+",\n")
}

// TestIndependent shows that the oracle does not ask the library.
func TestIndependent(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	db.Check(t, err)
	packages := strings.Fields(string(out))
	if !slices.Contains(packages, "math/big") || slices.Contains(packages, "github.com/seed-961d0905/ulid") {
		t.Errorf("the oracle imports %v", packages)
	}
}

// TestPublished compares the oracle with what the specification and RFC 9562 print.
func TestPublished(t *testing.T) {
	f := readVectors(t)
	for name, want := range map[string][]string{
		"spec-carry": {
			"01BX5ZZKBKACTAV9WEVGEMMVRZ",
			"01BX5ZZKBKACTAV9WEVGEMMVS0",
		},
		"spec-run": {
			"01BX5ZZKBKACTAV9WEVGEMMVRY",
			"01BX5ZZKBKACTAV9WEVGEMMVRZ",
			"01BX5ZZKBKACTAV9WEVGEMMVS0",
			"01BX5ZZKBKACTAV9WEVGEMMVS1",
		},
		"spec-overflow": {
			"01BX5ZZKBKZZZZZZZZZZZZZZZX",
			"01BX5ZZKBKZZZZZZZZZZZZZZZY",
			"01BX5ZZKBKZZZZZZZZZZZZZZZZ",
			"",
		},
	} {
		i := slices.IndexFunc(f.Monotonic, func(c Monotonic) bool { return c.Name == name })
		var got []string
		for _, call := range f.Monotonic[i].Calls {
			if (call.ID == "") != (call.Reason == Overflow) {
				t.Errorf("%s: %+v", name, call)
			}
			got = append(got, call.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	// The specification prints the time of the largest ULID.
	i := slices.IndexFunc(f.Valid, func(c Valid) bool { return c.Name == "max" })
	if f.Valid[i].MS != 281474976710655 {
		t.Errorf("max: %+v", f.Valid[i])
	}
	// RFC 9562, appendix A.6: unix_ts_ms is 0x017F22E279B0.
	c := f.UUID[0]
	if c.UUID != "017f22e2-79b0-7cc3-98c4-dc0c0c07398f" || c.MS != 0x017F22E279B0 || !c.Version7 {
		t.Errorf("rfc-version-7: %+v", c)
	}
}

// TestJudged puts what an author may get wrong into the file, which is an error or changes the file.
func TestJudged(t *testing.T) {
	for want, change := range map[string]func(*File){
		"is refused: overflow": func(f *File) { f.Valid[0].Text = "8ZZZZZZZZZZZZZZZZZZZZZZZZZ" },
		"is accepted":          func(f *File) { f.Invalid[0].Text = f.Valid[0].Text },
		"rfc-version-7 is ref": func(f *File) { f.UUID[0].UUID = "" },
		"empty is accepted":    func(f *File) { f.InvalidUUID[0].Text = f.UUID[0].UUID },
		"stands twice":         func(f *File) { f.Order[1].Name = f.Order[0].Name },
		"valid 01ARZ":          func(f *File) { f.Valid[1].Text = f.Valid[0].Text },
		"zero: why":            func(f *File) { f.Valid[2].Why = "" },
		"spec-example: why":    func(f *File) { f.Valid[0].Source = "me" },
		"byte-00 is refused":   func(f *File) { f.Order[0].A = "" },
	} {
		f := readVectors(t)
		change(&f)
		_, err := f.Judged()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want one with %s", err, want)
		}
	}
}
