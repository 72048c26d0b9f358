package sql

import (
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// A column of IDs: how an ID is passed to it, and how it comes back.
type column struct {
	sql   string
	value func(ulid.ULID) any
	form  form
}

var (
	uuidColumn  = column{"uuid", func(id ulid.ULID) any { return ulid.AsUUID(id) }, asUUID}
	byteaColumn = column{"bytea", func(id ulid.ULID) any { return ulid.AsBinary(id) }, asBytes}
)

// TestConvertUnderProgram converts columns while a program has prepared its INSERT. That succeeds, and stores an ID in
// a format in which it is not found again.
func TestConvertUnderProgram(t *testing.T) {
	for _, c := range []struct {
		column  column
		convert string
		form    form
	}{
		{uuidColumn, `ulid_to_text(id)`, asUUID},
		{byteaColumn, `ulid_to_text(id)`, func(id ulid.ULID) string { return `\x` + asHex(id) }},
	} {
		t.Run(c.column.sql, func(t *testing.T) {
			conn := db.PostgreSQL.Open(t, "") // pgx prepares and caches statements
			install(t, conn)
			conn.Run(`CREATE TABLE events (id ` + c.column.sql + ` PRIMARY KEY)`)
			statement, err := conn.Prepare(`INSERT INTO events VALUES ($1)`)
			db.Check(t, err)
			defer statement.Close()
			run := func(id ulid.ULID) {
				_, err := statement.Exec(c.column.value(id))
				db.Check(t, err)
			}
			first, second := ulid.Make(), ulid.Make()
			run(first)
			conn.Run(`ALTER TABLE events ALTER id TYPE text COLLATE "C" USING ` + c.convert)
			run(second)
			wantLines(t, conn, `SELECT id FROM events`, []string{asText(first), c.form(second)})
		})
	}
}
