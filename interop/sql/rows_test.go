package sql

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

var check = db.Check

// insert stores the values in a column, a thousand in a statement.
func insert[T any](t *testing.T, conn *db.DB, table, column string, values []T) {
	t.Helper()
	for batch := range slices.Chunk(values, 1000) {
		args := make([]any, len(batch))
		for i, v := range batch {
			args[i] = v
		}
		query := "INSERT INTO " + table + " (" + column + ") VALUES (?)" + strings.Repeat(", (?)", len(batch)-1)
		conn.Run(query, args...)
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
		b, err := hex.DecodeString(text(cell))
		if err == nil && len(b) == 16 {
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
func asSQLite(id ulid.ULID) string { return id.Timestamp().UTC().Format(sqliteTime) }

const sqliteTime = "2006-01-02 15:04:05.000"

// until9999 is the form up to the year 9999, and then NULL.
func until9999(f form) form {
	return func(id ulid.ULID) string {
		if id.Time() > endOf9999 {
			return "NULL"
		}
		return f(id)
	}
}

// wantForms fails the test unless a query gives each of the IDs once, and each column is the ID in
// its form.
func wantForms(t *testing.T, conn *db.DB, ids []ulid.ULID, query string, forms ...form) {
	t.Helper()
	left := map[ulid.ULID]bool{}
	for _, id := range ids {
		left[id] = true
	}
	rows := conn.Rows(query)
	for n, id := range idsOf(t, rows) {
		if !left[id] {
			t.Fatalf("%v came unexpectedly from\n%s", id, query)
		}
		delete(left, id)
		if len(rows[n]) != len(forms) {
			t.Fatalf("%d columns, want %d, from\n%s", len(rows[n]), len(forms), query)
		}
		for i, f := range forms {
			got, want := text(rows[n][i]), f(id)
			if got != want {
				t.Errorf("column %d of %v is %q, want %q, in\n%s", i, id, got, want, query)
			}
		}
	}
	if len(left) > 0 {
		t.Errorf("%d IDs of %d did not come from\n%s", len(left), len(ids), query)
	}
}

// wantIDs fails the test unless a query gives these IDs in their order.
func wantIDs(t *testing.T, conn *db.DB, want []ulid.ULID, query string) {
	t.Helper()
	got := idsOf(t, conn.Rows(query))
	if !slices.Equal(got, want) {
		t.Errorf("%d rows, want %d:\n%v\nwant\n%v\nfrom\n%s", len(got), len(want), got, want, query)
	}
}
