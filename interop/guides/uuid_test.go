package guides

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/seed-961d0905/ulid"
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
