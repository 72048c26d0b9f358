package sql

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// A column that may hold IDs. Its kind is "NOT NULL", "[]" for an array, or "".
type column struct{ table, name, kind string }

// A schema is somebody's: _LONG stands for a long name, OTHER for another schema of PostgreSQL.
type schema struct {
	tables   string
	guarded  []column // the query writes a CHECK or triggers for these and no others
	inherits []column // the CHECK of another table holds for these
}

var schemas = map[string]schema{
	"postgres": {`
		CREATE DOMAIN ref AS bytea; CREATE DOMAIN refs AS bytea[];
		CREATE TABLE events (id bytea PRIMARY KEY DEFAULT uuid_send(ulid_make()), "userID" bytea, ref ref, ids bytea[], refs refs,
			made bytea GENERATED ALWAYS AS (id) STORED, gone bytea, note text);
		ALTER TABLE events DROP gone;
		CREATE TABLE child (extra bytea) INHERITS (events);
		CREATE TABLE parts (id bytea, n int DEFAULT 1) PARTITION BY RANGE (n);
		CREATE TABLE parts1 PARTITION OF parts FOR VALUES FROM (0) TO (10);
		CREATE TABLE OTHER."Mixed ""Case" ("qu""ote d" bytea NOT NULL);
		CREATE VIEW seen AS SELECT * FROM events; CREATE MATERIALIZED VIEW stored AS SELECT * FROM events;
		CREATE TABLE t_LONG (a_LONG bytea, b_LONG bytea);
		CREATE TABLE edge (wxyz_LONG bytea, vwxyz_LONG bytea, uvwxyz_LONG bytea);
		CREATE TABLE owner (event_id bytea); CREATE TABLE owner_event (id bytea);
		CREATE TABLE mixed (id bytea, n int); INSERT INTO mixed (id) VALUES ('01ARYZ6S41TSV4RRFFQ69G5FAV')`,
		[]column{
			{"events", "id", "NOT NULL"}, {"events", `"userID"`, ""}, {"events", "ref", ""}, {"events", "ids", "[]"}, {"events", "refs", "[]"},
			{"child", "extra", ""}, {"parts", "id", ""}, {`"Mixed ""Case"`, `"qu""ote d"`, "NOT NULL"},
			{"t_LONG", "a_LONG", ""}, {"t_LONG", "b_LONG", ""},
			{"edge", "wxyz_LONG", ""}, {"edge", "vwxyz_LONG", ""}, {"edge", "uvwxyz_LONG", ""}, {"owner", "event_id", ""}, {"owner_event", "id", ""},
		},
		[]column{{"parts1", "id", ""}, {"child", "id", "NOT NULL"}, {"child", "ids", "[]"}},
	},
	"mysql": {`
		CREATE TABLE events (id BINARY(16) PRIMARY KEY DEFAULT (UNHEX(CONCAT('01', HEX(RANDOM_BYTES(15))))), userID VARBINARY(255), b LONGBLOB,
			made BINARY(16) AS (id) STORED, hash BINARY(32), short VARBINARY(8), note TEXT);
		CREATE TABLE items (a BINARY(16), b BINARY(16), c BINARY(16), d BINARY(16), FOREIGN KEY (a) REFERENCES events (id) ON DELETE CASCADE,
			FOREIGN KEY (b) REFERENCES events (id) ON DELETE SET NULL, FOREIGN KEY (c) REFERENCES events (id) ON UPDATE SET NULL,
			FOREIGN KEY (d) REFERENCES events (id) ON UPDATE CASCADE);
		CREATE TABLE parts (id BINARY(16), n INT DEFAULT 1) PARTITION BY RANGE (n) (PARTITION a VALUES LESS THAN (10));
		CREATE TABLE ` + "`Mixed ``Case` (`qu``ote d` TINYBLOB NOT NULL)" + `; CREATE TABLE Größen (größe_id BINARY(16));
		CREATE VIEW seen AS SELECT * FROM events;
		CREATE TABLE t_LONG (a_LONG BINARY(16), b_LONG BINARY(16));
		CREATE TABLE edge (wxyz_LONG BINARY(16), vwxyz_LONG BINARY(16), uvwxyz_LONG BINARY(16)); CREATE TABLE owner (event_id BINARY(16)); CREATE TABLE owner_event (id BINARY(16));
		CREATE TABLE mixed (id VARBINARY(255), n INT); INSERT INTO mixed (id) VALUES ('01ARYZ6S41TSV4RRFFQ69G5FAV')`,
		[]column{
			{"events", "id", "NOT NULL"}, {"events", "userID", ""}, {"events", "b", ""}, {"items", "a", ""}, {"parts", "id", ""},
			{"`Mixed ``Case`", "`qu``ote d`", "NOT NULL"}, {"Größen", "größe_id", ""},
			{"t_LONG", "a_LONG", ""}, {"t_LONG", "b_LONG", ""},
			{"edge", "wxyz_LONG", ""}, {"edge", "vwxyz_LONG", ""}, {"edge", "uvwxyz_LONG", ""}, {"owner", "event_id", ""}, {"owner_event", "id", ""},
		}, nil,
	},
	"sqlite": {`
		CREATE TABLE events (id BLOB PRIMARY KEY NOT NULL DEFAULT (randomblob(16)), "userID" BINARY(16), untyped,
			made BLOB AS (id) STORED, hash INT, note TEXT);
		CREATE TABLE "Mixed ""Ca'se" ("qu""ote 'd" bytea PRIMARY KEY) WITHOUT ROWID;
		CREATE TABLE counted (n INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB); CREATE TABLE strict (id BLOB) STRICT;
		CREATE VIRTUAL TABLE words USING fts5(word); CREATE VIEW seen AS SELECT * FROM events; ANALYZE;
		CREATE TABLE t_LONG (a_LONG BLOB, b_LONG BLOB);
		CREATE TABLE edge (wxyz_LONG BLOB, vwxyz_LONG BLOB, uvwxyz_LONG BLOB); CREATE TABLE owner (event_id BLOB); CREATE TABLE owner_event (id BLOB);
		CREATE TABLE mixed (id BLOB, n INT); INSERT INTO mixed (id) VALUES ('01ARYZ6S41TSV4RRFFQ69G5FAV')`,
		[]column{
			{"events", "id", "NOT NULL"}, {"events", `"userID"`, ""}, {"events", "untyped", ""},
			{`"Mixed ""Ca'se"`, `"qu""ote 'd"`, "NOT NULL"}, {"counted", "id", ""},
			{"t_LONG", "a_LONG", ""}, {"t_LONG", "b_LONG", ""},
			{"edge", "wxyz_LONG", ""}, {"edge", "vwxyz_LONG", ""}, {"edge", "uvwxyz_LONG", ""}, {"owner", "event_id", ""}, {"owner_event", "id", ""},
		}, nil,
	},
}

// store runs a statement with a value for the column.
func (c column) store(db *db.DB, statement string, value any) error {
	if c.kind == "[]" && value != nil {
		other := text(value)
		if _, ok := value.(ulid.AsBinary); ok {
			other = "NULL"
		}
		value = fmt.Sprintf(`{"\\x%x",%s}`, known[:], other)
	}
	return db.Try(long.Replace(strings.NewReplacer("TABLE", c.table, "COLUMN", c.name).Replace(statement)), value)
}

// long makes names long. The constraints of edge would have 63, 64 and 65 characters, of which PostgreSQL has 63 and MySQL 64.
var long = strings.NewReplacer("_LONG", strings.Repeat("_long", 10))

// refusal matches an error of a CHECK or a trigger.
var refusal = regexp.MustCompile(`_16\b|\bulid_[0-9a-f]{32}\b|is not 16 bytes`)

// TestGuard runs the query that writes CHECKs or triggers, and then what it wrote. After that, columns take 16 bytes and NULL only.
func TestGuard(t *testing.T) {
	const insert, update = "INSERT INTO TABLE (COLUMN) VALUES (?)", "UPDATE TABLE SET COLUMN = ?"
	wrong := []any{asText(known), asLower(known), asUUID(known), asText(known)[:16], []byte(asText(known)), []byte(asUUID(known))}
	each(t, true, func(t *testing.T, d *database, mode string) {
		db := d.session(t, "default")
		name := d.Family
		s := schemas[name]
		switch d.Dialect {
		case "postgres":
			own := db.Text(`SELECT current_schema()`)
			other := `"` + own + ` 2"`
			db.Run(`CREATE SCHEMA ` + other + `; SET search_path = ` + own + `, ` + other)
			t.Cleanup(func() { db.Run(`DROP SCHEMA ` + other + ` CASCADE`) })
			s.tables = strings.ReplaceAll(s.tables, "OTHER", other)
		case "mariadb":
			s.tables += `; CREATE TABLE versions (id BINARY(16)) WITH SYSTEM VERSIONING; CREATE SEQUENCE numbers`
			s.guarded = append(s.guarded, column{"versions", "id", ""})
		}
		// loosely writes as a session that cuts texts, and does not check foreign keys. Before and after, the session has the mode.
		loosely := func(write func()) {
			if d.IsMySQL() {
				db.Run(d.loose + `; SET foreign_key_checks = 0`)
				defer db.Run(`SET foreign_key_checks = 1; SET sql_mode = '` + strings.Replace(mode, "default", "STRICT_ALL_TABLES", 1) + `'`)
			}
			write()
		}
		all := append(s.guarded, s.inherits...)
		loosely(func() {
			db.Run(long.Replace(s.tables))
			for _, c := range all {
				for _, value := range wrong {
					db.Run(long.Replace(`DELETE FROM ` + c.table))
					if err := c.store(db, insert, value); err != nil {
						t.Errorf("%q in %v gives %v without a CHECK, so that the test shows nothing", value, c, err)
					}
				}
				db.Run(long.Replace(`DELETE FROM ` + c.table))
			}
		})

		query := page.Text(t, "sql/guard_"+name+".sql")
		place := regexp.MustCompile(`-- Name your .* here:  `)
		if rows := db.Rows(place.ReplaceAllString(query, "")); len(rows) == 0 || strings.Contains(fmt.Sprintf("%s", rows), "mixed") {
			t.Errorf("with names of tables and columns the query writes %s", rows)
		}
		guard := func(want int) (failed int) {
			t.Helper()
			rows := db.Rows(query)
			if len(rows) != want {
				t.Fatalf("the query writes %d statements, want %d:\n%s", len(rows), want, rows)
			}
			for _, row := range rows {
				for _, statement := range strings.SplitAfter(text(row[0]), ";\n") {
					if err := db.Try(statement); err != nil && !strings.Contains(text(row[0]), "mixed__id_16") {
						t.Fatalf("%v in\n%s", err, statement)
					} else if err != nil {
						failed++
					}
				}
			}
			return failed
		}
		if d.Dialect == "sqlite" { // two triggers for a column, which do not look at old rows
			guard(2 * (len(s.guarded) + 1))
			db.Run(`UPDATE mixed SET n = 1; DROP TRIGGER mixed__id_16_update`)
			guard(1)
		} else {
			if failed := guard(len(s.guarded) + 1); failed != 1 {
				t.Errorf("%d statements fail for mixed, want 1", failed)
			}
			if err := db.Try(`UPDATE mixed SET n = 1`); (err != nil) != (name == "postgres") {
				t.Errorf("where the statement failed, a change of the row gives %v", err)
			}
			db.Run(`DELETE FROM mixed`)
			guard(1)
		}
		guard(0)

		loosely(func() {
			for _, c := range append(all, column{"mixed", "id", ""}) {
				db.Run(long.Replace(`DELETE FROM ` + c.table))
				id := ulid.AsBinary(ulid.Make())
				if err := c.store(db, insert, id); err != nil {
					t.Errorf("16 bytes in %v: %v", c, err)
				}
				for _, value := range wrong {
					for _, statement := range []string{insert, update} {
						if err := c.store(db, statement, value); err == nil || !refusal.MatchString(err.Error()) {
							t.Errorf("%s of %q in %v gives %v", statement, value, c, err)
						}
					}
				}
				if err := c.store(db, update, id); err != nil {
					t.Errorf("16 bytes in %v: %v", c, err)
				}
				if err := c.store(db, insert, nil); err != nil && c.kind != "NOT NULL" {
					t.Errorf("NULL in %v: %v", c, err)
				}
			}
			for _, bytes := range []int{1, 15, 17} {
				if db.Try(`INSERT INTO mixed (id) VALUES (?)`, make([]byte, bytes)) == nil {
					t.Errorf("mixed takes %d bytes", bytes)
				}
			}
		})
	})
}

// TestHeads runs the commands that stand at the head of the files, on tables with IDs in two forms, which are mended and guarded.
func TestHeads(t *testing.T) {
	each(t, false, func(t *testing.T, d *database, _ string) {
		name := d.Family
		db := d.Open(t, d.parameters)
		bytes := map[string]string{"postgres": "bytea", "mysql": "VARBINARY(255)", "sqlite": "BLOB"}[name]
		db.Run(`CREATE TABLE events (id ` + bytes + ` PRIMARY KEY)`)
		db.Run(`CREATE TABLE items (event_id ` + bytes + `, FOREIGN KEY (event_id) REFERENCES events (id))`)
		dir, env := t.TempDir(), append(os.Environ(), db.ClientEnv()...)
		check(t, os.CopyFS(dir, os.DirFS(filepath.Join(page.Root(), "sql"))))
		run := func(file string) error {
			var commands string
			for _, m := range regexp.MustCompile(`(?m)^--   (\S.*\n)`).FindAllStringSubmatch(page.Text(t, "sql/"+file), -1) {
				commands += strings.NewReplacer("mysql ", d.Client+" ", "DATABASE", `"$DATABASE"`).Replace(m[1])
			}
			cmd := exec.Command("bash", "-eu", "-c", commands)
			cmd.Dir, cmd.Env = dir, env
			out, err := cmd.CombinedOutput()
			t.Logf("%s%s", commands, out)
			return err
		}

		check(t, run(name+".sql"))
		if name == "sqlite" {
			db.Rows(`SELECT * FROM events_text_times`)
		} else {
			db.Rows(`SELECT ulid_make()`)
		}
		db.Run(`INSERT INTO events VALUES (?), (?)`, ulid.AsBinary(known), ulid.Make())
		db.Run(`INSERT INTO items SELECT id FROM events`)
		err := run("mend_" + name + ".sql")
		if out, _ := exec.Command("sqlite3", "-version").Output(); name == "sqlite" && string(out) < "3.41" {
			t.Logf("sqlite3 lacks unhex, so the error is %v", err)
		} else {
			check(t, err)
			if n := db.Count(`SELECT count(*) FROM events JOIN items ON event_id = id WHERE length(id) = 16`); n != 2 {
				t.Errorf("%d IDs are mended, want 2", n)
			}
		}
		if column := map[string]string{"postgres": `text COLLATE "C"`, "mysql": asciiText}[name]; column != "" {
			db.Run(`CREATE TABLE events_text (id ` + column + ` PRIMARY KEY)`)
			db.Run(d.references)
			db.Run(`INSERT INTO events_text VALUES (?)`, known)
			db.Run(`INSERT INTO items_text SELECT id, 1 FROM events_text`)
			check(t, run("convert_"+name+".sql"))
			converted := d.conversions[0].after.value(known)
			if n := db.Count(`SELECT count(*) FROM events_text JOIN items_text ON event_id = id WHERE id = ?`, converted); n != 1 {
				t.Errorf("%d IDs are converted, want 1", n)
			}
		}
		check(t, run("guard_"+name+".sql"))
		for _, column := range []string{"events (id)", "items (event_id)"} {
			if err := db.Try(`INSERT INTO `+column+` VALUES (?)`, asLower(known)); err == nil || !refusal.MatchString(err.Error()) {
				t.Errorf("a text in %s gives %v", column, err)
			}
		}
	})
}
