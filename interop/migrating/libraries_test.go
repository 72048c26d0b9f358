package migrating

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/rs/xid"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/seed-961d0905/ulid"
)

// TestUUIDTable compiles what stands in the table of the guide, with u and its text s, and id.
func TestUUIDTable(t *testing.T) {
	_, table, _ := strings.Cut(guideText(t), "| google/uuid | here |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var uses []string
	for _, m := range regexp.MustCompile("`([^`]*[(){=].*?|uuid\\.Nil)`").FindAllStringSubmatch(table, -1) {
		uses = append(uses, "use("+m[1]+")")
	}
	if len(uses) < 23 {
		t.Fatalf("the table has %d expressions, want 23", len(uses))
	}
	p := newProject(t, nil, map[string]string{"main.go": `package main

import (
	"github.com/google/uuid"
	"github.com/seed-961d0905/ulid"
)

func use(...any) {}

func main() {
	u := uuid.New()
	id := ulid.Make()
	s := u.String()
	` + strings.Join(uses, "\n\t") + "\n}\n"})
	interop.run(t, "go", "run", p.path("main.go"))
}

// TestUUIDColumn reads and finds rows that google/uuid wrote into a uuid column, and adds to them.
func TestUUIDColumn(t *testing.T) {
	each(t, []connection{postgres, pq}, func(t *testing.T, d guideDB) {
		d.Run("CREATE TABLE users (id uuid PRIMARY KEY, boss uuid)")
		for _, u := range []uuid.UUID{uuid.New(), uuid.Must(uuid.NewV7()), uuid.Nil} {
			d.Run("INSERT INTO users VALUES (?, ?)", u, uuid.NullUUID{})
			var id ulid.AsUUID
			var boss *ulid.AsUUID
			err := d.row("SELECT id, boss FROM users WHERE id = ?", ulid.AsUUID(u)).Scan(&id, &boss)
			if err != nil || uuid.UUID(id) != u || boss != nil {
				t.Errorf("%v and NULL are read as %s and %v, %v", u, id.UUIDString(), boss, err)
			}
			for _, statement := range []string{
				"SELECT count(*) FROM users WHERE id = ?",
				"DELETE FROM users WHERE id = ?",
				"INSERT INTO users (id) VALUES (?)",
			} {
				d.wantRefused(t, "", statement, ulid.ULID(u))
			}
		}
		for _, id := range []ulid.ULID{ulid.Make(), ulid.MakeUUIDv7()} {
			d.Run("INSERT INTO users VALUES (?, ?)", ulid.AsUUID(id), ulid.AsUUID(id))
			var u uuid.UUID
			var boss uuid.NullUUID
			err := d.row("SELECT id, boss FROM users WHERE id = ?", uuid.UUID(id)).Scan(&u, &boss)
			if err != nil || ulid.ULID(u) != id || boss.UUID != u {
				t.Errorf("google/uuid reads %v, %v, %v, want %s", u, boss, err, id.UUIDString())
			}
		}
	})
}

// TestUUIDOtherColumns finds rows that google/uuid wrote as text or as bytes.
func TestUUIDOtherColumns(t *testing.T) {
	each(t, withMySQL(sqlite, mariadb), func(t *testing.T, d guideDB) {
		d.Run("CREATE TABLE users (a CHAR(36), b TEXT, c BINARY(16))")
		u := uuid.New()
		d.Run("INSERT INTO users VALUES (?, ?, ?)", u, u, u[:])
		var a, b ulid.AsUUID
		var c ulid.AsBinary
		const query = "SELECT a, b, c FROM users WHERE a = ? AND b = ? AND c = ?"
		check(t, d.row(query, ulid.AsUUID(u), ulid.AsUUID(u), ulid.AsBinary(u)).Scan(&a, &b, &c))
		if uuid.UUID(a) != u || uuid.UUID(b) != u || uuid.UUID(c) != u {
			t.Errorf("%v is read as %v, %v, %v", u, uuid.UUID(a), uuid.UUID(b), uuid.UUID(c))
		}
	})
}

// TestUUIDParse shows which forms of a UUID google/uuid reads and this library does not. interop/uuid
// shows the times and versions.
func TestUUIDParse(t *testing.T) {
	u := uuid.New()
	text := ulid.ULID(u).String()
	for _, s := range []string{
		"urn:uuid:" + u.String(),
		"{" + u.String() + "}",
		strings.ReplaceAll(u.String(), "-", ""),
		text,
	} {
		_, theirs := uuid.Parse(s)
		_, ours := ulid.ParseUUID(s)
		if ours == nil || (theirs == nil) != (s != text) {
			t.Errorf("ParseUUID of %s: %v, google/uuid: %v", s, ours, theirs)
		}
	}
	parsed, err := ulid.Parse(text)
	if err != nil || uuid.UUID(parsed) != u {
		t.Errorf("Parse(%s) = %v, %v", text, parsed, err)
	}
}

// TestUUIDShown shows the 26 characters in fmt, logs and JSON, and that JSON takes no others.
func TestUUIDShown(t *testing.T) {
	u := uuid.New()
	id := ulid.AsUUID(u)
	want := ulid.ULID(u).String()
	var logged bytes.Buffer
	slog.New(slog.NewTextHandler(&logged, nil)).Info("", "id", id)
	_, log, _ := strings.Cut(strings.TrimSpace(logged.String()), " id=")
	object, err := json.Marshal(map[ulid.AsUUID]ulid.AsUUID{id: id})
	check(t, err)
	if fmt.Sprint(id) != want || log != want || string(object) != `{"`+want+`":"`+want+`"}` {
		t.Errorf("fmt shows %v, slog %s, JSON %s, want %s", id, log, object, want)
	}
	if json.Unmarshal([]byte(`"`+u.String()+`"`), &id) == nil {
		t.Error("JSON takes UUID notation")
	}
}

// TestUUIDNull shows that JSON shows NULL of a pointer as google/uuid's NullUUID, and of a sql.Null
// as an object.
func TestUUIDNull(t *testing.T) {
	id := ulid.AsUUID(uuid.New())
	type row struct{ Null, Set *ulid.AsUUID }
	shown, err := json.Marshal(row{Null: nil, Set: &id})
	check(t, err)
	if want := fmt.Sprintf(`{"Null":null,"Set":"%s"}`, id); string(shown) != want {
		t.Errorf("JSON shows %s, want %s", shown, want)
	}
	object, err := json.Marshal(sql.Null[ulid.AsUUID]{})
	check(t, err)
	theirs, err := json.Marshal(uuid.NullUUID{})
	check(t, err)
	if object[0] != '{' || string(theirs) != "null" {
		t.Errorf("JSON shows a sql.Null as %s, and NullUUID as %s", object, theirs)
	}
}

// TestOldIDs shows that the conversions of the guide lose nothing, and keep the order and the second.
func TestOldIDs(t *testing.T) {
	t.Run("ObjectID", func(t *testing.T) {
		wantConversion(t, func(old [12]byte) (ulid.ULID, time.Time) {
			return fromObjectID(old), bson.ObjectID(old).Timestamp()
		})
	})
	t.Run("xid", func(t *testing.T) {
		wantConversion(t, func(old [12]byte) (ulid.ULID, time.Time) {
			at := xid.ID(old).Time()
			id := ulid.FirstAt(at)
			copy(id[6:], old[4:])
			return id, at
		})
	})
}

// wantConversion fails the test unless the ULIDs of old IDs have their time and bytes, and are in their
// order.
func wantConversion(t *testing.T, convert func([12]byte) (ulid.ULID, time.Time)) {
	t.Helper()
	source := rand.New(rand.NewSource(1))
	var old, beforeOld [12]byte
	var before ulid.ULID
	for i := range 10000 {
		source.Read(old[:])
		switch {
		case i < 2:
			old = [12]byte(bytes.Repeat([]byte{byte(-i)}, 12)) // the least and the greatest
		case i%2 == 1: // alike in the first bytes
			copy(old[:], beforeOld[:source.Intn(12)])
		}
		id, at := convert(old)
		if !id.Timestamp().Equal(at) || string(id[6:]) != string(old[4:])+"\x00\x00" {
			t.Fatalf("%x of %v becomes %v of %v, %x", old, at, id, id.Timestamp(), id)
		}
		if i > 0 && id.Compare(before) != bytes.Compare(old[:], beforeOld[:]) {
			t.Fatalf("%x, %x become %v, %v", beforeOld, old, before, id)
		}
		before, beforeOld = id, old
	}
}

// TestOldTexts shows that texts of other lengths are never read as ULIDs, and that a new ULID is not
// before the bound of an old ID.
func TestOldTexts(t *testing.T) {
	o, x := bson.NewObjectID(), xid.New()
	for _, test := range []struct {
		text   string
		length int // as the guide says
	}{
		{o.Hex(), 24},
		{x.String(), 20},
	} {
		id, err := ulid.Parse(test.text)
		if err == nil || len(test.text) != test.length {
			t.Errorf("Parse(%q) = %v, want an error, and %d characters", test.text, id, test.length)
		}
	}
	id := ulid.Make()
	if id.Compare(ulid.FirstAt(o.Timestamp())) < 0 || id.Compare(ulid.FirstAt(x.Time())) < 0 {
		t.Errorf("%v is before the bound of %v or %v", id, o, x)
	}
}

// page: ObjectID
// fromObjectID returns the ULID of an ObjectID: its second, its other 8 bytes, and two zero bytes.
func fromObjectID(old bson.ObjectID) ulid.ULID {
	id := ulid.FirstAt(old.Timestamp())
	copy(id[6:], old[4:])
	return id
}
