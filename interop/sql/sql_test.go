package sql

import (
	"bytes"
	"database/sql"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
)

// --- the page and the files

var marker = regexp.MustCompile(`(?m)^(?:--|//) page: (.*)\n`)

// sections returns the parts of a file that the page shows, by name, and the names in their order.
func sections(t *testing.T, file string) (parts map[string]string, names []string) {
	t.Helper()
	text := read(t, file)
	parts = map[string]string{}
	found := marker.FindAllStringSubmatchIndex(text, -1)
	for i, m := range found {
		end := len(text)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		name := text[m[2]:m[3]]
		if parts[name] != "" {
			t.Fatalf("%s has %q twice", file, name)
		}
		parts[name] = strings.TrimSpace(text[m[1]:end])
		names = append(names, name)
	}
	return parts, names
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPage shows that the code in docs/sql.md is that of the files, which the other tests run: every block of
// code on the page names its file and part, and every part stands on the page once.
func TestPage(t *testing.T) {
	page := read(t, "../../docs/sql.md")
	block := regexp.MustCompile("(?ms)^(?:<!-- interop/sql/(\\S+): (.+?) -->\n)?```(\\w+)\n(.*?)\n?```$")
	shown := map[string]string{}
	for _, m := range block.FindAllStringSubmatch(page, -1) {
		file, name, language, code := m[1], m[2], m[3], m[4]
		if language == "sh" {
			continue
		}
		key := file + ": " + name
		switch {
		case file == "":
			t.Errorf("this block of docs/sql.md names no file:\n%s", code)
		case shown[key] != "":
			t.Errorf("docs/sql.md shows %s twice", key)
		}
		shown[key] = code
	}
	for _, file := range []string{"postgres_use.sql", "mariadb_use.sql", "sqlite.sql", "functions.go"} {
		parts, names := sections(t, file)
		if len(names) == 0 {
			t.Errorf("%s has no part for the page", file)
		}
		for _, name := range names {
			key := file + ": " + name
			if code, ok := shown[key]; !ok {
				t.Errorf("docs/sql.md does not show %s", key)
			} else if code != parts[name] {
				t.Errorf("docs/sql.md differs from %s. The page has\n%s\n\nthe file has\n%s", key, code, parts[name])
			}
			delete(shown, key)
		}
	}
	for key := range shown {
		t.Errorf("docs/sql.md shows %s, which no file has", key)
	}
}

// --- IDs

// sampleIDs returns 1,000 IDs of random bits and the extremes: the zero ID and the largest, and both ends of
// milliseconds where something might carry, be rounded, or shift with a time zone.
func sampleIDs() []ulid.ULID {
	source := rand.NewChaCha8([32]byte{'s', 'q', 'l'})
	ids := make([]ulid.ULID, 1000)
	for i := range ids {
		source.Read(ids[i][:])
	}
	times := []uint64{
		0, 1, 999, 1000, 1001, 1469918176385,
		9_007_199_254_740, 9_007_199_254_741, 9_007_199_254_742, // 2⁵³ microseconds
		253_402_300_799_999, 253_402_300_800_000, // the end of the year 9999
		ulid.MaxTime() - 1, ulid.MaxTime(),
		ulid.Timestamp(time.Date(2026, 11, 1, 5, 30, 0, 0, time.UTC)), // 1:30 twice in New York
		ulid.Timestamp(time.Date(2026, 11, 1, 6, 30, 0, 0, time.UTC)),
	}
	for bit := range 48 {
		times = append(times, 1<<bit, 1<<bit-1)
	}
	seen := map[ulid.ULID]bool{}
	for _, ms := range times {
		first, last := ulid.FirstAt(ulid.Time(ms)), ulid.LastAt(ulid.Time(ms))
		for _, id := range []ulid.ULID{first, last} {
			if !seen[id] {
				ids = append(ids, id)
			}
			seen[id] = true
		}
	}
	return ids
}

// badTexts are what is not a ULID whatever its characters, and characters that look like others or become
// others in upper case.
var badTexts = []string{
	"", " ", "0", "01ARYZ6S41TSV4RRFFQ69G5FA", "01ARYZ6S41TSV4RRFFQ69G5FAVV", " 01ARYZ6S41TSV4RRFFQ69G5FAV",
	"01ARYZ6S41TSV4RRFFQ69G5FAV ", "01ARYZ6S41TSV4RRFFQ69G5FAV\n", "01ARYZ6S41TSV4RRFFQ69G5FA\n",
	"80000000000000000000000000", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "ZZZZZZZZZZZZZZZZZZZZZZZZZZ",
	"01ARYZ6S41TSV4RR", "01563df36481d6764c61efb99302bd5b", "{01ARYZ6S41TSV4RRFFQ69G5FAV}",
	"01ARYZ6S41TSV4RRFFQ69G5FA\u212a", "01ARYZ6S41TSV4RRFFQ69G5FA\u017f", "\uff101ARYZ6S41TSV4RRFFQ69G5FAV", "01ARYZ6S41TSV4RRFFQ69G5FA\u0131",
	strings.Repeat("0", 255), strings.Repeat("0", 256), strings.Repeat("0", 282), strings.Repeat("0", 1000),
}

// bases are the texts in which the tests put every byte at every position.
var bases = []string{"01ARYZ6S41TSV4RRFFQ69G5FAV", "7zzzzzzzzzzzzzzzzzzzzzzzzz"}

// wantParsed fails the test unless a database read a text as Parse does: refused is "".
func wantParsed(t *testing.T, text, got string) {
	t.Helper()
	want := ""
	if id, err := ulid.Parse(text); err == nil {
		want = hex.EncodeToString(id[:])
	}
	if got != want {
		t.Errorf("%q is read as %q, want %q", text, got, want)
	}
}

// wantRandom fails the test unless these are IDs of the last minute, no two alike, in whose random bits each
// bit is 0 in some and 1 in others.
func wantRandom(t *testing.T, ids []ulid.ULID) {
	t.Helper()
	if len(ids) < 1000 {
		t.Fatalf("%d IDs, want 1000", len(ids))
	}
	seen := map[ulid.ULID]bool{}
	var ones, zeros [16]byte
	for _, id := range ids {
		if age := time.Since(id.Timestamp()); age < -time.Second || age > time.Minute {
			t.Fatalf("%v is of %v", id, id.Timestamp())
		}
		if seen[id] {
			t.Fatalf("%v came twice", id)
		}
		seen[id] = true
		for i := range id {
			ones[i] |= id[i]
			zeros[i] |= ^id[i]
		}
	}
	all := bytes.Repeat([]byte{0xff}, 10)
	if !bytes.Equal(ones[6:], all) || !bytes.Equal(zeros[6:], all) {
		t.Errorf("some of the 80 bits do not change: ones %x, zeros %x", ones[6:], zeros[6:])
	}
}

// wantSameTime fails the test unless these are IDs of one millisecond, as the page says of those of one statement.
func wantSameTime(t *testing.T, ids []ulid.ULID) {
	t.Helper()
	for _, id := range ids {
		if id.Time() != ids[0].Time() {
			t.Fatalf("%v and %v are of one statement", ids[0], id)
		}
	}
}

// --- queries

// statements splits SQL that has no ; but those at the ends of its statements.
func statements(code string) []string {
	var list []string
	for s := range strings.SplitSeq(code, ";") {
		if s = strings.TrimSpace(s); s != "" {
			list = append(list, s)
		}
	}
	return list
}

func exec(t *testing.T, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatalf("%v in\n%s", err, query)
	}
}

// fetch returns the rows of a query.
func fetch(t *testing.T, db *sql.DB, query string, args ...any) [][]any {
	t.Helper()
	rows, err := db.Query(query, args...)
	if err != nil {
		t.Fatalf("%v in\n%s", err, query)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var list [][]any
	for rows.Next() {
		row := make([]any, len(columns))
		pointers := make([]any, len(columns))
		for i := range row {
			pointers[i] = &row[i]
		}
		if err := rows.Scan(pointers...); err != nil {
			t.Fatal(err)
		}
		list = append(list, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%v in\n%s", err, query)
	}
	return list
}

// text returns a cell as text: bytes as they are, a time as RFC 3339 in UTC, NULL as "NULL".
func text(cell any) string {
	switch v := cell.(type) {
	case nil:
		return "NULL"
	case string:
		return v
	case []byte:
		return string(v)
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	}
	return fmt.Sprint(cell)
}

// idOf reads an ID in any form, hexadecimal digits included.
func idOf(t *testing.T, cell any) ulid.ULID {
	t.Helper()
	if s := text(cell); len(s) == 32 {
		b, err := hex.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return ulid.ULID(b)
	}
	var id ulid.ULID
	if err := id.Scan(cell); err != nil {
		t.Fatal(err)
	}
	return id
}

func idsOf(t *testing.T, rows [][]any) []ulid.ULID {
	t.Helper()
	var ids []ulid.ULID
	for _, row := range rows {
		ids = append(ids, idOf(t, row[0]))
	}
	return ids
}

// A form is what an ID becomes in a column of a query.
type form func(ulid.ULID) string

func asText(id ulid.ULID) string  { return id.String() }
func asLower(id ulid.ULID) string { return strings.ToLower(id.String()) }
func asUUID(id ulid.ULID) string  { return id.UUIDString() }
func asBytes(id ulid.ULID) string { return string(id[:]) }
func asHex(id ulid.ULID) string   { return strings.ToUpper(hex.EncodeToString(id[:])) }
func asTime(id ulid.ULID) string  { return id.Timestamp().UTC().Format(time.RFC3339Nano) }
func asFirst(id ulid.ULID) string { return asBytes(ulid.FirstAt(id.Timestamp())) }
func asLast(id ulid.ULID) string  { return asBytes(ulid.LastAt(id.Timestamp())) }

// wantForms fails the test unless a query gives each of the IDs once, in its first column, and each other column
// is the ID in its form.
func wantForms(t *testing.T, db *sql.DB, ids []ulid.ULID, query string, forms ...form) {
	t.Helper()
	left := map[ulid.ULID]bool{}
	for _, id := range ids {
		left[id] = true
	}
	for _, row := range fetch(t, db, query) {
		id := idOf(t, row[0])
		if !left[id] {
			t.Fatalf("%v came unexpectedly from\n%s", id, query)
		}
		delete(left, id)
		if len(row) != len(forms) {
			t.Fatalf("%d columns, want %d, from\n%s", len(row), len(forms), query)
		}
		for i, f := range forms {
			if got, want := text(row[i]), f(id); got != want {
				t.Errorf("column %d of %v is %q, want %q, in\n%s", i, id, got, want, query)
			}
		}
	}
	if len(left) > 0 {
		t.Errorf("%d IDs of %d did not come from\n%s", len(left), len(ids), query)
	}
}

// november returns 20,000 IDs of 100 months and the ends of November 2026, and those of that month.
func november() (all, within []ulid.ULID) {
	from := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	to := from.AddDate(0, 1, 0)
	source := rand.NewChaCha8([32]byte{'n'})
	for i := range 20_000 {
		at := from.Add(time.Duration(i-9_000) * to.Sub(from) / 200)
		id := ulid.MustNew(ulid.Timestamp(at), source)
		all = append(all, id)
	}
	all = append(all, ulid.FirstAt(from), ulid.LastAt(from.Add(-time.Millisecond)),
		ulid.FirstAt(to), ulid.LastAt(to.Add(-time.Millisecond)))
	for _, id := range all {
		if at := id.Timestamp(); !at.Before(from) && at.Before(to) {
			within = append(within, id)
		}
	}
	return all, within
}

// wantRange fails the test unless a query gives these IDs in their order.
func wantRange(t *testing.T, db *sql.DB, within []ulid.ULID, query string) {
	t.Helper()
	rows := fetch(t, db, query)
	if len(rows) != len(within) {
		t.Errorf("%d rows, want %d, from\n%s", len(rows), len(within), query)
		return
	}
	want := map[ulid.ULID]bool{}
	for _, id := range within {
		want[id] = true
	}
	var before ulid.ULID
	for i, id := range idsOf(t, rows) {
		if !want[id] {
			t.Errorf("%v is of %v, in\n%s", id, id.Timestamp(), query)
		}
		if i > 0 && id.Compare(before) <= 0 {
			t.Errorf("%v comes after %v, in\n%s", id, before, query)
		}
		before = id
	}
}
