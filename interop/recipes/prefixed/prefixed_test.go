package prefixed

import (
	"database/sql"
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"go.jetify.com/typeid/v2"

	"github.com/seed-961d0905/ulid"
)

// A vector is one of the specification's.
type vector struct{ Name, TypeID, Prefix, UUID string }

func vectors(t *testing.T, name string, want int) (list []vector) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &list); err != nil || len(list) != want {
		t.Fatalf("%s: %d vectors, %v; want %d", name, len(list), err, want)
	}
	return list
}

func TestValid(t *testing.T) {
	for _, v := range vectors(t, "valid.json", 9) {
		id, err := ParseTypeID(v.TypeID)
		if err != nil || id.Prefix != v.Prefix || id.ID.UUIDString() != v.UUID || id.String() != v.TypeID {
			t.Errorf("%s: %s is %q %s, %v", v.Name, v.TypeID, id.Prefix, id.ID.UUIDString(), err)
		}
	}
}

func TestInvalid(t *testing.T) {
	for _, v := range vectors(t, "invalid.json", 19) {
		if id, err := ParseTypeID(v.TypeID); err == nil || id != (TypeID{}) {
			t.Errorf("%s: %s is %s, %v", v.Name, v.TypeID, id, err)
		}
		id := TypeID{"kept", ulid.Make()}
		kept := id
		if err := id.UnmarshalText([]byte(v.TypeID)); err == nil || id != kept {
			t.Errorf("%s: %s was read as %s, %v", v.Name, v.TypeID, id, err)
		}
	}
}

// The specification's reference implementation says the same of 20,000 texts, good and bad.
func TestReference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const letters = "abcxyz_AZ019il-é"
	prefixes := []string{"user", "pre_fix", "", strings.Repeat("a", 63), strings.Repeat("a", 64)}
	good, bad := 0, 0
	for i := range 20_000 {
		id := TypeID{prefixes[i%len(prefixes)], ulid.MakeUUIDv7()}
		text := []byte(id.String())
		if i%2 == 1 {
			text[r.IntN(len(text))] = letters[r.IntN(len(letters))]
		}
		theirs, err := typeid.Parse(string(text))
		ours, ourErr := ParseTypeID(string(text))
		if (err == nil) != (ourErr == nil) {
			t.Fatalf("%q: %v; the reference says %v", text, ourErr, err)
		}
		if err != nil {
			bad++
			continue
		}
		good++
		if ours.Prefix != theirs.Prefix() || ours.ID.UUIDString() != theirs.UUID() || ours.String() != theirs.String() {
			t.Fatalf("%q is %q %s; the reference says %q %s", text, ours.Prefix, ours.ID, theirs.Prefix(), theirs.UUID())
		}
	}
	if good < 5_000 || bad < 5_000 {
		t.Errorf("only %d good texts and %d bad ones", good, bad)
	}
	for range 100 {
		if theirs, err := ParseUserID(typeid.MustGenerate("user").String()); err != nil || !theirs.IsUUIDv7() {
			t.Fatalf("%s, %v", theirs, err)
		}
	}
}

func TestNewTypeID(t *testing.T) {
	if id := NewTypeID("user"); id.Prefix != "user" || !id.ID.IsUUIDv7() {
		t.Errorf("%s", id)
	}
	defer func() {
		if recover() == nil {
			t.Error("a bad prefix was taken")
		}
	}()
	NewTypeID("User")
}

const userText = "user_01h455vb4pex5vsknk084sn02q"

func TestUserID(t *testing.T) {
	type document struct {
		ID     UserID            `json:"id"`
		Typed  TypeID            `json:"typed"`
		Counts map[UserID]int    `json:"counts"`
		By     map[TypeID]UserID `json:"by"`
	}
	id, err := ParseUserID(userText)
	if err != nil {
		t.Fatal(err)
	}
	typed := TypeID{"user", id.ULID}
	in := document{id, typed, map[UserID]int{id: 1}, map[TypeID]UserID{typed: id}}
	const want = `{"id":"` + userText + `","typed":"` + userText + `","counts":{"` + userText + `":1},"by":{"` + userText + `":"` + userText + `"}}`
	text, err := json.Marshal(in)
	if err != nil || string(text) != want {
		t.Fatalf("%s, %v; want %s", text, err, want)
	}
	var out document
	if err := json.Unmarshal(text, &out); err != nil || out.ID != id || out.Typed != typed || out.Counts[id] != 1 || out.By[typed] != id {
		t.Errorf("%+v, %v", out, err)
	}
	for _, bad := range []string{
		"", "user_", "order_" + userText[5:], userText[5:], "user_" + strings.ToUpper(userText[5:]), strings.ToUpper(userText), userText + "0",
		"user_" + userText, "user_8" + userText[6:], "user_u" + userText[6:],
	} {
		kept := id
		if got, err := ParseUserID(bad); err == nil || !got.IsZero() || kept.UnmarshalText([]byte(bad)) == nil || kept != id {
			t.Errorf("%q is %s, %v", bad, got, err)
		}
	}
	if !NewUserID().IsUUIDv7() {
		t.Error("a new UserID is no UUIDv7")
	}
}

// SQL has no prefix, and refuses one.
func TestUserIDInSQL(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	id, back, stored := NewUserID(), UserID{}, ""
	if err := db.QueryRow("SELECT ?, ?", id, id).Scan(&back, &stored); err != nil || back != id || stored != id.ULID.String() {
		t.Errorf("%s is stored as %s and read as %s, %v", id, stored, back, err)
	}
	if err := back.Scan(userText); err == nil {
		t.Errorf("%s was read from a column", userText)
	}
}
