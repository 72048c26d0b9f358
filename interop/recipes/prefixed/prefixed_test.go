package prefixed

import (
	"database/sql"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/seed-961d0905/ulid"
)

// A valid TypeID of the specification, with another prefix.
const (
	text = "user_0123456789abcdefghjkmnpqrs"
	uuid = "0110c853-1d09-52d8-d73e-1194e95b5f19"
)

func TestUserID(t *testing.T) {
	id, err := ParseUserID(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := id.UUIDString(); got != uuid {
		t.Errorf("the UUID is %s, want %s", got, uuid)
	}
	if !NewUserID().IsUUIDv7() {
		t.Error("a new UserID is not a UUIDv7")
	}
	in := map[UserID]UserID{id: id}
	got, err := json.Marshal(in)
	if want := `{"` + text + `":"` + text + `"}`; err != nil || string(got) != want {
		t.Fatalf("in JSON %s, %v, want %s", got, err, want)
	}
	var out map[UserID]UserID
	if err := json.Unmarshal(got, &out); err != nil || !maps.Equal(out, in) {
		t.Errorf("from JSON %v, %v, want %v", out, err, in)
	}
	suffix := strings.TrimPrefix(text, "user_")
	for _, bad := range []string{
		"", "user_", suffix, "order_" + suffix, "user_" + strings.ToUpper(suffix), strings.ToUpper(text), text + "0",
		"user_" + text, "user_8" + suffix[1:], "user_u" + suffix[1:],
	} {
		if got, err := ParseUserID(bad); err == nil || !got.IsZero() {
			t.Errorf("ParseUserID(%q) = %s, %v, want an error", bad, got, err)
		}
		kept := id
		if err := kept.UnmarshalText([]byte(bad)); err == nil || kept != id {
			t.Errorf("UnmarshalText(%q) = %v and leaves %s, want an error", bad, err, kept)
		}
	}
}

// A database gets the ULID without the prefix, and its texts may not have one.
func TestUserIDInSQL(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	id, back, stored := NewUserID(), UserID{}, ""
	if err := db.QueryRow("SELECT ?, ?", id, id).Scan(&back, &stored); err != nil || back != id {
		t.Errorf("%s comes back as %s, %v", id, back, err)
	}
	if want := id.ULID.String(); stored != want {
		t.Errorf("%s is stored as %s, want %s", id, stored, want)
	}
	if err := back.Scan(text); err == nil {
		t.Errorf("%s was read from a column", text)
	}
}

// A type for a column of PostgreSQL's type uuid embeds AsUUID, and differs in nothing else.
func TestUUIDColumn(t *testing.T) {
	type stored struct{ ulid.AsUUID }
	id := stored{ulid.AsUUID(ulid.MustParse(strings.TrimPrefix(text, "user_")))}
	if got, err := id.Value(); err != nil || got != uuid {
		t.Errorf("Value = %v, %v, want %s", got, err, uuid)
	}
	if got, want := "user_"+strings.ToLower(id.AsUUID.String()), text; got != want {
		t.Errorf("the text is %s, want %s", got, want)
	}
}
