package guides

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// page: conversions

func Example_conversions() {
	id := ulid.MustParse("01FWHE4YDGFK1SHH6W1G60EECF")
	u := uuid.UUID(id) // of google/uuid, gofrs/uuid or Go 1.27
	id = ulid.ULID(u)
	p := pgtype.UUID{Bytes: id, Valid: true}
	id = ulid.ULID(p.Bytes) // if p.Valid

	fmt.Println(id.UUIDString())
	fmt.Println(ulid.ParseUUID("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"))
	// Output:
	// 017f22e2-79b0-7cc3-98c4-dc0c0c07398f
	// 01FWHE4YDGFK1SHH6W1G60EECF <nil>
}

// page: end

// TestTable makes the calls in the right column of the page's table.
func TestTable(t *testing.T) {
	u := uuid.Must(uuid.NewV7())
	s := u.String()
	id, err := ulid.ParseUUID(s)
	if err != nil || uuid.UUID(id) != u || ulid.MustParseUUID(s) != id || id.UUIDString() != s {
		t.Errorf("ParseUUID(%q) = %s, %v", s, id, err)
	}
	if now := ulid.AsUUID(ulid.Make()); uuid.UUID(now).Version() != 7 || id.IsZero() {
		t.Errorf("%s is no UUIDv7, or %s is zero", now.UUIDString(), s)
	}
	if null, err := json.Marshal((*ulid.AsUUID)(nil)); err != nil || string(null) != "null" {
		t.Errorf("in JSON NULL is %s, %v", null, err)
	}
	if got := time.Unix(u.Time().UnixTime()); !got.Equal(id.Time()) {
		t.Errorf("the time of %s is %v there, and %v here", u, got, id.Time())
	}
	source := page.Text(t, "interop/guides/uuid_test.go")
	table := regexp.MustCompile(`(?m)^\| .* \| (`+"`.*`"+`) \|$`).FindAllStringSubmatch(page.Text(t, "docs/uuid.md"), -1)
	for _, row := range table {
		for _, call := range strings.Split(strings.Trim(row[1], "`"), "`, `") {
			if !strings.Contains(source, call) {
				t.Errorf("the page has %s, and this test does not", call)
			}
		}
	}
	if len(table) != 5 {
		t.Errorf("the table has %d rows, want 5", len(table))
	}
}

// TestPublicID reads an ID of a request in both formats, and writes it as 36 characters.
func TestPublicID(t *testing.T) {
	id := ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")
	type body struct{ ID PublicID }
	for _, text := range []string{id.String(), strings.ToLower(id.String()), id.UUIDString()} {
		var b body
		if err := json.Unmarshal([]byte(`{"ID":"`+text+`"}`), &b); err != nil || b.ID != PublicID(id) {
			t.Errorf("%s is read as %v, %v", text, b.ID, err)
		}
		if got, err := json.Marshal(b); err != nil || string(got) != `{"ID":"`+id.UUIDString()+`"}` {
			t.Errorf("%s is written as %s, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", id.String()[1:], id.UUIDString()[1:], strings.Repeat("U", 26), strings.Repeat("U", 36),
	} {
		b := body{PublicID(id)}
		if err := json.Unmarshal([]byte(`{"ID":"`+text+`"}`), &b); err == nil || b.ID != PublicID(id) {
			t.Errorf("%q is read as %v, %v", text, b.ID, err)
		}
	}
}

// TestRowsOfVersion4 does what the page says of a table in which google/uuid stored random UUIDs.
func TestRowsOfVersion4(t *testing.T) {
	conn := db.SQLite.Open(t, "")
	conn.Run("CREATE TABLE events (id TEXT PRIMARY KEY NOT NULL)")
	random := rand.NewChaCha8([32]byte{})
	const old = 3000
	for range old {
		id, err := uuid.NewRandomFromReader(random)
		db.Check(t, err)
		conn.Run("INSERT INTO events VALUES (?)", ulid.AsUUID(id))
	}
	added := make([]ulid.AsUUID, 10)
	ulid.Fill(added)
	for _, id := range added {
		conn.Run("INSERT INTO events VALUES (?)", id)
	}
	now := time.Now()
	after, before := ulid.AsUUID(ulid.FirstAt(now.Add(-time.Hour))), ulid.AsUUID(ulid.FirstAt(now.Add(time.Hour)))
	isNearlyAll := func(n int) bool { return n > old*98/100 && n < old }
	if n := conn.Count("SELECT count(*) FROM events WHERE id > ?", before); !isNearlyAll(n) {
		t.Errorf("%d of %d old rows are newer than the next hour", n, old)
	}
	if n := conn.Count("SELECT count(*) FROM events WHERE id >= ?", after); !isNearlyAll(n - len(added)) {
		t.Errorf("the last hour, without an end, has %d rows", n)
	}
	if n := conn.Count("SELECT count(*) FROM events WHERE id >= ? AND id < ?", after, before); n != len(added) {
		t.Errorf("the last hour and the next have %d rows, want %d", n, len(added))
	}
	page.Fact(t, "docs/uuid.md", "a-time-range-holds-old-rows")
	if n := conn.Count("SELECT count(*) FROM events WHERE id < ?", after); n < old/300 || n > old/75 {
		t.Errorf("%d of %d old rows are older than the last hour, and the page says one of 150", n, old)
	}
	var g ulid.Generator
	if err := Resume[ulid.AsUUID](t.Context(), conn.DB.DB, &g, time.Minute); !errors.Is(err, ulid.ErrAhead) {
		t.Errorf("Resume returns %v, want ErrAhead", err)
	}
	db.Check(t, Resume[ulid.AsUUID](t.Context(), conn.DB.DB, &g, math.MaxInt64))
	if year := g.Make().Time().Year(); year < 10_000 {
		t.Errorf("after Resume without a limit an ID has the year %d", year)
	}
}

// An insert of a random key changes a page of its own, and inserts of new ULIDs the same pages.
func TestRandomKeys(t *testing.T) {
	ordered := pagesOfInserts(t, func() any { return ulid.AsBinary(ulid.Make()) })
	random := pagesOfInserts(t, func() any { return ulid.AsBinary(uuid.New()) })
	if random < 5*ordered {
		t.Errorf("100 inserts change %d pages with ULIDs and %d with random UUIDs", ordered, random)
	}
}

// pagesOfInserts returns how many pages a transaction of 100 inserts changes in a table of 20,000 rows.
func pagesOfInserts(t *testing.T, newID func() any) int64 {
	t.Helper()
	table := db.SQLite.Open(t, "_pragma=journal_mode(wal)&_pragma=wal_autocheckpoint(0)")
	table.Run("CREATE TABLE items (id BLOB PRIMARY KEY) WITHOUT ROWID")
	insert := func(rows int) {
		tx, err := table.Begin()
		db.Check(t, err)
		for range rows {
			_, err := tx.Exec("INSERT INTO items (id) VALUES (?)", newID())
			db.Check(t, err)
		}
		db.Check(t, tx.Commit())
	}
	insert(20_000)
	table.Rows("PRAGMA wal_checkpoint(TRUNCATE)")
	insert(100)
	return table.Rows("PRAGMA wal_checkpoint")[0][1].(int64)
}
