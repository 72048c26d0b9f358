package vectors

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/page"
)

//go:generate go test -run ^TestFile$ . -write

// TestFile compares testdata/vectors.json with what the oracle says.
func TestFile(t *testing.T) {
	text, err := vectors(t).Marshal()
	check(t, err)
	page.Check(t, "testdata/vectors.json", string(text))
	for i, c := range text {
		if c != '\n' && (c < ' ' || c > '~') {
			t.Fatalf("byte %d is %#x, not ASCII", i, c)
		}
	}
}

const docs = "testdata/README.md"

// TestCounts finds the number of cases of each section in the README, and their sum on the page.
func TestCounts(t *testing.T) {
	sum := 0
	for section, n := range vectors(t).Counts {
		page.Contains(t, docs, fmt.Sprintf("\n**`%s`**, %d cases: ", section, n))
		sum += n
	}
	page.Contains(t, docs, fmt.Sprintf("%d cases that", sum))
	page.Contains(t, "docs/vectors.md", fmt.Sprintf("holds %d cases", sum))
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
	check(t, err)
	packages := strings.Fields(string(out))
	if !slices.Contains(packages, "math/big") || slices.Contains(packages, "github.com/seed-961d0905/ulid") {
		t.Errorf("the oracle imports %v", packages)
	}
}

// TestPublished compares the oracle with what the specification and RFC 9562 print.
func TestPublished(t *testing.T) {
	f := vectors(t)
	for name, want := range map[string][]string{
		"spec-carry":    {"01BX5ZZKBKACTAV9WEVGEMMVRZ", "01BX5ZZKBKACTAV9WEVGEMMVS0"},
		"spec-run":      {"01BX5ZZKBKACTAV9WEVGEMMVRY", "01BX5ZZKBKACTAV9WEVGEMMVRZ", "01BX5ZZKBKACTAV9WEVGEMMVS0", "01BX5ZZKBKACTAV9WEVGEMMVS1"},
		"spec-overflow": {"01BX5ZZKBKZZZZZZZZZZZZZZZX", "01BX5ZZKBKZZZZZZZZZZZZZZZY", "01BX5ZZKBKZZZZZZZZZZZZZZZZ", ""},
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
	if i := slices.IndexFunc(f.Valid, func(c Valid) bool { return c.Name == "max" }); f.Valid[i].MS != 281474976710655 {
		t.Errorf("max: %+v", f.Valid[i])
	}
	// RFC 9562, appendix A.6: unix_ts_ms is 0x017F22E279B0.
	if c := f.UUID[0]; c.UUID != "017f22e2-79b0-7cc3-98c4-dc0c0c07398f" || c.MS != 0x017F22E279B0 || !c.Version7 {
		t.Errorf("rfc-version-7: %+v", c)
	}
}

// TestMaker shows that a case whose author and oracle disagree is an error, and so is one that stands twice.
func TestMaker(t *testing.T) {
	for want, add := range map[string]func(*maker){
		"is refused":               func(m *maker) { m.valid("a", known+"0", "why") },
		`not "character"`:          func(m *maker) { m.invalid(Character, ULID, "a", "", "why") },
		`for "", not "overflow"`:   func(m *maker) { m.invalid(Overflow, ULID, "a", most, "why") },
		`"valid/a" stands twice`:   func(m *maker) { m.valid("a", known, "why"); m.valid("a", most, "why") },
		"stands twice":             func(m *maker) { m.valid("a", known, "why"); m.valid("b", known, "why") },
		"why?":                     func(m *maker) { m.valid("a", known, "") },
		`no source "me"`:           func(m *maker) { m.lenient("me", "a", known, "why") },
		"too late":                 func(m *maker) { m.time("a", 1<<48, "why") },
		"not too late":             func(m *maker) { m.tooLate("a", one, "why") },
		"order/a":                  func(m *maker) { m.order("a", known, "", "why") },
		`uuid/a: "" is refused`:    func(m *maker) { m.uuid("a", "", "why") },
		`invalid_uuid/a: "0" is r`: func(m *maker) { m.invalidUUID(Character, RFC9562, "a", "0", "why") },
	} {
		m := maker{seen: map[string]bool{}, file: File{Counts: map[string]int{}}}
		add(&m)
		if len(m.errs) == 0 || !strings.Contains(m.errs[0].Error(), want) {
			t.Errorf("the errors are %v, want one with %s", m.errs, want)
		}
	}
}

func vectors(t *testing.T) File {
	t.Helper()
	f, err := generate()
	check(t, err)
	return f
}

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
