package storage

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// TestNumbers compares IDs of a few years with a number. The database converts them to numbers.
func TestNumbers(t *testing.T) {
	t.Parallel()
	page.Fact(t, storagePage, "number-equals-nearly-every-id")
	for _, d := range []*db.Database{db.MariaDB, db.MySQL} {
		for _, c := range []struct {
			column    string
			value     func(ulid.ULID) any
			condition string
			nearly    bool // but not all
		}{
			{column: textColumn(d), value: func(id ulid.ULID) any { return id }, condition: `id = 1`, nearly: true},
			{column: binaryColumn(d), value: func(id ulid.ULID) any { return ulid.AsBinary(id) }, condition: `id = 0`},
		} {
			t.Run(d.Name+"/"+c.column, func(t *testing.T) {
				conn := d.Open(t, "")
				conn.Run(`CREATE TABLE p (id ` + c.column + ` PRIMARY KEY)`)
				const rows = 200
				for n := range rows {
					at := time.Date(2016, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, n, n%28)
					conn.Run(`INSERT INTO p (id) VALUES (?)`, c.value(ulid.FirstAt(at)))
				}
				found := conn.Count(`SELECT count(*) FROM p WHERE ` + c.condition)
				if found < rows*8/10 || !c.nearly && found != rows {
					t.Errorf("%s matches %d of %d rows", c.condition, found, rows)
				}
				err := conn.Try(`DELETE FROM p WHERE ` + c.condition)
				left := conn.Count(`SELECT count(*) FROM p`)
				switch {
				case d == db.MariaDB && (err != nil || left != rows-found):
					t.Errorf("%d rows are left, %v, and the page says that MariaDB deletes them", left, err)
				case d == db.MySQL && (err == nil || left != rows):
					t.Errorf("%d rows are left, %v, and the page says that MySQL returns an error", left, err)
				}
			})
		}
	}
}

// derivedTables are statements whose parameters, %[1]s, stand in the select list of a derived table, a CTE or a UNION,
// or in VALUES. A test has stored the rows 0 to 3, passes the IDs of 0 and 1, and wants what is left.
var derivedTables = []struct {
	statement string
	left      []int
	only      *db.Database // that has the syntax, or nil for both
}{
	{
		statement: `DELETE FROM p WHERE NOT EXISTS (
			SELECT 1 FROM (SELECT %[1]s AS id UNION ALL SELECT %[1]s) keep WHERE keep.id = p.id)`,
		left: []int{0, 1},
	},
	{
		statement: `DELETE FROM p WHERE id NOT IN (SELECT id FROM (SELECT %[1]s AS id UNION ALL SELECT %[1]s) keep)`,
		left:      []int{0, 1},
	},
	{
		statement: `DELETE p FROM p LEFT JOIN (SELECT %[1]s AS id UNION ALL SELECT %[1]s) keep
			ON keep.id = p.id WHERE keep.id IS NULL`,
		left: []int{0, 1},
	},
	{
		statement: `DELETE FROM p WHERE id < (WITH old AS (SELECT %[1]s AS a, %[1]s AS b) SELECT b FROM old)`,
		left:      []int{1, 2, 3},
	},
	{
		statement: `INSERT INTO p (id, n) SELECT id, 9 FROM (SELECT %[1]s AS id UNION ALL SELECT %[1]s) new
			ON DUPLICATE KEY UPDATE n = 9`,
		left: []int{2, 3, 9, 9},
	},
	{
		statement: `DELETE FROM p WHERE id NOT IN (VALUES (%[1]s), (%[1]s))`,
		left:      []int{0, 1},
		only:      db.MariaDB,
	},
}

// TestDerivedTables shows what is right for an AsBinary there. With the defaults of the driver MariaDB loses its bytes,
// and MySQL refuses them.
func TestDerivedTables(t *testing.T) {
	t.Parallel()
	page.Fact(t, storagePage, "derived-tables-lose-bytes")
	for _, c := range []struct {
		parameters string // of the data source name
		argument   string
		isDefault  bool
	}{
		{parameters: "", argument: "?", isDefault: true},
		{parameters: "interpolateParams=true", argument: "?"},
		{parameters: "", argument: "CAST(? AS BINARY(16))"},
	} {
		for _, d := range []*db.Database{db.MariaDB, db.MySQL} {
			t.Run(d.Name+"/"+c.argument+c.parameters, func(t *testing.T) {
				for _, table := range derivedTables {
					if table.only != nil && table.only != d {
						continue
					}
					statement := fmt.Sprintf(table.statement, c.argument)
					left, err := afterStatement(t, d, c.parameters, statement)
					isRight := err == nil && slices.Equal(left, table.left)
					switch {
					case !c.isDefault && !isRight:
						t.Errorf("%s leaves the rows %v, %v, want %v", statement, left, err, table.left)
					case c.isDefault && d == db.MariaDB && (err != nil || isRight):
						t.Errorf("%s leaves the rows %v, %v, and the page says that it goes wrong", statement, left, err)
					case c.isDefault && d == db.MySQL && err == nil:
						t.Errorf("%s leaves the rows %v, and the page says that MySQL rejects it", statement, left)
					}
				}
			})
		}
	}
}

// afterStatement stores four IDs, runs the statement with the first two, and returns which rows are left.
func afterStatement(t *testing.T, d *db.Database, parameters, statement string) (left []int, err error) {
	t.Helper()
	conn := d.Open(t, parameters)
	conn.Run(`CREATE TABLE p (id ` + binaryColumn(d) + ` PRIMARY KEY, n INT NOT NULL)`)
	ids := samples[4:8] // ordinary ones, which are no UTF-8
	for n, id := range ids {
		conn.Run(`INSERT INTO p (id, n) VALUES (?, ?)`, ulid.AsBinary(id), n)
	}
	err = conn.Try(statement, ulid.AsBinary(ids[0]), ulid.AsBinary(ids[1]))
	check(t, conn.Select(&left, `SELECT n FROM p ORDER BY n`))
	return left, err
}

// TestBytesInText stores an AsBinary in a column of text where the driver writes it into the statement.
func TestBytesInText(t *testing.T) {
	t.Parallel()
	page.Fact(t, storagePage, "interpolated-bytes-become-another-id")
	id := ulid.AsBinary(ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV"))
	for _, d := range []*db.Database{db.MariaDB, db.MySQL} {
		t.Run(d.Name, func(t *testing.T) {
			conn := d.Open(t, "interpolateParams=true")
			conn.Run(`CREATE TABLE p (id ` + textColumn(d) + ` PRIMARY KEY)`)
			err := conn.Try(`INSERT INTO p (id) VALUES (?)`, id)
			if d == db.MySQL {
				if err == nil {
					t.Error("MySQL stores the bytes, and the page says that it rejects them")
				}
				return
			}
			check(t, err)
			var got ulid.AsBinary
			check(t, conn.Get(&got, `SELECT id FROM p`))
			if got == id {
				t.Error("the ID is read as it was, and the page says that it becomes another one")
			}
		})
	}
}

// random returns IDs with random bits in all places, always the same ones, in their order.
func random() []ulid.ULID {
	source := rand.NewChaCha8([32]byte{'U'})
	ids := make([]ulid.ULID, 1000)
	for i := range ids {
		source.Read(ids[i][:])
	}
	slices.SortFunc(ids, ulid.ULID.Compare)
	return ids
}

// isSorted reports whether a query returns its IDs in their order.
func isSorted(t *testing.T, conn *db.DB, query string) bool {
	t.Helper()
	var ids []string // 26 or 36 characters, which sort as the IDs do
	check(t, conn.Select(&ids, query))
	if len(ids) == 0 {
		t.Fatalf("%s returns nothing", query)
	}
	return slices.IsSorted(ids)
}

// TestMariaDBUUID stores IDs in MariaDB's type UUID. It rejects some plain ULIDs, and sorts the others as if they were
// UUIDs of version 1.
func TestMariaDBUUID(t *testing.T) {
	t.Parallel()
	page.Fact(t, storagePage, "mariadb-uuid-reorders")
	conn := db.MariaDB.Open(t, "")
	conn.Run(`CREATE TABLE p (id UUID PRIMARY KEY)`)
	ids := random()
	rejected := 0
	for _, id := range ids {
		if conn.Try(`INSERT INTO p (id) VALUES (?)`, ulid.AsUUID(id)) != nil {
			rejected++
		}
	}
	if rejected < len(ids)/5 || rejected > len(ids)*3/10 {
		t.Errorf("%d of %d plain ULIDs are rejected, and the page says a quarter", rejected, len(ids))
	}
	if isSorted(t, conn, `SELECT id FROM p ORDER BY id`) {
		t.Error("plain ULIDs are sorted, and the page says that they are not")
	}
}

// TestPostgreSQLCollations shows why a text column needs COLLATE "C", or ucs_basic.
func TestPostgreSQLCollations(t *testing.T) {
	t.Parallel()
	page.Fact(t, storagePage, "collations-sort-text-wrongly")
	conn := db.PostgreSQL.Open(t, "")
	conn.Run(`CREATE TABLE p (id text PRIMARY KEY)`)
	for _, id := range random() {
		conn.Run(`INSERT INTO p (id) VALUES (?)`, id)
	}
	for collation, want := range map[string]bool{
		"C": true, "ucs_basic": true, "et-x-icu": false, "lt-x-icu": false,
	} {
		if got := isSorted(t, conn, `SELECT id FROM p ORDER BY id COLLATE "`+collation+`"`); got != want {
			t.Errorf("%s sorts IDs: %t, want %t", collation, got, want)
		}
	}
}

// TestStringFromUUID reads an ID of a uuid column into a string.
func TestStringFromUUID(t *testing.T) {
	t.Parallel()
	page.Fact(t, storagePage, "string-gets-uuid")
	for _, driver := range db.PostgreSQL.Drivers {
		t.Run(driver.Name, func(t *testing.T) {
			conn := db.PostgreSQL.OpenWith(t, driver)
			id := ulid.Make()
			conn.Run(`CREATE TABLE p (id uuid PRIMARY KEY)`)
			conn.Run(`INSERT INTO p (id) VALUES (?)`, ulid.AsUUID(id))
			if got := conn.Text(`SELECT id FROM p`); got != id.UUIDString() {
				t.Errorf("the string is %q, and the page says UUID format", got)
			}
		})
	}
}

// TestSQLiteNumericAffinity shows what the declared types ULID and UUID do to a text of digits. SQLite knows neither
// word, and takes the type for a kind of number. UUID format stays a text.
func TestSQLiteNumericAffinity(t *testing.T) {
	t.Parallel()
	page.Fact(t, storagePage, "numeric-affinity-finds-another-row")
	digits := ulid.MustParse("01234567890123456789012345")
	for _, column := range []string{"TEXT", "ULID", "UUID"} {
		conn := db.SQLite.Open(t, "")
		conn.Run("CREATE TABLE p (id " + column + " PRIMARY KEY)")
		conn.Run(`INSERT INTO p (id) VALUES (?)`, digits)
		var got ulid.ULID
		err := conn.Get(&got, `SELECT id FROM p`)
		others := conn.Count(`SELECT count(*) FROM p WHERE id = ?`, neighbour(digits))
		switch {
		case column == "TEXT" && (got != digits || others != 0):
			t.Errorf("TEXT has %v as %v, %v, and %d rows of its neighbour", digits, got, err, others)
		case column != "TEXT" && (err == nil || others != 1):
			t.Errorf("%s: reading an ID of digits: %v, want an error; another ID finds %d rows, want 1", column, err, others)
		}
	}
}
