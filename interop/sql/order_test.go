package sql

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
)

// TestUUIDv7 makes IDs strictly in turns with PostgreSQL's uuidv7(). Each is greater than the one before, in Go and in
// the database, which also reads the version and the time of both kinds.
func TestUUIDv7(t *testing.T) {
	conn := installed(t)
	if version := conn.Count(`SELECT current_setting('server_version_num')::int`); version < 18_00_00 {
		t.Skipf("PostgreSQL %d has no uuidv7(): name a server of PostgreSQL 18 by ULID_POSTGRES", version/1_00_00)
	}
	const rounds = 1000
	var ids []ulid.ULID
	for range rounds {
		ids = append(ids, ulid.Make(), ulid.MustParseUUID(conn.Text(`SELECT uuidv7()::text`)))
	}
	var wrong [2]int
	for i, id := range ids[1:] {
		if id.Compare(ids[i]) <= 0 {
			wrong[i%2]++
		}
	}
	if wrong != [2]int{} {
		t.Errorf("of %d each, %d of uuidv7() and %d of Make are not greater than the ID before", rounds, wrong[0], wrong[1])
	}

	mixed := form(asUUID).of(ids)
	rand.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	conn.Run(`CREATE TABLE ids (id uuid)`)
	insert(conn, "ids", "id", mixed)
	for _, order := range []string{"id", `ulid.to_text(id) COLLATE "C"`} {
		rows := lines(conn, `SELECT ulid.to_text(id), uuid_extract_version(id), uuid_extract_timestamp(id)
			FROM ids ORDER BY `+order)
		for i, id := range ids {
			want := id.String() + " 7 " + id.Time().UTC().Format(time.RFC3339Nano)
			if rows[i] != want {
				t.Fatalf("by %s row %d is %q, want %q", order, i, rows[i], want)
			}
		}
	}
}
