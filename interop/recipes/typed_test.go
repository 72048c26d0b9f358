package recipes

import (
	"crypto/rand"
	"encoding/json"
	"go/version"
	"log/slog"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	googleuuid "github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/typed"
)

// TestMixup compiles what the page shows, which must fail with what the page says.
func TestMixup(t *testing.T) {
	out, err := exec.Command("go", "build", "./testdata/mixup").CombinedOutput()
	if err == nil {
		t.Fatal("an order's ID is accepted as a user's")
	}
	var messages string
	for _, m := range regexp.MustCompile(`(?m)^testdata.mixup.mixup\.go:[0-9:]+ (.*)$`).FindAllSubmatch(out, -1) {
		messages += string(m[1]) + "\n"
	}
	if messages == "" {
		t.Fatalf("%s", out)
	}
	page.Check(t, folder+"testdata/mixup/compiler.txt", messages)
}

// firstOf returns the first ID of any kind, and isZero tells whether an ID of any type is zero: what the page says of
// functions for any kind.
func firstOf[K typed.Kind](ids []typed.ID[K]) typed.ID[K] {
	return slices.MinFunc(ids, typed.ID[K].Compare)
}

func isZero[ID ~[16]byte](id ID) bool { return id == ID{} }

func TestAnyKind(t *testing.T) {
	page.Contains(t, "docs/typed.md", "`func F[K typed.Kind](id typed.ID[K])`")
	page.Contains(t, "docs/typed.md", "`func F[ID ~[16]byte](id ID)`")
	a, b := NewUserID(), NewUserID()
	if got := firstOf([]UserID{b, a}); got != a {
		t.Errorf("the first of %v and %v is %v", b, a, got)
	}
	if isZero(a) || isZero(ulid.AsUUID(a)) || isZero(googleuuid.UUID(a)) || !isZero(UserID{}) {
		t.Error("a zero ID is not the one without bits")
	}
}

// TestREADMEs sees that the READMEs show the type that is tested here.
func TestREADMEs(t *testing.T) {
	for _, file := range []string{"typed/README.md", folder + "typed.go"} {
		page.Contains(t, file, "type user struct{ typed.UUIDColumn }")
		page.Contains(t, file, `func (user) Prefix() string { return "user" }`)
		page.Contains(t, file, "type UserID = typed.ID[user]")
	}
	source := page.Text(t, folder+"typed.go")
	for _, b := range page.Blocks(page.Text(t, "typed/README.md")) {
		for line := range strings.Lines(b.Code) {
			code, _, _ := strings.Cut(line, " //")
			if b.Language == "go" && !strings.Contains(source, strings.TrimSpace(code)) {
				t.Errorf("typed.go lacks the line of typed/README.md\n%s", line)
			}
		}
	}
}

// A query with a string that has the prefix finds nothing, or every row. Scan reads such a string, which a column may
// hold.
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
			t.Errorf("the string of %v finds %d rows, want 0", id, n)
		}
		var got UserID
		if err := users.QueryRow("SELECT '" + id.String() + "'").Scan(&got); err != nil || got != id {
			t.Errorf("a string with the prefix is read as %v, %v", got, err)
		}
	})
}

// TestByHand finds a row by the conditions of the page, which have the string of an ID.
func TestByHand(t *testing.T) {
	id, err := ParseUserID("user_01h455vb4pex5vsknk084sn02q")
	db.Check(t, err)
	uuid, text := id.ULID().UUIDString(), id.ULID().String()
	for d, by := range map[*db.Database]struct{ row, column, stored, other string }{
		db.PostgreSQL: {"| PostgreSQL, with [these functions](postgresql.md#functions) | `UUIDColumn` |", "uuid", uuid,
			ulid.AsUUID{}.UUIDString()},
		db.MySQL:   {"| MySQL, MariaDB | `TextColumn` |", "char(26)", text, ulid.ULID{}.String()},
		db.MariaDB: {"| MySQL, MariaDB | `TextColumn` |", "char(26)", text, ulid.ULID{}.String()},
		db.SQLite:  {"| SQLite | `TextColumn` |", "text", text, ulid.ULID{}.String()},
	} {
		t.Run(d.Name, func(t *testing.T) {
			_, cell, _ := strings.Cut(page.Text(t, "docs/typed.md"), by.row+" `")
			condition, _, found := strings.Cut(cell, "` |\n")
			if !found {
				t.Fatal("docs/typed.md lacks the row", by.row)
			}
			users := d.Open(t, "")
			if d == db.PostgreSQL {
				users.Script(d.SQL)
			}
			users.Run("CREATE TABLE users (id " + by.column + ")")
			users.Run("INSERT INTO users VALUES (?), (?)", by.stored, by.other)
			var got UserID
			if err := users.QueryRow("SELECT id FROM users WHERE " + condition).Scan(&got); err != nil || got != id {
				t.Errorf("%s finds %v, %v, want %v", condition, got, err, id)
			}
		})
	}
}

// A range of time finds the rows of its milliseconds.
func TestUsersBetween(t *testing.T) {
	for _, d := range []*db.Database{db.SQLite, db.PostgreSQL} {
		t.Run(d.Name, func(t *testing.T) {
			users := d.Open(t, "")
			users.Run("CREATE TABLE users (id " + map[*db.Database]string{db.SQLite: "text", db.PostgreSQL: "uuid"}[d] + ")")
			noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
			var all []UserID
			for i := range 4 {
				id := UserID(ulid.MustNew(ulid.Timestamp(noon.Add(time.Duration(i)*time.Millisecond)), rand.Reader))
				users.Run("INSERT INTO users VALUES (?)", id)
				all = append(all, id)
			}
			rows, err := usersBetween(t.Context(), users.DB.DB, noon.Add(time.Millisecond), noon.Add(3*time.Millisecond))
			db.Check(t, err)
			defer rows.Close()
			var got []UserID
			for rows.Next() {
				var id UserID
				db.Check(t, rows.Scan(&id))
				got = append(got, id)
			}
			slices.SortFunc(got, UserID.Compare)
			if err := rows.Err(); err != nil || !slices.Equal(got, all[1:3]) {
				t.Errorf("got %v, %v, want %v", got, err, all[1:3])
			}
		})
	}
}

// session and event are the kinds of typed/incorrect_example_test.go.
type (
	session struct{ typed.TextColumn }
	event   struct{ typed.BinaryColumn }
)

func (session) Prefix() string { return "session" }

// The statements of typed's examples of incorrect use delete what they say, and the correct ones do not.
func TestIncorrect(t *testing.T) {
	page.Fact(t, "docs/typed.md", "ulid-matches-every-binary-row")
	binary := map[string]string{"sqlite": "blob", "postgres": "bytea", "mariadb": "binary(16)", "mysql": "binary(16)"}
	yesterday := time.Now().AddDate(0, 0, -1)
	sessions, events := typed.FirstAt[session](yesterday), typed.FirstAt[event](yesterday)
	db.Each(t, func(t *testing.T, d *db.Database) {
		comparison := "<"
		if d == db.SQLite {
			comparison = ">"
		}
		data := d.Open(t, "")
		data.Run("CREATE TABLE sessions (id char(26))")
		data.Run("CREATE TABLE events (id " + binary[d.Dialect] + ")")
		for _, c := range []struct {
			table, condition string
			id, arg          any
			left             int
		}{
			{"sessions", "id < ?", typed.Make[session](), sessions, 1},
			{"sessions", "id < ?", typed.Make[session](), sessions.String(), 0},
			{"events", "id < ?", typed.Make[event](), events, 1},
			{"events", "id " + comparison + " ?", typed.Make[event](), ulid.FirstAt(yesterday), 0},
		} {
			data.Run("DELETE FROM " + c.table)
			data.Run("INSERT INTO "+c.table+" VALUES (?)", c.id)
			data.Run("DELETE FROM "+c.table+" WHERE "+c.condition, c.arg)
			if n := data.Count("SELECT count(*) FROM " + c.table); n != c.left {
				t.Errorf("DELETE FROM %s WHERE %s with a %T leaves %d rows, want %d", c.table, c.condition, c.arg, n, c.left)
			}
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
