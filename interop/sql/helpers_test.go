package sql

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

var check = db.Check

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
		endOf9999, endOf9999 + 1,
		ulid.MaxTime() - 1, ulid.MaxTime(),
		ulid.Timestamp(time.Date(2026, 11, 1, 5, 30, 0, 0, time.UTC)), // 1:30 twice in New York
		ulid.Timestamp(time.Date(2026, 11, 1, 6, 30, 0, 0, time.UTC)),
	}
	for bit := range 48 {
		times = append(times, 1<<bit, 1<<bit-1)
	}
	slices.Sort(times)
	for _, ms := range slices.Compact(times) {
		ids = append(ids, ulid.FirstAt(ulid.Time(ms)), ulid.LastAt(ulid.Time(ms)))
	}
	return ids
}

const endOf9999 = 253_402_300_799_999

// november returns 20,000 IDs of 100 months and the ends of November 2026, and those of that month in order.
func november() (all, within []ulid.ULID) {
	from := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	to := from.AddDate(0, 1, 0)
	source := rand.NewChaCha8([32]byte{'n'})
	for i := range 20_000 {
		at := from.Add(time.Duration(i-9_000) * to.Sub(from) / 200)
		all = append(all, ulid.MustNew(ulid.Timestamp(at), source))
	}
	all = append(all, ulid.FirstAt(from), ulid.LastAt(from.Add(-time.Millisecond)),
		ulid.FirstAt(to), ulid.LastAt(to.Add(-time.Millisecond)))
	for _, id := range all {
		if at := id.Timestamp(); !at.Before(from) && at.Before(to) {
			within = append(within, id)
		}
	}
	slices.SortFunc(within, ulid.ULID.Compare)
	return all, within
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

// everyByte returns a ULID in either case with every byte at every position.
func everyByte() (texts []string) {
	for _, base := range []string{"01ARYZ6S41TSV4RRFFQ69G5FAV", "7zzzzzzzzzzzzzzzzzzzzzzzzz"} {
		for i := range base {
			for c := range 256 {
				texts = append(texts, base[:i]+string([]byte{byte(c)})+base[i+1:])
			}
		}
	}
	return texts
}

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

// wantRandom fails the test unless these are 1,000 IDs of the last minute, no two alike, in whose random bits each
// bit is 0 in some and 1 in others and each digit comes, and of one millisecond if they are to have the same time.
func wantRandom(t *testing.T, ids []ulid.ULID, sameTime bool) {
	t.Helper()
	if len(ids) != 1000 {
		t.Fatalf("%d IDs, want 1000", len(ids))
	}
	seen, digits := map[ulid.ULID]bool{}, map[rune]bool{}
	var ones, zeros [16]byte
	for _, id := range ids {
		if age := time.Since(id.Timestamp()); age < -time.Second || age > time.Minute {
			t.Fatalf("%v is of %v", id, id.Timestamp())
		}
		if sameTime && id.Time() != ids[0].Time() {
			t.Fatalf("%v and %v are of one statement", ids[0], id)
		}
		if seen[id] {
			t.Fatalf("%v came twice", id)
		}
		seen[id] = true
		for _, c := range id.String()[10:] {
			digits[c] = true
		}
		for i := range id {
			ones[i] |= id[i]
			zeros[i] |= ^id[i]
		}
	}
	if len(digits) != 32 {
		t.Errorf("%d digits come in the random characters, want 32", len(digits))
	}
	all := bytes.Repeat([]byte{0xff}, 10)
	if !bytes.Equal(ones[6:], all) || !bytes.Equal(zeros[6:], all) {
		t.Errorf("some of the 80 bits do not change: ones %x, zeros %x", ones[6:], zeros[6:])
	}
}

// --- queries

// insert stores the values in a column, a thousand in a statement.
func insert[T any](t *testing.T, db *db.DB, table, column string, values []T) {
	t.Helper()
	for batch := range slices.Chunk(values, 1000) {
		args := make([]any, len(batch))
		for i, v := range batch {
			args[i] = v
		}
		query := "INSERT INTO " + table + " (" + column + ") VALUES (?)" + strings.Repeat(", (?)", len(batch)-1)
		db.Run(query, args...)
	}
}

// text returns a cell as text: bytes as they are, a time as RFC 3339 in UTC, NULL as "NULL".
func text(cell any) string {
	switch v := cell.(type) {
	case nil:
		return "NULL"
	case []byte:
		return string(v)
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	}
	return fmt.Sprint(cell)
}

// idsOf reads IDs in any form, hexadecimal digits included, from the first column.
func idsOf(t *testing.T, rows [][]any) (ids []ulid.ULID) {
	t.Helper()
	for _, row := range rows {
		cell := row[0]
		if b, err := hex.DecodeString(text(cell)); err == nil && len(b) == 16 {
			cell = b
		}
		var id ulid.ULID
		check(t, id.Scan(cell))
		ids = append(ids, id)
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
func asMS(id ulid.ULID) string    { return fmt.Sprint(id.Time()) }
func asTime(id ulid.ULID) string  { return id.Timestamp().UTC().Format(time.RFC3339Nano) }
func asFirst(id ulid.ULID) string { return asBytes(ulid.FirstAt(id.Timestamp())) }
func asLast(id ulid.ULID) string  { return asBytes(ulid.LastAt(id.Timestamp())) }

// asSQLite is the time as SQLite writes it.
func asSQLite(id ulid.ULID) string { return id.Timestamp().UTC().Format("2006-01-02 15:04:05.000") }

// until9999 is the form up to the year 9999, and then NULL.
func until9999(f form) form {
	return func(id ulid.ULID) string {
		if id.Time() > endOf9999 {
			return "NULL"
		}
		return f(id)
	}
}

// wantForms fails the test unless a query gives each of the IDs once, and each column is the ID in its form.
func wantForms(t *testing.T, db *db.DB, ids []ulid.ULID, query string, forms ...form) {
	t.Helper()
	left := map[ulid.ULID]bool{}
	for _, id := range ids {
		left[id] = true
	}
	rows := db.Rows(query)
	for n, id := range idsOf(t, rows) {
		if !left[id] {
			t.Fatalf("%v came unexpectedly from\n%s", id, query)
		}
		delete(left, id)
		if len(rows[n]) != len(forms) {
			t.Fatalf("%d columns, want %d, from\n%s", len(rows[n]), len(forms), query)
		}
		for i, f := range forms {
			if got, want := text(rows[n][i]), f(id); got != want {
				t.Errorf("column %d of %v is %q, want %q, in\n%s", i, id, got, want, query)
			}
		}
	}
	if len(left) > 0 {
		t.Errorf("%d IDs of %d did not come from\n%s", len(left), len(ids), query)
	}
}

// wantIDs fails the test unless a query gives these IDs in their order.
func wantIDs(t *testing.T, db *db.DB, want []ulid.ULID, query string) {
	t.Helper()
	if got := idsOf(t, db.Rows(query)); !slices.Equal(got, want) {
		t.Errorf("%d rows, want %d:\n%v\nwant\n%v\nfrom\n%s", len(got), len(want), got, want, query)
	}
}
