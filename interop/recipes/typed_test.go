package recipes

import (
	"encoding/json"
	"fmt"
	"go/version"
	"log/slog"
	"runtime"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/typed"
)

func TestTyped(t *testing.T) {
	id := NewUserID()
	got, err := ParseUserID(id.String())
	if err != nil || got != id || !strings.HasPrefix(fmt.Sprint(id), "user_") {
		t.Errorf("%v is read as %v, %v", id, got, err)
	}
	_, err = ParseUserID("order" + id.String()[len("user"):])
	page.Contains(t, "docs/typed.md", "`"+err.Error()+"`")
	_, err = ParseUserID("unknown")
	page.Contains(t, "docs/typed.md", "`"+err.Error()+"`")
}

// TestREADMEs sees that the READMEs show the type that is tested here.
func TestREADMEs(t *testing.T) {
	for _, file := range []string{"README.md", "typed/README.md", folder + "typed.go"} {
		page.Contains(t, file, "type user struct{ typed.UUIDColumn }")
		page.Contains(t, file, `func (user) Prefix() string { return "user" }`)
		page.Contains(t, file, "type UserID = typed.ID[user]")
	}
}

// A query by a text with its prefix finds nothing, or every row. Scan reads such a text, which a column may hold.
func TestPrefixInSQL(t *testing.T) {
	page.Fact(t, "docs/typed.md", "prefix-matches-every-row")
	db.Each(t, func(t *testing.T, d *db.Database) {
		users := d.Open(t, "")
		users.Run("CREATE TABLE users (id char(36))")
		id := NewUserID()
		users.Run("INSERT INTO users VALUES (?), (?)", id, NewUserID())
		for _, condition := range []string{"id < ?", "id <> ?", "id NOT IN (?)"} {
			if n := users.Count("SELECT count(*) FROM users WHERE "+condition, id.String()); n != 2 {
				t.Errorf("%s matches %d rows, want 2", condition, n)
			}
		}
		const equal = "SELECT count(*) FROM users WHERE id = ?"
		if n := users.Count(equal, id); n != 1 {
			t.Errorf("the ID finds %d rows, want 1", n)
		}
		if n := users.Count(equal, id.String()); n != 0 {
			t.Errorf("the text of %v finds %d rows, want 0", id, n)
		}
		var got UserID
		if err := users.QueryRow("SELECT '" + id.String() + "'").Scan(&got); err != nil || got != id {
			t.Errorf("a text with the prefix is read as %v, %v", got, err)
		}
	})
}

// A kind without a prefix.
type order struct{ typed.TextColumn }

// These are what the page advises against: a struct, with its own text or without, and a type without methods.
type (
	structID struct{ ulid.ULID }
	ownText  struct{ ulid.ULID }
	bareID   ulid.ULID
)

func (id ownText) MarshalText() ([]byte, error) { return []byte("inv_" + id.String()), nil }

func TestStructs(t *testing.T) {
	page.Fact(t, "docs/typed.md", "own-text-is-bypassed")
	id := ulid.MustParse(text)
	own := "inv_" + text
	if version.Compare(runtime.Version(), "go1.27") >= 0 {
		own = text // without an error
	}
	const binary = `{"$binary":{"base64":"AVY982SB1nZMYe+5kwK9Ww==","subType":"00"}}`
	for _, c := range []struct {
		id         any
		json, bson string
	}{
		{typed.ID[order](id), `"` + text + `"`, binary},
		{structID{id}, `"` + text + `"`, `{"ulid":` + binary + `}`},
		{ownText{id}, `"` + own + `"`, `{"ulid":` + binary + `}`},
		{bareID(id), "[1,86,61,243,100,129,214,118,76,97,239,185,147,2,189,91]", binary},
	} {
		encoded, err := json.Marshal(c.id)
		if err != nil || string(encoded) != c.json {
			t.Errorf("in JSON a %T is %s, %v, want %s", c.id, encoded, err, c.json)
		}
		document, err := bson.MarshalExtJSON(map[string]any{"id": c.id}, false, false)
		if want := `{"id":` + c.bson + `}`; err != nil || string(document) != want {
			t.Errorf("in bson a %T is %s, %v, want %s", c.id, document, err, want)
		}
		var log strings.Builder
		slog.New(slog.NewJSONHandler(&log, nil)).Info("", "id", c.id)
		if !strings.HasSuffix(log.String(), `"id":`+c.json+"}\n") {
			t.Errorf("a %T is logged as %s, want %s", c.id, &log, c.json)
		}
	}
}
