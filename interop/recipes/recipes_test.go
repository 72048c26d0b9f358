package recipes

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// Goroutines that share the pool never get the same ID.
func TestNewID(t *testing.T) {
	var ids sync.Map
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20_000 {
				id, err := NewID()
				if _, ok := ids.LoadOrStore(id, nil); ok || err != nil {
					t.Errorf("%s once more, %v", id, err)
					return
				}
			}
		})
	}
	group.Wait()
}

// The clock lags, but never goes back or ahead, and it moves.
func TestCoarse(t *testing.T) {
	begin := ulid.Now()
	g, last := NewCoarse(), ulid.ULID{}
	for last.Time() < begin+20 {
		id, err := g.Make()
		now := ulid.Now()
		if err != nil || id.Compare(last) <= 0 || id.Time() < begin || id.Time() > now || now > begin+60_000 {
			t.Fatalf("%s, %v after %s, at %d", id, err, last, now)
		}
		last = id
	}
}

// Resume goes on after the last ID, wherever the clock is, but not if that ID is more than the limit ahead.
func TestResume(t *testing.T) {
	now := time.Now()
	db.Each(t, func(t *testing.T, d *db.Database) {
		db := d.Open(t, "")
		db.Run("CREATE TABLE events (id char(26))")
		g, err := Resume(t.Context(), db.DB.DB, time.Minute)
		if err != nil || !g.After.IsZero() {
			t.Errorf("an empty table gives %+v, %v", g, err)
		}
		last := ulid.LastAt(now.Add(10 * time.Second)) // as if the clock had been set back since
		for _, id := range []ulid.ULID{last, ulid.FirstAt(now)} {
			db.Run("INSERT INTO events VALUES (?)", id)
		}
		if g, err = Resume(t.Context(), db.DB.DB, time.Minute); err != nil {
			t.Fatal(err)
		}
		if id, err := g.Make(); err != nil || id.Time() != last.Time()+1 {
			t.Errorf("after %s comes %s, %v", last, id, err)
		}
		page.Contains(t, "docs/recipes.md", "add `UUIDv7: true`")
		g = &ulid.Generator{After: g.After, UUIDv7: true}
		if id, err := g.Make(); err != nil || !id.IsUUIDv7() || id.Time() != last.Time()+1 {
			t.Errorf("after %s comes the UUIDv7 %s, %v", last, id, err)
		}
		for _, at := range []time.Time{now.AddDate(0, 0, 1), ulid.Time(ulid.MaxTime())} {
			db.Run("INSERT INTO events VALUES (?)", ulid.FirstAt(at))
			if _, err := Resume(t.Context(), db.DB.DB, time.Minute); err == nil {
				t.Errorf("an ID of %v is no error", at)
			}
			if _, err := Resume(t.Context(), db.DB.DB, math.MaxInt64); err != nil {
				t.Errorf("an ID of %v is above the limit: %v", at, err)
			}
		}
		db.Run("DROP TABLE events")
		if _, err := Resume(t.Context(), db.DB.DB, time.Minute); err == nil {
			t.Error("a query that fails is no error")
		}
	})
}

// MySQL and MariaDB go on with a statement whose client has gone, and show its session until they have committed it.
func TestSessions(t *testing.T) {
	sessions := "SELECT count(*) FROM information_schema.processlist WHERE db = database() AND user = substring_index(user(), '@', 1)"
	page.Contains(t, "docs/recipes.md", "`"+sessions+"`")
	page.Contains(t, "docs/recipes.md", "MySQL, from 8.0.22 on, the same of `performance_schema.processlist`.")
	for _, d := range []*db.Database{db.MariaDB, db.MySQL} {
		if d == db.MySQL {
			sessions = strings.Replace(sessions, "information", "performance", 1)
		}
		t.Run(d.Name, func(t *testing.T) {
			e := d.Open(t, "")
			e.Run("CREATE TABLE events (id char(26))")
			ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
			defer cancel()
			_, err := db.Connect(t, "mysql", e.DSN).ExecContext(ctx, "INSERT INTO events SELECT ? FROM (SELECT sleep(2.5)) AS s", text)
			if n := e.Count(sessions); n != 2 {
				t.Errorf("after %v there are %d sessions, want 2", err, n)
			}
			for e.Count(sessions) != 1 {
				time.Sleep(time.Millisecond)
			}
			if g, err := Resume(t.Context(), e.DB.DB, 0); err != nil || g.After != ulid.MustParse(text) {
				t.Errorf("then the last ID is that of %+v, %v", g, err)
			}
		})
	}
}

func TestRoutes(t *testing.T) {
	mux := http.NewServeMux()
	Routes(mux)
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/users/" + text, "", 200, `{"id":"` + text + `","name":"Ada"}`},
		{"GET", "/users/" + strings.ToLower(text), "", 200, `{"id":"` + text + `","name":"Ada"}`},
		{"GET", "/users/" + text[:25] + "U", "", 400, `ulid: invalid character 'U' at offset 25`},
		{"GET", "/users/7", "", 400, `ulid: bad data size when unmarshaling`},
		{"GET", "/users/8" + text[1:], "", 400, `ulid: overflow when unmarshaling`},
		{"POST", "/users", `{"name":"Bob","boss_id":"` + text + `"}`, 201, `"name":"Bob","boss_id":"` + text + `"`},
		{"POST", "/users", `{"name":"Bob","boss_id":null}`, 201, `"name":"Bob","boss_id":null`},
		{"POST", "/users", `{"boss_id":"` + text[:25] + `U"}`, 400, `ulid: invalid character 'U' at offset 25`},
		{"POST", "/users", `{"boss_id":7}`, 400, "json: "},
	} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(c.method, c.path, strings.NewReader(c.body)))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s %s: %d %s; want %d %s", c.method, c.path, c.body, w.Code, w.Body, c.status, c.want)
		}
		var made User
		if c.status == 201 && (json.Unmarshal(w.Body.Bytes(), &made) != nil || made.ID.IsZero()) {
			t.Errorf("%s makes the ID %s", c.body, made.ID)
		}
	}
}

// The schema says of a text what Parse does, and has the pattern of the package documentation.
func TestOpenAPI(t *testing.T) {
	document, err := os.ReadFile("openapi.yaml")
	db.Check(t, err)
	var api struct {
		Components struct {
			Schemas map[string]struct {
				Type, Pattern string
				MinLength     int `yaml:"minLength"`
				MaxLength     int `yaml:"maxLength"`
				Examples      []string
			}
			Parameters map[string]any
		}
	}
	decoder := yaml.NewDecoder(bytes.NewReader(document))
	decoder.KnownFields(true)
	db.Check(t, decoder.Decode(&api))
	schema := api.Components.Schemas["ULID"]
	page.Contains(t, "docs/guarantees.md", fmt.Sprintf("A valid text matches `%s`.", schema.Pattern))
	page.Contains(t, "docs/recipes.md", "`pattern: '"+schema.Pattern+"'`")
	pattern := regexp.MustCompile(schema.Pattern) // which means the same in JavaScript
	valid := func(s string) bool {
		n := utf8.RuneCountInString(s)
		return schema.Type == "string" && schema.MinLength <= n && n <= schema.MaxLength && pattern.MatchString(s)
	}
	texts := []string{text, strings.ToLower(text), "", text[:25], text + "0", "8" + text[1:], strings.Repeat("Z", 26), "7" + strings.Repeat("Z", 25), text + "\n"}
	for c := range rune(256) {
		texts = append(texts, string(c)+text[1:], text[:25]+string(c), text[:12]+string(c)+text[13:])
	}
	for _, s := range append(texts, schema.Examples...) {
		if _, err := ulid.Parse(s); valid(s) != (err == nil) {
			t.Errorf("%q: the schema says %v, Parse %v", s, valid(s), err)
		}
	}
	if len(schema.Examples) == 0 || !valid(schema.Examples[0]) {
		t.Errorf("the examples are %q", schema.Examples)
	}
}

func TestHide(t *testing.T) {
	block, err := aes.NewCipher([]byte("0123456789abcdef"))
	db.Check(t, err)
	id := ulid.MustParse(text)
	hidden := Hide(block, id)
	if back := Reveal(block, hidden); hidden.String() != "0RCPFS6AF9P7JTZ7SQFAEB5FH7" || back != id {
		t.Errorf("hidden as %s, and back as %s", hidden, back)
	}
}

func TestOldID(t *testing.T) {
	created := time.Date(2019, 5, 6, 7, 8, 9, 10e6, time.UTC)
	if id, err := OldID("orders/42", created); err != nil || id.String() != "01DA5ZH8XJRKEHCQR6RDFRFY0D" {
		t.Errorf("%s, %v", id, err)
	}
	page.Contains(t, "docs/recipes.md",
		"`ulid.Generator{UUIDv7: true, Entropy: bytes.NewReader(sum[:]), Clock: func() time.Time { return created }}`")
	sum := sha256.Sum256([]byte("orders/42"))
	g := ulid.Generator{UUIDv7: true, Entropy: bytes.NewReader(sum[:]), Clock: func() time.Time { return created }}
	if id, err := g.Make(); err != nil || id.UUIDString() != "016a8bf8-a3b2-74dd-965f-06c35f87f80d" {
		t.Errorf("UUIDv7 %s, %v", id.UUIDString(), err)
	}
}

func TestSpellings(t *testing.T) {
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~"
	short := base64.NewEncoding(alphabet).WithPadding(base64.NoPadding)
	complement := func(id ulid.ULID) ulid.ULID {
		for i := range id {
			id[i] = ^id[i]
		}
		return id
	}
	for _, code := range []string{`base64.NewEncoding("` + alphabet + `")`, "for i := range id { id[i] = ^id[i] }", `s[24:] + "/" + s`} {
		page.Contains(t, "docs/recipes.md", "`"+code+"`")
	}
	for range 2000 {
		var a, b ulid.ULID
		rand.Read(a[:])
		rand.Read(b[:])
		order := a.Compare(b)
		if strings.Compare(strings.ToLower(a.String()), strings.ToLower(b.String())) != order ||
			strings.Compare(short.EncodeToString(a[:]), short.EncodeToString(b[:])) != order ||
			complement(b).Compare(complement(a)) != order || complement(complement(a)) != a {
			t.Fatalf("a spelling loses the order of %s and %s", a, b)
		}
	}
}

// docs/other-databases.md warns of SQL Server's uniqueidentifier. These are its bytes as UniqueIdentifier.Value of
// go-mssqldb 1.11.2 makes them: the first 4, the next 2 and the next 2 are reversed. That module would bring three others.
func TestSQLServerBytes(t *testing.T) {
	stored := []byte("\xf3\x3d\x56\x01\x81\x64\x76\xd6\x4c\x61\xef\xb9\x93\x02\xbd\x5b") // of the ID in text
	var id ulid.ULID
	if err := id.Scan(stored); err != nil || id.String() == text {
		t.Errorf("%s, %v; want another ID and no error, as the page says", id, err)
	}
}
