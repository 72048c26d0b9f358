package recipes

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
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

// Resume goes on after the last ID, wherever the clock is, but not if that ID is more than the limit ahead.
func TestResume(t *testing.T) {
	page.Fact(t, "docs/order.md", "outbox-forgets-its-last-id")
	db.Each(t, func(t *testing.T, d *db.Database) {
		conn := d.Open(t, "")
		conn.Run("CREATE TABLE events (id char(26))")
		now := time.Now()
		g, err := Resume(t.Context(), conn.DB.DB, time.Minute)
		db.Check(t, err)
		if id, err := g.Make(); err != nil || time.Since(id.Timestamp()).Abs() > time.Minute {
			t.Errorf("after an empty table comes %s, %v", id, err)
		}
		last := ulid.LastAt(now.Add(30 * time.Second)) // as if the clock had been set back since
		conn.Run("INSERT INTO events VALUES (?), (?)", last, ulid.FirstAt(now))
		g, err = Resume(t.Context(), conn.DB.DB, time.Minute)
		db.Check(t, err)
		if id, err := g.Make(); err != nil || id.Time() != last.Time()+1 {
			t.Errorf("after %s comes %s, %v", last, id, err)
		}
		if id, err := g.Make(); err != nil || !id.IsUUIDv7() || id.Compare(last) <= 0 {
			t.Errorf("after %s comes %s, %v, want a UUIDv7", last, id, err)
		}
		conn.Run("DELETE FROM events") // as an outbox
		g, err = Resume(t.Context(), conn.DB.DB, time.Minute)
		db.Check(t, err)
		if id, err := g.Make(); err != nil || id.Compare(last) >= 0 {
			t.Errorf("after %s, which was deleted, comes %s, %v", last, id, err)
		}
		testLimit(t, conn, now.AddDate(0, 0, 1))
		testLimit(t, conn, ulid.Time(ulid.MaxTime()))
		conn.Run("DROP TABLE events")
		if _, err := Resume(t.Context(), conn.DB.DB, time.Minute); err == nil {
			t.Error("a query that fails is no error")
		}
	})
}

// testLimit lets the last ID be of a time that is more than a minute ahead.
func testLimit(t *testing.T, conn *db.DB, at time.Time) {
	t.Helper()
	conn.Run("INSERT INTO events VALUES (?)", ulid.FirstAt(at))
	if _, err := Resume(t.Context(), conn.DB.DB, time.Minute); !errors.Is(err, ulid.ErrAhead) {
		t.Errorf("an ID of %v gives %v, want ErrAhead", at, err)
	}
	if _, err := Resume(t.Context(), conn.DB.DB, math.MaxInt64); err != nil {
		t.Errorf("an ID of %v is above the limit: %v", at, err)
	}
}

// MySQL and MariaDB go on with a statement whose client has gone, and show its session until they have committed it.
func TestSessions(t *testing.T) {
	const doc = "docs/order.md"
	page.Fact(t, doc, "killed-process-still-commits")
	t.Run("MariaDB", func(t *testing.T) { testSessions(t, db.MariaDB, page.Code(t, doc, "sessions: MariaDB")) })
	t.Run("MySQL", func(t *testing.T) {
		testSessions(t, db.MySQL, page.Code(t, doc, "sessions: MySQL"))
	})
}

func testSessions(t *testing.T, d *db.Database, query string) {
	conn := d.Open(t, "")
	conn.Run("CREATE TABLE events (id char(26))")
	last := ulid.LastAt(time.Now().Add(30 * time.Second))
	const slow = "INSERT INTO events SELECT ? FROM (SELECT sleep(2.5)) AS s"
	ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
	defer cancel()
	_, err := db.Connect(t, "mysql", conn.DSN).ExecContext(ctx, slow, last)
	if n := conn.Count(query); n != 2 {
		t.Errorf("after %v there are %d sessions, want 2", err, n)
	}
	end := time.Now().Add(time.Minute)
	for conn.Count(query) != 1 {
		if time.Now().After(end) {
			t.Fatal("the session has not ended in a minute")
		}
		time.Sleep(time.Millisecond)
	}
	g, err := Resume(t.Context(), conn.DB.DB, time.Minute)
	db.Check(t, err)
	if id, err := g.Make(); err != nil || id.Compare(last) <= 0 {
		t.Errorf("after %s, which was committed then, comes %s, %v", last, id, err)
	}
}

func TestRoutes(t *testing.T) {
	mux := http.NewServeMux()
	Routes(mux)
	const wrong = `ulid: invalid character 'U' at offset 25`
	for _, c := range []struct {
		request, body string
		status        int
		want          string
	}{
		{request: "GET /users/" + text, status: 200, want: `{"id":"` + text + `","name":"Ada"}`},
		{request: "GET /users/" + strings.ToLower(text), status: 200, want: `{"id":"` + text + `","name":"Ada"}`},
		{request: "GET /users/" + text[:25] + "U", status: 400, want: wrong},
		{request: "GET /users/7", status: 400, want: "ulid: bad data size when unmarshaling"},
		{request: "GET /users/8" + text[1:], status: 400, want: "ulid: overflow when unmarshaling"},
		{
			request: "POST /users", body: `{"name":"Bob","boss_id":"` + text + `"}`,
			status: 201, want: `"name":"Bob","boss_id":"` + text + `"`,
		},
		{
			request: "POST /users", body: `{"name":"Bob","boss_id":null}`,
			status: 201, want: `"name":"Bob","boss_id":null`,
		},
		{request: "POST /users", body: `{"boss_id":"` + text[:25] + `U"}`, status: 400, want: wrong},
		{request: "POST /users", body: `{"boss_id":7}`, status: 400, want: "json: "},
	} {
		method, path, _ := strings.Cut(c.request, " ")
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(c.body)))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s: %d %s; want %d %s", c.request, c.body, w.Code, w.Body, c.status, c.want)
		}
		if w.Code != http.StatusCreated {
			continue
		}
		var made User
		if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || made.ID.IsZero() {
			t.Errorf("%s makes the ID %s, %v", c.body, made.ID, err)
		}
	}
}

// A ulidSchema is what openapi.yaml says of a ULID.
type ulidSchema struct {
	Type, Pattern string
	MinLength     int `yaml:"minLength"`
	MaxLength     int `yaml:"maxLength"`
	Examples      []string
}

func readSchema(t *testing.T) ulidSchema {
	document, err := os.ReadFile("openapi.yaml")
	db.Check(t, err)
	var api struct {
		Components struct {
			Schemas    map[string]ulidSchema
			Parameters map[string]any
		}
	}
	decoder := yaml.NewDecoder(bytes.NewReader(document))
	decoder.KnownFields(true)
	db.Check(t, decoder.Decode(&api))
	return api.Components.Schemas["ULID"]
}

// The schema says of a text what Parse does, and has the pattern of docs/guarantees.md.
func TestOpenAPI(t *testing.T) {
	schema := readSchema(t)
	page.Contains(t, "docs/guarantees.md", "`"+schema.Pattern+"`")
	page.Contains(t, "docs/json.md", "`"+schema.Pattern+"`")
	pattern := regexp.MustCompile(schema.Pattern) // which means the same in JavaScript
	valid := func(s string) bool {
		n := utf8.RuneCountInString(s)
		return schema.Type == "string" && schema.MinLength <= n && n <= schema.MaxLength && pattern.MatchString(s)
	}
	texts := []string{
		text, strings.ToLower(text), "7" + strings.Repeat("Z", 25),
		"", text[:25], text + "0", "8" + text[1:], strings.Repeat("Z", 26), text + "\n",
	}
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

// The pattern of a typed ID says of a string what Parse does.
func TestTypedPattern(t *testing.T) {
	const shown = "^user_[0-7][0-9a-hjkmnp-tv-z]{25}$"
	page.Contains(t, "docs/json.md", "`"+shown+"`")
	pattern := regexp.MustCompile(shown)
	id := NewUserID().String()
	n := 0
	try := func(s string) {
		_, err := ParseUserID(s)
		if pattern.MatchString(s) != (err == nil) {
			t.Errorf("%q: the pattern says %v, Parse %v", s, pattern.MatchString(s), err)
		}
		if err == nil {
			n++
		}
	}
	for i := range id {
		for c := range rune(256) {
			try(id[:i] + string(c) + id[i+1:])
		}
	}
	for _, s := range []string{
		"", "user_", id[:30], id + "0", id + "\n", " " + id, id[5:], strings.ToUpper(id), "user_" + strings.ToUpper(id[5:]),
		"order" + id[4:], "user_7" + strings.Repeat("z", 25), "user_8" + strings.Repeat("0", 25),
		"user_" + strings.Repeat("0", 26),
	} {
		try(s)
	}
	if want := 5 + 8 + 25*32 + 2; n != want {
		t.Errorf("%d strings are IDs, want %d", n, want)
	}
}

// Each shard has its part of the IDs, however they are generated. By the last character some shards have none.
func TestShard(t *testing.T) {
	page.Fact(t, "docs/recipes.md", "last-character-leaves-shards-empty")
	const doc, ids = "docs/recipes.md", 100_000
	const where = "get_byte(uuid_send(id), 15) % 16"
	page.Contains(t, doc, "`"+where+"`")
	generators := map[string]func([]ulid.ULID) error{
		"Make":       each(func() (ulid.ULID, error) { return ulid.Make(), nil }),
		"MakeUUIDv7": each(func() (ulid.ULID, error) { return ulid.MakeUUIDv7(), nil }),
		"Fill":       func(ids []ulid.ULID) error { ulid.Fill(ids); return nil },
		"FillUUIDv7": func(ids []ulid.ULID) error { ulid.FillUUIDv7(ids); return nil },
		"Entropy":    each((&ulid.Generator{Entropy: mathrand.NewChaCha8([32]byte{})}).Make),
	}
	for name, fill := range generators {
		list := make([]ulid.ULID, ids)
		db.Check(t, fill(list))
		for _, n := range []uint32{2, 7, 16, 100, 256, 1000} {
			counts := make([]int, n)
			for _, id := range list {
				counts[Shard(id, n)]++
			}
			// Chi-square has about this distribution. By chance it is above this limit less than once in 10⁸ times.
			limit := float64(n) + 8*math.Sqrt(2*float64(n)) + 30
			if got := chiSquare(counts, ids); got > limit {
				t.Errorf("%s: %d shards have %d to %d IDs, chi-square %.0f", name, n, slices.Min(counts), slices.Max(counts), got)
			}
			if n == 16 {
				t.Logf("%s: %d shards have %d to %d IDs", name, n, slices.Min(counts), slices.Max(counts))
			}
		}
		byCharacter := make([]int, 16)
		for _, id := range list {
			byCharacter[id.String()[25]%16]++
			if Shard(id, 16) != uint32(id[15]%16) {
				t.Fatalf("%s is in shard %d", id, Shard(id, 16))
			}
		}
		empty := 0
		for _, n := range byCharacter {
			if n == 0 {
				empty++
			}
		}
		if empty != 2 {
			t.Errorf("%s: by the last character %d of 16 shards are empty", name, empty)
		}
	}
	// The same in SQL.
	conn := db.PostgreSQL.Open(t, "")
	conn.Run("CREATE TABLE events (id uuid)")
	for range 100 {
		id := newKey()
		conn.Run("INSERT INTO events VALUES (?)", id)
		if got, want := conn.Count("SELECT "+where+" FROM events"), Shard(id, 16); got != int(want) {
			t.Errorf("PostgreSQL puts %s into shard %d, want %d", id, got, want)
		}
		conn.Run("DELETE FROM events")
	}
}

// each fills a slice by a function that returns one ID.
func each(newID func() (ulid.ULID, error)) func([]ulid.ULID) error {
	return func(ids []ulid.ULID) (err error) {
		for i := range ids {
			ids[i], err = newID()
			if err != nil {
				return err
			}
		}
		return nil
	}
}

func chiSquare(counts []int, sum int) (x float64) {
	want := float64(sum) / float64(len(counts))
	for _, n := range counts {
		x += (float64(n) - want) * (float64(n) - want) / want
	}
	return x
}

// A request that is repeated, also while the first one runs, creates one payment. That of another user is another one.
func TestPay(t *testing.T) {
	for _, d := range []*db.Database{db.SQLite, db.PostgreSQL} {
		t.Run(d.Name, func(t *testing.T) {
			conn := d.Open(t, "")
			conn.Run(page.Code(t, "docs/recipes.md", "payments"))
			if d == db.PostgreSQL {
				conn.SetMaxOpenConns(0)
			}
			pay := func(user, request ulid.AsUUID) (ulid.AsUUID, error) {
				return Pay(t.Context(), conn.DB.DB, user, request, 100)
			}
			user, request := newKey(), newKey()
			var ids sync.Map
			var group sync.WaitGroup
			for range 20 {
				group.Go(func() {
					id, err := pay(user, request)
					if err != nil {
						t.Error(err)
					}
					ids.Store(id, true)
				})
			}
			group.Wait()
			other, err := pay(newKey(), request)
			db.Check(t, err)
			ids.Store(other, true)
			n := 0
			for range ids.Range {
				n++
			}
			if rows := conn.Count("SELECT count(*) FROM payments"); rows != 2 || n != 2 || other == request {
				t.Errorf("there are %d rows and %d IDs, want 2", rows, n)
			}
			conn.Run("DROP TABLE payments")
			if _, err := pay(user, request); err == nil {
				t.Error("an insert that fails is no error")
			}
		})
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
	id, err := OldUUIDv7("orders/42", created)
	if err != nil || id.UUIDString() != "016a8bf8-a3b2-744d-b859-7c1b0d7e1fe0" {
		t.Errorf("UUIDv7 %s, %v", id.UUIDString(), err)
	}
	const doc = "docs/recipes.md"
	page.Contains(t, doc, "`ulid.New(ulid.Timestamp(created), rand.Reader)`")
	page.Fact(t, doc, "before-1970-fails")
	for _, before := range []time.Time{{}, time.UnixMilli(-1)} {
		if id, err := OldID("orders/42", before); err == nil {
			t.Errorf("%v gives %s", before, id)
		}
		if id, err := OldUUIDv7("orders/42", before); err != nil || id.Time() != 0 {
			t.Errorf("%v gives the UUIDv7 %s, %v, want one of 1970", before, id.UUIDString(), err)
		}
	}
}

func TestSpellings(t *testing.T) {
	const doc = "docs/recipes.md"
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~"
	page.Contains(t, doc, "`base64.NewEncoding(\""+alphabet+"\")`")
	page.Contains(t, doc, "`for i := range id { id[i] = ^id[i] }`")
	page.Contains(t, doc, "`s[24:] + \"/\" + s`")
	short := base64.NewEncoding(alphabet).WithPadding(base64.NoPadding)
	complement := func(id ulid.ULID) ulid.ULID {
		for i := range id {
			id[i] = ^id[i]
		}
		return id
	}
	for range 2000 {
		var a, b ulid.ULID
		rand.Read(a[:])
		rand.Read(b[:])
		order := a.Compare(b)
		if strings.Compare(strings.ToLower(a.String()), strings.ToLower(b.String())) != order {
			t.Fatalf("in lower case %s and %s lose their order", a, b)
		}
		if strings.Compare(short.EncodeToString(a[:]), short.EncodeToString(b[:])) != order {
			t.Fatalf("in 22 characters %s and %s lose their order", a, b)
		}
		if complement(b).Compare(complement(a)) != order || complement(complement(a)) != a {
			t.Fatalf("newest first, %s and %s lose their order", a, b)
		}
		b[14], b[15] = a[14], a[15] // so that both have the same prefix in S3
		if strings.Compare(s3Key(a), s3Key(b)) != a.Compare(b) {
			t.Fatalf("in S3 %s and %s lose their order", a, b)
		}
	}
}

func s3Key(id ulid.ULID) string {
	s := id.String()
	return s[24:] + "/" + s
}

// docs/other-databases.md warns of SQL Server's uniqueidentifier. These are its bytes as UniqueIdentifier.Value of
// go-mssqldb 1.11.2 makes them: the first 4, the next 2 and the next 2 are reversed. That module would bring three
// others.
func TestSQLServerBytes(t *testing.T) {
	page.Fact(t, "docs/other-databases.md", "uniqueidentifier-is-another-id")
	stored := []byte("\xf3\x3d\x56\x01\x81\x64\x76\xd6\x4c\x61\xef\xb9\x93\x02\xbd\x5b") // of the ID in text
	var id ulid.ULID
	if err := id.Scan(stored); err != nil || id.String() == text {
		t.Errorf("%s, %v; want another ID and no error, as the page says", id, err)
	}
}

// What gqlgen 0.17.98 calls. (It would bring twenty modules.)
func TestGraphQL(t *testing.T) {
	var b strings.Builder
	MarshalULID(ulid.MustParse(text)).MarshalGQL(&b)
	if b.String() != `"`+text+`"` {
		t.Errorf("GraphQL has %s", &b)
	}
	if id, err := UnmarshalULID(text); err != nil || id.String() != text {
		t.Errorf("%s is read as %s, %v", text, id, err)
	}
	for _, bad := range []any{nil, 7, text[1:]} {
		if id, err := UnmarshalULID(bad); err == nil {
			t.Errorf("%v is read as %s", bad, id)
		}
	}
}
