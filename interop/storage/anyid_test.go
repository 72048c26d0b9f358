package storage

import (
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// TestAnyID reads every format from one column, as text and as bytes, and stores none of them without a name.
func TestAnyID(t *testing.T) {
	t.Parallel()
	columns := map[string][]string{
		"sqlite": {"TEXT", "BLOB"}, "postgres": {"text", "bytea"}, "mysql": {"VARCHAR(36)", "VARBINARY(36)"},
	}
	id := ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")
	texts := []string{id.String(), strings.ToLower(id.String()), id.UUIDString(), strings.ToUpper(id.UUIDString())}
	db.Each(t, db.All, func(t *testing.T, d *db.Database) {
		conn := d.Open(t, "")
		conn.Run(`CREATE TABLE ids (s ` + columns[d.Family][0] + `, b ` + columns[d.Family][1] + `)`)
		for _, s := range texts {
			conn.Run(`INSERT INTO ids VALUES (?, ?)`, s, []byte(s))
		}
		conn.Run(`INSERT INTO ids VALUES (NULL, ?)`, ulid.AsBinary(id))
		for column, want := range map[string]int{"s": len(texts), "b": len(texts) + 1} {
			var got []AnyID
			check(t, conn.Select(&got, `SELECT `+column+` FROM ids WHERE `+column+` IS NOT NULL`))
			for _, read := range got {
				if ulid.ULID(read) != id {
					t.Errorf("%s is read as %v", column, ulid.ULID(read))
				}
			}
			if len(got) != want {
				t.Errorf("%d IDs are read from %s, want %d", len(got), column, want)
			}
		}
		if conn.Try(`INSERT INTO ids (s) VALUES (?)`, AnyID(id)) == nil {
			t.Error("an AnyID is stored, in a format that nobody named")
		}
	})

	for _, bad := range []any{"", id.String()[:16], []byte(id.String()[:25]), id.UUIDString()[1:], id[:15], 1} {
		read := AnyID(id)
		if read.Scan(bad) == nil || ulid.ULID(read) != id {
			t.Errorf("%q is read as %v", bad, ulid.ULID(read))
		}
	}
}
