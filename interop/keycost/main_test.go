package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// These are enough rows for the sizes of the indexes to be told apart, with few commits.
var (
	small  = load{rows: 25_000, batch: 1000, lookups: 500}
	larger = load{rows: 50_000, batch: 2000, lookups: 500} // for sizes in megabytes
)

// TestPostgreSQL and the two that follow compare sizes only. They hold on every machine, while the rates do not.
func TestPostgreSQL(t *testing.T) {
	t.Parallel()
	db, err := openPostgres(t.Context(), db.DSN(t, "ULID_POSTGRES"))
	check(t, err)
	r := measureAll(t, db, small)
	key := func(kind string) int64 { return r[kind].Sizes.Key }
	child := func(kind string) int64 { return r[kind].Sizes.Entry }
	for _, index := range []func(string) int64{key, child} {
		increasing(t, index, bigint, asUUID, asBinary, asText)
		increasing(t, index, asUUID, random)
		increasing(t, index, uuidV7, random)
		alike(t, index, asUUID, uuidV7)
	}
	for _, k := range []string{uuidV7, random} {
		if got, want := r[k].Sizes.Table, r[asUUID].Sizes.Table; got != want {
			t.Errorf("the table of %s has %d bytes, want %d", k, got, want)
		}
	}
	if ratio := float64(key(asUUID)) / float64(key(asText)); ratio < 0.6 || ratio > 0.7 {
		t.Errorf("the index of a uuid is %.2f times that of a text, and docs/postgresql.md says two thirds", ratio)
	}
}

func TestMariaDB(t *testing.T) {
	t.Parallel()
	db, err := openMariaDB(t.Context(), db.DSN(t, "ULID_MARIADB"))
	check(t, err)
	r := measureAll(t, db, larger)
	table := func(kind string) int64 { return r[kind].Sizes.Table }
	// The others are too close for sizes in megabytes.
	for _, ordered := range []string{bigint, asBinary, uuidV7, asText} {
		increasing(t, table, ordered, random)
	}
	alike(t, table, asBinary, uuidV7)
	increasing(t, func(kind string) int64 { return r[kind].Sizes.Entry }, bigint, random)
}

// Nothing is said of the index of random keys, which is about as large in SQLite as an ordered
// one: it is the log that tells them apart.
func TestSQLite(t *testing.T) {
	t.Parallel()
	db, err := openSQLite(t.Context(), filepath.Join(t.TempDir(), "keycost.db"), sqliteOptions(2))
	check(t, err)
	r := measureAll(t, db, small)
	child := func(kind string) int64 { return r[kind].Sizes.Entry }
	key := func(kind string) int64 { return r[kind].Sizes.Key }
	increasing(t, child, bigint, asBinary, asText, asUUID)
	increasing(t, key, bigint, asBinary, asText, asUUID)
	alike(t, key, asBinary, uuidV7)
	increasing(t, func(kind string) int64 { return r[kind].Written.Log }, bigint, asBinary, random)
}

// measureAll measures all kinds. That each row is found and each range is whole, measureKind checks itself.
func measureAll(t *testing.T, db *database, l load) map[string]result {
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	results := map[string]result{}
	for _, k := range db.kinds {
		r, err := measureKind(t.Context(), t.Output(), db, k, l)
		if err != nil {
			t.Fatalf("%s: %v", k.Name, err)
		}
		if len(r.Rates) != windows || r.Last <= 0 || r.Written.Log <= 0 || r.Sizes.Table <= 0 || r.Lookups <= 0 || r.Range <= 0 {
			t.Errorf("%s: something was not measured: %+v", k.Name, r)
		}
		results[k.Name] = r
		t.Logf("%s: %+v, %+v", k.Name, r.Sizes, r.Written)
	}
	return results
}

func increasing(t *testing.T, size func(kind string) int64, kinds ...string) {
	t.Helper()
	for i, kind := range kinds[1:] {
		if before := kinds[i]; size(before) >= size(kind) {
			t.Errorf("%d bytes of %s are not less than %d of %s", size(before), before, size(kind), kind)
		}
	}
}

// alike reports kinds whose sizes differ by more than a hundredth.
func alike(t *testing.T, size func(kind string) int64, a, b string) {
	t.Helper()
	if d := size(a) - size(b); max(d, -d) > size(a)/100 {
		t.Errorf("%d bytes of %s are not about as many as %d of %s", size(a), a, size(b), b)
	}
}

// TestRun runs the command where it needs no server.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	args := []string{"-db", "sqlite", "-rows", "2500", "-batch", "100", "-o", filepath.Join(dir, "out.json"), "-dir", dir}
	check(t, run(t.Context(), &out, t.Output(), args))
	r, err := readReport(filepath.Join(dir, "out.json"))
	check(t, err)
	if got := r.markdown(); got != out.String() {
		t.Errorf("the file gives\n%s\nwant\n%s", got, &out)
	}
	if _, err := time.Parse(time.DateOnly, r.Date); err != nil {
		t.Error(err)
	}
	if want := "`go run -C interop ./keycost " + strings.Join(args, " ") + "`, " + r.Date; !strings.HasPrefix(out.String(), want) {
		t.Errorf("the report does not begin with %s:\n%s", want, &out)
	}
	for _, kind := range kinds {
		if want := "| " + kind + " | "; strings.Count(out.String(), want) != 1 {
			t.Errorf("the report has no one row %s:\n%s", want, &out)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "keycost[0-9]*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

func TestRunRefuses(t *testing.T) {
	for _, test := range []struct{ name, value, want string }{
		{"-rows", "12000", "12000 rows are no multiple of 25 batches of 500"},
		{"-rows", "0", "0 rows are no multiple"},
		{"-batch", "-1", "batches of -1"},
		{"-db", "oracle", "oracle: no such database"},
	} {
		args := []string{"-db", "sqlite", "-dir", t.TempDir(), "-o", filepath.Join(t.TempDir(), "out.json"), test.name, test.value}
		if err := run(t.Context(), io.Discard, t.Output(), args); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %s: the error is %v, not %s", test.name, test.value, err, test.want)
		}
	}
}

func readReport(name string) (r report, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(data, &r)
}

//go:generate go test -run ^TestPage$ . -write

// TestPage compares the tables of docs/keycost.md, and the picture, with what was measured.
func TestPage(t *testing.T) {
	r, err := readReport(filepath.Join(page.Root(), "docs/keycost.json"))
	check(t, err)
	text, err := page.Fill(page.Text(t, "docs/keycost.md"), map[string]string{"run": r.markdown()})
	check(t, err)
	page.Check(t, "docs/keycost.md", text)
	svg, err := r.picture()
	check(t, err)
	page.Check(t, "docs/keycost.svg", svg)
}

// TestPicture reads the curves of a picture.
func TestPicture(t *testing.T) {
	r := report{Rows: 1000, Machine: "Some & Machine"}
	for i, kind := range kinds {
		r.Results = append(r.Results, result{Database: "PostgreSQL", Kind: kind, Rates: []float64{3000, float64(500 * i)}})
	}
	svg, err := r.picture()
	check(t, err)
	var picture struct {
		Texts []string `xml:"text"`
		Lines []struct {
			Class  string `xml:"class,attr"`
			Points string `xml:"points,attr"`
		} `xml:"g>polyline"`
	}
	check(t, xml.Unmarshal([]byte(svg), &picture))
	if len(picture.Lines) != len(kinds) {
		t.Fatalf("%d lines, want %d", len(picture.Lines), len(kinds))
	}
	for i, kind := range kinds {
		if want := strings.ReplaceAll(kind, "`", ""); !slices.Contains(picture.Texts, want) {
			t.Errorf("the legend %q lacks %s", picture.Texts, want)
		}
		want := fmt.Sprintf("%d,%d %d,%d", width/2, top, width, bottom-height*i/6)
		if got := picture.Lines[i]; got.Class != fmt.Sprint("k", i) || got.Points != want {
			t.Errorf("%s is drawn as %+v, want %s", kind, got, want)
		}
	}
	if note := "Some & Machine, "; !strings.HasPrefix(picture.Texts[len(picture.Texts)-1], note) {
		t.Errorf("the picture does not name the machine: %q", picture.Texts)
	}
}

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
