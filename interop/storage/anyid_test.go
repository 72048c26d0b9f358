package storage

import (
	"database/sql"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// TestAnyID reads every format from one column, as text and as bytes.
func TestAnyID(t *testing.T) {
	t.Parallel()
	columns := map[string][]string{
		"sqlite": {"TEXT", "BLOB"}, "postgres": {"text", "bytea"}, "mysql": {"VARCHAR(36)", "VARBINARY(36)"},
	}
	id := ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")
	digits := strings.ReplaceAll(id.UUIDString(), "-", "")
	var texts []string
	for _, s := range []string{id.String(), id.UUIDString(), digits} {
		texts = append(texts, strings.ToLower(s), strings.ToUpper(s))
	}
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
	})

	const cut = 16 // characters, which a BINARY(16) keeps of a text
	for _, bad := range []any{
		"", id.String()[:cut], []byte(id.String()[:cut]), []byte(id.UUIDString()[:cut]), []byte(digits[:cut]),
		[]byte(id.String()[:25]), id.UUIDString()[1:], digits[1:], "g" + digits[1:], id[:15], 1, nil,
	} {
		read := AnyID(id)
		if read.Scan(bad) == nil || ulid.ULID(read) != id {
			t.Errorf("%q is read as %v", bad, ulid.ULID(read))
		}
	}
	if list, err := json.Marshal([]AnyID{AnyID(id)}); err == nil {
		t.Errorf("a list is JSON: %s", list)
	}
}

// TestAnyIDIsNoArgument passes an AnyID to every column by every driver. Each statement fails, and no row goes.
func TestAnyIDIsNoArgument(t *testing.T) {
	t.Parallel()
	eachSession(t, db.All, func(s *session) {
		own := slices.IndexFunc(goTypes, func(typ goType) bool { return typ.column == s.column.GoType })
		for n, id := range samples {
			s.execOne(`INSERT INTO p (id, n) VALUES (?, ?)`, goTypes[own].value(id), n)
		}
		for _, statement := range []string{
			`INSERT INTO p (id, n) VALUES (?, 99)`, `DELETE FROM p WHERE id = ?`, `DELETE FROM p WHERE id <> ?`,
		} {
			for _, arg := range []any{AnyID(samples[0]), &AnyID{}, sql.Null[AnyID]{Valid: true}} {
				if err := s.Try(statement, arg); err == nil || !strings.Contains(err.Error(), "AnyID has no format") {
					s.t.Errorf("%s of a %T: %v", statement, arg, err)
				}
			}
		}
		if left := s.Count(`SELECT count(*) FROM p`); left != len(samples) {
			s.t.Errorf("%d rows are left, want %d", left, len(samples))
		}
	})
}
