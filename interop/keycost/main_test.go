package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/internal/servers"
)

// small is enough rows for the sizes of the indexes to be told apart.
var small = load{rows: 50_000, batch: 500}

// TestPostgreSQL and the two that follow compare sizes only. They hold on every machine,
// while the rates do not.
func TestPostgreSQL(t *testing.T) {
	db, err := openPostgres(t.Context(), servers.DSN(t, "ULID_POSTGRES"))
	if err != nil {
		t.Fatal(err)
	}
	r := measureAll(t, db)
	key := func(kind string) int64 { return r[kind].Sizes.Key }
	child := func(kind string) int64 { return r[kind].Sizes.Entry }
	for _, index := range []func(string) int64{key, child} {
		increasing(t, index, bigint, asUUID, asBinary, asText)
		increasing(t, index, asUUID, random)
		increasing(t, index, uuidV7, random)
		alike(t, index, asUUID, uuidV7)
	}
	same(t, r, func(s sizes) int64 { return s.Table }, asUUID, uuidV7, random)
}

func TestMariaDB(t *testing.T) {
	db, err := openMariaDB(t.Context(), servers.DSN(t, "ULID_MARIADB"))
	if err != nil {
		t.Fatal(err)
	}
	r := measureAll(t, db)
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
	db, err := openSQLite(t.Context(), filepath.Join(t.TempDir(), "keycost.db"), sqliteOptions(2))
	if err != nil {
		t.Fatal(err)
	}
	r := measureAll(t, db)
	child := func(kind string) int64 { return r[kind].Sizes.Entry }
	key := func(kind string) int64 { return r[kind].Sizes.Key }
	increasing(t, child, bigint, asBinary, asText, asUUID)
	increasing(t, key, bigint, asBinary, asText, asUUID)
	alike(t, key, asBinary, uuidV7)
	increasing(t, func(kind string) int64 { return r[kind].Written.Log }, bigint, asBinary, random)
}

// measureAll measures all kinds. That each row is found and each range is whole, measureKind
// checks itself.
func measureAll(t *testing.T, db database) map[string]result {
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	results := map[string]result{}
	for _, k := range db.kinds() {
		r, err := measureKind(t.Context(), t.Output(), db, k, small)
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

func same(t *testing.T, r map[string]result, size func(sizes) int64, kinds ...string) {
	t.Helper()
	for _, kind := range kinds[1:] {
		if a, b := size(r[kinds[0]].Sizes), size(r[kind].Sizes); a != b {
			t.Errorf("%d bytes of %s, %d of %s", a, kinds[0], b, kind)
		}
	}
}

// TestRun runs the command where it needs no server, and writes its report anew from its file.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	var first, second bytes.Buffer
	args := []string{"-db", "sqlite", "-rows", "2500", "-batch", "100", "-o", dir, "-dir", dir}
	if err := run(t.Context(), &first, t.Output(), args); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), &second, t.Output(), []string{"-from", filepath.Join(dir, "keycost.json"), "-o", t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	if first.String() != second.String() {
		t.Errorf("the report\n%s\nread from its file is\n%s", &first, &second)
	}
	if want := "`go run -C interop ./keycost " + strings.Join(args, " ") + "`"; !strings.Contains(first.String(), want) {
		t.Errorf("the report does not name the command %s", want)
	}
	for _, k := range (sqlite{}).kinds() {
		if want := "| " + k.Name + " | `" + k.Column + "` | "; strings.Count(first.String(), want) != 1 {
			t.Errorf("the report has no one row %s:\n%s", want, &first)
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
		{"-from", "none.json", "none.json"},
	} {
		args := []string{"-db", "sqlite", "-dir", t.TempDir(), "-o", t.TempDir(), test.name, test.value}
		if err := run(t.Context(), io.Discard, t.Output(), args); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %s: the error is %v, not %s", test.name, test.value, err, test.want)
		}
	}
}

// TestPicture reads the picture and looks for what it must show.
func TestPicture(t *testing.T) {
	r := report{Rows: 1000}
	for _, database := range []string{"PostgreSQL", "MariaDB"} {
		for _, kind := range []string{bigint, random, asUUID, asText, asBinary, uuidV7} {
			r.Results = append(r.Results, result{Database: database, Kind: kind, Rates: []float64{3000, 2000}})
		}
	}
	svg, err := picture(r)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]int{}
	lines := map[string]int{}
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.CharData:
			texts[strings.TrimSpace(string(token))]++
		case xml.StartElement:
			for _, a := range token.Attr {
				if _, color, ok := strings.Cut(a.Value, "stroke:"); ok {
					lines[color[:len("#000000")]]++
				}
			}
		}
	}
	for _, want := range []string{"PostgreSQL", "MariaDB", bigint, random, "ULID, as text", "ULID, AsUUID", "ULID, AsBinary", "MakeUUIDv7", "rows per second"} {
		if texts[want] != 1 {
			t.Errorf("the text %q stands in the picture %d times", want, texts[want])
		}
	}
	for kind, look := range looks {
		var c [3]uint32
		c[0], c[1], c[2], _ = look.Color.RGBA()
		color := "#" + hex(c[0]) + hex(c[1]) + hex(c[2])
		if lines[color] != 3 { // one in each panel and one in the legend
			t.Errorf("%s: the color %s has %d lines", kind, color, lines[color])
		}
	}
}

func hex(c uint32) string {
	const digits = "0123456789ABCDEF"
	return string([]byte{digits[c>>12&15], digits[c>>8&15]})
}

// TestReport decodes what the file of a report holds.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	r := report{Rows: 25, Command: "a command", Machine: "a machine", Settings: []string{"PostgreSQL: a setting"}, Results: []result{
		{Database: "PostgreSQL", Kind: bigint, Column: "bigint", Rates: []float64{1, 2}, Last: 1234567.8, Sizes: sizes{1_500_000, 250_000, 50_000}, Written: written{Log: 3_000_000}, Lookups: 1.5e9, Range: 2.25e6, Scan: true},
	}}
	if err := r.write(dir); err != nil {
		t.Fatal(err)
	}
	back, err := readReport(filepath.Join(dir, "keycost.json"))
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(r)
	b, _ := json.Marshal(back)
	if !bytes.Equal(a, b) {
		t.Errorf("%s was read as %s", a, b)
	}
	const row = "| bigint from the database | `bigint` | 1,234,567 | 1.5 | 0.2 | 0.1 | 3.0 | – | 1.50 s | 2.2 ms (scan) |\n"
	if !strings.HasSuffix(back.markdown(), row) {
		t.Errorf("%s does not end with\n%s", back.markdown(), row)
	}
}
