package storage

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// textColumn and binaryColumn return the columns of the page for a ulid.ULID and for an AsBinary.
func textColumn(d *db.Database) string   { return columnFor(d, "ULID") }
func binaryColumn(d *db.Database) string { return columnFor(d, "AsBinary") }

func columnFor(d *db.Database, goType string) string {
	at := slices.IndexFunc(d.Columns, func(c db.Column) bool { return c.GoType == goType })
	return d.Columns[at].SQL
}

// TestColumnsOfTwoFormats compares a column of strings with one of bytes that holds the same IDs. No argument is
// wrong here.
func TestColumnsOfTwoFormats(t *testing.T) {
	t.Parallel()
	page.Fact(t, storagePage, "columns-of-two-formats")
	db.Each(t, func(t *testing.T, d *db.Database) {
		conn := d.Open(t, "")
		conn.Run(`CREATE TABLE events (id ` + textColumn(d) + ` PRIMARY KEY)`)
		conn.Run(`CREATE TABLE items (event_id ` + binaryColumn(d) + ` NOT NULL)`)
		for range 3 {
			id := ulid.Make()
			conn.Run(`INSERT INTO events (id) VALUES (?)`, id)
			conn.Run(`INSERT INTO items (event_id) VALUES (?)`, ulid.AsBinary(id))
		}
		err := conn.Try(`DELETE FROM items WHERE event_id NOT IN (SELECT id FROM events)`)
		left := conn.Count(`SELECT count(*) FROM items`)
		if d == db.PostgreSQL {
			if err == nil || left != 3 {
				t.Errorf("%d items are left, %v, want 3 and an error", left, err)
			}
			return
		}
		if err != nil || left != 0 {
			t.Errorf("%d items are left, %v, and the page says none", left, err)
		}
	})
}

// TestLowerCase has a row that another program stored in lower case. Scan reads it, and no query by that ID finds it.
func TestLowerCase(t *testing.T) {
	t.Parallel()
	page.Fact(t, storagePage, "lower-case-is-not-found")
	db.Each(t, func(t *testing.T, d *db.Database) {
		conn := d.Open(t, "")
		conn.Run(`CREATE TABLE p (id ` + textColumn(d) + ` PRIMARY KEY NOT NULL)`)
		id := ulid.Make()
		conn.Run(`INSERT INTO p (id) VALUES (?)`, strings.ToLower(id.String()))
		var read ulid.ULID
		check(t, conn.Get(&read, `SELECT id FROM p`))
		if read != id {
			t.Errorf("%v in lower case is read as %v", id, read)
		}
		if n := conn.Count(`SELECT count(*) FROM p WHERE id = ?`, id); n != 0 {
			t.Errorf("= finds %d rows, and the page says none", n)
		}
		if n := conn.Count(`SELECT count(*) FROM p WHERE id NOT IN (?)`, id); n != 1 {
			t.Errorf("NOT IN matches %d rows, and the page says that it matches the row", n)
		}
		check(t, conn.Try(`INSERT INTO p (id) VALUES (?)`, id)) // the same ID again
	})
}

// TestJSONColumn has a row whose ID stands in a column of JSON, as json.Marshal writes every type of ID.
func TestJSONColumn(t *testing.T) {
	t.Parallel()
	page.Fact(t, storagePage, "json-column-holds-26-characters")
	value := map[*db.Database]string{
		db.SQLite:     `body ->> '$.id'`,
		db.PostgreSQL: `body ->> 'id'`,
		db.MariaDB:    `JSON_VALUE(body, '$.id')`,
		db.MySQL:      `body ->> '$.id'`,
	}
	db.Each(t, func(t *testing.T, d *db.Database) {
		conn := d.Open(t, "")
		conn.Run(`CREATE TABLE p (body json NOT NULL)`)
		id := ulid.Make()
		body, err := json.Marshal(map[string]ulid.AsUUID{"id": ulid.AsUUID(id)})
		check(t, err)
		conn.Run(`INSERT INTO p (body) VALUES (?)`, string(body))
		matches := func(condition string, arg any, want int) {
			t.Helper()
			if n := conn.Count(`SELECT count(*) FROM p WHERE `+condition, arg); n != want {
				t.Errorf("%s with a %T matches %d rows, want %d", condition, arg, n, want)
			}
		}
		matches(value[d]+` = ?`, id, 1)
		matches(value[d]+` <> ?`, id, 0)
		matches(value[d]+` = ?`, ulid.AsUUID(id), 0)
		matches(value[d]+` <> ?`, ulid.AsUUID(id), 1)
		if d == db.SQLite {
			matches(`body -> '$.id' <> ?`, id, 1) // compares with the quotes
		}
	})
}

// TestLike uses an AsBinary as a pattern, in which some of its bytes mean other bytes.
func TestLike(t *testing.T) {
	t.Parallel()
	page.Fact(t, storagePage, "bytes-are-a-pattern")
	for _, d := range []*db.Database{db.PostgreSQL, db.MariaDB, db.MySQL} {
		t.Run(d.Name, func(t *testing.T) {
			conn := d.Open(t, "")
			conn.Run(`CREATE TABLE p (id ` + binaryColumn(d) + ` PRIMARY KEY)`)
			entropy := func(bytes string) ulid.AsBinary {
				id := ulid.FirstAt(time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC))
				copy(id[6:], bytes)
				return ulid.AsBinary(id)
			}
			plain, percent, backslash := entropy("1234567890"), entropy("123%567890"), entropy("123\\567890")
			for _, id := range []ulid.AsBinary{plain, percent, backslash} {
				conn.Run(`INSERT INTO p (id) VALUES (?)`, id)
			}
			for id, want := range map[ulid.AsBinary]int{plain: 1, percent: 3, backslash: 0} {
				if n := conn.Count(`SELECT count(*) FROM p WHERE id LIKE ?`, id); n != want {
					t.Errorf("LIKE with the bytes %q matches %d rows, want %d", id.Bytes(), n, want)
				}
			}
		})
	}
}

// TestMongoDB asks no server. MongoDB compares binaries by their length, their subtype and their bytes.
func TestMongoDB(t *testing.T) {
	page.Fact(t, storagePage, "mongodb-subtype")
	id := ulid.Make()
	document := func(id any) bson.Raw {
		t.Helper()
		encoded, err := bson.Marshal(bson.M{"_id": id})
		check(t, err)
		return encoded
	}
	subtype, data := document(id).Lookup("_id").Binary()
	if subtype != bson.TypeBinaryGeneric || string(data) != string(id[:]) {
		t.Errorf("a ULID is a binary of subtype %d, %x, want subtype 0 and %x", subtype, data, id[:])
	}
	// As other languages store UUIDs, and how to look for them.
	row := document(bson.Binary{Subtype: bson.TypeBinaryUUID, Data: id.Bytes()})
	subtype, data = row.Lookup("_id").Binary()
	if subtype != bson.TypeBinaryUUID || string(data) != string(id[:]) {
		t.Errorf("the binary has subtype %d, %x, want subtype 4 and %x", subtype, data, id[:])
	}
	var read struct {
		ID ulid.ULID `bson:"_id"`
	}
	if err := bson.Unmarshal(row, &read); err == nil {
		t.Errorf("a ULID reads a binary of subtype 4 as %v, and the page says that this is an error", read.ID)
	}
}
