package sql

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// guarded is a schema for which the file guard_*.sql writes CHECKs or triggers, so that its columns
// take 16 bytes and NULL only.
type guarded struct {
	schema   string   // in which _LONG stands for a long name, and OTHER for another schema of PostgreSQL
	rows     string   // statements that store bytes in columns of another type; only SQLite has such
	written  []column // those that the file writes something for, besides mixed.id
	inherits []column // those for which the CHECK of another table holds

	// mixed guards the schema while its column mixed.id has a text, and then without it.
	mixed func(t *testing.T, g *guarding)
}

// A column may hold IDs.
type column struct {
	table, name string
	kind        columnKind
}

type columnKind int

const (
	single columnKind = iota
	notNull
	array
)

// mixed is the one column of each schema that has a text.
var mixed = column{"mixed", "id", single}

// wrong are values that no guarded column takes.
var wrong = []any{
	asText(known), asLower(known), asUUID(known), asText(known)[:16], []byte(asText(known)), []byte(asUUID(known)),
}

// Statements of column.store.
const (
	insertColumn = "INSERT INTO TABLE (COLUMN) VALUES (?)"
	updateColumn = "UPDATE TABLE SET COLUMN = ?"
	deleteTable  = "DELETE FROM TABLE"
)

// refusal matches an error of a CHECK or a trigger.
var refusal = regexp.MustCompile(`_16\b|\bulid_[0-9a-f]{32}\b|is not 16 bytes`)

// long makes names long. The constraints of edge would have 63, 64 and 65 characters, of which
// PostgreSQL has 63 and MySQL 64.
var long = strings.NewReplacer("_LONG", strings.Repeat("_long", 10))

// A guarding is one run of TestGuard.
type guarding struct {
	*database
	conn *db.DB
	mode string
}

// TestGuard runs the query that writes CHECKs or triggers, and then what it wrote.
func TestGuard(t *testing.T) {
	inEachMode(t, databases, func(t *testing.T, d *database, mode string) {
		g := &guarding{d, d.open(t, defaultMode), mode}
		schema := d.guarded.schema
		if d == postgresDB {
			schema = strings.ReplaceAll(schema, "OTHER", otherSchema(t, g.conn))
		}
		columns := append(slices.Clone(d.guarded.written), d.guarded.inherits...)
		g.loosely(func() {
			g.conn.Run(long.Replace(schema))
			for _, c := range columns {
				g.wantTakesAll(t, c)
			}
		})
		if d.guarded.rows != "" {
			g.conn.Run(d.guarded.rows)
		}
		g.wantNarrowed(t)
		d.guarded.mixed(t, g)
		g.wantWritten(t, 0) // now that all is there
		g.loosely(func() {
			for _, c := range append(columns, mixed) {
				g.wantGuarded(t, c)
			}
			for _, bytes := range []int{1, 15, 17} {
				if g.conn.Try(`INSERT INTO mixed (id) VALUES (?)`, make([]byte, bytes)) == nil {
					t.Errorf("mixed takes %d bytes", bytes)
				}
			}
		})
	})
}

// loosely writes as a session of MySQL that cuts texts, and does not check foreign keys. Before and
// after, the session has the mode.
func (g *guarding) loosely(write func()) {
	if !g.IsMySQL() {
		write()
		return
	}
	sqlMode := g.mode
	if sqlMode == defaultMode {
		sqlMode = "STRICT_ALL_TABLES"
	}
	g.conn.Run(g.loose + `; SET foreign_key_checks = 0`)
	write()
	g.conn.Run(`SET foreign_key_checks = 1; SET sql_mode = '` + sqlMode + `'`)
}

// store runs a statement with a value for the column. In an array it is the second element.
func (g *guarding) store(c column, statement string, value any) error {
	if c.kind == array && value != nil {
		second := text(value)
		_, isBinary := value.(ulid.AsBinary)
		if isBinary {
			second = "NULL"
		}
		value = fmt.Sprintf(`{"\\x%x",%s}`, known[:], second)
	}
	return g.conn.Try(c.replace(statement), value)
}

// replace puts the names of the column into a statement.
func (c column) replace(statement string) string {
	return long.Replace(strings.NewReplacer("TABLE", c.table, "COLUMN", c.name).Replace(statement))
}

// wantTakesAll fails the test unless the column takes the wrong values while it has no CHECK, which
// proves that it needs one.
func (g *guarding) wantTakesAll(t *testing.T, c column) {
	t.Helper()
	for _, value := range wrong {
		err := g.store(c, insertColumn, value)
		if err != nil {
			t.Errorf("%q in %s.%s gives %v without a CHECK, so the test shows nothing", value, c.table, c.name, err)
		}
		g.conn.Run(c.replace(deleteTable))
	}
}

// wantGuarded fails the test unless the column takes 16 bytes and NULL, and refuses the wrong values.
func (g *guarding) wantGuarded(t *testing.T, c column) {
	t.Helper()
	g.conn.Run(c.replace(deleteTable))
	id := ulid.AsBinary(ulid.Make())
	if err := g.store(c, insertColumn, id); err != nil {
		t.Errorf("16 bytes in %s.%s: %v", c.table, c.name, err)
	}
	for _, value := range wrong {
		for _, statement := range []string{insertColumn, updateColumn} {
			err := g.store(c, statement, value)
			if err == nil || !refusal.MatchString(err.Error()) {
				t.Errorf("%s with %q gives %v", c.replace(statement), value, err)
			}
		}
	}
	if err := g.store(c, updateColumn, id); err != nil {
		t.Errorf("16 bytes in %s.%s: %v", c.table, c.name, err)
	}
	if err := g.store(c, insertColumn, nil); err != nil && c.kind != notNull {
		t.Errorf("NULL in %s.%s: %v", c.table, c.name, err)
	}
}

// wantNarrowed fails the test unless the query can be limited to tables and columns, where its
// comment has a place for their names.
func (g *guarding) wantNarrowed(t *testing.T) {
	t.Helper()
	place := regexp.MustCompile(`-- Name your .* here:  `)
	written := g.conn.Written(place.ReplaceAllString(g.file(t, "guard"), ""))
	if len(written) == 0 || strings.Contains(strings.Join(written, "\n"), "mixed") {
		t.Errorf("with names of tables and columns the query writes %s", written)
	}
}

// wantWritten fails the test unless the query writes so many rows of statements. It returns the rows.
func (g *guarding) wantWritten(t *testing.T, want int) []string {
	t.Helper()
	written := g.conn.Written(g.file(t, "guard"))
	if len(written) != want {
		t.Fatalf("the query writes %d statements, want %d:\n%s", len(written), want, written)
	}
	return written
}

// guard runs what the query writes, which are so many rows.
func (g *guarding) guard(t *testing.T, want int) {
	t.Helper()
	for _, statement := range db.Statements(g.wantWritten(t, want)) {
		g.conn.Run(statement)
	}
}

// guardButMixed is guard, where one statement fails because of the text in mixed.id.
func (g *guarding) guardButMixed(t *testing.T, want int) {
	t.Helper()
	failed := 0
	for _, statement := range db.Statements(g.wantWritten(t, want)) {
		err := g.conn.Try(statement)
		if err == nil {
			continue
		}
		if !strings.Contains(statement, "mixed__id_16") {
			t.Fatalf("%v in\n%s", err, statement)
		}
		failed++
	}
	if failed != 1 {
		t.Errorf("%d statements fail for mixed, want 1", failed)
	}
}
