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
