package guides

import (
	"encoding/json"
	"fmt"
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
	fmt.Println(id.UUIDString())

	// google/uuid, gofrs/uuid and Go 1.27's uuid: plain conversions, both ways
	u := uuid.UUID(id)
	id = ulid.ULID(u)
	fmt.Println(id.Time().UTC()) // of a UUIDv7

	// pgtype: check p.Valid before you convert back
	p := pgtype.UUID{Bytes: id, Valid: true}
	id = ulid.ULID(p.Bytes)

	id, err := ulid.ParseUUID("017f22e2-79b0-7cc3-98c4-dc0c0c07398f") // 36 characters only
	fmt.Println(id, err)
	// Output:
	// 017f22e2-79b0-7cc3-98c4-dc0c0c07398f
	// 2022-02-22 19:22:22 +0000 UTC
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

// An insert of a random key changes a page of its own, and inserts of new ULIDs the same pages.
func TestRandomKeys(t *testing.T) {
	page.Fact(t, "docs/uuid.md", "random-keys-change-more-pages")
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
