// Package sql tests the functions in sql/, and the SQL on the pages that show their use.
package sql

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/typed"
)

var known = ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")

// session has a time zone that is not UTC, and whose clocks go back an hour in November.
const session = "timezone=America/New_York&default_query_exec_mode=describe_exec"

// installed connects to an empty database, and installs the functions.
func installed(t *testing.T) *db.DB {
	t.Helper()
	conn := db.PostgreSQL.Open(t, session)
	install(t, conn)
	return conn
}

// install installs the functions.
func install(t *testing.T, conn *db.DB) {
	t.Helper()
	conn.Run(page.Text(t, "sql/postgres.sql"))
}

// --- IDs

func timeOf(id ulid.ULID) time.Time { return id.Time().UTC() }

var largest = ulid.MustParse("7ZZZZZZZZZZZZZZZZZZZZZZZZZ")

// sampleIDs returns 500 IDs of random bits and the extremes: the zero ID and the largest, and both ends of milliseconds
// where something might carry, be rounded, or shift with a time zone.
func sampleIDs() []ulid.ULID {
	source := rand.NewChaCha8([32]byte{'s', 'q', 'l'})
	ids := make([]ulid.ULID, 500)
	for i := range ids {
		source.Read(ids[i][:])
	}
	times := []uint64{
		0, 1, 999, 1000, 1001, 1469918176385,
		9_007_199_254_740, 9_007_199_254_741, 9_007_199_254_742, // 2⁵³ microseconds
		253_402_300_799_999, 253_402_300_800_000, // the end of the year 9999
		1<<48 - 2, 1<<48 - 1,
		uint64(time.Date(2026, 11, 1, 5, 30, 0, 0, time.UTC).UnixMilli()), // 1:30 twice in New York
		uint64(time.Date(2026, 11, 1, 6, 30, 0, 0, time.UTC).UnixMilli()),
	}
	for bit := range 48 {
		times = append(times, 1<<bit, 1<<bit-1)
	}
	slices.Sort(times)
	for _, ms := range slices.Compact(times) {
		at := time.UnixMilli(int64(ms))
		ids = append(ids, ulid.FirstAt(at), ulid.LastAt(at))
	}
	return ids
}

// badTexts are what is not a ULID whatever its characters, and characters that look like others or become others in
// upper case.
var badTexts = []string{
	"", " ", "0", "01ARYZ6S41TSV4RRFFQ69G5FA", "01ARYZ6S41TSV4RRFFQ69G5FAVV", " 01ARYZ6S41TSV4RRFFQ69G5FAV",
	"01ARYZ6S41TSV4RRFFQ69G5FAV ", "01ARYZ6S41TSV4RRFFQ69G5FAV\n", "01ARYZ6S41TSV4RRFFQ69G5FA\n",
	"80000000000000000000000000", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "ZZZZZZZZZZZZZZZZZZZZZZZZZZ",
	"01ARYZ6S41TSV4RR", "01563df36481d6764c61efb99302bd5b", "{01ARYZ6S41TSV4RRFFQ69G5FAV}",
	"01ARYZ6S41TSV4RRFFQ69G5FA\u212a", "01ARYZ6S41TSV4RRFFQ69G5FA\u017f",
	"\uff101ARYZ6S41TSV4RRFFQ69G5FAV", "01ARYZ6S41TSV4RRFFQ69G5FA\u0131",
	strings.Repeat("0", 255), strings.Repeat("0", 256), strings.Repeat("0", 282), strings.Repeat("0", 1000),
}

// everyCharacter returns a ULID in either case with each of 255 characters at each position.
func everyCharacter() (texts []string) {
	for _, base := range []string{"01ARYZ6S41TSV4RRFFQ69G5FAV", "7zzzzzzzzzzzzzzzzzzzzzzzzz"} {
		for i := range base {
			for c := rune(1); c < 256; c++ {
				texts = append(texts, base[:i]+string(c)+base[i+1:])
			}
		}
	}
	return texts
}

// --- rows

// insert stores the values in a column, a thousand in a statement.
func insert[T any](conn *db.DB, table, column string, values []T) {
	for batch := range slices.Chunk(values, 1000) {
		args := make([]any, len(batch))
		for i, v := range batch {
			args[i] = v
		}
		conn.Run("INSERT INTO "+table+" ("+column+") VALUES (?)"+strings.Repeat(", (?)", len(batch)-1), args...)
	}
}

// cell returns a cell as text: bytes as they are, a time as RFC 3339 in UTC, NULL as "NULL".
func cell(value any) string {
	switch v := value.(type) {
	case nil:
		return "NULL"
	case []byte:
		return string(v)
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	}
	return fmt.Sprint(value)
}

type user struct{ typed.PrefixColumn }

func (user) Prefix() string { return "user" }

// idOf returns the ID in a cell, whatever the format of its column.
func idOf(value any) ulid.ULID {
	switch text := cell(value); len(text) {
	case 16:
		return ulid.ULID([]byte(text))
	case ulid.EncodedSize:
		return ulid.MustParse(text)
	case len(asPrefixed(known)):
		return typed.MustParse[user](text).ULID()
	default:
		return ulid.ULID(ulid.MustParseUUID(text))
	}
}

// lines returns the rows of a query as text, each cell in its turn.
func lines(conn *db.DB, query string) (list []string) {
	for _, row := range conn.Rows(query) {
		var cells []string
		for _, c := range row {
			cells = append(cells, cell(c))
		}
		list = append(list, strings.Join(cells, " "))
	}
	return list
}

// wantLines fails the test unless a query gives these rows in any order.
func wantLines(t *testing.T, conn *db.DB, query string, want []string) {
	t.Helper()
	got := lines(conn, query)
	slices.Sort(got)
	want = slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("%d rows %q,\nwant %d %q, from\n%s", len(got), got, len(want), want, query)
	}
}

// A form is what an ID becomes in a column of a query.
type form func(ulid.ULID) string

func asText(id ulid.ULID) string     { return id.String() }
func asUUID(id ulid.ULID) string     { return id.UUIDString() }
func asBytes(id ulid.ULID) string    { return string(id[:]) }
func asHex(id ulid.ULID) string      { return hex.EncodeToString(id[:]) }
func asPrefixed(id ulid.ULID) string { return "user_" + asLower(id) }
func asTime(id ulid.ULID) string     { return timeOf(id).Format(time.RFC3339Nano) }
func asFirst(id ulid.ULID) string    { return asUUID(ulid.FirstAt(timeOf(id))) }

// all of the IDs in a form.
func (f form) of(ids []ulid.ULID) (list []string) {
	for _, id := range ids {
		list = append(list, f(id))
	}
	return list
}
