package tools

import (
	"context"
	"fmt"
	"strings"
	"testing"

	_ "github.com/glebarez/sqlite" // registers gorm's driver of SQLite, for bun and sqlx too

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/typed"
)

const toolsPage = "docs/tools.md"

var (
	ctx   = context.Background()
	check = db.Check
)

// Typed IDs for each column.
type (
	PrefixID = typed.ID[PrefixKind]
	TextID   = typed.ID[TextKind]
	UUIDID   = typed.ID[UUIDKind]
	BinaryID = typed.ID[BinaryKind]

	PrefixKind struct{ typed.PrefixColumn }
	TextKind   struct{ typed.TextColumn }
	UUIDKind   struct{ typed.UUIDColumn }
	BinaryKind struct{ typed.BinaryColumn }
)

func (PrefixKind) Prefix() string { return "order" }
func (TextKind) Prefix() string   { return "text" }
func (UUIDKind) Prefix() string   { return "user" }

// A format returns what a column holds for an ID.
type format func(ulid.ULID) string

var (
	asPrefix format = func(id ulid.ULID) string { return PrefixID(id).String() }
	asText   format = ulid.ULID.String
	asUUID   format = ulid.ULID.UUIDString
	asBinary format = func(id ulid.ULID) string { return string(id[:]) }
)

// wantStored compares the IDs that a query returns with those of a format.
func wantStored[ID ~[16]byte](t *testing.T, conn *db.DB, query string, as format, ids ...ID) {
	t.Helper()
	var want, got []string
	for _, id := range ids {
		want = append(want, as(ulid.ULID(id)))
	}
	for _, row := range conn.Rows(query) {
		switch value := row[0].(type) {
		case []byte:
			got = append(got, string(value))
		default:
			got = append(got, fmt.Sprint(value))
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s has %q, want %q", query, got, want)
	}
}
